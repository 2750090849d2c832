"""Books, laptops, lamps and clocks."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import (
    DARK,
    PAPER,
    SIDES,
    Finish,
    Finishes,
    any_colour,
    finished,
    finishes,
    mixed,
    shade,
)
from unseen.worlds.everyday.turned import Rng, between, profile, solid, vessel
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import (
    arc,
    box,
    cylinder,
    extrude,
    lathe,
    rounded_box,
    sphere,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import sheet


def _volume(rng: Rng, f: Finishes, w: float, h: float, t: float, cover: Finish) -> list[Mesh]:
    """A closed book lying with its spine at −y: covers, a round spine, pages; its front cover up."""
    c = 0.006
    pages = box((h * 0.97, w * 0.97, t - 2 * c), centre=(0, 0.0, t / 2))
    boards = [box((h, w, c), centre=(0, 0, z)) for z in (c / 2,)]
    spine = extrude(
        np.concatenate([arc((-w / 2, t / 2), (t * 0.22, t / 2), 90, 270, 7), [(-w / 2 + 0.01, 0), (-w / 2 + 0.01, t)]]),
        h,
        axis="x",
    )
    return [
        PAPER(pages),
        Finish(cover.colour, cover.gloss)(*boards, spine),
        cover(box((h, w, c), centre=(0, 0, t - c / 2))),
    ]


def book(rng: Rng) -> Mesh:
    """Standing a little open with its cover to the front, lying, a stack, or open; thick or thin, any format."""
    f, kind = finishes(rng), str(rng.choice(["standing", "standing", "standing", "lying", "stack", "open"]))
    w, h, t = between(rng, 0.13, 0.2), between(rng, 0.19, 0.28), between(rng, 0.01, 0.06)
    cover = Finish(mixed(any_colour(rng), (1, 1, 1), 0.25), 0.25, 3, 1.0)
    if kind == "open":
        lift = between(rng, 0.01, 0.03)
        x = np.linspace(0, 1, 9)
        parts = []
        for s in SIDES:
            top = lift * (np.sin(np.pi * np.minimum(x * 1.3, 1)) * 0.8 + 0.35)
            outline = np.concatenate([np.column_stack([s * x * w, top + 0.006]), [(s * w, 0.006), (0, 0.006)]])
            parts.append(PAPER(extrude(outline, h * 0.97, axis="x")))
            ink = np.column_stack([np.zeros(9), s * (0.12 + 0.76 * x) * w, np.interp(0.12 + 0.76 * x, x, top) + 0.0068])
            grid = np.stack([ink + (d * h * 0.4, 0, 0) for d in np.linspace(-1, 1, 4)])
            parts.append(Finish((0.95, 0.94, 0.9), 0.02, 3)(sheet(grid, 0.0006)))
        parts.append(Finish(cover.colour, 0.2)(box((h, 2 * w + 0.01, 0.006), centre=(0, 0, 0.003))))
        return stretched(
            finished([moved(joined(parts), rotation=turn("z", between(rng, -25, 25)))], f.atlas), rng, 0.05
        )
    if kind == "stack":
        parts, z = [], 0.0
        for _ in range(int(rng.integers(2, 6))):
            t = between(rng, 0.015, 0.05)
            one = joined(
                _volume(
                    rng, f, between(rng, 0.13, 0.2), between(rng, 0.19, 0.27), t, Finish(any_colour(rng), 0.2, 3, 1.0)
                )
            )
            parts.append(
                moved(
                    one,
                    (between(rng, -0.01, 0.01), between(rng, -0.01, 0.01), z),
                    rotation=turn("z", between(rng, 60, 120)),
                )
            )
            z += t
        return finished(parts, f.atlas)
    one = joined(_volume(rng, f, w, h, t, cover))
    if kind == "standing":  # its cover towards the front, leaning back a little
        one = moved(one, rotation=turn("y", 90 - between(rng, 0, 14)) @ turn("z", 180))
    else:
        one = moved(one, rotation=turn("z", 90 + between(rng, -30, 30)))
    return finished([one], f.atlas)


def laptop(rng: Rng) -> Mesh:
    """Open by more or less, its keyboard and screen to the front."""
    f = finishes(rng)
    w, d, t = between(rng, 0.28, 0.4), between(rng, 0.2, 0.27), between(rng, 0.01, 0.028)
    case = Finish(mixed(f.body.colour, (0.6, 0.6, 0.62), float(rng.choice([0.0, 0.7]))), 0.4, 0, 1.0)
    keys = DARK if rng.random() < 0.75 else PAPER
    parts = [case(rounded_box((d, w, t), min(0.006, t / 3), (0, 0, t / 2)))]
    rows, columns = int(rng.integers(4, 6)), int(rng.integers(11, 14))
    for r in range(rows):
        x = -d * 0.36 + r * d * 0.1
        parts.append(
            keys(
                *[
                    box(
                        (d * 0.085, w * 0.88 / columns * 0.86, 0.004),
                        centre=(x, (c + 0.5) / columns * w * 0.88 - w * 0.44, t + 0.001),
                    )
                    for c in range(columns)
                ]
            )
        )
    parts.append(case.darker(0.85)(box((d * 0.24, w * between(rng, 0.2, 0.36), 0.002), centre=(d * 0.3, 0, t))))
    lean, high = between(rng, 5, 40), d * between(rng, 0.88, 1.05)
    screen = Finish(mixed(any_colour(rng), (0.1, 0.12, 0.16), float(rng.choice([0.3, 0.95]))), 0.9)
    lid = joined(
        [
            case(rounded_box((t * 0.55, w, high), t * 0.2, (0, 0, high / 2))),
            DARK(box((0.002, w * 0.96, high * 0.93), centre=(t * 0.28, 0, high / 2))),
            screen(box((0.003, w * 0.9, high * 0.84), centre=(t * 0.29, 0, high / 2))),
        ]
    )
    parts.append(moved(lid, (-d / 2 + t * 0.3, 0, t * 0.9), rotation=turn("y", -lean)))
    return stretched(finished(parts, f.atlas), rng, 0.05)


def lamp(rng: Rng) -> Mesh:
    """For a table, with a shade on a turned foot; for a desk, jointed; for the floor; some are lit."""
    f, kind = finishes(rng), str(rng.choice(["table", "table", "table", "desk", "floor", "globe"]))
    glow = Finish(
        mixed(f.cloth.colour, (1.0, 0.95, 0.82), between(rng, 0.3, 0.95)),
        0.05,
        int(rng.choice([0, 0, 2])),
        1.0,
        round=True,
    )
    foot = (
        Finish(f.body.colour, f.body.gloss, int(rng.choice([0, 1])), 0.0, round=True) if rng.random() < 0.7 else f.metal
    )
    if kind == "desk":
        a, b, c = (
            np.array([0, 0, 0.03]),
            np.array([-0.12, 0, between(rng, 0.3, 0.42)]),
            np.array([between(rng, 0.12, 0.28), 0, between(rng, 0.42, 0.6)]),
        )
        paint = Finish(f.body.colour, 0.5, 0, 1.0)
        shade_ = profile(
            rng, ((1, 0), (0.8, 0.35), (0.4, 0.75), (0.3, 1)), 0.16, width=between(rng, 0.16, 0.24), loose=0.05
        )
        head = moved(
            paint(vessel(shade_[::-1] * (1, -1) + (0, 0.16), 0.006)),
            c + (0.02, 0, -0.02),
            rotation=turn("y", between(rng, 120, 165)),
        )
        parts = [
            paint(cylinder(between(rng, 0.08, 0.12), 0.03, segments=24)),
            f.metal(tube([a, b], 0.009, segments=7), tube([b, c], 0.009, segments=7), sphere(0.016, b, 8)),
            head,
        ]
        return finished([moved(joined(parts), rotation=turn("z", between(rng, -50, 50)))], f.atlas)
    tall = between(rng, 1.1, 1.5) if kind == "floor" else between(rng, 0.22, 0.45)
    if kind == "floor":
        if rng.random() < 0.4:
            legs_ = [
                tube(
                    [(0.03 * np.cos(t), 0.03 * np.sin(t), tall), (0.3 * np.cos(t), 0.3 * np.sin(t), 0)],
                    0.016,
                    segments=7,
                )
                for t in (0.3, 2.4, 4.5)
            ]
            parts = [f.wood(*legs_)]
        else:
            parts = [f.metal(cylinder(0.15, 0.025, segments=24), cylinder(0.014, tall, segments=8))]
        width, high = between(rng, 0.34, 0.52), between(rng, 0.22, 0.36)
    else:
        knots = {
            0: ((0.9, 0), (0.4, 0.12), (1, 0.45), (0.3, 0.85), (0.14, 1)),
            1: ((1, 0), (0.9, 0.1), (0.2, 0.25), (0.16, 1)),
            2: ((0.7, 0), (1, 0.3), (0.75, 0.7), (0.2, 1)),
            3: ((0.9, 0), (0.3, 0.2), (0.5, 0.5), (0.3, 0.8), (0.14, 1)),
        }[int(rng.integers(4))]
        base = profile(rng, knots, tall, width=between(rng, 0.12, 0.24), loose=0.12)
        parts = [foot(solid(base, segments=22))]
        width, high = between(rng, 0.24, 0.42), between(rng, 0.15, 0.3)
    if kind == "globe":
        ball = profile(rng, ((0.3, 0), (0.9, 0.25), (0.95, 0.65), (0.3, 1)), width, width=width, loose=0.08)
        return finished([*parts, glow(moved(solid(ball), (0, 0, tall)))], f.atlas)
    top = between(rng, 0.35, 1.0)
    cover = profile(
        rng, ((1, 0), (0.5 + 0.5 * top, between(rng, 0.4, 0.6)), (top, 1)), high, width=width, loose=0.03, rows=7
    )
    hollow = np.concatenate([cover, cover[::-1] - (0.006, 0)])
    rim = lathe(np.concatenate([hollow, hollow[:1]]), segments=int(rng.choice([6, 28, 28, 28])), smooth=True)
    parts.append(moved(glow(rim), (0, 0, tall - high * 0.15)))
    parts += [
        moved(f.metal(cylinder(0.008, high, segments=6)), (0, 0, tall - 0.02)),
        Finish((1.0, 0.97, 0.85), 0.2)(sphere(0.03, (0, 0, tall + high * 0.3), 8)),
        f.metal(box((width * top, 0.006, 0.006), centre=(0, 0, tall + high * 0.8))),
    ]
    return stretched(finished(parts, f.atlas), rng, 0.07)


def clock(rng: Rng) -> Mesh:
    """A dial with numerals and two hands: on a wall plate, an alarm clock with bells, in a mantel case, a tall case."""
    f, kind = finishes(rng), str(rng.choice(["wall", "wall", "alarm", "mantel", "square", "tall"]))
    case = f.wood if rng.random() < 0.5 else Finish(f.body.colour, 0.5, 0, 1.0)
    face = Finish(mixed(any_colour(rng), (1, 1, 1), 0.85), 0.1) if rng.random() < 0.8 else Finish((0.1, 0.1, 0.11), 0.2)
    ink = Finish(shade(f.third.colour, 0.5), 0.1) if rng.random() < 0.3 else (DARK if face.colour[0] > 0.5 else PAPER)
    r = 0.5
    dial = [face(moved(cylinder(r, 0.03, segments=36), rotation=turn("y", 90)))]
    long, twelve = rng.random() < 0.5, int(rng.choice([4, 12, 12, 60]))
    for k in range(twelve):
        size = (0.13, 0.035) if k % (twelve // 4) == 0 else (0.08, 0.02)
        mark = box((0.01, size[1], size[0])) if long or twelve == 60 else box((0.01, 0.05, 0.07))
        dial.append(
            ink(
                moved(
                    mark,
                    (0.034, r * 0.82 * np.sin(2 * np.pi * k / twelve), r * 0.82 * np.cos(2 * np.pi * k / twelve)),
                    rotation=turn("x", -360 * k / twelve),
                )
            )
        )
    hour = rng.uniform(0, 12)
    for angle, length, wide in ((hour / 12 * 360, 0.5, 0.045), (hour % 1 * 360, 0.74, 0.03)):
        hand = extrude(
            [
                (-wide / 2, -0.08),
                (wide / 2, -0.08),
                (wide * 0.6, r * length * 0.6),
                (0, r * length),
                (-wide * 0.6, r * length * 0.6),
            ],
            0.01,
            axis="x",
        )
        dial.append(ink(moved(hand, (0.045, 0, 0), rotation=turn("x", -angle))))
    dial.append(ink(moved(cylinder(0.035, 0.06, segments=10), (0, 0, 0), rotation=turn("y", 90))))
    rim = case(torus(r * 1.03, between(rng, 0.03, 0.09), (0.02, 0, 0), "x", segments=36, sides=8))
    whole = [*dial]
    if kind == "wall":
        whole += [rim]
    elif kind == "alarm":
        whole += [rim, case(moved(cylinder(r * 1.02, 0.35, segments=30), (-0.35, 0, 0), rotation=turn("y", 90)))]
        for s in SIDES:
            bell = profile(rng, ((1, 0), (0.9, 0.4), (0.5, 0.8), (0.1, 1)), 0.2, width=0.4, loose=0.03, rows=7)
            whole += [
                f.metal(moved(solid(bell, segments=16), (-0.17, s * 0.3, 0.5), rotation=turn("x", -s * 30))),
                case(tube([(-0.17, s * 0.25, -0.35), (-0.17, s * 0.42, -0.62)], [0.05, 0.03], segments=7)),
            ]
        whole.append(
            f.metal(
                tube(
                    [(-0.17, -0.18, 0.66), (-0.17, -0.14, 0.84), (-0.17, 0.14, 0.84), (-0.17, 0.18, 0.66)],
                    0.025,
                    segments=6,
                )
            )
        )
    elif kind == "square":
        whole.append(case(rounded_box((0.14, 1.2, 1.2), 0.06, (-0.06, 0, 0))))
    elif kind == "mantel":
        outline = np.concatenate(
            [[(-0.62 - 0.1, -0.75), (0.72, -0.75), (0.62, -0.6)], arc((0, 0), 0.62, 0, 180, 14), [(-0.62, -0.6)]]
        )
        whole += [
            case(moved(extrude(outline, 0.35, axis="x"), (-0.16, 0, 0))),
            f.metal(torus(r * 1.02, 0.03, (0.025, 0, 0), "x", segments=30, sides=6)),
        ]
    else:
        whole += [
            case(
                box((0.4, 1.25, 1.3), centre=(-0.19, 0, 0), bevel=0.02),
                box((0.34, 0.9, 2.0), centre=(-0.2, 0, -1.6)),
                box((0.42, 1.25, 0.8), centre=(-0.19, 0, -2.95), bevel=0.02),
                box((0.48, 1.4, 0.12), centre=(-0.19, 0, 0.7)),
            ),
            f.glass(box((0.02, 0.6, 1.6), centre=(-0.02, 0, -1.6))),
            f.metal(moved(cylinder(0.16, 0.03, segments=16), (-0.01, 0, -2.0), rotation=turn("y", 90))),
        ]
    lean = between(rng, 0, 8) if kind in ("wall", "square") else 0.0
    return stretched(finished([moved(joined(whole), rotation=turn("y", -lean))], f.atlas), rng, 0.03)
