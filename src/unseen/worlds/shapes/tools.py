"""Things held in a hand: hammer, scissors, umbrella. They stand upright, as in a drawing. Shapes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import box, cylinder, extrude, lathe, loft, torus, tube, turn
from unseen.worlds.shapes.skins import Colour, body, darker, hsv, middles, patched, spline

STEEL: Colour = (0.66, 0.68, 0.71)
SIDES = (1, -1)


def hammer(rng: np.random.Generator) -> Mesh:
    """A hammer: claw, ball, sledge or mallet. It stands on the end of its handle and strikes towards +x."""
    length, kind = rng.uniform(0.75, 1.0), int(rng.choice(4, p=[0.5, 0.15, 0.2, 0.15]))
    wood = hsv(rng, (0.06, 0.1), (0.4, 0.65), (0.6, 0.85))
    grip = wood if rng.random() < 0.45 else dye(rng, saturation=(0.5, 0.95), value=(0.35, 0.9))
    steel = darker(STEEL, rng.uniform(0.6, 1.1))
    rows = [
        (0, 0, 0, 0.05, 0.062),
        (0, 0, 0.2 * length, 0.042, 0.056),
        (0, 0, 0.45 * length, 0.036, 0.044),
        (0, 0, 0.75 * length, 0.028, 0.036),
        (0, 0, length, 0.032, 0.042),
    ]
    handle = body(
        rows, rings=14, segments=12, ends=(0, 0), square=2.5, colour=wood, paint=float(grip == wood), gloss=0.3
    )
    parts = [patched(handle, middles(handle)[:, 2] < 0.42 * length, grip, paint=1.0)]
    if grip != wood:
        parts += [
            torus(0.046, 0.01, (0, 0, 0.06 * length * k + 0.06), segments=12, sides=5, colour=darker(grip, 0.6))
            for k in range(4)
        ]
    head = (_claw, _ball, _sledge, _mallet)[kind](rng, steel, wood)
    return upright(joined([*parts, *(moved(p, (0, 0, length - 0.03)) for p in head)]))


def _faced(profile: list[tuple[float, float]], steel: Colour, segments: int = 16) -> Mesh:
    """A round part of the head, its axis along x."""
    return moved(lathe(profile, segments=segments, colour=steel, gloss=0.8), rotation=turn("y", 90))


def _claw(rng: np.random.Generator, steel: Colour, _: Colour) -> list[Mesh]:
    size, droop = rng.uniform(0.9, 1.15), rng.uniform(0.08, 0.18)
    parts = [box((0.12, 0.09, 0.13), bevel=0.015, colour=steel, gloss=0.8)]
    parts.append(
        _faced(
            [(0.045, 0.03), (0.045, 0.11 * size), (0.068, 0.14 * size), (0.07, 0.2 * size), (0.06, 0.215 * size)], steel
        )
    )
    for s in SIDES:
        rows = [
            (-0.03, s * 0.022, 0.0, 0.022, 0.06),
            (-0.14 * size, s * 0.03, 0.008, 0.022, 0.042),
            (-0.24 * size, s * 0.038, -0.25 * droop, 0.018, 0.026),
            (-0.33 * size, s * 0.042, -droop, 0.012, 0.01),
        ]
        parts.append(body(rows, rings=9, segments=10, ends=(0, 0.4), square=3.0, colour=steel, gloss=0.8))
    return parts


def _ball(rng: np.random.Generator, steel: Colour, _: Colour) -> list[Mesh]:
    r = rng.uniform(0.06, 0.075)
    profile = [
        (0.0, -0.24),
        (0.5 * r, -0.23),
        (0.85 * r, -0.2),
        (r, -0.165),
        (0.85 * r, -0.125),
        (0.6 * r, -0.1),
        (0.8 * r, -0.05),
        (0.8 * r, 0.05),
        (0.62 * r, 0.09),
        (r, 0.13),
        (r, 0.21),
        (0.85 * r, 0.23),
    ]
    return [_faced(profile, steel, 18), box((0.1, 0.1, 0.11), bevel=0.02, colour=steel, gloss=0.8)]


def _sledge(rng: np.random.Generator, steel: Colour, _: Colour) -> list[Mesh]:
    half, r = rng.uniform(0.2, 0.26), rng.uniform(0.09, 0.115)
    profile = [
        (0.75 * r, -half),
        (r, -half + 0.04),
        (r, -0.3 * half),
        (0.86 * r, -0.2 * half),
        (0.86 * r, 0.2 * half),
        (r, 0.3 * half),
        (r, half - 0.04),
        (0.75 * r, half),
    ]
    angle = np.deg2rad(np.arange(8) * 45 + 22.5)
    sections = [[(x, rad * np.cos(a), rad * np.sin(a)) for a in angle] for rad, x in profile]
    return [
        loft(sections, smooth=False, colour=steel, gloss=0.7),
        box((0.06, 0.07, 0.02), centre=(0, 0, 0.8 * r), colour=darker(steel, 0.5)),
    ]


def _mallet(rng: np.random.Generator, steel: Colour, wood: Colour) -> list[Mesh]:
    """A thick round head of wood or rubber."""
    colour = darker(wood, 0.8) if rng.random() < 0.5 else dye(rng, saturation=(0.0, 0.8), value=(0.15, 0.7))
    half, r = rng.uniform(0.17, 0.22), rng.uniform(0.12, 0.15)
    parts = [
        lathe(
            [(0.9 * r, -half), (r, -half + 0.025), (r, half - 0.025), (0.9 * r, half)],
            segments=20,
            colour=colour,
            paint=1.0,
            gloss=0.25,
        )
    ]
    parts += [
        cylinder(1.02 * r, 0.03, base=(0, 0, s * 0.6 * half - 0.015), segments=20, colour=darker(steel, 0.8), gloss=0.6)
        for s in SIDES
    ]
    return [moved(p, (0, 0, 0.3 * r), rotation=turn("y", 90)) for p in parts]


def scissors(rng: np.random.Generator) -> Mesh:
    """Open scissors standing on their rings, points up, leaning back a little; their flat side faces +x."""
    colour, steel = dye(rng, saturation=(0.5, 0.95), value=(0.45, 0.92)), darker(STEEL, rng.uniform(0.95, 1.25))
    blade, spread, ring = rng.uniform(0.45, 0.62), rng.uniform(13, 24), rng.uniform(0.09, 0.12)
    second = colour if rng.random() < 0.7 else dye(rng, saturation=(0.5, 0.9), value=(0.5, 0.9))
    parts = [
        moved(
            cylinder(0.035, 0.09, base=(0, 0, -0.045), segments=12, colour=darker(steel, 0.7), gloss=0.8),
            rotation=turn("y", 90),
        )
    ]
    for s in SIDES:
        half = [
            *_scissor_blade(blade, s, steel),
            *_scissor_handle(ring, s, spread, colour if s > 0 else second, rng.uniform(0.9, 1.25)),
        ]
        parts += [moved(p, rotation=turn("x", s * spread)) for p in half]
    lean = turn("y", -rng.uniform(10, 20))
    return upright(moved(joined(parts), rotation=lean))


def _scissor_blade(length: float, s: int, steel: Colour) -> list[Mesh]:
    """One blade in front (s > 0) or behind; its cutting edge is the straight inner side."""
    outline = np.array(
        [
            (-0.045, -0.12),
            (0.04, -0.12),
            (0.055, 0.0),
            (0.05, 0.3 * length),
            (0.035, 0.75 * length),
            (-0.02, length),
            (-0.035, length),
            (-0.045, 0.3 * length),
        ]
    )
    one = extrude(outline * (-s, 1), 0.026, axis="x", bevel=0.008, colour=steel, gloss=0.85)
    return [moved(one, (s * 0.015, 0, 0))]


def _scissor_handle(ring: float, s: int, spread: float, colour: Colour, stretch: float) -> list[Mesh]:
    """A shank that bends outward into an oval ring; after spreading, the rings lie side by side."""
    deep = 0.26 + ring * stretch
    out = s * max(0.0, 0.92 * ring + 0.035 - deep * np.sin(np.deg2rad(spread)))
    centre = np.array([0, out, -deep])
    look = {"colour": colour, "paint": 1.0, "gloss": 0.5}
    shank = tube(
        spline([(s * 0.015, 0, -0.08), (s * 0.012, 0.15 * out, -0.17), (0, 0.7 * out, -0.27)], 6),
        (0.04, 0.04, 0.038, 0.036, 0.034, 0.03),
        segments=10,
        **look,
    )
    oval = moved(torus(ring, 0.027, axis="x", segments=24, sides=8, **look), centre, scale=(1, 0.92, stretch))
    return [shank, oval]


def umbrella(rng: np.random.Generator) -> Mesh:
    """An open umbrella standing on its handle, a little askew; panels plain, in two colours, or with a border."""
    panels, depth = int(rng.integers(6, 11)), rng.uniform(0.26, 0.42)
    colour, other = (
        dye(rng, saturation=(0.5, 0.95), value=(0.55, 0.95)),
        dye(rng, saturation=(0.0, 0.9), value=(0.75, 1.0)),
    )
    parts = [_canopy(rng, panels, depth, colour, other)]
    dark, high = hsv(rng, (0.04, 0.1), (0.2, 0.7), (0.12, 0.5)), 0.62
    low = -rng.uniform(0.2, 0.32)
    parts += [
        tube([(0, 0, low), (0, 0, high + 0.1)], (0.014, 0.012), segments=8, colour=STEEL, gloss=0.7),
        cylinder(0.014, 0.1, base=(0, 0, high - 0.01), top_radius=0.006, segments=8, colour=dark),
    ]
    for k in range(panels):
        way = turn("z", 360 * k / panels) @ [1, 0, 0]
        parts.append(
            tube([way * 0.26 + (0, 0, high - 0.06 - 0.3 * depth), (0, 0, high - 0.3)], 0.005, segments=3, colour=STEEL)
        )
    if rng.random() < 0.75:
        arc = np.deg2rad(np.linspace(180, 370, 10))
        hook = [
            (0, 0, low + 0.16),
            (0, 0, low + 0.02),
            *((0.075 + 0.075 * np.cos(a), 0, low + 0.075 * np.sin(a)) for a in arc),
        ]
        parts.append(tube(hook, 0.024, segments=8, colour=dark, gloss=0.5))
    else:
        parts.append(
            moved(
                lathe(
                    [(0, 0), (0.035, 0.005), (0.04, 0.06), (0.028, 0.18), (0.02, 0.2), (0, 0.2)],
                    segments=12,
                    colour=dark,
                    gloss=0.5,
                ),
                (0, 0, low - 0.05),
            )
        )
    askew = turn("z", rng.uniform(0, 360)) @ turn("y", rng.uniform(0, 14))
    return upright(moved(joined(parts), rotation=askew))


def _canopy(rng: np.random.Generator, panels: int, depth: float, colour: Colour, other: Colour) -> Mesh:
    """A closed shell: down the outside and up the inside, hollowed between the ribs and scalloped at the rim."""
    fine = 4 if panels < 9 else 3
    angle = np.arange(panels * fine) * 2 * np.pi / (panels * fine)
    between = np.sin(np.pi * (np.arange(panels * fine) % fine) / fine)
    radii = np.array([0.01, 0.14, 0.28, 0.4, 0.49, 0.54])

    def ring(radius: float, inward: float) -> np.ndarray:
        share = radius / 0.54
        r = radius * (1 - 0.075 * between * share**2) * (1 - inward)
        z = 0.62 - depth * share**2.2 - 0.03 * between * share - 0.018 * (inward > 0)
        return np.stack([np.cos(angle) * r, np.sin(angle) * r, np.broadcast_to(z, angle.shape)], 1)

    sections = [ring(r, 0) for r in radii] + [ring(r, 0.012) for r in radii[::-1]]
    shell = loft(sections, colour=colour, paint=1.0, gloss=0.25)
    m, style = middles(shell), int(rng.integers(3))
    panel = np.floor(np.arctan2(m[:, 1], m[:, 0]) % (2 * np.pi) / (2 * np.pi) * panels).astype(int)
    if style == 1 and panels % 2 == 0:
        shell = patched(shell, panel % 2 == 1, other)
    elif style == 2:
        rim = np.hypot(*shell.vertices[shell.faces][..., :2].T).max(0)  # of a face's corners: quads are not cut in two
        shell = patched(shell, rim > 0.43, other)
    return shell
