"""What drives on roads besides cars: bus and truck. Shapes are ours, after common types."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.coachwork import BLACK, GLASS, LAMP, RED, SIDES, STEEL, WHITE, livery, wheel
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    extrude,
    rounded_box,
    torus,
    turn,
)
from unseen.worlds.shapes.skins import Colour, body, darker, hsv, lumpy


def bus(rng: np.random.Generator) -> Mesh:
    """A bus: one or two decks, or with a bonnet as a school bus; doors on its right side."""
    kind = int(rng.choice(3, p=[0.45, 0.3, 0.25]))
    main = (
        hsv(rng, (0.115, 0.135), (0.85, 0.95), (0.93, 1.0))
        if kind == 2
        else dye(rng, saturation=(0.35, 0.9), value=(0.6, 0.95))
    )
    band, length = (BLACK if kind == 2 else WHITE if rng.random() < 0.6 else darker(main, 0.6)), rng.uniform(0.85, 1.15)
    wide, low, high = 0.24, 0.12, (0.56, 0.88, 0.58)[kind]
    look = {"colour": main, "paint": 1.0, "gloss": 0.5}
    parts = [rounded_box((2 * length, 2 * wide, high - low), 0.05, (0, 0, (high + low) / 2), **look)]
    rows = [(0.64 * high, 0.3 * high)] if kind != 1 else [(0.37 * high, 0.2 * high), (0.76 * high, 0.2 * high)]
    count = int(rng.integers(5, 9))
    pitch = (2 * length - 0.25) / count
    for level, tall in rows:
        pane = box((0.8 * pitch, 2 * wide + 0.012, tall), colour=GLASS, gloss=0.8)
        parts += [moved(pane, (-length + 0.1 + (k + 0.5) * pitch, 0, level)) for k in range(count)]
        parts.append(box((2 * length + 0.012, 1.7 * wide, tall * 1.08), centre=(0, 0, level), colour=GLASS, gloss=0.8))
    middle, sign = (0.56 * high, 0.56 * high) if kind == 1 else (0.5 * high, 0.92 * high)
    parts.append(box((2 * length - 0.08, 2 * wide + 0.008, 0.05), centre=(0, 0, middle), colour=band, gloss=0.4))
    if kind != 2:
        parts.append(box((0.04, 1.3 * wide, 0.05), centre=(length, 0, sign), colour=BLACK))
        parts.append(box((0.045, 1.0 * wide, 0.025), centre=(length, 0, sign), colour=(1.0, 0.75, 0.2)))
    nose = length
    if kind == 2:
        nose = length + 0.3
        parts.append(rounded_box((0.4, 1.7 * wide, 0.24), 0.05, (length + 0.1, 0, low + 0.12), **look))
        parts.append(box((0.02, 1.1 * wide, 0.13), centre=(nose, 0, low + 0.12), colour=BLACK, gloss=0.5))
    places = (length - 0.2, -0.1)[: 1 if kind == 2 else 2]
    parts += _doors(places, wide, low, 0.27 * high if kind == 1 else 0.42 * high, darker(main, 0.5))
    parts += _running_gear(rng, (-0.6 * length, nose - 0.38), wide, 0.13) + _lights(nose, -length, wide, low + 0.08)
    return upright(joined(parts))


def _doors(places: tuple[float, ...], wide: float, low: float, tall: float, frame: Colour) -> list[Mesh]:
    """Doors of two leaves in the right side."""
    case = box((0.17, 0.02, 1.3 * tall), colour=frame)
    leaf = box((0.065, 0.03, 1.15 * tall), colour=darker(GLASS, 1.6), gloss=0.8)
    z = low + 0.66 * tall + 0.02
    leaves = [moved(leaf, (x + s * 0.04, -wide, z)) for x in places for s in SIDES]
    return [moved(case, (x, -wide, z)) for x in places] + leaves


def _running_gear(rng: np.random.Generator, places: tuple[float, ...], wide: float, radius: float) -> list[Mesh]:
    """Wheels in dark arches."""
    hub, parts = (STEEL, WHITE, (0.75, 0.2, 0.15))[int(rng.integers(3))], []
    for x in places:
        parts.append(
            moved(
                cylinder(
                    1.18 * radius,
                    2 * wide + 0.006,
                    base=(0, 0, -wide - 0.003),
                    segments=16,
                    colour=(0.05, 0.05, 0.055),
                    gloss=0.05,
                ),
                (x, 0, radius + 0.01),
                rotation=turn("x", 90),
            )
        )
        parts += [wheel(radius, 0.1, (x, s * (wide - 0.02), radius), hub) for s in SIDES]
    return parts


def _lights(front: float, back: float, wide: float, z: float) -> list[Mesh]:
    parts = [
        box((0.03, 2 * wide + 0.02, 0.05), centre=(x, 0, z - 0.055), bevel=0.01, colour=(0.25, 0.25, 0.27), gloss=0.4)
        for x in (front, back)
    ]
    for s in SIDES:
        parts.append(
            moved(
                cylinder(0.035, 0.03, segments=10, colour=LAMP, gloss=0.9),
                (front - 0.005, s * 0.75 * wide, z + 0.02),
                rotation=turn("y", 90),
            )
        )
        parts.append(box((0.03, 0.06, 0.05), centre=(back, s * 0.75 * wide, z + 0.02), colour=RED, gloss=0.6))
    return parts


def truck(rng: np.random.Generator) -> Mesh:
    """A lorry: flat-nosed or with a bonnet, carrying a box, a tank, or an open body with gravel."""
    main, other = livery(rng)
    bonnet, load, length = rng.random() < 0.4, int(rng.integers(3)), rng.uniform(0.95, 1.3)
    wide, deck, cab = 0.22, 0.24, rng.uniform(0.62, 0.72)
    look = {"colour": main, "paint": 1.0, "gloss": 0.5}
    deep, slope = 0.4, 0.07
    outline = [(0, 0.13), (deep, 0.13), (deep, 0.42), (deep - slope, cab), (0.04, cab), (0, cab - 0.03)]
    nose = deep
    if bonnet:
        nose = deep + 0.26
        outline = [
            (0, 0.13),
            (nose, 0.13),
            (nose, 0.38),
            (nose - 0.03, 0.41),
            (deep, 0.44),
            (deep - slope, cab),
            (0.04, cab),
            (0, cab - 0.03),
        ]
    parts = [extrude(outline, 2 * wide, axis="y", bevel=0.02, **look)]
    lean = np.degrees(np.arctan2(slope, cab - 0.42))
    glass = box((0.02, 1.75 * wide, 0.75 * (cab - 0.43)), colour=GLASS, gloss=0.9)
    parts.append(moved(glass, (deep - 0.5 * slope, 0, (cab + 0.43) / 2), rotation=turn("y", -lean)))
    parts.append(
        extrude(
            [(0.1, 0.43), (deep - 0.08, 0.43), (deep - slope - 0.03, cab - 0.06), (0.1, cab - 0.06)],
            2 * wide + 0.012,
            axis="y",
            colour=GLASS,
            gloss=0.9,
        )
    )
    parts.append(box((0.02, 1.2 * wide, 0.1), centre=(nose, 0, 0.28), colour=BLACK, gloss=0.5))
    parts += [
        box((0.025, 1.1 * wide, 0.012), centre=(nose, 0, 0.25 + 0.03 * k), colour=STEEL, gloss=0.7) for k in range(3)
    ]
    for s in SIDES:
        parts.append(box((0.03, 0.05, 0.12), centre=(deep - 0.02, s * (wide + 0.05), 0.53), bevel=0.008, colour=BLACK))
        parts.append(box((0.02, 0.08, 0.015), centre=(deep - 0.05, s * (wide + 0.02), 0.5), colour=BLACK))
    if bonnet:
        parts.append(cylinder(0.025, 0.55, base=(-0.03, wide - 0.03, 0.3), segments=8, colour=STEEL, gloss=0.8))
    parts.append(box((length + 0.1, 1.2 * wide, 0.08), centre=(-length / 2, 0, 0.2), colour=BLACK))
    parts += (_cargo, _tank, _tipper)[load](rng, length, wide, deck, cab, other)
    axles = (nose - 0.2, -length + 0.18, -length + 0.46) if length > 1.1 else (nose - 0.2, -length + 0.25)
    gear = [wheel(0.125, 0.1, (x, s * (wide - 0.02), 0.125), STEEL, 12) for x in axles for s in SIDES]
    arch = moved(
        cylinder(
            0.15, 2 * wide + 0.006, base=(0, 0, -wide - 0.003), segments=16, colour=(0.05, 0.05, 0.055), gloss=0.05
        ),
        (axles[0], 0, 0.135),
        rotation=turn("x", 90),
    )
    return upright(joined([*parts, *gear, arch, *_lights(nose, -length, wide, 0.2)]))


def _cargo(rng: np.random.Generator, length: float, wide: float, deck: float, cab: float, colour: Colour) -> list[Mesh]:
    top = cab + rng.uniform(0.02, 0.2)
    parts = [
        box(
            (length - 0.04, 2.1 * wide, top - deck),
            centre=(-length / 2 - 0.02, 0, (top + deck) / 2),
            bevel=0.012,
            colour=colour,
            paint=1.0,
            gloss=0.3,
        )
    ]
    band = dye(rng, saturation=(0.5, 0.9), value=(0.4, 0.9))
    parts.append(
        box(
            (length - 0.2, 2.1 * wide + 0.012, 0.1),
            centre=(-length / 2 - 0.02, 0, deck + 0.45 * (top - deck)),
            colour=band,
            gloss=0.3,
        )
    )
    parts.append(box((0.01, 0.015, 0.85 * (top - deck)), centre=(-length, 0, (top + deck) / 2), colour=BLACK))
    return parts


def _tank(rng: np.random.Generator, length: float, wide: float, deck: float, cab: float, colour: Colour) -> list[Mesh]:
    z, r = deck + 0.95 * wide, 0.98 * wide
    rows = [(-length + 0.06, 0, z, r, 0.95 * r), (-length / 2, 0, z, r, 0.95 * r), (-0.1, 0, z, r, 0.95 * r)]
    parts = [body(rows, rings=6, segments=20, ends=(0.25, 0.25), colour=colour, paint=1.0, gloss=0.7)]
    bands = [
        torus(0.975 * r, 0.014, (x, 0, z), "x", segments=20, sides=4, colour=STEEL, gloss=0.6)
        for x in (-length + 0.2, -0.25)
    ]
    lids = [
        cylinder(0.07, 0.05, base=(x, 0, z + 0.93 * r), segments=12, colour=STEEL)
        for x in (-0.3 * length, -0.65 * length)
    ]
    return [*parts, *bands, *lids, box((length - 0.1, 1.4 * wide, 0.06), centre=(-length / 2, 0, deck), colour=BLACK)]


def _tipper(
    rng: np.random.Generator, length: float, wide: float, deck: float, cab: float, colour: Colour
) -> list[Mesh]:
    top, w = deck + 0.27, 1.05 * wide
    look = {"colour": colour, "paint": 1.0, "gloss": 0.3}
    parts = [box((length - 0.05, 2 * w, 0.05), centre=(-length / 2 - 0.02, 0, deck + 0.02), **look)]
    parts += [
        box((length - 0.05, 0.04, 0.25), centre=(-length / 2 - 0.02, s * (w - 0.02), deck + 0.15), **look)
        for s in SIDES
    ]
    parts += [box((0.04, 2 * w, 0.25), centre=(x, 0, deck + 0.15), **look) for x in (-0.06, -length + 0.02)]
    parts += [
        box((0.035, 2 * w + 0.04, 0.26), centre=(x, 0, deck + 0.13), colour=darker(colour, 0.75), paint=1.0)
        for x in np.linspace(-length + 0.15, -0.2, 4)
    ]
    rows = [
        (-length + 0.1, 0, top - 0.08, 0.7 * w, 0.05),
        (-length / 2, 0, top - 0.04, 0.88 * w, 0.16),
        (-0.15, 0, top - 0.08, 0.7 * w, 0.05),
    ]
    load = body(rows, rings=9, segments=16, colour=hsv(rng, (0.07, 0.12), (0.15, 0.5), (0.4, 0.75)), gloss=0.05)
    return [*parts, lumpy(load, rng, 0.04, 0.12)]
