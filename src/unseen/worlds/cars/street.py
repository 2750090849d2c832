"""Things of the street in metres, standing on z = 0: furniture and people. All shapes are ours.

They stand around and before the cars, so they are coarse: one to four hundred faces. ``paint`` marks what takes the
scene's tint (a coat, a bin), so that one mesh serves in many colours.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import arc, box, cylinder, ellipsoid, lathe, sphere, tube, turn

STEEL, DARK, WOOD = (0.45, 0.47, 0.48), (0.12, 0.13, 0.14), (0.45, 0.31, 0.20)
SKIN = ((0.95, 0.78, 0.66), (0.87, 0.67, 0.52), (0.68, 0.47, 0.34), (0.45, 0.30, 0.21), (0.30, 0.20, 0.15))
CLOTH = ((0.13, 0.16, 0.28), (0.10, 0.10, 0.11), (0.45, 0.42, 0.36), (0.30, 0.34, 0.40), (0.55, 0.50, 0.42))


def lamp_post(rng: np.random.Generator) -> Mesh:
    """A pole with an arm that hangs over the street."""
    tall = rng.uniform(4.2, 5.2)
    bow = arc((0.6, tall - 0.6), (0.6, 0.6), 180, 90, 4)
    path = [(0, 0, 0), (0, 0, tall - 0.6), *((0, y, z) for y, z in bow[1:]), (0, 1.1, tall)]
    pole = tube(path, np.linspace(0.07, 0.04, len(path)), segments=8, colour=STEEL, gloss=0.3)
    foot = cylinder(0.12, 0.5, segments=8, colour=DARK)
    head = box((0.22, 0.6, 0.1), centre=(0, 1.3, tall), colour=(0.85, 0.85, 0.8))
    return joined([pole, foot, head])


def bench(rng: np.random.Generator) -> Mesh:
    """Slats on two iron sides."""
    long = rng.uniform(1.5, 1.9)
    pieces = [box((0.12, long, 0.04), centre=(-0.16 + 0.15 * k, 0, 0.45), colour=WOOD) for k in range(3)]
    pieces += [box((0.04, long, 0.13), centre=(-0.28 - 0.03 * k, 0, 0.62 + 0.2 * k), colour=WOOD) for k in range(2)]
    for y in (-long / 2 + 0.15, long / 2 - 0.15):
        pieces.append(box((0.5, 0.05, 0.06), centre=(-0.05, y, 0.40), colour=DARK))
        pieces.append(box((0.06, 0.05, 0.42), centre=(0.15, y, 0.21), colour=DARK))
        pieces.append(moved(box((0.06, 0.05, 0.95), colour=DARK), (-0.28, y, 0.47), rotation=turn("y", -5)))
    return _grounded(joined(pieces))


def bin_(rng: np.random.Generator) -> Mesh:
    """A round litter bin with a lid, or a wheeled one."""
    if rng.random() < 0.5:
        body = cylinder(0.24, 0.8, base=(0, 0, 0.06), top_radius=0.27, segments=10, paint=1.0, colour=(0.8, 0.8, 0.8))
        lid = lathe([(0.29, 0.86), (0.29, 0.92), (0.18, 1.0), (0.0, 1.02)], segments=10, colour=DARK)
        return joined([body, lid, cylinder(0.2, 0.06, segments=8, colour=DARK)])
    body = moved(cylinder(0.36, 0.95, top_radius=0.45, segments=4, colour=(0.7, 0.7, 0.7), paint=1.0), (0, 0, 0.08),
                 rotation=turn("z", 45))  # fmt: skip
    lid = box((0.7, 0.7, 0.08), centre=(0.02, 0, 1.06), bevel=0.03, colour=(0.6, 0.6, 0.6), paint=1.0)
    feet = [
        moved(cylinder(0.1, 0.08, segments=8, colour=DARK), (-0.22, y, 0.1), rotation=turn("x", 90))
        for y in (-0.2, 0.28)
    ]
    return joined([body, lid, *feet])


def hydrant(rng: np.random.Generator) -> Mesh:
    profile = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.06), (0.13, 0.09), (0.13, 0.52), (0.17, 0.55), (0.17, 0.6), (0.13, 0.63),
               (0.09, 0.76), (0.04, 0.8), (0.04, 0.86), (0.0, 0.86)]  # fmt: skip
    look = {"colour": (0.85, 0.85, 0.85), "paint": 1.0, "gloss": 0.4}
    spouts = moved(cylinder(0.07, 0.44, segments=8, **look), (0, 0.22, 0.42), rotation=turn("x", 90))
    return joined([lathe(profile, segments=10, **look), spouts])


def post_box(rng: np.random.Generator) -> Mesh:
    """A pillar box: the paint is its own, red or yellow or blue."""
    colour = ((0.72, 0.08, 0.08), (0.95, 0.78, 0.10), (0.10, 0.22, 0.55))[int(rng.integers(3))]
    profile = [
        (0.0, 0.0),
        (0.27, 0.0),
        (0.27, 0.15),
        (0.24, 0.18),
        (0.24, 1.3),
        (0.29, 1.34),
        (0.29, 1.42),
        (0.0, 1.56),
    ]
    slot = box((0.06, 0.26, 0.05), centre=(0.235, 0, 1.15), colour=DARK)
    return joined([lathe(profile, segments=12, colour=colour, gloss=0.5), slot])


def bollards(rng: np.random.Generator) -> Mesh:
    """Two to four posts in a row."""
    n, step = int(rng.integers(2, 5)), rng.uniform(0.9, 1.3)
    profile = [(0.0, 0.0), (0.1, 0.0), (0.085, 0.8), (0.1, 0.83), (0.1, 0.9), (0.0, 0.95)]
    one = joined([lathe(profile, segments=8, colour=DARK, gloss=0.3),
                  cylinder(0.094, 0.08, base=(0, 0, 0.66), segments=8, colour=(0.9, 0.9, 0.85))])  # fmt: skip
    return joined([moved(one, (0, step * (k - (n - 1) / 2), 0)) for k in range(n)])


def traffic_light(rng: np.random.Generator) -> Mesh:
    tall, lit = rng.uniform(2.9, 3.4), int(rng.integers(3))
    pieces = [cylinder(0.06, tall, segments=8, colour=STEEL), box((0.2, 0.3, 0.85), centre=(0.1, 0, tall), colour=DARK)]
    for k, colour in enumerate(((0.9, 0.1, 0.1), (0.95, 0.65, 0.1), (0.1, 0.8, 0.3))):
        shade = np.asarray(colour) * (1.0 if k == lit else 0.3)
        lamp = moved(
            cylinder(0.1, 0.03, segments=8, colour=shade, gloss=0.8),
            (0.2, 0, tall + 0.27 * (1 - k)),
            rotation=turn("y", 90),
        )
        pieces.append(lamp)
    return joined(pieces)


def sign(rng: np.random.Generator) -> Mesh:
    """A round, square or triangular sign on a pole, looking along +x."""
    tall, sides = rng.uniform(2.1, 2.6), int(rng.choice([3, 4, 12]))
    front = ((0.15, 0.3, 0.7), (0.92, 0.92, 0.9), (0.95, 0.8, 0.15))[int(rng.integers(3))]
    level = turn("z", 180 if sides == 3 else 45 if sides == 4 else 0)
    rim = moved(cylinder(0.36, 0.02, segments=sides, colour=(0.75, 0.1, 0.1)), rotation=level)
    face = moved(cylinder(0.28, 0.01, base=(0, 0, 0.02), segments=sides, colour=front), rotation=level)
    shown = moved(joined([rim, face]), (0.05, 0, tall), rotation=turn("y", 90))
    return joined([cylinder(0.035, tall + 0.2, segments=6, colour=STEEL), shown])


def crates(rng: np.random.Generator) -> Mesh:
    """Boxes left at the kerb."""
    tones, pieces = ((0.62, 0.47, 0.31), (0.55, 0.40, 0.26), (0.70, 0.68, 0.62)), []
    for k in range(int(rng.integers(2, 4))):
        size = rng.uniform(0.35, 0.65, 3)
        made = box(size, centre=(0, 0, size[2] / 2), bevel=0.01, colour=tones[int(rng.integers(3))])
        pieces.append(
            moved(made, (rng.uniform(-0.2, 0.2), (k - 1) * 0.62, 0), rotation=turn("z", rng.uniform(-25, 25)))
        )
    return joined(pieces)


def pedestrian(rng: np.random.Generator) -> Mesh:
    """A person who stands or walks along +x: jointed limbs, a coat that takes the tint, perhaps a bag."""
    tall, stride = rng.uniform(1.55, 1.88), rng.uniform(-1, 1) * float(rng.choice([4.0, 26.0]))
    skin, cloth = SKIN[int(rng.integers(len(SKIN)))], CLOTH[int(rng.integers(len(CLOTH)))]
    hair = ((0.08, 0.06, 0.05), (0.28, 0.17, 0.09), (0.65, 0.5, 0.28), (0.5, 0.5, 0.5))[int(rng.integers(4))]
    coat = {"colour": (0.9, 0.9, 0.9), "paint": 1.0, "gloss": 0.05}
    hip, shoulder, wide = 0.50 * tall, 0.81 * tall, 0.105 * tall * rng.uniform(0.9, 1.15)
    pieces = []
    for side in (-1, 1):
        swing, bend = np.deg2rad(stride * side), np.deg2rad(max(0.0, -stride * side) * 0.8)
        knee = np.array([np.sin(swing) * 0.25 * tall, side * 0.055 * tall, hip - np.cos(swing) * 0.25 * tall])
        foot = knee + 0.23 * tall * np.array([np.sin(swing - bend), 0, -np.cos(swing - bend)])
        path = [(0, side * 0.05 * tall, hip + 0.02), knee, foot]
        pieces.append(tube(path, [0.055 * tall, 0.042 * tall, 0.03 * tall], segments=7, colour=cloth))
        pieces.append(
            box((0.15 * tall, 0.055 * tall, 0.045 * tall), centre=foot + (0.035 * tall, 0, -0.005), colour=DARK)
        )
        swing, lift = np.deg2rad(-stride * side * 0.9), np.deg2rad(rng.uniform(5, 35))
        start = np.array([0, side * (wide + 0.015 * tall), shoulder - 0.01])
        elbow = start + 0.17 * tall * np.array([np.sin(swing), side * 0.15, -np.cos(swing)])
        hand = elbow + 0.16 * tall * np.array([np.sin(swing + lift), 0, -np.cos(swing + lift)])
        pieces.append(tube([start, elbow, hand], [0.034 * tall, 0.03 * tall, 0.024 * tall], segments=6, **coat))
        pieces.append(sphere(0.026 * tall, hand, 6, colour=skin))
    length = float(rng.choice([0.0, 0.0, 0.16])) * tall  # a long coat
    rings = [
        (hip - 0.04 - length, 0.9 + length),
        (hip + 0.1, 0.85),
        (shoulder - 0.08, 1.05),
        (shoulder, 0.95),
        (shoulder + 0.05, 0.3),
    ]
    pieces.append(moved(lathe([(w * wide, z) for z, w in rings], segments=9, **coat), scale=(0.68, 1, 1)))
    pieces.append(cylinder(0.03 * tall, 0.07 * tall, base=(0, 0, shoulder + 0.02), segments=6, colour=skin))
    pieces.append(ellipsoid((0.058 * tall, 0.05 * tall, 0.07 * tall), (0.01, 0, 0.93 * tall), 8, colour=skin))
    pieces.append(ellipsoid((0.06 * tall, 0.056 * tall, 0.06 * tall), (-0.012, 0, 0.95 * tall), 8, colour=hair))
    if rng.random() < 0.4:
        pieces.append(box((0.16, 0.28, 0.34), centre=(-0.19, 0, shoulder - 0.2), bevel=0.03, colour=cloth))
    return _grounded(joined(pieces))


def _grounded(one: Mesh) -> Mesh:
    return moved(one, (0, 0, -float(one.vertices[:, 2].min())))


FURNITURE: dict[str, Callable[[np.random.Generator], Mesh]] = {
    "lamp post": lamp_post, "bench": bench, "bin": bin_, "hydrant": hydrant, "post box": post_box,
    "bollards": bollards, "traffic light": traffic_light, "sign": sign, "crates": crates,
}  # fmt: skip
