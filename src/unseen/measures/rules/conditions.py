"""What a rule may ask of an image: that a factor is at a level, at one of a few, below or above one, on an arc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.errors import UnseenError

NOMINAL, ORDERED, CIRCULAR = KINDS = ("nominal", "ordered", "circular")
MOST_TOGETHER = 3  # levels of a nominal factor that one condition names (ours: more are no rule that a person keeps)
MOST_ENDS = 16  # places along an ordered factor or a circle where a condition may begin or end (ours)


@dataclass(frozen=True, eq=False)
class Column:
    """One factor of a table of answers: its ``levels`` in order, and the place among them of each row.

    ``kind``: "nominal" (levels are names), "ordered" (conditions are ≤ and ≥) or "circular" (conditions are arcs).
    """

    name: str
    levels: tuple[str, ...]
    places: Int[np.ndarray, " n"]
    kind: str = NOMINAL

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnseenError(f"kind = {self.kind!r} of factor '{self.name}'; possible: {', '.join(KINDS)}.")
        if len(self.places) and not (self.places.min() >= 0 and self.places.max() < len(self.levels)):
            raise UnseenError(
                f"places of factor '{self.name}' go from {self.places.min()} to {self.places.max()}, and it has "
                f"{len(self.levels)} levels; they must lie in 0 to {len(self.levels) - 1}."
            )

    def of(self, rows: np.ndarray) -> Column:
        """Some rows of it."""
        return Column(self.name, self.levels, self.places[rows], self.kind)


@dataclass(frozen=True)
class Condition:
    """A factor is at one of these ``levels`` (places, in the order of the words)."""

    factor: str
    levels: tuple[int, ...]
    words: str

    def __str__(self) -> str:
        return self.words

    def holds(self, column: Column) -> Bool[np.ndarray, " n"]:
        """Of which rows it is true."""
        true = np.zeros(len(column.levels), dtype=bool)
        true[list(self.levels)] = True
        return true[column.places]


def conditions_of(column: Column, wrong: Bool[np.ndarray, " n"]) -> Iterator[Condition]:
    """Every condition on a factor that some of the rows fulfil and others do not.

    Groups of a nominal factor's levels are taken in the order of their failure rates: among all groups of so many
    levels, the best split is one of these (Breiman et al. 1984, theorem 4.5).
    """
    asked = np.bincount(column.places, minlength=len(column.levels))
    there = np.flatnonzero(asked)
    if len(there) < 2:
        return
    if column.kind == ORDERED:
        yield from _thresholds(column, there, asked)
    elif column.kind == CIRCULAR and len(there) > 2:
        yield from _arcs(column, there)
    else:
        yield from _groups(column, there, asked, wrong)


def _groups(column: Column, there: np.ndarray, asked: np.ndarray, wrong: np.ndarray) -> Iterator[Condition]:
    for place in there.tolist():
        yield Condition(column.name, (place,), f"{column.name} = {column.levels[place]}")
    failed = np.bincount(column.places, weights=wrong, minlength=len(column.levels))
    worst = there[np.argsort(-(failed[there] / asked[there]), kind="stable")].tolist()
    for many in range(2, min(MOST_TOGETHER, len(there) - 1) + 1):
        group = tuple(sorted(worst[:many]))
        names = " or ".join(column.levels[place] for place in group)
        yield Condition(column.name, group, f"{column.name} is {names}")


def _thresholds(column: Column, there: np.ndarray, asked: np.ndarray) -> Iterator[Condition]:
    """At most so many, spread evenly over the rows."""
    inner = there[:-1]
    if len(inner) > MOST_ENDS:
        shares = np.cumsum(asked[there])[:-1] / asked.sum()
        wanted = (np.arange(MOST_ENDS) + 0.5) / MOST_ENDS
        inner = inner[np.unique([int(np.argmin(abs(shares - one))) for one in wanted])]
    for end in inner.tolist():
        after = int(there[np.searchsorted(there, end) + 1])
        low, high = there[there <= end].tolist(), there[there > end].tolist()
        yield Condition(column.name, tuple(low), f"{column.name} ≤ {column.levels[end]}")
        yield Condition(column.name, tuple(high), f"{column.name} ≥ {column.levels[after]}")


def _arcs(column: Column, there: np.ndarray) -> Iterator[Condition]:
    """From one place around to another, in steps where the circle has many."""
    n = len(there)
    ends = np.unique(np.round(np.linspace(0, n, min(n, MOST_ENDS), endpoint=False)).astype(int)).tolist()
    for place, start in enumerate(ends):
        for further in range(1, len(ends)):
            stop = ends[(place + further) % len(ends)]
            arc = [(start + step) % n for step in range((stop - start) % n)]
            levels = there[arc].tolist()
            first, last = (column.levels[level] for level in (levels[0], levels[-1]))
            to = "to" if levels[0] <= levels[-1] else "around to"
            words = f"{column.name} = {first}" if len(levels) == 1 else f"{column.name} from {first} {to} {last}"
            yield Condition(column.name, tuple(levels), words)
