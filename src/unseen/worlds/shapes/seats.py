"""Chairs and sofas; their seats open towards +x. Lengths in metres until ``upright``; shapes and sizes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.furniture import four_legs
from unseen.worlds.shapes.materials import Colour, darker, dye, metal, wood
from unseen.worlds.shapes.primitives import (
    Look,
    Points,
    box,
    capsule,
    cylinder,
    extrude,
    rounded_box,
    sphere,
    tube,
    turn,
)


def chair(rng: np.random.Generator) -> Mesh:
    """A chair whose seat opens towards +x: dining chairs with slats, rungs or a panel, armchairs, swivel chairs."""
    width, depth, seat = rng.uniform(0.40, 0.52), rng.uniform(0.40, 0.50), rng.uniform(0.42, 0.50)
    back, lean = rng.uniform(0.38, 0.58), rng.uniform(0.03, 0.10)
    frame, cloth = wood(rng), dye(rng)
    if rng.random() < 0.22:
        return _swivel_chair(rng, width, depth, seat, back, cloth)
    posts = [
        ((-depth / 2 + 0.02, s * (width / 2 - 0.025), seat), (-depth / 2 - lean, s * (width / 2 - 0.03), seat + back))
        for s in (-1, 1)
    ]
    thick = rng.uniform(0.030, 0.05)
    parts = [
        *four_legs(rng, depth - 0.03, width - 0.04, seat, frame, thick / 2),
        *_chair_back(rng, posts, thick / 2, frame, cloth),
    ]
    padded = rng.random() < 0.6
    parts.append(box((depth, width, 0.035), centre=(0, 0, seat), bevel=0.01, colour=frame, paint=float(not padded)))
    if padded:
        cushion = rng.uniform(0.04, 0.08)
        top = (0.005, 0, seat + 0.015 + cushion / 2)
        parts.append(rounded_box((depth - 0.02, width - 0.03, cushion), 0.03, top, colour=cloth, paint=1, gloss=0.05))
    if rng.random() < 0.3:
        parts += _chair_arms(rng, posts, depth, seat, thick, frame)
    return joined(parts)


def _chair_back(rng: np.random.Generator, posts: Points, radius: float, frame: Colour, cloth: Colour) -> list[Mesh]:
    """Two posts, and between them slats, rungs, a wooden panel or an upholstered one; or a bow with spindles."""
    (low_r, high_r), (low_l, high_l) = (tuple(np.asarray(p) for p in post) for post in posts)

    def at(across: float, up: float) -> np.ndarray:
        bow = np.array([-0.03 * (1 - (2 * across - 1) ** 2) * up, 0, 0])
        return (low_r + (high_r - low_r) * up) * (1 - across) + (low_l + (high_l - low_l) * up) * across + bow

    def rail(up: float, height: float, colour: Colour = frame, paint: float = 0.0) -> Mesh:
        line = np.stack([at(a, up) for a in np.linspace(0, 1, 5)])
        outline = np.concatenate([line[:, :2] + (0.011, 0), line[::-1, :2] - (0.011, 0)])
        return moved(extrude(outline, height, colour=colour, paint=paint, gloss=0.3), (0, 0, line[0, 2]))

    def slat(across: float, up: float) -> Mesh:
        return tube([at(across, 0.0), at(across, up)], 0.010, segments=6, colour=frame)

    style, number = rng.integers(6), int(rng.integers(4, 9))
    stands = 0.6 if style >= 4 else 1.0
    parts = [capsule(at(a, 0.0), at(a, stands), radius, 8, colour=frame, gloss=0.3) for a in (0, 1)]
    if style >= 4:
        bow = [at(0.5 + 0.5 * np.cos(t), stands + 0.45 * np.sin(t)) for t in np.linspace(0, np.pi, 13)]
        between = np.linspace(0, 1, number + 2)[1:-1]
        spindles = [slat(a, stands + 0.44 * np.sqrt(1 - (2 * a - 1) ** 2)) for a in between]
        return [*parts, *spindles, tube(bow, radius, segments=8, colour=frame, gloss=0.3)]
    if style == 0:
        return [*parts, *[slat(a, 0.93) for a in np.linspace(0, 1, number + 2)[1:-1]], rail(0.93, 0.07)]
    if style == 1:
        return [*parts, *[rail(up, 0.055) for up in np.linspace(0.28, 0.93, 3 + number % 2)]]
    if style == 2:
        return [*parts, rail(0.66, 0.62 * (high_r - low_r)[2], frame, 1.0)]
    pad = rail(0.62, 0.66 * (high_r - low_r)[2], cloth, 1.0)
    return [*parts, pad, rail(0.97, 0.03)]


def _chair_arms(
    rng: np.random.Generator, posts: Points, depth: float, seat: float, thick: float, frame: Colour
) -> list[Mesh]:
    height = rng.uniform(0.18, 0.24)
    parts = []
    for low, high in posts:
        share = height / (high[2] - low[2])
        x, y = low[0] + (high[0] - low[0]) * share, low[1] + (high[1] - low[1]) * share
        front = depth / 2 - 0.05
        parts.append(
            box(
                (front - x + 0.04, thick * 1.3, 0.028),
                centre=((front + x) / 2, y, seat + height),
                bevel=0.008,
                colour=frame,
            )
        )
        parts.append(
            tube([(front - 0.02, y, seat), (front - 0.02, y, seat + height)], thick * 0.4, segments=8, colour=frame)
        )
    return parts


def _swivel_chair(
    rng: np.random.Generator, width: float, depth: float, seat: float, back: float, cloth: Colour
) -> Mesh:
    """An office chair: a star of five feet on castors, a column, a padded seat and back."""
    steel = metal(rng)
    dark = (0.13, 0.13, 0.14)
    parts = [cylinder(0.025, seat - 0.12, base=(0, 0, 0.09), segments=10, colour=steel, gloss=0.7)]
    for k in range(5):
        c, s = np.cos(k * 2 * np.pi / 5), np.sin(k * 2 * np.pi / 5)
        parts.append(
            tube([(0, 0, 0.12), (0.26 * c, 0.26 * s, 0.075)], [0.03, 0.018], segments=6, colour=steel, gloss=0.6)
        )
        parts.append(sphere(0.035, (0.26 * c, 0.26 * s, 0.035), 8, colour=dark))
    parts.append(rounded_box((depth, width, 0.09), 0.04, (0, 0, seat), colour=cloth, paint=1, gloss=0.05))
    upright_part = rounded_box((0.07, width * 0.92, back), 0.035, colour=cloth, paint=1, gloss=0.05)
    parts.append(moved(upright_part, (-depth / 2 - 0.02, 0, seat + 0.12 + back / 2), rotation=turn("y", -8)))
    spine = [(-depth / 4, 0, seat - 0.04), (-depth / 2 - 0.06, 0, seat - 0.02), (-depth / 2 - 0.075, 0, seat + 0.3)]
    parts.append(tube(spine, 0.022, segments=8, colour=dark))
    if rng.random() < 0.6:
        for y in (-1, 1):
            side = y * (width / 2 + 0.02)
            path = [(0, y * 0.1, seat - 0.05), (0, side, seat - 0.05), (-0.02, side, seat + 0.18)]
            parts.append(tube(path, 0.015, segments=6, colour=dark))
            parts.append(rounded_box((0.24, 0.05, 0.035), 0.015, (0, side, seat + 0.19), colour=dark, gloss=0.3))
    return joined(parts)


def sofa(rng: np.random.Generator) -> Mesh:
    """A sofa whose seats look towards +x: two or three seats, sometimes with a chaise longue, with loose cushions."""
    seats = int(rng.integers(2, 4))
    width, depth = seats * rng.uniform(0.58, 0.72), rng.uniform(0.80, 0.95)
    seat, back = rng.uniform(0.38, 0.45), rng.uniform(0.36, 0.50)
    arm, arm_height = rng.uniform(0.12, 0.24), rng.uniform(0.16, 0.26)
    cloth, feet, legs = dye(rng, saturation=(0.15, 0.75)), wood(rng, bare=True), rng.uniform(0.06, 0.14)
    soft: Look = {"colour": cloth, "paint": 1.0, "gloss": 0.04}
    under: Look = {**soft, "colour": darker(cloth, 0.85)}
    base = seat - legs - 0.14
    whole = width + 2 * arm
    parts = [
        box(
            (depth, whole - 0.04, base),
            centre=(0, 0, legs + base / 2),
            bevel=0.02,
            **under,
        )
    ]
    parts.append(
        rounded_box(
            (0.2, whole - 0.02, seat + back - legs - 0.04),
            0.06,
            (-depth / 2 + 0.1, 0, (legs + seat + back - 0.04) / 2),
            **soft,
        )
    )
    rolled = rng.random() < 0.5
    chaise = rng.choice((-1, 1)) if rng.random() < 0.3 else 0
    for k in range(seats):
        y, piece = (k + 0.5) / seats * width - width / 2, width / seats - 0.012
        deep = depth - 0.2
        if chaise and k == (0 if chaise < 0 else seats - 1):
            deep += 0.55
            parts.append(
                box(
                    (0.6, piece + (arm - 0.04) / 2, base),
                    centre=(depth / 2 + 0.25, y + chaise * arm / 4, legs + base / 2),
                    bevel=0.02,
                    **under,
                )
            )
        parts.append(rounded_box((deep, piece, 0.17), 0.055, (-depth / 2 + 0.2 + deep / 2, y, seat - 0.075), **soft))
        pad = rounded_box((0.18, piece - 0.01, back), 0.07, **{**soft, "colour": darker(cloth, 1.06)})
        parts.append(moved(pad, (-depth / 2 + 0.26, y, seat + back / 2 - 0.01), rotation=turn("y", -10)))
    for s in (-1, 1):
        parts.append(_sofa_arm(s * (width + arm) / 2, arm, depth, legs, seat + arm_height, soft, rolled=rolled))
        parts += [
            tube(
                [(x, s * (whole / 2 - 0.09), 0), (x, s * (whole / 2 - 0.09), legs + 0.02)],
                [0.018, 0.028],
                segments=8,
                colour=feet,
            )
            for x in (-depth / 2 + 0.08, depth / 2 - 0.08)
        ]
    for y in rng.choice([-1, 1], int(rng.integers(0, 3)), replace=False):
        pillow = rounded_box((0.12, 0.38, 0.38), 0.06, colour=dye(rng), gloss=0.04)
        parts.append(
            moved(
                pillow,
                (-depth / 2 + 0.42, y * (width / 2 - 0.22), seat + 0.18),
                rotation=turn("z", y * -12.0) @ turn("y", -22),
            )
        )
    return joined(parts)


def _sofa_arm(y: float, thick: float, depth: float, low: float, high: float, soft: Look, *, rolled: bool) -> Mesh:
    """A plain arm, or one with a round roll on top."""
    if not rolled:
        return rounded_box((depth, thick, high - low), min(0.05, thick / 2.2), (0, y, (low + high) / 2), **soft)
    roll = thick * 0.58
    body = box(
        (depth - 0.02, thick * 0.8, high - low - roll), centre=(0, y, (low + high - roll) / 2), bevel=0.01, **soft
    )
    return joined(
        [
            body,
            capsule((-depth / 2 + roll, y, high - roll), (depth / 2 - roll + 0.01, y, high - roll), roll, 14, **soft),
        ]
    )
