"""What `unseen run` would refuse of any study, found without training; its kind may ask more (`kinds/checks.py`).

What can only be known by training is not here: a loss that leaves the finite numbers, memory of a device that runs out,
a compiler that fails (``training.compile``), a picture of a folder that cannot be decoded, a full disk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from unseen.measures import chance
from unseen.studies.asked import is_pattern, matching
from unseen.studies.concepts import check_concepts
from unseen.studies.invariances import check_invariance, check_rectified
from unseen.studies.limits import check_images, check_named, check_training
from unseen.studies.pretraining_checks import check_pretraining
from unseen.studies.protocol_table import protocol_of
from unseen.studies.strengths import check_target
from unseen.studies.tables import trains
from unseen.studies.together import check_together, goes_together
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.stems import few_positions, stem_text

if TYPE_CHECKING:
    from unseen.models import Network, Preprocessed
    from unseen.studies.study import Study
    from unseen.studies.trials import Trial
    from unseen.vocabulary.samples import Samples
    from unseen.vocabulary.split import Split

FEW = 10_000  # training rows whose images are counted before a search


def check_study(study: Study) -> None:
    """Everything a recipe names exists and fits together, for every point of its grid."""
    check_named(study.recipe)
    seen: set[int] = set()
    for trial in study.points:
        check_named(trial.recipe)
        _check_trial(study, trial, new=id(study.split(trial)) not in seen)
        seen.add(id(study.split(trial)))
    _check_patterns(study)
    check_pretraining(study)
    _check_networks(study)
    _check_calibrations(study)


def _check_trial(study: Study, trial: Trial, *, new: bool) -> None:
    """A trial's split, what is asked of it and how it is trained; ``new``: its split was not met before."""
    split, samples, targets = study.split(trial), study.world(trial).samples, study.targets(trial)
    if trial.recipe.explanations.methods:
        from unseen.studies.explained.recorded_maps import check_explanations

        check_explanations(study, trial)
    asked = study.asked(trial)
    if not asked:
        wanted = ", ".join(trial.recipe.recordings.sets)
        raise UnseenError(
            f"recordings.sets ({wanted or 'empty'}) names no row set of the split of '{trial.label}', so nothing would "
            f"be asked; it has {', '.join(split.sets)}."
        )
    if new:
        _check_asked(trial, split, asked, samples)
    if not (trains(trial.recipe) and protocol_of(trial.recipe).trains):
        _check_asks(trial)
        return  # nothing is trained, and no unit looked at
    if "train" not in split.sets:
        raise UnseenError(
            f"design '{trial.recipe.design.name}' gives no row set 'train', and a network is to be trained on it. A "
            f"design that only asks says so in its module: TRAINS = False."
        )
    if not goes_together(trial):
        _check_layers(trial, split)
        check_invariance(trial, split, targets)
    _check_rows(trial, split, samples)
    check_concepts(study, trial)
    check_training(trial, targets, split.count(samples, "train"))
    check_images(trial, study.world(trial).size, split.count(samples, "train"))
    if not goes_together(trial):
        _check_search(trial, split, samples)


def _check_asks(trial: Trial) -> None:
    """A protocol that was named, or a model, must have rows to train on if it needs such."""
    recipe = trial.recipe
    if protocol_of(recipe).trains and (recipe.protocol or recipe.network.model):
        raise UnseenError(
            f"protocol = '{recipe.protocol_name}' trains, and design '{recipe.design.name}' only asks: it has no rows "
            'to train on. Give a design that has, or set protocol = "given" or "zero-shot" and network.model.'
        )


def _check_rows(trial: Trial, split: Split, samples: Samples) -> None:
    """There are images to train on, to choose the epoch by where the design has such, and to look at units on."""
    for name in ("train", "validation"):
        if (name == "train" or name in split.sets) and not split.count(samples, name):
            what = "nothing to train on" if name == "train" else "nothing to choose the epoch by"
            raise UnseenError(
                f"row set '{name}' of '{trial.label}' is empty: {what}. Ask for more images, or give the design "
                f"'{trial.recipe.design.name}' another share for it."
            )
    recordings = trial.recipe.recordings
    if (
        recordings.layers != "none"
        and recordings.cells
        and not goes_together(trial)
        and not ("probe" in split.sets and split.count(samples, "probe"))
    ):
        raise UnseenError(
            f"recordings.layers = {recordings.layers!r} keeps the activity of units on the row set 'probe', which "
            f"design '{trial.recipe.design.name}' {'leaves empty' if 'probe' in split.sets else 'does not have'}. Set "
            'recordings.layers = "none", or give the design such a set: some images of every cell.'
        )


def _check_search(trial: Trial, split: Split, samples: Samples) -> None:
    """A search holds out some of the training images, so there must be two."""
    from unseen.studies.search import held_out, is_wanted

    if is_wanted(trial.recipe) and split.count(samples, "train") <= FEW:
        held_out(samples, split.rows(samples, "train"), trial.recipe.search.share, trial.seed)


def _check_patterns(study: Study) -> None:
    """A pattern that no split of the study answers is a slip of the pen, or left over from a larger grid."""
    there = {name: None for trial in study.points for name in study.split(trial).sets}
    for trial in study.points:
        wanted = trial.recipe.recordings.sets
        kept = [name for name in wanted if not is_pattern(name) or any(fnmatchcase(one, name) for one in there)]
        for pattern in wanted:
            if pattern not in kept:
                where = "any split of this study, named in recordings.sets"
                raise UnseenError(
                    f"{unknown('row set like', pattern, there, where=where)} If the splits that have it are not in "
                    f"this study, leave it out with --set 'recordings.sets={json.dumps(kept)}'."
                )


def _check_asked(trial: Trial, split: Split, asked: Sequence[str], samples: Samples) -> None:
    """A set may be empty at one end of a grid (nobody is left to ask), but not all that a trial is asked."""
    if not any(split.count(samples, name) for name in asked):
        filled = [name for name in split.sets if split.count(samples, name)]
        raise UnseenError(
            f"all row sets that '{trial.label}' is asked ({', '.join(asked)}) are empty, so it would be trained for "
            f"nothing; name one that is not in recordings.sets: {', '.join(filled)}."
        )


def _check_layers(trial: Trial, split: Split) -> None:
    """Activity is kept per cell of a grid of two factors; a grid of many has more cells than a study has images."""
    layers, factors = trial.recipe.recordings.layers, split.factors
    if layers != "none" and len(factors) != 2 and trial.recipe.recordings.cells:
        raise UnseenError(
            f"recordings.layers = {layers!r} keeps the activity of units in each cell of two factors, and this design "
            f'splits {len(factors)} ({", ".join(factors)}). Set recordings.layers = "none" or recordings.cells = false.'
        )


def _check_networks(study: Study) -> None:
    """Ask each trial's protocol, and build each distinct network once, without numbers in it where that can be; see
    :mod:`unseen.models.feasible`."""
    from unseen.training.augment import check_plan

    seen: set[Any] = set()
    for trial in study.trials:
        network, recordings, training = trial.recipe.network, trial.recipe.recordings, trial.recipe.training
        world, protocol = study.world(trial), protocol_of(trial.recipe)
        check_plan(training.augment, world.size)
        protocol.check(trial)
        if protocol.together is not None and protocol.together.takes(trial.recipe):
            check_together(trial)
            key = (protocol.name, network.model_dump_json(), trial.recipe.answers, world.size, study.targets(trial))
            if key not in seen:
                seen.add(key)
                look = protocol.together.look(study, trial)
                begins = str(look.get("input") or stem_text(look, network.stem))
                study.networks.setdefault(protocol.told(study, trial), {})[begins] = ""
            continue
        outputs = tuple((target.name, target.outputs) for target in study.targets(trial))
        alone = min(training.batch, study.split(trial).count(world.samples, "train")) == 1
        told = protocol.told(study, trial)
        key = (told, network.model_dump_json(), world.size, recordings.model_dump_json(), outputs, alone)
        if key in seen:
            continue
        seen.add(key)
        made = protocol.feasible(study, trial, alone)
        _check_named(trial, made.layers)
        study.networks.setdefault(told, {})[stem_text(made.description, network.stem)] = few_told(made)
        if recordings.invariance and recordings.negative == "error":
            check_rectified(study, trial)


def few_told(network: Network | Preprocessed) -> str:
    """The warning of a network whose last block sees few positions, if it has one."""
    told = network.description
    if not {"positions", "input_size"} <= set(told):
        return ""
    return few_positions(told["positions"], told["backbone"], told["input_size"])


def _check_named(trial: Trial, names: Sequence[str]) -> None:
    """Layers that a recipe names must be there."""
    network, layers = trial.recipe.network, trial.recipe.recordings.layers
    for layer in () if isinstance(layers, str) else layers:
        if not matching(layer, names):
            raise unknown("layer", layer, names, where=f"network '{network.backbone}' ({network.sharing})")


def _check_calibrations(study: Study) -> None:
    """The plain network of each calibration has images to learn from, and a target that it can fall under."""
    for needed in study.calibrations.values():
        study.split(needed.trial)
        (target,) = study.targets(needed.trial)
        check_target(needed.section, chance(len(target.classes)), target.name)
