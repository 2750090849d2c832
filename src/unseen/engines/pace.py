"""How long what is left will take: by what each sort of step took so far, so that a calibration says nothing of trials,
and pictures that are encoded once nothing of epochs.

The time between two events belongs to the sort of the one that ends it: whoever trains side by side, in a pack or in
processes, ends so many more steps in the same time. What comes before the first start (imports, worlds that are opened)
belongs to none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

BEFORE, EPOCHS, WHOLE, ENDS = "before", "epochs", "whole", "ends"  # sorts of steps; ends: answers after the last epoch


class Pace:
    """Seconds and steps of each sort. ``now`` is any clock's.

    >>> pace = Pace()
    >>> pace.begin(EPOCHS, 100.0)
    >>> pace.step(EPOCHS, 102.0)
    >>> pace.left({EPOCHS: 3}, 102.0), pace.left({EPOCHS: 3}, 103.0), pace.left({EPOCHS: 3, WHOLE: 2}, 102.0)
    ((6.0, True), (5.0, True), (6.0, False))
    """

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.steps: Counter[str] = Counter()
        self.last: float | None = None
        self.now_at = ""

    def begin(self, sort: str, now: float) -> None:
        """Something of a sort was started: the time since the last event was for it, where any of it was done."""
        if self.steps[sort]:
            self.step(sort, now, 0)
        self.last, self.now_at = now, sort

    def step(self, sort: str, now: float, steps: int = 1) -> None:
        """So many steps of a sort have ended."""
        if self.last is not None:
            self.spent[sort] = self.spent.get(sort, 0.0) + max(0.0, now - self.last)
            self.steps[sort] += steps
        self.last, self.now_at = now, sort

    def skip(self, now: float) -> None:
        """What was done before anybody looked tells nothing."""
        self.last = now

    def each(self, sort: str) -> float | None:
        """Seconds that a step of a sort takes; None where none has ended."""
        return self.spent[sort] / self.steps[sort] if self.steps[sort] else None

    def left(self, steps: Mapping[str, int], now: float, side: int = 1) -> tuple[float, bool]:
        """Seconds for so many steps of each sort, and whether all of them are known. ``side``: how many are in progress
        at once: what was spent on them already is not spent again."""
        seconds, known = 0.0, True
        for sort, number in steps.items():
            each = self.each(sort)
            if number > 0 and each is not None:
                seconds += number * each
            elif number > 0 and sort != ENDS:  # what comes after an epoch is little beside
                known = False
        begun = now - self.last if self.last is not None else 0.0
        most = (self.each(self.now_at) or 0.0) * min(max(1, side), steps.get(self.now_at, 0))
        return max(0.0, seconds - min(begun, most)), known
