"""The grammar of furniture: legs, backs, arms and cushions in several styles, which any seat or table may take.

All stand around the origin and look along +x; lengths are in metres until the thing is finished.
"""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes
from unseen.worlds.everyday.turned import Rng, between, profile, solid
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import box, capsule, cylinder, extrude, rounded_box, sphere, torus, tube, turn
from unseen.worlds.shapes.skins import sheet, spline

LEGS = ("square", "tapered", "splayed", "turned", "cabriole", "sled", "hairpin")
BACKS = ("slats", "ladder", "splat", "panel", "pad", "bow", "cross", "rail")


def corners(depth: float, width: float) -> list[tuple[float, float]]:
    return [(sx * depth / 2, sy * width / 2) for sx in (1, -1) for sy in (1, -1)]


def legs(rng: Rng, f: Finishes, depth: float, width: float, height: float, style: str = "any") -> list[Mesh]:
    """Four legs under a top of this size, with or without stretchers."""
    style = str(rng.choice(LEGS)) if style == "any" else style
    wood = f.metal if style in ("sled", "hairpin") or (style == "square" and rng.random() < 0.25) else f.wood
    t = between(rng, 0.018, 0.032) * (0.6 + 0.5 * height + 0.25 * width)
    out = between(rng, 0.0, 0.12) * height
    parts: list[Mesh] = []
    if style == "sled":
        for y in (-width / 2 + t, width / 2 - t):
            path = [
                (-depth / 2, y, height),
                (-depth / 2 - out / 2, y, t),
                (depth / 2 + out / 2, y, t),
                (depth / 2, y, height),
            ]
            parts.append(wood(tube(path, t * 0.6, segments=8)))
        return parts
    for x, y in corners(depth - 2 * t, width - 2 * t):
        sx, sy = np.sign(x), np.sign(y)
        foot = (x + sx * out, y + sy * out * 0.6, 0)
        if style == "square":
            parts.append(wood(moved(box((2 * t, 2 * t, height)), (x, y, height / 2))))
        elif style == "tapered":
            parts.append(wood(tube([(x, y, height), (x, y, 0)], [t * 1.2, t * 0.6], segments=4 if t > 0.03 else 8)))
        elif style == "splayed":
            parts.append(wood(tube([(x * 0.85, y * 0.85, height), foot], [t * 1.1, t * 0.7], segments=9)))
        elif style == "turned":
            rows = profile(
                rng,
                ((0.6, 0), (0.9, 0.1), (0.55, 0.3), (1, 0.55), (0.6, 0.7), (1, 1)),
                height,
                width=2.6 * t,
                loose=0.12,
                rows=15,
            )
            parts.append(wood(moved(solid(rows, segments=9), (x, y, 0))))
        elif style == "cabriole":
            path = [
                (x, y, height),
                (x + sx * 1.2 * t, y + sy * 1.2 * t, 0.75 * height),
                (x, y, 0.3 * height),
                (x + sx * t, y + sy * t, 0),
            ]
            parts.append(wood(tube(spline(path, 8), np.array([1.5, 1.5, 1.25, 1, 0.8, 0.7, 0.7, 1.0]) * t, segments=8)))
        else:
            parts += [
                wood(tube([(x + d * 0.06, y - d * sy * 0.06, height), foot], t * 0.3, segments=6)) for d in (-1, 1)
            ]
    if style in ("square", "tapered", "turned", "splayed") and rng.random() < 0.45:
        parts += stretchers(rng, wood, depth - 2 * t, width - 2 * t, height * between(rng, 0.15, 0.5), t * 0.6)
    return parts


def stretchers(rng: Rng, wood: Finish, depth: float, width: float, z: float, t: float) -> list[Mesh]:
    """Bars between the legs: all round, or as an H."""
    d, w = depth / 2, width / 2
    bars = [((d, y, z), (-d, y, z)) for y in (-w, w)]
    bars += [((0, -w, z), (0, w, z))] if rng.random() < 0.5 else [((x, -w, z * 1.2), (x, w, z * 1.2)) for x in (-d, d)]
    return [wood(tube(list(bar), t, segments=7)) for bar in bars]


def pedestal(rng: Rng, f: Finishes, height: float, spread: float, castors: bool = False) -> list[Mesh]:
    """One column on a disc or a star of feet."""
    metal = f.metal if castors or rng.random() < 0.5 else f.wood
    t = between(rng, 0.02, 0.05) if castors else between(rng, 0.03, 0.09) * (0.5 + spread)
    parts = [metal(cylinder(t, height - 0.06, base=(0, 0, 0.06), segments=14))]
    feet = 5 if castors else int(rng.choice([0, 3, 4, 5]))
    if not feet:
        return [*parts, metal(moved(solid(np.array([(spread, 0), (spread, 0.02), (t * 2, 0.07)]), segments=24)))]
    for k in range(feet):
        a = 2 * np.pi * (k + 0.25) / feet
        end = np.array([spread * np.cos(a), spread * np.sin(a), 0.07 if castors else 0.02])
        parts.append(
            metal(tube([(0, 0, 0.13 if castors else 0.18 * height + 0.04), end], [t * 1.1, t * 0.6], segments=7))
        )
        if castors:
            parts.append(f.rubber(sphere(0.035, (end[0], end[1], 0.035), 8)))
    return parts


def back(
    rng: Rng, f: Finishes, x: float, width: float, z: float, height: float, lean: float, style: str = "any"
) -> list[Mesh]:
    """What rises behind a seat: two posts and what is between them, a bow with spindles, a pad."""
    style = str(rng.choice(BACKS)) if style == "any" else style
    t, n = between(rng, 0.013, 0.024), int(rng.integers(3, 9))
    curve, w = between(rng, 0.0, 0.06), width / 2

    def at(a: float, u: float) -> np.ndarray:
        """A place on the back: a from −1 to 1 across, u from 0 to 1 up."""
        return np.array([x - lean * u - curve * (1 - a * a) * u, a * w, z + u * height])

    def bar(u: float, high: float, finish: Finish, thick: float = 0.018) -> Mesh:
        lean_here = np.array([at(a, u) for a in np.linspace(-1, 1, 7)])
        outline = np.concatenate([lean_here[:, :2] + (thick / 2, 0), lean_here[::-1, :2] - (thick / 2, 0)])
        return finish(moved(extrude(outline, high), (0, 0, z + u * height)))

    wood = f.wood
    if style == "bow":
        arch = [at(np.cos(a), 0.35 + 0.65 * np.sin(a)) for a in np.linspace(0, np.pi, 15)]
        arch = [at(1, 0), *arch, at(-1, 0)]
        spindles = [
            tube([at(a, 0), at(a, 0.34 + 0.65 * np.sqrt(max(1 - a * a, 0)))], t * 0.5, segments=6)
            for a in np.linspace(-0.75, 0.75, n)
        ]
        return [wood(tube(arch, t, segments=8), *spindles)]
    posts = [wood(capsule(at(a, -0.02), at(a, 1.0), t, 8)) for a in (-1, 1)]
    if style == "slats":
        return [
            *posts,
            bar(0.95, 0.08, wood),
            *[wood(tube([at(a, 0), at(a, 0.95)], t * 0.6, segments=6)) for a in np.linspace(-1, 1, n + 2)[1:-1]],
        ]
    if style == "ladder":
        return [
            *posts,
            *[bar(u, between(rng, 0.04, 0.08), wood) for u in np.linspace(0.3, 0.95, int(rng.integers(2, 6)))],
        ]
    if style == "splat":
        outline = [
            (-0.05, 0),
            (-0.09, 0.3),
            (-0.05, 0.6),
            (-0.1, 0.95),
            (0.1, 0.95),
            (0.05, 0.6),
            (0.09, 0.3),
            (0.05, 0),
        ]
        rows = np.array(outline) * (width * between(rng, 1.5, 2.6), height)
        splat = moved(
            extrude(rows, 0.014, axis="x"),
            (x - lean / 2, 0, z),
            rotation=turn("y", -float(np.rad2deg(np.arctan2(lean, height)))),
        )
        return [*posts, bar(0.95, 0.09, wood), wood(splat)]
    if style == "panel":
        return [*posts, bar(0.55, 0.8 * height, wood, 0.014)]
    if style == "cross":
        return [
            *posts,
            bar(0.95, 0.06, wood),
            bar(0.3, 0.05, wood),
            wood(
                tube([at(-1, 0.3), at(1, 0.95)], t * 0.7, segments=6),
                tube([at(1, 0.3), at(-1, 0.95)], t * 0.7, segments=6),
            ),
        ]
    if style == "rail":
        return [*posts, bar(0.85, between(rng, 0.1, 0.22), wood, 0.02)]
    return [*posts, bar(0.55, 0.78 * height, f.cloth, 0.05)]


def arms(rng: Rng, f: Finishes, depth: float, width: float, z: float, rise: float) -> list[Mesh]:
    """Two arm rests on posts."""
    t, parts = between(rng, 0.014, 0.024), []
    flat = rng.random() < 0.5
    for s in (1, -1):
        y = s * width / 2
        if flat:
            parts.append(f.wood(moved(box((depth, 0.06, 0.025), bevel=0.006), (0, y, z + rise))))
        else:
            path = [
                (-depth / 2, y, z + rise * 1.05),
                (0, y * 1.05, z + rise),
                (depth / 2, y, z + rise * 0.95),
                (depth / 2 + 0.02, y, z + rise * 0.8),
            ]
            parts.append(f.wood(tube(spline(path, 8), t * 1.1, segments=8)))
        parts.append(f.wood(tube([(depth / 2 - 0.05, y, z - 0.03), (depth / 2 - 0.03, y, z + rise)], t, segments=7)))
    return parts


def seat(rng: Rng, f: Finishes, depth: float, width: float, z: float) -> list[Mesh]:
    """A board, a saddle, a cushion on a board, or a round one."""
    kind = rng.integers(4)
    board = moved(box((depth, width, 0.03), bevel=0.008), (0, 0, z - 0.015))
    if kind == 0:
        return [f.wood(board)]
    if kind == 1:
        return [f.wood(moved(rounded_box((depth, width, 0.045), 0.02), (0, 0, z - 0.02)))]
    thick = between(rng, 0.04, 0.1)
    return [
        f.wood(board),
        f.cloth(rounded_box((depth * 0.98, width * 0.97, thick), min(0.03, thick / 2.1), (0, 0, z + thick / 2 - 0.01))),
    ]


def shell_seat(rng: Rng, f: Finishes, depth: float, width: float, z: float, height: float) -> list[Mesh]:
    """Seat and back in one curved sheet of plastic or plywood."""
    lean = between(rng, 0.08, 0.2)
    side = [
        (depth / 2 + 0.02, z - 0.04),
        (depth / 2 - 0.05, z + 0.005),
        (0, z - 0.02),
        (-depth / 2 + 0.06, z),
        (-depth / 2, z + 0.1),
        (-depth / 2 - lean * 0.5, z + 0.55 * height),
        (-depth / 2 - lean, z + height),
    ]
    spine = spline(side, 14)
    widths = (
        np.interp(np.linspace(0, 1, 14), [0, 0.3, 0.55, 0.8, 1], [0.92, 1, 0.85, 1, between(rng, 0.5, 0.9)]) * width / 2
    )
    across, cup = np.linspace(-1, 1, 9), between(rng, 0.0, 0.1)
    rise = across**4 * cup
    grid = np.stack(
        [np.stack([np.full(9, px) + rise * 0.6, across * w, pz + rise], -1) for (px, pz), w in zip(spine, widths)]
    )
    return [f.body(sheet(grid, 0.016))]


def ring(radius: float, z: float, t: float) -> Mesh:
    return torus(radius, t, (0, 0, z), segments=24, sides=7)
