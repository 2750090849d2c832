"""A fish. Shapes are ours, after photographs."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, upright
from unseen.worlds.shapes.limbs import DARK, SIDES
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    ellipsoid,
)
from unseen.worlds.shapes.skins import Colour, blade, blended, body, darker, middles, patched, sheet, spline
from unseen.worlds.shapes.surfaces import Points


def fish(rng: np.random.Generator) -> Mesh:
    """A fish swimming: slim or tall, plain, banded or two-coloured. Its lowest fin touches the ground."""
    tall, thick, banded = rng.uniform(0.17, 0.36), rng.uniform(0.08, 0.12), rng.random() < 0.5
    scale = dye(rng, saturation=(0.35, 0.9), value=(0.65, 0.97))
    other = (0.97, 0.95, 0.92) if rng.random() < 0.6 else dye(rng, saturation=(0.5, 0.9), value=(0.2, 0.9))
    fin = darker(scale, rng.uniform(0.55, 0.9))
    trunk = body(
        [
            (-0.5, 0, 0, 0.02, 0.055),
            (-0.32, 0, 0, 0.45 * thick, 0.45 * tall),
            (0, 0, 0, thick, tall),
            (0.28, 0, 0, thick, 0.8 * tall),
            (0.46, 0, -0.01, 0.5 * thick, 0.35 * tall),
        ],
        segments=16,
        rings=26,
        ends=(0, 0.7),
        colour=scale,
        paint=1.0,
        gloss=0.5,
    )
    if banded:
        bands, m = int(rng.integers(2, 6)), middles(trunk)
        trunk = patched(trunk, np.sin((m[:, 0] + 0.5) * bands * 2 * np.pi + 1) > 0.45, other)
    else:
        trunk = blended(trunk, -trunk.vertices[:, 2] / (0.5 * tall), (0.95, 0.95, 0.92))
        trunk = blended(trunk, trunk.vertices[:, 2] / (0.5 * tall) - 0.6, darker(scale, 0.5))
    parts = [trunk, *_fins(rng, tall, fin)]
    for s in SIDES:
        grid = np.array([(0.16, 0.9 * thick, -0.05), (0.05, thick + 0.07, -0.06), (-0.06, thick + 0.11, -0.1)])
        parts.append(
            blade(grid * (1, s, 1), (0.025, 0.07, 0.09), (0.2, 0, 1), 0.014, count=6, colour=fin, paint=1.0, gloss=0.3)
        )
        at = np.array([0.36, s * 0.78 * thick, 0.14 * tall + 0.03])
        parts += [
            ellipsoid((0.052, 0.03, 0.052), at, 10, colour=(0.96, 0.96, 0.92), gloss=0.6),
            ellipsoid((0.03, 0.022, 0.03), at + (0.006, s * 0.016, 0), 8, colour=DARK, gloss=0.9),
        ]
    parts.append(
        ellipsoid(
            (0.05, 0.6 * thick, 0.012), (0.44 + 0.1 * tall, 0, -0.25 * tall), 8, colour=darker(scale, 0.25), gloss=0.5
        )
    )
    return upright(joined(parts))


def _fins(rng: np.random.Generator, tall: float, colour: Colour) -> list[Mesh]:
    """Tail, back and belly, as curves of (x, z)."""
    spread, fork, crest = rng.uniform(0.2, 0.34), rng.uniform(0.0, 0.14), rng.uniform(0.12, 0.24)
    tail = np.array([(-0.46, 0.03), (-0.62, 0.45 * spread), (-0.8, spread)])
    back = [(0.22, 0.75 * tall), (0.0, tall), (-0.3, 0.4 * tall)]
    ridge = [(0.1, 0.9 * tall + crest), (-0.15, 0.95 * tall + 0.9 * crest), (-0.42, 0.45 * tall + 0.5 * crest)]
    belly = [(0.02, -0.95 * tall), (-0.1, -0.85 * tall), (-0.3, -0.42 * tall)]
    keel = [(-0.1, -0.9 * tall - 0.7 * crest), (-0.22, -0.75 * tall - 0.6 * crest), (-0.4, -0.5 * tall - 0.3 * crest)]
    pairs = ((tail, tail * (1, -1), fork), (back, ridge, 0.0), (belly, keel, 0.0))
    return [_fin(near, far, notch, colour) for near, far, notch in pairs]


def _fin(near: Points, far: Points, notch: float, colour: Colour) -> Mesh:
    """A fin in the middle plane between two curves of (x, z); ``notch`` pulls its middle forwards, as in a tail."""
    a, b = spline(near, 7), spline(far, 7)
    t = np.linspace(0, 1, 7)[:, None]
    flat = a[:, None] * (1 - t) + b[:, None] * t
    flat[..., 0] += notch * (np.sin(np.pi * t[:, 0]) * np.linspace(0, 1, 7)[:, None])
    grid = np.stack([flat[..., 0], np.zeros(flat.shape[:2]), flat[..., 1]], -1)
    return sheet(grid, 0.016, colour=colour, paint=1.0, gloss=0.3)
