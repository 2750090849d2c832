"""What grows in a pot: cactus (which has no front) and flowers. Shapes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    cone,
    ellipsoid,
    lathe,
    sphere,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, blade, blended, body, darker, hsv, spline


def cactus(rng: np.random.Generator) -> Mesh:
    """A ribbed column with arms, mostly; else a tower of flat pads. In a pot or in sand; some in bloom."""
    green = hsv(rng, (0.27, 0.42), (0.35, 0.65), (0.4, 0.68))
    parts = _base(rng)
    floor = float(parts[-1].vertices[:, 2].max()) - 0.03
    plant = _columns(rng, green) if rng.random() < 0.75 else _pads(rng, green)
    return upright(joined([*parts, *(moved(p, (0, 0, floor)) for p in plant)]))


def _base(rng: np.random.Generator) -> list[Mesh]:
    """A pot with soil, or a flat mound of sand; the soil is last."""
    if rng.random() < 0.6:
        return _pot(rng, rng.uniform(0.17, 0.22))
    mound = lathe(
        [(0, 0), (0.34, 0), (0.3, 0.03), (0.18, 0.055), (0, 0.06)],
        segments=18,
        colour=hsv(rng, (0.09, 0.12), (0.3, 0.5), (0.8, 0.92)),
        gloss=0.05,
    )
    return [mound]


def _pot(rng: np.random.Generator, radius: float) -> list[Mesh]:
    """A flower pot with a rim, of clay or glazed, filled with soil."""
    colour = (
        hsv(rng, (0.03, 0.06), (0.55, 0.7), (0.65, 0.82))
        if rng.random() < 0.5
        else dye(rng, saturation=(0.1, 0.7), value=(0.6, 0.95))
    )
    high, foot, rim = radius * rng.uniform(1.3, 1.8), radius * rng.uniform(0.6, 0.8), radius * rng.uniform(1.0, 1.15)
    edge = 0.22 * high if rim > 1.04 * radius else 0.02
    outside = [
        (0, 0),
        (foot, 0),
        (radius * 0.97, high - edge),
        (rim, high - edge),
        (rim * 1.02, high),
        (0.88 * radius, high),
        (0.86 * radius, high - 0.05),
        (0, high - 0.05),
    ]
    soil = lathe(
        [(0, high - 0.06), (0.87 * radius, high - 0.06), (0.87 * radius, high - 0.035), (0, high - 0.015)],
        segments=16,
        colour=(0.25, 0.17, 0.11),
        gloss=0.02,
    )
    return [lathe(outside, segments=18, colour=colour, paint=1.0, gloss=rng.uniform(0.1, 0.6)), soil]


def _column(path: np.ndarray, radius: float, ribs: int, green: Colour) -> list[Mesh]:
    """A ribbed stem with pale spines along its ribs."""
    rows = np.column_stack([path, np.full((len(path), 2), radius)])
    stem = body(
        rows,
        rings=2 * len(path) + 1,
        segments=2 * ribs,
        ends=(0, 1.0),
        side=(0.3, 1, 0.1),
        ribs=0.11,
        colour=green,
        paint=1.0,
        gloss=0.15,
    )
    outer = np.linalg.norm(stem.vertices[:, None] - spline(path, 40)[None], axis=-1).min(1) > 1.02 * radius
    stem = blended(stem, 0.35 * outer, (0.9, 0.95, 0.7))
    return [blended(stem, 0.4 * ~outer, darker(green, 0.4))]


def _columns(rng: np.random.Generator, green: Colour) -> list[Mesh]:
    high, radius, ribs = rng.uniform(0.7, 1.05), rng.uniform(0.085, 0.12), int(rng.integers(7, 10))
    parts = _column(np.array([(0, 0, 0), (0, 0, 0.35 * high), (0, 0, 0.7 * high), (0, 0, high)]), radius, ribs, green)
    tips = [(np.array([0, 0, high]), radius)]
    start = rng.uniform(0, 360)
    for k in range(int(rng.integers(2, 4))):
        thick, low, out = 0.72 * radius, high * rng.uniform(0.3, 0.6), rng.uniform(0.2, 0.27)
        end = low + rng.uniform(0.22, 0.45)
        path = (
            np.array(
                [
                    (0, 0, low),
                    (0.6 * out, 0, low + 0.01),
                    (0.96 * out, 0, low + 0.09),
                    (out, 0, 0.6 * low + 0.4 * end + 0.06),
                    (out, 0, end),
                ]
            )
            @ turn("z", start + 180 * k + rng.uniform(-25, 25)).T
        )
        parts += _column(path, thick, max(ribs - 2, 6), green)
        tips.append((path[-1], thick))
    if rng.random() < 0.5:
        bloom = hsv(rng, (0.85, 1.15), (0.6, 0.9), (0.85, 1.0))
        for at, thick in tips:
            parts += [moved(p, at + (0, 0, 0.9 * thick)) for p in _rosette(bloom, 0.7 * thick, 0.75 * thick)]
    stem = parts[0]
    ridge = np.flatnonzero(np.hypot(stem.vertices[:, 0], stem.vertices[:, 1]) > 1.05 * radius)
    for k in rng.choice(ridge, 18, replace=False):
        at, out = stem.vertices[k], stem.normals[k]
        parts.append(tube([at - 0.01 * out, at + 0.05 * out], (0.007, 0.002), segments=3, colour=(0.95, 0.93, 0.8)))
    return parts


def _rosette(colour: Colour, radius: float, rise: float) -> list[Mesh]:
    petals = [
        moved(
            blade(
                [(0, 0, 0), (0.6 * radius, 0, 0.7 * rise), (radius, 0, rise)],
                (0.1 * radius, 0.4 * radius, 0.1 * radius),
                (0, 1, 0),
                0.012,
                count=3,
                columns=2,
                colour=colour,
            ),
            rotation=turn("z", 72 * k),
        )
        for k in range(5)
    ]
    return [*petals, sphere(0.3 * radius, (0, 0, 0.4 * rise), 6, colour=(0.98, 0.85, 0.3))]


def _pads(rng: np.random.Generator, green: Colour) -> list[Mesh]:
    """Flat oval pads growing from the upper edges of pads; spines on their faces, fruit on the last ones."""
    parts, fruit = [], hsv(rng, (0.93, 1.05), (0.7, 0.9), (0.7, 0.9))
    queue = [(np.zeros(3), 0.0, rng.uniform(0.34, 0.4), 0)]
    while queue:
        foot, lean, tall, depth = queue.pop(0)
        turned = turn("y", lean)
        pad = ellipsoid(
            (0.38 * tall, 0.15 * tall, 0.55 * tall),
            (0, 0, 0.5 * tall),
            14,
            colour=darker(green, rng.uniform(0.9, 1.1)),
            paint=1.0,
            gloss=0.15,
        )
        yaw = turn("z", rng.uniform(-70, 70))
        parts.append(moved(pad, foot, rotation=yaw @ turned))
        for s in (1, -1):
            for x, z in ((0, 0.3), (-0.14, 0.5), (0.14, 0.5), (0, 0.72), (0, 0.5)):
                parts.append(
                    moved(
                        moved(
                            cone(0.01, 0.04, base=(0, 0, 0.12 * tall), segments=3, colour=(0.97, 0.95, 0.8)),
                            rotation=turn("x", -s * 90),
                        ),
                        foot + yaw @ turned @ [x * tall, 0, z * tall],
                        rotation=yaw @ turned,
                    )
                )
        if depth < 2:
            for side in (-1, 1)[: 2 if depth == 0 else int(rng.integers(1, 3))]:
                tip = foot + yaw @ turned @ [side * 0.22 * tall, 0, 0.92 * tall]
                queue.append((tip, lean + side * rng.uniform(20, 40), tall * rng.uniform(0.68, 0.85), depth + 1))
        else:
            parts.append(ellipsoid((0.03, 0.03, 0.045), foot + yaw @ turned @ [0, 0, 1.08 * tall], 8, colour=fruit))
    return parts


def flower(rng: np.random.Generator) -> Mesh:
    """Flowers in a pot: daisies, sunflowers or tulips, one to four of them, with leaves; they look towards +x."""
    radius = rng.uniform(0.15, 0.19)
    parts = _pot(rng, radius)
    floor, kind = float(parts[-1].vertices[:, 2].max()) - 0.02, int(rng.integers(3))
    count = int(rng.integers(1, 5)) if kind != 1 else int(rng.integers(1, 3))
    green = hsv(rng, (0.25, 0.36), (0.5, 0.8), (0.4, 0.65))
    petal = (
        hsv(rng, (0.8, 1.2), (0.0, 0.75), (0.92, 1.0)),
        hsv(rng, (0.11, 0.15), (0.8, 0.95), (0.93, 1.0)),
        hsv(rng, (0.85, 1.15), (0.55, 0.9), (0.8, 1.0)),
    )[kind]
    size = (0.2, 0.27, 0.12)[kind] * (1.15 if count < 3 else 0.8)
    start = rng.uniform(-20, 20) if count == 1 else rng.uniform(0, 360)
    for k in range(count):
        out = 0.0 if count == 1 else rng.uniform(0.12, 0.24)
        angle, high = start + 360 * k / count, rng.uniform(0.42, 0.68)
        tilt = rng.uniform(20, 50) if kind < 2 else 20 * out / 0.2
        turned = turn("z", angle)
        head = np.array([out + 0.06, 0, floor + high])
        stem = spline([(0.1 * radius, 0, floor), (0.35 * out, 0, floor + 0.5 * high), head], 6)
        gaze = turn("z", 0.4 * ((angle + 180) % 360 - 180) - angle) @ turn("y", tilt)  # outward, and to the front
        bloom = [moved(p, head, rotation=gaze) for p in (_daisy, _daisy, _tulip)[kind](rng, petal, size, kind == 1)]
        parts += [moved(p, rotation=turned) for p in [tube(stem, 0.014, segments=5, colour=green), *bloom]]
    for k in range(int(rng.integers(3, 6))):
        reach, rise = rng.uniform(0.16, 0.26), rng.uniform(0.14, 0.3)
        leaf = blade(
            [(0, 0, floor), (0.5 * reach, 0, floor + rise), (reach, 0, floor + 0.85 * rise)],
            (0.02, 0.06, 0.01),
            (0, 1, 0),
            0.012,
            fold=0.3,
            count=5,
            colour=darker(green, rng.uniform(0.8, 1.1)),
        )
        parts.append(moved(leaf, rotation=turn("z", start + 137.5 * k)))
    return upright(joined(parts))


def _daisy(rng: np.random.Generator, colour: Colour, size: float, sun: bool) -> list[Mesh]:
    """Petals around a disc; a sunflower's disc is large and brown."""
    count, disc = (14, 0.45) if sun else (int(rng.integers(8, 11)), 0.3)
    droop = rng.uniform(-0.1, 0.15)
    parts = [
        ellipsoid(
            (disc * size, disc * size, 0.16 * size),
            (0, 0, 0.02),
            10,
            colour=(0.32, 0.18, 0.08) if sun else (0.98, 0.78, 0.15),
            gloss=0.05,
        )
    ]
    for k in range(count):
        path = [(0.5 * disc * size, 0, 0), (0.65 * size, 0, 0.06 * size), (size, 0, -droop * size)]
        width = 2.6 * size / count
        one = blade(
            path,
            (0.5 * width, width, 0.35 * width),
            (0, 1, 0),
            0.012,
            count=4,
            columns=2,
            colour=darker(colour, rng.uniform(0.92, 1.05)),
            paint=1.0,
        )
        parts.append(moved(one, (0, 0, 0.004 * (k % 2)), rotation=turn("z", 360 * k / count)))
    return parts


def _tulip(rng: np.random.Generator, colour: Colour, size: float, _: bool) -> list[Mesh]:
    """Six petals closing into a cup."""
    parts = [
        ellipsoid((0.5 * size, 0.5 * size, 0.35 * size), (0, 0, 0.3 * size), 10, colour=darker(colour, 0.8), paint=1.0)
    ]
    open_ = rng.uniform(0.55, 0.85)
    for k in range(6):
        path = [
            (0.05 * size, 0, 0),
            (0.72 * size, 0, 0.45 * size),
            (0.75 * size, 0, 1.0 * size),
            (open_ * size, 0, 1.7 * size),
        ]
        one = blade(
            path,
            (0.15 * size, 0.5 * size, 0.45 * size, 0.08 * size),
            (0, 1, 0),
            0.012,
            fold=0.25,
            count=5,
            columns=3,
            colour=darker(colour, 1.0 if k % 2 else 0.88),
            paint=1.0,
        )
        parts.append(moved(one, scale=1.0 if k % 2 else 0.93, rotation=turn("z", 60 * k)))
    return parts
