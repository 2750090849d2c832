"""Deformations of finished meshes: what makes two things of one sub-type differ all over, not in a number or two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unseen.worlds.rendering.mesh import Mesh

Map = Callable[[np.ndarray], np.ndarray]


def deformed(one: Mesh, f: Map) -> Mesh:
    """A mesh through a smooth map of space; normals follow by the inverse transpose of its derivative."""
    places = one.vertices.astype(np.float64)
    step = 1e-4 * float(one.extents.max())
    columns = [(f(places + step * e) - f(places - step * e)) / (2 * step) for e in np.eye(3)]
    derivative = np.stack(columns, 2)
    cofactor = np.stack([np.cross(derivative[:, :, (k + 1) % 3], derivative[:, :, (k + 2) % 3]) for k in range(3)], 2)
    normals = np.einsum("vij,vj->vi", cofactor, one.normals.astype(np.float64))
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return replace(one, vertices=f(places).astype(np.float32), normals=normals.astype(np.float32))


def stretched(one: Mesh, rng: np.random.Generator, amount: float, axes: str = "xyz") -> Mesh:
    """Each axis longer or shorter as a whole, and unevenly along itself; order along an axis stays, so parts hold on.

    ``amount`` 0.2: proportions vary by about 20 %. What is left and right (y) stays alike.
    """
    low, size = one.vertices.min(0).astype(float), np.maximum(one.extents.astype(float), 1e-9)
    whole = np.exp(rng.normal(0, amount, 3) * [a in axes for a in "xyz"])
    waves = rng.uniform(-1, 1, (3, 2)) * min(1.6 * amount, 0.4) * np.array([[a in axes] for a in "xyz"])
    waves[1, 1] = 0.0  # symmetric about the middle
    waves[1, 0] = 0.0

    def f(p: np.ndarray) -> np.ndarray:
        t = (p - low) / size
        bent = t + waves[:, 0] * np.sin(np.pi * 2 * t) / (2 * np.pi) + waves[:, 1] * np.sin(np.pi * t) / np.pi
        return (bent - 0.5) * size * whole + low + size / 2

    return deformed(one, f)


def tapered(one: Mesh, rng: np.random.Generator, amount: float) -> Mesh:
    """Wider or narrower towards the top."""
    low, size = one.vertices.min(0).astype(float), np.maximum(one.extents.astype(float), 1e-9)
    share = rng.uniform(-amount, amount)

    def f(p: np.ndarray) -> np.ndarray:
        t = np.clip((p[:, 2:] - low[2]) / size[2], -0.5, 1.5) - 0.5
        middle = low + size / 2
        return np.column_stack([middle[:2] + (p[:, :2] - middle[:2]) * (1 + share * t), p[:, 2]])

    return deformed(one, f)


def bent(one: Mesh, by: float, *, along: int = 0, towards: int = 1) -> Mesh:
    """Bowed along an axis: its ends move ``by`` of the length towards another axis, its middle the other way."""
    low, size = one.vertices.min(0).astype(float), np.maximum(one.extents.astype(float), 1e-9)

    def f(p: np.ndarray) -> np.ndarray:
        t = 2 * (p[:, along] - low[along]) / size[along] - 1
        moved = p.copy()
        moved[:, towards] += by * size[along] * (t * t - 0.33)
        return moved

    return deformed(one, f)


def twisted(one: Mesh, degrees: float) -> Mesh:
    """Turned about z by so much from bottom to top."""
    low, size = one.vertices.min(0).astype(float), np.maximum(one.extents.astype(float), 1e-9)

    def f(p: np.ndarray) -> np.ndarray:
        angle = np.deg2rad(degrees) * (p[:, 2] - low[2]) / size[2]
        c, s = np.cos(angle), np.sin(angle)
        return np.column_stack([c * p[:, 0] - s * p[:, 1], s * p[:, 0] + c * p[:, 1], p[:, 2]])

    return deformed(one, f)
