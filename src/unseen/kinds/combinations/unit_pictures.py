"""Activation grids of the most specialized units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unseen.kinds.trial_numbers import of_units, read_activity
from unseen.measures import unit_scores
from unseen.reports.contents import UnitPicture
from unseen.studies.records import Record
from unseen.studies.study import Study


def top_units(study: Study, trials: Sequence[Record], names: dict[str, str], each: int = 4) -> tuple[UnitPicture, ...]:
    """The most specialized units of either type, in the most diverse trial of the first seed, for each architecture."""
    best: dict[str, Record] = {}
    for record in trials:
        name = names[record.identity]
        if name not in best or _rank(record) > _rank(best[name]):
            best[name] = record
    options = of_units(study.recipe.measures.model_dump())
    pictures = []
    for name, record in best.items():
        facts, activity = record.facts, read_activity(record.folder)
        for place, factor in enumerate(facts["factors"]):
            layers = [layer for layer, tasks in facts["tasks"].items() if factor in tasks and layer in activity]
            if not layers:
                continue
            grids = activity[layers[-1]].astype(np.float64)
            scores = unit_scores(grids, **options)
            wanted = scores.typed & (scores.prefers_rows == (place == 0)) & np.isfinite(scores.specialization)
            order = [u for u in np.argsort(-np.nan_to_num(scores.specialization)) if wanted[u]][:each]
            for unit in order:
                grid = grids[unit]
                low, high = np.nanmin(grid), np.nanmax(grid)
                pictures.append(
                    UnitPicture(
                        facts["factors"][0], facts["factors"][1],
                        _level_names(study, facts, 0, grid.shape[0]), _level_names(study, facts, 1, grid.shape[1]),
                        f"{name}, {record.split_facts.combinations} combinations, seed {facts['seed']}",
                        layers[-1], int(unit), factor, float(scores.specialization[unit]),
                        float(scores.selectivity[unit]), float(scores.invariance[unit]), (grid - low) / (high - low),
                    )
                )  # fmt: skip
    return tuple(pictures)


def _rank(record: Record) -> tuple[int, int, int]:
    """The more combinations, then images, then the earlier the seed."""
    return record.split_facts.combinations or 0, record.facts["sets"].get("train", 0), -record.facts["seed"]


def _level_names(study: Study, facts: Mapping[str, Any], place: int, count: int) -> tuple[str, ...]:
    """What the levels of one of a design's factors are called: as a target says them, else as the world does, also
    where the factor is no target; without the world, numbers."""
    factor = facts["factors"][place]
    names = facts["targets"].get(factor, ())
    if not names and not study.absent:
        spaces = (study.world(trial).samples.space for trial in study.trials)
        names = next((space[factor].levels for space in spaces if factor in space and len(space[factor]) == count), ())
    return tuple(map(str, names if len(names) == count else range(count)))
