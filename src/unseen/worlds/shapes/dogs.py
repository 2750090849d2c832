"""A dog. Proportions and coats are ours, after photographs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.limbs import DARK, SIDES, horn, near
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    cone,
    ellipsoid,
    sphere,
    torus,
    turn,
)
from unseen.worlds.shapes.skins import Colour, blade, blended, body, darker, hsv, middles, patched
from unseen.worlds.shapes.surfaces import Look


def dog(rng: np.random.Generator) -> Mesh:
    """A dog standing: short or long legs, ears up or hanging, plain, saddled or patched, some with a collar."""
    leg, length, girth = rng.uniform(0.22, 0.5), rng.uniform(0.75, 0.95), rng.uniform(0.135, 0.19)
    snout, head = rng.uniform(0.09, 0.18), rng.uniform(0.125, 0.15)
    coat, second, third = _dog_colours(rng)
    back, front, z = -length / 2, length / 2, leg + 0.75 * girth
    hx, hz = front + rng.uniform(0.1, 0.16), z + rng.uniform(0.3, 0.4)
    look: Look = {"colour": coat, "paint": 1.0, "gloss": 0.1}
    trunk = [
        (back, 0, z + 0.03, 0.75 * girth, 0.8 * girth),
        (back / 2, 0, z + 0.04, 0.8 * girth, 0.8 * girth),
        (front / 2, 0, z, girth, 1.1 * girth),
        (front, 0, z + 0.04, 0.75 * girth, 0.95 * girth),
    ]
    throat = [
        (front - 0.1, 0, z + 0.02, 0.13, 0.15),
        (front + 0.03, 0, z + 0.16, 0.1, 0.115),
        (hx - 0.02, 0, hz, 0.085, 0.09),
    ]
    torso = body(trunk, segments=14, rings=12, ends=(0.9, 0.7), **look)
    neck = body(throat, rings=5, segments=10, ends=(0.5, 0), **look)
    parts = [torso, neck, *_dog_head(rng, hx, hz, head, snout, third, look)]
    parts += _dog_ears(rng, hx, hz, head, second)
    for s in SIDES:
        parts += _dog_legs(rng, s, front, back, z, leg, girth, coat, third)
    parts.append(_dog_tail(rng, back, z, girth, second))
    if rng.random() < 0.6:
        collar = torus(
            0.1, 0.02, segments=14, sides=6, colour=dye(rng, saturation=(0.7, 1), value=(0.6, 0.95)), gloss=0.4
        )
        parts.append(moved(collar, (front + 0.045, 0, z + 0.19), scale=(1.1, 1, 1), rotation=turn("y", 35)))
    parts[:3] = _dog_coat(rng, parts[:3], coat, second)
    return upright(joined(parts))


def _dog_head(
    rng: np.random.Generator, hx: float, hz: float, head: float, snout: float, muzzle: Colour, look: Look
) -> list[Mesh]:
    """Skull first, then nose, eyes and perhaps the tongue."""
    rows = [
        (hx - 0.07, 0, hz + 0.03, 0.8 * head, 0.75 * head),
        (hx + 0.03, 0, hz + 0.035, head, 0.9 * head),
        (hx + 0.12, 0, hz - 0.01, 0.62 * head, 0.62 * head),
        (hx + 0.12 + snout, 0, hz - 0.03, 0.45 * head, 0.42 * head),
    ]
    skull = body(rows, segments=12, rings=10, ends=(0.7, 0.7), **look)
    tip = hx + 0.12 + snout + 0.25 * head
    parts = [blended(skull, (skull.vertices[:, 0] - hx - 0.1) / 0.06, muzzle)]
    parts.append(ellipsoid((0.035, 0.042, 0.032), (tip, 0, hz), 8, colour=DARK, gloss=0.7))
    parts += [sphere(0.024, (hx + 0.095, s * 0.6 * head, hz + 0.055), 8, colour=DARK, gloss=0.9) for s in SIDES]
    if rng.random() < 0.5:
        low = hz - 0.4 * head
        tongue = [(tip - 0.08, 0, low - 0.02), (tip + 0.01, 0, low - 0.06), (tip + 0.02, 0, low - 0.15)]
        parts.append(blade(tongue, (0.03, 0.035, 0.02), (0, 1, 0), 0.014, count=5, colour=(0.9, 0.4, 0.45), gloss=0.5))
    return parts


def _dog_colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour]:
    """Coat, ears and tail, muzzle and paws."""
    coat = (
        hsv(rng, (0.05, 0.1), (0.4, 0.75), (0.5, 0.9)),
        hsv(rng, (0.05, 0.1), (0.05, 0.2), (0.85, 0.97)),
        hsv(rng, (0.03, 0.08), (0.1, 0.4), (0.14, 0.3)),
        hsv(rng, (0.55, 0.65), (0.0, 0.1), (0.4, 0.6)),
    )[int(rng.integers(4))]
    second = (coat, darker(coat, 0.55), hsv(rng, (0.04, 0.09), (0.5, 0.75), (0.3, 0.55)))[int(rng.integers(3))]
    third = coat if rng.random() < 0.4 else hsv(rng, (0.07, 0.1), (0.1, 0.35), (0.8, 0.95))
    return coat, second, third


def _dog_coat(rng: np.random.Generator, parts: Sequence[Mesh], coat: Colour, second: Colour) -> list[Mesh]:
    """Plain, a saddle on the back, or blotches over body, neck and head."""
    style = int(rng.integers(3))
    low, high = parts[0].vertices[:, 2].min(), parts[0].vertices[:, 2].max()
    saddle = darker(coat, 0.3) if sum(coat) > 1 else darker(coat, 2.2)
    if style == 1:
        return [
            blended(one, (one.vertices[:, 2] - low - 0.5 * (high - low)) / 0.05 * (k < 2), saddle)
            for k, one in enumerate(parts)
        ]
    if style == 2:
        colour = second if np.abs(np.subtract(second, coat)).sum() > 0.5 else saddle
        seeds, size = rng.uniform((-0.5, -0.25, 0.2), (0.8, 0.25, 1.1), (16, 3)), rng.uniform(0.1, 0.17)
        return [patched(one, near(middles(one), seeds) < size, colour) for one in parts]
    return list(parts)


def _dog_ears(rng: np.random.Generator, hx: float, hz: float, head: float, colour: Colour) -> list[Mesh]:
    if rng.random() < 0.5:
        tall, lean = rng.uniform(0.12, 0.19), rng.uniform(5, 25)
        ear = moved(cone(0.06, tall, segments=10, colour=colour, paint=1.0, gloss=0.1), scale=(0.55, 1, 1))
        return [moved(ear, (hx - 0.02, s * 0.55 * head, hz + 0.09), rotation=turn("x", -s * lean)) for s in SIDES]
    drop = rng.uniform(0.14, 0.24)
    ears = []
    for s in SIDES:
        path = [
            (hx - 0.02, s * 0.6 * head, hz + 0.11),
            (hx - 0.02, s * (head + 0.035), hz + 0.06),
            (hx, s * (head + 0.04), hz + 0.08 - drop),
        ]
        ears.append(blade(path, (0.04, 0.075, 0.035), (1, 0, 0), 0.03, count=6, colour=colour, paint=1.0, gloss=0.1))
    return ears


def _dog_legs(
    rng: np.random.Generator,
    s: int,
    front: float,
    back: float,
    z: float,
    leg: float,
    girth: float,
    coat: Colour,
    foot: Colour,
) -> list[Mesh]:
    y, thick = s * 0.62 * girth, 0.045 + 0.12 * (girth - 0.13)
    step, other = rng.uniform(-0.08, 0.08, 2)
    fore = [
        (front - 0.06, 0.7 * y, z - 0.02, 0.06, 0.09),
        (front - 0.05, y, 0.55 * leg, 1.2 * thick, 1.3 * thick),
        (front - 0.04 + step / 2, y, 0.25 * leg, thick, thick),
        (front - 0.03 + step, y, 0.05, thick, thick),
    ]
    hind = [
        (back + 0.07, 0.7 * y, z, 0.07, 0.13),
        (back + 0.1, y, 0.62 * leg, 1.3 * thick, 1.8 * thick),
        (back + other / 2 - 0.01, y, 0.3 * leg, thick, 1.05 * thick),
        (back + 0.04 + other, y, 0.05, thick, thick),
    ]
    parts = []
    for rows, x in ((fore, front - 0.03 + step), (hind, back + 0.04 + other)):
        limb = body(rows, rings=8, segments=8, ends=(0.8, 0), colour=coat, paint=1.0, gloss=0.1)
        parts.append(blended(limb, (0.35 * leg - limb.vertices[:, 2]) / 0.08, foot))
        parts.append(
            ellipsoid((1.7 * thick, 1.2 * thick, 0.045), (x + 0.035, y, 0.045), 8, colour=foot, paint=1.0, gloss=0.1)
        )
    return parts


def _dog_tail(rng: np.random.Generator, back: float, z: float, girth: float, colour: Colour) -> Mesh:
    top, thick = z + 0.6 * girth, rng.uniform(0.028, 0.05)
    up = [
        (back - 0.06, 0, top),
        (back - 0.2, 0, top + 0.12),
        (back - 0.22, 0, top + 0.28),
        (back - 0.13, 0, top + 0.36),
    ]
    out = [
        (back - 0.06, 0, top),
        (back - 0.2, 0, top + 0.03),
        (back - 0.36, 0, top + 0.02),
        (back - 0.47, 0, top + 0.1),
    ]
    path = np.array(up if rng.random() < 0.6 else out)
    path[1:, 2] *= rng.uniform(0.92, 1.05)
    return horn(path, (1.1 * thick, 1.25 * thick, 1.0 * thick, 0.45 * thick), colour=colour, paint=1.0)
