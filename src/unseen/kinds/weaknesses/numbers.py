"""All numbers of one model's answers, as rows of the tidy table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unseen.kinds.table import Row
from unseen.kinds.weaknesses.examined import ExaminedModel, alone
from unseen.kinds.weaknesses.scores import canonical, cells_of, gap, levels_of, score, sureness_of
from unseen.measures import Interval, chance
from unseen.studies.records import Record
from unseen.vocabulary.varied_sets import CANONICAL

ACCURACY, GAP, CELL = "accuracy", "gap", "accuracy in a cell"
ERROR, WRONG = "calibration error", "confidence when wrong"


def numbers_of(record: Record) -> Iterator[Row]:
    return rows_of(alone(record))


def rows_of(one: ExaminedModel) -> Iterator[Row]:
    """Accuracy by set, level, cell and class; gaps; calibration. ``n`` counts images, of a gap objects."""
    head = {"target": one.target}
    yield {**head, "measure": "chance", "value": chance(len(one.classes))}
    for name in one.sets:
        here = one.of(name)
        yield {**head, "set": name, "measure": ACCURACY, "value": score(one, here).value, "n": int(here.sum())}
    if one.has_canonical:
        for name in one.sets:
            if name != CANONICAL:
                found = gap(one, name).interval
                yield {**head, "set": name, "measure": GAP, "value": found.value, "n": found.n}
    for factor in (*one.alone, *one.by_level):
        for at in levels_of(one, factor):
            yield {**head, "set": CANONICAL if at.canonical else factor, "measure": ACCURACY, "factor": factor,
                   "level": at.level, "value": at.score.value, "n": at.score.images}  # fmt: skip
    for name in one.pairs:
        for cell in cells_of(one, name):
            yield {**head, "set": name, "measure": CELL, "row": cell.levels[0], "column": cell.levels[1],
                   "value": cell.score.value, "n": cell.score.images}  # fmt: skip
    for place in np.unique(one.truth).tolist():
        mine = one.truth == place
        yield {**head, "measure": "accuracy of one class", "class": one.classes[place],
               "value": float(one.right[mine].mean()), "n": int(mine.sum())}  # fmt: skip
    for sure in sureness_of(one):
        yield {**head, "set": sure.name, "measure": ERROR, "value": sure.error, "n": sure.n}
        yield {**head, "set": sure.name, "measure": WRONG, "value": sure.when_wrong, "n": sure.wrong}


def summary_rows(one: ExaminedModel) -> Iterator[tuple[str, str, Interval, int, str]]:
    """What the summary has: measure, set, its interval, images, and over what."""
    over = "objects" if one.paired else "images"
    if one.has_canonical:
        found = canonical(one)
        yield ACCURACY, CANONICAL, found.interval, found.images, over
    for name in one.sets:
        if name == CANONICAL:
            continue
        found = score(one, one.of(name))
        yield ACCURACY, name, found.interval, found.images, over
        if one.has_canonical:
            yield GAP, name, gap(one, name).interval, found.images, over
