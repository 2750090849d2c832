"""A sailing boat. Shapes are ours, after common types."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.coachwork import GLASS, SIDES, STEEL, WHITE, livery
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    box,
    extrude,
    loft,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, body, darker, hsv, middles, patched, sheet


def boat(rng: np.random.Generator) -> Mesh:
    """A sailing boat: a sharp bow, one or two masts with a mainsail and a jib; cabin, stripe and sails vary."""
    main, stripe = livery(rng)
    wide, deep, deck = rng.uniform(0.15, 0.2), rng.uniform(0.16, 0.2), hsv(rng, (0.07, 0.1), (0.35, 0.6), (0.6, 0.85))
    sail = WHITE if rng.random() < 0.5 else dye(rng, saturation=(0.3, 0.85), value=(0.75, 0.98))
    parts = [_hull(wide, deep, main, stripe), *_deck(wide, deep, deck, stripe)]
    if rng.random() < 0.7:
        cabin = body(
            [
                (-0.2, 0, deep + 0.02, 0.5 * wide, 0.055),
                (0.0, 0, deep + 0.03, 0.55 * wide, 0.065),
                (0.2, 0, deep + 0.01, 0.35 * wide, 0.04),
            ],
            rings=7,
            segments=12,
            ends=(0.3, 0.5),
            square=3.5,
            colour=WHITE,
            gloss=0.4,
        )
        m = middles(cabin)
        parts.append(
            patched(cabin, (np.abs(m[:, 2] - deep - 0.045) < 0.02) & (np.abs(m[:, 0]) < 0.17), GLASS, gloss=0.8)
        )
    wood, high = hsv(rng, (0.06, 0.1), (0.3, 0.6), (0.45, 0.75)), rng.uniform(0.95, 1.2)
    masts = [(0.12, high)] if rng.random() < 0.7 else [(0.18, high), (-0.3, 0.72 * high)]
    lee, back = int(rng.choice(SIDES)), -0.5
    bulge, swing = lee * rng.uniform(0.06, 0.12), lee * rng.uniform(8, 28)
    for k, (x, top) in enumerate(masts):
        foot, end = deep + 0.14, (back if k == len(masts) - 1 else -0.22) if k == 0 or len(masts) == 1 else -0.56
        parts.append(tube([(x, 0, 0.1), (x, 0, deep + top)], (0.02, 0.012), segments=8, colour=wood))
        boom = tube([(0, 0, foot), (end - x, 0, foot - 0.01)], 0.013, segments=6, colour=wood)
        band = stripe if rng.random() < 0.5 else sail
        main_sail = _sail(
            (-0.025, foot + 0.025), (-0.025, deep + 0.96 * top), (end - x + 0.02, foot + 0.02), bulge, sail, band
        )
        parts += [moved(p, (x, 0, 0), rotation=turn("z", -swing)) for p in (boom, main_sail)]
    x, top = masts[0]
    jib = stripe if rng.random() < 0.4 else sail
    parts.append(
        _sail((0.57, deep + 0.1), (x + 0.035, deep + 0.82 * top), (x + 0.02, deep + 0.13), 1.4 * bulge, jib, jib)
    )
    parts.append(tube([(0.62, 0, deep + 0.05), (x, 0, deep + 0.9 * top)], 0.006, segments=5, colour=STEEL))
    if rng.random() < 0.6:
        flag = np.stack(
            [
                [(x - 0.02 - 0.13 * u, 0.02 * np.sin(5 * u), deep + top - 0.09 + 0.09 * v) for v in (0, 1)]
                for u in np.linspace(0, 1, 5)
            ]
        )
        parts.append(sheet(flag, 0.01, colour=dye(rng, saturation=(0.8, 1), value=(0.7, 1))))
    return upright(joined(parts))


def _hull(wide: float, deep: float, main: Colour, stripe: Colour) -> Mesh:
    """Sections from the flat stern to the sharp bow, with a rail that rises forwards."""
    sections = []
    rows = (
        (-0.6, 0.75, 0.07, 0.02),
        (-0.35, 0.95, 0.01, 0.0),
        (0, 1.0, 0.0, 0.0),
        (0.3, 0.8, 0.005, 0.02),
        (0.5, 0.45, 0.03, 0.045),
        (0.62, 0.14, 0.09, 0.07),
        (0.68, 0.008, 0.16, 0.09),
    )
    for x, w, keel, rail in rows:
        half, top = w * wide, deep + rail
        side = [
            (half * f, keel + (top - keel) * h)
            for f, h in (
                (0.3, 0.0),
                (0.66, 0.16),
                (0.88, 0.42),
                (0.95, 0.62),
                (0.98, 0.78),
                (1.0, 1.0),
                (0.92, 1.0),
                (0.9, 0.9),
            )
        ]
        ring = side + [(-y, h) for y, h in side[::-1]]
        sections.append([(x + 0.04 * (h - keel), y, h) for y, h in ring])
    one = loft(sections, colour=main, paint=1.0, gloss=0.5)
    m, (xs, _, keels, rails) = middles(one), np.array(rows).T
    keel, rail = np.interp(m[:, 0], xs, keels), np.interp(m[:, 0], xs, rails)
    level = (m[:, 2] - keel) / (deep + rail - keel)  # 0 at the keel, 1 at the rail
    one = patched(one, (level > 0.63) & (level < 0.77) & (np.abs(m[:, 1]) > 0.03 * wide), stripe)
    return patched(one, level < 0.36, darker(stripe, 0.6))


def _deck(wide: float, deep: float, colour: Colour, rail: Colour) -> list[Mesh]:
    outline = [
        (-0.58, -0.68 * wide),
        (-0.33, -0.87 * wide),
        (0, -0.92 * wide),
        (0.3, -0.73 * wide),
        (0.5, -0.41 * wide),
        (0.6, -0.14 * wide),
    ]
    outline += [(x, -y) for x, y in outline[::-1]]
    return [
        moved(extrude(outline, 0.02, colour=colour, gloss=0.2), (0, 0, 0.95 * deep)),
        box((0.02, 0.05, 0.16), centre=(-0.6, 0, 0.5 * deep), colour=darker(rail, 0.8)),
    ]


def _sail(
    tack: tuple[float, float],
    head: tuple[float, float],
    clew: tuple[float, float],
    bulge: float,
    colour: Colour,
    band: Colour,
) -> Mesh:
    """A triangular sail between three corners (x, z), filled by wind; bands of a second colour across it."""
    rows, columns = 11, 6
    grid = np.zeros((rows, columns, 3))
    for i, v in enumerate(np.linspace(0, 1, rows)):
        for j, u in enumerate(np.linspace(0, 1, columns)):
            low = np.array(tack) * (1 - u) + np.array(clew) * u
            x, z = low * (1 - v) + np.array(head) * v
            leech = 0.05 * np.sin(np.pi * v) * u * np.sign(clew[0] - tack[0])
            grid[i, j] = (
                x + leech,
                bulge * np.sin(np.pi * u * 0.9) * np.sin(np.pi * (0.15 + 0.8 * v)) * (1 - 0.5 * v),
                z,
            )
    grid[-1, :, 0] = head[0] + np.linspace(0, 0.01, columns) * np.sign(clew[0] - tack[0])
    one = sheet(grid, 0.012, colour=colour, paint=1.0, gloss=0.05)
    share = (middles(one)[:, 2] - tack[1]) / (head[1] - tack[1])
    return patched(one, (share > 0.3) & (share < 0.52), band)
