"""Faces that each know their material, and how they become a mesh: smooth over a panel, split at creases and seams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, mesh
from unseen.worlds.shapes.surfaces import neighbours

CREASE = 38.0  # degrees between faces above which an edge is sharp (ours)
PAINT, SECOND, GLASS, TRIM, UNDER, INSIDE, LAMP, TAIL, AMBER, CHROME, TYRE, RIM, PLATE, SEAT, WELL = range(15)

# sRGB colour, paint, gloss. White takes the scene's tint as it is.
MATERIALS: tuple[tuple[tuple[float, float, float], float, float], ...] = (
    ((0.96, 0.96, 0.96), 1.0, 0.75),  # PAINT
    ((0.90, 0.90, 0.88), 0.0, 0.7),  # SECOND: the other colour of two-tone paint
    ((0.07, 0.09, 0.11), 0.0, 0.7),  # GLASS
    ((0.09, 0.09, 0.10), 0.0, 0.25),  # TRIM: plastic
    ((0.04, 0.04, 0.045), 0.0, 0.0),  # UNDER
    ((0.13, 0.11, 0.10), 0.0, 0.1),  # INSIDE
    ((0.93, 0.94, 0.90), 0.0, 1.0),  # LAMP
    ((0.62, 0.04, 0.05), 0.0, 0.9),  # TAIL
    ((0.95, 0.52, 0.08), 0.0, 0.8),  # AMBER
    ((0.72, 0.74, 0.77), 0.0, 1.0),  # CHROME
    ((0.055, 0.055, 0.06), 0.0, 0.1),  # TYRE
    ((0.66, 0.67, 0.70), 0.0, 0.9),  # RIM
    ((0.93, 0.92, 0.85), 0.0, 0.3),  # PLATE
    ((0.30, 0.22, 0.16), 0.0, 0.2),  # SEAT
    ((0.16, 0.16, 0.17), 0.0, 0.1),  # WELL: the liner of a loading bed
)


@dataclass(frozen=True, eq=False)
class Panels:
    """``points [v, 3]``, triangles ``faces [f, 3]`` and their materials ``[f]``."""

    points: np.ndarray
    faces: np.ndarray
    material: np.ndarray

    @staticmethod
    def quads(points: np.ndarray, corners: np.ndarray, material: np.ndarray | int) -> Panels:
        """Four-cornered faces, cut along the shorter diagonal."""
        corners = np.asarray(corners).reshape(-1, 4)
        points = np.asarray(points, float).reshape(-1, 3)
        p = points[corners]
        first = np.linalg.norm(p[:, 0] - p[:, 2], axis=1) <= np.linalg.norm(p[:, 1] - p[:, 3], axis=1) + 1e-9
        one = np.where(first[:, None], corners[:, [0, 1, 2]], corners[:, [0, 1, 3]])
        two = np.where(first[:, None], corners[:, [0, 2, 3]], corners[:, [1, 2, 3]])
        material = np.broadcast_to(np.asarray(material), (len(corners),))
        return Panels(points, np.stack([one, two], 1).reshape(-1, 3), np.repeat(material, 2))

    @staticmethod
    def of(parts: Sequence[Panels]) -> Panels:
        starts = np.cumsum([0, *(len(part.points) for part in parts)])
        return Panels(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.faces + start for part, start in zip(parts, starts)]),
            np.concatenate([part.material for part in parts]),
        )

    def mirrored(self) -> Panels:
        """The same on the other side of the car."""
        return Panels(self.points * (1, -1, 1), self.faces[:, ::-1], self.material)

    def welded(self) -> Panels:
        """Points at one place become one, and faces without area go: what shares an edge then says so."""
        cells = np.round(self.points * 1e4).astype(np.int64)
        grid, place = np.unique(cells, axis=0, return_inverse=True)
        faces = place.reshape(-1)[self.faces]
        kept = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        return Panels(grid.astype(float) * 1e-4, faces[kept], self.material[kept])


def panelled(parts: Panels, materials: Sequence[tuple[Sequence[float], float, float]] = MATERIALS) -> Mesh:
    """The mesh of panels: a corner's normal is the mean of the faces there of the same material that turn by less than
    the crease angle, weighted by their area."""
    one = parts.welded()
    a, b, c = (one.points[one.faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    normal = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    owner, flat = np.repeat(np.arange(len(one.faces)), 3), one.faces.reshape(-1)
    here, there = neighbours(flat)
    alike = np.einsum("ij,ij->i", normal[owner[here]], normal[owner[there]]) > np.cos(np.deg2rad(CREASE))
    alike &= one.material[owner[here]] == one.material[owner[there]]
    summed = np.zeros((len(flat), 3))
    np.add.at(summed, here[alike], across[owner[there[alike]]])
    empty = np.linalg.norm(summed, axis=1) < 1e-12
    summed[empty] = (0, 0, 1)
    summed /= np.linalg.norm(summed, axis=1, keepdims=True)
    key = np.column_stack([flat, one.material[owner], np.round(summed * 1e3).astype(np.int64)])
    _, first, place = np.unique(key, axis=0, return_index=True, return_inverse=True)
    material = one.material[owner[first]]
    colour, paint, gloss = (np.array([entry[k] for entry in materials]) for k in range(3))
    return mesh(
        one.points[flat[first]], place.reshape(-1, 3), normals=summed[first],
        colour=colour[material], paint=paint[material], gloss=gloss[material],
    )  # fmt: skip
