"""Numbers with their n and their interval. What cannot be known from so few values is NaN, never a guess."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.errors import UnseenError

# scipy.stats takes over a second to import: functions import what they need when they are called.

NAN = float("nan")
COINCIDE = 1e-9  # width of an interval over repeats that are all the same, but for rounding


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval (ends NaN where it has none), and by which ``method`` it was found.
    ``dropped`` values were not finite and are not in ``n``."""

    value: float
    low: float
    high: float
    n: int
    method: str = ""
    dropped: int = 0
    level: float = 0.95

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n}"

    def cut(self, least: float, most: float) -> Interval:
        """With ends in the range of the quantity: an accuracy lies in 0 to 1, a correlation in -1 to 1."""
        low, high = (float(np.clip(end, least, most)) for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    def without_ends(self) -> Interval:
        """The value alone."""
        return replace(self, low=NAN, high=NAN)

    @property
    def has_no_width(self) -> bool:
        """Whether all repeats coincide, so that their spread is unknown and nothing is judged by it."""
        return self.low == self.high or self.high - self.low <= COINCIDE


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise UnseenError(f"a confidence level lies between 0 and 1; given {level}. For 95 % write 0.95.")


def mean_interval(values: Float[np.ndarray, " repeats"], level: float = 0.95) -> Interval:
    """Mean over repeats with Student's t interval. One repeat has a value and no interval.

    >>> print(mean_interval(np.array([0.70, 0.72, 0.74])))
    0.720 [0.670, 0.770], n = 3
    >>> print(mean_interval(np.array([0.70])))
    0.700 [nan, nan], n = 1
    """
    check_level(level)
    values = np.asarray(values, np.float64)
    kept = values[np.isfinite(values)]
    n, dropped = len(kept), len(values) - len(kept)
    if n == 0:
        return Interval(NAN, NAN, NAN, 0, "t", dropped, level)
    mean = float(kept.mean())
    if n == 1:
        return Interval(mean, NAN, NAN, 1, "t", dropped, level)
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + level) / 2) * kept.std(ddof=1) / np.sqrt(n))
    return Interval(mean, mean - half, mean + half, n, "t", dropped, level)


def proportion_interval(successes: int, n: int, level: float = 0.95) -> Interval:
    """Share of successes with the exact interval of Clopper and Pearson (1934). Nothing tried: NaN.

    >>> print(proportion_interval(8, 10))
    0.800 [0.444, 0.975], n = 10
    """
    check_level(level)
    successes, n = int(successes), int(n)
    if not 0 <= successes <= n:
        raise UnseenError(f"successes must lie between 0 and n; given {successes} of {n}.")
    if n == 0:
        return Interval(NAN, NAN, NAN, 0, "Clopper–Pearson", 0, level)
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return Interval(successes / n, low, high, n, "Clopper–Pearson", 0, level)


def median_interval(values: Float[np.ndarray, " n"], level: float = 0.95) -> Interval:
    """Median with the interval between two order statistics that covers it with at least ``level`` (binomial, exact).

    It assumes no distribution. At 95 % it needs six values; fewer have no interval.

    >>> print(median_interval(np.arange(10.0)))
    4.500 [1.000, 8.000], n = 10
    """
    check_level(level)
    values = np.asarray(values, np.float64)
    kept = np.sort(values[np.isfinite(values)])
    n, dropped = len(kept), len(values) - len(kept)
    if n == 0:
        return Interval(NAN, NAN, NAN, 0, "order statistics", dropped, level)
    from scipy.special import bdtr

    # P(fewer than k of n values lie below the median) must not exceed half of what is left over.
    outside = int(np.sum(bdtr(np.arange(n // 2), n, 0.5) <= (1 - level) / 2))
    low, high = (float(kept[outside - 1]), float(kept[n - outside])) if outside else (NAN, NAN)
    return Interval(float(np.median(kept)), low, high, n, "order statistics", dropped, level)
