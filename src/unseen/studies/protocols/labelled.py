"""What protocols that learn by labels have in common: the network, its learner, and what a recipe may not say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.studies.protocol_table import LearnerData
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.grids import inline
from unseen.vocabulary.protocol_names import FINETUNE, NO_PRETRAINING, PROBE, READOUT, SUPERVISED
from unseen.vocabulary.recipe import Recipe
from unseen.vocabulary.seeds import seed_of

if TYPE_CHECKING:
    from unseen.models import Network, Preprocessed
    from unseen.training import Learner

OF_MODELS = ("model", "labels", "preprocessing", "part", "features")  # keys of [network] that a backbone has no use for


def labelled_network(study: Study, trial: Trial) -> Preprocessed:
    """The network that a recipe's ``[network]`` describes, with its first weights."""
    from unseen.models import Preprocessed, build

    network = trial.recipe.network
    built = build(
        network.backbone,
        {target.name: target.outputs for target in study.targets(trial)},
        sharing=network.sharing,
        stem=network.stem,
        channels=network.channels,
        as_released=network.as_released,
        checkpoint=network.checkpoint,
        pretrained=network.pretrained,
        input_size=study.world(trial).size,
        seed=seed_of(trial.seed, "training", "weights"),
        arguments=network.arguments,
        trust=False,
    )
    begin(study, trial, built)
    return Preprocessed(built, normalise=trial.recipe.training.normalise, channels=network.channels)


def begin(study: Study, trial: Trial, network: Network) -> None:
    """Put the encoder that a trial needs into its network; the heads start afresh. Where nothing is to be learned
    before it, its first weights are those the encoder would have begun with."""
    if trial.recipe.pretraining.world is None:
        return
    from unseen.studies.encoders import BadEncoder, encoder_state

    needed = study.encoder(trial)
    if needed is None:
        state = first_network(trial, network.description["input_size"]).trunk.state_dict()
        told = "pretraining: none, the first weights of an encoder"
    else:
        state = encoder_state(study.store, needed.identity)
        told = encoder_words(trial, needed.identity)
    try:
        network.trunk.load_state_dict(dict(state))
    except RuntimeError as error:
        raise BadEncoder(f"'{trial.label}': its encoder does not fit its network ({str(error)[:300]}).") from None
    network.description["weights"] = told


def encoder_words(trial: Trial, identity: str) -> str:
    return f"pretraining: {trial.recipe.pretraining.objective}, encoder {identity}"


def first_network(trial: Trial, size: Sequence[int]) -> Network:
    """A network with the first weights that its encoder begins with."""
    from unseen.models import build

    network, section = trial.recipe.network, trial.recipe.pretraining
    return build(
        network.backbone, {"encoder": 1}, sharing="shared", stem=network.stem, channels=network.channels,
        input_size=(size[0], size[1]), seed=seed_of(section.seed, "pretraining", "weights"),
        arguments=network.arguments, trust=False,
    )  # fmt: skip


def learner_for(network: Preprocessed, study: Study, trial: Trial, brought: LearnerData) -> Learner:
    """A learner that shows pictures to a network in every epoch."""
    from unseen.training import Learner

    return Learner(
        network,
        tuple(target.name for target in study.targets(trial)),
        brought.train,
        brought.validation,
        trial.recipe.training,
        seed=trial.seed,
        device=brought.device,
        precision=brought.precision,
        tolerances=tolerances(study, trial),
    )


def labelled_learner(study: Study, trial: Trial, brought: LearnerData) -> Learner:
    return learner_for(labelled_network(study, trial), study, trial, brought)


def tolerances(study: Study, trial: Trial) -> list[float] | None:
    """Of numbers: half the distance between neighbouring levels, since nearer than that is the right level; of classes
    none."""
    if trial.recipe.task != "regression":
        return None
    return [0.5 / max(len(target.classes) - 1, 1) for target in study.targets(trial)]


def labelled_tried(study: Study, trial: Trial, alone: bool) -> Network:
    """The network as far as it can be built before training; see :mod:`unseen.models.feasible`."""
    from unseen.models import feasible

    network = trial.recipe.network
    options = network.model_dump(exclude={"backbone", "frozen", *OF_MODELS})
    outputs = {target.name: target.outputs for target in study.targets(trial)}
    size = study.world(trial).size
    return feasible(network.backbone, outputs, input_size=size, alone=alone, trust=False, **options)


def check_labels(trial: Trial) -> None:
    """Labels train no encoder, and have no settings."""
    recipe = trial.recipe
    if (objective := recipe.training.objective) != SUPERVISED:
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' learns by labels, and training.objective = '{objective}' without "
            f'them; set protocol = "{READOUT}" (or leave protocol out), or leave training.objective out.'
        )
    if recipe.training.optimiser == "lbfgs":
        raise UnseenError(
            "training.optimiser = 'lbfgs' fits heads on features that are kept, and protocol = "
            f"'{recipe.protocol_name}' "
            f'trains by steps; set protocol = "{PROBE}", or another optimiser, e.g. "adam".'
        )
    if recipe.network.model:
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' trains a backbone, and network.model = '{recipe.network.model}' is "
            f'asked as it comes; set protocol = "given", "zero-shot" or "{PROBE}", or give network.backbone.'
        )
    _check_backbone(recipe.network.backbone)
    _check_no_arguments(recipe)


def pretraining_words(recipe: Recipe) -> str:
    """The encoder that a network starts from, in a few words."""
    objective = recipe.pretraining.objective
    return "an encoder's first weights" if objective == NO_PRETRAINING else f"an encoder pretrained by {objective}"


def check_all_learn(recipe: Recipe) -> None:
    """Where all weights learn, none is frozen."""
    if recipe.network.frozen:
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' trains all weights, and network.frozen = true keeps those of the "
            f'backbone; leave frozen out, or set protocol = "{PROBE}" (then frozen need not be said).'
        )


def check_no_start(recipe: Recipe) -> None:
    """Where weights are random at first, none are given."""
    if recipe.start == "pretraining":
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' starts from random weights, and [pretraining] makes others; leave "
            f'[pretraining] out, or set protocol = "{FINETUNE}" (all weights learn on) or "{PROBE}" (the heads alone).'
        )
    if key := recipe.network.start:
        given = json.dumps(getattr(recipe.network, key))
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' starts from random weights, and network.{key} = {given} gives others;"
            f' leave {key} out, or set protocol = "{FINETUNE}" (all weights learn on) or "{PROBE}" (the heads alone).'
        )


def checkpoint_name(recipe: Recipe) -> str:
    """The file that a network starts from, without where it lies."""
    return Path(recipe.network.checkpoint or "").name


def _check_backbone(name: str) -> None:
    """An encoder cannot be trained by labels."""
    from unseen.models import ENCODERS
    from unseen.models.factories import factory_of
    from unseen.training.objectives import OBJECTIVES

    if name in ENCODERS and factory_of(name) is None:  # a package may give the name to a network of its own
        *others, last = (repr(key) for key, objective in OBJECTIVES.items() if objective.encoder == name)
        possible = f"{', '.join(others)} or {last}" if others else last
        raise UnseenError(
            f"network.backbone = '{name}' is an encoder that learns without labels, and training.objective = "
            f"'{SUPERVISED}' (the default) learns by them; set training.objective = {possible}."
        )


def _check_no_arguments(recipe: Recipe) -> None:
    """Labels have no settings; those of an objective beside them were meant for an encoder."""
    from unseen.training.objectives import OBJECTIVES

    if given := recipe.training.objective_arguments:
        knowing = [name for name, one in OBJECTIVES.items() if set(given) <= set(one.settings)]
        raise UnseenError(
            f"training.objective_arguments = {inline(given)} does nothing where training.objective = '{SUPERVISED}' "
            f"(the default), which has no settings; leave it out, put it into a grid of encoders alone, or set "
            f"training.objective ({listed(knowing or OBJECTIVES)})."
        )
