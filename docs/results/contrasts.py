"""Controls of combinations: comparisons paired by choice that `unseen report` does not make, judged by the same rules
(docs/guide/verdicts.md): t over choices, Holm's method over all that one section judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from docs.results.combinations import Combinations
from docs.results.numbers import MARKS, Mean, holm, interval, mean_of, number, spearman

ByChoice = Mapping[int, float]
FEWEST = 3


@dataclass(frozen=True)
class Judged:
    """``expected``: 1 above zero, −1 below, 0 no difference (then none leaves it open)."""

    mean: Mean
    expected: int
    p: float
    comparisons: int = 0

    @property
    def holds(self) -> bool | None:
        if not self.p <= 0.05:  # NaN, too
            return None
        return self.expected == (1 if self.mean.value > 0 else -1)

    def __str__(self) -> str:
        why = "" if np.isfinite(self.p) else " (all repeats coincide, or too few)"
        shown = "p < .001" if self.p < 0.0005 else f"p = {number(self.p)}"
        tail = why or f", {shown} corrected for {self.comparisons}"
        return f"{MARKS[self.holds]}: {interval(self.mean, sign=True)}{tail}"


def above(values: ByChoice, expected: int = 1) -> Judged:
    found = mean_of(values)
    return Judged(found, expected, found.p if found.n >= FEWEST else float("nan"))


def above_all(each: Sequence[ByChoice]) -> Judged:
    """Intersection-union: every difference is surely above zero; mean and interval are of the smallest. It does not
    hold where one is surely below, by Bonferroni."""
    found = [mean_of(values) for values in each]
    least = min(found, key=lambda one: one.value)
    below = [one.p for one in found if one.value < 0]
    p = min(1.0, len(found) * min(below)) if below else max(one.p for one in found)
    return Judged(least, 1, float(p) if least.n >= FEWEST else float("nan"))


def order(rows: Sequence[ByChoice], expected: int) -> Judged:
    """ρ of the values with their order in each choice, averaged; where it is the same in all choices, the change from
    the first to the last."""
    found = {choice: spearman(range(len(rows)), [row[choice] for row in rows]) for choice in shared(rows)}
    if np.ptp(list(found.values())) < 1e-9:
        return above(less(rows[-1], rows[0]), expected)
    return above(found, expected)


def rank_order(rows: Sequence[ByChoice]) -> str:
    """ρ of each choice, in words."""
    return " ".join(
        number(spearman(range(len(rows)), [row[choice] for row in rows]), 2, sign=True) for choice in shared(rows)
    )


def shared(rows: Sequence[ByChoice]) -> list[int]:
    return sorted(set.intersection(*(set(row) for row in rows)))


def less(one: ByChoice, two: ByChoice) -> dict[int, float]:
    return {choice: one[choice] - two[choice] for choice in shared([one, two])}


def family(**claims: Judged) -> dict[str, Judged]:
    """All that a section judges, corrected together."""
    tested = [name for name, one in claims.items() if np.isfinite(one.p)]
    ps = dict(zip(tested, holm([claims[name].p for name in tested])))
    return {name: replace(one, p=ps.get(name, float("nan")), comparisons=len(tested)) for name, one in claims.items()}


def agree(holds: bool | None, *judged: Judged) -> str:
    """Nothing, or an error where a verdict is not what the sentence beside it says."""
    for one in judged:
        if one.holds is not holds:
            raise AssertionError(f"the page says {MARKS[holds]}, the tables {one}")
    return ""


def averaged(study: Combinations, sharing: str, asked: str = "unseen") -> dict[int, float]:
    """Geometric mean by choice, over the diversities."""
    each = [study.values(sharing, x, asked=asked) for x in study.xs]
    return {choice: float(np.mean([one[choice] for one in each])) for choice in shared(each)}
