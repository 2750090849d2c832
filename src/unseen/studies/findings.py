"""What a study found, in sentences with numbers: trends, paired comparisons, correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unseen.measures import Interval, mean_interval, paired_test, rank_correlation
from unseen.reports.contents import Finding
from unseen.studies.collect import BOTH

if TYPE_CHECKING:
    import polars as pl


def findings(points: pl.DataFrame, scatter: pl.DataFrame, x_title: str) -> tuple[Finding, ...]:
    """All findings. ``points``: per trial ``series, x, seed, set, target, value`` of accuracy."""
    found = [*_trends(points, x_title), *_pairs(points), *_correlations(scatter)]
    return tuple(found)


def _values(points: pl.DataFrame, **where: object) -> dict[tuple[float, int], float]:
    for key, value in where.items():
        points = points.filter(points[key] == value)
    return {(row["x"], row["seed"]): row["value"] for row in points.iter_rows(named=True) if row["value"] is not None}


def _both(points: pl.DataFrame) -> str:
    targets = points["target"].unique().to_list()
    return BOTH if BOTH in targets else sorted(targets)[0] if targets else ""


def _trends(points: pl.DataFrame, x_title: str) -> list[Finding]:
    """Madan et al. 2022, first discovery: more combinations, better OOD, with the same number of images.

    One statement per curve where there are one or two, else one for all of them together.
    """
    xs = sorted(points["x"].unique().to_list())
    names = points["series"].unique(maintain_order=True).to_list()
    if len(xs) < 2:
        return []
    diversity = "combinations" in x_title
    groups = {name: [name] for name in names} if len(names) <= 2 else {f"all {len(names)} curves together": names}
    found = []
    for label, members in groups.items():
        for asked, expectation in (("unseen", 1), ("seen", -1)):
            ends = [pair for name in members for pair in _ends(points, name, asked, xs)]
            if not ends:
                continue
            first, last = np.array(ends).T
            change = mean_interval(last - first)
            where = "held-out" if asked == "unseen" else "seen"
            statement = (
                f"{label}: accuracy on {where} combinations goes from {first.mean():.3f} to {last.mean():.3f} "
                f"as the {x_title} goes from {xs[0]:g} to {xs[-1]:g}"
            )
            name = {"unseen": "diversity helps OOD", "seen": "diversity costs in-distribution"}[asked]
            if not diversity:
                name, expectation = f"{x_title} and {where} combinations", 0
            holds = _holds(change, expectation) if expectation else None
            found.append(Finding(name, statement, change.value, change.low, change.high, change.n, None, holds))
    return found


def _ends(points: pl.DataFrame, series: str, asked: str, xs: list[float]) -> list[tuple[float, float]]:
    """Accuracy at the first and the last x, for every seed that has both."""
    values = _values(points, series=series, set=asked, target=_both(points))
    seeds = sorted({seed for _, seed in values})
    return [(values[xs[0], s], values[xs[-1], s]) for s in seeds if (xs[0], s) in values and (xs[-1], s) in values]


def _pairs(points: pl.DataFrame) -> list[Finding]:
    """Second discovery: Separate beats Shared on OOD combinations and not in distribution. Paired by x and seed."""
    names = points["series"].unique(maintain_order=True).to_list()
    found = []
    for shared in [name for name in names if name.split()[-1] == "shared"]:
        for other in names:
            if other == shared or other.split()[:-1] != shared.split()[:-1]:
                continue
            for asked in ("unseen", "seen"):
                target = _both(points)
                one = _values(points, series=other, set=asked, target=target)
                two = _values(points, series=shared, set=asked, target=target)
                keys = sorted(set(one) & set(two))
                if len(keys) < 2:
                    continue
                test = paired_test(np.array([one[k] for k in keys]), np.array([two[k] for k in keys]))
                words = "held-out" if asked == "unseen" else "seen"
                verb = "above" if test.difference.value > 0 else "below"
                statement = f"{other} is {abs(test.difference.value):.3f} {verb} {shared} on {words} combinations"
                expected = _expected(other.split()[-1]) if asked == "unseen" else None
                d = test.difference
                found.append(
                    Finding(
                        f"{other} against {shared}", statement, d.value, d.low, d.high, test.n, test.t_p,
                        None if expected is None else _holds(d, expected),
                    )
                )  # fmt: skip
    return found


def _expected(sharing: str) -> int | None:
    """The paper's finding against Shared on OOD combinations: more separate is better, wider alone is not (Fig. 4)."""
    if sharing == "separate" or sharing.startswith("split"):
        return 1
    return 0 if sharing == "shared-wide" else None


def _correlations(scatter: pl.DataFrame) -> list[Finding]:
    """Third discovery: networks whose units are more specialized generalise better."""
    found = []
    if scatter.is_empty():
        return found
    for target in scatter["target"].unique(maintain_order=True).to_list():
        rows = scatter.filter(scatter["target"] == target).drop_nulls(["specialization", "accuracy"])
        if rows.height < 4:
            continue
        result = rank_correlation(rows["specialization"].to_numpy(), rows["accuracy"].to_numpy())
        r = result.correlation
        reason = f" ({result.reason})" if result.reason else ""
        statement = (
            f"across {result.n} networks, median specialization of {target} units and OOD accuracy of {target} "
            f"correlate with Spearman's ρ = {r.value:.2f}{reason}; networks that share a split are not independent"
        )
        found.append(
            Finding(
                f"specialization and OOD {target}", statement, r.value, r.low, r.high, result.n, result.p, _holds(r, 1)
            )
        )
    return found


def _holds(interval: Interval, expectation: int) -> bool | None:
    """Whether the sign is as expected: None where the interval includes zero or is missing. Where no difference is
    expected (0), one that is there counts against it, and none is left open: absence is not shown by an interval."""
    if not (np.isfinite(interval.low) and np.isfinite(interval.high)):
        return None
    if interval.low <= 0 <= interval.high:
        return None
    return expectation == (1 if interval.low > 0 else -1)


def answer(points: pl.DataFrame, x_title: str) -> str:
    """The study's answer in a sentence with numbers."""
    target = _both(points)
    what = "the geometric mean of both accuracies" if target == BOTH else f"accuracy of {target}"
    xs = sorted(points["x"].unique().to_list())
    ends = {}
    for series in points["series"].unique(maintain_order=True).to_list():
        values = _values(points, series=series, set="unseen", target=target)
        both = [mean_interval(np.array([v for (at, _), v in values.items() if at == x])) for x in (xs[0], xs[-1])]
        if all(interval.n for interval in both):
            ends[series] = both
    if not ends:
        return "No answers on held-out combinations yet."
    if len(xs) == 1:
        parts = [f"{series} {_number(last)}" for series, (_, last) in ends.items()]
        return f"On combinations never seen in training, {what} is {'; '.join(parts)}."
    ranked = sorted(ends.items(), key=lambda item: -item[1][1].value)
    shown = ranked if len(ranked) <= 3 else [ranked[0], ranked[-1]]
    parts = [f"from {first.value:.2f} to {_number(last)} ({series})" for series, (first, last) in shown]
    moved = float(np.mean([last.value - first.value for first, last in ends.values()]))
    verb = "rises" if moved > 0.02 else "falls" if moved < -0.02 else "hardly moves:"
    extent = f", between these two for the other {len(ranked) - 2}" if len(ranked) > 3 else ""
    return (
        f"On combinations never seen in training, {what} {verb} {' and '.join(parts)}{extent} as the {x_title} goes "
        f"from {xs[0]:g} to {xs[-1]:g}."
    )


def _number(interval: Interval) -> str:
    """A mean accuracy with its interval, which is cut at 0 and 1, and its n."""
    if not np.isfinite(interval.low):
        return f"{interval.value:.2f} (n = {interval.n})"
    return f"{interval.value:.2f} [{max(interval.low, 0):.2f}, {min(interval.high, 1):.2f}] (n = {interval.n})"
