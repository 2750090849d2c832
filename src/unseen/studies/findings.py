"""What a study found, in sentences with numbers: trends, paired comparisons, correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unseen.measures import mean_interval, paired_test, rank_correlation
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
    """Madan et al. 2022, first discovery: more combinations, better OOD, with the same number of images."""
    found = []
    target = _both(points)
    xs = sorted(points["x"].unique().to_list())
    if len(xs) < 2:
        return []
    for series in points["series"].unique(maintain_order=True).to_list():
        for asked, expectation in (("unseen", 1), ("seen", -1)):
            values = _values(points, series=series, set=asked, target=target)
            seeds = sorted({seed for _, seed in values})
            pairs = [
                (values[xs[0], s], values[xs[-1], s]) for s in seeds if (xs[0], s) in values and (xs[-1], s) in values
            ]
            if not pairs:
                continue
            first, last = np.array(pairs).T
            change = mean_interval(last - first)
            words = "held-out" if asked == "unseen" else "seen"
            statement = (
                f"{series}: accuracy on {words} combinations goes from {first.mean():.3f} to {last.mean():.3f} "
                f"as {x_title} goes from {xs[0]:g} to {xs[-1]:g}"
            )
            name = "diversity helps OOD" if asked == "unseen" else "diversity costs in-distribution"
            found.append(
                Finding(
                    name, statement, change.value, change.low, change.high, change.n, None, _holds(change, expectation)
                )
            )
    return found


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
                expected = 1 if asked == "unseen" and other.split()[-1] == "separate" else None
                d = test.difference
                found.append(
                    Finding(
                        f"{other} against {shared}", statement, d.value, d.low, d.high, test.n, test.t_p,
                        _holds(d, expected) if expected else None,
                    )
                )  # fmt: skip
    return found


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


def _holds(interval, expectation: int) -> bool | None:
    """Whether the sign is as expected: None where the interval includes zero or is missing."""
    if not (np.isfinite(interval.low) and np.isfinite(interval.high)):
        return None
    if interval.low > 0:
        return expectation > 0
    return expectation < 0 if interval.high < 0 else None


def answer(points: pl.DataFrame, x_title: str) -> str:
    """The study's answer in a sentence with numbers."""
    target = _both(points)
    xs = sorted(points["x"].unique().to_list())
    words = []
    for series in points["series"].unique(maintain_order=True).to_list():
        parts = []
        for x in (xs[0], xs[-1]):
            values = np.array(
                [v for (at, _), v in _values(points, series=series, set="unseen", target=target).items() if at == x]
            )
            if len(values):
                i = mean_interval(values)
                spread = f" [{i.low:.2f}, {i.high:.2f}]" if np.isfinite(i.low) else ""
                parts.append((i.value, f"{i.value:.2f}{spread}", i.n))
        if len(parts) == 2 and len(xs) > 1:
            moved = parts[1][0] - parts[0][0]
            verb = "rises" if moved > 0.02 else "falls" if moved < -0.02 else "hardly moves,"
            words.append(f"{series} {verb} from {parts[0][1]} to {parts[1][1]} (n = {parts[1][2]})")
        elif parts:
            words.append(f"{series} {parts[-1][1]} (n = {parts[-1][2]})")
    span = f" as the {x_title} goes from {xs[0]:g} to {xs[-1]:g}" if len(xs) > 1 else ""
    what = "geometric mean of both tasks" if target == BOTH else f"accuracy of {target}"
    return f"On combinations never seen in training, {what}{span}: {'; '.join(words)}." if words else "No answers yet."
