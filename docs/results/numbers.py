"""Numbers of the pages by plain numpy and scipy, apart from `unseen.measures`: so the pages check the library."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

MARKS = {True: "**holds**", False: "**does not hold**", None: "**open**"}


@dataclass(frozen=True)
class Mean:
    """Mean over repeats with Student's 95 % interval (NaN with one) and two-sided p against zero."""

    value: float
    low: float
    high: float
    n: int
    p: float


def mean_of(values: Sequence[float] | Mapping[object, float]) -> Mean:
    x = np.array([v for v in (values.values() if isinstance(values, Mapping) else values) if np.isfinite(v)], float)
    if len(x) < 2 or np.ptp(x) < 1e-12:
        return Mean(float(x.mean()) if len(x) else np.nan, np.nan, np.nan, len(x), np.nan)
    half = stats.t.ppf(0.975, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x))
    p = stats.ttest_1samp(x, 0).pvalue
    return Mean(float(x.mean()), float(x.mean() - half), float(x.mean() + half), len(x), float(p))


def number(value: float, digits: int = 3, sign: bool = False) -> str:
    """`.194`, `−.004`, `1`, `−12.5`: as the pages write numbers."""
    if not np.isfinite(value):
        return "–"
    digits = 1 if abs(value) >= 10 else digits
    text = f"{abs(value):.{digits}f}"
    text = "1" if text == f"{1:.{digits}f}" else text.removeprefix("0") if text.startswith("0.") else text
    minus = value < 0 and float(f"{value:.{digits}f}") != 0
    return ("−" if minus else "+" if sign else "") + text


def magnitude(value: float) -> str:
    """`9e-07`: how small a difference is."""
    return f"{value:.0e}"


def percent(value: float, digits: int = 0) -> str:
    return f"{100 * value:.{digits}f}".replace("-", "−")


def interval(
    values: Sequence[float] | Mapping[object, float] | Mean, digits: int = 3, *, cut: bool = False, sign: bool = False
) -> str:
    """`.194 [.074, .315]`; one value, or equal ones, have no interval."""
    m = values if isinstance(values, Mean) else mean_of(values)
    low, high = (np.clip(end, 0, 1) if cut else end for end in (m.low, m.high))
    ends = f" [{number(low, digits)}, {number(high, digits)}]" if np.isfinite(m.low) else ""
    return f"{number(m.value, digits, sign)}{ends}"


def plus_minus(values: Sequence[float] | Mapping[object, float], digits: int = 3) -> str:
    m = mean_of(values)
    return number(m.value, digits) + (f" ± {number((m.high - m.low) / 2, digits)}" if np.isfinite(m.low) else "")


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    x, y = np.asarray(x, float), np.asarray(y, float)
    kept = np.isfinite(x) & np.isfinite(y)
    if kept.sum() < 3 or np.ptp(x[kept]) == 0 or np.ptp(y[kept]) == 0:
        return float("nan")
    return float(stats.spearmanr(x[kept], y[kept]).statistic)


def within_strata(x: Sequence[float], y: Sequence[float], strata: Sequence[Hashable]) -> float:
    """Spearman's correlation with what the strata say held fixed: ranks centred within each stratum, then Pearson's."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    groups: dict[Hashable, list[int]] = {}
    for place in kept.tolist():
        groups.setdefault(strata[place], []).append(place)
    a, b = [], []
    for own in groups.values():
        ranks = [stats.rankdata(np.round(v[own], 12)) for v in (x, y)]
        if np.ptp(ranks[0]) and np.ptp(ranks[1]):
            a += (ranks[0] - ranks[0].mean()).tolist()
            b += (ranks[1] - ranks[1].mean()).tolist()
    size = float(np.sqrt(np.sum(np.square(a)) * np.sum(np.square(b))))
    return float(np.dot(a, b) / size) if size else float("nan")


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's correction, written again: the k-th smallest of m is multiplied by m − k + 1, and none below the last."""
    order = np.argsort(ps)
    scaled = np.array(ps)[order] * np.arange(len(ps), 0, -1)
    found = np.empty(len(ps))
    found[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return found.tolist()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
