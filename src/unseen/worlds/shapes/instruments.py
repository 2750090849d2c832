"""Musical instruments: guitar, piano, drum. Shapes are ours, after common types."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import box, cylinder, extrude, lathe, sphere, torus, tube, turn
from unseen.worlds.shapes.skins import Colour, darker, hsv, spline

STEEL: Colour = (0.7, 0.72, 0.75)
GOLD: Colour = (0.85, 0.68, 0.3)
BLACK: Colour = (0.08, 0.08, 0.09)
IVORY: Colour = (0.97, 0.96, 0.92)
SIDES = (1, -1)


def guitar(rng: np.random.Generator) -> Mesh:
    """An acoustic or electric guitar standing on its body, neck up, leaning back a little; its strings face +x."""
    electric = rng.random() < 0.35
    parts, bridge, join = _electric(rng) if electric else _acoustic(rng)
    dark, wood = hsv(rng, (0.04, 0.08), (0.4, 0.7), (0.15, 0.35)), hsv(rng, (0.05, 0.09), (0.4, 0.6), (0.45, 0.7))
    end, x = join + rng.uniform(0.45, 0.55), 0.055
    low = join - (0.2 if electric else 0.12)
    parts += [
        box((0.05, 0.075, end - low), centre=(0.03, 0, (end + low) / 2), bevel=0.012, colour=wood, gloss=0.4),
        box((0.016, 0.07, end - low), centre=(x + 0.006, 0, (end + low) / 2), colour=dark),
    ]
    frets = np.array([1 - 2 ** (-k / 12) for k in range(1, 13)]) * 2
    for share in frets[frets * 0.5 < 0.9][:12]:
        z = end - share * (end - low) * 0.95
        parts.append(box((0.006, 0.07, 0.006), centre=(x + 0.016, 0, z), colour=STEEL, gloss=0.8))
    parts += _headstock(rng, end, x, dark if electric else wood, electric)
    for k in range(6):
        y = (k - 2.5) * 0.0105
        parts.append(
            tube(
                [(x + 0.03, 1.25 * y, bridge), (x + 0.024, y, end + 0.01)],
                0.0028,
                segments=3,
                colour=(0.9, 0.9, 0.88),
                gloss=0.8,
            )
        )
    return upright(moved(joined(parts), rotation=turn("y", -rng.uniform(6, 14))))


def _mirrored(half: list[tuple[float, float]], count: int) -> np.ndarray:
    """A closed outline from its right half (y, z), bottom to top."""
    right = spline(half, count)
    return np.concatenate([right, (right * (-1, 1))[::-1]])


def _acoustic(rng: np.random.Generator) -> tuple[list[Mesh], float, float]:
    """Body, height of the bridge, height where the neck begins."""
    wide, waist, tall = rng.uniform(0.22, 0.26), rng.uniform(0.13, 0.165), rng.uniform(0.56, 0.64)
    upper = rng.uniform(0.16, 0.19)
    side = hsv(rng, (0.03, 0.08), (0.5, 0.75), (0.3, 0.6))
    top = (
        hsv(rng, (0.07, 0.11), (0.35, 0.65), (0.75, 0.95))
        if rng.random() < 0.7
        else dye(rng, saturation=(0.4, 0.85), value=(0.4, 0.85))
    )
    half = [
        (0.02, 0),
        (0.7 * wide, 0.02),
        (wide, 0.28 * tall),
        (waist, 0.6 * tall),
        (upper, 0.83 * tall),
        (0.6 * upper, 0.98 * tall),
        (0.02, tall),
    ]
    outline = _mirrored(half, 20)
    parts = [
        extrude(outline, 0.11, axis="x", colour=side, gloss=0.5),
        moved(
            extrude(
                0.965 * (outline - (0, 0.5 * tall)) + (0, 0.5 * tall), 0.016, axis="x", colour=top, paint=1.0, gloss=0.5
            ),
            (0.055, 0, 0),
        ),
    ]
    hole = 0.62 * tall
    parts += [
        moved(cylinder(r, 0.012, segments=20, colour=c), (x, 0, hole), rotation=turn("y", 90))
        for r, c, x in ((0.078, darker(side, 0.5), 0.054), (0.071, IVORY, 0.0555), (0.064, (0.04, 0.03, 0.03), 0.057))
    ]
    bridge = 0.27 * tall
    parts += [
        box((0.02, 0.17, 0.035), centre=(0.07, 0, bridge), bevel=0.005, colour=darker(side, 0.5)),
        box((0.012, 0.1, 0.008), centre=(0.08, 0, bridge + 0.004), colour=IVORY),
    ]
    if rng.random() < 0.5:
        guard = [(0.03, hole - 0.06), (0.12, hole - 0.15), (0.15, hole - 0.06), (0.1, hole + 0.0), (0.072, hole - 0.02)]
        parts.append(moved(extrude(guard, 0.008, axis="x", colour=(0.15, 0.08, 0.06), gloss=0.6), (0.064, 0, 0)))
    return parts, bridge, tall


def _electric(rng: np.random.Generator) -> tuple[list[Mesh], float, float]:
    """A solid body with one or two horns, pickups, knobs."""
    colour, tall = dye(rng, saturation=(0.55, 0.95), value=(0.4, 0.95)), rng.uniform(0.48, 0.54)
    horn, deep = rng.uniform(-0.02, 0.05), rng.uniform(0.11, 0.13)
    right = [
        (0.02, 0),
        (0.15, 0.01),
        (0.205, 0.12),
        (0.15, 0.27),
        (0.165, 0.36),
        (0.175, tall - 0.05 + 0.5 * horn),
        (0.145, tall - 0.02 + 0.5 * horn),
        (0.1, tall - 0.07),
        (0.042, tall - deep),
    ]
    left = [
        (-0.02, 0),
        (-0.15, 0.01),
        (-0.205, 0.13),
        (-0.155, 0.28),
        (-0.175, 0.38),
        (-0.185, tall + horn),
        (-0.15, tall + 0.04 + horn),
        (-0.1, tall - 0.04),
        (-0.042, tall - deep),
    ]
    outline = np.concatenate([spline(right, 22), spline(left, 22)[::-1]])
    parts = [extrude(outline, 0.08, axis="x", bevel=0.014, colour=colour, paint=1.0, gloss=0.8)]
    guard = IVORY if rng.random() < 0.6 else BLACK
    plate_ = spline(
        [
            (0.03, 0.1),
            (0.13, 0.09),
            (0.125, 0.25),
            (0.12, 0.36),
            (0.06, 0.37),
            (-0.07, 0.37),
            (-0.11, 0.34),
            (-0.08, 0.2),
        ],
        16,
    )
    parts.append(moved(extrude(plate_, 0.008, axis="x", colour=guard, gloss=0.5), (0.042, 0, 0)))
    dark = BLACK if guard == IVORY else STEEL
    parts += [
        box((0.03, 0.085, 0.026), centre=(0.046, 0, z), bevel=0.006, colour=dark, gloss=0.5)
        for z in (0.17, 0.24, 0.31)[: int(rng.integers(2, 4))]
    ]
    parts.append(box((0.034, 0.09, 0.03), centre=(0.05, 0, 0.105), bevel=0.006, colour=STEEL, gloss=0.9))
    parts += [
        moved(
            cylinder(0.016, 0.03, segments=10, colour=dark, gloss=0.6),
            (0.04, 0.11 + 0.012 * k, 0.19 - 0.05 * k),
            rotation=turn("y", 90),
        )
        for k in range(3)
    ]
    return parts, 0.105, tall - 0.02


def _headstock(rng: np.random.Generator, end: float, x: float, colour: Colour, electric: bool) -> list[Mesh]:
    """Six tuners in one row, or three a side."""
    if electric:
        outline = [
            (-0.035, 0),
            (0.035, 0),
            (0.05, 0.04),
            (0.045, 0.2),
            (0.0, 0.23),
            (-0.055, 0.2),
            (-0.06, 0.16),
            (-0.045, 0.05),
        ]
        pegs = [(-0.075, 0.035 + 0.028 * k) for k in range(6)]
    else:
        outline = [(-0.035, 0), (0.035, 0), (0.055, 0.04), (0.062, 0.19), (0.0, 0.2), (-0.062, 0.19), (-0.055, 0.04)]
        pegs = [(s * 0.085, 0.065 + 0.045 * k) for s in SIDES for k in range(3)]
    parts = [
        extrude(outline, 0.03, axis="x", bevel=0.006, colour=colour, gloss=0.5),
        box((0.02, 0.07, 0.012), centre=(0.02, 0, 0.003), colour=IVORY),
    ]
    for y, z in pegs:
        parts += [
            tube([(0, 0.5 * y, z), (0, y, z)], 0.006, segments=5, colour=STEEL),
            sphere(0.014, (0, y, z), 6, colour=IVORY if not electric else STEEL, gloss=0.7),
        ]
        parts.append(
            moved(
                cylinder(0.008, 0.03, segments=6, colour=STEEL, gloss=0.8),
                (0, 0.45 * y if not electric else 0.2 * y, z),
                rotation=turn("y", 90),
            )
        )
    return [moved(p, (x - 0.025, 0, end), rotation=turn("y", -10)) for p in parts]


def piano(rng: np.random.Generator) -> Mesh:
    """A grand piano with its lid up, or an upright; the keyboard faces +x."""
    kind = int(rng.integers(4))
    case = (
        BLACK,
        hsv(rng, (0.02, 0.07), (0.6, 0.8), (0.25, 0.5)),
        IVORY,
        dye(rng, saturation=(0.3, 0.8), value=(0.3, 0.8)),
    )[kind if rng.random() < 0.6 else 0]
    parts = _grand(rng, case) if rng.random() < 0.8 else _upright(rng, case)
    return upright(joined(parts))


def _keyboard(rng: np.random.Generator, x: float, z: float, half: float) -> list[Mesh]:
    """White keys as a slab with dark gaps, black keys in twos and threes."""
    octaves, deep = int(rng.integers(2, 4)), 0.13
    white = 7 * octaves
    pitch = 2 * half / white
    parts = [box((deep, 2 * half, 0.03), centre=(x, 0, z), colour=IVORY, gloss=0.6)]
    parts += [
        box((deep + 0.004, 0.14 * pitch, 0.034), centre=(x, -half + pitch * k, z), colour=(0.3, 0.3, 0.3))
        for k in range(1, white)
    ]
    parts += [
        box(
            (0.62 * deep, 0.55 * pitch, 0.03),
            centre=(x - 0.2 * deep, -half + pitch * k, z + 0.025),
            colour=BLACK,
            gloss=0.6,
        )
        for k in range(1, white)
        if k % 7 not in (0, 3)
    ]
    return parts


def _grand(rng: np.random.Generator, case: Colour) -> list[Mesh]:
    long, look = rng.uniform(0.75, 1.0), {"colour": case, "paint": 1.0, "gloss": 0.8}
    low, top, open_ = 0.42, 0.6, rng.uniform(30, 45)
    curve = spline(
        [
            (0.26, 0.5),
            (0.02, 0.49),
            (-0.25 * long, 0.3),
            (-0.55 * long, 0.12),
            (-0.85 * long, 0.04),
            (-0.98 * long, -0.16),
            (-0.97 * long, -0.38),
            (-0.85 * long, -0.5),
        ],
        20,
    )
    rim = np.concatenate([[(0.26, -0.5)], curve])
    parts = [moved(extrude(rim, top - low, **look), (0, 0, (top + low) / 2))]
    middle = np.array([-0.25, -0.1])
    parts.append(moved(extrude((rim - middle) * 0.93 + middle, 0.02, colour=GOLD, gloss=0.6), (0, 0, top - 0.004)))
    parts += [
        box(
            (0.02, 0.8 - 0.07 * k, 0.012),
            centre=(0.1 - 0.09 * k, -0.03 - 0.035 * k, top + 0.008),
            colour=(0.45, 0.12, 0.1),
        )
        for k in range(3)
    ]
    lid = moved(extrude(rim - (0, -0.5), 0.025, **look), rotation=turn("x", open_))
    parts.append(moved(lid, (0, -0.5, top + 0.03)))
    reach = 0.62
    tip = (0.05, -0.5 + reach * np.cos(np.deg2rad(open_)), top + 0.02 + reach * np.sin(np.deg2rad(open_)))
    parts.append(tube([(0.05, 0.42, top), tip], 0.012, segments=6, **look))
    parts.append(box((0.2, 1.0, 0.06), centre=(0.34, 0, low + 0.03), **look))
    parts += [box((0.2, 0.05, 0.14), centre=(0.34, s * 0.475, low + 0.1), bevel=0.012, **look) for s in SIDES]
    parts += _keyboard(rng, 0.36, low + 0.08, 0.44)
    parts.append(moved(box((0.012, 0.5, 0.16), **look), (0.2, 0, top + 0.08), rotation=turn("y", -15)))
    for x, y in ((0.2, 0.4), (0.2, -0.4), (-0.78 * long, -0.25)):
        parts.append(
            moved(lathe([(0.022, 0.03), (0.03, 0.1), (0.045, 0.3), (0.06, low + 0.02)], segments=10, **look), (x, y, 0))
        )
        parts.append(sphere(0.03, (x, y, 0.03), 8, colour=GOLD, gloss=0.7))
    parts += [box((0.04, 0.03, low - 0.06), centre=(0.12, s * 0.05, low / 2 + 0.05), **look) for s in SIDES] + [
        box((0.07, 0.16, 0.05), centre=(0.13, 0, 0.07), **look)
    ]
    return parts + [box((0.1, 0.02, 0.012), centre=(0.2, y, 0.05), colour=GOLD, gloss=0.8) for y in (-0.05, 0, 0.05)]


def _upright(rng: np.random.Generator, case: Colour) -> list[Mesh]:
    tall, look = rng.uniform(0.78, 0.92), {"colour": case, "paint": 1.0, "gloss": 0.7}
    panel = {**look, "colour": darker(case, 1.25) if sum(case) < 2 else darker(case, 0.9)}
    parts = [
        box((0.3, 1.1, tall - 0.04), centre=(0, 0, tall / 2 - 0.02), bevel=0.012, **look),
        box((0.36, 1.16, 0.04), centre=(0.01, 0, tall - 0.02), bevel=0.01, **look),
    ]
    parts += [box((0.3, 1.1, 0.06), centre=(0.24, 0, 0.42), bevel=0.01, **look), *_keyboard(rng, 0.3, 0.465, 0.48)]
    parts += [box((0.24, 0.06, 0.1), centre=(0.26, s * 0.52, 0.48), bevel=0.012, **look) for s in SIDES]
    parts += [
        moved(lathe([(0.03, 0), (0.035, 0.1), (0.025, 0.2), (0.04, 0.4)], segments=10, **look), (0.34, s * 0.5, 0))
        for s in SIDES
    ]
    parts += [
        box((0.012, 0.9, 0.24), centre=(0.152, 0, 0.22), **panel),
        box((0.012, 0.94, 0.2), centre=(0.152, 0, tall - 0.18), **panel),
    ]
    parts.append(moved(box((0.012, 0.4, 0.18), colour=IVORY), (0.2, 0, 0.64), rotation=turn("y", -12)))
    parts.append(box((0.07, 0.5, 0.015), centre=(0.19, 0, 0.55), **look))
    return parts + [box((0.1, 0.022, 0.014), centre=(0.19, y, 0.05), colour=GOLD, gloss=0.8) for y in (-0.06, 0, 0.06)]


def drum(rng: np.random.Generator) -> Mesh:
    """A drum with hoops and cords or rods, two sticks lying on it; on the ground or on a stand."""
    r, tall = rng.uniform(0.33, 0.42), rng.uniform(0.3, 0.62)
    shell, hoop = (
        dye(rng, saturation=(0.55, 0.95), value=(0.45, 0.9)),
        (STEEL, GOLD, hsv(rng, (0.06, 0.1), (0.4, 0.6), (0.5, 0.8)), IVORY)[int(rng.integers(4))],
    )
    stand = rng.random() < 0.4 and tall < 0.5
    foot = 0.5 if stand else 0.0
    parts = [lathe([(r, foot), (r, foot + tall)], segments=28, colour=shell, paint=1.0, gloss=0.6)]
    parts += [
        torus(1.01 * r, 0.026, (0, 0, z), segments=28, sides=6, colour=hoop, gloss=0.6)
        for z in (foot + 0.026, foot + tall - 0.01)
    ]
    parts.append(
        lathe([(0.97 * r, foot + tall - 0.01), (0.97 * r, foot + tall + 0.006)], segments=28, colour=IVORY, gloss=0.15)
    )
    count = int(rng.integers(6, 10))
    low, high = foot + 0.05, foot + tall - 0.035
    if rng.random() < 0.5:  # cords in a zigzag
        angle = np.linspace(0, 360, 2 * count + 1)
        knots = [turn("z", a) @ [1.015 * r, 0, high if k % 2 else low] for k, a in enumerate(angle)]
        for a, b in pairwise(knots):
            out = 0.5 * (a + b) * (1.03, 1.03, 1)
            parts.append(tube([a, out, b], 0.011, segments=5, colour=IVORY))
    else:
        for k in range(count):
            turned = turn("z", 360 * k / count)
            rod = [
                tube([(1.06 * r, 0, low), (1.06 * r, 0, high)], 0.009, segments=5, colour=STEEL, gloss=0.8),
                box((0.05, 0.04, 0.09), centre=(1.02 * r, 0, 0.5 * (low + high)), bevel=0.008, colour=STEEL, gloss=0.8),
            ]
            parts += [moved(p, rotation=turned) for p in rod]
    parts += _sticks(rng, foot + tall + 0.024, r)
    if stand:
        parts.append(tube([(0, 0, 0.18), (0, 0, foot)], 0.022, segments=8, colour=STEEL, gloss=0.8))
        for k in range(3):
            turned = turn("z", 120 * k + 30)
            arms = [
                tube([(0, 0, 0.3), (0.3, 0, 0.018)], 0.016, segments=6, colour=STEEL, gloss=0.8),
                tube([(0, 0, 0.4), (0.97 * r, 0, foot - 0.01)], 0.014, segments=6, colour=STEEL, gloss=0.8),
                sphere(0.024, (0.3, 0, 0.024), 6, colour=BLACK),
            ]
            parts += [moved(p, rotation=turned) for p in arms]
    return upright(joined(parts))


def _sticks(rng: np.random.Generator, z: float, r: float) -> list[Mesh]:
    """Two sticks crossing on the skin, one over the other, reaching past the hoop."""
    wood, parts = hsv(rng, (0.07, 0.1), (0.35, 0.6), (0.7, 0.9)), []
    for k, angle in enumerate((rng.uniform(-35, -15), rng.uniform(15, 35))):
        height = z + 0.016 + 0.036 * k
        stick = [
            tube(
                [(-0.6 * r, 0, height), (0.3 * r, 0, height), (1.35 * r, 0, height + 0.01)],
                (0.013, 0.02, 0.022),
                segments=8,
                colour=wood,
                gloss=0.4,
            ),
            sphere(0.032, (-0.62 * r, 0, height), 8, colour=wood, gloss=0.4),
        ]
        parts += [moved(p, (0, (-1) ** k * 0.03, 0), rotation=turn("z", angle)) for p in stick]
    return parts
