"""Vessels: mug, bottle, teapot, wine glass. Lengths in tenths of a metre until ``upright``; shapes and sizes are ours.

Nothing is transparent: glass is drawn in the colour that it and what is in it have together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.materials import Colour, darker, dye, pale
from unseen.worlds.shapes.primitives import Look, arc, cylinder, ellipsoid, lathe, sphere, torus, tube, turn

DRINKS: tuple[Colour, ...] = ((0.22, 0.12, 0.06), (0.52, 0.34, 0.20), (0.62, 0.30, 0.08), (0.82, 0.74, 0.62))


def mug(rng: np.random.Generator) -> Mesh:
    """A mug with its handle at +y, filled or empty, plain, banded, dipped or dotted."""
    height, radius, wall = rng.uniform(0.85, 1.15), rng.uniform(0.38, 0.47), 0.035
    foot, belly = radius * rng.uniform(0.72, 1.0), radius * rng.uniform(0.98, 1.12)
    glaze, inside = dye(rng), pale(rng) if rng.random() < 0.6 else dye(rng)
    share = np.linspace(0, 1, 9)
    outer = foot + (radius - foot) * share + (belly - (foot + radius) / 2) * np.sin(np.pi * share) * 0.8
    z = 0.03 + share * (height - 0.03)

    def at(up: float) -> float:
        return float(np.interp(up, z, outer))

    level = height * rng.uniform(0.78, 0.9)
    low = level - 0.1  # the solid is filled up to here, below the drink

    def within(up: float, gap: float = 0.0) -> tuple[float, float]:
        return float(np.interp(up, [low, height], [at(low), at(height)])) - wall - gap, up

    skin = [(0, 0), (foot - 0.04, 0), (foot - 0.01, 0.015), *zip(outer, z), (radius - wall / 2, height + 0.014)]
    parts = [lathe([*skin, within(height), within(low), (0, low)], segments=24, colour=glaze, paint=1, gloss=0.6)]
    top = height - 0.01
    lining = [within(top, 0.005), within(low, 0.005), within(low, -0.01), within(top, -0.01), within(top, 0.005)]
    parts.append(lathe(lining, segments=24, colour=inside, gloss=0.6))
    drink = DRINKS[int(rng.integers(len(DRINKS)))] if rng.random() < 0.8 else darker(inside, 0.93)
    across = within(level, -0.005)[0]
    parts.append(cylinder(across, 0.08, base=(0, 0, level - 0.08), segments=24, colour=drink, gloss=0.5))
    parts += _decoration(rng, at, height)
    parts.append(_mug_handle(rng, at, height, glaze))
    return joined(parts)


def _decoration(rng: np.random.Generator, at: Callable[[float], float], height: float) -> list[Mesh]:
    """Bands, a dipped foot, dots or a heart-like spot around a vessel of radius ``at(z)``."""
    colour, style = dye(rng) if rng.random() < 0.5 else pale(rng), rng.integers(4)

    def band(low: float, high: float) -> Mesh:
        up = np.linspace(low, high, 4) * height
        outside, back = [(at(u) + 0.006, u) for u in up], [(at(u) - 0.01, u) for u in up[::-1]]
        return lathe([*outside, *back, outside[0]], segments=24, colour=colour, gloss=0.6)

    if style == 0:
        return []
    if style == 1:
        return [band(low, low + 0.07) for low in np.linspace(0.2, 0.72, int(rng.integers(1, 4)))]
    if style == 2:
        return [band(0.06, rng.uniform(0.3, 0.55))]
    spots, size = int(rng.integers(7, 12)), rng.uniform(0.06, 0.085)
    dot = ellipsoid((0.03, size, size), segments=10, colour=colour, gloss=0.6)
    parts = []
    for k in range(spots):
        spin, z = turn("z", 360 * (k + 0.5) / spots), height * (0.38 if k % 2 else 0.66)
        parts.append(moved(dot, spin @ np.array([at(z) - 0.01, 0, z]), rotation=spin))
    return parts


def _mug_handle(rng: np.random.Generator, at: Callable[[float], float], height: float, colour: Colour) -> Mesh:
    low, high, reach = height * rng.uniform(0.2, 0.3), height * rng.uniform(0.75, 0.85), rng.uniform(0.3, 0.4)
    middle, half, power = (low + high) / 2, (high - low) / 2, rng.uniform(0.6, 1.0)
    angle = np.linspace(-np.pi / 2, np.pi / 2, 11)
    out = reach * np.cos(angle) ** power
    z = middle + half * np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** power
    y = np.array([at(v) for v in z]) + out + 0.03
    y, z = np.r_[at(low) - 0.03, y, at(high) - 0.03], np.r_[low, z, high]  # straight into the wall, not through it
    path = np.stack([np.zeros(13), y, z], 1)
    thick = rng.uniform(0.045, 0.065)
    return moved(
        tube(path, thick, segments=10, colour=colour, paint=1, gloss=0.6), scale=(rng.uniform(1.0, 1.35), 1, 1)
    )


# (radius, z) up the outside, and where the label and the closure begin and end along z
BOTTLES: dict[str, tuple[list[tuple[float, float]], tuple[float, float], tuple[float, float]]] = {
    "wine": (
        [(0.33, 0), (0.37, 0.03), (0.37, 1.85), (0.34, 2.02), (0.20, 2.25), (0.15, 2.42), (0.14, 2.95)],
        (0.5, 1.4),
        (2.45, 2.97),
    ),
    "burgundy": (
        [(0.36, 0), (0.41, 0.03), (0.41, 1.45), (0.38, 1.65), (0.27, 2.0), (0.18, 2.35), (0.14, 2.6), (0.14, 2.95)],
        (0.4, 1.2),
        (2.5, 2.97),
    ),
    "beer": (
        [(0.28, 0), (0.31, 0.03), (0.31, 1.25), (0.29, 1.4), (0.20, 1.65), (0.14, 1.85), (0.125, 2.25)],
        (0.35, 1.0),
        (2.2, 2.3),
    ),
    "soda": (
        [
            (0.28, 0),
            (0.34, 0.06),
            (0.34, 0.5),
            (0.29, 0.8),
            (0.31, 1.1),
            (0.34, 1.4),
            (0.31, 1.65),
            (0.2, 1.95),
            (0.13, 2.1),
            (0.13, 2.2),
        ],
        (0.85, 1.32),
        (2.17, 2.38),
    ),
    "water": (
        [
            (0.29, 0),
            (0.33, 0.05),
            (0.33, 0.6),
            (0.31, 0.64),
            (0.33, 0.68),
            (0.33, 1.5),
            (0.3, 1.7),
            (0.14, 2.0),
            (0.14, 2.1),
        ],
        (0.8, 1.35),
        (2.07, 2.28),
    ),
    "milk": (
        [(0.36, 0), (0.41, 0.04), (0.41, 1.15), (0.38, 1.35), (0.25, 1.7), (0.21, 1.85), (0.21, 2.05), (0.25, 2.1)],
        (0.45, 0.95),
        (2.08, 2.2),
    ),
}
GLASS: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {  # hue, saturation, value
    "wine": ((0.28, 0.40), (0.5, 0.8), (0.14, 0.34)),
    "burgundy": ((0.16, 0.30), (0.4, 0.7), (0.18, 0.38)),
    "beer": ((0.05, 0.09), (0.65, 0.85), (0.30, 0.48)),
    "soda": ((0.0, 1.0), (0.5, 0.8), (0.35, 0.8)),
    "water": ((0.48, 0.60), (0.12, 0.35), (0.8, 0.95)),
    "milk": ((0.1, 0.15), (0.02, 0.08), (0.93, 0.98)),
}


def bottle(rng: np.random.Generator) -> Mesh:
    """A bottle of wine, beer, soda, water or milk; round, its label's mark towards +x."""
    kind = list(BOTTLES)[int(rng.integers(len(BOTTLES)))]
    outline, label, closure = BOTTLES[kind]
    wide, tall = rng.uniform(0.9, 1.2), rng.uniform(0.9, 1.08)
    profile = np.array(outline) * (wide, tall)
    hue, saturation, value = GLASS[kind]
    glass = dye(rng, hue=hue, saturation=saturation, value=value)
    low, high = label[0] * tall, label[1] * tall
    end = profile[-1]
    parts = [lathe([(0, 0), *profile, (0, end[1])], segments=24, colour=glass, paint=1, gloss=0.9)]
    paper = pale(rng) if rng.random() < 0.7 else dye(rng)
    parts += _label(rng, profile, low, high, paper, dye(rng, value=(0.3, 0.7)))
    foil = dye(rng, saturation=(0.5, 0.9), value=(0.3, 0.75)) if kind != "beer" else (0.8, 0.7, 0.35)
    up = np.linspace(closure[0] * tall, closure[1] * tall, 5)
    around = np.maximum(np.interp(up, profile[:, 1], profile[:, 0]), end[0]) + 0.012
    cap = [(0, up[0]), *zip(around, up), (around[-1] * 0.85, up[-1] + 0.02), (0, up[-1] + 0.02)]
    parts.append(lathe(cap, segments=20, colour=foil, gloss=0.5))
    if kind in ("wine", "burgundy", "beer"):
        z = closure[0] * tall if kind == "beer" else up[-1] - 0.1
        parts.append(
            torus(
                end[0] + 0.012,
                0.028,
                (0, 0, z - 0.03),
                segments=20,
                sides=6,
                colour=glass if kind == "beer" else foil,
                gloss=0.7,
            )
        )
    return joined(parts)


def _label(
    rng: np.random.Generator, profile: np.ndarray, low: float, high: float, paper: Colour, ink: Colour
) -> list[Mesh]:
    def wrap(start: float, stop: float, out: float, colour: Colour) -> Mesh:
        up = np.linspace(start, stop, 5)
        around = np.interp(up, profile[:, 1], profile[:, 0])
        outside, back = list(zip(around + out, up)), list(zip(around - 0.02, up))[::-1]
        return lathe([*outside, *back, outside[0]], segments=24, colour=colour, gloss=0.1)

    size = high - low
    parts = [wrap(low, high, 0.006, paper), wrap(low + 0.1 * size, low + 0.18 * size, 0.012, ink)]
    if rng.random() < 0.6:
        parts.append(wrap(high - 0.18 * size, high - 0.1 * size, 0.012, ink))
    middle = (low + high) / 2
    across = float(np.interp(middle, profile[:, 1], profile[:, 0]))
    mark = cylinder(0.17 * size, 0.08, segments=16, colour=ink, gloss=0.1)
    return [*parts, moved(mark, (across - 0.065, 0, middle + 0.02), rotation=turn("y", 90))]


def teapot(rng: np.random.Generator) -> Mesh:
    """A teapot with its spout towards +x and its handle at −x, or over the top."""
    radius, squat = rng.uniform(0.6, 0.72), rng.uniform(0.72, 1.05)
    height = 2 * radius * squat * 0.86
    glaze, trim = dye(rng) if rng.random() < 0.75 else pale(rng), dye(rng)
    shine: Look = {"colour": glaze, "paint": 1.0, "gloss": 0.7}
    lean = rng.uniform(-0.06, 0.08)
    turn_ = np.linspace(-62, 58, 13)
    body = np.stack([np.cos(np.deg2rad(turn_ + 40 * lean)) * radius, np.sin(np.deg2rad(turn_)) * radius * squat], 1)
    body[:, 1] += -body[0, 1] + 0.05
    top = body[-1]
    foot = [(0, 0), (body[0, 0] * 1.02, 0), (body[0, 0] * 0.98, 0.05)]
    parts = [lathe([*foot, *body, (0, top[1])], segments=26, **shine)]
    dome = arc((0, top[1] - 0.005), (top[0] * 0.94, radius * 0.26), 0, 90, 7)
    parts.append(
        lathe(
            [(0, top[1] - 0.03), (top[0] * 1.0, top[1] - 0.02), (top[0] * 1.0, top[1] + 0.02), *dome],
            segments=24,
            **shine,
        )
    )
    knob = top[1] + radius * 0.26
    parts.append(cylinder(0.05, 0.08, base=(0, 0, knob - 0.03), segments=10, colour=trim, gloss=0.7))
    parts.append(sphere(rng.uniform(0.085, 0.12), (0, 0, knob + 0.1), 12, colour=trim, gloss=0.7))
    if rng.random() < 0.65:
        z, inner = rng.uniform(0.3, 0.6) * height, rng.uniform(0.05, 0.12)
        up = np.linspace(z - inner, z + inner, 5)
        out = np.interp(up, body[:, 1], body[:, 0])
        ring = [*zip(out + 0.01, up), *list(zip(out - 0.02, up))[::-1]]
        parts.append(lathe([*ring, ring[0]], segments=24, colour=trim, gloss=0.7))
    parts.append(_spout(rng, radius, height, shine))
    parts.append(_pot_handle(rng, radius, height, knob, trim if rng.random() < 0.5 else glaze))
    return joined(parts)


def _spout(rng: np.random.Generator, radius: float, height: float, shine: Look) -> Mesh:
    reach, rise = radius * rng.uniform(1.75, 2.0), height * rng.uniform(0.92, 1.08)
    start, bend = np.array([radius * 0.75, 0, height * 0.32]), np.array([radius * 1.55, 0, height * 0.3])
    lift, tip = np.array([radius * 1.35, 0, rise * 0.85]), np.array([reach, 0, rise])
    t = np.linspace(0, 1, 10)[:, None]
    path = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * bend + 3 * (1 - t) * t**2 * lift + t**3 * tip
    wide = np.interp(t[:, 0], [0, 0.5, 0.9, 1], [0.30, 0.17, 0.11, 0.13]) * radius
    return tube(path, wide, segments=12, **shine)


def _pot_handle(rng: np.random.Generator, radius: float, height: float, knob: float, colour: Colour) -> Mesh:
    if rng.random() < 0.25:
        rise = knob + 0.42 - height * 0.75
        bail = arc((0, height * 0.75), (radius * 0.86, rise), 0, 180, 15)
        return tube(np.stack([bail[:, 0], bail[:, 0] * 0, bail[:, 1]], 1), 0.055, segments=8, colour=colour, gloss=0.5)
    out, tall = radius * rng.uniform(0.6, 0.8), height * rng.uniform(0.32, 0.4)
    loop = arc((-radius * 0.82, height * 0.55), (out, tall), 75, 285, 13)
    return tube(
        np.stack([loop[:, 0], loop[:, 0] * 0, loop[:, 1]], 1),
        rng.uniform(0.055, 0.08),
        segments=10,
        colour=colour,
        gloss=0.6,
    )


# the bowl's (radius, height) from stem to rim, in shares of its width and height
BOWLS: dict[str, tuple[list[tuple[float, float]], tuple[float, float], tuple[float, float]]] = {
    "red": ([(0.1, 0.0), (0.55, 0.07), (0.9, 0.25), (1.0, 0.45), (0.93, 0.7), (0.78, 1.0)], (0.42, 0.5), (0.95, 1.2)),
    "white": ([(0.1, 0.0), (0.6, 0.1), (0.92, 0.32), (1.0, 0.55), (0.95, 0.8), (0.88, 1.0)], (0.32, 0.4), (0.8, 1.05)),
    "flute": ([(0.15, 0.0), (0.6, 0.15), (0.9, 0.4), (1.0, 0.7), (0.92, 1.0)], (0.22, 0.26), (1.2, 1.5)),
    "coupe": ([(0.08, 0.0), (0.5, 0.12), (0.85, 0.45), (1.0, 1.0)], (0.5, 0.58), (0.45, 0.6)),
}
WINES: tuple[Colour, ...] = ((0.36, 0.04, 0.10), (0.50, 0.08, 0.14), (0.90, 0.78, 0.40), (0.93, 0.60, 0.52))


def wine_glass(rng: np.random.Generator) -> Mesh:
    """A glass on a stem with some wine in it; the same from all sides."""
    kind = list(BOWLS)[int(rng.choice(4, p=[0.4, 0.3, 0.18, 0.12]))]
    shape, width, tall = BOWLS[kind]
    radius, deep, stem = rng.uniform(*width), rng.uniform(*tall), rng.uniform(0.75, 1.05)
    glass = dye(rng, hue=(0.5, 0.6), saturation=(0.03, 0.10), value=(0.84, 0.94))
    wine = WINES[int(rng.integers(len(WINES)))]
    foot, thin = radius * rng.uniform(0.75, 0.9), rng.uniform(0.028, 0.04)
    foot = max(foot, 0.28)
    stand = [
        (0, 0),
        (foot, 0),
        (foot, 0.02),
        (foot * 0.5, 0.05),
        (thin * 1.6, 0.12),
        (thin, 0.25),
        (thin, stem * 0.85),
        (thin * 2, stem + 0.03),
        (0, stem + 0.03),
    ]
    parts = [lathe(stand, segments=24, colour=glass, paint=1, gloss=0.9)]
    bowl = np.array(shape) * (radius, deep) + (0, stem)
    height = np.linspace(stem, stem + deep, 15)
    across = np.interp(height, bowl[:, 1], bowl[:, 0])
    across[1:-1] = (across[:-2] + 2 * across[1:-1] + across[2:]) / 4
    cut = int(rng.integers(5, 10)) if kind != "coupe" else 10
    full = [(0, stem), *zip(across[: cut + 1], height[: cut + 1]), (0, height[cut])]
    parts.append(lathe(full, segments=24, colour=wine, gloss=0.9))
    wall = 0.016
    outer, inner = list(zip(across[cut:], height[cut:])), list(zip(across[cut:] - wall, height[cut:]))[::-1]
    return joined(
        [*parts, lathe([*outer, *inner, outer[0]], segments=24, colour=darker(glass, 1.03), paint=1, gloss=0.95)]
    )
