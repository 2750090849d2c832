"""Bicycles and motorbikes; they ride to the front."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes, finished, finishes
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.wheels import DARK, LAMP, SIDES
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    rounded_box,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body, sheet, spline


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
    second = crank + (0.55, 0, 0)
    stem = second + (-0.12, 0, 0.45)
    if kind == "tandem":
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
