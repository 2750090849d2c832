"""The form of a mesh in a few numbers, to tell copies: the same geometry in another colour, place, size or cut.

Moments of the surface, weighted by area, of a mesh whose longest edge is 1. They do not depend on how the surface is
cut into triangles, in what order these come, where textures have seams, or what colour anything has. The method is
ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

ALIKE = 1e-3  # the most that any of the numbers of two copies may differ by


def form(corners: np.ndarray) -> tuple[float, ...]:
    """Edges of the bounding box, area, mean, second and third moments about it of faces ``[f, 3, 3]``: 23 numbers.

    Each moment is the integral of a product of coordinates over the surface, divided by the area; quadrature at the
    middles of the edges is exact for products of two, and close for three.
    """
    flat = corners.reshape(-1, 3)
    low, high = flat.min(0), flat.max(0)
    size = float((high - low).max()) or 1.0
    placed = (corners - (low + high) / 2) / size
    area = np.linalg.norm(np.cross(placed[:, 1] - placed[:, 0], placed[:, 2] - placed[:, 0]), axis=1) / 2
    whole = float(area.sum()) or 1.0
    points = (placed + np.roll(placed, -1, axis=1)).reshape(-1, 3) / 2
    weight = np.repeat(area / (3 * whole), 3)
    mean = weight @ points
    centred = points - mean
    moments = [
        float(weight @ np.prod(centred[:, axes], axis=1))
        for order in (2, 3)
        for axes in map(list, combinations_with_replacement(range(3), order))
    ]
    return tuple(round(float(x), 6) for x in (*(high - low) / size, whole, *mean, *moments))


def alike(forms: Sequence[Sequence[float]], within: float = ALIKE) -> np.ndarray:
    """The number of the first one of the same form, for each: its own where it is the first.

    >>> alike([(1.0, 2.0), (1.0, 3.0), (1.0, 2.0)]).tolist()
    [0, 1, 0]
    """
    if not len(forms):
        return np.zeros(0, np.int64)
    table = np.asarray(forms, np.float64)
    spread = int(np.argmax(np.ptp(table, axis=0)))
    order = np.argsort(table[:, spread], kind="stable")
    sorted_ = table[order]
    first = np.arange(len(table))
    for step in range(1, len(table)):
        near = np.flatnonzero(sorted_[step:, spread] - sorted_[:-step, spread] <= within)
        if not len(near):
            break
        same = near[(np.abs(sorted_[near + step] - sorted_[near]) <= within).all(1)]
        for one, other in zip(order[same].tolist(), order[same + step].tolist()):
            a, b = _root(first, one), _root(first, other)
            first[max(a, b)] = min(a, b)
    return np.array([_root(first, one) for one in range(len(first))], np.int64)


def _root(first: np.ndarray, one: int) -> int:
    while first[one] != one:
        one = int(first[one])
    return one
