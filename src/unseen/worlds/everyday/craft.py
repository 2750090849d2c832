"""Boats and aeroplanes; bow and nose point to the front."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, finished, finishes, repainted
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.everyday.wheels import DARK, SIDES
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes import aircraft, boats
from unseen.worlds.shapes.primitives import (
    box,
    capsule,
    cylinder,
    loft,
    plate,
    rounded_box,
    sphere,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body


def hull(
    rng: Rng, long: float, wide: float, deep: float, *, rake: float, stern: float, open_: float
) -> tuple[Mesh, np.ndarray]:
    """A hull with its bow at +x, hollow by the share ``open_``; and its rim."""
    t = np.linspace(0, 1, 11)
    half = (
        wide
        / 2
        * np.where(
            t < 0.55,
            stern + (1 - stern) * np.sin(np.pi / 2 * np.minimum(t / 0.5, 1)),
            np.sqrt(np.maximum(1 - (np.maximum(t - 0.55, 0) / 0.45) ** 2.2, 0)),
        )
    )
    half = np.maximum(half, 0.01 * wide)
    sheer = deep * (1 + 0.35 * (2 * t - 0.9) ** 2)
    x = (t - 0.5) * long
    a = np.linspace(0, np.pi, 11)
    rings = []
    for k in range(11):
        keel = np.stack(
            [
                x[k] - rake * deep * (np.sin(a) ** 2) * t[k] ** 3,
                -half[k] * np.sign(np.cos(a)) * np.abs(np.cos(a)) ** 0.7,
                sheer[k] * (1 - np.sin(a) ** 0.8),
            ],
            -1,
        )
        inner = keel[::-1] * (1, 0.86, 1) + (0, 0, 0)
        inner[:, 2] = np.maximum(inner[:, 2], sheer[k] * (1 - open_)) + 0.002
        rings.append(np.concatenate([keel, inner]))
    rim = np.stack([x, half, sheer], -1)
    return loft(np.array(rings)), rim


def boat(rng: Rng) -> Mesh:
    """Under sail, a rowing boat, a canoe, a speedboat, a fishing boat with a cabin."""
    f, kind = finishes(rng), str(rng.choice(["sail", "sail", "row", "canoe", "speed", "fishing"]))
    if kind == "sail":
        one = repainted(boats.boat(rng), f, keep=0.35)
        return finished([stretched(one, rng, 0.1)], f.atlas)
    long = {
        "row": between(rng, 3, 4.2),
        "canoe": between(rng, 4.2, 5.5),
        "speed": between(rng, 5, 7),
        "fishing": between(rng, 7, 11),
    }[kind]
    wide = (
        long
        * {
            "row": between(rng, 0.33, 0.4),
            "canoe": between(rng, 0.16, 0.2),
            "speed": between(rng, 0.3, 0.36),
            "fishing": between(rng, 0.28, 0.36),
        }[kind]
    )
    deep = long * {"row": 0.14, "canoe": 0.09, "speed": 0.13, "fishing": between(rng, 0.15, 0.2)}[kind]
    skin = f.wood if kind in ("row", "canoe") and rng.random() < 0.5 else Finish(f.body.colour, 0.5, 0, 1.0)
    shell, rim = hull(
        rng,
        long,
        wide,
        deep,
        rake=between(rng, 0.3, 1.0),
        stern=0.05 if kind == "canoe" else between(rng, 0.6, 0.85),
        open_={"row": 0.75, "canoe": 0.85, "speed": 0.25, "fishing": 0.2}[kind],
    )
    parts = [skin(shell)]
    edge = Finish(f.second.colour, 0.4)
    parts += [edge(tube(rim * (1, s, 1) + (0, 0, 0.01 * deep), 0.035 * deep + 0.012 * wide, segments=6)) for s in SIDES]
    if kind in ("row", "canoe"):
        parts += [
            f.wood(box((0.08 * long, wide * 0.86 * w, 0.025), centre=(x * long, 0, deep * 0.78)))
            for x, w in ((-0.2, 0.95), (0.08, 0.95), (0.28, 0.62))
        ]
        for s in SIDES if kind == "row" else (1,):
            oar = [(0.05 * long, s * 0.1 * wide, deep * 1.35), (-0.1 * long, s * wide * 1.0, deep * 0.75)]
            parts += [
                f.wood(
                    tube(oar, 0.025, segments=6),
                    plate(
                        [
                            (-0.1 * long - 0.05, s * wide * 0.95, deep * 0.8),
                            (-0.1 * long + 0.05, s * wide * 0.95, deep * 0.8),
                            (-0.18 * long + 0.06, s * wide * 1.25, deep * 0.5),
                            (-0.18 * long - 0.06, s * wide * 1.25, deep * 0.5),
                        ],
                        0.02,
                    ),
                )
            ]
    elif kind == "speed":
        parts += [
            f.glass(
                moved(
                    box((0.04, wide * 0.7, deep * 0.55), bevel=0.01),
                    (0.08 * long, 0, deep * 1.2),
                    rotation=turn("y", -40),
                )
            ),
            f.cloth(
                *[
                    rounded_box((0.5, wide * 0.3, 0.35), 0.08, (-0.06 * long, s * wide * 0.2, deep * 1.0))
                    for s in SIDES
                ],
                rounded_box((0.5, wide * 0.8, 0.35), 0.08, (-0.3 * long, 0, deep * 1.0)),
            ),
        ]
        parts.append(DARK(rounded_box((0.4, 0.35, 0.7), 0.1, (-0.52 * long, 0, deep * 0.9))))
        parts.append(edge(box((long * 0.7, wide * 0.985, deep * 0.12), centre=(-0.14 * long, 0, deep * 0.8))))
    else:
        w, h, x = wide * 0.6, deep * between(rng, 1.0, 1.5), between(rng, -0.25, 0.1) * long
        house = Finish(f.third.colour, 0.3) if rng.random() < 0.5 else Finish((0.9, 0.9, 0.88), 0.3)
        parts += [
            house(box((0.22 * long, w, h), centre=(x, 0, deep * 0.85 + h / 2), bevel=0.04)),
            edge(box((0.25 * long, w * 1.12, 0.08), centre=(x, 0, deep * 0.85 + h + 0.04))),
            f.glass(
                box((0.22 * long + 0.02, w * 0.8, h * 0.32), centre=(x, 0, deep * 0.85 + h * 0.7)),
                box((0.17 * long, w + 0.02, h * 0.32), centre=(x, 0, deep * 0.85 + h * 0.7)),
            ),
        ]
        mast = between(rng, 1.8, 3.0) * deep
        parts.append(
            f.wood(
                tube([(x - 0.14 * long, 0, deep * 0.7), (x - 0.14 * long, 0, deep + mast)], 0.06, segments=7),
                tube(
                    [(x - 0.14 * long, 0, deep * 1.5), (x - 0.42 * long, 0, deep * 0.9 + mast * 0.7)], 0.04, segments=6
                ),
            )
        )
        parts.append(
            DARK(
                *[
                    torus(0.18, 0.06, (0.3 * long * u, s * wide * 0.49, deep * 0.75), "y", segments=12, sides=6)
                    for u in (-0.6, 0, 0.5)
                    for s in SIDES
                ]
            )
        )
    return finished([stretched(joined(parts), rng, 0.06)], f.atlas)


def aeroplane(rng: Rng) -> Mesh:
    """An airliner, a light aircraft, a jet fighter, a biplane."""
    f, kind = finishes(rng), str(rng.choice(["first", "first", "first", "fighter", "biplane"]))
    if kind == "first":
        keep = float(rng.choice([0.2, 0.6]))
        return finished([stretched(repainted(aircraft.aeroplane(rng), f, keep=keep), rng, 0.1)], f.atlas)
    paint = Finish(f.body.colour, 0.3, 0, 1.0)
    if kind == "fighter":
        r = between(rng, 0.7, 0.9)
        rows = [
            (-6, 0, 0, r, r * 0.8),
            (-2, 0, 0, r * 1.2, r * 0.9),
            (2, 0, 0, r * 0.9, r * 0.85),
            (5, 0, 0, r * 0.55, r * 0.55),
            (8, 0, -0.1, 0.08, 0.08),
        ]
        parts = [
            paint(body(rows, rings=16, segments=14, ends=(0, 1))),
            f.glass(
                body(
                    [(1.2, 0, r * 0.7, 0.3, 0.3), (2.8, 0, r * 0.75, 0.4, 0.5), (4.3, 0, r * 0.5, 0.25, 0.25)],
                    rings=9,
                    segments=10,
                )
            ),
        ]
        sweep, span = between(rng, 2.5, 4.5), between(rng, 3.8, 5.5)
        for s in SIDES:
            parts.append(
                paint(
                    plate(
                        [
                            (1.5, s * 0.6, -0.1),
                            (1.5 - sweep, s * span, -0.15),
                            (-1.2 - sweep * 0.5, s * span, -0.15),
                            (-3.5, s * 0.6, -0.1),
                        ],
                        0.14,
                    )
                )
            )
            parts.append(
                paint(plate([(-4.2, s * 0.6, 0), (-5.8, s * 2.4, 0), (-6.6, s * 2.4, 0), (-6.2, s * 0.6, 0)], 0.1))
            )
            parts.append(DARK(rounded_box((2.2, 0.5, 0.8), 0.15, (0.8, s * (r + 0.1), -0.2))))
            if rng.random() < 0.6:
                parts.append(
                    Finish((0.85, 0.85, 0.85), 0.3)(
                        capsule((-1.5, s * span * 0.65, -0.5), (1.0, s * span * 0.65, -0.5), 0.16, 8),
                        box((1.0, 0.08, 0.4), centre=(-0.6, s * span * 0.65, -0.3)),
                    )
                )
            if rng.random() < 0.5:
                parts.append(
                    paint(
                        plate(
                            [(-3.8, s * 0.5, 0.4), (-5.6, s * 1.1, 2.2), (-6.4, s * 1.1, 2.2), (-6.0, s * 0.5, 0.4)],
                            0.1,
                        )
                    )
                )
        parts += [
            paint(plate([(-3.5, 0, r * 0.6), (-5.6, 0, r + 2.0), (-6.6, 0, r + 2.0), (-6.2, 0, r * 0.6)], 0.1)),
            DARK(moved(cylinder(r * 0.75, 0.5, segments=14), (-6.4, 0, 0), rotation=turn("y", 90))),
        ]
        parts.append(
            DARK(
                *[tube([(x, y, -0.3), (x, y, -1.4)], 0.08, segments=6) for x, y in ((4.5, 0), (-1, 1.1), (-1, -1.1))],
                *[
                    moved(cylinder(0.32, 0.2, base=(0, 0, -0.1), segments=12), (x, y, -1.4), rotation=turn("x", 90))
                    for x, y in ((4.5, 0), (-1, 1.1), (-1, -1.1))
                ],
            )
        )
    else:
        wing = Finish(f.second.colour, 0.2)
        span, gap = between(rng, 3.4, 4.6), between(rng, 1.1, 1.5)
        rows = [(-3.4, 0, 0.1, 0.08, 0.15), (-1, 0, 0, 0.36, 0.42), (1.2, 0, 0, 0.48, 0.52), (2.2, 0, 0, 0.46, 0.5)]
        parts = [
            paint(body(rows, rings=12, segments=14, ends=(0.3, 0.4))),
            DARK(sphere(0.14, (2.5, 0, 0), 8), box((0.06, 0.16, 1.9), centre=(2.5, 0, 0))),
        ]
        parts += [
            wing(box((1.1, 2 * span, 0.1), centre=(0.9 + 0.25 * k, 0, z), bevel=0.03))
            for k, z in enumerate((-0.35, gap - 0.35))
        ]
        parts.append(
            f.wood(
                *[
                    tube([(0.6 + d, s * y, -0.35), (0.85 + d, s * y, gap - 0.35)], 0.035, segments=5)
                    for s in SIDES
                    for y in (0.5, span * 0.72)
                    for d in (0, 0.6)
                ]
            )
        )
        parts += [
            paint(box((0.7, 2.4, 0.07), centre=(-3.1, 0, 0.15))),
            paint(plate([(-2.8, 0, 0.1), (-3.0, 0, 1.0), (-3.6, 0, 1.0), (-3.6, 0, 0.1)], 0.07)),
        ]
        parts.append(
            DARK(
                *[tube([(1.3, s * 0.3, -0.4), (1.4, s * 0.7, -1.1)], 0.04, segments=5) for s in SIDES],
                *[
                    moved(
                        cylinder(0.32, 0.14, base=(0, 0, -0.07), segments=14),
                        (1.4, s * 0.75, -1.1),
                        rotation=turn("x", 90),
                    )
                    for s in SIDES
                ],
            )
        )
    return finished([stretched(joined(parts), rng, 0.08)], f.atlas)
