"""Buildings: house, windmill. Lengths in metres until ``upright``; shapes and sizes are ours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.materials import Colour, darker, dye, pale, varied, wood
from unseen.worlds.shapes.primitives import Axis, box, cylinder, extrude, lathe, loft, plate, sphere, torus, tube, turn

ROOFS: tuple[Colour, ...] = (
    (0.62, 0.26, 0.18),
    (0.50, 0.22, 0.16),
    (0.34, 0.34, 0.38),
    (0.42, 0.30, 0.22),
    (0.24, 0.30, 0.36),
)
BRICKS: tuple[Colour, ...] = ((0.66, 0.36, 0.27), (0.74, 0.52, 0.38), (0.80, 0.74, 0.62))
PANE: Colour = (0.30, 0.42, 0.52)


def house(rng: np.random.Generator) -> Mesh:
    """A house with its door towards +x: one or two storeys, a gable or hip roof, windows all round, a chimney."""
    storeys = 1 + int(rng.random() < 0.5)
    width, depth = rng.uniform(6.5, 9.5), rng.uniform(5.5, 7.0)
    storey = rng.uniform(2.5, 2.9) if storeys == 2 else rng.uniform(3.0, 3.4)
    wall, roof = _plaster(rng), varied(rng, ROOFS[int(rng.integers(len(ROOFS)))], 0.05)
    height, rise = storeys * storey, rng.uniform(1.9, 3.2)
    trim, accent = (0.95, 0.95, 0.93), dye(rng, value=(0.25, 0.6))
    hip = rng.random() < 0.25
    axis: Axis = "y" if width > depth * 1.15 or rng.random() < 0.5 else "x"
    parts = [box((depth + 0.25, width + 0.25, 0.35), centre=(0, 0, 0.175), colour=(0.55, 0.54, 0.52))]
    parts += (
        _hip_roof(depth, width, height, rise, wall, roof)
        if hip
        else _gable_roof(depth, width, height, rise, axis, wall, roof)
    )
    parts += _front(rng, depth, trim, accent, porch=storeys == 2 or (axis == "x" and not hip))
    shutters = accent if rng.random() < 0.5 else None
    for floor in range(storeys):
        z = floor * storey + storey * 0.56
        for y in np.linspace(-width / 2, width / 2, 5)[[1, 3]]:
            parts.append(moved(_window(trim, shutters), (-depth / 2, y, z), rotation=turn("z", 180)))
        for s in (-1, 1):
            parts += [
                moved(_window(trim, None), (x, s * width / 2, z), rotation=turn("z", s * 90.0))
                for x in (-depth / 4, depth / 4)
            ]
        if floor:
            parts.append(moved(_window(trim, shutters), (depth / 2, 0, z)))
        parts += [moved(_window(trim, shutters), (depth / 2, s * width * 0.31, z)) for s in (-1, 1)]
    if not hip:
        end = (depth / 2, 0.0, 0) if axis == "x" else (0, width / 2, 90)
        for s in (0, 180):
            place = turn("z", s) @ np.array([end[0], end[1], 0])
            parts.append(
                moved(
                    _window(trim, None, 0.7), (place[0], place[1], height + rise * 0.33), rotation=turn("z", end[2] + s)
                )
            )
    return joined([*parts, *_chimney(rng, depth, width, height, rise)])


def _plaster(rng: np.random.Generator) -> Colour:
    if rng.random() < 0.3:
        return varied(rng, BRICKS[int(rng.integers(len(BRICKS)))], 0.04)
    return pale(rng) if rng.random() < 0.4 else dye(rng, saturation=(0.15, 0.4), value=(0.75, 0.95))


def _gable_roof(
    depth: float, width: float, height: float, rise: float, axis: Axis, wall: Colour, roof: Colour
) -> list[Mesh]:
    """Walls up into the gables, and two slopes over them; the ridge runs along ``axis``."""
    half, long = (depth / 2, width) if axis == "y" else (width / 2, depth)
    gable = [(-half, 0), (half, 0), (half, height), (0, height + rise), (-half, height)]
    slope = rise / half
    out, thick = 0.55, 0.28
    low = height - slope * out
    chevron = [
        (-half - out, low),
        (0, height + rise),
        (half + out, low),
        (half + out, low + thick),
        (0, height + rise + thick * 1.25),
        (-half - out, low + thick),
    ]
    ridge = box(
        (0.3, long + 1.0, 0.16) if axis == "y" else (long + 1.0, 0.3, 0.16),
        centre=(0, 0, height + rise + thick * 1.2),
        bevel=0.04,
        colour=darker(roof, 0.8),
    )
    walls = extrude(gable, long, axis=axis, colour=wall, paint=1, gloss=0.05)
    return [walls, extrude(chevron, long + 0.9, axis=axis, colour=roof, gloss=0.1), ridge]


def _hip_roof(depth: float, width: float, height: float, rise: float, wall: Colour, roof: Colour) -> list[Mesh]:
    x, y, ridge = depth / 2 + 0.5, width / 2 + 0.5, max(width - depth, 0.6) / 2
    eaves = np.array([(-x, -y, height - 0.1), (x, -y, height - 0.1), (x, y, height - 0.1), (-x, y, height - 0.1)])
    top = np.array(
        [
            (-0.1, -ridge, height + rise),
            (0.1, -ridge, height + rise),
            (0.1, ridge, height + rise),
            (-0.1, ridge, height + rise),
        ]
    )
    walls = box((depth, width, height), centre=(0, 0, height / 2), colour=wall, paint=1, gloss=0.05)
    return [walls, loft([eaves, eaves + (0, 0, 0.22), top], smooth=False, colour=roof, gloss=0.1)]


def _window(trim: Colour, shutters: Colour | None, size: float = 1.0) -> Mesh:
    """In the plane x = 0, looking along +x: frame, pane, bars, sill; shutters beside it."""
    w, h = 1.05 * size, 1.25 * size
    parts = [
        box((0.12, w + 0.22, h + 0.22), colour=trim),
        box((0.16, w, h), colour=PANE, gloss=0.9),
        box((0.20, 0.07, h), colour=trim),
        box((0.20, w, 0.07), colour=trim),
        box((0.34, w + 0.36, 0.1), centre=(0.04, 0, -h / 2 - 0.12), colour=trim),
    ]
    if shutters:
        parts += [box((0.14, 0.48, h + 0.12), centre=(0.02, s * (w / 2 + 0.36), 0), colour=shutters) for s in (-1, 1)]
    return joined(parts)


def _front(rng: np.random.Generator, depth: float, trim: Colour, accent: Colour, *, porch: bool) -> list[Mesh]:
    """The door with its steps, and perhaps a porch on posts."""
    x, high = depth / 2, 2.05
    parts = [
        box((0.14, 1.35, high + 0.15), centre=(x, 0, 0.35 + high / 2), colour=trim),
        box((0.22, 1.05, high), centre=(x, 0, 0.35 + high / 2), colour=accent, gloss=0.4),
        box((0.26, 0.7, high * 0.3), centre=(x, 0, 0.35 + high * 0.75), colour=PANE, gloss=0.9),
        sphere(0.09, (x + 0.15, 0.38, 0.3 + high * 0.48), 8, colour=(0.85, 0.7, 0.3), gloss=0.9),
        box((1.0, 1.9, 0.3), centre=(x + 0.5, 0, 0.15), colour=(0.62, 0.61, 0.58)),
        box((0.5, 1.9, 0.15), centre=(x + 1.2, 0, 0.075), colour=(0.66, 0.65, 0.62)),
    ]
    if rng.random() < 0.5 and porch:
        top = 0.35 + high + 0.3
        parts += [cylinder(0.1, top - 0.3, base=(x + 0.85, s * 0.85, 0.3), segments=8, colour=trim) for s in (-1, 1)]
        roof = [(-1.25, top), (1.25, top), (0, top + 0.75)]
        parts.append(moved(extrude(roof, 1.3, axis="x", colour=darker(accent, 0.9)), (x + 0.5, 0, 0)))
    return parts


def _chimney(rng: np.random.Generator, depth: float, width: float, height: float, rise: float) -> list[Mesh]:
    x, y = -depth * rng.uniform(0.08, 0.16), rng.choice((-1, 1)) * width * rng.uniform(0.12, 0.28)
    top, brick = height + rise + rng.uniform(0.5, 1.0), varied(rng, BRICKS[0], 0.06)
    parts = [box((0.8, 0.8, top - height + 0.2), centre=(x, y, (top + height - 0.2) / 2), colour=brick)]
    parts.append(box((0.98, 0.98, 0.18), centre=(x, y, top), colour=darker(brick, 0.75)))
    return [*parts, cylinder(0.2, 0.35, base=(x, y, top), segments=10, colour=(0.62, 0.35, 0.22))]


def windmill(rng: np.random.Generator) -> Mesh:
    """A windmill with its sails towards +x: a Dutch tower mill or smock mill, or a white island mill with jibs."""
    if rng.random() < 0.2:
        return _island_mill(rng)
    sides = int(rng.choice([8, 8, 24]))
    height, base, top = rng.uniform(8.5, 10.5), rng.uniform(2.4, 2.9), rng.uniform(1.35, 1.6)
    brick = _plaster(rng) if rng.random() < 0.5 else varied(rng, BRICKS[0], 0.06)
    upper = (
        brick if sides == 24 else wood(rng) if rng.random() < 0.6 else dye(rng, saturation=(0.2, 0.5), value=(0.3, 0.6))
    )
    split = height * rng.uniform(0.3, 0.42)

    def at(z: float) -> float:
        return base + (top - base) * (z / height) ** 0.85

    low = [(0, 0), (base + 0.05, 0), *[(at(z) + 0.05, z) for z in np.linspace(0.8, split, 3)], (0, split)]
    high = [(0, split), *[(at(z), z) for z in np.linspace(split, height, 5)], (0, height)]
    parts = [lathe(low, segments=sides, smooth=sides > 8, colour=brick, gloss=0.05, paint=float(sides == 24))]
    parts.append(lathe(high, segments=sides, smooth=sides > 8, colour=upper, gloss=0.1, paint=1))
    parts += _openings(at, height, split, dye(rng, value=(0.25, 0.5)))
    if rng.random() < 0.65:
        parts += _gallery(at(split), split, wood(rng))
    cap_colour = varied(rng, ((0.30, 0.22, 0.18), (0.35, 0.36, 0.40), (0.55, 0.27, 0.2))[int(rng.integers(3))], 0.04)
    cap = np.array([(1.12, -0.12), (1.16, 0.05), (1.05, 0.5), (0.75, 0.95), (0.35, 1.22), (0, 1.32)]) * (
        top,
        rng.uniform(1.2, 1.7),
    )
    cap[:, 1] += height
    parts.append(moved(lathe([(0, cap[0, 1]), *cap], segments=20, colour=cap_colour, gloss=0.2), scale=(1.12, 1, 1)))
    hub = height + 0.75
    beam = wood(rng)
    parts.append(tube([(-0.5, 0, hub), (top + 1.0, 0, hub)], 0.28, segments=10, colour=darker(beam, 0.7)))
    parts.append(sphere(0.42, (top + 0.95, 0, hub), 10, colour=darker(beam, 0.6)))
    length = min(hub - 0.6, rng.uniform(6.0, 7.8))
    start, cloth = rng.uniform(0, 90), pale(rng) if rng.random() < 0.7 else dye(rng)
    parts += [
        moved(_sail(length, beam, cloth), (top + 0.95, 0, hub), rotation=turn("x", start + 90 * k)) for k in range(4)
    ]
    tail = [(-top * 1.1, 0, height + 0.5), (-base * 1.95, 0, 0.1)]
    parts.append(tube(tail, [0.16, 0.12], segments=6, colour=beam))
    return joined(parts)


def _openings(at: Callable[[float], float], height: float, split: float, colour: Colour) -> list[Mesh]:
    """A door at the front and the back, and windows up the tower."""
    parts = []
    for side in (0, 180):
        lean = box((0.5, 1.25, 2.2), colour=(0.93, 0.92, 0.88))
        leaf = box((0.62, 0.95, 1.95), colour=colour)
        parts.append(
            moved(joined([lean, leaf]), turn("z", side) @ np.array([at(1.0) - 0.12, 0, 1.1]), rotation=turn("z", side))
        )
    for k, z in enumerate((split + 1.4, split + 3.4)):
        for side in (90 * k, 90 * k + 180, 45 + 90 * k, 225 + 90 * k):
            place = turn("z", side) @ np.array([at(z) - 0.14, 0, z])
            if z < height - 0.8:
                frame = joined(
                    [box((0.4, 0.8, 1.0), colour=(0.95, 0.94, 0.9)), box((0.5, 0.6, 0.8), colour=PANE, gloss=0.8)]
                )
                parts.append(moved(frame, place, rotation=turn("z", side)))
    return parts


def _gallery(radius: float, z: float, colour: Colour) -> list[Mesh]:
    """A wooden walk around the tower with a railing, and the struts that carry it."""
    reach = radius + 0.95
    floor = [
        (radius - 0.1, z - 0.12),
        (reach, z - 0.12),
        (reach, z + 0.06),
        (radius - 0.1, z + 0.06),
        (radius - 0.1, z - 0.12),
    ]
    parts = [lathe(floor, segments=16, colour=colour)]
    parts.append(torus(reach - 0.08, 0.06, (0, 0, z + 0.85), segments=16, sides=5, colour=colour))
    for k in range(12):
        c, s = np.cos(k * np.pi / 6), np.sin(k * np.pi / 6)
        x, y = (reach - 0.08) * c, (reach - 0.08) * s
        parts.append(tube([(x, y, z), (x, y, z + 0.85)], 0.05, segments=4, colour=colour))
        parts.append(tube([(radius * c, radius * s, z - 1.0), (x, y, z - 0.1)], 0.06, segments=4, colour=colour))
    return parts


def _sail(length: float, wood_colour: Colour, cloth: Colour) -> Mesh:
    """One arm along +z in the plane x = 0: a spar, a lattice beside it and canvas behind, turned into the wind."""
    wide, start = length * 0.24, length * 0.2
    parts = [tube([(0, 0, 0), (0, 0, length)], [0.17, 0.10], segments=6, colour=wood_colour)]
    canvas = [(-0.06, 0.08, start), (-0.06, wide, start), (-0.06, wide, length - 0.05), (-0.06, 0.08, length - 0.05)]
    sheet = [plate(canvas, 0.05, colour=cloth, gloss=0.05)]
    sheet += [
        box((0.09, wide + 0.35, 0.09), centre=(0, wide / 2 - 0.1, z), colour=wood_colour)
        for z in np.linspace(start, length - 0.1, 8)
    ]
    sheet += [
        box((0.08, 0.08, length - start), centre=(0, y, (length + start) / 2), colour=wood_colour)
        for y in (wide * 0.55, wide)
    ]
    return joined([*parts, moved(joined(sheet), rotation=turn("z", 14))])


def _island_mill(rng: np.random.Generator) -> Mesh:
    """A round white tower with a thatched cone, and eight to twelve poles with triangular jibs (Aegean)."""
    height, radius = rng.uniform(6.0, 7.5), rng.uniform(2.1, 2.6)
    thatch, beam, cloth = (
        varied(rng, (0.55, 0.43, 0.28), 0.06),
        wood(rng, bare=True),
        pale(rng) if rng.random() < 0.5 else dye(rng),
    )

    def at(z: float) -> float:
        return radius * (1 - 0.16 * z / height)

    walls = [(0, 0), (radius + 0.04, 0), *[(at(z), z) for z in np.linspace(0.3, height, 4)], (0, height)]
    parts = [lathe(walls, segments=24, colour=(0.95, 0.95, 0.92), paint=1, gloss=0.1)]
    cone = [
        (0, height - 0.15),
        (at(height) + 0.35, height - 0.2),
        (at(height) + 0.3, height + 0.1),
        (0.9, height + 1.5),
        (0, height + 2.1),
    ]
    parts.append(lathe(cone, segments=20, colour=thatch, gloss=0.02))
    parts += _openings(at, height + 0.4, height * 0.18, dye(rng, hue=(0.55, 0.65), value=(0.35, 0.6)))
    hub, front = height + 0.35, radius + 1.2
    parts.append(tube([(0, 0, hub), (front + 0.8, 0, hub)], 0.16, segments=8, colour=beam))
    poles, length, start = int(rng.integers(8, 13)), min(hub - 0.6, rng.uniform(4.4, 5.6)), rng.uniform(0, 45)
    angles = np.deg2rad(start + np.arange(poles) * 360 / poles)
    tips = np.stack([np.full(poles, front), np.cos(angles) * length, hub + np.sin(angles) * length], 1)
    middle = np.array([front, 0, hub])
    for k, tip in enumerate(tips):
        after = tips[(k + 1) % poles]
        parts.append(tube([middle, tip], [0.09, 0.06], segments=5, colour=beam))
        parts.append(tube([tip, after], 0.025, segments=4, colour=darker(beam, 0.7)))
        inner, corner = middle + (tip - middle) * 0.35, tip + (after - tip) * 0.55 + np.array([0.2, 0, 0])
        outer = middle + (tip - middle) * 0.97
        jib = np.stack([inner, outer, corner])
        parts.append(loft([jib - (0.03, 0, 0), jib + (0.03, 0, 0)], smooth=False, colour=cloth, gloss=0.05))
    return joined(parts)
