"""Large four-legged animals, standing and looking along +x: elephant, giraffe, horse. Proportions are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved, upright
from unseen.worlds.shapes.limbs import DARK, IVORY, SIDES, horn, near
from unseen.worlds.shapes.primitives import cone, ellipsoid, sphere, tube, turn
from unseen.worlds.shapes.skins import Colour, blade, blended, body, darker, hsv, middles, patched, sheet, spline
from unseen.worlds.shapes.surfaces import Look


def elephant(rng: np.random.Generator) -> Mesh:
    """An elephant with a hanging or raised trunk, mostly with tusks; large or small ears."""
    skin = hsv(rng, (0.55, 0.68) if rng.random() < 0.6 else (0.04, 0.1), (0.03, 0.18), (0.48, 0.72))
    look: Look = {"colour": skin, "paint": 1.0, "gloss": 0.1}
    leg, girth, length = rng.uniform(0.42, 0.56), rng.uniform(0.3, 0.36), rng.uniform(0.85, 1.05)
    back, front, z = -length / 2, length / 2, leg + 0.75 * girth
    hx, hz = front + 0.2, z + rng.uniform(0.12, 0.2)
    trunk = [
        (back, 0, z - 0.02, 0.72 * girth, 0.8 * girth),
        (back / 2, 0, z + 0.02, girth, 1.02 * girth),
        (front / 2, 0, z + 0.04, girth, 1.03 * girth),
        (front, 0, z + 0.07, 0.7 * girth, 0.85 * girth),
    ]
    head = [
        (front - 0.05, 0, hz - 0.04, 0.22, 0.27),
        (hx - 0.02, 0, hz + 0.03, 0.22, 0.25),
        (hx + 0.1, 0, hz + 0.02, 0.18, 0.2),
    ]
    parts = [
        body(trunk, segments=14, rings=9, ends=(0.7, 0.7), **look),
        body(head, segments=14, rings=6, ends=(0.5, 0.8), **look),
    ]
    parts.append(_elephant_trunk(rng, hx + 0.18, hz, look))
    size = rng.uniform(0.75, 1.15)
    for s in SIDES:
        parts.append(_elephant_ear(s, hx, hz, size, rng.uniform(20, 55), skin))
        parts.append(sphere(0.026, (hx + 0.12, s * 0.155, hz + 0.09), 8, colour=DARK, gloss=0.9))
        parts += _elephant_legs(rng, s, (back + 0.1, front - 0.08), z, leg, girth, look)
    if rng.random() < 0.8:
        parts += _tusks(hx + 0.18, hz, rng.uniform(0.6, 1.15))
    tail = [(back - 0.14, 0, z + 0.14), (back - 0.26, 0, z), (back - 0.27, 0, z - 0.3)]
    parts += [
        tube(spline(tail, 6), 0.018, segments=6, **look),
        ellipsoid((0.03, 0.03, 0.07), (back - 0.27, 0, z - 0.33), 6, colour=DARK),
    ]
    return upright(joined(parts))


def _elephant_trunk(rng: np.random.Generator, x: float, hz: float, look: Look) -> Mesh:
    """Hanging down with its tip forwards, or raised."""
    ground, curl = 0.06, rng.uniform(0.05, 0.25)
    up = [(-0.06, 0), (0.13, -0.16), (0.3, -0.08), (0.36, 0.16), (0.3, 0.34)]
    down = [
        (-0.06, 0),
        (0.07, -0.22),
        (0.06, 0.5 * (ground - hz)),
        (0.08, ground + 0.14 - hz),
        (0.08 + curl, ground + 0.08 - hz),
    ]
    path = np.array([(x + a, 0, hz + b) for a, b in (up if rng.random() < 0.35 else down)])
    radii = np.array([0.14, 0.1, 0.08, 0.062, 0.05])
    return body(np.column_stack([path, radii, radii]), rings=12, segments=10, ends=(0.5, 0), **look)


def _elephant_legs(
    rng: np.random.Generator, s: int, places: tuple[float, float], z: float, leg: float, girth: float, look: Look
) -> list[Mesh]:
    """The two pillars of one side, with toenails."""
    parts = []
    for at, lean in zip(places, (-0.02, 0.02)):
        sway, y = rng.uniform(-0.06, 0.06), s * 0.55 * girth
        rows = [
            (at, 0.75 * y, z, 0.1, 0.15),
            (at + lean, y, 0.6 * leg, 0.115, 0.125),
            (at + lean + sway / 2, y, 0.25 * leg, 0.1, 0.1),
            (at + sway, y, 0, 0.115, 0.118),
        ]
        parts.append(body(rows, rings=7, segments=10, ends=(0.6, 0), **look))
        for turned in (-45, 0, 45):
            where = np.array([at + sway, y, 0.028]) + turn("z", turned) @ [0.108, 0, 0]
            parts.append(ellipsoid((0.022, 0.03, 0.028), where, 5, colour=darker(IVORY, 0.9), gloss=0.3))
    return parts


def _tusks(x: float, hz: float, long: float) -> list[Mesh]:
    path = np.array(
        [(-0.06, 0.11, -0.1), (0.03, 0.14, -0.26), (0.17 * long, 0.15, -0.26 - 0.1 * long), (0.32 * long, 0.12, -0.26)]
    )
    radii = (0.035, 0.034, 0.028, 0.01)
    return [horn(path * (1, s, 1) + (x, 0, hz), radii, colour=IVORY, gloss=0.5) for s in SIDES]


def _elephant_ear(s: int, hx: float, hz: float, size: float, open_: float, skin: Colour) -> Mesh:
    """A fan from the side of the head backwards, standing off by ``open_`` degrees."""
    angle = np.deg2rad(np.linspace(105, 275, 8))
    rim = np.stack([np.cos(angle) * 0.36, np.zeros(8), np.sin(angle) * 0.33 - 0.1 * (np.sin(angle) < 0)], -1) * size
    rim[-1] *= 0.75
    share = np.linspace(0.05, 1, 4)[:, None, None]
    grid = rim[None] * share
    grid[..., 1] = s * 0.05 * np.sin(share[..., 0] * np.pi)
    ear = sheet(grid, 0.03, colour=skin, paint=1.0, gloss=0.1)
    return moved(ear, (hx - 0.02, s * 0.2, hz + 0.04), rotation=turn("z", -s * open_))


def giraffe(rng: np.random.Generator) -> Mesh:
    """A giraffe with brown blotches on cream, its neck up; legs and neck of varying length."""
    cream = hsv(rng, (0.09, 0.12), (0.25, 0.45), (0.88, 0.97))
    brown = hsv(rng, (0.04, 0.08), (0.6, 0.8), (0.4, 0.65))
    leg, rise, reach = rng.uniform(0.8, 1.0), rng.uniform(0.8, 1.1), rng.uniform(0.3, 0.55)
    girth, z = rng.uniform(0.16, 0.19), leg + 0.12
    look: Look = {"colour": cream, "paint": 1.0, "gloss": 0.1}
    hx, hz = 0.3 + reach, z + 0.1 + rise
    back = [
        (-0.32, 0, z - 0.02, 0.11, 0.13),
        (-0.15, 0, z + 0.02, girth, girth),
        (0.15, 0, z + 0.07, girth, 1.12 * girth),
        (0.33, 0, z + 0.14, 0.12, 0.16),
    ]
    throat = [
        (0.22, 0, z + 0.08, 0.12, 0.17),
        (0.36 + 0.2 * reach, 0, z + 0.1 + 0.3 * rise, 0.085, 0.1),
        (0.32 + 0.75 * reach, 0, z + 0.1 + 0.75 * rise, 0.065, 0.075),
        (hx, 0, hz, 0.055, 0.06),
    ]
    torso = body(back, segments=16, rings=13, ends=(0.9, 0), **look)
    neck = body(throat, segments=12, rings=17, ends=(0.5, 0), **look)
    cells = rng.uniform((-0.6, -0.25, z - 0.35), (hx + 0.1, 0.25, hz + 0.05), (rng.integers(300, 400), 3))
    parts = [_blotched(one, cells, brown) for one in (torso, neck)]
    parts += _giraffe_head(hx, hz, brown, look)
    for s in SIDES:
        limbs, hooves = _giraffe_legs(rng, s * 0.5 * girth, z, leg, look)
        parts += [_blotched(limb, cells, brown) for limb in limbs] + hooves
    mane = [
        (0.27, 0, z + 0.28),
        (0.3 + 0.2 * reach, 0, z + 0.22 + 0.3 * rise),
        (0.25 + 0.75 * reach, 0, z + 0.12 + 0.75 * rise),
        (hx - 0.06, 0, hz + 0.03),
    ]
    parts.append(tube(spline(mane, 7), 0.03, segments=5, colour=darker(brown, 0.75)))
    parts.append(
        tube(spline([(-0.4, 0, z + 0.05), (-0.46, 0, z - 0.1), (-0.47, 0, z - 0.32)], 5), 0.014, segments=6, **look)
    )
    parts.append(ellipsoid((0.03, 0.03, 0.09), (-0.47, 0, z - 0.38), 6, colour=darker(brown, 0.4)))
    return upright(joined(parts))


def _giraffe_head(hx: float, hz: float, brown: Colour, look: Look) -> list[Mesh]:
    """A long face with a dark muzzle, ears and two knobbed horns."""
    rows = [
        (hx - 0.04, 0, hz + 0.03, 0.06, 0.065),
        (hx + 0.06, 0, hz + 0.03, 0.068, 0.07),
        (hx + 0.18, 0, hz - 0.04, 0.042, 0.045),
        (hx + 0.26, 0, hz - 0.08, 0.042, 0.04),
    ]
    face = body(rows, rings=8, segments=10, ends=(0.8, 0.6), **look)
    parts = [blended(face, (face.vertices[:, 0] - hx - 0.2) / 0.05, darker(brown, 0.8))]
    for s in SIDES:
        ear = [(hx - 0.03, s * 0.05, hz + 0.05), (hx - 0.06, s * 0.12, hz + 0.08), (hx - 0.08, s * 0.19, hz + 0.07)]
        parts += [
            tube([(hx, s * 0.03, hz + 0.07), (hx - 0.03, s * 0.04, hz + 0.2)], 0.014, segments=6, **look),
            sphere(0.024, (hx - 0.03, s * 0.04, hz + 0.205), 6, colour=darker(brown, 0.6)),
            blade(ear, (0.015, 0.04, 0.008), (1, 0, -0.5), 0.015, count=5, **look),
            sphere(0.02, (hx + 0.07, s * 0.058, hz + 0.055), 6, colour=DARK, gloss=0.9),
        ]
    return parts


def _giraffe_legs(
    rng: np.random.Generator, y: float, z: float, leg: float, look: Look
) -> tuple[list[Mesh], list[Mesh]]:
    """The legs of one side, and their hooves."""
    limbs, hooves = [], []
    for at, high in ((-0.27, z - 0.02), (0.25, z + 0.04)):
        sway = rng.uniform(-0.07, 0.07)
        rows = [
            (at, 0.75 * y, high, 0.06, 0.1),
            (at - 0.01, y, 0.62 * leg, 0.05, 0.06),
            (at + sway / 2, y, 0.48 * leg, 0.036, 0.038),
            (at + 0.7 * sway, y, 0.2 * leg, 0.03, 0.03),
            (at + sway, y, 0.06, 0.034, 0.034),
        ]
        limbs.append(body(rows, rings=11, segments=7, ends=(0.6, 0), **look))
        ends = [(at + sway + 0.01, y, 0), (at + sway, y, 0.07)]
        hooves.append(tube(ends, (0.045, 0.035), segments=8, colour=(0.2, 0.15, 0.12)))
    return limbs, hooves


def _blotched(one: Mesh, cells: np.ndarray, colour: Colour) -> Mesh:
    """Worley cells on the skin: faces well inside their cell are dark, those between cells stay pale."""
    m = middles(one)
    two = np.partition(np.linalg.norm(m[:, None] - cells[None], axis=-1), 1, axis=1)[:, :2]
    return patched(one, two[:, 1] - two[:, 0] > 0.022, colour)


def horse(rng: np.random.Generator) -> Mesh:
    """A horse: bay, chestnut, grey, black or pinto, with mane and tail; some with white socks."""
    coat, mane = _horse_colours(rng)
    look: Look = {"colour": coat, "paint": 1.0, "gloss": 0.25}
    leg, girth = rng.uniform(0.52, 0.66), rng.uniform(0.17, 0.21)
    z = leg + 0.1
    lift = rng.uniform(-0.12, 0.14)
    hx, hz = 0.72 - 0.4 * lift, z + 0.46 + lift
    back = [
        (-0.4, 0, z + 0.05, 0.9 * girth, 1.02 * girth),
        (-0.12, 0, z + 0.02, 0.9 * girth, 0.9 * girth),
        (0.15, 0, z - 0.01, girth, 1.08 * girth),
        (0.38, 0, z + 0.05, 0.75 * girth, 1.0 * girth),
    ]
    throat = [
        (0.28, 0, z + 0.07, 0.13, 0.22),
        (0.5, 0, z + 0.28 + 0.4 * lift, 0.085, 0.15),
        (hx - 0.03, 0, hz + 0.02, 0.065, 0.1),
    ]
    face = [
        (hx - 0.04, 0, hz + 0.05, 0.065, 0.085),
        (hx + 0.07, 0, hz - 0.01, 0.075, 0.1),
        (hx + 0.2, 0, hz - 0.15, 0.05, 0.062),
        (hx + 0.29, 0, hz - 0.26, 0.052, 0.06),
    ]
    torso = body(back, segments=14, rings=12, ends=(0.8, 0.6), **look)
    neck = body(throat, rings=7, segments=10, ends=(0.4, 0), **look)
    head = body(face, rings=9, segments=12, ends=(0.7, 0.6), **look)
    if rng.random() < 0.3:
        seeds = rng.uniform((-0.6, -0.25, 0.4), (0.8, 0.25, 1.3), (9, 3))
        torso, neck = (patched(one, near(middles(one), seeds) < 0.22, (0.95, 0.93, 0.9)) for one in (torso, neck))
    head = blended(head, (head.vertices[:, 0] - hx - 0.23) / 0.06, darker(coat, 0.5))
    socks = (0.95, 0.93, 0.9) if rng.random() < 0.5 else darker(coat, 0.5)
    parts = [torso, neck, head]
    for s in SIDES:
        parts.append(
            moved(cone(0.035, 0.12, segments=8, **look), (hx - 0.03, s * 0.045, hz + 0.1), rotation=turn("x", -s * 8))
        )
        parts.append(sphere(0.022, (hx + 0.1, s * 0.068, hz + 0.01), 6, colour=DARK, gloss=0.9))
        parts.append(sphere(0.014, (hx + 0.315, s * 0.035, hz - 0.24), 6, colour=DARK))
        parts += _horse_legs(rng, s, z, leg, girth, coat, socks)
    parts += _horse_hair(rng, hx, hz, z, lift, mane)
    return upright(joined(parts))


def _horse_colours(rng: np.random.Generator) -> tuple[Colour, Colour]:
    brown = hsv(rng, (0.03, 0.07), (0.55, 0.75), (0.35, 0.65))
    return (
        (brown, (0.08, 0.06, 0.05)),
        (brown, darker(brown, 1.25)),
        (hsv(rng, (0.09, 0.12), (0.4, 0.55), (0.8, 0.9)), (0.95, 0.92, 0.85)),
        (hsv(rng, (0.55, 0.65), (0.0, 0.06), (0.6, 0.92)), (0.5, 0.5, 0.52)),
        (hsv(rng, (0.0, 0.08), (0.1, 0.3), (0.14, 0.22)), (0.05, 0.05, 0.05)),
    )[int(rng.integers(5))]


def _horse_hair(rng: np.random.Generator, hx: float, hz: float, z: float, lift: float, colour: Colour) -> list[Mesh]:
    """A mane that falls to one side, and the tail."""
    rows = [
        (0.3, z + 0.27),
        (0.46, z + 0.42 + 0.4 * lift),
        (hx - 0.12, hz + 0.1),
        (hx + 0.02, hz + 0.14),
        (hx + 0.1, hz + 0.08),
    ]
    crest = spline([(x, 0, h) for x, h in rows], 9)
    side, drop = int(rng.choice(SIDES)), rng.uniform(0.1, 0.2)
    grid = np.stack([crest + (0, side * 0.035 * k, -drop * k * k / 4) for k in (0, 1, 1.6, 2)], 1)
    grid[:, 1:, 1] += side * np.array([0.04, 0.045, 0.03])
    tail = [
        (-0.52, 0, z + 0.15, 0.03, 0.03),
        (-0.62, 0, z + 0.08, 0.05, 0.05),
        (-0.67, 0, z - 0.15, 0.06, 0.065),
        (-0.66, 0, z - 0.42, 0.02, 0.02),
    ]
    return [
        sheet(grid, 0.03, colour=colour, gloss=0.15),
        tube(crest, 0.03, segments=6, colour=colour, gloss=0.15),
        body(tail, rings=8, segments=8, colour=colour, gloss=0.15),
    ]


def _horse_legs(
    rng: np.random.Generator, s: int, z: float, leg: float, girth: float, coat: Colour, socks: Colour
) -> list[Mesh]:
    parts = []
    for at in (-0.38, 0.34):
        sway, y, bend = rng.uniform(-0.08, 0.08), s * 0.55 * girth, 0.07 if at < 0 else 0.0
        rows = [
            (at + 0.02, 0.7 * y, z, 0.07, 0.16 if at < 0 else 0.11),
            (at + 0.01, y, 0.72 * leg, 0.06, 0.085),
            (at - bend + sway / 2, y, 0.45 * leg, 0.038, 0.045),
            (at - 0.8 * bend + 0.8 * sway, y, 0.2 * leg, 0.028, 0.03),
            (at - 0.5 * bend + sway, y, 0.06, 0.036, 0.036),
        ]
        limb = body(rows, rings=10, segments=8, ends=(0.6, 0), colour=coat, paint=1.0, gloss=0.25)
        parts.append(blended(limb, (0.3 * leg - limb.vertices[:, 2]) / 0.05, socks))
        foot = at - 0.5 * bend + sway
        parts.append(
            tube(
                [(foot + 0.02, y, 0), (foot, y, 0.075)], (0.055, 0.036), segments=8, colour=(0.15, 0.12, 0.1), gloss=0.3
            )
        )
    return parts
