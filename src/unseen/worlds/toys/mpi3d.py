"""MPI3D (Gondal et al. 2019): an object at the tip of a robot arm, before a coloured band.

What the release says: 64×64 RGB; the factors and levels below, the last fastest; three versions (toy, realistic, real)
over one grid. The real pictures show a dark rig with a thin arm that turns about an upright axis and rises and falls.

Ours, for the re-render: the whole scene. A base, an upright first link and a second link that carries the object; the
horizontal axis turns it from 85° on one side of the camera to 85° on the other, the vertical one raises it from −28° to
60°; a woven band behind; three heights of the camera. It is a world *like* MPI3D, and named so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.world import World
from unseen.worlds.rendering.mesh import Mesh, joined, mesh
from unseen.worlds.rendering.scene import Scenes
from unseen.worlds.toys.grid import levels_on, whole
from unseen.worlds.toys.rendered_grid import rendered_grid
from unseen.worlds.toys.things import Thing, things

if TYPE_CHECKING:
    import torch

VERSION = 1  # raise it when any image of the re-render changes

COLOURS = {
    "white": (0.92, 0.92, 0.9), "green": (0.1, 0.62, 0.2), "red": (0.82, 0.08, 0.08), "blue": (0.1, 0.2, 0.85),
    "brown": (0.45, 0.24, 0.1), "olive": (0.55, 0.55, 0.1),
}  # fmt: skip
BACKGROUNDS = {"purple": (0.5, 0.22, 0.62), "sea green": (0.18, 0.55, 0.4), "salmon": (0.98, 0.5, 0.45)}
SPACE = FactorSpace(
    (
        Factor("object_color", tuple(COLOURS), kind="nominal"),
        Factor("object_shape", ("cone", "cube", "cylinder", "hexagonal", "pyramid", "sphere"), kind="category"),
        Factor("object_size", ("small", "large"), kind="ordinal"),
        Factor("camera_height", ("top", "center", "bottom"), kind="ordinal", canonical=1),
        Factor("background_color", tuple(BACKGROUNDS), kind="nominal"),
        Factor("horizontal_axis", tuple(range(40)), kind="ordinal"),
        Factor("vertical_axis", tuple(range(40)), kind="ordinal"),
    )
)
FILES = ("mpi3d_real.npz", "mpi3d_realistic.npz", "mpi3d_toy.npz")
CITATION = "Gondal et al. 2019, On the Transfer of Inductive Bias from Simulation to the Real World, NeurIPS 32"

RIG, BOOM, BAND = 6, 7, 8  # numbers in the bank, after the six shapes
SHOULDER, REACH = 0.62, 0.62  # height of the joint, and length of the second link
YAW, PITCH = (85.0, -85.0), (-28.0, 60.0)  # degrees at the first and the last level
SIZES = (0.26, 0.38)
ELEVATIONS = (38.0, 20.0, 3.0)  # of the camera
STAGE = {
    "azimuth": 0.0, "distance": 3.2, "fov": 38.0, "target": (0.0, 0.0, 0.62),
    "light_azimuth": 30.0, "light_elevation": 60.0, "light_colour": (0.75, 0.75, 0.75), "shadow": 0.8,
    "sky": (0.4, 0.4, 0.4), "ground": (0.25, 0.25, 0.25),
    "floor_colour": (0.2, 0.2, 0.21), "bottom": (0.1, 0.1, 0.11), "top": (0.06, 0.06, 0.07),
}  # fmt: skip


def mpi3d(root: str | Path | None = None, *, side: int = 64) -> World:
    """object colour × shape × size × camera height × background × horizontal × vertical axis: 1,036,800 pictures.

    Factors in the official order, the last fastest: row ``i`` is image ``i`` of the official array. Without ``root``
    the pictures of an MPI3D-like scene are drawn, ``side`` pixels wide; ``root`` is one of the official files
    (``mpi3d_real.npz``, ``mpi3d_realistic.npz``, ``mpi3d_toy.npz``), or a folder with one of them.
    """
    return rendered_grid(
        root, side, SPACE, meshes, Rig(), VERSION,
        published="mpi3d", files=FILES, citation=CITATION, licence="CC BY 4.0", name="mpi3d-like",
        whose="mpi3d-like: MPI3D's",
        ours="the arm, its range, the band, the cameras and the lights: see unseen.worlds.toys.mpi3d",
    )  # fmt: skip


@dataclass(frozen=True)
class Rig:
    """What each row shows."""

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int) -> Scenes:
        import torch

        from unseen.worlds.rendering.camera import towards, turned
        from unseen.worlds.rendering.staging import staged

        at = levels_on(whole(SPACE), rows, device)

        def table(values: object) -> torch.Tensor:
            return torch.tensor(values, dtype=torch.float32, device=device)

        yaw = table(np.linspace(*YAW, 40))[at["horizontal_axis"]]
        pitch = table(np.linspace(*PITCH, 40))[at["vertical_axis"]]
        size = table(SIZES)[at["object_size"]]
        shoulder = table([0.0, 0.0, SHOULDER]).expand(len(rows), 3)
        tip = shoulder + towards(yaw, pitch) * (REACH + size / 2)[:, None]
        below = torch.stack([torch.zeros_like(size), torch.zeros_like(size), size / 2], -1)  # its middle at the tip
        colour = table(list(COLOURS.values()))[at["object_color"]]
        parts = (
            Thing(at["object_shape"], tip - below, turned(yaw), size, colour, label=0),
            Thing(RIG),
            Thing(BOOM, shoulder, turned(yaw, -pitch)),
            Thing(BAND, tint=table(list(BACKGROUNDS.values()))[at["background_color"]]),
        )  # fmt: skip
        elevation = table(ELEVATIONS)[at["camera_height"]]
        stage = staged(at["object_shape"], device, elevation=elevation, **STAGE)
        return replace(stage, things=things(parts, len(rows), device))


def meshes() -> tuple[Mesh, ...]:
    """The six objects, one unit high and standing on z = 0; the rig; its second link, along x; and the band."""
    from unseen.worlds.shapes.primitives import Look, box, capsule, cone, cylinder, sphere

    look: Look = {"paint": 1.0, "gloss": 0.3}
    metal: Look = {"colour": (0.5, 0.51, 0.53), "gloss": 0.6}
    dark: Look = {"colour": (0.16, 0.16, 0.17), "gloss": 0.3}
    return (
        cone(0.5, 1.0, segments=28, **look),
        box((0.85, 0.85, 0.85), centre=(0, 0, 0.5), **look),
        cylinder(0.42, 0.95, base=(0, 0, 0.025), segments=28, **look),
        cylinder(0.48, 0.95, base=(0, 0, 0.025), segments=6, **look),
        cone(0.62, 1.0, segments=4, **look),
        sphere(0.5, (0, 0, 0.5), 24, **look),
        joined(
            [
                cylinder(0.34, 0.08, segments=32, **dark),
                cylinder(0.1, SHOULDER - 0.06, base=(0, 0, 0.06), top_radius=0.05, segments=20, **metal),
                sphere(0.085, (0, 0, SHOULDER), 16, **dark),
            ]
        ),
        capsule((0, 0, 0), (REACH + 0.1, 0, 0), 0.035, 10, **metal),  # into the object, which is thin if a cone
        _band(),
    )


def _band() -> Mesh:
    """A woven cloth behind the rig, bent around it so that it fills the frame's width, in small faces."""
    angle, height = np.deg2rad(np.linspace(130, 230, 21)), np.linspace(0.0, 0.75, 3)
    points = np.stack(
        [
            np.broadcast_to(1.7 * np.cos(angle)[:, None] + 0.2, (21, 3)),
            np.broadcast_to(1.9 * np.sin(angle)[:, None], (21, 3)),
            np.broadcast_to(height, (21, 3)),
        ],
        -1,
    )
    number = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2])
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    faces = np.concatenate([np.stack([c, b, a], -1), np.stack([d, c, a], -1)]).reshape(-1, 3)
    normals = np.stack([-np.cos(angle), -np.sin(angle), 0 * angle], -1).repeat(3, axis=0)
    uv = np.stack(np.broadcast_arrays(np.linspace(0, 12, 21)[:, None], height / 0.75 * 2), -1).reshape(-1, 2)
    u, v = np.meshgrid(np.arange(64), np.arange(64))
    weave = 0.75 + 0.25 * np.where(
        (u // 16 + v // 16) % 2, np.sin(np.pi * (u % 16) / 16), np.sin(np.pi * (v % 16) / 16)
    )
    texture = np.repeat((255 * weave)[..., None].astype(np.uint8), 3, axis=-1)
    return mesh(points.reshape(-1, 3), faces, normals=normals, paint=1.0, gloss=0.0, uv=uv, texture=texture)
