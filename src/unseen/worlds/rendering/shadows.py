"""Shadows of the first light: how high things reach towards it, seen along its rays.

A map of one height per texel (Williams 1978), drawn by the same function as the picture. Whether a point lies below the
map is asked at sixteen texels and averaged over a square of three by three around it (percentage-closer filtering,
Reeves et al. 1987, with bilinear weights), and each answer rises over one texel of height instead of jumping: edges are
soft and do not flicker. What receives is pushed out along its normal (Holbert 2011), so that a surface does not shade
itself. All lengths are in texels. A second map, seen from below, holds how high things float over the floor: where
that is little, less of the sky's light comes in (ours).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.rendering.projection import Geometry, axes, carried, focal_of
from unseen.worlds.rendering.visibility import highest, triangles

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes, Things

EMPTY = -1e6  # the height where no thing is
MARGIN = 4  # empty texels around what is framed: taps that leave the map find nothing
FARTHEST = 1.5  # a map frames at most so many times what the camera sees around its target (ours)
OFFSET = 2.0  # along the normal, in texels: the reach of the average, so a plane at any angle stays clear (ours)
FADE = 0.5  # shadows fade over 1 / so many texels, within the margin, where a map frames everything (ours)
CUT_FADE = 6.0  # and over 1 / so much of the map where it does not: what it cuts off must not end abruptly (ours)
BIAS = 0.5  # along the ray, in texels (ours)
HOVER = 6.0  # from this height on, in texels of its map, a thing leaves the floor all light of the sky (ours)


@dataclass(frozen=True, eq=False)
class ShadowMap:
    """``frame`` [b, 3, 3] and ``origin`` [b, 3] carry a point of the world to column, row and height in texels;
    ``texel`` [b] is the length of one. ``height`` [b · size²]. A point is fully dark ``1 / rise`` texels below. Towards
    the edge of the map shadows fade over ``1 / fade`` [b] texels: over its empty margin, or over a sixth of it where
    the map does not frame everything."""

    frame: Tensor
    origin: Tensor
    texel: Tensor
    fade: Tensor
    height: Tensor
    size: int
    rise: float = 1.0


def shadow_map(scenes: Scenes, geometry: Geometry, shelf: Shelf, size: int, most: int) -> ShadowMap:
    """Heights towards the first light."""
    import torch

    towards = scenes.light[:, 0]
    right, up = axes(-towards)
    frame, origin, texel, fade = _framed(scenes, shelf, torch.stack([right, -up, towards], 1), size)
    points = carried(geometry.point, geometry.image, frame, origin)
    height = _drawn(points, geometry.corner, geometry.face_image, len(scenes), size, most)
    return ShadowMap(frame, origin, texel, fade, height, size)


def contact_map(scenes: Scenes, geometry: Geometry, shelf: Shelf, size: int, most: int) -> ShadowMap:
    """Depths below the things, seen from under the floor; only of faces close to it."""
    import torch

    basis = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], device=scenes.eye.device)
    frame, origin, texel, fade = _framed(scenes, shelf, basis.expand(len(scenes), 3, 3), size)
    points = carried(geometry.point, geometry.image, frame, origin)
    corner = geometry.corner
    low = (points[2] > -HOVER).float()
    low = low.index_select(0, corner[0]) + low.index_select(0, corner[1]) + low.index_select(0, corner[2])
    close = low.nonzero().squeeze(1)
    height = _drawn(
        points, corner.index_select(1, close), geometry.face_image.index_select(0, close), len(scenes), size, most
    )
    return ShadowMap(frame, origin, texel, fade, height, size, 1.0 / HOVER)


def _drawn(points: Tensor, corner: Tensor, image: Tensor, images: int, size: int, most: int) -> Tensor:
    import torch

    flat = torch.stack([points[0] - size * 0.5, points[1] - size * 0.5, torch.ones_like(points[0])])
    found = triangles(flat, corner, image, size)
    corner = corner.index_select(1, found.face)
    tops = torch.stack([points[2].index_select(0, corner[k]) for k in range(3)])
    return highest(found, tops, images, size, EMPTY, most)


def _framed(scenes: Scenes, shelf: Shelf, basis: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A frame of ``size`` texels around the boxes of each image's things, along the rows of ``basis`` [b, 3, 3]."""
    import torch

    things, b = scenes.things, len(scenes)
    low, high = _spans(things, shelf, basis)
    every = _union(low, high, things.image, b)
    clutter = (things.label != 0)[:, None]
    inf = float("inf")
    focus = _union(torch.where(clutter, inf, low), torch.where(clutter, -inf, high), things.image, b)
    focus = [torch.where(torch.isfinite(f), f, e) for f, e in zip(focus, every)]

    def measured(box: list[Tensor]) -> tuple[Tensor, Tensor]:
        half = (box[1] - box[0]) * 0.5
        return torch.maximum(half[:, 0], half[:, 1]), (box[0] + box[1]) * 0.5

    reach, centre = measured(every)
    limit, middle = measured(focus)
    view = scenes.target - scenes.eye  # half the height of what is seen at the target's distance
    seen = (view[:, 0] * view[:, 0] + view[:, 1] * view[:, 1] + view[:, 2] * view[:, 2]).sqrt() / focal_of(scenes.fov)
    limit = torch.maximum(limit, seen) * FARTHEST
    far = reach > limit
    reach = torch.where(far, limit, reach)
    centre = torch.where(far[:, None], middle, centre)
    usual = torch.isfinite(reach) & (reach > 0)  # an image without things, too, needs some frame
    reach, centre = torch.where(usual, reach, 1.0), torch.where(usual[:, None], centre, 0.0)
    texel = reach * (2.0 / (size - 2 * MARGIN))
    centre = torch.cat([centre[:, :2], torch.zeros_like(centre[:, :1])], 1) - texel[:, None] * torch.tensor(
        [size * 0.5, size * 0.5, 0.0], device=texel.device
    )
    world = basis[:, 0] * centre[:, :1] + basis[:, 1] * centre[:, 1:2]  # the rows of the basis are of unit length
    fade = torch.where(far, CUT_FADE / size, FADE)
    return basis / texel[:, None, None], world, texel, fade


def _spans(things: Things, shelf: Shelf, basis: Tensor) -> tuple[Tensor, Tensor]:
    """How far the box of each thing reaches along each row of its image's basis, ``[m, 3]`` twice."""
    import torch

    low, high = shelf.low.index_select(0, things.mesh), shelf.high.index_select(0, things.mesh)
    middle, half = (low + high) * 0.5 * things.size[:, None], (high - low) * 0.5 * things.size[:, None]
    basis = basis.index_select(0, things.image)
    lows, highs = [], []
    for row in range(3):
        a = basis[:, row]
        along = [a[:, 0] * r[:, 0] + a[:, 1] * r[:, 1] + a[:, 2] * r[:, 2] for r in things.rotation.unbind(2)]
        at = a[:, 0] * things.position[:, 0] + a[:, 1] * things.position[:, 1] + a[:, 2] * things.position[:, 2]
        at = at + along[0] * middle[:, 0] + along[1] * middle[:, 1] + along[2] * middle[:, 2]
        reach = along[0].abs() * half[:, 0] + along[1].abs() * half[:, 1] + along[2].abs() * half[:, 2]
        lows.append(at - reach)
        highs.append(at + reach)
    return torch.stack(lows, 1), torch.stack(highs, 1)


def _union(low: Tensor, high: Tensor, image: Tensor, b: int) -> list[Tensor]:
    """The least and the greatest of each image: exact in any order."""
    import torch

    index = image[:, None].expand(-1, 3)
    inf = float("inf")
    least = torch.full((b, 3), inf, device=low.device).scatter_reduce_(0, index, low, "amin")
    most = torch.full((b, 3), -inf, device=low.device).scatter_reduce_(0, index, high, "amax")
    return [least, most]


def receivers(shadow: ShadowMap, geometry: Geometry) -> Tensor:
    """Where vertices ask for their shadow: column, row and height ``[3, v]`` in texels."""
    out = shadow.texel.index_select(0, geometry.image) * OFFSET
    at = carried(geometry.point + geometry.normal * out, geometry.image, shadow.frame, shadow.origin)
    at[2] += BIAS
    return at


def occluded(shadow: ShadowMap, image: Tensor, column: Tensor, row: Tensor, height: Tensor | float) -> Tensor:
    """How much of the light is kept from points, 0 to 1."""
    import torch

    size = shadow.size
    edge = torch.minimum(torch.minimum(column, size - column), torch.minimum(row, size - row))
    edge = edge.sub_(2.0).mul_(shadow.fade.index_select(0, image)).clamp_(0.0, 1.0)
    column, row = column.clamp(2.0, size - 2.001) - 0.5, row.clamp(2.0, size - 2.001) - 0.5
    x, y = column.floor(), row.floor()
    across, down = column.sub_(x), row.sub_(y)
    start = (image.int() * size + (y.int() - 1)) * size + (x.int() - 1)
    lines = []
    for j in range(4):
        shares = [
            shadow.height.index_select(0, start + (j * size + i)).sub_(height).mul_(shadow.rise).clamp_(0.0, 1.0)
            for i in range(4)
        ]
        lines.append(_averaged(shares, across))
    return _averaged(lines, down).mul_(1.0 / 9.0).mul_(edge)


def _averaged(four: list[Tensor], share: Tensor) -> Tensor:
    """Three times the mean over an interval of three texels that starts ``share`` of a texel after the first."""
    first, second, third, fourth = four
    return fourth.sub_(first).mul_(share).add_(first).add_(second).add_(third)
