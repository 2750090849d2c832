"""A bicycle. Shapes are ours, after common types."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.coachwork import BLACK, RUBBER, SIDES, STEEL
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, body, hsv, spline


def bicycle(rng: np.random.Generator) -> Mesh:
    """A bicycle: racing, upright or step-through; some with mudguards, a basket or a rack."""
    paint = dye(rng, saturation=(0.45, 0.95), value=(0.6, 0.95))
    r, base, style = rng.uniform(0.3, 0.36), rng.uniform(0.5, 0.56), int(rng.integers(3))
    tyre = RUBBER if rng.random() < 0.75 else dye(rng, saturation=(0.1, 0.6), value=(0.6, 0.95))
    back, front, crank = np.array([-base, 0, r]), np.array([base, 0, r]), np.array([-0.06, 0, r - 0.04])
    seat, head, fork = (
        np.array([-0.2, 0, r + rng.uniform(0.36, 0.44)]),
        np.array([base - 0.2, 0, r + 0.42]),
        np.array([base - 0.16, 0, r + 0.28]),
    )
    tubes = [(crank, seat), (crank, fork), (head + (-0.01, 0, 0.02), fork + (0.01, 0, -0.03))]
    tubes.append(
        (seat - (0, 0, 0.04), head - (0, 0, 0.02)) if style < 2 else (0.45 * seat + 0.55 * crank, 0.5 * (head + fork))
    )
    parts = [tube(list(ends), 0.023, segments=8, colour=paint, paint=1.0, gloss=0.6) for ends in tubes]
    for s in SIDES:
        off = np.array([0, 0.035 * s, 0])
        for a, b in ((crank, back), (seat - (0, 0, 0.04), back), (fork, front)):
            parts.append(tube([a + 0.4 * off, b + off], 0.014, segments=6, colour=paint, paint=1.0, gloss=0.6))
    for axle in (back, front):
        parts += _spoked(axle, r, tyre)
        if style and rng.random() < 0.8:
            arc = np.deg2rad(np.linspace(20, 175, 9) if axle[0] < 0 else np.linspace(45, 165, 8))
            guard = axle + np.stack([np.cos(arc), 0 * arc, np.sin(arc)], 1) * (r + 0.05)
            parts.append(moved(tube(guard, 0.016, segments=6, colour=paint, paint=1.0, gloss=0.6), scale=(1, 1.8, 1)))
    parts += _drive(crank, back) + _saddle(
        seat, rng.uniform(0.07, 0.14), hsv(rng, (0.04, 0.1), (0.0, 0.7), (0.1, 0.45))
    )
    parts += _handlebar(head, style)
    if style and rng.random() < 0.5:
        parts.append(tube([head, (base - 0.02, 0, r + 0.43)], 0.012, segments=6, colour=STEEL))
        parts += [box((0.2, 0.24, 0.02), centre=(base - 0.02, 0, r + 0.43), colour=(0.55, 0.36, 0.18))]
        parts += [
            box((0.2, 0.02, 0.16), centre=(base - 0.02, s * 0.12, r + 0.5), colour=(0.62, 0.42, 0.22)) for s in SIDES
        ]
        parts += [
            box((0.02, 0.24, 0.16), centre=(base - 0.02 + s * 0.1, 0, r + 0.5), colour=(0.62, 0.42, 0.22))
            for s in SIDES
        ]
    return upright(joined(parts))


def _spoked(axle: np.ndarray, r: float, tyre: Colour) -> list[Mesh]:
    parts = [torus(r - 0.026, 0.028, axle, "y", segments=28, sides=6, colour=tyre, gloss=0.15)]
    parts.append(
        moved(
            cylinder(0.032, 0.08, base=(0, 0, -0.04), segments=8, colour=STEEL, gloss=0.7), axle, rotation=turn("x", 90)
        )
    )
    for k in range(12):
        way = turn("y", 30 * k) @ [1, 0, 0]
        parts.append(tube([axle + 0.02 * way, axle + (r - 0.04) * way], 0.006, segments=3, colour=STEEL, gloss=0.5))
    return parts


def _drive(crank: np.ndarray, back: np.ndarray) -> list[Mesh]:
    """Chain ring, chain, cranks and pedals."""
    parts = [
        moved(
            cylinder(0.085, 0.012, base=(0, 0, -0.006), segments=16, colour=STEEL, gloss=0.6),
            crank + (0, -0.05, 0),
            rotation=turn("x", 90),
        )
    ]
    parts += [
        tube([crank + (0, -0.05, s * 0.08), back + (0, -0.05, s * 0.035)], 0.007, segments=4, colour=BLACK)
        for s in SIDES
    ]
    for s in SIDES:
        end = crank + (s * 0.1, s * 0.075, -s * 0.12)
        parts.append(
            tube([crank + (0, s * 0.02, 0), crank + (0, s * 0.07, 0), end], 0.013, segments=6, colour=STEEL, gloss=0.6)
        )
        parts.append(box((0.09, 0.1, 0.025), centre=end + (0, s * 0.055, 0), colour=BLACK))
    return parts


def _saddle(seat: np.ndarray, rise: float, colour: Colour) -> list[Mesh]:
    x, z = seat[0] - 0.03, seat[2] + rise
    rows = [
        (x - 0.11, 0, z + 0.03, 0.075, 0.02),
        (x - 0.02, 0, z + 0.022, 0.06, 0.022),
        (x + 0.08, 0, z + 0.02, 0.026, 0.018),
        (x + 0.16, 0, z + 0.015, 0.02, 0.014),
    ]
    return [
        tube([seat - (0, 0, 0.05), (x, 0, z + 0.01)], 0.016, segments=8, colour=STEEL, gloss=0.7),
        body(rows, rings=8, segments=10, colour=colour, gloss=0.3),
    ]


def _handlebar(head: np.ndarray, style: int) -> list[Mesh]:
    top = head + (-0.015, 0, 0.1)
    parts = [tube([head, top], 0.018, segments=8, colour=STEEL, gloss=0.7)]
    half = (
        [(0, 0, 0), (0.02, 0.1, 0.01), (0.08, 0.2, 0.0), (0.16, 0.21, -0.04), (0.15, 0.21, -0.14), (0.05, 0.21, -0.15)]
        if style == 0
        else [(0, 0, 0), (0.05, 0.12, 0.05), (0.0, 0.24, 0.07), (-0.14, 0.27, 0.05)]
    )
    for s in SIDES:
        path = top + spline(half, 9) * (1, s, 1)
        parts += [
            tube(path, 0.014, segments=6, colour=STEEL, gloss=0.7),
            tube(path[-3:], 0.021, segments=8, colour=BLACK),
        ]
    return parts
