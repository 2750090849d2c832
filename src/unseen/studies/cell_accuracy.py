"""How often answers are right in each cell of two factors, condition by condition."""

from __future__ import annotations

import numpy as np

from unseen.reports.answered import CellPicture
from unseen.studies.answered import Told

MOST_PAIRS = 3  # of a design's factors with its first, where there are more than two
MOST_PICTURES = 48  # of a study: conditions in between are left out


class Cells:
    """Counts of every condition's cells, for each target, as trials are read; ``lacking`` says why there are none."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str, str], CellPicture] = {}
        self.lacking = ""

    def add(self, one: Told) -> None:
        if len(one.places) < 2:
            lacking = "the design has one factor, or the stored answers lack the levels of their images"
            self.lacking = f"Accuracy in each cell: {lacking}."
            return
        rows, *others = one.places
        for target in one.targets.found():
            asked = one.tested & one.targets.is_(target)
            for columns in others[:MOST_PAIRS]:
                key = one.condition, target, rows, columns
                self.found[key] = _added(self.found.get(key), one, key, asked, one.right)

    def pictures(self) -> tuple[CellPicture, ...]:
        made = list(self.found.values())
        kept = made if len(made) <= MOST_PICTURES else [picture for picture in made if picture.main]
        return tuple(kept[:MOST_PICTURES])


def _added(
    before: CellPicture | None, one: Told, key: tuple[str, str, str, str], asked: np.ndarray, right: np.ndarray
) -> CellPicture:
    """The cells with the answers of one more network."""
    condition, target, rows, columns = key
    shape = len(one.levels[rows]), len(one.levels[columns])
    cell = one.places[rows] * shape[1] + one.places[columns]

    def counted(which: np.ndarray) -> np.ndarray:
        return np.bincount(cell[which], minlength=shape[0] * shape[1]).reshape(shape)

    n, good, seen = counted(asked), counted(asked & right), counted(asked & ~one.unseen) > 0
    if before is not None and before.asked.shape == shape:
        # Where draws of the design hold out other cells, a cell counts as seen if any of them showed it.
        n, good, seen = n + before.asked, good + before.right, seen | before.seen
    networks = 1 + (before.networks if before is not None else 0)
    return CellPicture(
        condition, target, rows, columns, one.levels[rows], one.levels[columns], good, n, seen, networks, one.main
    )
