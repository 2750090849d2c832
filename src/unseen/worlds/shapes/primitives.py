"""Solids that objects are built from. Each is closed, runs counter-clockwise seen from outside and has unit normals.

All take ``colour`` (sRGB in 0–1), ``paint`` and ``gloss`` of a :class:`~unseen.worlds.rendering.mesh.Mesh`. Lengths are
in any unit: the finished object is normalised by ``upright``. Angles are in degrees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Unpack

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, mesh
from unseen.worlds.shapes.surfaces import CREASE, Axis, Look, Point, Points, area, cos, ears, inset, shaded, sin

# --- solids ----------------------------------------------------------------------------------------------------------


def box(size: Point, *, centre: Point = (0, 0, 0), bevel: float = 0.0, **look: Unpack[Look]) -> Mesh:
    """A box with flat faces; ``bevel`` cuts its edges off by that much."""
    if bevel > 0:
        return shaded(*_rounded(size, bevel, centre, 1), crease=0.0, **look)
    cube = _cube()
    vertices = cube.vertices * np.asarray(size, float) + np.asarray(centre, float)
    return mesh(vertices, cube.faces, normals=cube.normals, **look)


def rounded_box(size: Point, radius: float, centre: Point = (0, 0, 0), *, steps: int = 2, **look: Unpack[Look]) -> Mesh:
    """A box with round edges and corners, as of a cushion; ``steps`` faces around a quarter turn."""
    return shaded(*_rounded(size, radius, centre, steps), crease=60.0, **look)


def sphere(radius: float, centre: Point = (0, 0, 0), segments: int = 16, **look: Unpack[Look]) -> Mesh:
    return ellipsoid((radius, radius, radius), centre, segments, **look)


def ellipsoid(radii: Point, centre: Point = (0, 0, 0), segments: int = 16, **look: Unpack[Look]) -> Mesh:
    """An ellipsoid along the axes, with its poles up and down."""
    angle = np.linspace(-90, 90, max(segments // 2, 2) + 1)
    corners, faces = _lathed(np.stack([cos(angle), sin(angle)], 1), segments)
    return shaded(corners * np.asarray(radii, float) + np.asarray(centre, float), faces, crease=75.0, **look)


def cylinder(
    radius: float,
    height: float,
    *,
    base: Point = (0, 0, 0),
    top_radius: float | None = None,
    segments: int = 20,
    caps: bool = True,
    **look: Unpack[Look],
) -> Mesh:
    """A cylinder, or with ``top_radius`` a frustum, standing on ``base`` along z. Without ``caps`` its ends are open:
    only for ends that nobody sees."""
    top = radius if top_radius is None else top_radius
    corners, faces = _lathed(np.array([[radius, 0.0], [top, height]]), segments, caps=caps)
    return shaded(corners + np.asarray(base, float), faces, crease=_crease(segments), **look)


def cone(radius: float, height: float, *, base: Point = (0, 0, 0), segments: int = 20, **look: Unpack[Look]) -> Mesh:
    """A cone standing on ``base`` with its tip up."""
    return cylinder(radius, height, base=base, top_radius=0.0, segments=segments, **look)


def torus(
    radius: float,
    tube: float,
    centre: Point = (0, 0, 0),
    axis: Axis = "z",
    *,
    segments: int = 24,
    sides: int = 10,
    **look: Unpack[Look],
) -> Mesh:
    """A ring of ``radius`` (to the middle of the tube) around ``axis``."""
    angle = np.linspace(0, 360, sides + 1)
    corners, faces = _lathed(np.stack([radius + tube * cos(angle), tube * sin(angle)], 1), segments)
    return shaded(
        _along(corners, axis) + np.asarray(centre, float), faces, crease=_crease(min(sides, segments)), **look
    )


def lathe(profile: Points, *, segments: int = 24, smooth: bool = True, **look: Unpack[Look]) -> Mesh:
    """A profile of (radius, z) turned around z, with creases where it turns by more than 40°.

    A profile that does not end on the axis is closed by flat caps; one that returns to its first point is a ring. A
    vessel goes up the outside and down the inside.
    """
    corners, faces = _lathed(np.asarray(profile, float), segments)
    return shaded(corners, faces, crease=_crease(segments) if smooth else 0.0, **look)


def extrude(outline: Points, height: float, *, axis: Axis = "z", bevel: float = 0.0, **look: Unpack[Look]) -> Mesh:
    """An outline (perhaps concave, never crossing itself) drawn out along ``axis``, centred along it.

    The outline's coordinates are (x, y) for z, (y, z) for x and (x, z) for y. ``bevel`` insets both ends by that much.
    Smooth where the outline is: neighbouring sides that turn by less than 40° are shaded as one curve.
    """
    flat = np.asarray(outline, float)
    flat = flat if area(flat) > 0 else flat[::-1]
    ends = inset(flat, bevel) if bevel > 0 else flat
    heights = [-height / 2, height / 2]
    sections = [ends, ends]
    if bevel > 0:
        heights = [-height / 2, -height / 2 + bevel, height / 2 - bevel, height / 2]
        sections = [ends, flat, flat, ends]
    layers = np.stack([np.column_stack([s, np.full(len(s), h)]) for s, h in zip(sections, heights)])
    cap, last, n = ears(ends), len(layers) - 1, len(flat)
    faces = np.concatenate([_sides(len(layers), n), cap[:, ::-1], cap + last * n])
    return shaded(_along(layers.reshape(-1, 3), axis), faces, **look)


def tube(
    path: Points,
    radius: float | Point,
    *,
    segments: int = 10,
    caps: bool = True,
    **look: Unpack[Look],
) -> Mesh:
    """A round rod along a path, with one radius or one per point; its joints are mitred."""
    points = np.asarray(path, float)
    radii = np.broadcast_to(np.asarray(radius, float), (len(points),))
    sections = points[:, None] + _rings(points, segments) * radii[:, None, None]
    return shaded(*_lofted(sections, caps), crease=_crease(segments), **look)


def capsule(a: Point, b: Point, radius: float, segments: int = 10, **look: Unpack[Look]) -> Mesh:
    """A rod from ``a`` to ``b`` with round ends, which reach ``radius`` beyond them."""
    start, end = np.asarray(a, float), np.asarray(b, float)
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-12)
    angle = np.linspace(0, 90, max(segments // 3, 2) + 1)
    first = start - along * radius * cos(angle)[:, None]
    path = np.concatenate([first, (end + start) - first[::-1]])
    radii = radius * np.concatenate([sin(angle), sin(angle)[::-1]])
    sections = path[:, None] + _rings(np.stack([start, end]), segments)[0] * radii[:, None, None]
    return shaded(*_lofted(sections, True), crease=60.0, **look)


def loft(sections: Points, caps: bool = True, smooth: bool = True, **look: Unpack[Look]) -> Mesh:
    """A skin over ``k`` cross-sections of ``n`` points each. Caps are fans: an end section must be seen whole from its
    middle. A section whose points coincide is a tip."""
    return shaded(*_lofted(np.asarray(sections, float), caps), crease=CREASE if smooth else 0.0, **look)


def plate(corners: Points, thickness: float, **look: Unpack[Look]) -> Mesh:
    """A flat piece with four corners, in order around it, its middle plane through them."""
    middle = np.asarray(corners, float)
    normal = np.cross(middle[2] - middle[0], middle[3] - middle[1])
    shift = normal / np.linalg.norm(normal) * thickness / 2
    layers = np.concatenate([middle - shift, middle + shift])
    cap = np.array([[0, 1, 2], [0, 2, 3]])
    return shaded(layers, np.concatenate([_sides(2, 4), cap[:, ::-1], cap + 4]), crease=0.0, **look)


# --- placing ---------------------------------------------------------------------------------------------------------


def turn(axis: Axis, degrees: float) -> np.ndarray:
    """The rotation matrix about an axis, for ``moved(…, rotation=…)``; anti-clockwise seen from the axis's tip."""
    c, s = float(cos(degrees)), float(sin(degrees))
    first = {"x": 1, "y": 2, "z": 0}[axis]
    second = (first + 1) % 3
    matrix = np.eye(3)
    matrix[first, first], matrix[first, second], matrix[second, first], matrix[second, second] = c, -s, s, c
    return matrix


def arc(centre: Point, radius: float | tuple[float, float], start: float, stop: float, points: int = 8) -> np.ndarray:
    """Points ``[n, 2]`` on a circle or an ellipse, from one angle to another."""
    angle = np.linspace(start, stop, points)
    radii = np.broadcast_to(np.asarray(radius, float), (2,))
    return np.asarray(centre, float) + np.stack([cos(angle), sin(angle)], 1) * radii


# --- rings of corners -------------------------------------------------------------------------------------------------


def _crease(segments: int) -> float:
    """A round thing of few sides is still round (down to seven of them)."""
    return max(CREASE, 360 / segments + 1) if segments > 6 else CREASE


def _sides(layers: int, n: int) -> np.ndarray:
    """Faces between closed rings of ``n`` corners, ring after ring."""
    ring, place = np.meshgrid(np.arange(layers - 1), np.arange(n), indexing="ij")
    a, b = ring * n + place, ring * n + (place + 1) % n
    c, d = b + n, a + n
    return np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])


def _lofted(sections: np.ndarray, caps: bool) -> tuple[np.ndarray, np.ndarray]:
    k, n, _ = sections.shape
    corners, faces = sections.reshape(-1, 3), _sides(k, n)
    if caps:
        around, middle = np.arange(n), k * n
        after, last = (around + 1) % n, (k - 1) * n
        bottom = np.stack([after, around, np.full(n, middle)], 1)
        top = np.stack([around + last, after + last, np.full(n, middle + 1)], 1)
        corners = np.concatenate([corners, sections[[0, -1]].mean(1)])
        faces = np.concatenate([faces, bottom, top])
    return corners, faces


def _lathed(profile: np.ndarray, segments: int, caps: bool = True) -> tuple[np.ndarray, np.ndarray]:
    angle = np.arange(segments) * 360 / segments
    ring = np.stack([cos(angle), sin(angle)], 1)
    across = profile[:, 0, None, None] * ring
    height = np.broadcast_to(profile[:, 1, None, None], (*across.shape[:2], 1))
    closed = np.allclose(profile[0], profile[-1])
    return _lofted(np.concatenate([across, height], 2), caps and not closed)


@lru_cache(maxsize=1)
def _cube() -> Mesh:
    """The unit cube, of which plain boxes are stretched copies: objects have dozens of them."""
    return shaded(*_rounded((1, 1, 1), 0.0, (0, 0, 0), 0), crease=0.0)


def _rounded(size: Point, radius: float, centre: Point, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A box as the sphere of ``radius`` pulled apart along its octants; no steps leave the bare box."""
    half = np.asarray(size, float) / 2
    radius = min(radius, float(half.min())) if steps else 0.0
    quarter = np.linspace(0, 90, steps + 1)
    latitude, up = np.concatenate([quarter - 90, quarter]), np.repeat([-1, 1], steps + 1)
    longitude = np.concatenate([quarter + 90 * k for k in range(4)])
    sign = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]).repeat(steps + 1, axis=0)
    flat = np.stack([cos(longitude), sin(longitude)], 1)
    ends, round_ = np.empty((2, len(latitude), len(sign), 3))
    ends[..., :2], ends[..., 2] = sign, up[:, None]
    round_[..., :2], round_[..., 2] = cos(latitude)[:, None, None] * flat, sin(latitude)[:, None]
    corners = (ends * (half - radius) + round_ * radius).reshape(-1, 3) + np.asarray(centre, float)
    cap = np.array([[0, 1, 2], [0, 2, 3]]) * (steps + 1)
    return corners, np.concatenate([_sides(len(latitude), len(sign)), cap[:, ::-1], cap + len(corners) - len(sign)])


def _rings(points: np.ndarray, segments: int) -> np.ndarray:
    """Unit circles across a path, carried along it without twist and stretched into the mitre at its joints."""
    steps = np.diff(points, axis=0)
    steps /= np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
    before, after = np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]])
    tangents = before + after
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-12)
    angle = np.arange(segments) * 360 / segments
    side = np.eye(3)[np.abs(tangents[0]).argmin()]
    rings = []
    for tangent, one, two in zip(tangents, before, after):
        side = side - tangent * (side @ tangent)
        side /= max(float(np.linalg.norm(side)), 1e-12)
        ring = cos(angle)[:, None] * side + sin(angle)[:, None] * np.cross(tangent, side)
        bend = two - one
        length = float(np.linalg.norm(bend))
        if length > 1e-6:
            bend = bend / length
            stretch = min(1 / max(float(tangent @ one), 1e-3), 2.0) - 1
            ring = ring + (ring @ bend)[:, None] * bend * stretch
        rings.append(ring)
    return np.stack(rings)


def _along(corners: np.ndarray, axis: Axis) -> np.ndarray:
    """What was drawn up z, along another axis (mirrored for y; :func:`shaded` turns it outward)."""
    order = {"z": [0, 1, 2], "x": [2, 0, 1], "y": [0, 2, 1]}[axis]
    return corners[:, order]
