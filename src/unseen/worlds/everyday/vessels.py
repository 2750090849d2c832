"""Mugs, cups, bowls, vases, jugs, pots, pans, teapots, bottles, glasses, buckets: profiles of revolution.

A class is a table of sub-types: knots (share of half the width, share of the height) and height over width. What the
vessels have in common, a wall, a filling, a glaze, is drawn alike, so that a class is told by its form alone. A
mug's handle and the spout of a jug or a teapot are on the left (+y), give or take.
"""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes, finished, finishes, shade
from unseen.worlds.everyday.outlines import (
    BOTTLES,
    BOWLS,
    CUPS,
    GLASSES,
    JUGS,
    LIQUIDS,
    MUGS,
    POTS,
    TEAPOTS,
    VASES,
    Knots,
)
from unseen.worlds.everyday.turned import (
    Rng,
    between,
    handle,
    lid,
    lip,
    profile,
    radius_at,
    side_handle,
    solid,
    spout,
    surface,
    vessel,
)  # fmt: skip
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import cylinder, lathe, torus, tube, turn
from unseen.worlds.shapes.skins import spline


def chosen(
    rng: Rng, table: dict[str, tuple[Knots, tuple[float, float]]], loose: float = 0.06
) -> tuple[str, np.ndarray]:
    """A sub-type and its profile, one unit wide."""
    name = str(rng.choice(list(table)))
    knots, aspect = table[name]
    return name, profile(rng, knots, between(rng, *aspect), loose=loose)


def glazed(rng: Rng, f: Finishes) -> Finish:
    """The outside of a vessel: plain, of any material, or with a decoration wrapped around it."""
    tile = int(rng.choice([0, 0, 1, 1, 2, 3]))
    return Finish(f.body.colour, f.body.gloss, tile, 1.0, round=True)


def contents(rng: Rng, outer: np.ndarray, wall: float, chance: float) -> list[Mesh]:
    """Coffee, tea, milk, soup, sauce, or nothing."""
    if rng.random() > chance:
        return []
    colour = LIQUIDS[int(rng.integers(len(LIQUIDS)))]
    return [Finish(colour, 0.6)(surface(outer, wall, between(rng, 0.7, 0.92)))]


def mug(rng: Rng) -> Mesh:
    f = finishes(rng)
    _, outer = chosen(rng, MUGS)
    wall, tall = between(rng, 0.035, 0.07), outer[-1, 1]
    ring = f.body if rng.random() < 0.7 else f.second
    loop = handle(
        rng, outer, between(rng, 0.12, 0.3), between(rng, 0.7, 0.9), between(rng, 0.25, 0.45), between(rng, 0.035, 0.07)
    )
    parts = [glazed(rng, f)(vessel(outer, wall)), moved(ring(loop), rotation=turn("z", between(rng, 50, 120)))]
    if rng.random() < 0.3:
        parts.append(f.second(torus(outer[-1, 0] - wall / 2, wall * 0.7, (0, 0, tall))))
    return finished(parts + contents(rng, outer, wall, 0.5), f.atlas)


def cup(rng: Rng) -> Mesh:
    """A tea or coffee cup, wide and low, mostly on a saucer; a few have no handle."""
    f = finishes(rng)
    _, outer = chosen(rng, CUPS)
    wall, lift = between(rng, 0.02, 0.045), 0.0
    parts = [glazed(rng, f)(vessel(outer, wall))]
    if rng.random() < 0.85:
        loop = handle(
            rng,
            outer,
            between(rng, 0.2, 0.35),
            between(rng, 0.75, 0.95),
            between(rng, 0.2, 0.34),
            between(rng, 0.025, 0.045),
        )
        parts.append(moved(f.body(loop), rotation=turn("z", between(rng, 30, 120))))
    parts += contents(rng, outer, wall, 0.7)
    if rng.random() < 0.75:
        r, lift = between(rng, 0.7, 0.95), 0.05
        dish = [
            (0, 0),
            (r * 0.55, 0),
            (r * 0.8, 0.05),
            (r, between(rng, 0.09, 0.16)),
            (r * 0.97, 0.17),
            (r * 0.75, 0.09),
            (r * 0.5, 0.05),
            (0, 0.05),
        ]
        saucer = np.array(dish)
        plate = Finish(f.body.colour, f.body.gloss, 0, 1.0)(lathe(saucer, segments=28))
        return finished([moved(part, (0, 0, lift)) for part in parts] + [plate], f.atlas)
    return finished(parts, f.atlas)


def bowl(rng: Rng) -> Mesh:
    f = finishes(rng)
    _, outer = chosen(rng, BOWLS)
    wall = between(rng, 0.015, 0.04)
    parts = [glazed(rng, f)(vessel(outer, wall, segments=32)), *contents(rng, outer, wall, 0.4)]
    if rng.random() < 0.25:
        parts.append(f.second(torus(outer[-1, 0] - wall / 2, wall * 0.8, (0, 0, outer[-1, 1]), segments=32)))
    return finished(parts, f.atlas)


def vase(rng: Rng) -> Mesh:
    f = finishes(rng)
    _, outer = chosen(rng, VASES, 0.1)
    parts = [glazed(rng, f)(vessel(outer, 0.04))]
    if rng.random() < 0.2:
        loop = handle(rng, outer, between(rng, 0.45, 0.6), between(rng, 0.8, 0.92), between(rng, 0.12, 0.25), 0.035)
        parts += [moved(f.body(loop), rotation=turn("z", a)) for a in (90, 270)]
    if rng.random() < 0.3:
        z = between(rng, 0.3, 0.7) * outer[-1, 1]
        parts.append(f.second(torus(radius_at(outer, z), 0.02, (0, 0, z))))
    if rng.random() < 0.3:
        parts += _stems(rng, outer, f)
    return finished(parts, f.atlas)


def _stems(rng: Rng, outer: np.ndarray, f: Finishes) -> list[Mesh]:
    """Dry branches or tulips in a vase."""
    top, mouth = outer[-1, 1], outer[-1, 0]
    green, parts = Finish((0.25, 0.42, 0.18), 0.1), []
    for k in range(int(rng.integers(3, 7))):
        angle, out = rng.uniform(0, 6.28), between(rng, 0.1, 0.5)
        end = np.array([out * np.cos(angle), out * np.sin(angle), top * between(rng, 1.25, 1.6)])
        start = np.array([0.5 * mouth * np.cos(angle), 0.5 * mouth * np.sin(angle), top * 0.8])
        parts.append(green(tube(spline([start, (start + end) / 2 * (0.9, 0.9, 1.02), end], 5), 0.012, segments=5)))
        head = profile(rng, ((0.3, 0), (1, 0.35), (0.8, 0.75), (0.2, 1)), 0.18, width=0.14, rows=6)
        parts.append(
            moved(Finish(f.third.colour if k % 2 else f.second.colour, 0.1)(solid(head, segments=8)), tuple(end))
        )
    return parts


def jug(rng: Rng) -> Mesh:
    f = finishes(rng)
    _, outer = chosen(rng, JUGS)
    wall, thick = between(rng, 0.03, 0.05), between(rng, 0.035, 0.06)
    back = handle(rng, outer, between(rng, 0.2, 0.4), between(rng, 0.82, 0.97), between(rng, 0.25, 0.42), thick)
    parts = [glazed(rng, f)(vessel(outer, wall)), moved(f.body(back), rotation=turn("z", 180))]
    parts.append(f.body(lip(rng, outer, wall, between(rng, 0.08, 0.22))))
    return _sideways(rng, finished(parts + contents(rng, outer, wall, 0.2), f.atlas))


def _sideways(rng: Rng, one: Mesh) -> Mesh:
    """What points along x, to the left instead, give or take."""
    return moved(one, rotation=turn("z", between(rng, 45, 115)))


def pot(rng: Rng) -> Mesh:
    """A cooking pot with two handles, with or without a lid; a caldron on three feet; a crock."""
    f = finishes(rng)
    name, outer = chosen(rng, POTS)
    body = Finish(*((f.metal.colour, 0.7, 0, 1.0) if rng.random() < 0.45 else (f.body.colour, f.body.gloss, 0, 1.0)))
    if name == "caldron" and rng.random() < 0.7:
        body = Finish((0.13, 0.13, 0.14), 0.15, 0, 1.0)
    wall, grip = 0.025, f.second if rng.random() < 0.4 else body
    parts = [body(vessel(outer, wall, segments=32))]
    loop = side_handle(
        rng,
        outer,
        between(rng, 0.72, 0.9),
        between(rng, 0.09, 0.18),
        between(rng, 0.12, 0.2),
        between(rng, 0.018, 0.035),
    )
    parts += [moved(grip(loop), rotation=turn("z", a)) for a in (90, 270)]
    if name == "caldron":
        parts = [moved(part, (0, 0, 0.12)) for part in parts]
        parts += [
            body(
                tube(
                    [(0.28 * np.cos(a), 0.28 * np.sin(a), 0.2), (0.33 * np.cos(a), 0.33 * np.sin(a), 0)],
                    (0.05, 0.03),
                    segments=8,
                )
            )
            for a in (0.5, 2.6, 4.7)
        ]
        if rng.random() < 0.6:
            arc = [(0, 0.45 * np.cos(t), 0.1 + outer[-1, 1] + 0.4 * np.sin(t)) for t in np.linspace(0, np.pi, 11)]
            parts.append(body(tube(arc, 0.015, segments=6)))
    elif rng.random() < 0.7:
        cap, knob = lid(rng, outer[-1, 0], outer[-1, 1], between(rng, 0.03, 0.14))
        parts += [(body if rng.random() < 0.7 else f.second)(cap), grip(knob)]
    else:
        parts += contents(rng, outer, wall, 0.4)
    return finished(parts, f.atlas)


def pan(rng: Rng) -> Mesh:
    """A frying pan, a wok or a saucepan: one long handle, to the back."""
    f = finishes(rng)
    kind = str(rng.choice(["frying", "frying", "wok", "saucepan"]))
    knots, aspect = {
        "frying": (((0.8, 0), (0.85, 0.2), (0.94, 0.7), (1, 1)), (0.1, 0.2)),
        "wok": (((0.2, 0), (0.6, 0.25), (0.88, 0.65), (1, 1)), (0.25, 0.36)),
        "saucepan": (((0.96, 0), (1, 0.1), (1, 0.6), (1, 1)), (0.4, 0.6)),
    }[kind]
    outer = profile(rng, knots, between(rng, *aspect), loose=0.03)
    shell = (
        Finish((0.11, 0.11, 0.12), 0.3, 0, 1.0)
        if rng.random() < 0.55
        else Finish(f.metal.colour if rng.random() < 0.6 else f.body.colour, 0.6, 0, 1.0)
    )
    grip = Finish((0.1, 0.1, 0.1), 0.3) if rng.random() < 0.5 else (f.wood if rng.random() < 0.6 else f.metal)
    z, r, long = outer[-1, 1] * 0.8, outer[-1, 0], between(rng, 0.6, 1.05)
    rise = between(rng, 0.02, 0.25)
    path = [
        (r - 0.03, 0, z),
        (r + 0.3 * long, 0, z + 0.5 * rise),
        (r + 0.7 * long, 0, z + rise),
        (r + long, 0, z + rise),
    ]
    bar = moved(
        tube(
            spline(path, 9),
            np.array([1, 0.8, 0.8, 1, 1.15, 1.2, 1.2, 1.1, 0.7]) * between(rng, 0.025, 0.04),
            segments=10,
        ),
        scale=(1, between(rng, 1, 1.6), 1),
    )
    parts = [shell(vessel(outer, 0.02, segments=32)), moved(grip(bar), rotation=turn("z", between(rng, 60, 200)))]
    if kind == "saucepan" and rng.random() < 0.5:
        parts += [shell(part) for part in lid(rng, outer[-1, 0], outer[-1, 1], between(rng, 0.03, 0.1))]
    return finished(parts, f.atlas)


def teapot(rng: Rng) -> Mesh:
    f = finishes(rng)
    _, outer = chosen(rng, TEAPOTS)
    coat = glazed(rng, f)
    tall, thick = outer[-1, 1], between(rng, 0.07, 0.11)
    parts = [coat(solid(outer, segments=28))]
    parts.append(
        f.body(spout(rng, outer, between(rng, 0.3, 0.5), between(rng, 0.88, 1.08), between(rng, 0.26, 0.42), thick))
    )
    parts += [f.body(part) for part in lid(rng, outer[-1, 0] * 1.02, tall, between(rng, 0.05, 0.14))]
    grip = f.body if rng.random() < 0.6 else f.wood
    if rng.random() < 0.75:
        parts.append(
            moved(
                grip(
                    handle(
                        rng, outer, 0.2, between(rng, 0.75, 0.92), between(rng, 0.24, 0.36), between(rng, 0.03, 0.05)
                    )
                ),
                rotation=turn("z", 180),
            )
        )
    else:
        r, up = radius_at(outer, 0.75 * tall), between(rng, 0.4, 0.6)
        arc = [(r * np.cos(t), 0, 0.75 * tall + up * np.sin(t)) for t in np.linspace(0, np.pi, 11)]
        parts.append(grip(tube(arc, 0.025, segments=8)))
    if rng.random() < 0.3:
        parts = [moved(part, (0, 0, 0.06)) for part in parts]
        parts.append(f.body(cylinder(outer[0, 0] * 1.05, 0.08, top_radius=outer[0, 0] * 0.8, segments=24)))
    return _sideways(rng, finished(parts, f.atlas))


def bottle(rng: Rng) -> Mesh:
    f = finishes(rng)
    name, outer = chosen(rng, BOTTLES, 0.04)
    tall = outer[-1, 1]
    drink = name in ("bordeaux", "burgundy", "beer", "cola", "flask")
    colour = (
        ((0.06, 0.12, 0.06), (0.16, 0.08, 0.03), (0.08, 0.08, 0.09), (0.2, 0.34, 0.2))[int(rng.integers(4))]
        if drink and rng.random() < 0.7
        else f.body.colour
    )
    glass = Finish(colour, 0.9 if drink else 0.5, 0, 1.0)
    parts = [glass(solid(outer, segments=24))]
    low, high = between(rng, 0.1, 0.2), between(rng, 0.38, 0.58)
    if rng.random() < 0.85:
        zs = np.linspace(low * tall, high * tall, 5)
        band = np.array([(radius_at(outer, z) + 0.006, z) for z in zs])
        parts.append(Finish(f.print.colour, 0.05, 3, 0.0, round=True)(solid(band, segments=24)))
    neck = outer[-1, 0]
    cap = f.second if rng.random() < 0.7 else f.metal
    if name in ("pill", "lotion", "sport", "water", "cola"):
        size = between(rng, 0.1, 0.22) * (1.0 if name != "pill" else 1.4)
        parts.append(cap(cylinder(neck * 1.12, size, base=(0, 0, tall - 0.02), segments=20)))
        if name == "lotion" and rng.random() < 0.5:
            parts.append(
                cap(
                    cylinder(0.04, 0.3, base=(0, 0, tall), segments=8),
                    tube([(-0.05, 0, tall + 0.3), (0.3, 0, tall + 0.3), (0.34, 0, tall + 0.26)], 0.045, segments=8),
                )
            )
        if name == "sport":
            parts.append(f.third(cylinder(neck * 0.4, size + 0.16, base=(0, 0, tall), segments=12)))
    else:
        parts.append(cap(cylinder(neck * 1.06, tall * between(rng, 0.05, 0.2), base=(0, 0, tall * 0.9), segments=18)))
        parts.append(cap(torus(neck * 1.05, 0.025, (0, 0, tall * 0.985))))
    whole = finished(parts, f.atlas)
    if name in ("flask", "lotion", "pill") and rng.random() < 0.6:
        whole = moved(whole, scale=(between(rng, 0.5, 0.8), 1, 1))
    return whole


def wine_glass(rng: Rng) -> Mesh:
    """A bowl on a stem and a foot, empty or partly filled."""
    f = finishes(rng)
    _, outer = chosen(rng, GLASSES, 0.05)
    stem, foot = between(rng, 0.5, 1.2) * (0.6 if outer[-1, 1] > 1.8 else 1), between(rng, 0.3, 0.48)
    clear = shade((0.9, 0.93, 0.94), between(rng, 0.75, 1.0)) if rng.random() < 0.7 else f.body.colour
    glass = Finish(clear, 1.0, 0, 1.0)
    rod = [
        (0, 0),
        (foot, 0),
        (foot, 0.02),
        (foot * 0.4, 0.06),
        (0.05, 0.14),
        (0.04, stem * 0.6),
        (0.06, stem),
        (0, stem + 0.02),
    ]
    up = (0, 0, stem - 0.02)
    parts = [glass(lathe(rod, segments=24)), moved(glass(vessel(outer, 0.02)), up)]
    if rng.random() < 0.65:
        wine = Finish(
            ((0.35, 0.03, 0.08), (0.9, 0.78, 0.4), (0.8, 0.4, 0.4), (0.85, 0.6, 0.15))[int(rng.integers(4))], 0.8
        )
        share = between(rng, 0.3, 0.7)
        full = np.array([(radius_at(outer, z) + 0.004, z) for z in np.linspace(0.05, share, 7) * outer[-1, 1]])
        parts += [moved(wine(solid(full, segments=24)), up)]
    return finished(parts, f.atlas)


def bucket(rng: Rng) -> Mesh:
    """A pail with a bail handle, up or hanging down; of tin, plastic or wooden staves."""
    f = finishes(rng)
    outer = profile(
        rng, ((between(rng, 0.62, 0.85), 0), (0.8, 0.3), (0.92, 0.7), (1, 1)), between(rng, 0.75, 1.2), loose=0.03
    )
    staves = rng.random() < 0.3
    wallf = (
        f.wood
        if staves
        else Finish(f.metal.colour if rng.random() < 0.4 else f.body.colour, 0.5, int(rng.integers(0, 2)), 1.0)
    )
    r, tall = outer[-1, 0], outer[-1, 1]
    parts = [Finish(wallf.colour, wallf.gloss, wallf.tile, 1.0, round=True)(vessel(outer, 0.025, segments=28))]
    hoop = f.metal if staves else wallf
    parts += [
        hoop(torus(radius_at(outer, z * tall), 0.02, (0, 0, z * tall), segments=28))
        for z in ((0.2, 0.75, 1.0) if staves else (1.0,))
    ]
    lean = between(rng, -5, 5) if rng.random() < 0.65 else float(rng.choice([-1, 1])) * between(rng, 60, 95)
    bail = tube([(0, r * 1.04 * np.cos(t), r * 1.05 * np.sin(t)) for t in np.linspace(0, np.pi, 15)], 0.014, segments=6)
    lug = 0.93 * tall
    grip = tube([(0, y, r * 1.05 - 0.01) for y in (-0.12, 0.12)], 0.035, segments=10)
    rim = [
        f.metal(moved(cylinder(0.05, 0.06, segments=10), (0, s * r - 0.03 * s, lug), rotation=turn("x", -90 * s)))
        for s in (1, -1)
    ]
    swing = [moved(part, (0, 0, lug), rotation=turn("y", lean)) for part in (f.metal(bail), f.wood(grip))]
    return finished([*parts, *rim, *swing, *contents(rng, outer, 0.025, 0.15)], f.atlas)
