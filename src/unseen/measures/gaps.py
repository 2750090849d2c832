"""The gap of natural variation: how much worse objects are known off their canonical view (Ibrahim et al. 2022).

Numbers here are per object first: the pictures of one object go together, so that an object is what may be drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.bootstrap import percentile_ends
from unseen.measures.statistics import NAN, Interval
from unseen.vocabulary.errors import UnseenError

DRAWS = 2000
METHOD = "bootstrap over objects within classes"


def object_accuracy(
    right: Bool[np.ndarray, " answers"], objects: Int[np.ndarray, " answers"], count: int
) -> tuple[Float[np.ndarray, " objects"], Int[np.ndarray, " objects"]]:
    """Of each of ``count`` objects the share of pictures named right, and how many there are; of none NaN.

    >>> share, n = object_accuracy(np.array([True, False, True]), np.array([0, 0, 2]), 3)
    >>> share.tolist(), n.tolist()
    ([0.5, nan, 1.0], [2, 0, 1])
    """
    pictures = np.bincount(objects, minlength=count)
    known = np.bincount(objects, right, minlength=count)
    return np.divide(known, pictures, out=np.full(count, np.nan), where=pictures > 0), pictures


def gap(canonical: Float[np.ndarray, " objects"], varying: Float[np.ndarray, " objects"]) -> float:
    r"""Accuracy off the canonical view less accuracy at it, of the same objects (Ibrahim et al. 2022, section 4).

    With :math:`v_o` and :math:`c_o` the accuracies of object :math:`o`, :math:`g = \frac1n \sum_o (v_o - c_o)` over the
    objects that have both. Negative: varying is worse. The paper takes means over pictures; every object there has as
    many, and then the two are the same.

    >>> gap(np.array([1.0, 1.0, 0.0, np.nan]), np.array([0.5, 0.75, 0.25, 1.0]))
    -0.16666666666666666
    """
    difference = np.asarray(varying, np.float64) - np.asarray(canonical, np.float64)
    kept = difference[np.isfinite(difference)]
    return float(kept.mean()) if len(kept) else NAN


def gap_interval(
    canonical: Float[np.ndarray, " objects"],
    varying: Float[np.ndarray, " objects"],
    classes: Int[np.ndarray, " objects"],
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Interval:
    """:func:`gap` with a 95 % interval: other objects of the same classes.

    A draw takes, of each class with m objects, m - 1 of them with replacement and weighs the class as before (Rao & Wu
    1988): m draws would be too alike where m is small, by (m - 1) / m in variance. Pictures of an object stay with it:
    its share of right ones has their spread in it already (Davison & Hinkley 1997, section 3.8). A class of one object
    has no spread to draw from and stays as it is. It says nothing of other networks: that is what repeats are for.

    >>> one = gap_interval(np.ones(4), np.array([0, 0.5, 0.5, 1]), np.array([0, 0, 1, 1]), rng=np.random.default_rng(0))
    >>> print(one)
    -0.500 [-0.750, -0.250], n = 4
    """
    difference = np.asarray(varying, np.float64) - np.asarray(canonical, np.float64)
    kept = np.isfinite(difference)
    dropped, n = int((~kept).sum()), int(kept.sum())
    if not n:
        return Interval(NAN, NAN, NAN, 0, METHOD, dropped)
    values, of = difference[kept], np.asarray(classes)[kept]
    drawn = np.zeros(draws)
    for one in np.unique(of):
        mine = values[of == one]
        again = mine[rng.integers(0, len(mine), (draws, max(1, len(mine) - 1)))]
        drawn += again.mean(1) * (len(mine) / n)
    low, high = percentile_ends(drawn)
    return Interval(float(values.mean()), float(low), float(high), n, METHOD, dropped)


def slope(shares: Float[np.ndarray, " shares"], gaps: Float[np.ndarray, "*many shares"]) -> Float[np.ndarray, "*many"]:
    r"""The slope of the line of best fit through gaps over the share that varied in training (section 5.2, Fig. 5).

    :math:`\beta = \sum_i (s_i - \bar s)(g_i - \bar g) / \sum_i (s_i - \bar s)^2` over the shares with a gap; fewer than
    two different ones have none (NaN). Shares are parts of one: the paper's .359 (finetune) and .441 (linear) are then
    the change of a gap from none to all. Ours: networks that saw nothing vary are another regime and no point of it.

    >>> slope(np.array([0.0, 0.5, 1.0]), np.array([[-0.4, -0.2, 0.0], [-0.1, np.nan, -0.1]])).round(3).tolist()
    [0.4, 0.0]
    """
    gaps, shares = np.asarray(gaps, np.float64), np.asarray(shares, np.float64)
    if gaps.shape[-1] != len(shares):
        raise UnseenError(f"a slope needs a gap for each share; given {gaps.shape[-1]} gaps and {len(shares)} shares.")
    kept = np.isfinite(gaps) & np.isfinite(shares)
    count = np.maximum(kept.sum(-1, keepdims=True), 1)
    x = np.where(kept, shares, 0.0)
    x = np.where(kept, x - x.sum(-1, keepdims=True) / count, 0.0)
    y = np.where(kept, gaps, 0.0)
    y = np.where(kept, y - y.sum(-1, keepdims=True) / count, 0.0)
    squares = (x * x).sum(-1)
    flat = squares <= 1e-12
    return np.where(flat, np.nan, (x * y).sum(-1) / np.where(flat, 1.0, squares))


def improvement(without: Float[np.ndarray, "*many"], varied: Float[np.ndarray, "*many"]) -> Float[np.ndarray, "*many"]:
    """How much a gap closes by training that varies (Fig. 6): positive is better.

    The paper prints "gap with no varying training factors - gap with all varying" and says that positive values are an
    improvement; with gaps below zero, as its tables have them, these exclude each other. The words are followed.

    >>> improvement(np.array([-0.4]), np.array([-0.1])).round(3).tolist()
    [0.3]
    """
    return np.asarray(varied, np.float64) - np.asarray(without, np.float64)


def nearest_seen(
    similarity: Float[np.ndarray, "classes classes"], seen: Bool[np.ndarray, " classes"]
) -> Float[np.ndarray, " classes"]:
    """For each class that was never seen varying the similarity to the nearest one that was (Fig. 7); NaN for the seen
    ones, and where no similarity is known.

    >>> nearest_seen(np.array([[1, 0.2, 0.5], [0.2, 1, 0.1], [0.5, 0.1, 1]]), np.array([True, True, False])).tolist()
    [nan, nan, 0.5]
    """
    among = np.where(np.asarray(seen)[None, :], similarity, -np.inf)
    found = np.where(np.isfinite(among), among, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(np.asarray(seen) | ~np.isfinite(found), np.nan, found)


@dataclass(frozen=True, eq=False)
class BySimilarity:
    """Mean gap of classes by how similar the nearest class seen varying is: ``middle`` of each bin, ``mean``,
    ``error`` (standard error of the mean; NaN of one class) and ``n`` classes."""

    middle: Float[np.ndarray, " bins"]
    mean: Float[np.ndarray, " bins"]
    error: Float[np.ndarray, " bins"]
    n: Int[np.ndarray, " bins"]


def by_similarity(
    gaps: Float[np.ndarray, " classes"], nearest: Float[np.ndarray, " classes"], bins: int = 5
) -> BySimilarity:
    """Gaps of classes in bins of about as many classes each, from the least to the most similar (Fig. 7, mean ±
    standard error). Ours: bins by rank; classes of equal similarity share one, so that there may be fewer bins.

    >>> found = by_similarity(np.array([-0.6, -0.4, -0.1, -0.3]), np.array([0.1, 0.2, 0.8, 0.9]), 2)
    >>> found.mean.round(2).tolist(), found.error.round(2).tolist(), found.n.tolist()
    ([-0.5, -0.2], [0.1, 0.1], [2, 2])
    """
    gaps, nearest = np.asarray(gaps, np.float64), np.asarray(nearest, np.float64)
    kept = np.isfinite(gaps) & np.isfinite(nearest)
    gaps, nearest = gaps[kept], nearest[kept]
    if not len(gaps):
        nothing = np.zeros(0)
        return BySimilarity(nothing, nothing, nothing, np.zeros(0, dtype=np.int64))
    _, place, often = np.unique(nearest, return_inverse=True, return_counts=True)
    middle_rank = (np.cumsum(often) - (often + 1) / 2)[place]
    own = np.floor(middle_rank / len(gaps) * bins).astype(np.int64)
    groups = [np.flatnonzero(own == one) for one in np.unique(own)]
    errors = [gaps[g].std(ddof=1) / np.sqrt(len(g)) if len(g) > 1 else np.nan for g in groups]
    return BySimilarity(
        np.array([nearest[g].mean() for g in groups]),
        np.array([gaps[g].mean() for g in groups]),
        np.array(errors),
        np.array([len(g) for g in groups], dtype=np.int64),
    )


def cosine_similarity(vectors: Float[np.ndarray, "classes features"]) -> Float[np.ndarray, "classes classes"]:
    """Cosines between vectors of classes: words of a sentence encoder, or the mean features of a model. A vector of
    zeros is like nothing (NaN).

    >>> cosine_similarity(np.array([[1.0, 0.0], [1.0, 1.0]])).round(3).tolist()
    [[1.0, 0.707], [0.707, 1.0]]
    """
    vectors = np.asarray(vectors, np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, length, out=np.full_like(vectors, np.nan), where=length > 0)
    return unit @ unit.T
