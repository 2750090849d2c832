"""Trucks and tractors; they drive to the front."""

from __future__ import annotations

import numpy as np

from unseen.worlds.cars.bodies import BODIES, reshaped
from unseen.worlds.everyday.coaches import hull
from unseen.worlds.everyday.finishes import Finish, Finishes, any_colour, finished, finishes
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.wheels import DARK, LAMP, SIDES, wheels
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.coachwork import wheel
from unseen.worlds.shapes.primitives import box, cylinder, extrude, rounded_box, torus, tube, turn
from unseen.worlds.shapes.skins import body

TRUCKS = ("pickup", "box", "flatbed", "tanker", "tipper", "semi")


def cab(
    rng: Rng, f: Finishes, paint: Finish, front: float, wide: float, high: float, bonnet: float
) -> tuple[list[Mesh], float]:
    """A driver's cab with its nose at ``front``; gives its parts and where it ends at the back."""
    deep, lean = between(rng, 1.6, 2.2), between(rng, 0.1, 0.3) if not bonnet else 0.35
    low, x1 = 0.55, front - bonnet
    back = x1 - deep
    side = [
        (back, low),
        (x1, low),
        (x1, 1.5),
        (x1 - lean, high - 0.15),
        (x1 - lean - 0.15, high),
        (back + 0.05, high),
        (back, high - 0.1),
    ]
    if bonnet:
        side = [
            (back, low),
            (front, low),
            (front, 1.3),
            (front - 0.12, 1.5),
            (x1, 1.7),
            (x1 - lean, high - 0.15),
            (x1 - lean - 0.15, high),
            (back + 0.05, high),
            (back, high - 0.1),
        ]
    parts = [paint(extrude(side, 2 * wide, axis="y", bevel=0.07))]
    sill = 1.6 if not bonnet else 1.75
    tall = high - 0.25 - sill
    slope = float(np.rad2deg(np.arctan2(lean, high - sill)))
    parts.append(
        f.glass(
            moved(
                box((0.05, 2 * wide * 0.86, tall), bevel=0.01),
                (x1 - lean * 0.5 + 0.02, 0, sill + tall / 2),
                rotation=turn("y", -slope),
            )
        )
    )
    pane = [
        (back + 0.35, sill),
        (x1 - 0.15, sill),
        (x1 - lean - 0.12, sill + tall * 0.9),
        (back + 0.35, sill + tall * 0.9),
    ]
    parts.append(f.glass(extrude(pane, 2 * wide + 0.02, axis="y")))
    grille = f.metal if rng.random() < 0.5 else DARK
    parts.append(DARK(box((0.05, 2 * wide * 0.66, 0.6), centre=(front, 0, 1.05))))
    parts += [
        grille(box((0.06, 2 * wide * 0.62, 0.05), centre=(front + 0.01, 0, z))) for z in np.linspace(0.82, 1.28, 5)
    ]
    parts.append(
        (f.metal if rng.random() < 0.5 else DARK)(
            box((0.2, 2 * wide, 0.28), centre=(front + 0.02, 0, 0.55), bevel=0.05)
        )
    )
    for s in SIDES:
        parts += [
            LAMP(box((0.08, 0.3, 0.22), centre=(front + 0.01, s * wide * 0.8, 0.85), bevel=0.02)),
            DARK(
                box((0.12, 0.22, 0.45), centre=(x1 - 0.05, s * (wide + 0.18), sill + 0.3), bevel=0.02),
                box((0.05, 0.3, 0.04), centre=(x1 - 0.08, s * (wide + 0.05), sill + 0.45)),
            ),
        ]
    return parts, back


def truck(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(TRUCKS))
    if kind == "pickup":
        form = BODIES["pickup"]
        parts = [hull(rng, reshaped(form, height=form.height * between(rng, 0.92, 1.08)), f, 2.5)]
        return finished(parts, f.atlas)
    paint, load = Finish(f.body.colour, 0.5, 0, 1.0), Finish(f.second.colour, 0.25, 0, 1.0)
    wide, high = between(rng, 1.1, 1.25), between(rng, 2.5, 3.1)
    bonnet = between(rng, 0.9, 1.5) if rng.random() < (0.6 if kind == "semi" else 0.3) else 0.0
    long = {"semi": between(rng, 8, 11)}.get(kind, between(rng, 4.2, 6.5))
    front = 2.0 + bonnet
    parts, back = cab(rng, f, paint, front, wide, high, bonnet)
    gap = 0.7 if kind == "semi" else 0.15
    x1, x0, deck = back - gap, back - gap - long, 1.15
    middle = (x0 + x1) / 2
    parts.append(DARK(box((front - x0 - 0.6, 0.9, 0.25), centre=((front + x0) / 2 - 0.2, 0, 0.85))))
    if kind in ("box", "semi") and (kind == "box" or rng.random() < 0.7):
        top = between(rng, 3.0, 3.9)
        parts.append(load(box((long, 2 * wide * 1.03, top - deck), centre=(middle, 0, (top + deck) / 2), bevel=0.03)))
        if rng.random() < 0.6:
            parts.append(
                f.print(
                    box((long * 0.6, 2 * wide * 1.03 + 0.02, (top - deck) * 0.5), centre=(middle, 0, (top + deck) / 2))
                )
            )
    elif kind == "tanker" or (kind == "semi" and rng.random() < 0.5):
        r = wide * between(rng, 0.9, 1.02)
        rows = [(x0 + 0.2, 0, deck + r, r, r), (middle, 0, deck + r, r, r), (x1 - 0.2, 0, deck + r, r, r)]
        tank = f.metal if rng.random() < 0.5 else load
        parts += [
            tank(body(rows, rings=6, segments=22, ends=(0.3, 0.3))),
            *[DARK(torus(r * 0.99, 0.04, (x, 0, deck + r), "x", sides=5)) for x in np.linspace(x0 + 0.5, x1 - 0.5, 3)],
            DARK(box((long * 0.9, 1.4, 0.3), centre=(middle, 0, deck))),
        ]
        parts += [
            DARK(cylinder(0.25, 0.15, base=(x, 0, deck + 2 * r - 0.06), segments=12)) for x in (middle - 1, middle + 1)
        ]
    elif kind == "tipper":
        side = [(x0, deck + 0.1), (x1, deck + 0.1), (x1 + 0.1, deck + 1.3), (x0 - 0.25, deck + 1.2)]
        parts.append(load(extrude(side, 2 * wide, axis="y", bevel=0.03)))
        parts += [
            load.darker(0.7)(box((0.12, 2 * wide + 0.1, 1.1), centre=(x, 0, deck + 0.65)))
            for x in np.linspace(x0 + 0.3, x1 - 0.3, 5)
        ]
        rows = [
            (x0 + 0.2, 0, deck + 1.15, 0.75 * wide, 0.2),
            (middle, 0, deck + 1.2, 0.9 * wide, between(rng, 0.3, 0.7)),
            (x1 - 0.2, 0, deck + 1.15, 0.75 * wide, 0.2),
        ]
        parts.append(Finish((0.45, 0.38, 0.3), 0.02, 2)(body(rows, rings=8, segments=14)))
    else:
        parts.append(f.wood(box((long, 2 * wide, 0.12), centre=(middle, 0, deck))))
        rail = between(rng, 0.3, 0.8)
        for s in SIDES:
            parts += [
                load(box((long, 0.05, rail * 0.3), centre=(middle, s * wide, deck + rail * u))) for u in (0.35, 0.8)
            ]
            parts += [
                DARK(box((0.07, 0.07, rail + 0.1), centre=(x, s * wide, deck + rail / 2)))
                for x in np.linspace(x0, x1, 5)
            ]
        parts.append(load(box((0.06, 2 * wide, between(rng, 0.6, 1.2)), centre=(x1, 0, deck + 0.4))))
        for _ in range(int(rng.integers(0, 5))):
            w = between(rng, 0.5, 1.0)
            parts.append(
                Finish(any_colour(rng), 0.1, int(rng.integers(0, 2)))(
                    box(
                        (w, w, w),
                        centre=(between(rng, x0 + 0.6, x1 - 0.6), between(rng, -0.4, 0.4), deck + w / 2 + 0.05),
                    )
                )
            )
    r = between(rng, 0.46, 0.54)
    rear = [x0 + 1.0, *([x0 + 2.1] if long > 5 or rng.random() < 0.4 else [])]
    if kind == "semi":
        rear += [back - 0.1, back + 1.0 - 0.1]
        if bonnet and rng.random() < 0.7:
            parts += [
                f.metal(cylinder(0.1, high - 0.6, base=(back + 0.05, s * (wide + 0.1), 1.0), segments=10))
                for s in SIDES
            ]
    places = (front - (1.0 if bonnet else 1.15), *rear)
    parts.append(
        DARK(
            moved(
                cylinder(r * 1.18, 2 * wide + 0.01, base=(0, 0, -wide - 0.005), segments=18),
                (places[0], 0, r + 0.03),
                rotation=turn("x", 90),
            )
        )
    )
    return finished(parts + wheels(f, places, wide - 0.12, r, 0.3), f.atlas)


def tractor(rng: Rng) -> Mesh:
    """Large wheels behind, small ones in front, a bonnet; with a cab, a bar or an open seat; some with a shovel."""
    f = finishes(rng)
    paint, rim = Finish(f.body.colour, 0.5, 0, 1.0), Finish(f.second.colour, 0.4)
    big, small, base = between(rng, 0.72, 0.95), between(rng, 0.36, 0.62), between(rng, 1.9, 2.5)
    nose, z = base / 2 + between(rng, 0.35, 0.6), big + 0.12
    w = between(rng, 0.26, 0.36)
    slope = between(rng, 0.0, 0.18)
    bonnet = [
        (-0.25, small * 0.9),
        (nose, small * 0.9),
        (nose, z + 0.3 - slope),
        (nose - 0.12, z + 0.42 - slope),
        (-0.25, z + 0.45),
    ]
    parts = [
        paint(extrude(bonnet, 2 * w, axis="y", bevel=0.06)),
        DARK(box((0.05, 1.5 * w, 0.5), centre=(nose, 0, z)), box((base, 0.36, 0.4), centre=(0, 0, small + 0.15))),
    ]
    parts += [DARK(box((0.9, 2 * w + 0.01, 0.06), centre=(nose - 0.7, 0, h))) for h in (z, z + 0.15)]
    parts += [
        LAMP(
            moved(
                cylinder(0.07, 0.06, segments=10), (nose - 0.02, s * w * 0.7, z + 0.28 - slope), rotation=turn("y", 90)
            )
        )
        for s in SIDES
    ]
    parts.append(DARK(cylinder(0.05, between(rng, 0.5, 0.9), base=(nose - 0.6, w * 0.5, z + 0.4), segments=10)))
    rear, y_big = -base / 2, between(rng, 0.68, 0.85)
    for s in SIDES:
        arc = [
            (rear + (big + 0.1) * np.cos(a), s * y_big, big + (big + 0.1) * np.sin(a))
            for a in np.deg2rad(np.linspace(20, 150, 9))
        ]
        guard = moved(tube([(x, 0, h) for x, _, h in arc], 0.05, segments=6), (0, s * y_big, 0), scale=(1, 4.0, 1))
        parts.append(paint(guard))
    kind = int(rng.integers(3))
    high = z + between(rng, 1.15, 1.5)
    seat_x = -base / 2 + 0.35
    parts.append(
        DARK(
            rounded_box((0.42, 0.5, 0.14), 0.05, (seat_x, 0, z + 0.35)),
            rounded_box((0.12, 0.5, 0.45), 0.05, (seat_x - 0.25, 0, z + 0.55)),
            tube([(-0.2, 0, z + 0.3), (-0.45, 0, z + 0.75)], 0.03, segments=6),
            torus(0.2, 0.025, (-0.45, 0, z + 0.77)),
        )
    )
    parts.append(paint(box((1.1, 1.1, 0.1), centre=(seat_x, 0, z + 0.15))))
    if kind == 0:
        x0, x1, y = seat_x - 0.6, -0.15, 0.6
        posts = [
            tube([(x, s * y, z + 0.2), (x * 0.9 + seat_x * 0.1, s * y * 0.9, high)], 0.04, segments=6)
            for x in (x0, x1)
            for s in SIDES
        ]
        parts += [
            DARK(*posts),
            paint(rounded_box((x1 - x0 + 0.25, 2 * y + 0.15, 0.14), 0.06, ((x0 + x1) / 2, 0, high))),
            f.glass(
                box((x1 - x0 - 0.1, 2 * y * 0.93, high - z - 0.55), centre=((x0 + x1) / 2, 0, (high + z) / 2 + 0.2))
            ),
        ]
    elif kind == 1:
        parts.append(
            DARK(
                tube(
                    [
                        (seat_x - 0.4, -0.55, z),
                        (seat_x - 0.45, -0.55, high),
                        (seat_x - 0.45, 0.55, high),
                        (seat_x - 0.4, 0.55, z),
                    ],
                    0.05,
                    segments=7,
                )
            )
        )
    if rng.random() < 0.25:
        arm = [(nose - 0.9, 0, z + 0.2), (nose + 0.5, 0, z + 0.1), (nose + 0.9, 0, 0.4)]
        parts += [
            rim(*[tube(np.array(arm) + (0, s * (w + 0.12), 0), 0.06, segments=6) for s in SIDES]),
            rim(
                extrude(
                    [
                        (nose + 0.85, 0.05),
                        (nose + 1.45, 0.05),
                        (nose + 1.0, 0.2),
                        (nose + 0.95, 0.65),
                        (nose + 0.85, 0.65),
                    ],
                    1.6,
                    axis="y",
                )
            ),
        ]
    parts += _lugged(rim, (rear, y_big, big), 0.42) + _lugged(rim, (base / 2, between(rng, 0.5, 0.72), small), 0.26)
    return finished(parts, f.atlas)


def _lugged(rim: Finish, at: tuple[float, float, float], wide: float) -> list[Mesh]:
    """A pair of wheels with bars on their tyres."""
    x, y, r = at
    tyre = Finish((0.08, 0.08, 0.085), 0.08)
    parts = []
    for s in SIDES:
        bars = [
            moved(
                box((0.07, wide * 0.95, 0.06)),
                (r * 0.97 * np.cos(a), 0, r * 0.97 * np.sin(a)),
                rotation=turn("y", 90 - float(np.rad2deg(a))) @ turn("x", 0),
            )
            for a in np.arange(14) * 2 * np.pi / 14
        ]
        disc = [
            moved(cylinder(c * r, wide * k, base=(0, 0, -wide * k / 2), segments=18), rotation=turn("x", 90))
            for c, k in ((0.55, 0.8), (0.2, 0.95))
        ]
        ring = wheel(r * 0.95, wide, (0, 0, 0), segments=20)
        parts += [moved(tyre(ring, *bars), (x, s * y, r)), moved(rim(*disc), (x, s * y, r))]
    return parts
