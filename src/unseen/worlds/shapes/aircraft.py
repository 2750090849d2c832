"""What flies: aeroplane and helicopter. Shapes are ours, after common types."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.coachwork import GLASS, RUBBER, SIDES, STEEL, WHITE, livery, wheel
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    ellipsoid,
    extrude,
    lathe,
    loft,
    plate,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, body, darker, middles, patched
from unseen.worlds.shapes.surfaces import Look


def aeroplane(rng: np.random.Generator) -> Mesh:
    """An airliner with jets under its wings or at its tail, or a small aeroplane with a propeller; on its wheels."""
    return upright(joined(_airliner(rng) if rng.random() < 0.6 else _light_aircraft(rng)))


def _airliner(rng: np.random.Generator) -> list[Mesh]:
    main, stripe = livery(rng)
    r, z, span, sweep = rng.uniform(0.085, 0.105), 0.24, rng.uniform(0.78, 0.95), rng.uniform(0.3, 0.5)
    look: Look = {"colour": main, "paint": 1.0, "gloss": 0.5}
    rows = [
        (-1.0, 0, z + 0.07, 0.02, 0.022),
        (-0.7, 0, z + 0.035, 0.62 * r, 0.65 * r),
        (-0.4, 0, z, r, r),
        (0.2, 0, z, r, r),
        (0.65, 0, z, r, r),
        (0.88, 0, z - 0.012, 0.62 * r, 0.66 * r),
    ]
    hull = body(rows, segments=16, rings=18, ends=(0.6, 0.9), **look)
    m = middles(hull)
    hull = patched(hull, np.abs(m[:, 2] - z + 0.4 * r) < 0.17 * r, stripe)
    cockpit = (m[:, 0] > 0.76) & (m[:, 0] < 0.9) & (m[:, 2] > z + 0.28 * r) & (m[:, 2] < z + 0.8 * r)
    parts = [patched(hull, cockpit, GLASS, paint=0.0, gloss=0.9)]
    parts += [
        box((0.028, 2 * 0.945 * r, 0.036), centre=(x, 0, z + 0.36 * r), colour=GLASS, gloss=0.8)
        for x in np.linspace(-0.58, 0.68, int(rng.integers(11, 15)))
    ]
    grey, tail_high = darker(WHITE, 0.85), rng.random() < 0.3
    for s in SIDES:
        parts.append(
            wing((0.24, s * 0.5 * r, z - 0.5 * r), (0.42, 0.13), (-sweep, s * span, 0.07), colour=grey, gloss=0.5)
        )
        tail = (-0.93, 0.0, z + 0.36) if tail_high else (-0.68, s * 0.3 * r, z + 0.06)
        parts.append(wing(tail, (0.2, 0.09), (-0.16, s * 0.31, 0.02), colour=grey, gloss=0.5))
    parts.append(wing((-0.6, 0, z + 0.5 * r), (0.32, 0.16), (-0.3, 0, 0.36), 0.08, colour=stripe, paint=1.0, gloss=0.5))
    parts += _engines(rng, z, tail_high, main, grey)
    tyre = cylinder(0.045, 0.03, base=(0, 0, -0.015), segments=10, colour=RUBBER)
    for x, y in ((0.62, 0), (-0.06, 0.14), (-0.06, -0.14)):
        parts.append(tube([(x, y, z - 0.4 * r), (x, y, 0.045)], 0.012, segments=6, colour=STEEL))
        parts += [moved(tyre, (x, y + k * 0.022, 0.045), rotation=turn("x", 90)) for k in SIDES]
    return parts


def _engines(rng: np.random.Generator, z: float, behind: bool, colour: Colour, grey: Colour) -> list[Mesh]:
    """Two at the tail, or two or four under the wings, with what holds them."""
    if behind:
        pylon, parts = box((0.14, 0.14, 0.02), colour=grey), []
        for s in SIDES:
            parts += [*_jet((-0.45, s * 0.19, z + 0.03), 0.062, colour), moved(pylon, (-0.45, s * 0.11, z + 0.03))]
        return parts
    places = [(0.08, 0.3, z - 0.13), (-0.1, 0.56, z - 0.1)][: 1 + int(rng.random() < 0.4)]
    pylon, radius, parts = box((0.14, 0.02, 0.1), colour=grey), 0.062 if len(places) == 1 else 0.052, []
    for x, y, h in places:
        for s in SIDES:
            parts += [*_jet((x, s * y, h), radius, colour), moved(pylon, (x, s * y, h + 0.06))]
    return parts


def _jet(centre: tuple[float, float, float], r: float, colour: Colour) -> list[Mesh]:
    """An engine's cowling with a dark intake and a cone behind."""
    cowl = lathe(
        [
            (0.7 * r, 0.13),
            (0.86 * r, 0.16),
            (r, 0.12),
            (r, -0.02),
            (0.72 * r, -0.13),
            (0.6 * r, -0.13),
            (0.6 * r, 0.1),
            (0.7 * r, 0.13),
        ],
        segments=12,
        colour=colour,
        paint=1.0,
        gloss=0.6,
    )
    fan = cylinder(0.75 * r, 0.02, base=(0, 0, 0.07), segments=10, colour=(0.1, 0.1, 0.12), gloss=0.3)
    core = lathe(
        [(0, -0.2), (0.35 * r, -0.1), (0.62 * r, -0.08), (0, 0.11)], segments=8, colour=(0.35, 0.35, 0.38), gloss=0.6
    )
    return [moved(p, centre, rotation=turn("y", 90)) for p in (cowl, fan, core)]


def _propeller(rng: np.random.Generator, x: float, z: float, length: float, blades: int, colour: Colour) -> list[Mesh]:
    start = rng.uniform(0, 180)
    parts = [
        moved(
            lathe(
                [(0.05, -0.03), (0.048, 0.02), (0.03, 0.07), (0, 0.09)],
                segments=12,
                colour=colour,
                paint=1.0,
                gloss=0.6,
            ),
            (x, 0, z),
            rotation=turn("y", 90),
        )
    ]
    for k in range(blades):
        one = extrude(
            [
                (-0.018, 0.02),
                (0.018, 0.02),
                (0.034, 0.6 * length),
                (0.022, length),
                (-0.022, length),
                (-0.034, 0.6 * length),
            ],
            0.016,
            axis="x",
            colour=(0.2, 0.17, 0.15),
            gloss=0.4,
        )
        parts.append(moved(one, (x + 0.02, 0, z), rotation=turn("x", start + 360 * k / blades)))
    return parts


def _light_aircraft(rng: np.random.Generator) -> list[Mesh]:
    main, stripe = livery(rng)
    z, span, high, double = 0.3, rng.uniform(0.75, 0.95), rng.random() < 0.5, rng.random() < 0.3
    look: Look = {"colour": main, "paint": 1.0, "gloss": 0.5}
    rows = [
        (-0.75, 0, z + 0.05, 0.022, 0.03),
        (-0.35, 0, z + 0.02, 0.065, 0.075),
        (0, 0, z, 0.105, 0.115),
        (0.3, 0, z, 0.105, 0.11),
        (0.5, 0, z - 0.005, 0.085, 0.085),
    ]
    glass = [
        (-0.2, 0, z + 0.06, 0.06, 0.05),
        (-0.05, 0, z + 0.1, 0.088, 0.095),
        (0.14, 0, z + 0.1, 0.09, 0.095),
        (0.28, 0, z + 0.06, 0.075, 0.05),
    ]
    hull = body(rows, segments=16, rings=18, ends=(0.5, 0.4), square=2.4, **look)
    cabin = body(glass, rings=9, segments=12, ends=(0.6, 0.6), square=2.6, colour=GLASS, gloss=0.9)
    parts = [patched(hull, np.abs(middles(hull)[:, 2] - z + 0.01) < 0.03, stripe), cabin]
    levels = (z + 0.2, z - 0.08) if double else ((z + 0.195,) if high else (z - 0.06,))
    for level in levels:
        rise, colour = (0.05, stripe) if level < z else (0.01, main)
        parts += [
            wing((0.27, 0, level), (0.27, 0.2), (-0.04, s * span, rise), 0.11, colour=colour, paint=1.0, gloss=0.5)
            for s in SIDES
        ]
    for s in SIDES:
        parts.append(wing((-0.56, 0, z + 0.06), (0.19, 0.11), (-0.06, s * 0.3, 0), 0.09, **look))
        if high or double:
            parts.append(
                tube([(0.12, s * 0.09, z - 0.05), (0.14, s * 0.45, z + 0.205)], 0.012, segments=6, colour=STEEL)
            )
        parts.append(tube([(0.2, s * 0.06, z - 0.08), (0.22, s * 0.2, 0.07)], 0.016, segments=6, colour=STEEL))
        parts.append(wheel(0.075, 0.05, (0.22, s * 0.22, 0.075), segments=12))
    parts.append(wing((-0.5, 0, z + 0.07), (0.24, 0.13), (-0.14, 0, 0.26), 0.09, colour=stripe, paint=1.0, gloss=0.5))
    parts += _propeller(rng, 0.56, z, rng.uniform(0.2, 0.26), int(rng.integers(2, 4)), stripe)
    if high:
        parts += [box((0.22, 0.14, 0.05), centre=(0.13, 0, z + 0.18), bevel=0.015, **look)]
    parts += [
        tube([(-0.6, 0, z + 0.02), (-0.66, 0, 0.05)], 0.012, segments=6, colour=STEEL),
        wheel(0.04, 0.03, (-0.66, 0, 0.04), segments=8),
    ]
    return parts


def helicopter(rng: np.random.Generator) -> Mesh:
    """A helicopter on skids or wheels, with two to five blades and a tail rotor at its left."""
    main, stripe = livery(rng)
    girth, length, tail, z = rng.uniform(0.19, 0.24), rng.uniform(0.3, 0.42), rng.uniform(0.7, 0.95), 0.36
    look: Look = {"colour": main, "paint": 1.0, "gloss": 0.5}
    rows = [
        (-length, 0, z + 0.06, 0.35 * girth, 0.4 * girth),
        (-0.6 * length, 0, z + 0.03, 0.85 * girth, 0.9 * girth),
        (0, 0, z, girth, 1.05 * girth),
        (0.7 * length, 0, z - 0.01, 0.92 * girth, girth),
        (1.05 * length, 0, z - 0.06, 0.55 * girth, 0.55 * girth),
    ]
    hull = body(rows, segments=18, rings=18, ends=(0.5, 0.8), **look)
    m = middles(hull)
    front = (m[:, 0] > 0.45 * length) & (m[:, 2] > z - 0.1 * girth) & (m[:, 2] < z + 0.85 * girth)
    door = (np.abs(m[:, 0] - 0.12 * length) < 0.2 * length) & (m[:, 2] > z + 0.05 * girth) & (m[:, 2] < z + 0.7 * girth)
    hull = patched(hull, np.abs(m[:, 2] - z + 0.45 * girth) < 0.16 * girth, stripe)
    parts = [patched(hull, front | door, GLASS, paint=0.0, gloss=0.9)]
    boom = body(
        [
            (-0.6 * length, 0, z + 0.1, 0.09, 0.09),
            (-0.6 * length - 0.5 * tail, 0, z + 0.12, 0.05, 0.05),
            (-0.6 * length - tail, 0, z + 0.15, 0.03, 0.035),
        ],
        rings=7,
        segments=10,
        **look,
    )
    end = -0.6 * length - tail
    parts += [
        boom,
        wing((end + 0.1, 0, z + 0.13), (0.15, 0.09), (-0.12, 0, 0.23), 0.1, colour=stripe, paint=1.0, gloss=0.5),
    ]
    for s in SIDES:
        parts.append(
            wing(
                (end + 0.25, 0, z + 0.14), (0.1, 0.07), (-0.03, s * 0.17, 0), 0.12, colour=stripe, paint=1.0, gloss=0.5
            )
        )
    parts += _rotors(rng, z + girth, length, (end + 0.01, z + 0.25), darker(main, 0.85))
    return upright(joined(parts + _undercarriage(rng, z, girth, length)))


def _rotors(
    rng: np.random.Generator, mast: float, length: float, tail: tuple[float, float], colour: Colour
) -> list[Mesh]:
    """The engine's housing, the mast and its blades, and the small rotor at the left of the tail (x, z)."""
    grey, count = (0.22, 0.22, 0.25), int(rng.integers(2, 6))
    reach, start = rng.uniform(0.75, 0.92), rng.uniform(0, 120)
    housing = [
        (-0.7 * length, 0, mast - 0.02, 0.06, 0.05),
        (-0.1 * length, 0, mast + 0.02, 0.09, 0.07),
        (0.25 * length, 0, mast - 0.02, 0.06, 0.04),
    ]
    outline = [(0.04, -0.03, 0.01), (reach, -0.04, -0.02), (reach, 0.04, -0.02), (0.04, 0.03, 0.01)]
    large = plate(outline, 0.016, colour=grey, gloss=0.3)
    x, z = tail
    blade = [(-0.02, 0.075, 0.01), (-0.025, 0.075, 0.17), (0.025, 0.075, 0.17), (0.02, 0.075, 0.01)]
    small, quarter = plate(blade, 0.012, colour=grey), 180 if count < 4 else 90
    return [
        body(housing, rings=7, segments=10, square=2.6, colour=colour, paint=1.0),
        cylinder(0.025, 0.16, base=(0, 0, mast + 0.03), segments=8, colour=STEEL),
        ellipsoid((0.06, 0.06, 0.035), (0, 0, mast + 0.18), 10, colour=(0.25, 0.25, 0.27)),
        *(moved(large, (0, 0, mast + 0.18), rotation=turn("z", start + 360 * k / count)) for k in range(count)),
        *(moved(small, (x, 0, z), rotation=turn("y", start + quarter * k)) for k in range(360 // quarter)),
        tube([(x, 0, z), (x, 0.085, z)], 0.02, segments=8, colour=STEEL),
    ]


def _undercarriage(rng: np.random.Generator, z: float, girth: float, length: float) -> list[Mesh]:
    parts, y = [], girth + 0.03
    if rng.random() < 0.65:
        for s in SIDES:
            path = [
                (-0.75 * length, s * y, 0.022),
                (0.85 * length, s * y, 0.022),
                (1.05 * length, s * y, 0.05),
                (1.15 * length, s * y, 0.11),
            ]
            parts.append(tube(path, 0.022, segments=8, colour=(0.25, 0.25, 0.27), gloss=0.5))
            parts += [
                tube(
                    [(x, s * 0.5 * girth, z - 0.75 * girth), (x, s * y, 0.02)],
                    0.018,
                    segments=6,
                    colour=(0.25, 0.25, 0.27),
                )
                for x in (-0.4 * length, 0.5 * length)
            ]
        return parts
    for x, side in ((0.6 * length, 0), (-0.35 * length, 1), (-0.35 * length, -1)):
        parts.append(
            tube([(x, side * 0.6 * girth, z - 0.6 * girth), (x, side * y, 0.08)], 0.022, segments=6, colour=STEEL)
        )
        parts.append(wheel(0.08, 0.06, (x, side * y, 0.08)))
    return parts


def wing(
    root: tuple[float, float, float],
    chords: tuple[float, float],
    reach: tuple[float, float, float],
    thick: float = 0.1,
    **look,
) -> Mesh:
    """A wing from its root's leading edge: chords at root and tip, and the way of the leading edge to the tip."""
    foil = np.array([(0, 0), (-0.08, 0.55), (-0.35, 0.8), (-1, 0.05), (-1, -0.05), (-0.4, -0.45), (-0.08, -0.4)])
    sections = []
    for share in (0.0, 0.5, 0.93, 1.0):
        chord = chords[0] + share * (chords[1] - chords[0])
        at, slim = np.asarray(root) + share * np.asarray(reach), (0.3 if share == 1 else 1.0)
        shrink = 0.86 if share == 1 else 1.0
        upward = abs(reach[2]) > abs(reach[1])  # a fin: thick sideways
        flat = np.zeros((len(foil), 3))
        flat[:, 0] = foil[:, 0] * chord * shrink - (1 - shrink) * 0.3 * chord
        flat[:, 1 if upward else 2] = foil[:, 1] * chord * thick * slim
        sections.append(at + flat)
    return loft(sections, **look)
