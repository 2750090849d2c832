"""Two subjects on the same images: how their accuracies differ, and whether they are wrong on the same ones.

All that is asked of a pair is in four counts: images that both had right, only the first, only the second, neither. An
interval comes from drawing these counts again: objects with replacement, then the images of each drawn object with
replacement (ours: of objects with few images this is wider than drawing objects alone, see :mod:`clusters`; where
each object has one image it is the plain bootstrap over images).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.bootstrap import percentile_ends
from unseen.measures.statistics import NAN, Interval, check_level
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

DRAWS = 2000
EXACT = 14  # objects whose signs are all tried; of more, the normal approximation of that test


@dataclass(frozen=True)
class PairCounts:
    """Images by who had them right. ``both`` + ``only_first`` + ``only_second`` + ``neither`` = ``n``.

    >>> PairCounts(6, 2, 1, 1).accuracies, PairCounts(6, 2, 1, 1).difference
    ((0.8, 0.7), 0.1)
    """

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def accuracies(self) -> tuple[float, float]:
        if not self.n:
            return NAN, NAN
        return (self.both + self.only_first) / self.n, (self.both + self.only_second) / self.n

    @property
    def difference(self) -> float:
        """Accuracy of the first minus that of the second."""
        return (self.only_first - self.only_second) / self.n if self.n else NAN


@dataclass(frozen=True)
class Consistency:
    """Error consistency of a pair. ``kappa`` is NaN where it is undefined, and ``why`` says so; ``least`` and ``most``
    bound what it could be at these two accuracies; ``observed`` and ``expected`` are the shares of images on which
    both are right or both wrong, as found and as independent errors would have it."""

    kappa: Interval
    observed: float
    expected: float
    least: float
    most: float
    why: str = ""


def _same_images(first: np.ndarray, second: np.ndarray, objects: np.ndarray | None) -> None:
    sizes = {len(first), len(second), len(first) if objects is None else len(objects)}
    if len(sizes) > 1:
        raise UnseenError(f"a pair is compared on the same images; given {len(first)} and {len(second)} answers.")


def pair_counts(first: Bool[np.ndarray, " n"], second: Bool[np.ndarray, " n"]) -> PairCounts:
    """How many images both, one or neither had right.

    >>> pair_counts(np.array([True, True, False]), np.array([True, False, False]))
    PairCounts(both=1, only_first=1, only_second=0, neither=1)
    """
    _same_images(first, second, None)
    cells = np.bincount(3 - (2 * first.astype(np.int64) + second.astype(np.int64)), minlength=4)
    return PairCounts(*cells.tolist())


def kappa(observed: float, expected: float, *, released: bool = False) -> float:
    r"""Cohen's :math:`\kappa = (c_{obs} - c_{exp}) / (1 - c_{exp})` of being right (Geirhos, Meding & Wichmann
    2020, section 2).

    Where :math:`c_{exp} = 1` (both all right, or both all wrong) it is undefined: NaN. The released code of
    model-vs-human gives 1 there, and so does ``released``.

    >>> round(kappa(0.7, 0.62), 4), kappa(1.0, 1.0), kappa(1.0, 1.0, released=True)
    (0.2105, nan, 1.0)
    """
    if released and observed == 1:
        return 1.0
    return (observed - expected) / (1 - expected) if expected < 1 else NAN


def expected_consistency(first: float, second: float) -> float:
    """Share of images on which both are right or both wrong if their errors are independent (Geirhos 2020,
    section 2).

    >>> round(expected_consistency(0.8, 0.7), 4)
    0.62
    """
    return first * second + (1 - first) * (1 - second)


def kappa_bounds(first: float, second: float) -> tuple[float, float]:
    r"""The least and the most that κ can be at two accuracies.

    Counts allow :math:`|p_1 + p_2 - 1| \le c_{obs} \le 1 - |p_1 - p_2|`. Geirhos et al. 2020 (appendix) bound
    :math:`c_{obs}` by :math:`c_{exp}` alone, which is the loosest of these over all pairs of that :math:`c_{exp}`.

    >>> kappa_bounds(0.5, 0.5), [round(end, 3) for end in kappa_bounds(0.9, 0.6)]
    ((-1.0, 1.0), [-0.19, 0.286])
    """
    expected = expected_consistency(first, second)
    return kappa(abs(first + second - 1), expected), kappa(1 - abs(first - second), expected)


def resampled_counts(
    first: Bool[np.ndarray, " n"], second: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"] | None = None,
    draws: int = DRAWS,
) -> Int[np.ndarray, "draws 4"]:  # fmt: skip
    """The four counts of a pair over resampled objects and, within them, images.

    Objects with the same counts are alike, so that what is drawn is how many of each sort: a draw costs the number of
    sorts, not of images.
    """
    _same_images(first, second, objects)
    cell = 3 - (2 * first.astype(np.int64) + second.astype(np.int64))
    rng = stream(0, "measures", "pairs", len(first))
    if objects is None or len(np.unique(objects)) == len(objects):
        whole = np.bincount(cell, minlength=4)
        return rng.multinomial(len(cell), whole / max(1, len(cell)), size=draws)
    every, place = np.unique(objects, return_inverse=True)
    tables = np.bincount(4 * place + cell, minlength=4 * len(every)).reshape(-1, 4)
    sorts, number = np.unique(tables, axis=0, return_counts=True)
    times = rng.multinomial(len(every), number / len(every), size=draws)  # draws × sorts
    sizes = sorts.sum(1)
    return rng.multinomial(times * sizes, (sorts / sizes[:, None])[None]).sum(1)


def paired_difference(
    first: Bool[np.ndarray, " n"], second: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"] | None = None,
    *, level: float = 0.95,
) -> Interval:  # fmt: skip
    """Accuracy of the first minus accuracy of the second on the same images; ``n`` counts images.

    >>> right = np.arange(100) < 80
    >>> print(paired_difference(right, np.roll(right, 5)))
    0.000 [-0.060, 0.060], n = 100
    """
    check_level(level)
    counts = pair_counts(first, second)
    if not counts.n:
        return Interval(NAN, NAN, NAN, 0, "none", 0, level)
    drawn = resampled_counts(first, second, objects)
    return _interval((drawn[:, 1] - drawn[:, 2]) / drawn.sum(1), counts.difference, counts.n, objects, level)


def error_consistency(
    first: Bool[np.ndarray, " n"], second: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"] | None = None,
    *, level: float = 0.95, released: bool = False,
) -> Consistency:  # fmt: skip
    """Whether two subjects are wrong on the same images, beyond what their accuracies make likely (Geirhos 2020).

    0 is what independent errors give, 1 is the same errors. Draws in which κ is undefined are ``dropped``.

    >>> right = np.arange(100) < 60
    >>> error_consistency(right, right).kappa.value, error_consistency(right, np.ones(100, bool)).kappa.value
    (1.0, 0.0)
    >>> error_consistency(np.ones(9, bool), np.ones(9, bool)).why
    'both are right on all images'
    """
    check_level(level)
    counts = pair_counts(first, second)
    p, q = counts.accuracies
    if not counts.n:
        return Consistency(Interval(NAN, NAN, NAN, 0, "none", 0, level), NAN, NAN, NAN, NAN, "no image in common")
    observed, expected = (counts.both + counts.neither) / counts.n, expected_consistency(p, q)
    value, (least, most) = kappa(observed, expected, released=released), kappa_bounds(p, q)
    if expected == 1:
        why = f"both are {'right' if p == 1 else 'wrong'} on all images"
        return Consistency(Interval(value, NAN, NAN, counts.n, "none", 0, level), observed, expected, least, most, why)
    drawn = resampled_counts(first, second, objects).astype(np.float64)
    found = _interval(_kappas(drawn), value, counts.n, objects, level)
    return Consistency(found, observed, expected, least, most)


def _kappas(counts: Float[np.ndarray, "draws 4"]) -> Float[np.ndarray, " draws"]:
    n = counts.sum(1)
    p, q = (counts[:, 0] + counts[:, 1]) / n, (counts[:, 0] + counts[:, 2]) / n
    expected = p * q + (1 - p) * (1 - q)
    out = np.full(len(n), NAN)
    np.divide((counts[:, 0] + counts[:, 3]) / n - expected, 1 - expected, out=out, where=expected < 1)
    return out


def _interval(drawn: np.ndarray, value: float, n: int, objects: np.ndarray | None, level: float) -> Interval:
    kept = drawn[np.isfinite(drawn)]
    several = objects is not None and len(np.unique(objects)) < len(objects)
    method = "bootstrap over objects, then images" if several else "bootstrap over images"
    if len(kept) < 2:
        return Interval(value, NAN, NAN, n, method, len(drawn) - len(kept), level)
    low, high = percentile_ends(kept, level)
    return Interval(value, float(low), float(high), n, method, len(drawn) - len(kept), level)


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p that one of two subjects is right more often, from the images that only one had right: the exact
    test of McNemar (1947). No such image: 1.

    >>> round(mcnemar(2, 9), 4), mcnemar(0, 0)
    (0.0654, 1.0)
    """
    from scipy.special import bdtr

    if min(only_first, only_second) < 0:
        raise UnseenError(f"counts of images are not negative; given {only_first} and {only_second}.")
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), only_first + only_second, 0.5)))


def difference_p(
    first: Bool[np.ndarray, " n"], second: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"] | None = None
) -> float:
    r"""Two-sided p that two subjects differ in accuracy on the same images.

    Where each object has one image it is McNemar's exact test. Images of one object go together, so that else the sign
    of each object's difference is flipped: all ways for up to 14 objects, else the normal approximation,
    :math:`(\sum d)^2 / \sum d^2` (Durkalski et al. 2003, with objects weighted by their images).

    >>> a, b = np.array([True] * 6 + [False] * 4), np.array([True] * 3 + [False] * 7)
    >>> difference_p(a, b), difference_p(a, b, np.arange(10) // 2)
    (0.25, 0.5)
    """
    if objects is None or len(np.unique(objects)) == len(objects):
        counts = pair_counts(first, second)
        return mcnemar(counts.only_first, counts.only_second)
    _same_images(first, second, objects)
    _, place = np.unique(objects, return_inverse=True)
    sums = np.bincount(place, weights=first.astype(np.float64) - second)
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0
    if len(sums) <= EXACT:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float(np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9))
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(sums.sum()) / np.sqrt((sums**2).sum())))


def tie_groups(names: Sequence[str], different: Bool[np.ndarray, "k k"]) -> list[tuple[str, ...]]:
    """Groups of subjects of which no two were told apart (a compact letter display; Piepho 2004): two subjects share a
    group if and only if ``different`` does not part them. Groups follow the order of ``names``.

    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> tie_groups(["a", "b", "c"], apart)
    [('a', 'b'), ('b', 'c')]
    """
    groups = [frozenset(range(len(names)))]
    for one, other in combinations(range(len(names)), 2):
        if not different[one, other]:
            continue
        split = [half for group in groups for half in _without(group, one, other)]
        unique = sorted(set(split), key=len, reverse=True)
        groups = []
        for group in unique:
            if not any(group < larger for larger in groups):
                groups.append(group)
    return [tuple(names[place] for place in sorted(group)) for group in sorted(groups, key=lambda g: sorted(g))]


def _without(group: frozenset[int], one: int, other: int) -> list[frozenset[int]]:
    return [group - {one}, group - {other}] if one in group and other in group else [group]
