"""Trains, bicycles, motorbikes, boats and aeroplanes; all move to the front. What the first set has, is repainted and re-proportioned."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes, finished, finishes, repainted
from unseen.worlds.everyday.road import DARK, LAMP, RED, SIDES, panes
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes import aircraft, boats, rail
from unseen.worlds.shapes.primitives import (
    box,
    capsule,
    cylinder,
    extrude,
    loft,
    plate,
    rounded_box,
    sphere,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body, sheet, spline

TRAINS = ("steam", "steam", "diesel", "electric", "bullet", "tram")


def locomotive(rng: Rng) -> Mesh:
    """Under steam, diesel or electric, a bullet train, a tram; most on a piece of track."""
    f, kind = finishes(rng), str(rng.choice(TRAINS))
    paint = Finish(f.body.colour, 0.4, 0, 1.0)
    if kind == "steam":
        one = rail.locomotive(rng)
        dark = Finish((0.1, 0.1, 0.11), 0.4) if rng.random() < 0.6 else f.body
        whole = stretched(repainted(one, _only(f, dark)), rng, 0.06, "x")
        whole = moved(whole, scale=(7.0 * between(rng, 1.1, 1.35), 7.0, 7.0))
        parts, long = [whole], float(whole.extents[0])
        gauge = 1.0
    else:
        long, wide, high = between(rng, 9, 14), 1.35, between(rng, 3.4, 4.0)
        gauge, low, parts = 0.9, 0.95, []
        nose = {
            "diesel": between(rng, 0.0, 0.5),
            "electric": between(rng, 0.2, 0.8),
            "bullet": between(rng, 3.5, 5.5),
            "tram": 0.35,
        }[kind]
        if kind == "bullet":
            x = np.array([-long / 2, long / 2 - nose, long / 2 - 0.6 * nose, long / 2 - 0.25 * nose, long / 2])
            rows = [
                (a, 0, low + h / 2, w, h / 2)
                for a, h, w in zip(
                    x, (high - low) * np.array([1, 1, 0.82, 0.5, 0.22]), wide * np.array([1, 1, 0.92, 0.72, 0.4])
                )
            ]
            parts.append(paint(body(rows, rings=16, segments=20, ends=(0.0, 0.5), square=3.2)))
            glass = [
                (a, 0, low + h / 2 + 0.03, w, h / 2)
                for a, h, w in zip(x[1:4], (high - low) * np.array([1, 0.84, 0.6]), wide * np.array([0.6, 0.55, 0.4]))
            ]
            parts.append(f.glass(body(glass, rings=6, segments=14, ends=(0, 0.3), square=3.0)))
        else:
            both = kind != "diesel" or rng.random() < 0.5
            side = [
                (-long / 2, low),
                (long / 2, low),
                (long / 2, low + 1.2),
                (long / 2 - nose, high - 0.2),
                (long / 2 - nose - 0.2, high),
                (-long / 2 + (nose if both else 0) + 0.2, high),
                (-long / 2 + (nose if both else 0), high - 0.2),
                (-long / 2, low + 1.2),
            ]
            parts.append(paint(extrude(side, 2 * wide, axis="y", bevel=0.12)))
            lean = float(np.rad2deg(np.arctan2(nose, high - low - 1.4)))
            for s in SIDES if both else (1,):
                for y in (-0.6, 0.6):
                    pane = box((0.06, 1.0, (high - low) * 0.3), bevel=0.02)
                    at = (s * (long / 2 - nose * 0.55 + 0.02), y, high - 0.25 - (high - low) * 0.17)
                    parts.append(f.glass(moved(pane, at, rotation=turn("y", -s * lean))))
                parts += [
                    LAMP(
                        moved(
                            cylinder(0.15, 0.08, segments=12),
                            (s * (long / 2 + 0.0), y * 0.9, low + 0.75),
                            rotation=turn("y", s * 90),
                        )
                    )
                    for y in (-1, 1)
                ]
            parts.append(LAMP(sphere(0.16, (long / 2 - nose - 0.1, 0, high + 0.02), 8)))
        n = int(rng.integers(6, 12)) if kind in ("tram", "bullet") else int(rng.integers(2, 5))
        z0, z1 = (1.9, 2.8) if kind != "diesel" else (2.3, 2.9)
        parts += panes(
            f,
            -long / 2 + 0.8,
            long / 2 - max(nose, 0.9) - 0.6,
            z0,
            z1,
            wide + 0.012,
            n,
            0.15 if kind in ("tram", "bullet") else 0.5,
        )
        stripe = Finish(f.second.colour, 0.3)
        parts += [
            stripe(
                box(
                    (long - 2 * (nose if kind == "bullet" else 0.1), 2 * wide + 0.02, between(rng, 0.12, 0.5)),
                    centre=(-nose / 2 if kind == "bullet" else 0, 0, between(rng, 1.25, 1.7)),
                )
            )
        ]
        if kind == "diesel":
            parts += [
                DARK(box((long * 0.3, 2 * wide + 0.03, 0.7), centre=(-long * 0.15, 0, 2.5))),
                *[DARK(box((0.8, 0.8, 0.15), centre=(x, 0, high + 0.05))) for x in (-long * 0.3, -long * 0.1)],
            ]
        else:
            parts.append(DARK(box((1.2, 1.4, 0.15), centre=(-long * 0.1, 0, high + 0.07))))
            if kind != "bullet" and rng.random() < 0.8:
                parts.append(
                    DARK(
                        tube([(-long * 0.1, 0, high), (0.5, 0, high + 0.6), (-0.2, 0, high + 1.1)], 0.05, segments=5),
                        box((0.12, 1.5, 0.06), centre=(-0.2, 0, high + 1.12)),
                    )
                )
        parts.append(DARK(box((long * 0.95, 1.9, 0.3), centre=(0, 0, low - 0.1))))
        parts.append(
            (RED if rng.random() < 0.4 else DARK)(
                box((0.25, 2.2, 0.4), centre=(long / 2 - 0.05, 0, low - 0.1), bevel=0.05)
            )
        )
        for x in (-long * 0.32, long * 0.32 - nose * 0.3):
            parts.append(DARK(box((2.8, 2.1, 0.35), centre=(x, 0, 0.62))))
            parts += [
                DARK(
                    moved(
                        cylinder(0.45, 0.14, base=(0, 0, -0.07), segments=16),
                        (x + d, s * gauge, 0.45),
                        rotation=turn("x", 90),
                    )
                )
                for d in (-0.95, 0.95)
                for s in SIDES
            ]
    if rng.random() < 0.65:
        rails = [f.metal(box((long * 1.1, 0.12, 0.14), centre=(0, s * gauge, -0.07))) for s in SIDES]
        parts += rails + [
            f.wood(box((0.28, 3.0, 0.16), centre=(x, 0, -0.2))) for x in np.arange(-long * 0.54, long * 0.55, 0.75)
        ]
    return finished(parts, f.atlas)


def _only(f: Finishes, body_: Finish) -> Finishes:
    from dataclasses import replace

    return replace(f, body=body_)


def spoked(f: Finishes, at: np.ndarray, r: float, tyre: float, spokes: int) -> list[Mesh]:
    """A wheel in the plane of travel: tyre, rim, hub, spokes."""
    parts = [
        f.rubber(torus(r - tyre, tyre, at, "y", segments=30, sides=7)),
        f.metal(torus(r - 2.1 * tyre, tyre * 0.4, at, "y", segments=24, sides=5)),
    ]
    parts.append(f.metal(moved(cylinder(tyre, 0.1, base=(0, 0, -0.05), segments=8), at, rotation=turn("x", 90))))
    rods = [
        tube([at + 0.02 * w, at + (r - 2 * tyre) * w], 0.004, segments=3)
        for w in (turn("y", 360 / spokes * k) @ [1, 0, 0] for k in range(spokes))
    ]
    return [*parts, f.metal(*rods)]


def bicycle(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(["mountain", "road", "city", "step", "tandem"]))
    frame = Finish(f.body.colour, 0.6, 0, 1.0)
    r, tyre = (
        between(rng, 0.31, 0.36),
        {"mountain": between(rng, 0.024, 0.032), "road": 0.013}.get(kind, between(rng, 0.016, 0.024)),
    )
    base = between(rng, 0.5, 0.56) + (0.3 if kind == "tandem" else 0)
    back, front, crank = np.array([-base, 0, r]), np.array([base, 0, r]), np.array([-base + 0.44, 0, r - 0.06])
    seat = crank + (-0.16, 0, between(rng, 0.42, 0.55))
    head = np.array([base - 0.17, 0, r + between(rng, 0.42, 0.5)])
    fork, t = np.array([base - 0.11, 0, r + 0.26]), between(rng, 0.014, 0.022)
    tubes = [(crank, seat), (crank, fork), (head, fork)]
    tubes.append(
        (seat - (0, 0, 0.03), head - (0, 0, 0.02))
        if kind not in ("step",)
        else (crank + 0.35 * (seat - crank), 0.5 * (head + fork))
    )
    if kind == "tandem":
        second = crank + (0.55, 0, 0)
        stem = second + (-0.12, 0, 0.45)
        tubes += [(second, stem), (crank, second), (second, fork)]
    rods = [tube(list(ends), t, segments=8) for ends in tubes]
    for s in SIDES:
        off = np.array([0, 0.045 * s, 0])
        rods += [
            tube([a + 0.3 * off, b + off], t * 0.6, segments=6)
            for a, b in ((crank, back), (seat - (0, 0, 0.05), back), (fork, front))
        ]
    parts = [frame(*rods)]
    spokes = int(rng.choice([12, 16, 20]))
    for axle in (back, front):
        parts += spoked(f, axle, r, tyre, spokes)
        if kind in ("city", "step") and rng.random() < 0.7:
            arc = np.deg2rad(np.linspace(30, 170, 9) if axle[0] < 0 else np.linspace(50, 150, 8))
            parts.append(
                frame(
                    moved(
                        tube(axle + np.stack([np.cos(arc), 0 * arc, np.sin(arc)], 1) * (r + 0.03), 0.01, segments=6),
                        scale=(1, 2.2, 1),
                    )
                )
            )
    for pedal, saddle_at in ((crank, seat), *(((second, stem),) if kind == "tandem" else ())):
        parts += _pedals(f, pedal) + _saddle(rng, f, saddle_at)
    parts.append(
        DARK(*[tube([crank + (0, -0.05, s * 0.09), back + (0, -0.05, s * 0.035)], 0.006, segments=4) for s in SIDES])
    )
    parts += _bars(f, head, "drop" if kind == "road" else "flat" if kind in ("mountain", "tandem") else "swept")
    if rng.random() < 0.4 and kind in ("city", "step"):
        parts.append(f.wood(rounded_box((0.24, 0.32, 0.2), 0.03, (base + 0.02, 0, r + 0.5))))
    if rng.random() < 0.35 and kind in ("city", "step", "tandem"):
        parts.append(
            f.metal(
                box((0.34, 0.14, 0.015), centre=(-base - 0.02, 0, 2 * r + 0.06)),
                *[
                    tube([(-base - 0.1, s * 0.06, 2 * r + 0.06), back + (0, s * 0.06, 0)], 0.008, segments=5)
                    for s in SIDES
                ],
            )
        )
    return finished(parts, f.atlas)


def _pedals(f: Finishes, crank: np.ndarray) -> list[Mesh]:
    parts = [
        f.metal(
            torus(0.085, 0.008, crank + (0, -0.05, 0), "y", segments=18, sides=5),
            moved(cylinder(0.05, 0.01, segments=10), crank + (0, -0.05, 0), rotation=turn("x", 90)),
        )
    ]
    for s in SIDES:
        end = crank + (s * 0.11, s * 0.08, -s * 0.12)
        parts += [
            f.metal(tube([crank, crank + (0, s * 0.07, 0), end], 0.011, segments=6)),
            DARK(box((0.09, 0.09, 0.022), centre=end + (0, s * 0.05, 0))),
        ]
    return parts


def _saddle(rng: Rng, f: Finishes, seat: np.ndarray) -> list[Mesh]:
    x, z = seat[0] - 0.02, seat[2] + between(rng, 0.06, 0.18)
    rows = [
        (x - 0.12, 0, z + 0.03, 0.075, 0.022),
        (x - 0.02, 0, z + 0.022, 0.055, 0.022),
        (x + 0.08, 0, z + 0.02, 0.025, 0.018),
        (x + 0.15, 0, z + 0.015, 0.018, 0.014),
    ]
    leather = DARK if rng.random() < 0.6 else Finish((0.42, 0.26, 0.14), 0.3)
    return [
        f.metal(tube([seat - (0, 0, 0.03), (x, 0, z + 0.01)], 0.013, segments=7)),
        leather(body(rows, rings=8, segments=10)),
    ]


def _bars(f: Finishes, head: np.ndarray, style: str) -> list[Mesh]:
    top = head + (-0.02, 0, 0.09)
    half = {
        "drop": [
            (0, 0, 0),
            (0.03, 0.12, 0.0),
            (0.1, 0.2, 0.0),
            (0.16, 0.21, -0.05),
            (0.13, 0.21, -0.14),
            (0.04, 0.21, -0.15),
        ],
        "flat": [(0, 0, 0), (0.0, 0.1, 0.01), (-0.02, 0.2, 0.02), (-0.05, 0.32, 0.03)],
        "swept": [(0, 0, 0), (0.05, 0.12, 0.05), (0.0, 0.24, 0.08), (-0.16, 0.28, 0.05)],
    }[style]
    parts = [f.metal(tube([head, top], 0.015, segments=8))]
    for s in SIDES:
        path = top + spline(half, 9) * (1, s, 1)
        parts += [f.metal(tube(path, 0.011, segments=6)), DARK(tube(path[-3:], 0.018, segments=7))]
    return parts


def motorbike(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(["scooter", "scooter", "cruiser", "sport", "naked", "moped"]))
    paint, seat = Finish(f.body.colour, 0.7, 0, 1.0), Finish((0.09, 0.085, 0.08), 0.25)
    r = {"scooter": between(rng, 0.2, 0.25), "moped": 0.27}.get(kind, between(rng, 0.29, 0.33))
    fat, base = {"moped": 0.035}.get(kind, between(rng, 0.05, 0.075)), between(rng, 0.6, 0.72)
    back, front = np.array([-base, 0, r]), np.array([base, 0, r])
    parts: list[Mesh] = []
    for axle in (back, front):
        parts += spoked(f, axle, r, fat, 10)
        parts.append(
            f.metal(moved(cylinder(r * 0.45, 0.03, base=(0, 0, 0.03), segments=14), axle, rotation=turn("x", 90)))
        )
    rake = between(rng, 0.16, 0.36)
    head = np.array([base - rake, 0, r + between(rng, 0.48, 0.58)])
    fork = f.metal if kind not in ("scooter",) else paint
    parts.append(fork(*[tube([front + (0, s * 0.09, 0), head + (0, s * 0.07, 0)], 0.024, segments=7) for s in SIDES]))
    parts.append(
        paint(
            moved(
                tube(
                    [
                        front + (r + 0.06) * np.array([np.cos(a), 0, np.sin(a)])
                        for a in np.deg2rad(np.linspace(40, 140, 7))
                    ],
                    0.03,
                    segments=6,
                ),
                scale=(1, 2.4, 1),
            )
        )
    )
    for s in SIDES:
        path = head + spline([(0, 0, 0.06), (0.0, 0.1, 0.1), (-0.04, 0.24, 0.16), (-0.16, 0.33, 0.14)], 8) * (1, s, 1)
        parts += [f.metal(tube(path, 0.014, segments=6)), DARK(tube(path[-3:], 0.022, segments=7))]
        if rng.random() < 0.85:
            tip = head + (-0.05, s * 0.3, 0.34)
            parts.append(DARK(tube([path[4], tip], 0.007, segments=4), ellipsoid_at(tip, (0.015, 0.065, 0.045))))
    parts += [
        DARK(moved(cylinder(0.1, 0.1, segments=14), head + (0.06, 0, 0.0), rotation=turn("y", 90))),
        LAMP(moved(cylinder(0.09, 0.02, segments=14), head + (0.16, 0, 0.0), rotation=turn("y", 90))),
    ]
    if kind == "scooter":
        shield = np.array(
            [
                (head[0] + 0.06, 0, head[2] + 0.02),
                (head[0] + 0.03, 0, head[2] - 0.25),
                (head[0] - 0.06, 0, r + 0.1),
                (head[0] - 0.2, 0, r - 0.02),
            ]
        )
        across = np.linspace(-1, 1, 7)
        grid = np.stack(
            [
                np.stack([np.array([p[0] - 0.1 * a * a, a * w, p[2]]) for a in across])
                for p, w in zip(shield, (0.14, 0.22, 0.2, 0.16))
            ]
        )
        parts.append(paint(sheet(grid, 0.03)))
        parts.append(paint(box((0.5, 0.3, 0.05), centre=(0.0, 0, r - 0.03), bevel=0.02)))
        rear = [
            (-base - 0.22, 0, r + 0.2, 0.12, 0.14),
            (-base + 0.05, 0, r + 0.22, 0.19, 0.2),
            (-base + 0.35, 0, r + 0.16, 0.15, 0.24),
            (-base + 0.42, 0, r + 0.08, 0.12, 0.2),
        ]
        parts.append(paint(body(rear, rings=10, segments=14)))
        parts.append(seat(rounded_box((0.58, 0.25, 0.1), 0.045, (-base + 0.12, 0, r + 0.44))))
    else:
        low = r + (0.1 if kind == "cruiser" else 0.2)
        tank_z = low + between(rng, 0.28, 0.36)
        tank = [
            (-0.12, 0, tank_z, 0.1, 0.07),
            (0.05, 0, tank_z + 0.03, 0.15, 0.11),
            (0.24, 0, tank_z + 0.05, 0.13, 0.11),
            (0.34, 0, tank_z + 0.02, 0.08, 0.08),
        ]
        parts.append(paint(body(tank, rings=10, segments=14)))
        tail = 0.12 if kind == "sport" else 0.0
        long = [
            (-0.1, 0, tank_z - 0.02, 0.12, 0.05),
            (-0.35, 0, tank_z - 0.05 + tail / 2, 0.14, 0.05),
            (-0.65, 0, tank_z - 0.01 + tail, 0.1, 0.05),
        ]
        parts += [
            seat(body(long, rings=8, segments=10)),
            paint(
                body(
                    [(-0.5, 0, tank_z - 0.1 + tail, 0.1, 0.04), (-0.85, 0, tank_z - 0.02 + tail, 0.05, 0.03)],
                    rings=4,
                    segments=8,
                )
            ),
        ]
        frame = f.metal if rng.random() < 0.4 else DARK
        parts.append(
            frame(
                *[
                    tube(
                        [
                            head + (0, s * 0.04, -0.02),
                            (0.28, s * 0.12, r),
                            (-0.25, s * 0.12, r - 0.05),
                            (-0.3, s * 0.08, tank_z - 0.1),
                        ],
                        0.022,
                        segments=6,
                    )
                    for s in SIDES
                ],
                *[tube([(-0.2, s * 0.1, r + 0.02), back + (0, s * 0.1, 0)], 0.028, segments=6) for s in SIDES],
            )
        )
        if kind != "moped":
            parts += [
                f.metal(rounded_box((0.34, 0.26, 0.24), 0.06, (0.0, 0, r + 0.06))),
                *[
                    f.metal(moved(cylinder(0.09, 0.2, segments=12), (0.02, 0, r + 0.14), rotation=turn("y", a)))
                    for a in ((25, -25) if kind == "cruiser" else (12,))
                ],
            ]
        else:
            parts.append(f.metal(rounded_box((0.24, 0.16, 0.2), 0.05, (-0.02, 0, r + 0.02))))
        if kind == "sport":
            nose = [
                (-0.15, 0, r + 0.14, 0.12, 0.14),
                (0.2, 0, r + 0.22, 0.17, 0.22),
                (0.45, 0, r + 0.38, 0.15, 0.2),
                (0.62, 0, r + 0.42, 0.06, 0.08),
            ]
            parts.append(paint(body(nose, rings=10, segments=14)))
    pipe = [(0.1, -0.13, r + 0.02), (0.0, -0.15, r - 0.1), (-0.3, -0.16, r - 0.1), (-base - 0.15, -0.17, r + 0.02)]
    parts.append(
        f.metal(
            tube(spline(pipe, 9), np.array([0.02, 0.02, 0.02, 0.024, 0.035, 0.045, 0.045, 0.045, 0.04]), segments=8)
        )
    )
    parts.append(DARK(tube([(-0.1, 0.1, r - 0.05), (-0.16, 0.3, 0.01)], 0.012, segments=5)))
    return finished(parts, f.atlas)


def ellipsoid_at(at: np.ndarray, radii: tuple[float, float, float]) -> Mesh:
    from unseen.worlds.shapes.primitives import ellipsoid

    return ellipsoid(radii, at, 8)


def hull(
    rng: Rng, long: float, wide: float, deep: float, *, rake: float, stern: float, open_: float
) -> tuple[Mesh, np.ndarray]:
    """A boat's hull with its bow at +x: sections from a transom or a pointed stern; hollow where ``open_``. Gives its rim, too."""
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
