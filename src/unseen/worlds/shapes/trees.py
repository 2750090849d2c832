"""Trees, which have no front. Shapes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.primitives import (
    cylinder,
    ellipsoid,
    loft,
    sphere,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import Colour, blade, blended, body, darker, hsv, lumpy, spline


def tree(rng: np.random.Generator) -> Mesh:
    """A broad-leaved tree, a conifer, a poplar or a palm; green, or in autumn colours."""
    kind = int(rng.choice(4, p=[0.45, 0.25, 0.1, 0.2]))
    return upright(joined((_broadleaf, _conifer, _poplar, _palm)[kind](rng)))


def _bark(rng: np.random.Generator) -> Colour:
    return hsv(rng, (0.04, 0.09), (0.3, 0.6), (0.25, 0.5))


def _leaves(rng: np.random.Generator) -> Colour:
    if rng.random() < 0.25:
        return hsv(rng, (0.02, 0.13), (0.65, 0.9), (0.7, 0.95))
    return hsv(rng, (0.22, 0.36), (0.45, 0.8), (0.4, 0.75))


def _trunk(high: float, radius: float, lean: np.ndarray, bark: Colour) -> Mesh:
    rows = [
        (0, 0, 0, 1.7 * radius, 1.7 * radius),
        (0, 0, 0.15 * high, 1.05 * radius, 1.05 * radius),
        (0.5 * lean[0], 0.5 * lean[1], 0.6 * high, 0.8 * radius, 0.8 * radius),
        (lean[0], lean[1], high, 0.5 * radius, 0.5 * radius),
    ]
    return body(rows, rings=8, segments=10, ends=(0, 0.3), colour=bark, gloss=0.05)


def _broadleaf(rng: np.random.Generator) -> list[Mesh]:
    """A trunk that forks into a crown of leafy clumps, lighter on top."""
    bark, leaf = _bark(rng), _leaves(rng)
    high, wide, tall = rng.uniform(0.55, 0.85), rng.uniform(0.32, 0.5), rng.uniform(0.28, 0.45)
    lean = rng.uniform(-0.06, 0.06, 2)
    parts = [_trunk(high, rng.uniform(0.05, 0.075), lean, bark)]
    count, middle = int(rng.integers(6, 10)), np.array([*lean, high + 0.6 * tall])
    start = rng.uniform(0, 2 * np.pi)
    for k in range(count):
        angle, up = start + 2.4 * k, (k + 0.5) / count * 1.7 - 0.75  # golden-angle spiral over an ellipsoid
        flat = np.sqrt(max(1 - up * up, 0))
        at = middle + np.array([np.cos(angle) * flat * wide, np.sin(angle) * flat * wide, up * tall]) * 0.72
        size = rng.uniform(0.19, 0.27) * (1.1 if k % 2 else 0.95)
        clump = ellipsoid(
            (size, size, 0.82 * size), at, 14, colour=darker(leaf, rng.uniform(0.85, 1.12)), paint=1.0, gloss=0.05
        )
        parts.append(lumpy(clump, rng, 0.045, 0.24))
        if k < 5:
            fork = np.array([0.7 * lean[0], 0.7 * lean[1], 0.72 * high])
            parts.append(
                tube(
                    spline([fork, 0.5 * (fork + at) + (0, 0, -0.04), at], 4),
                    (0.035, 0.03, 0.024, 0.015),
                    segments=6,
                    colour=bark,
                    gloss=0.05,
                )
            )
    parts.append(
        lumpy(
            ellipsoid(
                (0.6 * wide, 0.6 * wide, 0.75 * tall), middle, 12, colour=darker(leaf, 0.85), paint=1.0, gloss=0.05
            ),
            rng,
            0.05,
            0.2,
        )
    )
    return [
        blended(p, (middle[2] - p.vertices[:, 2]) / (2 * tall) * (p.paint > 0.5), darker(leaf, 0.55)) for p in parts
    ]


def _conifer(rng: np.random.Generator) -> list[Mesh]:
    """Tiers of drooping branches, each smaller than the one below; some under snow."""
    leaf, tiers = hsv(rng, (0.3, 0.45), (0.4, 0.75), (0.28, 0.5)), int(rng.integers(4, 8))
    wide, high, snow = rng.uniform(0.26, 0.4), rng.uniform(1.1, 1.4), rng.random() < 0.25
    parts = [cylinder(0.055, 0.3, segments=10, colour=_bark(rng), gloss=0.05)]
    points = int(rng.integers(9, 13))
    for k in range(tiers):
        share = k / tiers
        low, radius = 0.18 + share * (high - 0.25), wide * (1 - 0.82 * share)
        rise = 1.75 * (high - 0.2) / tiers * (1 - 0.25 * share)
        angle = np.arange(2 * points) * np.pi / points + rng.uniform(0, 1)
        edge = np.where(np.arange(2 * points) % 2, 0.8, 1.0) * rng.uniform(0.93, 1.05, 2 * points)
        ring = np.stack([np.cos(angle) * edge, np.sin(angle) * edge, -0.12 * (edge - 0.8)], -1)
        sections = np.stack(
            [
                ring * (f * radius, f * radius, 1) + (0, 0, low + h * rise)
                for f, h in ((0.15, 0.1), (1.0, 0.0), (0.55, 0.36), (0.02, 1.0))
            ]
        )
        tier = loft(sections, colour=darker(leaf, 0.85 + 0.3 * share), paint=1.0, gloss=0.05)
        parts.append(
            blended(tier, (tier.vertices[:, 2] - low - 0.2 * rise) / (0.3 * rise), (0.96, 0.97, 1.0)) if snow else tier
        )
    return parts


def _poplar(rng: np.random.Generator) -> list[Mesh]:
    """One tall narrow crown."""
    high, wide, leaf = rng.uniform(1.1, 1.4), rng.uniform(0.15, 0.22), hsv(rng, (0.24, 0.36), (0.45, 0.75), (0.35, 0.6))
    rows = [
        (0, 0, 0.2, 0.4 * wide, 0.4 * wide),
        (0, 0, 0.45, wide, wide),
        (0, 0, 0.75 * high, 0.75 * wide, 0.75 * wide),
        (0, 0, high, 0.03, 0.03),
    ]
    crown = lumpy(body(rows, rings=16, segments=16, colour=leaf, paint=1.0, gloss=0.05), rng, 0.06, 0.16)
    return [
        _trunk(0.5, 0.05, np.zeros(2), _bark(rng)),
        blended(crown, (0.6 - crown.vertices[:, 2]) / 0.8, darker(leaf, 0.55)),
    ]


def _palm(rng: np.random.Generator) -> list[Mesh]:
    """A slender bent trunk with rings and a head of arching fronds."""
    high, bend = rng.uniform(0.85, 1.2), rng.uniform(0.05, 0.35)
    bark, leaf = hsv(rng, (0.07, 0.1), (0.3, 0.5), (0.45, 0.65)), hsv(rng, (0.2, 0.35), (0.55, 0.85), (0.4, 0.7))
    path = spline([(0, 0, 0), (0.15 * bend, 0, 0.4 * high), (0.55 * bend, 0, 0.75 * high), (bend, 0, high)], 17)
    radii = np.linspace(0.065, 0.04, 17) * np.where(np.arange(17) % 2, 0.86, 1.1)
    parts = [tube(path, radii, segments=10, colour=bark, gloss=0.05)]
    top, count = path[-1], int(rng.integers(9, 14))
    for k in range(count):
        angle, length, rise = 360 * k / count + rng.uniform(-8, 8), rng.uniform(0.5, 0.65), rng.uniform(0.08, 0.26)
        arch = [
            (0, 0, 0),
            (0.35 * length, 0, rise),
            (0.75 * length, 0, rise - 0.08),
            (length, 0, rise - rng.uniform(0.28, 0.42)),
        ]
        frond = blade(
            arch,
            (0.025, 0.085, 0.07, 0.01),
            (0, 1, 0),
            0.012,
            fold=-0.45,
            count=8,
            columns=3,
            colour=darker(leaf, rng.uniform(0.85, 1.15)),
            paint=1.0,
        )
        parts.append(moved(frond, top, rotation=turn("z", angle)))
    nuts = [
        sphere(0.045, top + turn("z", 90 * k) @ [0.055, 0, -0.045], 8, colour=(0.4, 0.26, 0.14))
        for k in range(int(rng.integers(0, 5)))
    ]
    return parts + nuts
