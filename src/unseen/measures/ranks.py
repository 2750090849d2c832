"""Do two lists rise together? Spearman's correlation, alone and with its interval and p."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from jaxtyping import Float

from unseen.measures.statistics import NAN, Interval, check_level
from unseen.vocabulary.errors import UnseenError

EXACT = 8  # pairs; 40,320 orders


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's correlation with its interval and p-value; ``reason`` says why something is NaN."""

    correlation: Interval
    p: float
    n: int
    dropped: int
    reason: str = ""


def centred_ranks(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Ranks with ties at their mean, around zero: multiples of one half, so that sums of them are exact.

    >>> centred_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [0.5, -1.0, 0.5]
    """
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place] - (len(values) + 1) / 2


def spearman(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> float:
    """Spearman's rank correlation of finite pairs; NaN where one of the two never changes.

    >>> spearman(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), spearman(np.ones(3), np.arange(3.0))
    (0.5, nan)
    """
    a, b = centred_ranks(x), centred_ranks(y)
    size = float(np.sqrt(summed(a, a) * summed(b, b)))
    return summed(a, b) / size if size else NAN


def summed(a: Float[np.ndarray, " n"], b: Float[np.ndarray, " n"]) -> float:
    """The scalar product. BLAS would start its threads for the pixels of a map, and wait for busy cores: five times as
    long as the sum itself on two cores that others share."""
    return float(np.einsum("i,i->", a, b))


def rank_correlation(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], level: float = 0.95) -> RankCorrelation:
    r"""Spearman's rank correlation (specialization against OOD accuracy across trials), with an interval.

    The interval is Fisher's z with the standard error of Bonett and Wright (2000, Psychometrika 65:23–28),
    :math:`\tanh(\operatorname{artanh} r \pm z \sqrt{(1 + r^2/2)/(n-3)})`; it needs four pairs and :math:`|r| < 1`. The
    p-value is exact up to eight pairs and the t approximation of ``scipy.stats.spearmanr`` beyond. Both take the pairs
    as independent, which trials that share a split or a seed are not quite. Pairs that are not finite are left out.

    >>> result = rank_correlation(np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 3, 2, 4, 6, 5]))
    >>> print(result.correlation, f"p = {result.p:.3f}")
    0.886 [0.066, 0.992], n = 6 p = 0.033
    """
    check_level(level)
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise UnseenError(f"pairs need two lists of one length; given shapes {x.shape} and {y.shape}.")
    both = np.isfinite(x) & np.isfinite(y)
    x, y, dropped = x[both], y[both], int((~both).sum())
    n, method = len(x), "Spearman; Fisher z, Bonett–Wright"
    unknown = Interval(NAN, NAN, NAN, n, method, dropped, level)
    if n < 2:
        there = "is one" if n == 1 else "are none"
        return RankCorrelation(unknown, NAN, n, dropped, f"a correlation needs two pairs; there {there}")
    constant = [name for name, values in (("x", x), ("y", y)) if np.ptp(values) == 0]
    if constant:
        return RankCorrelation(unknown, NAN, n, dropped, f"no ranks to compare: constant {' and '.join(constant)}")
    r = spearman(x, y)
    p = _p(centred_ranks(x), centred_ranks(y), r)
    if n < 4 or abs(r) == 1:
        reason = "an interval needs four pairs" if n < 4 else "perfect order: Fisher's z has no width"
        return RankCorrelation(Interval(r, NAN, NAN, n, method, dropped, level), p, n, dropped, reason)
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2) * np.sqrt((1 + r * r / 2) / (n - 3)))
    low, high = float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))
    return RankCorrelation(Interval(r, low, high, n, method, dropped, level), p, n, dropped)


def _p(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], r: float) -> float:
    """Two-sided p of a rank correlation: over all orders where they can be listed, else the t approximation."""
    n = len(x)
    if n <= EXACT:
        orders = np.array(list(permutations(y)))
        return float(np.mean(abs(orders @ x) >= abs(x @ y)))
    from scipy.special import stdtr

    t = abs(r) * np.sqrt((n - 2) / (1 - r * r)) if abs(r) < 1 else np.inf
    return max(float(2 * stdtr(n - 2, -t)), 2 / factorial(n))  # no order of n pairs is rarer than that
