"""Things of revolution: a profile drawn from a few knots, and what is put on it: handles, spouts, lids, feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import lathe, tube
from unseen.worlds.shapes.skins import body, spline

Rng = np.random.Generator


def between(rng: Rng, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def profile(
    rng: Rng,
    knots: Sequence[tuple[float, float]],
    height: float,
    *,
    width: float = 1.0,
    loose: float = 0.07,
    rows: int = 13,
) -> np.ndarray:
    """Rows (radius, z) of a smooth outline through knots (share of half the width, share of the height), shaken."""
    at = np.array(knots, float)
    shaken = np.exp(rng.normal(0, loose, len(at)) + rng.normal(0, loose))
    at[:, 0] *= shaken
    inner = at[1:-1, 1]
    at[1:-1, 1] = inner + rng.uniform(-0.25, 0.25, len(inner)) * np.minimum(
        np.diff(at[:, 1])[:-1], np.diff(at[:, 1])[1:]
    )
    curve = spline(at, rows)
    curve[:, 1] = np.maximum.accumulate(np.clip(curve[:, 1], 0, None)) + np.arange(rows) * 1e-6
    return np.column_stack([np.maximum(curve[:, 0], 0.01) * width / 2, curve[:, 1] / curve[-1, 1] * height])


def vessel(outer: np.ndarray, wall: float, *, filled: float = 0.0, segments: int = 28) -> Mesh:
    """A hollow body: up the outside, over a round rim, down the inside to a floor; ``filled`` raises the floor."""
    height = outer[-1, 1]
    inner = outer[::-1].copy()
    inner[:, 0] = np.maximum(inner[:, 0] - wall, wall * 0.3)
    floor = max(wall, filled * height)
    inner = inner[inner[:, 1] > floor]
    rim = np.array(
        [[outer[-1, 0] - 0.15 * wall, height + 0.35 * wall], [outer[-1, 0] - 0.85 * wall, height + 0.35 * wall]]
    )
    last = radius_at(outer, floor) - wall
    rows = np.concatenate([[[0, 0]], outer, rim, inner, [[max(last, wall * 0.3), floor], [0, floor]]])
    return lathe(rows, segments=segments)


def solid(outer: np.ndarray, *, segments: int = 24) -> Mesh:
    """A full body of a profile, closed on the axis at both ends."""
    return lathe(np.concatenate([[[0, outer[0, 1]]], outer, [[0, outer[-1, 1]]]]), segments=segments)


def surface(outer: np.ndarray, wall: float, share: float, *, segments: int = 24) -> Mesh:
    """A disc within a vessel at a share of its height: what is in it."""
    z = share * outer[-1, 1]
    r = radius_at(outer, z) - 0.6 * wall
    return lathe([(0, z - wall / 2), (r, z - wall / 2), (r, z), (0, z)], segments=segments)


def radius_at(outer: np.ndarray, z: float) -> float:
    return float(np.interp(z, outer[:, 1], outer[:, 0]))


def handle(
    rng: Rng,
    outer: np.ndarray,
    low: float,
    high: float,
    reach: float,
    thick: float,
    style: str = "any",
    strap: float | None = None,
) -> Mesh:
    """A loop at +x from one share of the height to another: an ear, a D, a square, a curl, an S."""
    total = outer[-1, 1]
    z0, z1 = low * total, high * total
    r0, r1 = (radius_at(outer, z) - 0.3 * thick for z in (z0, z1))
    styles = {
        "ear": [(0, 0), (0.55, 0.05), (1.0, 0.5), (0.95, 0.9), (0.5, 1.08), (0, 1)],
        "d": [(0, 0), (0.5, -0.02), (0.9, 0.22), (1, 0.5), (0.9, 0.78), (0.5, 1.02), (0, 1)],
        "square": [(0, 0), (0.8, 0), (1, 0.1), (1, 0.5), (1, 0.9), (0.8, 1), (0, 1)],
        "low": [(0, 0), (0.7, 0.0), (1, 0.3), (0.85, 0.65), (0.4, 0.9), (0, 1)],
        "high": [(0, 0), (0.35, 0.12), (0.8, 0.5), (1, 0.95), (0.6, 1.2), (0, 1)],
    }
    name = str(rng.choice(list(styles))) if style == "any" else style
    rows = np.array(styles[name]) + np.concatenate(
        [[[0, 0]], rng.normal(0, 0.03, (len(styles[name]) - 2, 2)), [[0, 0]]]
    )
    base = r0 + (r1 - r0) * rows[:, 1]
    path = np.column_stack([base + rows[:, 0] * reach, np.zeros(len(rows)), z0 + rows[:, 1] * (z1 - z0)])
    loop = tube(spline(path, 15), thick, segments=8)
    return moved(loop, scale=(1, strap if strap is not None else between(rng, 1.0, 1.9), 1))


def side_handle(rng: Rng, outer: np.ndarray, at: float, reach: float, wide: float, thick: float) -> Mesh:
    """A level loop at +x, as on a cooking pot; mirror it for the other side."""
    z = at * outer[-1, 1]
    r = radius_at(outer, z) - thick
    rise = between(rng, -0.1, 0.4) * reach
    path = [
        (r, -wide, z),
        (r + 0.8 * reach, -wide, z + 0.7 * rise),
        (r + reach, -0.5 * wide, z + rise),
        (r + reach, 0.5 * wide, z + rise),
        (r + 0.8 * reach, wide, z + 0.7 * rise),
        (r, wide, z),
    ]
    return tube(spline(path, 12), thick, segments=8)


def spout(rng: Rng, outer: np.ndarray, low: float, tip: float, reach: float, thick: float, style: str = "any") -> Mesh:
    """A tapering tube from the wall at +x to a tip at a share of the height: straight, or curved like a swan's neck."""
    total = outer[-1, 1]
    z0, z1 = low * total, tip * total
    r = radius_at(outer, z0) - thick * 0.6
    curved = {"straight": 0.0, "swan": 1.0, "any": rng.random()}[style]
    path = np.array([
        (r - 0.5 * thick, 0, z0 - 0.1 * (z1 - z0)),
        (r + (0.33 + 0.25 * curved) * reach, 0, z0 + (0.33 - 0.15 * curved) * (z1 - z0)),
        (r + (0.66 + 0.08 * curved) * reach, 0, z0 + 0.66 * (z1 - z0)), (r + reach * (1 + 0.12 * curved), 0, z1),
    ])  # fmt: skip
    radii = np.array([1.25, 0.9, 0.6, between(rng, 0.4, 0.65)]) * thick
    return body(np.column_stack([path, radii, radii]), rings=10, segments=10, ends=(0, 0.1))


def lip(rng: Rng, outer: np.ndarray, wall: float, reach: float) -> Mesh:
    """A pouring lip at +x: a half cone that leans out of the rim."""
    r, z = outer[-1]
    wide = between(rng, 0.35, 0.6) * r
    rows = [
        (r - 0.8 * wall, 0, z * 0.72, 0.15 * wide, wall),
        (r + 0.25 * reach, 0, z * 0.86, 0.6 * wide, 0.5 * wall + 0.1 * reach),
        (r + reach, 0, z + 0.3 * wall, 0.85 * wide, wall),
    ]  # fmt: skip
    return body(rows, rings=7, segments=10, ends=(0.2, 0.3), side=(0, 1, 0))


def lid(rng: Rng, radius: float, z: float, dome: float) -> list[Mesh]:
    """A lid on a rim of this radius, with a knob or a loop on top."""
    rows = [
        (0, z - 0.03 * radius),
        (radius * 0.95, z - 0.03 * radius),
        (radius * 1.03, z + 0.02 * radius),
        (radius * 0.98, z + 0.06 * radius),
    ]
    rows += [(radius * c, z + 0.06 * radius + dome * np.sqrt(max(1 - c * c, 0))) for c in (0.8, 0.55, 0.3, 0.1)]
    cap = lathe([*rows, (0, rows[-1][1])], segments=24)
    top, size = z + 0.06 * radius + dome, between(rng, 0.1, 0.2) * radius
    kind = rng.integers(3)
    if kind == 0:
        knob = lathe(
            [
                (0, top - size * 0.3),
                (size * 0.4, top - size * 0.3),
                (size * 0.4, top + size * 0.3),
                (size, top + size * 0.7),
                (size * 0.8, top + size * 1.3),
                (0, top + size * 1.4),
            ],
            segments=14,
        )
    elif kind == 1:
        knob = lathe(
            [
                (0, top - size * 0.3),
                (size * 0.5, top),
                (size, top + size),
                (size * 0.5, top + 1.8 * size),
                (0, top + 2 * size),
            ],
            segments=12,
        )
    else:
        knob = tube(
            spline(
                [
                    (-size * 1.5, 0, top - size * 0.5),
                    (-size * 1.3, 0, top + size),
                    (size * 1.3, 0, top + size),
                    (size * 1.5, 0, top - size * 0.5),
                ],
                10,
            ),
            size * 0.35,
            segments=7,
        )
    return [cap, knob]
