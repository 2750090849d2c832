"""Which triangle is seen at each sample: a z-buffer filled by one integer scatter.

A triangle is three homogeneous points (X, Y, W). Its edge functions are their cross products, and 1 / W is a plane over
the frame (Olano & Greer, *Triangle scan conversion using 2D homogeneous coordinates*, 1997), so a triangle through the
plane of the camera needs no clipping. Each triangle is cut into its rows, each row into the samples between its edges:
a huge face costs the samples that it covers and never its bounding box. Two faces that share an edge compute the same
crossing of it with a row, to the bit (the cross product changes its sign and nothing else), and both include it: there
are no cracks. Of several triangles the nearest wins, and of equally near ones the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from unseen.worlds.rendering.projection import runs

if TYPE_CHECKING:
    from torch import Tensor

NEAR = 0.01  # nearer than this nothing is drawn, in world units
EMPTY = (1 << 63) - 1


@dataclass(frozen=True, eq=False)
class Triangles:
    """Front-facing triangles: ``t`` columns.

    ``face`` is their number in the batch. ``plane`` [9, t] are the planes over the frame of 1 / W and of the second and
    third corner's weight over W; ``edges`` [12, t] the crossings of the edges with a row y, slope · y + offset, and
    whether the inside lies right (0, ∞) or left (−∞, 0) of it; ``box`` [4, t] the first and last column and row.
    ``limit`` is the largest 1 / W of each: at a corner, or at the near plane for those that are ``crossing`` it.
    """

    face: Tensor
    image: Tensor
    plane: Tensor
    edges: Tensor
    box: Tensor
    limit: Tensor
    crossing: Tensor
    any_crossing: bool


def triangles(points: Tensor, corner: Tensor, image: Tensor, size: int, near: float = NEAR) -> Triangles:
    """Set up the faces ``corner`` [3, f] of ``points`` [3, v] for square frames of ``size`` samples."""
    import torch

    # the second and third corner change places: a face that looks at the camera then has a positive determinant
    v0, v2, v1 = (points.index_select(1, corner[k]).unbind(0) for k in range(3))
    d1 = [b - a for a, b in zip(v0, v1)]
    d2 = [b - a for a, b in zip(v0, v2)]
    normal = _cross(d1, d2)
    determinant = normal[0] * v0[0] + normal[1] * v0[1] + normal[2] * v0[2]
    depth = torch.maximum(torch.maximum(v0[2], v1[2]), v2[2])
    kept = ((determinant > 1e-30) & (depth >= near)).nonzero().squeeze(1)

    def of(rows: Sequence[Tensor]) -> list[Tensor]:
        return [row.index_select(0, kept) for row in rows]

    v0, v1, v2, d1, d2, normal = (of(rows) for rows in (v0, v1, v2, d1, d2, normal))
    depth = torch.minimum(torch.minimum(v0[2], v1[2]), v2[2])
    crosses = depth < near
    return Triangles(
        face=kept,
        image=image.index_select(0, kept),
        plane=torch.stack([*normal, *_cross(d2, v0), *_cross(v0, d1)]).div_(determinant.index_select(0, kept)),
        edges=_edges(v0, v1, v2),
        box=_box([v0, v1, v2], crosses, size),
        limit=1.0 / depth.clamp_min(near),
        crossing=crosses,
        any_crossing=bool(crosses.any()),
    )


def _cross(a: Sequence[Tensor], b: Sequence[Tensor]) -> list[Tensor]:
    (ax, ay, az), (bx, by, bz) = a, b
    return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]


def _box(corners: list[Sequence[Tensor]], crosses: Tensor, size: int) -> Tensor:
    """First and last column and row [4, f] whose samples may lie inside; the whole frame where a face crosses the near
    plane."""
    import torch

    sides = []
    half = size * 0.5 - 0.5
    for axis in (0, 1):
        a, b, c = (v[axis] / v[2] for v in corners)
        low = torch.minimum(torch.minimum(a, b), c) + half
        high = torch.maximum(torch.maximum(a, b), c) + half
        sides.append(torch.where(crosses, 0.0, low.ceil().clamp(0, size)))
        sides.append(torch.where(crosses, size - 1.0, high.floor().clamp(-1, size - 1)))
    return torch.stack(sides).int()


def _edges(v0: Sequence[Tensor], v1: Sequence[Tensor], v2: Sequence[Tensor]) -> Tensor:
    import torch

    rows = []
    for a, b in ((v1, v2), (v2, v0), (v0, v1)):
        x, y, c = _cross(a, b)
        x = torch.where(x == 0, 1e-20, x)  # a level edge: its crossing lies far to the left or to the right
        inside_right = x > 0
        lower = torch.where(inside_right, 0.0, float("-inf"))
        upper = torch.where(inside_right, float("inf"), 0.0)
        rows += [-y / x, -c / x, lower, upper]
    return torch.stack(rows)


@dataclass(frozen=True, eq=False)
class Fragments:
    """Samples of triangles: where in the frames (column; row and image as the offset of their row), which triangle of
    the list, and the value of its first plane there."""

    place: Tensor  # int64
    triangle: Tensor  # int32
    value: Tensor


def fragments(found: Triangles, plane: Tensor, size: int, supersampling: int, most: int) -> Iterator[Fragments]:
    """Every sample inside a triangle, about ``most`` at a time. ``plane`` [3, t] is what to evaluate there.

    A sample's place is ``[image, sub-row, sub-column, row, column]``: samples of one pixel lie in planes.
    """
    rows_of = (found.box[3] - found.box[2] + 1).clamp_min(0).long()
    if not len(rows_of):
        return
    ends = rows_of.cumsum(0)
    for low, high in _slices(ends, most):
        rows = _rows(found, plane, rows_of, low, high, size, supersampling)
        yield from _samples(rows, size, supersampling, most)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of triangles: the first column and how many, the value at the middle column and its slope, the place of
    column 0."""

    triangle: Tensor
    first: Tensor
    counts: Tensor
    slope: Tensor
    base: Tensor
    start: Tensor


def _rows(found: Triangles, plane: Tensor, rows_of: Tensor, low: int, high: int, size: int, supersampling: int) -> Rows:
    import torch

    box = found.box[:, low:high]
    triangle, y = runs(rows_of[low:high], box[2])
    middle = size * 0.5 - 0.5
    from_middle = y.float() - middle
    table = torch.cat([found.edges[:, low:high], plane[:, low:high]]).index_select(1, triangle)
    lower, upper = _between(table, from_middle)
    first = torch.maximum((lower + middle).ceil().clamp(0, size).int(), box[0].index_select(0, triangle))
    last = torch.minimum((upper + middle).floor().clamp(-1, size - 1).int(), box[1].index_select(0, triangle))
    side = size // supersampling
    y, sub_y = _divided(y, supersampling)
    image = found.image[low:high].index_select(0, triangle)
    return Rows(
        triangle=(triangle + low).int(),
        first=first,
        counts=(last - first + 1).clamp_min(0),
        slope=table[12],
        base=table[13] * from_middle + table[14],
        start=(((image * supersampling + sub_y) * supersampling) * side + y) * side,
    )


def _samples(rows: Rows, size: int, supersampling: int, most: int) -> Iterator[Fragments]:
    side, middle = size // supersampling, size * 0.5 - 0.5
    ends = rows.counts.cumsum(0)
    for low, high in _slices(ends, most):
        of, x = runs(rows.counts[low:high], rows.first[low:high])
        x = x.int()
        slope, base = rows.slope[low:high].index_select(0, of), rows.base[low:high].index_select(0, of)
        value = slope.mul_(x.float().sub_(middle)).add_(base)
        x, sub_x = _divided(x, supersampling)
        column = x if supersampling == 1 else sub_x * (side * side) + x
        place = rows.start[low:high].index_select(0, of).add_(column)
        yield Fragments(place, rows.triangle[low:high].index_select(0, of), value)


def _between(table: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    import torch

    crossings = [table[k] * y + table[k + 1] for k in (0, 4, 8)]
    lows = [crossing + table[k] for crossing, k in zip(crossings, (2, 6, 10))]
    highs = [crossing + table[k] for crossing, k in zip(crossings, (3, 7, 11))]
    return torch.maximum(torch.maximum(lows[0], lows[1]), lows[2]), torch.minimum(
        torch.minimum(highs[0], highs[1]), highs[2]
    )


def _divided(x: Tensor, by: int) -> tuple[Tensor, Tensor]:
    """Quotient and rest of whole numbers; powers of two by shifting."""
    if by & (by - 1) == 0:
        return x >> (by.bit_length() - 1), x & (by - 1)
    quotient = x.div(by, rounding_mode="floor")
    return quotient, x - quotient * by


def _slices(ends: Tensor, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold about ``most`` samples each."""
    import torch

    total = int(ends[-1])
    if total <= most:
        if total:
            yield 0, len(ends)
        return
    marks = torch.arange(most, total + most, most, device=ends.device)
    cuts = sorted({0, len(ends), *torch.searchsorted(ends, marks).clamp(max=len(ends)).tolist()})
    yield from pairwise(cuts)


def nearest(found: Triangles, images: int, size: int, supersampling: int, most: int) -> Tensor:
    """The winner's key at every sample, ``[images, supersampling², (size / supersampling)²]``: its low 32 bits are the
    number of the triangle in ``found``; :data:`EMPTY` where there is none."""
    import torch

    side = size // supersampling
    keys = torch.full((images * size * size,), EMPTY, dtype=torch.int64, device=found.plane.device)
    for part in fragments(found, found.plane[:3], size, supersampling, most):
        # positive floats sort as their bits do
        limit = found.limit.index_select(0, part.triangle)
        value = torch.minimum(part.value, limit).clamp_min(1e-30)  # beyond its corners a sliver's plane means nothing
        far = (0x7F800000 - value.view(torch.int32)).long()
        key = (far << 32) | part.triangle
        if found.any_crossing:
            cut = found.crossing.index_select(0, part.triangle) & (part.value > limit)
            key = torch.where(cut, EMPTY, key)
        keys.scatter_reduce_(0, part.place, key, "amin")
    return keys.view(images, supersampling * supersampling, side * side)


def highest(found: Triangles, height: Tensor, images: int, size: int, empty: float, most: int) -> Tensor:
    """The largest value at every sample, ``[images · size²]``, of a quantity with the values ``height`` [3, t] at the
    triangles' corners, for frames without perspective (W = 1)."""
    import torch

    h0, h2, h1 = height.unbind(0)
    _, _, _, *weights = found.plane.unbind(0)
    plane = torch.stack([(h1 - h0) * weights[k] + (h2 - h0) * weights[3 + k] for k in range(3)])
    plane[2] += h0
    limit = torch.maximum(torch.maximum(h0, h1), h2)
    top = torch.full((images * size * size,), empty, device=plane.device)
    for part in fragments(found, plane, size, 1, most):
        value = torch.minimum(part.value, limit.index_select(0, part.triangle))
        top.scatter_reduce_(0, part.place, value, "amax")
    return top
