"""3D Shapes (Burgess & Kim 2018): a solid in a coloured room, seen from azimuths of −30° to 30°.

What the release says: 64×64 RGB; floor, wall and object hue at 10 values each (the labels are 0, 0.1, …, 0.9), scale
at 8 (the labels run from 0.75 to 1.25), 4 shapes, orientation at 15 values from −30 to 30; orientation varies fastest.
It does not name the shapes: cube, cylinder, sphere, capsule is the order in common use.

Ours, for the re-render: everything else. Hues are taken at full saturation and value. The room is a corner behind the
object, with open sky above its walls. The published mean of the official pixels (0.503, 0.579, 0.603; in the public
code of Michlo's disent) says how much sky: hues evenly spread have the same mean in all three channels, so what is more
in green and blue is sky, about a quarter of the frame if it is pale blue.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.world import World
from unseen.worlds.rendering.mesh import Mesh, joined, mesh, moved
from unseen.worlds.rendering.scene import Scenes
from unseen.worlds.toys.grid import levels_on, whole
from unseen.worlds.toys.rendered_grid import rendered_grid
from unseen.worlds.toys.things import Thing, things

if TYPE_CHECKING:
    import torch

VERSION = 1  # raise it when any image of the re-render changes

HUES = tuple(round(k / 10, 1) for k in range(10))
ANGLES = tuple(-30 + 60 * k / 14 for k in range(15))
SCALES = tuple(0.75 + 0.5 * k / 7 for k in range(8))
SPACE = FactorSpace(
    (
        Factor("floor_hue", HUES, kind="circular", canonical=3, period=1.0),
        Factor("wall_hue", HUES, kind="circular", canonical=6, period=1.0),
        Factor("object_hue", HUES, kind="circular", canonical=0, period=1.0),
        Factor("scale", tuple(round(s, 4) for s in SCALES), "ordinal", coordinates=tuple((s,) for s in SCALES)),
        Factor("shape", ("cube", "cylinder", "sphere", "capsule"), kind="category"),
        Factor("orientation", tuple(round(a, 4) for a in ANGLES), "ordinal", coordinates=tuple((a,) for a in ANGLES)),
    )
)  # fmt: skip
FILE = "3dshapes.h5"
CITATION = "Burgess & Kim 2018, 3D Shapes Dataset"

ROOM = 4  # the room's number in the bank, after the four shapes
WALL, CORNER, HEIGHT, PANELS = 6.0, 3.0, 1.62, (8, 2)  # length, distance of the corner, height, faces along and up
STAGE = {
    "elevation": 12.0, "distance": 4.3, "fov": 44.0, "target": (0.0, 0.0, 0.62),
    "light_azimuth": 35.0, "light_elevation": 55.0, "light_colour": (0.58, 0.58, 0.58), "shadow": 0.7,
    "sky": (0.6, 0.6, 0.6), "ground": (0.55, 0.55, 0.55),
    "bottom": (0.7, 0.9, 0.96), "top": (0.52, 0.83, 0.94),
}  # fmt: skip


def shapes3d(root: str | Path | None = None, *, side: int = 64) -> World:
    """floor hue × wall hue × object hue × scale × shape × orientation: 480,000 pictures in colour.

    Factors in the official order, the last fastest: row ``i`` is image ``i`` of the official array. Without ``root``
    the pictures are drawn anew, ``side`` pixels wide; ``root`` is the official ``3dshapes.h5``, or its folder.
    """
    return rendered_grid(
        root, side, SPACE, solids, Room(), VERSION,
        published="shapes3d", files=(FILE,), citation=CITATION, licence="Apache 2.0", name="shapes3d",
        whose="3D Shapes'",
        ours="the room, the camera, the lights and the solids' proportions: see unseen.worlds.toys.shapes3d",
    )  # fmt: skip


@dataclass(frozen=True)
class Room:
    """What each row shows."""

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int) -> Scenes:
        import torch

        from unseen.worlds.rendering.staging import staged

        at = levels_on(whole(SPACE), rows, device)
        wheel = torch.tensor([colorsys.hsv_to_rgb(hue, 1, 1) for hue in HUES], device=device)
        azimuth = torch.tensor(ANGLES, device=device)[at["orientation"]]
        size = torch.tensor(SCALES, device=device)[at["scale"]]
        parts = (
            Thing(at["shape"], size=size, tint=wheel[at["object_hue"]], label=0),
            Thing(ROOM, tint=wheel[at["wall_hue"]]),
        )
        stage = staged(at["shape"], device, azimuth=azimuth, floor_colour=wheel[at["floor_hue"]], **STAGE)
        return replace(stage, things=things(parts, len(rows), device))


def solids() -> tuple[Mesh, ...]:
    """Cube, cylinder, sphere and capsule of scale 1, and the two walls that meet behind them, all to be tinted."""
    from unseen.worlds.shapes.primitives import Look, box, capsule, cylinder, sphere, turn

    look: Look = {"paint": 1.0, "gloss": 0.45}
    return (
        moved(box((0.9, 0.9, 0.9), centre=(0, 0, 0.45), **look), rotation=turn("z", 15)),
        cylinder(0.5, 1.0, segments=28, **look),
        sphere(0.55, (0, 0, 0.55), 24, **look),
        capsule((0, 0, 0.4), (0, 0, 1.0), 0.4, 20, **look),
        joined([_wall(-135), _wall(135)]),
    )


def _wall(towards: float) -> Mesh:
    """A wall from the corner behind the origin, running along the direction ``towards`` + 90° or − 90°, facing inwards;
    in panels, since a renderer is slow with faces as large as the frame."""
    across, up = (np.linspace(0, length, count + 1) for length, count in zip((WALL, HEIGHT), PANELS))
    sense = np.sign(towards)
    angle = np.deg2rad(towards - sense * 90)
    along = np.array([np.cos(angle), np.sin(angle), 0])
    points = np.array([-CORNER, 0, 0]) + across[:, None, None] * along + up[:, None] * np.array([0, 0, 1.0])
    number = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2])
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    inward = -np.array([np.cos(np.deg2rad(towards)), np.sin(np.deg2rad(towards)), 0])
    first = points.reshape(-1, 3)[faces[0]]
    if np.cross(first[1] - first[0], first[2] - first[0]) @ inward < 0:
        faces = faces[:, ::-1]
    return mesh(points.reshape(-1, 3), faces, normals=np.tile(inward, (number.size, 1)), paint=1.0, gloss=0.0)
