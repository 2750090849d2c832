"""Birds standing and looking along +x: duck, flamingo, penguin. Proportions are ours, after photographs."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.limbs import DARK, SIDES
from unseen.worlds.shapes.primitives import (
    ellipsoid,
    extrude,
    sphere,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, blade, body, darker, hsv, middles, patched, spline
from unseen.worlds.shapes.surfaces import Look


def duck(rng: np.random.Generator) -> Mesh:
    """A duck: white, yellow, brown, or a drake with a green head and a white ring; the neck long or short."""
    plumage, head, wing, ringed = _duck_colours(rng)
    bill = hsv(rng, (0.07, 0.13), (0.8, 0.95), (0.85, 0.98))
    stretch, girth, skull = rng.uniform(0.2, 0.36), rng.uniform(0.2, 0.25), rng.uniform(0.12, 0.145)
    z = 0.16 + girth
    hx, hz = 0.36 + rng.uniform(0, 0.08), z + stretch + 0.2
    rows = [
        (-0.56, 0, z + 0.2, 0.05, 0.03),
        (-0.4, 0, z + 0.08, 0.7 * girth, 0.5 * girth),
        (-0.1, 0, z, 1.05 * girth, girth),
        (0.15, 0, z + 0.02, girth, 1.0 * girth),
        (0.32, 0, z + 0.08, 0.6 * girth, 0.7 * girth),
    ]
    trunk = body(rows, segments=16, rings=16, ends=(0.5, 0.7), colour=plumage, paint=1.0, gloss=0.15)
    spine = spline(
        [(0.2, 0, z + 0.08, 0.13, 0.15), (0.34, 0, z + 0.24, 0.085, 0.09), (hx - 0.03, 0, hz - 0.06, 0.075, 0.08)], 9
    )
    split = 4 if ringed else 8
    parts = [
        trunk,
        body(spine[: split + 1], rings=split + 1, segments=12, ends=(0.5, 0), colour=plumage, paint=1.0, gloss=0.15),
    ]
    if ringed:
        parts.append(body(spine[split:], rings=5, segments=12, ends=(0, 0), colour=head, paint=1.0, gloss=0.2))
        parts.append(tube(spine[split : split + 2, :3], 0.1, segments=14, colour=(0.97, 0.97, 0.95)))
    parts.append(
        ellipsoid((1.12 * skull, 0.9 * skull, 0.95 * skull), (hx, 0, hz), 14, colour=head, paint=1.0, gloss=0.2)
    )
    rows = [(0.06, 0, -0.02, 0.06, 0.05), (0.16, 0, -0.035, 0.062, 0.032), (0.27, 0, -0.03, 0.07, 0.018)]
    beak = body(rows, rings=7, segments=10, ends=(0, 1.5), colour=bill, gloss=0.4)
    parts.append(moved(beak, (hx, 0, hz)))
    for s in SIDES:
        parts.append(sphere(0.026, (hx + 0.06, s * 0.77 * skull, hz + 0.045), 8, colour=DARK, gloss=0.9))
        rows = [
            (0.2, s * 0.86 * girth, z + 0.05, 0.03, 0.07),
            (0, s * 1.03 * girth, z + 0.05, 0.045, 0.13),
            (-0.25, s * 0.9 * girth, z + 0.09, 0.04, 0.1),
            (-0.46, s * 0.45 * girth, z + 0.17, 0.02, 0.03),
        ]
        parts.append(body(rows, rings=9, segments=8, colour=wing, paint=1.0, gloss=0.15))
        parts += _webbed(s * 0.5 * girth, rng.uniform(-0.08, 0.08), z - 0.5 * girth, bill)
    return upright(joined(parts))


def _duck_colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour, bool]:
    """Plumage, head, wings, and whether a white ring divides neck and head."""
    white = hsv(rng, (0.1, 0.15), (0.0, 0.08), (0.92, 0.99))
    yellow = hsv(rng, (0.13, 0.155), (0.6, 0.85), (0.92, 1.0))
    brown = hsv(rng, (0.07, 0.1), (0.35, 0.55), (0.45, 0.65))
    grey, green = hsv(rng, (0.07, 0.12), (0.05, 0.15), (0.65, 0.8)), hsv(rng, (0.38, 0.45), (0.7, 0.9), (0.3, 0.45))
    return (
        (white, white, darker(white, 0.93), False),
        (yellow, yellow, darker(yellow, 0.92), False),
        (brown, darker(brown, 1.2), darker(brown, 0.75), False),
        (grey, green, darker(brown, 0.85), True),
    )[int(rng.choice(4, p=[0.25, 0.2, 0.2, 0.35]))]


def _webbed(y: float, step: float, top: float, colour: Colour) -> list[Mesh]:
    leg = tube([(step / 2 - 0.02, y, top), (step, y, 0.02)], 0.024, segments=6, colour=colour)
    web = [(-0.03, -0.015), (0.1, -0.09), (0.115, -0.03), (0.15, 0), (0.115, 0.03), (0.1, 0.09), (-0.03, 0.015)]
    return [leg, moved(extrude(web, 0.024, colour=colour), (step, y, 0.012))]


def flamingo(rng: np.random.Generator) -> Mesh:
    """A flamingo on one leg or two, its neck in an S, the bill bent with a dark tip."""
    pink = hsv(rng, (0.93, 1.03), (0.3, 0.65), (0.93, 1.0))
    pale, leg_colour = darker(pink, 1.1), hsv(rng, (0.94, 1.02), (0.4, 0.6), (0.8, 0.95))
    leg, girth, rise = rng.uniform(0.62, 0.8), rng.uniform(0.14, 0.17), rng.uniform(0.5, 0.7)
    z = leg + 0.12
    look: Look = {"colour": pink, "paint": 1.0, "gloss": 0.15}
    hx, hz = 0.42 + rng.uniform(-0.05, 0.08), z + rise
    rows = [
        (-0.42, 0, z, 0.03, 0.025),
        (-0.22, 0, z + 0.05, 0.8 * girth, 0.7 * girth),
        (0.02, 0, z + 0.05, girth, 1.05 * girth),
        (0.2, 0, z + 0.07, 0.6 * girth, 0.65 * girth),
    ]
    parts = [body(rows, segments=14, rings=12, ends=(0.5, 0.8), **look)]
    curve = [
        (0.14, 0, z + 0.06, 0.075),
        (0.34, 0, z + 0.04, 0.05),
        (0.42, 0, z + 0.2, 0.042),
        (0.3, 0, z + 0.24 + 0.3 * rise, 0.038),
        (hx - 0.18, 0, z + 0.85 * rise, 0.036),
        (hx - 0.1, 0, hz + 0.04, 0.038),
        (hx, 0, hz + 0.02, 0.045),
    ]
    rows = spline(curve, 22)
    parts.append(tube(rows[:, :3], rows[:, 3], segments=10, **look))
    parts.append(ellipsoid((0.085, 0.06, 0.062), (hx + 0.01, 0, hz + 0.015), 12, **look))
    rows = [
        (hx + 0.06, 0, hz + 0.01, 0.036, 0.042),
        (hx + 0.14, 0, hz - 0.02, 0.034, 0.042),
        (hx + 0.17, 0, hz - 0.09, 0.028, 0.034),
        (hx + 0.15, 0, hz - 0.15, 0.01, 0.012),
    ]
    beak = body(rows, rings=9, segments=8, ends=(0, 0.5), colour=(0.97, 0.9, 0.85), gloss=0.4)
    parts.append(patched(beak, middles(beak)[:, 2] < hz - 0.05, DARK))
    for s in SIDES:
        parts.append(sphere(0.016, (hx + 0.045, s * 0.05, hz + 0.035), 6, colour=(0.95, 0.85, 0.3), gloss=0.9))
        parts.append(sphere(0.01, (hx + 0.052, s * 0.06, hz + 0.037), 6, colour=DARK, gloss=0.9))
        wing = [
            (0.14, s * 0.8 * girth, z + 0.08, 0.03, 0.07),
            (-0.02, s * 0.97 * girth, z + 0.07, 0.035, 0.12),
            (-0.24, s * 0.75 * girth, z + 0.04, 0.03, 0.09),
            (-0.45, s * 0.25 * girth, z - 0.03, 0.012, 0.03),
        ]
        parts.append(body(wing, rings=9, segments=8, colour=darker(pink, 0.88), paint=1.0, gloss=0.15))
    lifted = int(rng.choice((-1, 0, 1)))
    for s in SIDES:
        parts += _stilt(s * 0.06, z - 0.05, leg, rng.uniform(-0.04, 0.06), s == lifted, leg_colour)
    tail = [(-0.36, 0, z + 0.02), (-0.46, 0, z - 0.02), (-0.52, 0, z - 0.08)]
    parts.append(blade(tail, (0.06, 0.05, 0.015), (0, 1, 0), 0.03, count=5, colour=pale, paint=1.0))
    return upright(joined(parts))


def _stilt(y: float, top: float, leg: float, step: float, lifted: bool, colour: Colour) -> list[Mesh]:
    """A long leg with a knob at its ankle, which bends backwards; a lifted one is folded under the body."""
    knee = np.array([step + 0.02, y, 0.5 * leg])
    foot = np.array([step, y, 0.015])
    if lifted:
        knee, foot = np.array([0.22, y, 0.6 * leg]), np.array([-0.1, y, 0.52 * leg])
    leg_ = tube([(0, y, top), tuple(knee), tuple(foot)], 0.017, segments=6, colour=colour)
    parts = [leg_, sphere(0.027, knee, 8, colour=darker(colour, 0.85))]
    toes = [
        tube([tuple(foot), tuple(foot + turn("z", a) @ [0.1, 0, -0.003])], (0.016, 0.01), segments=5, colour=colour)
        for a in (-30, 0, 30)
    ]
    return parts + (toes[1:2] if lifted else toes)


def penguin(rng: np.random.Generator) -> Mesh:
    """A penguin upright with its flippers down or spread; some with a yellow patch at the neck."""
    dark = hsv(rng, (0.55, 0.68), (0.1, 0.45), (0.12, 0.3))
    beak = hsv(rng, (0.06, 0.12), (0.8, 0.95), (0.85, 0.98))
    girth, tall, skull = rng.uniform(0.22, 0.29), rng.uniform(0.68, 0.85), rng.uniform(0.135, 0.165)
    rows = [
        (-0.02, 0, 0.05, 0.75 * girth, 0.7 * girth),
        (0, 0, 0.25, girth, 0.98 * girth),
        (0.01, 0, 0.6 * tall, 0.85 * girth, 0.82 * girth),
        (0.01, 0, tall, 0.62 * skull + 0.02, 0.65 * skull + 0.02),
    ]
    look: Look = {"colour": dark, "paint": 1.0, "gloss": 0.3}
    trunk = body(rows, segments=20, rings=16, ends=(0.4, 0.4), **look)
    m = middles(trunk)
    angle = np.abs(np.arctan2(m[:, 1], m[:, 0] + 0.02))
    parts = [patched(trunk, (angle < 1.05) & (m[:, 2] < 0.93 * tall), (0.97, 0.97, 0.95), paint=0.0)]
    parts += _penguin_head(rng, skull, tall + 0.6 * skull, beak, look)
    out = rng.uniform(0.06, 0.26)
    for s in SIDES:
        flipper = [
            (0, s * 0.55 * girth, 0.82 * tall, 0.03, 0.07),
            (0, s * (0.95 * girth + 0.3 * out), 0.65 * tall, 0.03, 0.1),
            (0, s * (girth + 0.7 * out), 0.45 * tall, 0.025, 0.085),
            (-0.02, s * (girth + 0.03 + out), 0.25 * tall, 0.015, 0.03),
        ]
        parts.append(body(flipper, rings=9, segments=8, **look))
        edge = [(-0.05, 0.05), (0.1, 0.1), (0.12, 0.04), (0.15, 0.035)]
        foot = extrude([*edge, *((x, -y) for x, y in edge[::-1])], 0.05, bevel=0.012, colour=beak)
        parts.append(moved(foot, (0.16, s * 0.45 * girth, 0.025), rotation=turn("z", s * 12)))
    tail = [(-0.5 * girth, 0, 0.1), (-0.85 * girth, 0, 0.05), (-1.15 * girth, 0, 0.015)]
    parts.append(blade(tail, (0.1, 0.08, 0.02), (0, 1, 0), 0.03, count=5, **look))
    return upright(joined(parts))


def _penguin_head(rng: np.random.Generator, skull: float, hz: float, beak: Colour, look: Look) -> list[Mesh]:
    """A round head with beak and eyes, perhaps with yellow cheeks."""
    head = ellipsoid((1.02 * skull, 0.95 * skull, skull), (0.02, 0, hz), 16, **look)
    if rng.random() < 0.6:
        x, y, z = np.abs(middles(head) - (0, 0, hz - 0.25 * skull)).T / skull
        yellow = hsv(rng, (0.11, 0.15), (0.6, 0.9), (0.95, 1))
        head = patched(head, (x < 0.5) & (y > 0.5) & (z < 0.4), yellow, paint=0.0)
    rows = [
        (0.1 + 0.3 * skull, 0, hz, 0.04, 0.045),
        (0.12 + skull, 0, hz - 0.01, 0.022, 0.022),
        (0.16 + skull, 0, hz - 0.03, 0.008, 0.008),
    ]
    parts = [head, body(rows, rings=6, segments=8, ends=(0, 0.5), colour=beak, gloss=0.5)]
    for s in SIDES:
        at = np.array([0.02 + 0.72 * skull, s * 0.52 * skull, hz + 0.28 * skull])
        parts += [
            sphere(0.032, at, 8, colour=(0.97, 0.97, 0.95), gloss=0.6),
            sphere(0.02, at + (0.016, s * 0.008, 0.002), 6, colour=DARK, gloss=0.9),
        ]
    return parts
