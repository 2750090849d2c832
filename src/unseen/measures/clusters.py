"""Accuracy where images of one object go together: objects are what was sampled, not images.

A mean is over objects, of each object's own share, so that an object with many images counts no more than another.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.bootstrap import percentile_ends
from unseen.measures.statistics import Interval, mean_interval, proportion_interval
from unseen.vocabulary.seeds import stream

DRAWS = 2000
FEWEST = 20  # objects that are resampled; of fewer the bootstrap's intervals are too narrow (ours: t instead)
MOST = 5000  # of more, t and bootstrap agree


def by_object(
    values: Bool[np.ndarray, " n"] | Float[np.ndarray, " n"], objects: Int[np.ndarray, " n"]
) -> tuple[Int[np.ndarray, " objects"], Float[np.ndarray, " objects"], Int[np.ndarray, " objects"]]:
    """The objects that occur, the mean of each, and how many values that is of.

    >>> [one.tolist() for one in by_object(np.array([True, False, True]), np.array([7, 7, 3]))]
    [[3, 7], [1.0, 0.5], [1, 2]]
    """
    every, places = np.unique(objects, return_inverse=True)
    counts = np.bincount(places, minlength=len(every))
    sums = np.bincount(places, weights=np.asarray(values, np.float64), minlength=len(every))
    return every, sums / np.maximum(counts, 1), counts


def over_objects(right: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"], level: float = 0.95) -> Interval:
    """Share of right answers, the mean over objects, with an interval over objects; ``n`` counts objects.

    Where each object has one image it is the exact binomial interval. Else objects are drawn again with replacement,
    each with all its images (the cluster bootstrap; Davison & Hinkley 1997, section 3.8: images are not drawn again
    within an object, since the spread between objects has theirs in it already, and it would count twice). Of fewer
    than twenty objects it is Student's t over them; of one there is none. Objects that are all
    right or all wrong have the exact binomial interval of so many images.

    >>> print(over_objects(np.array([True] * 8 + [False] * 2), np.arange(10)))
    0.800 [0.444, 0.975], n = 10
    >>> over_objects(np.array([True, True, False, False, True, False]), np.array([0, 0, 1, 1, 2, 2])).method
    't over objects'
    """
    _, means, counts = by_object(right, objects)
    n = len(means)
    if n == 0:
        return Interval(float("nan"), float("nan"), float("nan"), 0, "none", 0, level)
    alike = n > 1 and means[0] in (0.0, 1.0) and (means == means[0]).all()
    if counts.max() == 1 or alike:
        return proportion_interval(round(means.sum()), n, level)
    if not FEWEST <= n <= MOST:
        found = mean_interval(means, level).cut(0, 1)
        return Interval(found.value, found.low, found.high, n, "t over objects", 0, level)
    drawn = stream(0, "measures", "over objects", n).multinomial(n, np.full(n, 1 / n), size=DRAWS) @ means / n
    low, high = percentile_ends(drawn, level)
    return Interval(float(means.mean()), float(low), float(high), n, "bootstrap over objects", 0, level)


def paired(
    right: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"], here: Bool[np.ndarray, " n"],
    there: Bool[np.ndarray, " n"],
) -> tuple[Int[np.ndarray, " objects"], Float[np.ndarray, " objects"]]:  # fmt: skip
    """Accuracy ``here`` minus accuracy ``there``, of each object that was asked in both.

    >>> right, objects = np.array([True, False, True, True]), np.array([0, 0, 1, 1])
    >>> [one.tolist() for one in paired(right, objects, np.arange(4) % 2 == 1, np.arange(4) % 2 == 0)]
    [[0, 1], [-1.0, 0.0]]
    """
    first, a, _ = by_object(right[here], objects[here])
    second, b, _ = by_object(right[there], objects[there])
    both, at, beside = np.intersect1d(first, second, return_indices=True)
    return both, a[at] - b[beside]
