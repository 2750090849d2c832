"""Tables, desks, beds, bookcases and wardrobes: tops, drawers, doors and boards on the legs that seats have, too."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes, any_colour, finished, finishes, mixed
from unseen.worlds.everyday.frames import corners, legs, pedestal
from unseen.worlds.everyday.seats import cushion
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import box, cylinder, extrude, rounded_box, sphere, tube


def top(rng: Rng, f: Finish, depth: float, width: float, z: float, shape: str) -> Mesh:
    """A table top with its upper side at z: square, round, oval or with cut corners."""
    thick = between(rng, 0.018, 0.05)
    if shape == "square":
        return f(box((depth, width, thick), centre=(0, 0, z - thick / 2), bevel=0.006))
    n = 28 if shape != "cut" else 8
    a = 2 * np.pi * (np.arange(n) + 0.5) / n
    power = 1.0 if shape in ("round", "oval") else 0.75
    rim = np.column_stack(
        [
            np.sign(np.cos(a)) * np.abs(np.cos(a)) ** power * depth / 2,
            np.sign(np.sin(a)) * np.abs(np.sin(a)) ** power * width / 2,
        ]
    )
    return f(moved(extrude(rim, thick), (0, 0, z - thick / 2)))


def posts(depth: float, width: float) -> list[tuple[float, float]]:
    """The corners, from behind."""
    return corners(depth, width)[::-1]


def drawers(
    rng: Rng, f: Finishes, x: float, y: float, width: float, low: float, high: float, rows: int, columns: int = 1
) -> list[Mesh]:
    """Fronts of drawers on a side that looks along +x, each with a knob or a bar."""
    parts, knob = [], rng.random() < 0.6
    face = f.wood.darker(between(rng, 0.85, 1.1))
    for r in range(rows):
        for c in range(columns):
            h, w = (high - low) / rows, width / columns
            cy, cz = y - width / 2 + (c + 0.5) * w, low + (r + 0.5) * h
            parts.append(face(box((0.02, w * 0.94, h * 0.9), centre=(x, cy, cz), bevel=0.004)))
            for s in (-0.25, 0.25) if w > 0.55 else (0,):
                grip = (
                    sphere(0.018, (x + 0.025, cy + s * w, cz), 8)
                    if knob
                    else box((0.02, min(0.14, w / 3), 0.014), centre=(x + 0.02, cy + s * w, cz))
                )
                parts.append(f.metal(grip))
    return parts


def table(rng: Rng) -> Mesh:
    """For dining, for coffee, for the side; square, round, oval; on legs, a column or trestles."""
    f = finishes(rng)
    kind = str(rng.choice(["dining", "dining", "coffee", "side", "trestle"]))
    width, depth, z = {
        "dining": (between(rng, 1.1, 2.1), between(rng, 0.75, 1.0), between(rng, 0.7, 0.78)),
        "coffee": (between(rng, 0.8, 1.3), between(rng, 0.5, 0.8), between(rng, 0.35, 0.48)),
        "side": (between(rng, 0.4, 0.6), 0.45, between(rng, 0.5, 0.7)),
        "trestle": (between(rng, 1.3, 2.0), 0.8, 0.75),
    }[kind]
    shape = "square" if kind == "trestle" else str(rng.choice(["square", "square", "round", "oval", "cut"]))
    if shape == "round":
        width = depth = max(depth, min(width, 1.2))
    parts = [top(rng, f.wood if rng.random() < 0.7 else f.body, depth, width, z, shape)]
    inset = 0.7 if shape in ("round", "oval") else 0.92
    if kind == "trestle":
        parts += [
            f.wood(
                *[tube([(s * 0.12, y, z - 0.04), (s * depth * 0.42, y, 0)], 0.025, segments=6) for s in (1, -1)],
                box((depth * 0.8, 0.05, 0.05), centre=(0, y, z - 0.05)),
                box((depth * 0.45, 0.03, 0.03), centre=(0, y, z * 0.4)),
            )
            for y in (-width * 0.36, width * 0.36)
        ]
        parts.append(f.wood(box((0.05, width * 0.72, 0.06), centre=(0, 0, z * 0.4))))
    elif shape in ("round", "oval") and rng.random() < 0.5:
        parts += pedestal(rng, f, z - 0.03, depth * between(rng, 0.28, 0.4))
    else:
        parts += legs(rng, f, depth * inset, width * inset, z - 0.03)
        if rng.random() < 0.6 and shape in ("square", "cut"):
            parts.append(f.wood(box((depth * 0.88, width * 0.9, between(rng, 0.05, 0.1)), centre=(0, 0, z - 0.07))))
    if rng.random() < 0.2:
        cloth = f.cloth
        over = between(rng, 0.1, 0.3)
        grow = 1.03
        parts.append(
            cloth(box((depth * grow, width * grow, over), centre=(0, 0, z + 0.008 - over / 2), bevel=0.012))
            if shape == "square"
            else cloth(
                moved(
                    cylinder(0.5, over, segments=28, top_radius=0.485),
                    (0, 0, z + 0.006 - over),
                    scale=(depth * grow, width * grow, 1),
                )
            )
        )
    return stretched(finished(parts, f.atlas), rng, 0.07)


def desk(rng: Rng) -> Mesh:
    """A writing desk: drawers on one or both sides, or a panel behind the knees, some with a screen and books on it."""
    f = finishes(rng)
    kind = str(rng.choice(["single", "double", "panel", "secretary"]))
    width, depth, z = between(rng, 1.0, 1.7), between(rng, 0.55, 0.8), between(rng, 0.7, 0.78)
    board = f.wood
    parts = [top(rng, board if rng.random() < 0.6 else f.body, depth, width, z, "square")]
    side, front = between(rng, 0.32, 0.45), depth / 2 - 0.04
    places = {"single": (float(rng.choice([-1, 1])),), "double": (-1.0, 1.0)}.get(kind, ())
    low = float(rng.choice([0.03, 0.03, 0.12]))
    for s in places:
        y = s * (width / 2 - side / 2 - 0.02)
        parts.append(board(box((depth - 0.06, side, z - 0.03 - low), centre=(0, y, (z - 0.03 + low) / 2))))
        parts += drawers(rng, f, front, y, side, low + 0.02, z - 0.06, int(rng.integers(2, 5)))
        if low > 0.05:
            parts += [moved(leg, (0, y, 0)) for leg in legs(rng, f, depth * 0.85, side * 0.9, low, "square")]
    if kind == "single":
        y = -places[0] * (width / 2 - 0.04)
        parts.append(
            board(box((depth - 0.06, 0.03, z - 0.03), centre=(0, y, (z - 0.03) / 2)))
            if rng.random() < 0.5
            else f.metal(*[tube([(x, y, z - 0.02), (x, y, 0)], 0.02, segments=8) for x in (-depth * 0.4, depth * 0.4)])
        )
    if kind == "panel":
        parts += [
            board(box((depth - 0.06, 0.03, z - 0.03), centre=(0, s * (width / 2 - 0.03), (z - 0.03) / 2)))
            for s in (1, -1)
        ]
    if kind == "secretary":
        parts += legs(rng, f, depth * 0.94, width * 0.95, z - 0.12)
        parts.append(board(box((depth * 0.94, width * 0.95, 0.12), centre=(0, 0, z - 0.08))))
        parts += drawers(rng, f, depth * 0.47 + 0.005, 0, width * 0.93, z - 0.135, z - 0.03, 1, int(rng.integers(1, 4)))
    if kind in ("panel", "double", "single") and rng.random() < 0.8:
        parts.append(
            board(box((0.02, width - 0.08, z * between(rng, 0.3, 0.7)), centre=(-depth / 2 + 0.06, 0, z * 0.6)))
        )
    if rng.random() < 0.35:  # pigeon holes at the back
        h = between(rng, 0.2, 0.4)
        parts += [
            board(box((0.22, width * 0.95, 0.02), centre=(-depth / 2 + 0.12, 0, z + h))),
            *[
                board(box((0.22, 0.02, h), centre=(-depth / 2 + 0.12, u * width * 0.47, z + h / 2)))
                for u in np.linspace(-1, 1, int(rng.integers(3, 6)))
            ],
            board(box((0.015, width * 0.95, h), centre=(-depth / 2 + 0.02, 0, z + h / 2))),
        ]
    elif rng.random() < 0.6:
        s, w = between(rng, -0.2, 0.2) * width, between(rng, 0.4, 0.55)
        parts += [
            f.rubber(
                box((0.03, w, w * 0.6), centre=(-0.1, s, z + 0.12 + w * 0.3), bevel=0.006),
                box((0.03, 0.06, 0.16), centre=(-0.12, s, z + 0.08)),
                box((0.16, 0.22, 0.012), centre=(-0.1, s, z + 0.006)),
            ),
            Finish(mixed(any_colour(rng), (0.1, 0.12, 0.15), 0.5), 0.8)(
                box((0.004, w * 0.92, w * 0.53), centre=(-0.084, s, z + 0.12 + w * 0.3))
            ),
        ]
        parts.append(f.second(box((0.13, 0.4, 0.02), centre=(0.12, s, z + 0.01))))
    if rng.random() < 0.4:
        parts += [
            Finish(any_colour(rng), 0.1)(box((0.18, 0.26, 0.04), centre=(0.02, width * 0.36, z + 0.02 + 0.04 * k)))
            for k in range(int(rng.integers(1, 4)))
        ]
    return stretched(finished(parts, f.atlas), rng, 0.07)


def bed(rng: Rng) -> Mesh:
    """Single or double, its head of bars, a panel or a pad; bunks; a four-poster. Its foot points to the front."""
    f = finishes(rng)
    kind = str(rng.choice(["panel", "bars", "pad", "divan", "poster", "bunk"], p=[0.22, 0.2, 0.2, 0.13, 0.15, 0.1]))
    width, long = (
        (between(rng, 0.85, 1.0) if kind == "bunk" or rng.random() < 0.35 else between(rng, 1.35, 1.8)),
        between(rng, 1.9, 2.1),
    )
    z, head, foot = between(rng, 0.25, 0.45), between(rng, 0.75, 1.2), between(rng, 0.35, 0.7)
    frame = f.metal if kind == "bars" and rng.random() < 0.5 else f.wood
    linen = Finish(mixed(any_colour(rng), (1, 1, 1), 0.75), 0.03)
    cover = Finish(f.cloth.colour, 0.03, 2, 1.0)
    parts: list[Mesh] = []
    for level in (0.0, between(rng, 0.85, 1.0)) if kind == "bunk" else (0.0,):
        parts += _bedding(rng, frame, linen, cover, width, long, z + level, kind)
    if kind == "bunk":
        parts.append(frame(*[box((0.07, 0.07, z + 1.4), centre=(x, y, (z + 1.4) / 2)) for x, y in posts(long, width)]))
        ends = [
            box((0.04, width, 0.06), centre=(x, 0, h))
            for x in (-long / 2, long / 2)
            for h in np.linspace(z + 0.1, z + 1.35, 6)
        ]
        parts.append(frame(*ends, box((long, 0.03, 0.1), centre=(0, width / 2, z + 1.3))))
    elif kind == "poster":
        high = between(rng, 1.7, 2.1)
        parts.append(
            frame(*[tube([(x, y, 0), (x, y, high)], [0.045, 0.03], segments=8) for x, y in posts(long, width)])
        )
        parts.append(
            frame(
                *[box((long, 0.05, 0.05), centre=(0, y, high)) for y in (-width / 2, width / 2)],
                *[box((0.05, width, 0.05), centre=(x, 0, high)) for x in (-long / 2, long / 2)],
            )
        )
        parts.append(frame(box((0.04, width, head), centre=(-long / 2, 0, head / 2 + 0.1))))
        if rng.random() < 0.6:
            drape = Finish(linen.colour, 0.03, 2)
            parts.append(
                drape(
                    box((long, width, 0.03), centre=(0, 0, high + 0.02)),
                    *[rounded_box((0.12, 0.12, high - 0.1), 0.05, (x, y, high / 2)) for x, y in posts(long, width)],
                )
            )
    else:
        for x, h in ((-long / 2, head), (long / 2, foot)):
            if x > 0 and rng.random() < 0.45:
                continue
            if kind == "bars":
                parts.append(
                    frame(
                        tube(
                            [(x, -width / 2, 0), (x, -width / 2, h), (x, width / 2, h), (x, width / 2, 0)],
                            0.025,
                            segments=7,
                        ),
                        *[
                            tube([(x, y, z * 0.8), (x, y, h)], 0.012, segments=6)
                            for y in np.linspace(-width / 2, width / 2, int(rng.integers(6, 12)))[1:-1]
                        ],
                    )
                )
            elif kind == "pad":
                parts.append(f.cloth(rounded_box((0.1, width + 0.05, h), 0.04, (x, 0, h / 2))))
            elif kind == "panel":
                up = [
                    (-width / 2 - 0.03, 0),
                    (width / 2 + 0.03, 0),
                    (width / 2 + 0.03, h * 0.85),
                    (width / 4, h),
                    (-width / 4, h),
                    (-width / 2 - 0.03, h * 0.85),
                ]
                parts.append(frame(moved(extrude(up, 0.05, axis="x"), (x, 0, 0))))
    return stretched(finished(parts, f.atlas), rng, 0.06)


def _bedding(
    rng: Rng, frame: Finish, linen: Finish, cover: Finish, width: float, long: float, z: float, kind: str
) -> list[Mesh]:
    """A frame with a mattress, a blanket that hangs over, pillows."""
    thick = between(rng, 0.14, 0.26)
    low = 0.02 if kind == "divan" else z - 0.12
    parts = [
        (cover.darker(0.8) if kind == "divan" else frame)(
            box((long, width, z - low), centre=(0, 0, (z + low) / 2), bevel=0.01)
        )
    ]
    if kind not in ("divan", "bunk", "poster"):
        parts.append(
            frame(*[tube([(x, y, z), (x, y, 0)], 0.035, segments=6) for x, y in posts(0.94 * long, 0.92 * width)])
        )
    parts.append(linen(rounded_box((long - 0.04, width - 0.02, thick), 0.06, (0, 0, z + thick / 2))))
    reach, hang = between(rng, 0.55, 0.8) * long, between(rng, 0.06, 0.2)
    parts.append(
        cover(
            rounded_box(
                (reach, width + 0.05, thick + hang),
                0.06,
                (long / 2 - reach / 2 + 0.01, 0, z + thick / 2 + 0.03 - hang / 2),
            )
        )
    )
    if rng.random() < 0.5:
        parts.append(
            linen(rounded_box((0.22, width + 0.055, thick * 0.6), 0.05, (long / 2 - reach, 0, z + thick * 0.75 + 0.02)))
        )
    n = 1 if width < 1.1 else 2
    for k in range(n):
        y = (k + 0.5) / n * width - width / 2
        parts.append(cushion(linen, (0.38, width / n * 0.85, 0.14), (-long / 2 + 0.3, y, z + thick + 0.06), 10))
    return parts


def bookcase(rng: Rng) -> Mesh:
    """Shelves between sides, open to the front, with more or fewer books and things."""
    f = finishes(rng)
    width, depth, high = between(rng, 0.6, 1.5), between(rng, 0.26, 0.36), between(rng, 0.9, 2.1)
    rows, t = int(np.clip(round(high / between(rng, 0.3, 0.42)), 2, 6)), between(rng, 0.018, 0.035)
    open_ = rng.random() < 0.25  # a frame of metal, without sides
    board, gap = f.wood, (high - 0.08) / rows
    parts = [board(box((depth, width, t), centre=(0, 0, 0.08 + gap * k))) for k in range(rows + 1)]
    if open_:
        parts.append(
            f.metal(*[box((0.03, 0.03, high + 0.05), centre=(x, y, high / 2)) for x, y in posts(depth, width)])
        )
    else:
        parts.append(
            board(
                *[box((depth, t, high), centre=(0, s * width / 2, high / 2 + 0.01)) for s in (1, -1)],
                box((0.01, width, high - 0.08), centre=(-depth / 2 + 0.005, 0, high / 2 + 0.04)),
            )
        )
        if rng.random() < 0.3:
            parts.append(
                board(box((depth, t, high - 0.1), centre=(0, between(rng, -0.1, 0.1) * width, high / 2 + 0.04)))
            )
    full = between(rng, 0.5, 1.0)
    for k in range(rows):
        y, z = -width / 2 + t, 0.08 + gap * k + t / 2
        while y < width / 2 - 0.09:
            w = between(rng, 0.03, 0.1)
            if rng.random() < full and len(parts) < 90:
                h = gap * between(rng, 0.55, 0.85)
                parts.append(
                    Finish(any_colour(rng), 0.1, int(rng.choice([0, 3])))(
                        box((depth * between(rng, 0.55, 0.8), w * 0.92, h), centre=(0.01, y + w / 2, z + h / 2))
                    )
                )
            y += w
    return stretched(finished(parts, f.atlas), rng, 0.06)


def wardrobe(rng: Rng) -> Mesh:
    """A cupboard with doors, or with doors and drawers; with feet, a plinth, a cornice; or a chest of drawers."""
    f = finishes(rng)
    chest = rng.random() < 0.4
    width, depth = between(rng, 0.7, 1.8), between(rng, 0.42, 0.62)
    high = between(rng, 0.75, 1.25) if chest else between(rng, 1.6, 2.2)
    low = between(rng, 0.03, 0.16)
    board = f.wood if rng.random() < 0.75 else f.body
    parts = [board(box((depth, width, high - low), centre=(0, 0, (high + low) / 2), bevel=0.006))]
    parts += legs(rng, f, depth * 0.92, width * 0.94, low, "turned" if low > 0.1 and rng.random() < 0.5 else "square")
    if rng.random() < 0.6:
        parts.append(board(box((depth * 1.08, width * 1.05, 0.05), centre=(0, 0, high), bevel=0.015)))
    x, bottom = depth / 2 + 0.005, low + 0.04
    if chest:
        parts += drawers(
            rng, f, x, 0, width * 0.95, bottom, high - 0.04, int(rng.integers(3, 7)), int(rng.choice([1, 1, 2]))
        )
        return stretched(finished(parts, f.atlas), rng, 0.07)
    if rng.random() < 0.4:
        step = between(rng, 0.25, 0.5)
        parts += drawers(
            rng, f, x, 0, width * 0.95, bottom, bottom + step, int(rng.integers(1, 3)), int(rng.choice([1, 2]))
        )
        bottom += step + 0.02
    doors = int(np.clip(round(width / between(rng, 0.4, 0.6)), 2, 4))
    w, h, face = width * 0.95 / doors, high - 0.05 - bottom, board.darker(between(rng, 0.88, 1.08))
    mirror = rng.random() < 0.25
    for k in range(doors):
        y = (k + 0.5) * w - width * 0.95 / 2
        parts.append(face(box((0.022, w * 0.97, h), centre=(x, y, bottom + h / 2), bevel=0.004)))
        if mirror and k == doors // 2:
            parts.append(
                Finish((0.75, 0.8, 0.83), 1.0)(box((0.01, w * 0.75, h * 0.9), centre=(x + 0.01, y, bottom + h / 2)))
            )
        elif rng.random() < 0.8:
            for u, share in ((0.72, 0.42), (0.25, 0.36)) if rng.random() < 0.6 else ((0.5, 0.85),):
                parts.append(
                    board.darker(1.12)(
                        box((0.014, w * 0.68, h * share), centre=(x + 0.01, y, bottom + h * u), bevel=0.006)
                    )
                )
        side = 1 if k < doors / 2 else -1
        parts.append(
            f.metal(
                sphere(0.02, (x + 0.03, y + side * w * 0.4, bottom + h * 0.5), 8)
                if rng.random() < 0.6
                else tube(
                    [
                        (x + 0.03, y + side * w * 0.4, bottom + h * 0.45),
                        (x + 0.03, y + side * w * 0.4, bottom + h * 0.6),
                    ],
                    0.01,
                    segments=6,
                )
            )
        )
    return stretched(finished(parts, f.atlas), rng, 0.07)
