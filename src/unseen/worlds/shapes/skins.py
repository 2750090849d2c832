"""Smooth bodies along a spine, thin curved sheets, and patches of colour: what animals and plants are made of."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, mesh
from unseen.worlds.shapes.surfaces import Look, Point, shaded

Colour = tuple[float, float, float]
Range = tuple[float, float]


def hsv(rng: np.random.Generator, hue: Range, saturation: Range, value: Range) -> Colour:
    """A colour drawn from ranges of hue (wrapping at 1), saturation and value."""
    return colorsys.hsv_to_rgb(rng.uniform(*hue) % 1, rng.uniform(*saturation), rng.uniform(*value))


def darker(colour: Point, share: float) -> Colour:
    """A colour times ``share``; above 1 it is lighter, up to white."""
    r, g, b = (min(float(c) * share, 1.0) for c in colour)
    return r, g, b


def spline(points: np.ndarray | Sequence[Point], count: int) -> np.ndarray:
    """``count`` rows on a Catmull–Rom curve through rows of numbers, equally spaced in the number of the row."""
    rows = np.asarray(points, float)
    ends = np.concatenate([2 * rows[:1] - rows[1:2], rows, 2 * rows[-1:] - rows[-2:-1]])
    t = np.linspace(0, len(rows) - 1, count)
    k = np.minimum(t.astype(int), len(rows) - 2)
    s = (t - k)[:, None]
    a, b, c, d = (ends[k + i] for i in range(4))
    return 0.5 * (2 * b + (c - a) * s + (2 * a - 5 * b + 4 * c - d) * s**2 + (3 * b - a - 3 * c + d) * s**3)


def body(
    stations: np.ndarray | Sequence[Point],
    *,
    rings: int | None = None,
    segments: int = 12,
    ends: tuple[float, float] = (0.8, 0.8),
    side: Point = (0, 1, 0),
    square: float = 2.0,
    ribs: float = 0.0,
    **look: Unpack[Look],
) -> Mesh:
    """A skin over oval sections along a spine: rows of x, y, z, half width (along ``side``), half height (across it).

    The rows are joined by a smooth curve with ``rings`` sections. ``ends`` are the lengths of the round ends in half
    heights (0: flat). ``square`` above 2 makes the ovals boxier (a superellipse); ``ribs`` moves every other point
    of the ovals out and in by that share, as on a cactus.
    """
    rows = spline(stations, rings or 3 * len(stations) - 2)
    rows[:, 3:] = np.maximum(rows[:, 3:], 1e-4)
    along = np.gradient(rows[:, :3], axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    first, last = (_dome(rows[k], along[k] * sign, length) for k, sign, length in ((0, -1, ends[0]), (-1, 1, ends[1])))
    rows = np.concatenate([first[::-1], rows, last])
    along = np.concatenate([np.repeat(along[:1], len(first), 0), along, np.repeat(along[-1:], len(last), 0)])
    across = np.asarray(side, float) - along * (along @ np.asarray(side, float))[:, None]
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    up = np.cross(along, across)
    angle = (np.arange(segments) + 0.5) * 2 * np.pi / segments
    c, s = (np.sign(w) * np.abs(w) ** (2 / square) for w in (np.cos(angle), np.sin(angle)))
    c, s = (w * (1 + ribs * (-1.0) ** np.arange(segments)) for w in (c, s))
    oval = c[None, :, None] * (across * rows[:, 3:4])[:, None] + s[None, :, None] * (up * rows[:, 4:5])[:, None]
    return _skin(rows[:, None, :3] + oval, **look)


def sheet(grid: np.ndarray, thickness: float, **look: Unpack[Look]) -> Mesh:
    """A thin closed sheet through a grid of points ``[rows, columns, 3]``: an ear, a petal, a sail."""
    across = np.cross(np.gradient(grid, axis=0), np.gradient(grid, axis=1))
    across /= np.maximum(np.linalg.norm(across, axis=2, keepdims=True), 1e-12)
    shift = across * thickness / 2
    loop = np.concatenate([grid + shift, (grid - shift)[:, ::-1]], axis=1)
    return _skin(loop, crease=60.0, **look)


def blade(
    path: np.ndarray | Sequence[Point],
    widths: Sequence[float] | np.ndarray,
    side: Point,
    thickness: float,
    *,
    fold: float = 0.0,
    count: int = 8,
    columns: int = 3,
    **look: Unpack[Look],
) -> Mesh:
    """A leaf along a path: half widths along ``side``, folded up along its middle by ``fold`` times the half width."""
    rows = spline(np.column_stack([np.asarray(path, float), widths]), count)
    along = np.gradient(rows[:, :3], axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    across = np.asarray(side, float) - along * (along @ np.asarray(side, float))[:, None]
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    up = np.cross(along, across)
    half = np.maximum(rows[:, 3], 1e-3 * max(widths))
    t = np.linspace(-1, 1, columns)
    grid = (
        rows[:, None, :3]
        + (across * half[:, None])[:, None] * t[:, None]
        + (up * half[:, None])[:, None] * (np.abs(t) * fold)[:, None]
    )
    return sheet(grid, thickness, **look)


def patched(
    one: Mesh, where: np.ndarray, colour: Point, *, paint: float | None = None, gloss: float | None = None
) -> Mesh:
    """Faces (true in ``where``) in another colour with a sharp border; the surface stays as smooth as it was."""
    corners, inside = one.faces.reshape(-1).astype(np.int64), np.repeat(np.asarray(where, bool), 3)
    key, place = np.unique(2 * corners + inside, return_inverse=True)  # vertices on the border are there twice
    hit = key % 2 == 1
    columns = {
        name: getattr(one, name)[key // 2] for name in ("vertices", "normals", "colours", "paint", "gloss", "uv")
    }
    columns["colours"][hit] = colour
    if paint is not None:
        columns["paint"][hit] = paint
    if gloss is not None:
        columns["gloss"][hit] = gloss
    return replace(one, faces=place.reshape(-1, 3).astype(np.int32), **columns)


def middles(one: Mesh) -> np.ndarray:
    """The middle of each face's bounding box, ``[f, 3]``: the two halves of a quad agree, so borders do not zigzag."""
    corners = one.vertices[one.faces]
    return (corners.min(1) + corners.max(1)) / 2


def blended(one: Mesh, share: np.ndarray, colour: Point) -> Mesh:
    """Vertices mixed with another colour, each by its own share: a pale belly, dark feet."""
    share = np.clip(share, 0, 1)[:, None].astype(np.float32)
    return replace(one, colours=(one.colours * (1 - share) + np.asarray(colour, np.float32) * share).astype(np.float32))


def lumpy(one: Mesh, rng: np.random.Generator, amount: float, size: float) -> Mesh:
    """A mesh pushed in and out along its normals by smooth waves about ``size`` long: foliage. It has one colour."""
    waves = rng.normal(size=(6, 3))
    waves *= (2 * np.pi / size) / np.linalg.norm(waves, axis=1, keepdims=True)
    push = np.sin(one.vertices @ waves.T + rng.uniform(0, 2 * np.pi, 6)).mean(1)
    moved = one.vertices + one.normals * (amount * push)[:, None]
    fresh = shaded(moved, one.faces, crease=60.0)
    look = {"colour": one.colours[0], "paint": float(one.paint[0]), "gloss": float(one.gloss[0])}
    return mesh(fresh.vertices, fresh.faces, normals=fresh.normals, **look)


def _dome(row: np.ndarray, outward: np.ndarray, length: float, steps: int = 2) -> np.ndarray:
    """Rows that close a body with half an ellipsoid of this length in half heights; none for a flat end."""
    steps = steps if length > 0 else 0
    angle = np.deg2rad(np.array([50.0, 90.0])[:steps])
    rows = np.repeat(row[None], steps, 0)
    rows[:, :3] += outward * (np.sin(angle) * length * min(row[3], row[4]))[:, None]
    rows[:, 3:] *= np.maximum(np.cos(angle), 1e-3)[:, None]
    return rows


def _skin(sections: np.ndarray, *, crease: float = 75.0, **look: Unpack[Look]) -> Mesh:
    """Closed loops ``[k, n, 3]`` joined into a skin, with fans at both ends."""
    k, n, _ = sections.shape
    ring, place = np.meshgrid(np.arange(k - 1), np.arange(n), indexing="ij")
    a, b = (ring * n + place).reshape(-1), (ring * n + (place + 1) % n).reshape(-1)
    around, after = np.arange(n), (np.arange(n) + 1) % n
    middle, last = np.full(n, k * n), (k - 1) * n
    faces = [(a, b, b + n), (a, b + n, a + n), (after, around, middle), (around + last, after + last, middle + 1)]
    corners = np.concatenate([sections.reshape(-1, 3), sections[[0, -1]].mean(1)])
    return shaded(corners, np.concatenate([np.stack(f, 1) for f in faces]), crease=crease, **look)
