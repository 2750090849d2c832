"""Accuracy on an old test set against a new one: drop, and the line many models lie on (Recht et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unseen.measures.bootstrap import percentile_ends
from unseen.measures.statistics import NAN, Interval, check_level
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.seeds import stream

SCALES = ("linear", "probit", "logit")
DRAWS = 10_000
FEWEST = 3  # models that a line is drawn through
LEAST_SPREAD = 1e-12  # variance of original accuracies below which they differ by rounding alone (ours)


@dataclass(frozen=True)
class Line:
    """A line of new against original accuracy, by least squares on a scale. ``dropped`` models have no place on it
    (an accuracy of 0 or 1 has no probit). ``above_one`` is the share of resamples whose slope exceeds 1."""

    scale: str
    slope: Interval
    intercept: Interval
    r2: float
    above_one: float
    n: int
    dropped: int

    def at(self, original: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The new accuracy that the line tells of an original one.

        >>> line = fit_line(np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.4, 0.51, 0.59, 0.7]))
        >>> line.at(np.array([0.9])).round(3).tolist()
        [0.795]
        """
        return from_scale(self.slope.value * to_scale(original, self.scale) + self.intercept.value, self.scale)


def to_scale(accuracy: Float[np.ndarray, " n"], scale: str) -> Float[np.ndarray, " n"]:
    """Accuracies on a scale: as they are, as quantiles of the normal distribution, or as log odds.

    >>> to_scale(np.array([0.5, 0.975]), "probit").round(2).tolist()
    [0.0, 1.96]
    """
    from scipy.special import logit, ndtri

    accuracy = np.asarray(accuracy, np.float64)
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    return {"linear": lambda a: a, "probit": ndtri, "logit": logit}[scale](accuracy)


def from_scale(values: Float[np.ndarray, " n"], scale: str) -> Float[np.ndarray, " n"]:
    from scipy.special import expit, ndtr

    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    return {"linear": lambda v: v, "probit": ndtr, "logit": expit}[scale](np.asarray(values, np.float64))


def fit_line(
    original: Float[np.ndarray, " models"], new: Float[np.ndarray, " models"], scale: str = "linear",
    *, level: float = 0.95, draws: int = DRAWS,
) -> Line:  # fmt: skip
    """Least squares of new on original accuracy, with intervals by the bootstrap over models (Recht et al. 2019,
    appendix; Taori et al. 2020). Accuracies are shares, 0 to 1.

    >>> x = np.array([0.60, 0.65, 0.70, 0.75, 0.80])
    >>> line = fit_line(x, 1.5 * x - 0.4)
    >>> round(line.slope.value, 6), round(line.intercept.value, 6), line.n
    (1.5, -0.4, 5)
    """
    check_level(level)
    _check(original, new)
    x, y = to_scale(original, scale), to_scale(new, scale)
    kept = np.isfinite(x) & np.isfinite(y)
    x, y = x[kept], y[kept]
    n, dropped = len(x), int((~kept).sum())
    if n < FEWEST or x.var() <= LEAST_SPREAD:
        none = Interval(NAN, NAN, NAN, n, "bootstrap over models", dropped, level)
        return Line(scale, none, none, NAN, NAN, n, dropped)
    ones = np.ones((1, n))
    slope, intercept = (float(v[0]) for v in _least_squares(ones, x, y))
    left = y - slope * x - intercept
    total = ((y - y.mean()) ** 2).sum()
    weights = stream(0, "measures", "retest", n).multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)
    slopes, intercepts = _least_squares(weights, x, y)
    good = np.isfinite(slopes)
    found = [_interval(v, drawn[good], n, dropped, level) for v, drawn in ((slope, slopes), (intercept, intercepts))]
    r2 = float(1 - (left**2).sum() / total) if total > 0 else NAN
    steeper = float((slopes[good] > 1).mean()) if good.any() else NAN
    return Line(scale, found[0], found[1], r2, steeper, n, dropped)


def _check(original: np.ndarray, new: np.ndarray) -> None:
    if len(original) != len(new):
        raise UnseenError(f"each model has two accuracies; given {len(original)} original and {len(new)} new ones.")
    both = np.concatenate([original, new])
    if len(both) and (np.nanmax(both) > 1 or np.nanmin(both) < 0):
        raise UnseenError(f"accuracies are shares from 0 to 1; given up to {np.nanmax(both):g}. Divide percent by 100.")


def _least_squares(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope and intercept for each row of weights; NaN where a resample has one point only."""
    total = weights.sum(1)
    mx, my = weights @ x / total, weights @ y / total
    spread = weights @ x**2 / total - mx**2
    slope = np.full(len(weights), NAN)
    np.divide(weights @ (x * y) / total - mx * my, spread, out=slope, where=spread > LEAST_SPREAD)
    return slope, my - slope * mx


def _interval(value: float, drawn: np.ndarray, n: int, dropped: int, level: float) -> Interval:
    low, high = percentile_ends(drawn, level) if len(drawn) else (NAN, NAN)  # each resample had one point only
    return Interval(value, float(low), float(high), n, "bootstrap over models", dropped, level)


def mean_drop(
    original: Float[np.ndarray, " models"], new: Float[np.ndarray, " models"], *, level: float = 0.95
) -> Interval:
    """Original minus new accuracy, the mean over models, with an interval by the bootstrap over models. Models that
    lack one of the two are ``dropped``.

    >>> round(mean_drop(np.array([0.8, 0.7]), np.array([0.7, 0.58])).value, 3)
    0.11
    """
    _check(original, new)
    drop = np.asarray(original, np.float64) - np.asarray(new, np.float64)
    kept = drop[np.isfinite(drop)]
    n, dropped = len(kept), len(drop) - len(kept)
    if n < 2:
        return Interval(float(kept[0]) if n else NAN, NAN, NAN, n, "bootstrap over models", dropped, level)
    weights = stream(0, "measures", "drop", n).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return _interval(float(kept.mean()), weights @ kept / n, n, dropped, level)
