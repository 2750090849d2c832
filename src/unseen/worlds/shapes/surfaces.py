"""From corners and faces to a mesh with normals; outlines and the triangles within them.

A solid is described by shared corners only; :func:`shaded` then gives it normals, smooth where neighbouring faces turn
by less than the crease angle and split where they turn by more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, mesh

CREASE = 40.0  # degrees between faces above which an edge is sharp (ours)

Point = Sequence[float] | np.ndarray
Points = Sequence[Any] | np.ndarray  # anything that numpy reads as a table of points
Axis = Literal["x", "y", "z"]


class Look(TypedDict, total=False):
    """What every solid takes by keyword: ``colour=(1, 1, 1)``, ``paint=0.0``, ``gloss=0.2``."""

    colour: Point
    paint: float
    gloss: float


def shaded(corners: np.ndarray, faces: np.ndarray, *, crease: float = CREASE, **look: Unpack[Look]) -> Mesh:
    """A closed mesh from shared corners: welded, turned outward, smooth below the crease angle, split above.

    The normal at a face's corner is the sum over the faces there that turn by less than ``crease`` from it, weighted by
    their angle there and their area: large flat faces stay flat beside small rounded ones.
    """
    corners, faces = _welded(np.asarray(corners, float), np.asarray(faces, np.int64))
    a, b, c = (corners[faces[:, k]] - corners.mean(0) for k in range(3))
    if np.einsum("ij,ij->", a, np.cross(b, c)) < 0:
        faces = faces[:, ::-1]
        a, c = c, a
    across = np.cross(b - a, c - a)
    size = np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    normal = across / size
    weight = _angles(np.stack([a, b, c], 1)) * size
    owner, flat = np.repeat(np.arange(len(faces)), 3), faces.reshape(-1)
    summed = np.zeros((len(flat), 3))
    here, there = neighbours(flat)
    close = np.einsum("ij,ij->i", normal[owner[here]], normal[owner[there]]) > float(cos(crease)) - 1e-6
    here, there = here[close], there[close]
    np.add.at(summed, here, normal[owner[there]] * weight.reshape(-1, 1)[there])
    summed /= np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-30)
    first, place = _alike(np.column_stack([flat, np.round(summed * 1e4) + 10_000]), 2**15)
    return mesh(corners[flat[first]], place.reshape(-1, 3), normals=summed[first], **look)


def _welded(corners: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners at one place become one, and faces that thereby lose their area go."""
    grain = max(float(np.ptp(corners, axis=0).max()), 1e-12) * 1e-6
    first, place = _alike(np.round((corners - corners.min(0)) / grain), 2**21)
    faces = place[faces]
    kept = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return corners[first], faces[kept]


def _alike(rows: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each different row of whole numbers first stands, and which of these each row is. All columns but the first
    are below ``base``, so that rows are sorted as single numbers."""
    key = rows[:, 0].astype(np.int64)
    for column in rows.T[1:]:
        key = key * base + column.astype(np.int64)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first, place


def neighbours(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All ordered pairs of face corners that share a corner of the solid."""
    order = np.argsort(flat, kind="stable")
    _, start, count = np.unique(flat[order], return_index=True, return_counts=True)
    size, begin = np.repeat(count, count), np.repeat(start, count)
    left = np.repeat(np.arange(len(flat)), size)
    right = np.repeat(begin, size) + np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return order[left], order[right]


def _angles(triangles: np.ndarray) -> np.ndarray:
    to = np.roll(triangles, -1, axis=1) - triangles
    to /= np.maximum(np.linalg.norm(to, axis=2, keepdims=True), 1e-30)
    return np.arccos(np.clip(-np.einsum("fij,fij->fi", to, np.roll(to, 1, axis=1)), -1, 1))


def area(outline: np.ndarray) -> float:
    """The area within an outline, below zero where it runs clockwise."""
    after = np.roll(outline, -1, axis=0)
    return float((outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum() / 2)


def inset(outline: np.ndarray, by: float) -> np.ndarray:
    """An anti-clockwise outline moved inward by ``by`` along each side."""
    along = np.roll(outline, -1, axis=0) - outline
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    inward = np.stack([-along[:, 1], along[:, 0]], 1)
    both = inward + np.roll(inward, 1, axis=0)
    return outline + by * both / np.maximum((both**2).sum(1, keepdims=True) / 2, 0.25)


def ears(outline: np.ndarray) -> np.ndarray:
    """Triangles of an anti-clockwise outline, by cutting off ears (Meisters 1975)."""
    left = list(range(len(outline)))
    faces = []
    while len(left) > 3:
        place = next((k for k in range(len(left)) if _is_ear(outline, left, k)), None)
        if place is None:  # only slivers are left: any cut will do
            place = 0
        faces.append([left[place - 1], left[place], left[(place + 1) % len(left)]])
        left.pop(place)
    return np.array([*faces, left])


def _is_ear(outline: np.ndarray, left: list[int], k: int) -> bool:
    a, b, c = outline[left[k - 1]], outline[left[k]], outline[left[(k + 1) % len(left)]]
    if _cross(b - a, c - b) <= 1e-14:
        return False
    others = [i for i in left if i not in (left[k - 1], left[k], left[(k + 1) % len(left)])]
    p = outline[others]
    inside = (_cross(b - a, p - a) >= 0) & (_cross(c - b, p - b) >= 0) & (_cross(a - c, p - c) >= 0)
    return not bool(np.any(inside))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def cos(degrees: float | np.ndarray) -> np.ndarray:
    return np.asarray(np.cos(np.deg2rad(degrees)))


def sin(degrees: float | np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(np.deg2rad(degrees)))
