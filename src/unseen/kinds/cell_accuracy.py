"""How often answers are right in each cell of two factors, condition by condition."""

from __future__ import annotations

import numpy as np

from unseen.kinds.trial_answers import TrialAnswers
from unseen.reports.answer_pictures import CellPicture

MOST_PAIRS = 3  # of a design's factors with its first, where there are more than two
MOST_PICTURES = 48  # of a study: conditions in between are left out
SAW, NEVER = "networks that saw the cell", "networks that never saw the cell"
Key = tuple[str, str, str, str]  # condition, target, factor of the rows, factor of the columns


class Tally:
    """Answers by cell, ``[2, rows, columns]``: first those of networks that saw the cell, then those of networks that
    did not. Draws of a design hold out other cells, and one number for both would be neither."""

    def __init__(self, one: TrialAnswers, key: Key) -> None:
        _, _, rows, columns = key
        self.key, self.main, self.networks = key, one.main, 0
        self.levels = one.levels[rows], one.levels[columns]
        shape = 2, len(self.levels[0]), len(self.levels[1])
        self.right, self.asked, self.asked_of = (np.zeros(shape, np.int64) for _ in range(3))

    def add(self, one: TrialAnswers, asked: np.ndarray) -> None:
        """The answers of one more network."""
        _, _, rows, columns = self.key
        shape = self.asked.shape[1:]
        cell = one.places[rows] * shape[1] + one.places[columns]

        def counted(which: np.ndarray) -> np.ndarray:
            return np.bincount(cell[which], minlength=shape[0] * shape[1]).reshape(shape)

        n, right, seen = counted(asked), counted(asked & one.right), counted(asked & ~one.unseen) > 0
        for place, here in enumerate((seen, ~seen)):
            self.asked[place] += n * here
            self.right[place] += right * here
            self.asked_of[place] += (n > 0) & here
        self.networks += 1

    def pictures(self) -> list[CellPicture]:
        """One picture, with a frame for seen and never seen; two where a cell is seen in some draws only."""
        seen, never = self.asked > 0
        if not (seen & never).any():
            return [self._picture(self.right.sum(axis=0), self.asked.sum(axis=0), seen, self.asked_of.sum(axis=0), "")]
        return [
            self._picture(
                self.right[place], self.asked[place], np.full(seen.shape, place == 0), self.asked_of[place], w
            )
            for place, w in enumerate((SAW, NEVER))
        ]

    def _picture(
        self, right: np.ndarray, asked: np.ndarray, seen: np.ndarray, asked_of: np.ndarray, whose: str
    ) -> CellPicture:
        return CellPicture(
            *self.key[2:],
            *self.levels,
            *self.key[:2],
            right,
            asked,
            seen,
            self.networks,
            self.main,
            whose=whose,
            asked_of=asked_of,
        )


class Cells:
    """Counts of every condition's cells, for each target, as trials are read; ``lacking`` says why there are none."""

    def __init__(self) -> None:
        self.found: dict[object, Tally] = {}  # without the world, levels are those found: others, another picture
        self.lacking = ""

    def add(self, one: TrialAnswers) -> None:
        if len(one.places) < 2:
            lacking = "the design has one factor, or the stored answers lack the levels of their images"
            self.lacking = f"Accuracy in each cell: {lacking}."
            return
        rows, *others = one.places
        for target in one.targets.found():
            asked = one.tested & one.targets.is_(target)
            for columns in others[:MOST_PAIRS]:
                key = one.condition, target, rows, columns
                place = key, one.levels[rows], one.levels[columns]
                self.found.setdefault(place, Tally(one, key)).add(one, asked)

    def pictures(self) -> tuple[CellPicture, ...]:
        made = [picture for tally in self.found.values() for picture in tally.pictures()]
        kept = made if len(made) <= MOST_PICTURES else [picture for picture in made if picture.main]
        return tuple(kept[:MOST_PICTURES])
