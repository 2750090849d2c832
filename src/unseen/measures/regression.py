r"""How well every factor is regressed, in and out of the range that was seen (Schott et al. 2022, seed 001).

The target of a factor with :math:`n` levels is :math:`level/(n-1)`. Seed 001 states
:math:`R_j^2 = 1 - \mathrm{MSE}_j/\sigma_j^2` and leaves :math:`\sigma_j^2` open; ``facts.md`` takes it over the *full*
factor grid: ``variance="grid"``, the default. So test sets are comparable: one in which a factor hardly varies (out of
range) keeps the same unit of error. ``variance="test"`` is the variance of the asked images, the usual coefficient of
determination.

What a zero denominator leaves undefined is NaN, and is named or counted beside it. A prediction that is not finite
makes its factor NaN: leaving it out would reward a network that diverged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.kinds import factor_kinds
from unseen.measures.statistics import Interval, mean_interval, proportion_interval
from unseen.vocabulary.errors import UnseenError, listed, unknown

VARIANCES = ("grid", "test")


def grid_variance(levels: Sequence[int]) -> Float[np.ndarray, " factors"]:
    r"""Variance of :math:`level/(n-1)` over the full grid: :math:`(n+1)/(12(n-1))`; NaN for a factor of one level.

    >>> grid_variance([2, 3, 1]).tolist()
    [0.25, 0.16666666666666666, nan]
    """
    n = np.asarray(levels, np.float64)
    if n.ndim != 1 or (n < 1).any() or (n != np.floor(n)).any():
        raise UnseenError(f"each factor needs its number of levels, a whole number of at least 1; given {levels}.")
    return np.divide(n + 1, 12 * (n - 1), where=n > 1, out=np.full(n.shape, np.nan))


def asked_variance(true: Float[np.ndarray, "n factors"]) -> Float[np.ndarray, " factors"]:
    """Variance of the asked images' own targets; exactly 0 for a factor that does not vary, NaN if nothing was asked.

    >>> asked_variance(np.array([[0.0, 0.1], [1.0, 0.1], [0.5, 0.1]])).tolist()
    [0.16666666666666666, 0.0]
    """
    true = np.asarray(true, np.float64)
    if not len(true):
        return np.full(true.shape[1:], np.nan)
    return np.where(np.ptp(true, axis=0) == 0, 0.0, true.var(axis=0))  # three times 0.1 has a variance of 2e-34


def _checked(predicted: np.ndarray, true: np.ndarray, factors: int) -> tuple[np.ndarray, np.ndarray]:
    predicted, true = np.asarray(predicted, np.float64), np.asarray(true, np.float64)
    if predicted.shape != true.shape or true.ndim != 2 or true.shape[1] != factors:
        raise UnseenError(
            f"predicted and true must both be [images, factors] with {factors} factors; "
            f"given {predicted.shape} and {true.shape}."
        )
    if not np.isfinite(true).all():
        raise UnseenError("the true values hold NaN or infinity; every asked image needs a level of every factor.")
    return predicted, true


def r2(
    predicted: Float[np.ndarray, "n factors"],
    true: Float[np.ndarray, "n factors"],
    variance: Float[np.ndarray, " factors"],
) -> Float[np.ndarray, " factors"]:
    r"""Share of a factor's variance that is explained: :math:`R_j^2 = 1 - \mathrm{MSE}_j/\sigma_j^2` (seed 001).

    1: perfect; 0: as good as always giving the mean; below 0: worse. NaN where the variance is zero or NaN, where a
    prediction is not finite, or where nothing was asked; ``undefined_factors`` says which and why.

    >>> r2(np.array([[0.0, 0.5], [1.0, 0.5]]), np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.25, 0.0])).tolist()
    [1.0, nan]
    """
    variance = np.asarray(variance, np.float64)
    predicted, true = _checked(predicted, true, len(variance))
    if (variance < 0).any():
        raise UnseenError(f"a variance cannot be negative; given {variance.tolist()}.")
    if not len(true):
        return np.full(variance.shape, np.nan)
    with np.errstate(over="ignore"):  # a diverged network: the square is infinite, and so R² is −∞
        error = np.square(np.where(np.isfinite(predicted), predicted, np.nan) - true).mean(axis=0)
    return 1 - np.divide(error, variance, where=variance > 0, out=np.full(variance.shape, np.nan))


def kept_to_range(predicted: Float[np.ndarray, "n factors"]) -> Float[np.ndarray, "n factors"]:
    """Answers with those beyond the range of their factor, [0, 1], moved to its nearer end (ours).

    R² has no lower end: far from what was trained on a network may answer many times a factor's range, and one such
    network decides a mean over networks. Whoever uses its answers would keep them to the range, since it is known. What
    is not finite stays what it is.

    >>> kept_to_range(np.array([[0.2, -3.0], [7.0, np.inf]])).tolist()
    [[0.2, 0.0], [1.0, inf]]
    """
    predicted = np.asarray(predicted, np.float64)
    return np.where(np.isfinite(predicted), np.clip(predicted, 0, 1), predicted)


def share_far_outside(predicted: Float[np.ndarray, "n factors"]) -> Float[np.ndarray, " factors"]:
    """Share of answers farther outside a factor's range than half of it (ours), or not finite; NaN without answers.

    >>> share_far_outside(np.array([[0.2, -3.0], [1.4, 1.6]])).tolist()
    [0.0, 1.0]
    """
    predicted = np.asarray(predicted, np.float64)
    if not len(predicted):
        return np.full(predicted.shape[1:], np.nan)
    return (~(np.abs(predicted - 0.5) <= 1)).mean(axis=0)


def undefined_factors(
    predicted: Float[np.ndarray, "n factors"],
    true: Float[np.ndarray, "n factors"],
    variance: Float[np.ndarray, " factors"],
    names: Sequence[str],
) -> dict[str, str]:
    """The factors whose R² is NaN, each with the reason.

    >>> undefined_factors(np.array([[0.0, np.nan]]), np.array([[0.0, 1.0]]), np.array([0.0, 0.25]), ["size", "hue"])
    {'size': 'it has no variance: one level', 'hue': '1 of 1 predictions is not finite'}
    """
    predicted, true = _checked(predicted, true, len(names))
    found: dict[str, str] = {}
    for j, name in enumerate(names):
        strange = int((~np.isfinite(predicted[:, j])).sum())
        if not len(true):
            found[name] = "nothing was asked"
        elif not variance[j] > 0:
            found[name] = "it has no variance: one level"
        elif strange:
            found[name] = f"{strange} of {len(true)} predictions {'is' if strange == 1 else 'are'} not finite"
    return found


def _mean(values: np.ndarray, varies: np.ndarray) -> float:
    """Mean over the factors that vary. One that should have a value and has none makes it NaN."""
    return float(values[varies].mean()) if varies.any() else float("nan")


@dataclass(frozen=True, eq=False)
class FactorScores:
    """R² of each factor on one set of ``n`` images; ``mean`` is over the factors that vary (more than one level).

    ``undefined`` names the factors without an R², with the reason. If a prediction is the reason, the mean is NaN too.
    """

    names: tuple[str, ...]
    r2: Float[np.ndarray, " factors"]
    varies: Bool[np.ndarray, " factors"]
    mean: float
    n: int
    variance: str
    undefined: Mapping[str, str]


def factor_scores(
    predicted: Float[np.ndarray, "n factors"],
    true: Float[np.ndarray, "n factors"],
    *,
    names: Sequence[str],
    levels: Sequence[int],
    variance: str = "grid",
) -> FactorScores:
    """R² per factor and its mean over all factors, shape included as a scalar (as seed 001 reports it).

    >>> truth = np.array([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]])
    >>> scores = factor_scores(truth, truth, names=["x", "hue"], levels=[3, 2])
    >>> scores.mean, dict(scores.undefined)
    (1.0, {})
    """
    if variance not in VARIANCES:
        raise unknown("variance", variance, VARIANCES)
    if len(names) != len(levels):
        raise UnseenError(f"{len(names)} factor names ({listed(names)}) for {len(levels)} numbers of levels.")
    predicted, true = _checked(predicted, true, len(levels))
    spread = grid_variance(levels) if variance == "grid" else asked_variance(true)
    values = r2(predicted, true, spread)
    undefined = undefined_factors(predicted, true, spread, names)
    varies = spread > 0
    return FactorScores(tuple(names), values, varies, _mean(values, varies), len(true), variance, undefined)


@dataclass(frozen=True)
class OneOut:
    """One test set with exactly one ``factor`` out of range: its R², and the mean R² of the other factors.

    ``n`` images; ``others_n`` other factors vary and are in the mean; ``undefined``: no R², and why.
    """

    name: str
    factor: str
    out: float
    others: float
    n: int
    others_n: int
    undefined: Mapping[str, str]


def modularity(
    sets: Mapping[str, tuple[Float[np.ndarray, "_ factors"], Float[np.ndarray, "_ factors"]]],
    *,
    names: Sequence[str],
    levels: Sequence[int],
    out: Mapping[str, str] | None = None,
    variance: str = "grid",
) -> tuple[OneOut, ...]:
    """Does one factor out of range spoil the others? A network is modular if it does not (seed 001, error analysis).

    ``sets`` gives (predicted, true) of each one-factor-out set; ``out`` the factor that is out in it, by default the
    factor the set is named after. With the grid variance a network that answers the mean falls well below 0 on the
    factor that is out, since all its asked levels are far from the mean.

    >>> truth = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> row, = modularity({"x": (truth * [0.5, 1.0], truth)}, names=["x", "hue"], levels=[2, 2])
    >>> row.factor, row.out, row.others
    ('x', 0.0, 1.0)
    """
    table = []
    for name, (predicted, true) in sets.items():
        factor = name if out is None else out.get(name, "")
        if factor not in names:
            raise unknown("factor that is out of range", factor or name, names, where=f"set '{name}'")
        scores = factor_scores(predicted, true, names=names, levels=levels, variance=variance)
        place = list(names).index(factor)
        others = scores.varies & (np.arange(len(names)) != place)
        mean, count = _mean(scores.r2, others), int(others.sum())
        table.append(OneOut(name, factor, float(scores.r2[place]), mean, scores.n, count, scores.undefined))
    return tuple(table)


def towards_mean(
    predicted: Float[np.ndarray, " n"], true: Float[np.ndarray, " n"], mean: float
) -> Float[np.ndarray, " n"]:
    r"""How far a prediction goes from the mean, against the truth: :math:`|f - \bar y|\,/\,|y - \bar y|` (seed 001).

    In [0, 1]: closer to the mean than the truth; above 1: further away. The seed does not say over which images the
    mean is taken: the caller does (ours: the training cells, whose mean is what a network can have learned). NaN where
    :math:`y = \bar y` (to the rounding of its numbers) and where a prediction is not finite.

    >>> towards_mean(np.array([0.7, 0.9, 0.2]), np.array([0.9, 0.9, 0.5]), 0.5).round(2).tolist()
    [0.5, 1.0, nan]
    """
    precision = np.finfo(true.dtype if true.dtype.kind == "f" else np.float64).eps
    f, y = np.asarray(predicted, np.float64), np.asarray(true, np.float64)
    if f.shape != y.shape or y.ndim != 1:
        raise UnseenError(f"predicted and true must be two lists of one length; given {f.shape} and {y.shape}.")
    far = abs(y - mean) > 8 * precision * np.maximum(abs(y), abs(mean))
    usable = far & np.isfinite(f)
    return np.divide(abs(f - mean), abs(y - mean), where=usable, out=np.full(y.shape, np.nan))


BINS = tuple(i / 10 for i in range(21))  # ours: tenths from 0 to 2


@dataclass(frozen=True, eq=False)
class TowardsMean:
    """The share of predictions within [0, 1], and their histogram.

    ``share.n`` predictions have a ratio; ``undefined`` have none because the truth is the mean, ``non_finite`` because
    the prediction is not a number. ``opposite`` of those within [0, 1] lie on the other side of the mean, where the
    ratio calls them close too. A bin holds its upper edge, so that the bins up to 1 add up to the share; ``overflow``
    ratios lie beyond the last edge.
    """

    share: Interval
    undefined: int
    non_finite: int
    opposite: int
    edges: tuple[float, ...]
    counts: Int[np.ndarray, " bins"]
    overflow: int


def share_towards_mean(
    predicted: Float[np.ndarray, " n"], true: Float[np.ndarray, " n"], mean: float, *, level: float = 0.95
) -> TowardsMean:
    """Share of predictions at most as far from the mean as the truth, with its exact interval (Clopper–Pearson).

    A perfect but noisy network has a share of one half, so one half is the mark to compare with. The interval takes the
    images as independent; for a statement about networks take the shares of several seeds.

    >>> found = share_towards_mean(np.array([0.7, 0.8, 1.0, 0.2]), np.array([0.9, 0.9, 0.9, 0.5]), 0.5)
    >>> print(found.share, found.undefined, found.counts[:10].sum(), found.overflow)
    0.667 [0.094, 0.992], n = 3 1 2 0
    """
    ratio = towards_mean(predicted, true, mean)
    finite = np.isfinite(np.asarray(predicted, np.float64))
    known = ~np.isnan(ratio)
    within = known & (np.where(known, ratio, np.inf) <= 1)
    opposite = within & ((np.where(finite, predicted, mean) - mean) * (true - mean) < 0)
    place = np.maximum(np.searchsorted(BINS, ratio[known], side="left") - 1, 0)
    counts = np.bincount(place, minlength=len(BINS))
    return TowardsMean(
        share=proportion_interval(int(within.sum()), int(known.sum()), level),
        undefined=int((finite & ~known).sum()),
        non_finite=int((~finite).sum()),
        opposite=int(opposite.sum()),
        edges=BINS,
        counts=counts[:-1],
        overflow=int(counts[-1]),
    )


@dataclass(frozen=True)
class SeedSummary:
    """R² over repeats, each with Student's t interval: their mean, each factor, each kind of factor.

    ``undefined`` factors have no value in any repeat and are in no mean. A repeat in which another factor has no value
    (its network diverged) has no mean; it is ``dropped`` from the interval, which says so.
    """

    mean: Interval
    factors: Mapping[str, Interval]
    kinds: Mapping[str, Interval]
    undefined: tuple[str, ...]


def seed_summary(
    values: Float[np.ndarray, "seeds factors"],
    *,
    names: Sequence[str],
    kinds: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> SeedSummary:
    """Sum up R² ``[seeds, factors]``: the unit of repetition is the trained network, never the image.

    >>> summary = seed_summary(np.array([[0.9, 0.5], [0.8, 0.6], [0.7, 0.4]]), names=["floor_hue", "scale"])
    >>> print(summary.mean, "|", summary.kinds["colour"])
    0.650 [0.435, 0.865], n = 3 | 0.800 [0.552, 1.048], n = 3
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise UnseenError(f"R² must be [seeds, {len(names)} factors]; given shape {values.shape}.")
    sort = np.array(factor_kinds(names, kinds), dtype=object)
    known = np.asarray((~np.isnan(values)).any(axis=0))

    def over(chosen: Bool[np.ndarray, " factors"]) -> Interval:
        chosen = chosen & known
        means = values[:, chosen].mean(axis=1) if chosen.any() else np.full(len(values), np.nan)
        return mean_interval(means, level)

    return SeedSummary(
        mean=over(np.ones(len(names), bool)),
        factors={name: mean_interval(values[:, j], level) for j, name in enumerate(names)},
        kinds={kind: over(sort == kind) for kind in dict.fromkeys(sort)},
        undefined=tuple(name for j, name in enumerate(names) if not known[j]),
    )
