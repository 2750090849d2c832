"""Concept bottlenecks in studies: concepts must be able to tell classes apart, and are set to the truth at test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.seeds import stream

if TYPE_CHECKING:
    import pyarrow as pa
    import torch

FILE = "concepts"  # .parquet: right answers with concepts told
NOTHING, ALL, ANY = "nothing", "all", "any"
MOST_ROWS = 50_000  # of training, looked at for what concepts can tell


def has_concepts(trial: Trial) -> bool:
    return trial.recipe.network.sharing.startswith("concepts")


def check_concepts(study: Study, trial: Trial) -> None:
    """The class can be read from the concepts at all, by who trains a network whole."""
    if not has_concepts(trial):
        return
    recipe, sharing = trial.recipe, trial.recipe.network.sharing
    if recipe.protocol_name not in ("scratch", "finetune"):
        raise UnseenError(
            f"network.sharing = '{sharing}' is learned with the whole network, and protocol = '{recipe.protocol_name}' "
            'keeps some of it; set protocol = "scratch" or "finetune", or network.sharing = "shared".'
        )
    if recipe.task != "classification":
        raise UnseenError(
            f"network.sharing = '{sharing}' reads the class from how probable each level of a concept is, and task = "
            f"'{recipe.task}' answers with numbers; leave task out, or set network.sharing = \"shared\"."
        )
    label, *concepts = study.targets(trial)
    if not concepts:
        raise UnseenError(
            f"network.sharing = '{sharing}' reads '{label.name}' from other targets, its concepts, and targets names "
            f'none; name some of the world\'s factors, e.g. targets = ["{label.name}", "legs", "wheels"]: it has '
            f"{listed(study.world(trial).samples.space.names)}. The world 'described' adds properties of categories."
        )
    least, most = readable(study, trial)
    if most <= least + 1e-9:
        raise UnseenError(
            f"'{label.name}' cannot be read from {listed(one.name for one in concepts)}: whatever their levels, "
            f"the most frequent {label.name} of the training images is the same. Name concepts that tell its levels "
            "apart; the world 'described' adds properties of categories, such as legs and wheels."
        )


def readable(study: Study, trial: Trial) -> tuple[float, float]:
    """The share of training images whose class is known by who knows nothing, and by who knows all true concepts."""
    samples, split = study.world(trial).samples, study.split(trial)
    rows = split.rows(samples, "train")
    rows = rows[:: max(1, len(rows) // MOST_ROWS)]
    label, *concepts = (target.truth(samples, rows) for target in study.targets(trial))
    _, cell = np.unique(np.stack(concepts, 1), axis=0, return_inverse=True)
    counts = np.zeros((int(cell.max()) + 1, int(label.max()) + 1), dtype=np.int64)
    np.add.at(counts, (cell.ravel(), label), 1)
    return float(counts.sum(0).max() / len(rows)), float(counts.max(1).sum() / len(rows))


def interventions(study: Study, trial: Trial, network: Any, device: torch.device, precision: str) -> pa.Table | None:
    """How often the class is right in each set asked where nothing, one, any so many and all concepts are set to the
    truth; None of a network without concepts. Which ones come first is drawn for each image (ours: Koh et al. 2020
    take the order that helps most)."""
    import pyarrow as pa

    from unseen.recordings.concepts import intervene

    names: tuple[str, ...] = getattr(getattr(network, "network", network), "concepts", ())
    if not names:
        return None
    world, split = study.world(trial), study.split(trial)
    label, *concepts = study.targets(trial)
    told: list[dict[str, Any]] = []
    for asked in study.asked(trial):
        rows = split.rows(world.samples, asked)
        if not len(rows):
            continue
        truth = {one.name: one.truth(world.samples, rows) for one in concepts}
        every = np.ones(len(rows), dtype=bool)
        order = _order(trial, asked, len(rows), len(names))
        given: list[tuple[str, int, dict[str, np.ndarray]]] = [(NOTHING, 0, {})]
        given += [(name, 1, {name: every}) for name in truth]
        given += [
            (ANY, count, {name: order[:, place] < count for place, name in enumerate(names)})
            for count in range(1, len(names))
        ]
        given += [(ALL, len(names), dict.fromkeys(names, every))]
        answers = intervene(
            network, world.images, rows, truth, [one for *_, one in given], device=device, precision=precision
        )
        right = label.truth(world.samples, rows)
        told += [
            {"set": asked, "told": what, "count": count, "right": int((found == right).sum()), "n": len(rows)}
            for (what, count, _), found in zip(given, answers)
        ]
    return pa.Table.from_pylist(told) if told else None


def _order(trial: Trial, asked: str, rows: int, concepts: int) -> np.ndarray:
    """Of each image, when each concept's turn is to be told."""
    drawn = stream(trial.seed, "concepts", "order", asked).random((rows, concepts))
    return np.argsort(np.argsort(drawn, axis=1), axis=1)
