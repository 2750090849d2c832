"""Guitars and violins, neck up, their strings to the front."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import SIDES, Finish, finished, finishes
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import box, cylinder, extrude, sphere, torus, tube, turn
from unseen.worlds.shapes.skins import spline

DARK = Finish((0.09, 0.07, 0.06), 0.4)
GUT = Finish((0.3, 0.28, 0.25), 0.3)  # bright strings flicker where they are thinner than a pixel


def waisted(rng: Rng, rows: tuple[tuple[float, float], ...], loose: float = 0.05) -> np.ndarray:
    """An outline (y, z), mirrored about z, smooth through half widths at heights."""
    half = np.array(rows, float)
    half[1:-1, 0] *= np.exp(rng.normal(0, loose, len(half) - 2))
    right = spline(half, 22)
    return np.concatenate([right, right[-2:0:-1] * (-1, 1)])


def neck(
    rng: Rng, f_neck: Finish, metal: Finish, low: float, high: float, x: float, wide: float, frets: int, pegs: int
) -> list[Mesh]:
    """Neck, fingerboard with frets, head with pegs, strings."""
    long = high - low
    parts = [
        f_neck(box((0.025, wide, long), centre=(x, 0, low + long / 2), bevel=0.006)),
        DARK(box((0.012, wide * 0.95, long), centre=(x + 0.017, 0, low + long / 2))),
    ]
    parts.append(
        metal(
            *[
                box((0.004, wide * 0.95, 0.004), centre=(x + 0.024, 0, low + long * u))
                for u in np.linspace(0.1, 0.98, frets)
            ]
        )
        if frets
        else f_neck(box((0.01, wide, 0.01), centre=(x, 0, high)))
    )
    return parts


def guitar(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(["dreadnought", "classical", "parlour", "double", "single", "vee"]))
    wood, metal = f.wood if rng.random() < 0.75 else f.body, Finish((0.78, 0.78, 0.8), 0.7)
    acoustic = kind in ("dreadnought", "classical", "parlour")
    if acoustic:
        size = {"dreadnought": 1.0, "classical": 0.92, "parlour": 0.8}[kind]
        waist = {"dreadnought": 0.135, "classical": 0.115, "parlour": 0.1}[kind]
        rows = (
            (0.0, 0.0),
            (0.14, 0.02),
            (0.2, 0.12),
            (0.17, 0.24),
            (waist, 0.31),
            (0.14, 0.41),
            (0.1, 0.48),
            (0.0, 0.495),
        )
        outline = waisted(rng, rows) * size
        deep, top = between(rng, 0.09, 0.12), 0.495 * size
        side = f.second if rng.random() < 0.4 else wood.darker(0.7)
        parts = [
            side(extrude(outline, deep, axis="x", bevel=0.004)),
            wood(moved(extrude(outline * (0.97, 0.985) + (0, 0.004), 0.006, axis="x"), (deep / 2 + 0.002, 0, 0))),
        ]
        hole = 0.34 * size
        parts += [
            DARK(moved(cylinder(0.052 * size, 0.012, segments=24), (deep / 2, 0, hole), rotation=turn("y", 90))),
            f.third(torus(0.058 * size, 0.005, (deep / 2 + 0.006, 0, hole), "x", segments=26, sides=5)),
        ]
        if rng.random() < 0.5:
            guard = np.array(
                [(0.02, hole - 0.05), (0.1, hole - 0.12), (0.12, hole - 0.06), (0.08, hole + 0.02), (0.055, hole)]
            )
            parts.append(DARK(moved(extrude(guard * (-1, 1), 0.004, axis="x"), (deep / 2 + 0.006, 0, 0))))
        bridge = 0.14 * size
        parts.append(DARK(box((0.012, 0.16 * size, 0.025), centre=(deep / 2 + 0.01, 0, bridge), bevel=0.003)))
        x, low, high = deep / 2, hole + 0.05 * size, top + between(rng, 0.3, 0.38)
    else:
        if kind == "vee":
            outline = np.array(
                [(0, 0.14), (0.17, -0.02), (0.22, 0.02), (0.07, 0.36), (-0.07, 0.36), (-0.22, 0.02), (-0.17, -0.02)]
            )
        else:
            rows = (
                (0.0, 0.0),
                (0.12, 0.015),
                (0.165, 0.1),
                (0.13, 0.2),
                (0.115, 0.25),
                (0.15, 0.35),
                (0.13, 0.41),
                (0.075, 0.36),
                (0.0, 0.36),
            )
            outline = waisted(rng, rows)
            if kind == "single":
                outline = np.where((outline[:, :1] > 0.0) & (outline[:, 1:] > 0.34), outline * (0.55, 1), outline)
        deep = between(rng, 0.038, 0.05)
        paint = Finish(f.body.colour, 0.7, int(rng.choice([0, 0, 1])), 1.0)
        parts = [paint(extrude(outline, deep, axis="x", bevel=0.008))]
        if rng.random() < 0.7 and kind != "vee":
            guard = outline * (0.72, 0.6) + (0.012, 0.1)
            parts.append(Finish(f.second.colour, 0.3)(moved(extrude(guard, 0.004, axis="x"), (deep / 2 + 0.002, 0, 0))))
        parts += [
            DARK(box((0.014, 0.075, 0.024), centre=(deep / 2 + 0.006, 0, z), bevel=0.003))
            for z in (0.13, 0.2, 0.27)[: int(rng.integers(2, 4))]
        ]
        parts += [
            metal(box((0.014, 0.08, 0.035), centre=(deep / 2 + 0.006, 0, 0.08), bevel=0.003)),
            *[
                metal(
                    moved(
                        cylinder(0.012, 0.018, segments=10),
                        (deep / 2, -0.09 - 0.02 * k, 0.1 - 0.03 * k),
                        rotation=turn("y", 90),
                    )
                )
                for k in range(2)
            ],
        ]
        x, low, high, bridge = deep / 2 + 0.004, 0.3, between(rng, 0.72, 0.82), 0.08
    parts += neck(rng, wood, metal, low, high, x, between(rng, 0.048, 0.058), int(rng.integers(10, 18)), 6)
    head = np.array([(-0.027, 0), (0.027, 0), (0.04, 0.05), (0.036, 0.16), (-0.036, 0.16), (-0.04, 0.05)])
    parts.append(
        (wood if rng.random() < 0.6 else DARK)(
            moved(extrude(head, 0.018, axis="x"), (x - 0.006, 0, high), rotation=turn("y", -8))
        )
    )
    parts += [
        metal(
            moved(
                cylinder(0.007, 0.03, segments=6),
                (x - 0.01, s * 0.036, high + 0.035 + 0.04 * k),
                rotation=turn("x", -90 * s),
            ),
            sphere(0.01, (x - 0.01, s * 0.072, high + 0.035 + 0.04 * k), 6),
        )
        for s in SIDES
        for k in range(3)
    ]
    parts.append(
        GUT(
            *[
                tube([(x + 0.028, y, bridge), (x + 0.03, y * 0.75, high + 0.02)], 0.0014, segments=3)
                for y in np.linspace(-0.024, 0.024, 6)
            ]
        )
    )
    whole = moved(joined(parts), rotation=turn("y", -between(rng, 0, 12)))
    return stretched(finished([whole], f.atlas), rng, 0.04)


def violin(rng: Rng) -> Mesh:
    """A violin, a viola or a cello, with or without its bow."""
    f, cello = finishes(rng), rng.random() < 0.35
    wood = Finish(f.wood.colour if rng.random() < 0.6 else (0.55, 0.26, 0.1), 0.6, 1, 1.0)
    rows = (
        (0.0, 0.0),
        (0.07, 0.004),
        (0.102, 0.06),
        (0.092, 0.12),
        (0.085, 0.135),
        (0.056, 0.18),
        (0.074, 0.232),
        (0.08, 0.25),
        (0.082, 0.3),
        (0.05, 0.345),
        (0.0, 0.355),
    )
    outline = waisted(rng, rows, 0.035)
    deep = between(rng, 0.035, 0.045) * (1.8 if cello else 1)
    parts = [wood.darker(0.8)(extrude(outline * 0.97 + (0, 0.005), deep, axis="x"))]
    for s in SIDES:
        parts.append(wood(moved(extrude(outline, 0.01, axis="x", bevel=0.004), (s * deep / 2, 0, 0))))
        curve = spline([(0.036, 0.12), (0.047, 0.14), (0.038, 0.175), (0.046, 0.2)], 9) * (s, 1)
        parts.append(DARK(tube(np.column_stack([np.full(9, deep / 2 + 0.005), curve]), 0.003, segments=5)))
    x = deep / 2 + 0.012
    high = between(rng, 0.47, 0.51)
    parts += [
        DARK(
            box((0.008, 0.03, high - 0.2), centre=(x + 0.006, 0, (high + 0.22) / 2)),
            box((0.006, 0.036, 0.09), centre=(x + 0.008, 0, 0.07)),
        ),
        wood(
            box((0.022, 0.024, high - 0.33), centre=(x - 0.006, 0, (high + 0.34) / 2), bevel=0.004),
            box((0.028, 0.042, 0.006), centre=(x + 0.006, 0, 0.16)),
        ),
    ]
    a = np.linspace(0, 4.5, 12)
    scroll = np.stack(
        [x - 0.02 + 0.016 * np.cos(a) * (1 - a / 7), 0 * a, high + 0.075 + 0.018 * np.sin(a) * (1 - a / 7)], -1
    )
    parts += [wood(box((0.024, 0.02, 0.07), centre=(x - 0.01, 0, high + 0.03)), tube(scroll, 0.009, segments=6))]
    parts += [
        DARK(
            tube([(x - 0.008, s * 0.008, high + z), (x - 0.008, s * 0.035, high + z)], 0.004, segments=6),
            sphere(0.007, (x - 0.008, s * 0.036, high + z), 6),
        )
        for s in SIDES
        for z in (0.015, 0.04)
    ]
    parts.append(
        GUT(
            *[
                tube(
                    [(x + 0.013, y, 0.1), (x + 0.03 if z == 0 else x + 0.012, y * 0.8, 0.163 if z == 0 else high)],
                    0.0009,
                    segments=3,
                )
                for y in np.linspace(-0.011, 0.011, 4)
                for z in (1,)
            ]
        )
    )
    if cello:
        parts = [moved(part, (0, 0, 0.09)) for part in parts] + [
            Finish((0.7, 0.7, 0.72), 0.7)(tube([(0, 0, 0.1), (0.01, 0, 0)], 0.004, segments=6))
        ]
    else:
        parts.append(DARK(moved(sphere(0.03, segments=10), (deep / 2 + 0.01, 0.05, 0.015), scale=(0.4, 1, 0.7))))
    if rng.random() < 0.5:
        y = between(rng, 0.12, 0.16) * float(rng.choice([-1, 1]))
        stick = [(x + 0.01, y, 0.0), (x + 0.0, y * 1.05, 0.3), (x + 0.01, y * 0.7, 0.58)]
        parts.append(wood(tube(spline(np.array(stick), 7), 0.0045, segments=6)))
        parts.append(
            Finish((0.92, 0.9, 0.84), 0.1)(
                tube([(x + 0.022, y, 0.01), (x + 0.016, y * 0.72, 0.575)], 0.003, segments=4)
            )
        )
        parts.append(
            DARK(
                box((0.022, 0.012, 0.03), centre=(x + 0.012, y, 0.02)),
                tube([(x, y, 0.0), (x, 0, 0.02)], 0.002, segments=4),
            )
        )
    whole = moved(joined(parts), rotation=turn("y", -between(rng, 0, 14)))
    return stretched(finished([whole], f.atlas), rng, 0.04)
