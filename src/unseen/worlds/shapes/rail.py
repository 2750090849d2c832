"""A steam locomotive. Shapes are ours, after common types."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.coachwork import BLACK, GLASS, LAMP, SIDES, STEEL
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    extrude,
    lathe,
    rounded_box,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, darker, hsv, lumpy
from unseen.worlds.shapes.surfaces import Look


def locomotive(rng: np.random.Generator) -> Mesh:
    """A steam locomotive: boiler, chimney, dome, cab and spoked wheels with rods; some with tender or cowcatcher."""
    paint = dye(rng, saturation=(0.45, 0.9), value=(0.35, 0.75)) if rng.random() < 0.8 else BLACK
    red, brass = ((0.0, 0.02), (0.8, 0.95), (0.65, 0.85)), ((0.1, 0.13), (0.6, 0.8), (0.75, 0.9))
    trim = hsv(rng, *(red if rng.random() < 0.6 else brass))
    r, z, front, drivers = rng.uniform(0.2, 0.25), 0.62, rng.uniform(0.62, 0.8), int(rng.integers(2, 4))
    look: Look = {"colour": paint, "paint": 1.0, "gloss": 0.45}
    parts = _boiler(rng, r, z, front, look)
    parts += [
        box((front + 0.95, 0.6, 0.04), centre=((front - 0.85) / 2, 0, 0.36), colour=trim, gloss=0.3),
        box((front + 0.85, 0.3, 0.16), centre=((front - 0.85) / 2, 0, 0.3), colour=BLACK),
    ]
    parts += _chimney(rng, front - 0.12, z + 0.85 * r)
    tender = rng.random() < 0.5
    parts += _cab(rng, z, r, look, trim, tender)
    parts += _front_end(rng, front, trim)
    size = 0.19 if drivers == 3 else 0.22
    places = np.linspace(-0.55, -0.55 + 2.12 * size * (drivers - 1), drivers)
    for s in SIDES:
        parts.append(
            moved(cylinder(0.09, 0.26, segments=12, **look), (front - 0.28, s * 0.28, 0.24), rotation=turn("y", 90))
        )
    parts = [moved(p, (0, 0, 2 * size - 0.33)) for p in parts]  # the footplate lies above the wheels
    small = [x for x in (front - 0.02, front - 0.3) if x > places[-1] + size + 0.1] + [-1.02, -1.38] * tender
    parts += _wheels(places, small, size, front - 0.2, trim)
    frames = (front - 0.16, -1.2) if tender else (front - 0.16,)
    parts += [box((0.5, 0.4, 2 * size - 0.08), centre=(x, 0, size + 0.01), colour=BLACK) for x in frames]
    return upright(joined(parts))


def _boiler(rng: np.random.Generator, r: float, z: float, front: float, look: Look) -> list[Mesh]:
    """The boiler with its bands, the black smokebox, one or two domes and the lamp."""
    brass: Look = {"colour": (0.8, 0.65, 0.25), "gloss": 0.7}
    ahead = turn("y", 90)
    nose = [(1.04, front - 0.25), (1.04, front), (0.9, front + 0.02), (0.75, front + 0.045), (0, front + 0.06)]
    parts = [
        lathe([(r, -0.4), (r, front - 0.24)], segments=16, **look),
        lathe([(a * r, x) for a, x in nose], segments=16, colour=BLACK, gloss=0.35),
        *(lathe([(1.03 * r, x), (1.03 * r, x + 0.03)], segments=16, **brass) for x in (-0.1, front - 0.3)),
    ]
    parts = [moved(p, (0, 0, z), rotation=ahead) for p in parts]
    dome = lathe([(0.095, 0), (0.09, 0.07), (0.06, 0.125), (0, 0.14)], segments=12, **brass)
    parts += [moved(dome, (0.2 - 0.28 * k, 0, z + 0.93 * r)) for k in range(int(rng.integers(1, 3)))]
    lamp = cylinder(0.06, 0.07, segments=12, colour=LAMP, gloss=0.8)
    return [*parts, moved(lamp, (front - 0.01, 0, z + 1.05 * r), rotation=ahead)]


def _wheels(places: np.ndarray, small: list[float], size: float, piston: float, trim: Colour) -> list[Mesh]:
    """Driving wheels on their axles with rods from the pistons, and the small wheels before and behind."""
    steel: Look = {"colour": STEEL, "gloss": 0.7}
    across, low = turn("x", 90), size - 0.06
    axle = cylinder(0.03, 0.4, base=(0, 0, -0.2), segments=5, colour=BLACK)
    disc = cylinder(0.12, 0.06, base=(0, 0, -0.03), segments=10, colour=trim, gloss=0.3)
    parts = [moved(axle, (x, 0, size), rotation=across) for x in places]
    for s in SIDES:
        parts += [p for x in places for p in _driver(size, (x, s * 0.23, size), trim)]
        parts.append(box((np.ptp(places) + 0.1, 0.03, 0.045), centre=(places.mean() + 0.02, s * 0.3, low), **steel))
        parts.append(tube([(piston, s * 0.3, 2 * size - 0.09), (places[-1], s * 0.3, low)], 0.018, segments=6, **steel))
        parts += [moved(disc, (x, s * 0.22, 0.12), rotation=across) for x in small]
    return parts


def _chimney(rng: np.random.Generator, x: float, z: float) -> list[Mesh]:
    tall = rng.uniform(0.22, 0.34)
    if rng.random() < 0.5:
        profile = [
            (0.085, 0),
            (0.075, 0.1),
            (0.085, tall - 0.04),
            (0.11, tall - 0.03),
            (0.11, tall),
            (0.07, tall),
            (0.065, tall - 0.08),
            (0, tall - 0.08),
        ]
    else:  # the wide spark arrester of wood burners
        profile = [
            (0.07, 0),
            (0.065, 0.45 * tall),
            (0.16, 0.8 * tall),
            (0.165, 0.88 * tall),
            (0.1, tall),
            (0.07, tall),
            (0.06, tall - 0.08),
            (0, tall - 0.08),
        ]
    return [moved(lathe(profile, segments=12, colour=BLACK, gloss=0.35), (x, 0, z))]


def _cab(rng: np.random.Generator, z: float, r: float, look: Look, trim: Colour, tender: bool) -> list[Mesh]:
    top = z + r + 0.2
    parts = [box((0.4, 0.58, top - 0.38), centre=(-0.58, 0, (top + 0.38) / 2), **look)]
    roof = [(-0.36, 0), (-0.3, 0.05), (-0.15, 0.09), (0, 0.1), (0.15, 0.09), (0.3, 0.05), (0.36, 0)]
    parts.append(
        moved(
            extrude([*roof, (0.3, -0.01), (-0.3, -0.01)], 0.56, axis="x", colour=darker(trim, 0.7), gloss=0.3),
            (-0.6, 0, top),
        )
    )
    parts.append(box((0.17, 0.6, 0.19), centre=(-0.56, 0, top - 0.15), colour=GLASS, gloss=0.7))
    parts += [box((0.42, 0.12, 0.13), centre=(-0.58, s * 0.2, top - 0.11), colour=GLASS, gloss=0.7) for s in SIDES]
    if tender:
        parts.append(box((0.62, 0.54, 0.42), centre=(-1.2, 0, 0.6), bevel=0.02, **look))
        parts.append(box((0.7, 0.46, 0.1), centre=(-1.18, 0, 0.35), colour=BLACK))
        coal = rounded_box((0.52, 0.44, 0.16), 0.07, (-1.2, 0, 0.81), steps=2, colour=(0.07, 0.07, 0.08), gloss=0.4)
        parts.append(lumpy(coal, rng, 0.05, 0.12))
    return parts


def _driver(radius: float, centre: tuple[float, float, float], colour: Colour) -> list[Mesh]:
    """A driving wheel: rim, spokes and hub, seen through."""
    rim = lathe(
        [(0.82 * radius, -0.025), (radius, -0.025), (radius, 0.025), (0.82 * radius, 0.025), (0.82 * radius, -0.025)],
        segments=12,
        colour=colour,
        gloss=0.4,
    )
    spokes = [
        moved(box((1.7 * radius, 0.035, 0.03), colour=colour, gloss=0.4), rotation=turn("z", 60 * k + 15))
        for k in range(3)
    ]
    hub = cylinder(0.22 * radius, 0.09, base=(0, 0, -0.045), segments=6, colour=STEEL, gloss=0.6)
    return [moved(p, centre, rotation=turn("x", 90)) for p in (rim, *spokes, hub)]


def _front_end(rng: np.random.Generator, front: float, trim: Colour) -> list[Mesh]:
    parts = [box((0.05, 0.6, 0.12), centre=(front + 0.06, 0, 0.33), colour=trim, gloss=0.3)]
    if rng.random() < 0.5:
        wedge = [
            [(front + 0.06, y, 0.29), (front + 0.06, y, 0.03), (front + 0.06 + 0.26 * (1 - abs(y) / 0.32), y, 0.03)]
            for y in np.linspace(-0.27, 0.27, 7)
        ]
        return (
            parts
            + [tube([a, c], 0.018, segments=4, colour=trim) for a, _, c in wedge]
            + [tube([w[2] for w in wedge], 0.02, segments=5, colour=trim)]
        )
    rod, disc = (0.03, 0.1, 0.0, STEEL), (0.065, 0.02, 0.1, BLACK)
    buffer = joined([cylinder(r, long, base=(0, 0, at), segments=10, colour=c) for r, long, at, c in (rod, disc)])
    return parts + [moved(buffer, (front + 0.07, s * 0.2, 0.33), rotation=turn("y", 90)) for s in SIDES]
