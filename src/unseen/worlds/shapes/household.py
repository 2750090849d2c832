"""Lamps and books. Lengths in metres until ``upright``; shapes and sizes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.materials import Colour, darker, dye, metal, pale, wood
from unseen.worlds.shapes.primitives import arc, box, capsule, cylinder, extrude, lathe, sphere, tube, turn


def lamp(rng: np.random.Generator) -> Mesh:
    """A lamp with a shade; only a desk lamp has a front, towards which it bends (+x)."""
    kind = rng.integers(4)
    if kind == 0:
        return _desk_lamp(rng)
    stand = metal(rng) if rng.random() < 0.5 else wood(rng, bare=True)
    tall = kind == 1
    stem = rng.uniform(0.85, 1.15) if tall else rng.uniform(0.24, 0.38)
    radius = rng.uniform(0.22, 0.3) if tall else rng.uniform(0.15, 0.21)
    parts = [_shade(rng, radius, stem)]
    if tall and rng.random() < 0.4:
        for k in range(3):
            c, s = np.cos(k * 2 * np.pi / 3), np.sin(k * 2 * np.pi / 3)
            parts.append(
                tube([(0.3 * c, 0.3 * s, 0), (0.02 * c, 0.02 * s, stem)], [0.016, 0.024], segments=8, colour=stand)
            )
        return joined(parts)
    if tall:
        foot = [(0, 0), (0.17, 0), (0.17, 0.02), (0.05, 0.045), (0.018, 0.08), (0.018, stem + 0.05), (0, stem + 0.05)]
        return joined([*parts, lathe(foot, segments=20, colour=stand, gloss=0.6)])
    r = rng.uniform(0.07, 0.11)
    glaze = dye(rng)
    bodies = (
        [(0.75, 0), (0.75, 0.04), (0.6, 0.06), (1.0, 0.3), (0.95, 0.5), (0.5, 0.78), (0.25, 0.9)],
        [(0.9, 0), (0.95, 0.05), (0.8, 0.1), (0.3, 0.25), (0.25, 0.9)],
        [(0.6, 0), (0.8, 0.1), (1.0, 0.35), (0.85, 0.6), (0.4, 0.72), (0.22, 0.9)],
        [(1.0, 0), (1.0, 0.08), (0.2, 0.1), (0.2, 0.3), (0.5, 0.45), (0.2, 0.6), (0.2, 0.9)],
    )
    body = np.array(bodies[int(rng.integers(len(bodies)))]) * (r, stem)
    parts.append(lathe([(0, 0), *body, (0, stem * 0.9)], segments=20, colour=glaze, paint=1, gloss=0.6))
    parts.append(cylinder(0.014, stem * 0.3, base=(0, 0, stem * 0.85), segments=8, colour=stand, gloss=0.7))
    return joined(parts)


def _shade(rng: np.random.Generator, radius: float, low: float) -> Mesh:
    """An open shade from ``low`` up, lit from within, with a bulb and the wires that carry it."""
    height, top = radius * rng.uniform(1.0, 1.5), radius * rng.uniform(0.45, 0.95)
    cloth = pale(rng) if rng.random() < 0.6 else dye(rng, saturation=(0.3, 0.6), value=(0.75, 0.95))
    low -= height * 0.15
    wall = 0.008
    outside = [
        (radius - wall, low),
        (radius, low),
        (top, low + height),
        (top - wall, low + height),
        (radius - wall, low),
    ]
    parts = [lathe(outside, segments=28, colour=cloth, paint=1, gloss=0.05)]
    for z, r in ((low, radius), (low + height, top)):
        trim = [
            (r + 0.003, z - 0.006),
            (r + 0.003, z + 0.006),
            (r - wall - 0.002, z + 0.006),
            (r - wall - 0.002, z - 0.006),
            (r + 0.003, z - 0.006),
        ]
        parts.append(lathe(trim, segments=28, colour=darker(cloth, 0.7)))
    z = low + height * 0.62
    parts.append(sphere(radius * 0.22, (0, 0, z), 10, colour=(1.0, 0.95, 0.7), gloss=0.4))
    parts.append(
        cylinder(0.012, z - low - height * 0.1, base=(0, 0, low + height * 0.1), segments=8, colour=(0.6, 0.55, 0.4))
    )
    at = low + height * 0.8
    reach = radius + (top - radius) * 0.8 - wall / 2
    return joined(
        [
            *parts,
            *[
                tube(
                    [(-reach * c, -reach * s, at), (reach * c, reach * s, at)],
                    0.005,
                    segments=5,
                    colour=(0.5, 0.45, 0.35),
                )
                for c, s in ((1, 0), (0, 1))
            ],
        ]
    )


def _desk_lamp(rng: np.random.Generator) -> Mesh:
    """Two arms with a joint and a tilted metal cone, reaching towards +x."""
    steel, paint = metal(rng), dye(rng)
    lower, upper = rng.uniform(0.30, 0.38), rng.uniform(0.26, 0.34)
    first, second = np.deg2rad(rng.uniform(100, 118)), np.deg2rad(rng.uniform(15, 45))
    start = np.array([-0.08, 0, 0.03])
    knee = start + lower * np.array([np.cos(first), 0, np.sin(first)])
    tip = knee + upper * np.array([np.cos(second), 0, np.sin(second)])
    base = [(0, 0), (0.11, 0), (0.11, 0.018), (0.09, 0.03), (0.02, 0.04), (0, 0.04)]
    parts = [moved(lathe(base, segments=20, colour=paint, paint=1, gloss=0.6), (-0.08, 0, 0))]
    for a, b in ((start, knee), (knee, tip)):
        parts += [
            tube([a + (0, y, 0), b + (0, y, 0)], 0.007, segments=6, colour=steel, gloss=0.7) for y in (-0.014, 0.014)
        ]
    parts += [
        capsule(p - (0, 0.022, 0), p + (0, 0.022, 0), 0.014, 8, colour=darker(steel, 0.6))
        for p in (start + (0, 0, 0.01), knee, tip)
    ]
    r = rng.uniform(0.085, 0.11)
    bell = (
        np.array([(0, 0.6), (0.35, 0.6), (0.42, 0.2), (0.6, 0.0), (1.0, -0.85), (0.94, -0.85), (0.5, 0.0), (0, 0.1)])
        * r
    )
    head = [
        lathe(bell, segments=20, colour=paint, paint=1, gloss=0.6),
        sphere(r * 0.4, (0, 0, -0.35 * r), 10, colour=(1.0, 0.95, 0.7)),
    ]
    tilt = turn("y", -rng.uniform(15, 40))
    return joined([*parts, moved(joined(head), tip + tilt @ np.array([0.02, 0, -0.3 * r]), rotation=tilt)])


def book(rng: np.random.Generator) -> Mesh:
    """A hardback: lying open before a reader at +x, standing with its pages fanned towards +x, standing closed with its
    cover towards +x, or lying closed."""
    height, width, thick = rng.uniform(0.9, 1.1), rng.uniform(0.62, 0.8), rng.uniform(0.14, 0.26)
    cover, paper = dye(rng, value=(0.3, 0.8)), pale(rng)
    kind = rng.random()
    if kind < 0.4:
        return _open_book(rng, height, width, thick * 0.6, cover, paper)
    if kind < 0.6:
        return _fanned_book(rng, height, width, cover, paper)
    closed = _closed_book(rng, height, width, thick, cover, paper)
    return closed if kind < 0.85 else moved(closed, rotation=turn("z", rng.uniform(-25, 25)) @ turn("y", -90))


def _closed_book(
    rng: np.random.Generator, height: float, width: float, thick: float, cover: Colour, paper: Colour
) -> Mesh:
    """Standing, its spine at −y: two boards, a round spine, and pages as leaves of two tones."""
    board, ink = 0.022, (0.88, 0.74, 0.36) if rng.random() < 0.5 else pale(rng)
    parts = []
    for s in (-1, 1):
        place = (s * (thick + board) / 2, 0, height / 2)
        parts.append(box((board, width, height), centre=place, bevel=0.006, colour=cover, paint=1, gloss=0.3))
    leaves = 9
    for k in range(leaves):
        x, step = (k + 0.5) / leaves * thick - thick / 2, 0.008 * (k % 2)
        size = (thick / leaves, width - 0.05 - step, height - 0.06 - 2 * step)
        tone = paper if k % 2 else darker(paper, 0.82)
        parts.append(box(size, centre=(x, -0.015 - step / 2, height / 2), colour=tone, gloss=0.02))
    half = thick / 2 + board
    bulge = rng.uniform(0.3, 0.6)
    back = np.concatenate(
        [
            arc((0, -width / 2 + 0.012), (half, half * bulge), 180, 360, 9),
            [(half, -width / 2 + 0.03), (-half, -width / 2 + 0.03)],
        ]
    )
    parts.append(moved(extrude(back, height, colour=darker(cover, 0.85), paint=1, gloss=0.3), (0, 0, height / 2)))
    band = np.concatenate([arc((0, -width / 2 + 0.012), (half + 0.006, half * bulge + 0.006), 180, 360, 9)])
    parts += [moved(extrude(band, 0.03, colour=ink), (0, 0, z * height)) for z in (0.12, 0.72, 0.88)]
    return joined([*parts, *_title(rng, half, height, width, ink, cover)])


def _title(rng: np.random.Generator, x: float, height: float, width: float, ink: Colour, cover: Colour) -> list[Mesh]:
    """On the front board: lines of a title, and a disc or a panel below them."""
    parts = []
    for k in range(int(rng.integers(1, 4))):
        size = (0.016, width * rng.uniform(0.4, 0.7), 0.045)
        parts.append(box(size, centre=(x, 0.02, height * (0.85 - 0.09 * k)), colour=ink))
    if rng.random() < 0.5:
        disc = cylinder(width * rng.uniform(0.18, 0.28), 0.016, segments=20, colour=dye(rng))
        parts.append(moved(disc, (x - 0.008, 0.02, height * 0.36), rotation=turn("y", 90)))
    else:
        parts.append(box((0.016, width * 0.6, height * 0.34), centre=(x, 0.02, height * 0.34), colour=dye(rng)))
        parts.append(
            box((0.024, width * 0.45, height * 0.03), centre=(x, 0.02, height * 0.34), colour=darker(cover, 0.7))
        )
    return parts


def _fanned_book(rng: np.random.Generator, height: float, width: float, cover: Colour, paper: Colour) -> Mesh:
    """Standing on its lower edge, spine at −x, the boards apart and the leaves between them."""
    spread, ink = rng.uniform(60, 115), (0.88, 0.74, 0.36) if rng.random() < 0.5 else pale(rng)
    back, leaves = 0.09, 14
    parts = [
        box((0.024, back, height), centre=(-0.01, 0, height / 2), bevel=0.006, colour=darker(cover, 0.85), paint=1)
    ]
    for s in (-1, 1):
        leaf = box(
            (width, 0.024, height), centre=(width / 2, 0, height / 2), bevel=0.006, colour=cover, paint=1, gloss=0.3
        )
        parts.append(moved(leaf, (-0.012, s * back / 2, 0), rotation=turn("z", s * spread / 2)))
        front = moved(joined(_title(rng, 0.0, height, width, ink, cover)), rotation=turn("z", s * 90.0))
        front = moved(front, (width / 2, s * 0.011, 0))
        parts.append(moved(front, (-0.012, s * back / 2, 0), rotation=turn("z", s * spread / 2)))
    for k, share in enumerate(np.linspace(-0.9, 0.9, leaves)):
        angle = spread / 2 * share + rng.uniform(-1.5, 1.5)
        t = np.linspace(0, 1, 5)
        curl = -0.06 * np.sign(share) * np.sin(np.pi * t) * (1 - abs(share))
        line = np.stack([t * (width - 0.05), curl], 1)
        outline = np.concatenate([line - (0, 0.004), line[::-1] + (0, 0.004)])
        tone = paper if k % 2 else darker(paper, 0.92)
        sheet = extrude(outline, height - 0.06, colour=tone, gloss=0.02)
        parts.append(moved(sheet, (0, back / 2 * share * 0.8, height / 2), rotation=turn("z", angle)))
    return joined(parts)


def _open_book(
    rng: np.random.Generator, height: float, width: float, thick: float, cover: Colour, paper: Colour
) -> Mesh:
    """Lying open: leaves that rise from the gutter and fall to the edge, with lines of text and perhaps a picture."""
    share = np.linspace(0, 1, 10)
    rise = thick * (0.35 + 1.15 * np.sqrt(share) * (1 - share) ** 0.7)
    ink, board = (0.28, 0.27, 0.30), 0.024
    parts = [
        box((height, 2 * width + 0.08, board), centre=(0, 0, board / 2), bevel=0.006, colour=cover, paint=1, gloss=0.3)
    ]
    picture = int(rng.integers(3))
    for place, side in enumerate((-1, 1)):
        for k in range(4):
            low, high = rise * k / 4, rise * (k + 1) / 4
            reach = width - 0.006 * (k % 2)
            lower, upper = np.stack([share * reach, low], 1), np.stack([share * reach, high], 1)
            outline = (np.concatenate([lower, upper[::-1]]) + (0.002, board)) * (side, 1)
            tone = darker(paper, 0.84) if k % 2 else paper
            tone = paper if k == 3 else tone
            parts.append(extrude(outline, height - 0.05 - 0.012 * (k % 2), axis="x", colour=tone, gloss=0.02))
        rows = np.linspace(-height / 2 + 0.14, height / 2 - 0.12, int(rng.integers(7, 10)))
        for k, x in enumerate(rows):
            if place == picture and k < len(rows) // 2:
                continue
            short = rng.uniform(0.1, 0.45) if k == len(rows) - 1 else 0.0
            span = (0.13, 0.9 - short) if side > 0 else (0.13 + short, 0.9)  # the reader's left page ends at the gutter
            parts.append(_printed(share, rise, width, side, span, x, 0.032, board, ink))
        if place == picture:
            long = rows[len(rows) // 2 - 1] - rows[0] + 0.04
            parts.append(
                _printed(share, rise, width, side, (0.13, 0.9), rows[0] + long / 2 - 0.02, long, board, dye(rng))
            )
    return joined(parts)


def _printed(
    share: np.ndarray,
    rise: np.ndarray,
    width: float,
    side: int,
    span: tuple[float, float],
    x: float,
    size: float,
    board: float,
    colour: Colour,
) -> Mesh:
    """A strip of ink that follows the leaf's curve."""
    along = np.linspace(*span, 6)
    up = np.interp(along, share, rise) + board
    lower, upper = np.stack([along * width, up - 0.01], 1), np.stack([along * width, up + 0.006], 1)
    outline = np.concatenate([lower, upper[::-1]]) * (side, 1)
    return moved(extrude(outline, size, axis="x", colour=colour, gloss=0.02), (x, 0, 0))
