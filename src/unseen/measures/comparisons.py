"""Two lists side by side: are they different (paired), do they rise together (ranks)?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from jaxtyping import Float

from unseen.measures.statistics import NAN, Interval, check_level, mean_interval
from unseen.vocabulary.errors import UnseenError

EXACT = 8  # pairs; 40,320 orders


@dataclass(frozen=True)
class PairedTest:
    """Mean difference with its t interval, and two p-values; ``reason`` says why one of them is missing or trivial."""

    difference: Interval
    t_p: float
    wilcoxon_p: float
    n: int
    dropped: int
    reason: str = ""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's correlation with its interval and p-value; ``reason`` says why something is NaN."""

    correlation: Interval
    p: float
    n: int
    dropped: int
    reason: str = ""


def _pairs(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise UnseenError(f"pairs need two lists of one length; given shapes {a.shape} and {b.shape}.")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both], int((~both).sum())


def paired_test(a: Float[np.ndarray, " pairs"], b: Float[np.ndarray, " pairs"], level: float = 0.95) -> PairedTest:
    """Is ``a`` different from ``b``, pair by pair (Shared against Separate with the same split and seed)?

    Paired t test and Wilcoxon's signed-rank test, both two-sided. With n pairs Wilcoxon's p cannot fall below
    2^(1−n): three repeats never give less than 0.25. Identical pairs give p = 1 in both; differences that are all the
    same have no variance, and so no t test.

    >>> test = paired_test(np.array([0.62, 0.60, 0.66]), np.array([0.45, 0.47, 0.49]))
    >>> print(test.difference, f"p = {test.t_p:.3f}, Wilcoxon p = {test.wilcoxon_p:.2f}")
    0.157 [0.099, 0.214], n = 3 p = 0.007, Wilcoxon p = 0.25
    """
    a, b, dropped = _pairs(a, b)
    mean = mean_interval(a - b, level)
    difference = Interval(mean.value, mean.low, mean.high, mean.n, mean.method, dropped, level)
    n = len(a)
    if n < 2:
        return PairedTest(difference, NAN, NAN, n, dropped, f"a test needs two pairs; there {_are(n)}")
    # .9 − .8 and .8 − .7 are the same difference; without rounding they are different ranks.
    scale = max(np.abs(a).max(), np.abs(b).max()) or 1.0
    steps = np.round((a - b) / scale, 12)
    if not steps.any():
        return PairedTest(difference, 1.0, 1.0, n, dropped, "all pairs are identical")
    from scipy.stats import ttest_rel, wilcoxon

    wilcoxon_p = float(np.asarray(wilcoxon(steps[steps != 0]))[1])
    if np.ptp(steps) == 0:
        return PairedTest(
            difference, NAN, wilcoxon_p, n, dropped, "all differences are equal: no variance for a t test"
        )
    return PairedTest(difference, float(np.asarray(ttest_rel(a, b))[1]), wilcoxon_p, n, dropped)


def _centred_ranks(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Ranks with ties at their mean, around zero: multiples of one half, so that sums of them are exact."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place] - (len(values) + 1) / 2


def _rank_p(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], r: float) -> float:
    """Two-sided p of a rank correlation: over all orders where they can be listed, else the t approximation."""
    n = len(x)
    if n <= EXACT:
        orders = np.array(list(permutations(y)))
        return float(np.mean(abs(orders @ x) >= abs(x @ y)))
    from scipy.special import stdtr

    t = abs(r) * np.sqrt((n - 2) / (1 - r * r)) if abs(r) < 1 else np.inf
    return max(float(2 * stdtr(n - 2, -t)), 2 / factorial(n))  # no order of n pairs is rarer than that


def rank_correlation(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], level: float = 0.95) -> RankCorrelation:
    r"""Spearman's rank correlation (specialization against OOD accuracy across trials), with an interval.

    The interval is Fisher's z with the standard error of Bonett and Wright (2000, Psychometrika 65:23–28),
    :math:`\tanh(\operatorname{artanh} r \pm z \sqrt{(1 + r^2/2)/(n-3)})`; it needs four pairs and :math:`|r| < 1`. The
    p-value is exact up to eight pairs and the t approximation of ``scipy.stats.spearmanr`` beyond. Both take the pairs
    as independent, which trials that share a split or a seed are not quite.

    >>> result = rank_correlation(np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 3, 2, 4, 6, 5]))
    >>> print(result.correlation, f"p = {result.p:.3f}")
    0.886 [0.066, 0.992], n = 6 p = 0.033
    """
    check_level(level)
    x, y, dropped = _pairs(x, y)
    n, method = len(x), "Spearman; Fisher z, Bonett–Wright"
    unknown = Interval(NAN, NAN, NAN, n, method, dropped, level)
    if n < 2:
        return RankCorrelation(unknown, NAN, n, dropped, f"a correlation needs two pairs; there {_are(n)}")
    constant = [name for name, values in (("x", x), ("y", y)) if np.ptp(values) == 0]
    if constant:
        return RankCorrelation(unknown, NAN, n, dropped, f"no ranks to compare: constant {' and '.join(constant)}")
    x, y = _centred_ranks(x), _centred_ranks(y)
    r = float(x @ y / np.sqrt((x @ x) * (y @ y)))
    p = _rank_p(x, y, r)
    if n < 4 or abs(r) == 1:
        reason = "an interval needs four pairs" if n < 4 else "perfect order: Fisher's z has no width"
        return RankCorrelation(Interval(r, NAN, NAN, n, method, dropped, level), p, n, dropped, reason)
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2) * np.sqrt((1 + r * r / 2) / (n - 3)))
    low, high = float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))
    return RankCorrelation(Interval(r, low, high, n, method, dropped, level), p, n, dropped)


def partial_rank_correlation(
    x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], given: Float[np.ndarray, " n"], level: float = 0.95
) -> RankCorrelation:
    r"""Spearman's correlation of x and y with a third quantity held fixed (diversity, which raises both).

    With the three rank correlations, :math:`r_{xy.z} = (r_{xy} - r_{xz} r_{yz}) / \sqrt{(1 - r_{xz}^2)(1 - r_{yz}^2)}`;
    interval and p as in :func:`rank_correlation`, with one degree of freedom less.

    >>> z = np.array([1.0, 1, 1, 2, 2, 2, 3, 3, 3])
    >>> r = partial_rank_correlation(z + np.array([0.0, 0.1, 0.2] * 3), z + np.array([0.2, 0.1, 0.0] * 3), z)
    >>> round(r.correlation.value, 2)
    -1.0
    """
    check_level(level)
    columns = [np.asarray(values, np.float64) for values in (x, y, given)]
    whole = np.all([np.isfinite(values) for values in columns], axis=0)
    a, b, c = (values[whole] for values in columns)
    n, dropped, method = len(a), int((~whole).sum()), "partial Spearman; Fisher z, Bonett–Wright"
    unknown = Interval(NAN, NAN, NAN, n, method, dropped, level)
    if n < 5 or any(np.ptp(values) == 0 for values in (a, b, c)):
        return RankCorrelation(unknown, NAN, n, dropped, "too few or constant values for a partial correlation")
    a, b, c = (ranks / np.sqrt(ranks @ ranks) for ranks in map(_centred_ranks, (a, b, c)))
    ab, ac, bc = float(a @ b), float(a @ c), float(b @ c)
    if max(abs(ac), abs(bc)) > 1 - 1e-12:
        return RankCorrelation(unknown, NAN, n, dropped, "what is held fixed decides one of the two already")
    r = float(np.clip((ab - ac * bc) / np.sqrt((1 - ac * ac) * (1 - bc * bc)), -1, 1))
    if 1 - abs(r) < 1e-12:
        return RankCorrelation(Interval(r, NAN, NAN, n, method, dropped, level), 0.0, n, dropped, "perfect order")
    from scipy.special import ndtri, stdtr

    half = float(ndtri((1 + level) / 2) * np.sqrt((1 + r * r / 2) / (n - 4)))
    low, high = float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))
    p = float(2 * stdtr(n - 3, -abs(r) * np.sqrt((n - 3) / (1 - r * r))))
    return RankCorrelation(Interval(r, low, high, n, method, dropped, level), p, n, dropped)


def _are(n: int) -> str:
    return "is one" if n == 1 else "are none"
