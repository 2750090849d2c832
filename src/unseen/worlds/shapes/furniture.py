"""Tables, beds and bookcases. Lengths in metres until ``upright``; shapes and sizes are ours."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.materials import Colour, darker, dye, metal, pale, wood
from unseen.worlds.shapes.primitives import arc, box, cylinder, extrude, lathe, rounded_box, sphere, tube, turn


def table(rng: np.random.Generator) -> Mesh:
    """A table, the same from the front (+x) and back: on four legs, on trestles or on one foot, square or round."""
    height, top = rng.uniform(0.60, 0.78), rng.uniform(0.025, 0.05)
    surface, frame = wood(rng), wood(rng) if rng.random() < 0.5 else metal(rng)
    kind = rng.integers(5)
    if kind >= 3:
        return _round_table(rng, height, top, surface, frame, foot=bool(kind == 3))
    depth, width = rng.uniform(0.7, 0.95), rng.uniform(1.1, 1.8)
    parts = [box((depth, width, top), centre=(0, 0, height - top / 2), bevel=0.01, colour=surface, paint=1, gloss=0.35)]
    if kind == 2:
        return joined([*parts, *_trestles(depth, width, height - top, frame)])
    radius = rng.uniform(0.025, 0.045)
    parts += four_legs(rng, depth - 0.06, width - 0.06, height - top, frame, radius)
    apron = rng.uniform(0.06, 0.11)
    z, x, y = height - top - apron / 2, depth / 2 - 0.03 - radius, width / 2 - 0.03 - radius
    for s in (-1, 1):
        parts.append(box((0.022, 2 * y, apron), centre=(s * x, 0, z), colour=darker(frame, 0.9)))
        parts.append(box((2 * x, 0.022, apron), centre=(0, s * y, z), colour=darker(frame, 0.9)))
    if rng.random() < 0.35:
        for y in np.linspace(-width / 5, width / 5, int(rng.integers(1, 3))):
            parts.append(box((0.02, width * 0.22, apron * 0.75), centre=(x + 0.012, y, z), bevel=0.004, colour=surface))
            parts.append(sphere(0.016, (x + 0.034, y, z), 8, colour=(0.75, 0.6, 0.3), gloss=0.8))
    return joined(parts)


def _trestles(depth: float, width: float, height: float, colour: Colour) -> list[Mesh]:
    parts = [
        tube([(0, -width * 0.34, height * 0.35), (0, width * 0.34, height * 0.35)], 0.025, segments=8, colour=colour)
    ]
    for y in (-width * 0.34, width * 0.34):
        parts.append(box((depth * 0.8, 0.06, 0.04), centre=(0, y, height - 0.02), colour=colour))
        parts += [
            tube([(s * depth * 0.42, y, 0), (s * depth * 0.06, y, height - 0.02)], 0.025, segments=8, colour=colour)
            for s in (-1, 1)
        ]
        parts.append(
            tube(
                [(-depth * 0.28, y, height * 0.35), (depth * 0.28, y, height * 0.35)], 0.018, segments=6, colour=colour
            )
        )
    return parts


def _round_table(
    rng: np.random.Generator, height: float, top: float, surface: Colour, frame: Colour, *, foot: bool
) -> Mesh:
    radius = rng.uniform(0.45, 0.7)
    edge = [
        (0, height - top),
        (radius - 0.015, height - top),
        (radius, height - top * 0.6),
        (radius, height - top * 0.3),
        (radius - 0.012, height),
        (0, height),
    ]
    parts = [lathe(edge, segments=28, colour=surface, paint=1, gloss=0.35)]
    if not foot:
        parts.append(
            cylinder(radius * 0.72, 0.07, base=(0, 0, height - top - 0.07), segments=24, colour=darker(frame, 0.9))
        )
        reach = radius * 1.25
        return joined([*parts, *four_legs(rng, reach, reach, height - top, frame, rng.uniform(0.02, 0.035))])
    r = rng.uniform(0.03, 0.06)
    column = [
        (0, 0),
        (radius * 0.55, 0),
        (radius * 0.55, 0.025),
        (radius * 0.2, 0.06),
        (r, 0.14),
        (r * 1.5, height * 0.45),
        (r, height * 0.75),
        (radius * 0.35, height - top),
        (0, height - top),
    ]
    return joined([*parts, lathe(column, segments=20, colour=frame, gloss=0.4)])


def four_legs(
    rng: np.random.Generator, depth: float, width: float, height: float, colour: Colour, radius: float
) -> list[Mesh]:
    """Square, round or splayed tapered legs below ``height``, sometimes with stretchers between them."""
    style = rng.integers(3)
    splay = rng.uniform(0.03, 0.07) if style == 2 else 0.0
    parts = []
    for x in (-1, 1):
        for y in (-1, 1):
            top = np.array([x * (depth / 2 - radius), y * (width / 2 - radius), height])
            foot = np.array([top[0] + x * splay, top[1] + y * splay, 0.0])
            if style == 0:
                size, middle = (2 * radius, 2 * radius, height), (top[0], top[1], height / 2)
                parts.append(box(size, centre=middle, bevel=radius * 0.2, colour=colour))
            else:
                parts.append(tube([foot, top], [radius * 0.6, radius * 1.05], segments=12, colour=colour, gloss=0.3))
    if style != 2 and rng.random() < 0.5:
        z = height * rng.uniform(0.25, 0.45)
        x, y = depth / 2 - radius, width / 2 - radius
        ends = [((-x, -y, z), (x, -y, z)), ((-x, y, z), (x, y, z)), ((0, -y, z), (0, y, z))]
        parts += [tube(pair, radius * 0.55, segments=6, colour=colour, gloss=0.3) for pair in ends]
    return parts


def bed(rng: np.random.Generator) -> Mesh:
    """A bed whose foot points towards +x, the headboard at −x: single or double, made, with pillows."""
    double = rng.random() < 0.6
    length, width = rng.uniform(1.9, 2.1), rng.uniform(1.45, 1.8) if double else rng.uniform(0.95, 1.1)
    legs, frame_height, mattress = rng.uniform(0.12, 0.25), rng.uniform(0.12, 0.2), rng.uniform(0.18, 0.28)
    frame, cover, linen = wood(rng), dye(rng), pale(rng)
    lie = legs + frame_height + mattress - 0.05
    head = lie + rng.uniform(0.32, 0.6)
    parts = [box((length, width, frame_height), centre=(0, 0, legs + frame_height / 2), bevel=0.015, colour=frame)]
    parts.append(
        rounded_box(
            (length - 0.06, width - 0.05, mattress), 0.06, (0.01, 0, lie - mattress / 2), colour=linen, gloss=0.03
        )
    )
    parts += _bedding(rng, length, width, lie, mattress, cover, 2 if double else 1, linen)
    parts += _headboard(rng, -length / 2 - 0.03, width, head, frame, dye(rng, saturation=(0.15, 0.6)))
    if rng.random() < 0.4:
        parts += _headboard(rng, length / 2 + 0.03, width, lie + rng.uniform(0.02, 0.15), frame, frame)
    inset = 0.06
    for x in (-length / 2 + inset, length / 2 - inset):
        for y in (-width / 2 + inset, width / 2 - inset):
            parts.append(box((0.07, 0.07, legs + 0.02), centre=(x, y, (legs + 0.02) / 2), colour=darker(frame, 0.8)))
    return joined(parts)


def _bedding(
    rng: np.random.Generator,
    length: float,
    width: float,
    lie: float,
    mattress: float,
    cover: Colour,
    pillows: int,
    linen: Colour,
) -> list[Mesh]:
    reach, drop = rng.uniform(0.58, 0.75) * length, mattress * rng.uniform(0.7, 0.95)
    foot = length / 2 + 0.012
    y = width / 2 + 0.012
    blanket = rounded_box(
        (reach, 2 * y, drop + 0.04),
        0.05,
        (foot - reach / 2, 0, lie + 0.035 - (drop + 0.04) / 2),
        colour=cover,
        paint=1,
        gloss=0.04,
    )
    fold = rng.uniform(0.15, 0.3)
    turned = rounded_box(
        (fold, 2 * y + 0.012, drop + 0.05),
        0.05,
        (foot - reach + fold / 2 - 0.015, 0, lie + 0.05 - (drop + 0.05) / 2),
        colour=darker(linen, 0.97),
        gloss=0.03,
    )
    parts = [blanket, turned]
    if rng.random() < 0.4:
        band = rng.uniform(0.3, 0.5)
        parts.append(
            rounded_box(
                (band, 2 * y + 0.014, drop + 0.03),
                0.05,
                (foot - 0.12 - band / 2, 0, lie + 0.048 - (drop + 0.03) / 2),
                colour=dye(rng),
                gloss=0.04,
            )
        )
    piece = (width - 0.1) / pillows
    tone = pale(rng) if rng.random() < 0.6 else dye(rng, saturation=(0.2, 0.5), value=(0.7, 0.95))
    for k in range(pillows):
        pillow = rounded_box((0.40, piece - 0.06, 0.17), 0.085, colour=tone, gloss=0.03)
        parts.append(
            moved(
                pillow, (-length / 2 + 0.27, (k + 0.5) * piece - width / 2 + 0.05, lie + 0.07), rotation=turn("y", -14)
            )
        )
    return parts


def _headboard(
    rng: np.random.Generator, x: float, width: float, high: float, frame: Colour, cloth: Colour
) -> list[Mesh]:
    """A panel, an arched panel, upholstery, or posts with bars."""
    style = rng.integers(4)
    half = width / 2
    if style == 0:
        panel = box((0.06, width + 0.02, high - 0.1), centre=(x, 0, (high + 0.1) / 2), bevel=0.015, colour=frame)
        return [panel, box((0.09, width + 0.06, 0.05), centre=(x, 0, high), bevel=0.012, colour=darker(frame, 0.85))]
    if style == 1:
        rise = 0.13 * width
        outline = np.concatenate([[(-half, 0.1), (half, 0.1)], arc((0, high - rise), (half, rise), 0, 180, 15)])
        return [moved(extrude(outline, 0.06, axis="x", colour=frame), (x, 0, 0))]
    if style == 2:
        pads = int(rng.integers(2, 5))
        body = [box((0.05, width + 0.01, high - 0.14), centre=(x, 0, (high + 0.06) / 2), colour=darker(cloth, 0.8))]
        side = width / pads
        return body + [
            rounded_box(
                (0.12, side - 0.01, high - 0.12),
                0.045,
                (x, (k + 0.5) * side - half, (high + 0.12) / 2),
                colour=cloth,
                gloss=0.05,
            )
            for k in range(pads)
        ]
    posts = [tube([(x, s * half, 0), (x, s * half, high)], 0.03, segments=8, colour=frame, gloss=0.5) for s in (-1, 1)]
    knobs = [sphere(0.05, (x, s * half, high + 0.03), 10, colour=frame, gloss=0.5) for s in (-1, 1)]
    rails = [
        tube([(x, -half, z), (x, half, z)], 0.022, segments=8, colour=frame, gloss=0.5) for z in (high - 0.04, 0.3)
    ]
    bars = [
        tube([(x, y, 0.3), (x, y, high - 0.04)], 0.014, segments=6, colour=frame, gloss=0.5)
        for y in np.linspace(-half, half, int(rng.integers(7, 12)))[1:-1]
    ]
    return [*posts, *knobs, *rails, *bars]


def shelf(rng: np.random.Generator) -> Mesh:
    """A bookcase towards +x with books and ornaments. It has no back, and often open sides, so that it shows its books
    from everywhere: a closed one is a crate from behind."""
    boards = int(rng.integers(3, 6))
    width, depth, gap = rng.uniform(0.7, 1.3), rng.uniform(0.25, 0.34), rng.uniform(0.28, 0.36)
    frame, thick, low = wood(rng), rng.uniform(0.022, 0.04), 0.08
    height, ladder = boards * gap + thick + low, rng.random() < 0.75
    post = metal(rng) if rng.random() < 0.5 else frame
    parts = []
    for y in (-(width + thick) / 2, (width + thick) / 2):
        if not ladder:
            parts.append(box((depth, thick, height), centre=(0, y, height / 2), colour=frame, paint=1))
            continue
        size, ends = (0.034, 0.034, height + 0.06), (-depth / 2 + 0.02, depth / 2 - 0.02)
        parts += [box(size, centre=(x, y, size[2] / 2), colour=post, gloss=0.4) for x in ends]
        for k in range(boards + 1):
            z = low + k * gap + thick + 0.05
            parts.append(box((depth - 0.06, 0.018, 0.018), centre=(0, y, z), colour=post, gloss=0.4))
    for k in range(boards + 1):
        z = low + k * gap + thick / 2
        across = width + (2 * thick if ladder else 0.002)
        parts.append(box((depth - 0.002, across, thick), centre=(0, 0, z), colour=darker(frame, 0.96), paint=1))
        if k < boards:
            parts += _shelved(rng, width - 0.02, depth, z + thick / 2, gap - thick)
    return joined(parts)


def _shelved(rng: np.random.Generator, width: float, depth: float, low: float, room: float) -> list[Mesh]:
    """What stands on one board: a run of books, the last ones leaning or missing, perhaps an ornament beside them."""
    parts, y = [], -width / 2
    end = width / 2 - (rng.uniform(0.15, 0.5) * width if rng.random() < 0.6 else 0.03)
    while True:
        thick, high = rng.uniform(0.03, 0.075), room * rng.uniform(0.6, 0.92)
        if y + thick > end:
            break
        deep = depth * rng.uniform(0.6, 0.8)
        parts.append(
            box(
                (deep, thick - 0.003, high),
                centre=(0.02, y + thick / 2, low + high / 2),
                colour=dye(rng, saturation=(0.1, 0.8), value=(0.25, 0.9)),
                gloss=0.1,
            )
        )
        y += thick
    left = width / 2 - y
    if left > 0.14:
        r = min(left * 0.35, room * 0.3, 0.08)
        place = (0.03, y + left / 2)
        if rng.random() < 0.5:
            vase = np.array([(0, 0), (0.6, 0), (1, 0.8), (0.9, 1.3), (0.45, 1.9), (0.55, 2.3), (0, 2.2)]) * r
            parts.append(moved(lathe(vase, segments=12, colour=dye(rng), gloss=0.6), (*place, low)))
        else:
            parts.append(sphere(r, (*place, low + r), 12, colour=dye(rng), gloss=0.5))
    return parts
