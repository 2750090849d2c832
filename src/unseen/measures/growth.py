"""How categories seen transformed help those that are not (Zaidi et al. 2020): within- and across-category accuracy,
where the mistakes go, and whether accuracy grows linearly or logarithmically with the number of such categories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from unseen.measures.accuracy import _same_length, cell_accuracy
from unseen.measures.bootstrap import percentile_ends, resamples
from unseen.measures.statistics import NAN, Interval, check_level, mean_interval, proportion_interval
from unseen.measures.verdicts import FEWEST, Verdict, judge
from unseen.vocabulary.seeds import stream

SHAPES = ("linear", "logarithmic")
_NOTHING = Verdict(Interval(NAN, NAN, NAN, 0, "t"), None, NAN, "there is no repeat")
SUPPORT = 2.0  # a difference in AIC below this is no evidence (Burnham and Anderson 2002)


@dataclass(frozen=True)
class CategoryAccuracy:
    """Accuracy on transformed images of categories seen transformed, of the others, and on plain images."""

    within: Interval
    across: Interval
    plain: Interval


def category_accuracy(
    truth: Shaped[np.ndarray, " n"],
    response: Shaped[np.ndarray, " n"],
    category: Int[np.ndarray, " n"],
    transformed: Bool[np.ndarray, " n"],
    seen: Collection[int],
    level: float = 0.95,
) -> CategoryAccuracy:
    """Within- and across-category accuracy (Zaidi et al. 2020, section 2.1), each with the exact interval over images.

    ``seen`` are the categories shown transformed in training. The answer is always among all categories. Nothing asked
    (all categories were seen, so there is no across): NaN, n = 0. Over seeds use ``mean_interval``.

    >>> truth, response = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> a = category_accuracy(truth, response, truth, np.array([True, False, True, True]), [0])
    >>> a.within.value, a.across.value, a.plain.value
    (1.0, 0.5, 1.0)
    """
    _same_length(truth=truth, response=response, category=category, transformed=transformed)
    right, known = truth == response, np.isin(category, list(seen))

    def share(asked: np.ndarray) -> Interval:
        return proportion_interval(int(right[asked].sum()), int(asked.sum()), level)

    return CategoryAccuracy(share(transformed & known), share(transformed & ~known), share(~transformed))


def quadrant_counts(
    truth: Int[np.ndarray, " n"], response: Int[np.ndarray, " n"], seen: Collection[int]
) -> Int[np.ndarray, "2 2"]:
    """Number of images by set of their category (rows: seen transformed, not) and of the response (columns alike)."""
    _same_length(truth=truth, response=response)
    of_truth, of_response = (~np.isin(labels, list(seen)) for labels in (truth, response))
    return np.bincount(2 * of_truth + of_response, minlength=4).reshape(2, 2)


def confusion_quadrants(
    truth: Int[np.ndarray, " n"], response: Int[np.ndarray, " n"], seen: Collection[int]
) -> Float[np.ndarray, "2 2"]:
    """Share of the images of each set of categories that is taken for one of the same or of the other set (Fig. 6).

    Rows: the category was seen transformed (0) or not (1); columns: so was the response. "The percentage of images of
    one set of categories classified as the same or another set": each row adds up to one, and is NaN where no such
    image was asked. The figure's quadrants I to IV are [1, 0], [0, 0], [0, 1] and [1, 1]. A response in the right set
    need not be the right category. Counts are those of ``quadrant_counts``.

    >>> confusion_quadrants(np.array([0, 0, 1, 2]), np.array([0, 2, 0, 1]), {0}).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    counts = quadrant_counts(truth, response, seen)
    total = np.broadcast_to(counts.sum(axis=1, keepdims=True), (2, 2))
    return np.divide(counts, total, where=total > 0, out=np.full((2, 2), np.nan))


@dataclass(frozen=True)
class CrossMatrix:
    """Accuracy by what was trained on (rows) and asked (columns), with intervals and n. NaN: not asked."""

    accuracy: Float[np.ndarray, "trained tested"]
    low: Float[np.ndarray, "trained tested"]
    high: Float[np.ndarray, "trained tested"]
    n: Int[np.ndarray, "trained tested"]
    method: str


def _matrix(cells: list[Interval], shape: tuple[int, int], method: str) -> CrossMatrix:
    value, low, high = (
        np.array([getattr(c, key) for c in cells], float).reshape(shape) for key in ("value", "low", "high")
    )
    return CrossMatrix(value, low, high, np.array([c.n for c in cells], np.int64).reshape(shape), method)


def cross_matrix(
    truth: Shaped[np.ndarray, " n"],
    response: Shaped[np.ndarray, " n"],
    trained: Int[np.ndarray, " n"],
    tested: Int[np.ndarray, " n"],
    *,
    shape: tuple[int, int],
    level: float = 0.95,
) -> CrossMatrix:
    """Accuracy by what a network was trained on and what it was asked (Zaidi et al. 2020, Fig. 2a; Geirhos et al. 2018,
    Fig. 4), from the answers of one network per row: intervals are Clopper and Pearson's, over images.

    >>> m = cross_matrix(np.array([0, 1]), np.array([0, 0]), np.array([0, 0]), np.array([0, 1]), shape=(1, 2))
    >>> m.accuracy.tolist(), m.n.tolist()
    ([[1.0, 0.0]], [[1, 1]])
    """
    counted = cell_accuracy(truth, response, trained, tested, shape=shape)
    right = np.round(np.where(counted.n > 0, counted.accuracy, 0) * counted.n).astype(int)
    cells = [proportion_interval(int(k), int(n), level) for k, n in zip(right.ravel(), counted.n.ravel())]
    return _matrix(cells, shape, "Clopper–Pearson, over images")


def mean_matrix(accuracy: Float[np.ndarray, "seeds trained tested"], level: float = 0.95) -> CrossMatrix:
    """The same over seeds: mean, Student's t interval and number of seeds of each cell (NaN is left out of n)."""
    cells = [mean_interval(column, level) for column in accuracy.reshape(len(accuracy), -1).T]
    return _matrix(cells, accuracy.shape[1:], "t, over seeds")


@dataclass(frozen=True)
class Fit:
    """y = intercept + slope·g(n) by least squares; ``slope`` has a bootstrap interval over seeds."""

    shape: str  # linear: g(n) = n; logarithmic: g(n) = ln n
    intercept: float
    slope: Interval
    residual: float  # sum of squares
    r2: float
    aic: float


@dataclass(frozen=True)
class Growth:
    """Which of two shapes growth has. ``advantage`` is AIC(linear) − AIC(logarithmic): positive for logarithmic.

    ``lean`` is the judged number, one for each seed: with u the two shapes centred and of length one,
    :math:`y \\cdot (u_{\\log} - u_{\\mathrm{lin}})` is above zero where a growing curve is nearer to the logarithm. It
    is linear in y, so that t over seeds is exact for normal noise, which resampled differences of AIC are not.
    ``verdict`` is a shape where accuracy surely grows and the lean is decided and agrees with AIC by 2 at least, and
    "undecided", with the ``reason``, elsewhere.
    """

    verdict: str
    advantage: Interval
    linear: Fit
    logarithmic: Fit
    n: int
    seeds: int
    dropped: int
    reason: str = ""
    lean: Verdict = _NOTHING


def _fits(n: np.ndarray, y: np.ndarray) -> Float[np.ndarray, "2 3"]:
    """Intercept, slope and residual sum of squares of both shapes; a residual of rounding alone is zero."""
    total = float(np.sum((y - y.mean()) ** 2))
    found = []
    for g in (n, np.log(n)):
        centred = g - g.mean()
        slope = float(centred @ y / (centred @ centred)) if np.ptp(g) else NAN
        rest = float(np.sum((y - y.mean() - slope * centred) ** 2))
        found.append((float(y.mean() - slope * g.mean()), slope, 0.0 if rest <= 1e-20 * max(total, 1e-300) else rest))
    return np.array(found)


def _advantage(fits: np.ndarray, points: int) -> float:
    """Both shapes have as many parameters, so that AIC differs by n ln(RSS/RSS) alone."""
    linear, logarithmic = fits[:, 2]
    if linear == logarithmic:
        return 0.0
    if not linear or not logarithmic:
        return -np.inf if not linear else np.inf
    return float(points * np.log(linear / logarithmic))


def category_growth(
    seen: Float[np.ndarray, " trials"],
    accuracy: Float[np.ndarray, " trials"],
    seeds: Int[np.ndarray, " trials"],
    *,
    draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Growth:
    r"""Does accuracy grow linearly or logarithmically with the number of categories seen transformed?

    Zaidi et al. 2020, section 3.1, say linearly on faces and logarithmically on varied objects, by eye; this test is
    ours. Least squares of :math:`y = a + b n` and :math:`y = a + b \ln n` over trials, one per number and seed,
    compared by :math:`\mathrm{AIC} = N \ln(\mathrm{RSS}/N) + 2 \cdot 3`. Intervals are percentiles over resampled
    *seeds* (whole curves: trials of one seed share its categories); up to four seeds all :math:`s^s` resamples are
    listed. With three seeds they are rough and rather too narrow, so the lean decides (see ``Growth``). Trials with
    n = 0 have no logarithm: they and missing accuracies are left out of both fits and counted. Neither shape is the
    truth near a ceiling.

    >>> n, s = np.tile([1.0, 2.0, 4.0, 8.0], 3), np.repeat([0, 1, 2], 4)
    >>> noise = np.array([0.01, -0.01, 0.01, 0.0, 0.0, 0.01, -0.01, 0.01, 0.01, 0.0, 0.0, -0.01])
    >>> [category_growth(n, y + noise, s).verdict for y in (0.1 + 0.1 * n, 0.1 + 0.2 * np.log(n))]
    ['linear', 'logarithmic']
    """
    check_level(level)
    _same_length(seen=seen, accuracy=accuracy, seeds=seeds)
    kept = np.isfinite(accuracy) & np.isfinite(seen) & (seen > 0)
    x, y, owner = np.asarray(seen, float)[kept], np.asarray(accuracy, float)[kept], np.asarray(seeds)[kept]
    names, dropped = np.unique(owner), int((~kept).sum())

    def interval(value: float, ends: np.ndarray) -> Interval:
        low, high = ends.tolist()
        return Interval(value, low, high, len(names), "bootstrap over seeds", dropped, level)

    if len(np.unique(x)) < 3 or np.ptp(y) == 0:
        reason = "needs three different numbers of categories" if len(np.unique(x)) < 3 else "accuracy never changes"
        nothing = interval(NAN, np.full(2, NAN))
        linear, logarithmic = (Fit(shape, NAN, nothing, NAN, NAN, NAN) for shape in SHAPES)
        return Growth("undecided", nothing, linear, logarithmic, len(x), len(names), dropped, reason)
    whole, total = _fits(x, y), float(np.sum((y - y.mean()) ** 2))
    ends = _bootstrap(x, y, owner, draws, level, seed)
    linear, logarithmic = (
        Fit(shape, a, interval(b, end), rest, 1 - rest / total, _aic(rest, len(x)))
        for shape, (a, b, rest), end in zip(SHAPES, whole.tolist(), ends[1:])
    )
    advantage = interval(_advantage(whole, len(x)), ends[0])
    lean, grown = (judge(values, 1) for values in _leans(x, y, owner))
    verdict, reason = _verdict(advantage, linear, logarithmic, lean, grown)
    return Growth(verdict, advantage, linear, logarithmic, len(x), len(names), dropped, reason, lean)


def _leans(x: np.ndarray, y: np.ndarray, owner: np.ndarray) -> Float[np.ndarray, "2 seeds"]:
    """By seed that has every number: the lean of its curve to the logarithm, and its growth along both shapes."""
    numbers = np.unique(x)
    units = [(g - g.mean()) / np.linalg.norm(g - g.mean()) for g in (numbers, np.log(numbers))]
    found = []
    for seed in np.unique(owner):
        mine = [y[(owner == seed) & (x == number)] for number in numbers]
        if all(len(values) for values in mine):
            curve = np.array([values.mean() for values in mine])
            found.append((curve @ (units[1] - units[0]), curve @ (units[1] + units[0])))
    return np.array(found, np.float64).reshape(-1, 2).T


def _bootstrap(
    x: np.ndarray, y: np.ndarray, owner: np.ndarray, draws: int, level: float, seed: int
) -> Float[np.ndarray, "3 2"]:
    """Ends of the intervals of the advantage and of both slopes; NaN with one seed."""
    places = [np.flatnonzero(owner == name) for name in np.unique(owner)]
    if len(places) < 2:
        return np.full((3, 2), NAN)
    table = []
    for draw in resamples(len(places), draws, stream(seed, "measures", "growth")):
        some = np.concatenate([places[i] for i in draw])
        if len(np.unique(x[some])) > 2:  # seeds that lack trials may leave too few numbers
            fits = _fits(x[some], y[some])
            table.append((_advantage(fits, len(some)), *fits[:, 1]))
    return percentile_ends(np.array(table), level).T if table else np.full((3, 2), NAN)


def _aic(residual: float, points: int) -> float:
    return float(points * np.log(residual / points) + 6) if residual > 0 else -np.inf


def _verdict(advantage: Interval, linear: Fit, logarithmic: Fit, lean: Verdict, grown: Verdict) -> tuple[str, str]:
    if lean.interval.n < FEWEST:
        return "undecided", f"fewer than {FEWEST} repeats decide nothing"
    better = logarithmic if advantage.value > 0 else linear
    if not grown.holds:
        return "undecided", "accuracy does not surely grow: the interval of its growth reaches zero"
    if lean.holds is None or lean.holds != (better is logarithmic):
        return "undecided", "curves of single repeats do not surely lean to one shape"
    if abs(advantage.value) < SUPPORT:
        return "undecided", f"AIC differs by {abs(advantage.value):.2g}, less than {SUPPORT:g}"
    return better.shape, ""
