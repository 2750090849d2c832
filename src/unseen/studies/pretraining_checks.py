"""What cannot be pretrained, told before anything is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unseen.studies.encoders import Encoder
from unseen.studies.limits import check_steps_and_rates
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.protocol_names import FINETUNE, NO_PRETRAINING, PROBE, SCRATCH, SUPERVISED

if TYPE_CHECKING:
    from unseen.models import Network
    from unseen.studies.study import Study
    from unseen.studies.trials import Trial
    from unseen.vocabulary.samples import Samples
    from unseen.vocabulary.world import World

KEY = "pretraining"


def check_pretraining(study: Study) -> None:
    """Every encoder can be made, suits the trials that need it, and learns from what they are not asked about."""
    seen: set[str] = set()
    built: set[str] = set()
    for trial in study.trials:
        if trial.recipe.pretraining.world is None:
            continue
        _check_trial(trial)
        world = study.learned_world(trial)
        _check_size(world, study.world(trial))
        if not trial.recipe.pretraining.overlap:
            _check_overlap(world, study.world(trial))
        if trial.recipe.pretraining.objective == NO_PRETRAINING:
            _check_options(trial)
        elif (needed := study.encoder(trial)) is not None and needed.identity not in seen:
            seen.add(needed.identity)
            _check_encoder(needed, world, built)


def _check_trial(trial: Trial) -> None:
    """The network is one that starts from its encoder and from nothing else."""
    recipe = trial.recipe
    name = recipe.protocol_name
    if recipe.training.objective != SUPERVISED:
        raise UnseenError(
            f"[{KEY}] makes an encoder for labels to be learned on, and training.objective = "
            f"'{recipe.training.objective}' learns without them; leave one of the two out."
        )
    if name == SCRATCH:
        return  # the protocol itself refuses it, in its own words
    if recipe.network.start:
        raise UnseenError(
            f"network.{recipe.network.start} and [{KEY}] both give the network weights to start from; leave one out."
        )
    if recipe.network.sharing != "shared":
        raise UnseenError(
            f"network.sharing = '{recipe.network.sharing}' with [{KEY}]: an encoder is one network without branches; "
            'set network.sharing = "shared".'
        )
    if name not in (FINETUNE, PROBE) and recipe.protocol == "":
        raise UnseenError(f'[{KEY}] is for protocol = "{PROBE}" or "{FINETUNE}", not \'{name}\'.')


def _check_size(learned: World, asked: World) -> None:
    if tuple(learned.size) != tuple(asked.size):
        sizes = [f"{height}×{width}" for height, width in (learned.size, asked.size)]
        raise UnseenError(
            f"[{KEY}.world] shows images of {sizes[0]} and [world] of {sizes[1]}; an encoder is asked at the size it "
            f"learned at: give both the same (side)."
        )


def categories(samples: Samples) -> set[str]:
    """The names of a world's categories, as they are compared between worlds."""
    found = [factor for factor in samples.space.factors if factor.kind == "category"]
    return {str(level).strip().lower().replace("_", " ") for factor in found for level in factor.levels}


def copies(learned: Samples, asked: Samples) -> int:
    """How many instances are the same thing in both worlds, where they tell what each one holds (files)."""
    known = [[block.content for block in one.blocks if block.content is not None] for one in (learned, asked)]
    told = [{str(one) for part in parts for one in part} for parts in known]
    return len(told[0] & told[1])


def _check_overlap(learned: World, asked: World) -> None:
    both = sorted(categories(learned.samples) & categories(asked.samples))
    same = copies(learned.samples, asked.samples)
    if not both and not same and learned.fingerprint != asked.fingerprint:
        return
    what = f"{same:,} objects that are asked later" if same else "the very images that are asked later"
    what = f"categories that are asked later: {listed(both, 8)}" if both else what
    raise UnseenError(
        f"[{KEY}.world] has {what}. An encoder that has seen them cannot tell what it carries over to new ones; give "
        f"other categories (the argument categories or classes of the world), or set {KEY}.overlap = true if this is "
        "meant."
    )


def _check_options(trial: Trial) -> None:
    from unseen.training.pretexts import check_options

    check_options(trial.recipe.pretraining.objective, trial.recipe.pretraining.objective_arguments)


def _check_encoder(needed: Encoder, world: World, built: set[str]) -> None:
    """Its objective suits its network, and there are pictures enough. ``built``: what was tried before."""
    from unseen.studies.pretraining import category_of, watched_of
    from unseen.training.augment import check_plan
    from unseen.training.pretexts import pretext_row

    trial, section, samples = needed.trial, needed.trial.recipe.pretraining, world.samples
    row = pretext_row(section.objective)
    _check_options(trial)
    check_plan(section.augment, world.size)
    if section.images is not None and section.images > len(samples):
        raise UnseenError(
            f"{KEY}.images = {section.images:,}, and [{KEY}.world] has {len(samples):,}; ask for fewer, leave it out "
            "(then all are taken), or give the world more instances or levels."
        )
    wanted = min(section.images or len(samples), len(samples))
    watched = watched_of(wanted, section.batch)
    if row.pairs and (section.batch < 2 or wanted - watched < 2 or watched < 2):
        fewest = f"{KEY}.batch = {section.batch}" if section.batch < 2 else f"{len(samples):,} images"
        raise UnseenError(
            f"{KEY}.objective = '{section.objective}' tells the pictures of a batch apart, and {fewest} leave none to "
            "tell apart; it needs batches of 2 or more, and 4 images or more. Papers take hundreds."
        )
    if wanted - watched < 1 or watched < 1:
        raise UnseenError(f"[{KEY}.world] has {len(samples):,} images; an encoder needs 2 or more to learn from.")
    check_steps_and_rates(KEY, section.settings(), wanted - watched)
    if section.objective == "supervised" and category_of(samples) is None:
        raise UnseenError(
            f"{KEY}.objective = 'supervised' names the category, and world '{world.name}' has none; take another "
            "objective or another world."
        )
    factors = [(factor.name, len(factor)) for factor in samples.space.factors if factor.kind != "instance"]
    key = f"{trial.recipe.network.model_dump_json()} {section.objective} {section.objective_arguments} {factors}"
    if key not in built:
        built.add(key)
        _tried(trial, world)


def _tried(trial: Trial, world: World) -> None:
    """Network and pretext, without numbers in them where that can be; timm's own errors are told as they are."""
    from unseen.models import without_numbers
    from unseen.studies.pretraining import build_pretext
    from unseen.studies.protocols.labelled import first_network

    def made() -> Network:
        network = first_network(trial, world.size)
        build_pretext(trial, network, world)
        return network

    without_numbers(made, trial.recipe.network.backbone)
