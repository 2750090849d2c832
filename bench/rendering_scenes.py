"""What :mod:`bench.rendering` draws: tori and spheres of any number of faces, one to an image, on a floor."""

from __future__ import annotations

import math

import numpy as np
import torch

from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.camera import orbit, towards, turned
from unseen.worlds.rendering.chance import choice, uniform
from unseen.worlds.rendering.mesh import Mesh, mesh, upright
from unseen.worlds.rendering.scene import GRADIENT, Scenes, Things


def torus(faces: int) -> Mesh:
    """A torus of about this many faces, lying on the floor."""
    across = max(3, round(math.sqrt(faces / 2 * 0.6)))
    around = max(3, round(faces / 2 / across))
    u, v = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.arange(across) / across * 2 * np.pi, indexing="ij")
    normals = np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)], -1)
    points = 0.3 * normals + 0.7 * np.stack([np.cos(u), np.sin(u), 0 * u], -1)
    return _woven(points, normals, closed=True)


def sphere(faces: int) -> Mesh:
    """A sphere of about this many faces; its poles are rows of faces without area, as in files people have."""
    down = max(3, round(math.sqrt(faces / 4)))
    around = max(3, round(faces / 2 / down))
    u, v = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.arange(down + 1) / down * np.pi, indexing="ij")
    points = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), -np.cos(v)], -1)
    return _woven(points, points, closed=False)


def _woven(points: np.ndarray, normals: np.ndarray, closed: bool) -> Mesh:
    """Quads of a grid of points, closed around its first axis and perhaps its second, as pairs of faces."""
    n, m = points.shape[:2]
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(m if closed else m - 1), indexing="ij"))
    a, b, c, d = (p % n * m + q % m for p, q in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    stripes = (np.arange(n * m) // m % 4 < 2)[:, None]
    colours = np.where(stripes, (0.9, 0.9, 0.9), (0.6, 0.6, 0.6))
    flat = points.reshape(-1, 3)
    return upright(mesh(flat, faces, normals=normals.reshape(-1, 3), colour=colours, paint=1.0, gloss=0.4))


def bank(faces: int) -> Bank:
    return Bank(meshes=(torus(faces), sphere(faces)))


def scenes(n: int, device: torch.device, seed: int = 0) -> Scenes:
    """``n`` scenes of one thing each; scene ``i`` is the same however many there are."""
    ids = torch.arange(n)

    def u(name: str, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        return uniform(ids, seed, name, low=low, high=high)

    def colour(name: str, low: float, high: float) -> torch.Tensor:
        return torch.stack([u(f"{name} {c}", low, high) for c in "rgb"], -1)

    def spread(values: list[list[float]]) -> torch.Tensor:
        return torch.tensor(values)[None].expand(n, -1, -1).contiguous()

    target = torch.tensor([0.0, 0.0, 0.3]).expand(n, 3).contiguous()
    things = Things(
        image=ids, mesh=choice(ids, 2, seed, "mesh"), rotation=turned(u("yaw", 0, 360), u("pitch", -30, 30)),
        position=torch.stack([u("x", -0.2, 0.2), u("y", -0.2, 0.2), u("z", 0.1, 0.3)], -1), size=u("size", 0.8, 1.1),
        tint=colour("tint", 0.2, 1.0), texture=torch.full((n,), -1), label=torch.zeros(n, dtype=torch.int64),
    )  # fmt: skip
    lights = torch.stack(
        [towards(u("sun", 0, 360), u("height", 35, 75)), towards(u("fill", 0, 360), u("low", 10, 40))], 1
    )
    return Scenes(
        things=things, eye=orbit(u("azimuth", 0, 360), u("elevation", 10, 50), u("distance", 2.0, 2.4), target),
        target=target, fov=torch.full((n,), 34.0), light=lights,
        light_colour=spread([[0.8, 0.78, 0.7], [0.15, 0.17, 0.2]]),
        ambient=spread([[0.25] * 3, [0.0] * 3, [0.05] * 3, [0.0] * 3]), shadow=u("shadow", 0.5, 0.9),
        floor=torch.full((n,), -1), floor_colour=colour("floor", 0.4, 0.8), floor_scale=torch.ones(n),
        behind=torch.full((n,), GRADIENT),
        behind_colour=torch.stack([colour("bottom", 0.5, 0.9), colour("top", 0.3, 0.8)], 1),
        behind_picture=torch.zeros(n, dtype=torch.int64),
    ).to(device)  # fmt: skip
