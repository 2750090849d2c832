"""Scenes of natural variation: objects in any pose, anywhere in the frame, standing on what ground there is.

An object stays where it stands and the camera moves, so that a shift in the frame changes neither its shadow nor its
contact with the ground; it is in the middle of the frame at every size and in every pose, unless position shifts it.
Its size is the share of the frame that it takes in its canonical pose, so that no canonical picture cuts it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from unseen.worlds.rendering.camera import turned
from unseen.worlds.rendering.chance import uniform
from unseen.worlds.rendering.projection import axes, runs, unit
from unseen.worlds.shown import FRONT, Shown, before
from unseen.worlds.variation import DISTANCE, FOV, FRAME, Variation

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes


_SPANS: WeakKeyDictionary[Shelf, dict[str, Tensor]] = WeakKeyDictionary()  # they are asked for with every batch


def natural_scenes(shown: Shown, shelf: Shelf, variation: Variation, seed: int) -> Scenes:
    import torch

    from unseen.worlds.rendering.staging import staged

    mesh = shown.mesh
    size = shown.size * FRAME / canonical_spans(shelf, variation).index_select(0, mesh)
    rotation = _rotation(shown, variation, seed)
    middle = _turned_point(rotation, shelf.centre[mesh]) * size[:, None]
    lift = torch.where(shown.ground, -lowest(shelf, mesh, rotation) * size, -middle[:, 2])
    position = torch.stack([-middle[:, 0], -middle[:, 1], lift], -1)
    height = lift + middle[:, 2]  # of the object's middle above the ground, 0 where there is none
    lamp, sky, ground = shown.lamp
    scenes = staged(
        mesh, mesh.device, azimuth=0.0, elevation=shown.elevation, distance=DISTANCE, fov=FOV,
        size=size, position=position, light_azimuth=55.0, light_elevation=50.0, light_colour=lamp, sky=sky,
        ground=ground, target=torch.stack([torch.zeros_like(height), torch.zeros_like(height), height], -1),
    )  # fmt: skip
    scenes = replace(scenes, things=replace(scenes.things, rotation=rotation))
    return before(_shifted(scenes, shown, variation, seed), shown.picture, shown.ground)


def _rotation(shown: Shown, variation: Variation, seed: int) -> Tensor:
    """From the canonical view by the angle of ``pose``, about the vertical or about the object's own axis."""
    import torch

    if not variation.tumbles:
        return turned(shown.pose - FRONT)
    z = uniform(shown.mesh, seed, "stage", "axis height", low=-1.0, high=1.0)
    around = uniform(shown.mesh, seed, "stage", "axis direction", high=360.0)
    turn = about(z, around, shown.pose)
    canonical = turned(torch.full_like(shown.pose, -FRONT))
    rows = [_turned_point(turn, canonical[:, :, k]) for k in range(3)]
    return torch.stack(rows, -1)


def about(height: Tensor, direction: Tensor, angle: Tensor) -> Tensor:
    """Rotations ``[n, 3, 3]`` by ``angle`` degrees about the axis of this ``height`` (its z, −1 to 1) and horizontal
    ``direction`` in degrees (Rodrigues' formula)."""
    import torch

    z, way, turn = height.double(), torch.deg2rad(direction.double()), torch.deg2rad(angle.double())
    level = (1 - z * z).clamp_min(0).sqrt()
    x, y, c, s = level * way.cos(), level * way.sin(), turn.cos(), turn.sin()
    v = 1 - c
    rows = [c + x * x * v, x * y * v - z * s, x * z * v + y * s,
            y * x * v + z * s, c + y * y * v, y * z * v - x * s,
            z * x * v - y * s, z * y * v + x * s, c + z * z * v]  # fmt: skip
    return torch.stack(rows, -1).reshape(-1, 3, 3).float()


def _turned_point(rotation: Tensor, point: Tensor) -> Tensor:
    """``rotation`` [n, 3, 3] times ``point`` [n, 3], written out: a product of matrices may round by the batch."""
    import torch

    x, y, z = point.unbind(-1)
    return torch.stack([rotation[:, k, 0] * x + rotation[:, k, 1] * y + rotation[:, k, 2] * z for k in range(3)], -1)


def canonical_spans(shelf: Shelf, variation: Variation) -> Tensor:
    """What divides the share of the frame that each mesh is to take, so that it takes it in the canonical pose: the
    width or height that it shows there, its middle in the frame's middle, ``[n]``. What is near the camera shows
    larger: a point that sticks out by r and forward by d, of a thing of the canonical share, needs r + d · share / 2 of
    the frame over the distance."""
    import torch

    known = _SPANS.setdefault(shelf, {})
    if variation.name not in known:
        counts = shelf.first_vertex.diff()
        of = torch.repeat_interleave(counts, output_size=shelf.columns.shape[1])
        points = shelf.columns[:3].t() - shelf.centre.index_select(0, of)
        canonical = turned(points.new_tensor([-FRONT])).expand(len(points), 3, 3)
        x, y, z = _turned_point(canonical, points).unbind(-1)
        tilt, share = math.radians(variation.elevation), sum(variation.ranges["size"]) / 2
        out = torch.maximum(y.abs(), (z * math.cos(tilt) - x * math.sin(tilt)).abs())
        forward = x * math.cos(tilt) + z * math.sin(tilt)
        reach = out + forward * (share * FRAME / 2 / DISTANCE)
        known[variation.name] = 2 * torch.zeros(len(counts), device=of.device).scatter_reduce_(0, of, reach, "amax")
    return known[variation.name].clamp_min(1e-6)


def lowest(shelf: Shelf, mesh: Tensor, rotation: Tensor) -> Tensor:
    """The z of each turned mesh's lowest vertex, ``[n]``."""
    import torch

    start = shelf.first_vertex.index_select(0, mesh)
    thing, vertex = runs(shelf.first_vertex.index_select(0, mesh + 1) - start, start)
    x, y, z = shelf.columns[:3].index_select(1, vertex).unbind(0)
    row = rotation[:, 2].index_select(0, thing)
    heights = row[:, 0] * x + row[:, 1] * y + row[:, 2] * z
    return torch.full((len(mesh),), math.inf, device=mesh.device).scatter_reduce_(0, thing.long(), heights, "amin")


def _shifted(scenes: Scenes, shown: Shown, variation: Variation, seed: int) -> Scenes:
    """The same scenes with the object elsewhere in the frame: eye and target move the other way."""
    import torch

    way = torch.zeros_like(shown.position)
    if variation.plane:
        way = uniform(shown.mesh, seed, "stage", "shift direction", high=2 * math.pi)
    right, up = axes(unit(scenes.target - scenes.eye))
    by = shown.position * (FRAME / 2)
    move = right * (by * way.double().cos().float())[:, None] + up * (by * way.double().sin().float())[:, None]
    return replace(scenes, eye=scenes.eye - move, target=scenes.target - move)
