"""Does a number go up, or down, with the number of categories seen transformed? By its order, or by its change.

The order decides where three numbers or more were asked: Spearman's ρ within each transformation and repeat. Where it
is the same in every repeat it has no interval, and the change from the fewest to the most decides, of the same repeats.
Of two numbers an order says no more than a sign, and the change decides too (ours).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from unseen.kinds.exposure.repeats import (
    SEED,
    Values,
    baseline,
    ends,
    flat,
    rank_by_repeat,
    shown,
    whole_repeats,
)
from unseen.kinds.judged import doubted, judged
from unseen.measures import judge
from unseen.reports.finding import Finding
from unseen.reports.words import number
from unseen.vocabulary.words import capital

COINCIDE = "all repeats coincide"  # as ``measures.verdicts`` says it


def rises(
    every: Values, what: str, expected: int, name: str, unit: tuple[str, str] = SEED, key: str = ""
) -> Finding | None:
    """Does a number go up (or down) with the number of categories seen transformed, of which there is one at least? The
    mean over transformations; the interval is over repeats. Nothing where no transformation has two numbers."""
    asked = shown(every)
    values = whole_repeats(asked)
    ranks = {one: found for one in _names(values) if (found := rank_by_repeat(values, one))}
    if ranks:
        return _by_order(every, values, ranks, what, expected, name, unit, key)
    two = _several(values)
    if two:
        return _by_change(every, values, two, what, expected, name, unit, key)
    if not _several(asked):
        return None
    return none_shared(name, asked, values, key)


def _by_order(
    every: Values, values: Values, each: Mapping[str, Mapping[int, float]],
    what: str, expected: int, name: str, unit: tuple[str, str], key: str,
) -> Finding:  # fmt: skip
    repeats = sorted({repeat for found in each.values() for repeat in found})
    of_repeats = np.array([np.mean([f[r] for f in each.values() if r in f]) for r in repeats])
    overall = judge(of_repeats, expected).within(-1, 1)
    means = {one: float(np.mean(list(found.values()))) for one, found in each.items()}
    statement = (
        f"with the number of categories seen transformed, {what} {_for(means, expected)}; Spearman's ρ within a "
        f"transformation is {signed(overall.interval.value)} on average{_extremes(means)}. "
        f"{_ends(every, values, list(each))}{_flat(*flat(values, list(each)))}{over(overall.interval.n, unit)}"
        f"{lacking(shown(every), values)}"
    )
    found = judged(name, capital(statement), overall, key=key)
    if overall.why != COINCIDE:
        return found
    grown = judge(_grown(values, list(each), repeats), expected)
    if np.isnan(grown.p):
        return found
    i = grown.interval
    change = f"{signed(i.value)} [{signed(i.low)}, {signed(i.high)}]"
    statement = f"{found.statement}; ρ is the same in all, and the change from the fewest to the most decides: {change}"
    found = replace(found, statement=statement, holds=grown.holds, p=grown.p, why=grown.why)
    if np.sign(i.value) == np.sign(found.value) or grown.holds is None:
        return found
    order = {-1: "falls", 0: "is 0", 1: "rises"}[int(np.sign(found.value))]
    return doubted(found, f"ρ {order} and the change {'rises' if i.value > 0 else 'falls'}")


def _by_change(
    every: Values, values: Values, series: Sequence[str],
    what: str, expected: int, name: str, unit: tuple[str, str], key: str,
) -> Finding:  # fmt: skip
    repeats = sorted({repeat for one, _, repeat in values if one in series})
    overall = judge(_grown(values, series, repeats), expected)
    means = {one: float(np.mean(_grown(values, [one], repeats))) for one in series}
    statement = (
        f"with the number of categories seen transformed, {what} {_for(means, expected)}; it changes by "
        f"{signed(overall.interval.value)} on average{_extremes(means)}. {_ends(every, values, series)}, the only "
        f"two numbers seen{over(overall.interval.n, unit)}{lacking(shown(every), values)}"
    )
    return judged(name, capital(statement), overall, key=key)


def _names(values: Values) -> list[str]:
    return list(dict.fromkeys(key[0] for key in values))


def _several(values: Values) -> list[str]:
    """Transformations that were asked at two numbers at least."""
    return [one for one in _names(values) if len({x for name, x, _ in values if name == one}) > 1]


def _grown(values: Values, series: Sequence[str], repeats: Sequence[int]) -> np.ndarray:
    """From the fewest to the most seen, by repeat, averaged over transformations; every repeat has all of them."""
    span = {one: sorted({x for name, x, _ in values if name == one}) for one in series}
    return np.array([
        np.mean([values[one, xs[-1], repeat] - values[one, xs[0], repeat] for one, xs in span.items()])
        for repeat in repeats
    ])  # fmt: skip


def _for(means: Mapping[str, float], expected: int) -> str:
    with_sign = sum(np.sign(value) == expected for value in means.values())
    return f"{'rises' if expected > 0 else 'falls'} for {with_sign} of {len(means)} transformations"


def _ends(every: Values, values: Values, series: Sequence[str]) -> str:
    first, last = ends(values, series)
    return (
        f"The mean goes from {number(first)} at the fewest to {number(last)} at the most"
        f"{plainly(baseline(every, series))}"
    )


def _flat(never: int, of: int) -> str:
    return f"; {never} of {of} curves never change and count as ρ = 0 (ours)" if never else ""


def _extremes(means: Mapping[str, float]) -> str:
    if len(means) < 2:
        return ""
    low, high = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    if means[low] == means[high]:
        return f", {signed(means[low])} for each"
    return f", from {signed(means[low])} ({low}) to {signed(means[high])} ({high})"


def lacking(every: Values, kept: Values) -> str:
    """What is to be said where no repeat has every condition; "" elsewhere."""
    there, left = (len({key[:2] for key in values}) for values in (every, kept))
    if there == left:
        return ""
    return f"; no repeat has all {there} conditions: over the {left} that all repeats have"


def none_shared(name: str, every: Values, kept: Values, key: str = "") -> Finding:
    """An open finding: repeats have too little in common to be compared."""
    there, left = (len({key[:2] for key in values}) for values in (every, kept))
    statement = f"every repeat has {left} of {there} pairs of transformation and number seen: too few to compare"
    return Finding(name, capital(statement), np.nan, np.nan, np.nan, 0, judged=True, why="no repeat is whole", key=key)


def over(n: int, unit: tuple[str, str]) -> str:
    return f"; over {n} {unit[1]}" if n > 1 else f"; one {unit[0]}, so no interval"


def plainly(value: float) -> str:
    return f"; a plainly trained network has {number(value)}" if np.isfinite(value) else ""


def signed(value: float) -> str:
    return "not defined" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
