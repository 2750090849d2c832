"""Locomotives, trains and trams, most on a piece of track; they drive to the front."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.coaches import panes
from unseen.worlds.everyday.finishes import Finish, Finishes, finished, finishes, repainted
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.everyday.wheels import DARK, LAMP, RED, SIDES
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes import rail as steam
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    extrude,
    sphere,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body

TRAINS = ("steam", "steam", "diesel", "electric", "bullet", "tram")


def locomotive(rng: Rng) -> Mesh:
    """Under steam, diesel or electric, a bullet train, a tram; most on a piece of track."""
    f, kind = finishes(rng), str(rng.choice(TRAINS))
    paint = Finish(f.body.colour, 0.4, 0, 1.0)
    if kind == "steam":
        one = steam.locomotive(rng)
        dark = Finish((0.1, 0.1, 0.11), 0.4) if rng.random() < 0.7 else f.body
        whole = stretched(repainted(one, _only(f, dark)), rng, 0.06, "x")
        whole = moved(whole, scale=(7.0 * between(rng, 1.1, 1.35), 7.0, 7.0))
        parts, long = [whole], float(whole.extents[0])
        gauge = 1.0
    else:
        long, wide, high = between(rng, 9, 14), 1.35, between(rng, 3.4, 4.0)
        gauge, low, parts = 0.9, 0.95, []
        nose = {
            "diesel": between(rng, 0.0, 0.5),
            "electric": between(rng, 0.2, 0.8),
            "bullet": between(rng, 3.5, 5.5),
            "tram": 0.35,
        }[kind]
        if kind == "bullet":
            x = np.array([-long / 2, long / 2 - nose, long / 2 - 0.6 * nose, long / 2 - 0.25 * nose, long / 2])
            rows = [
                (a, 0, low + h / 2, w, h / 2)
                for a, h, w in zip(
                    x, (high - low) * np.array([1, 1, 0.82, 0.5, 0.22]), wide * np.array([1, 1, 0.92, 0.72, 0.4])
                )
            ]
            parts.append(paint(body(rows, rings=16, segments=20, ends=(0.0, 0.5), square=3.2)))
            glass = [
                (a, 0, low + h / 2 + 0.03, w, h / 2)
                for a, h, w in zip(x[1:4], (high - low) * np.array([1, 0.84, 0.6]), wide * np.array([0.6, 0.55, 0.4]))
            ]
            parts.append(f.glass(body(glass, rings=6, segments=14, ends=(0, 0.3), square=3.0)))
        else:
            both = kind != "diesel" or rng.random() < 0.5
            side = [
                (-long / 2, low),
                (long / 2, low),
                (long / 2, low + 1.2),
                (long / 2 - nose, high - 0.2),
                (long / 2 - nose - 0.2, high),
                (-long / 2 + (nose if both else 0) + 0.2, high),
                (-long / 2 + (nose if both else 0), high - 0.2),
                (-long / 2, low + 1.2),
            ]
            parts.append(paint(extrude(side, 2 * wide, axis="y", bevel=0.12)))
            lean = float(np.rad2deg(np.arctan2(nose, high - low - 1.4)))
            for s in SIDES if both else (1,):
                for y in (-0.6, 0.6):
                    pane = box((0.06, 1.0, (high - low) * 0.3), bevel=0.02)
                    at = (s * (long / 2 - nose * 0.55 + 0.02), y, high - 0.25 - (high - low) * 0.17)
                    parts.append(f.glass(moved(pane, at, rotation=turn("y", -s * lean))))
                parts += [
                    LAMP(
                        moved(
                            cylinder(0.15, 0.08, segments=12),
                            (s * (long / 2 + 0.0), y * 0.9, low + 0.75),
                            rotation=turn("y", s * 90),
                        )
                    )
                    for y in (-1, 1)
                ]
            parts.append(LAMP(sphere(0.16, (long / 2 - nose - 0.1, 0, high + 0.02), 8)))
        n = int(rng.integers(6, 12)) if kind in ("tram", "bullet") else int(rng.integers(2, 5))
        z0, z1 = (1.9, 2.8) if kind != "diesel" else (2.3, 2.9)
        parts += panes(
            f,
            -long / 2 + 0.8,
            long / 2 - max(nose, 0.9) - 0.6,
            z0,
            z1,
            wide + 0.012,
            n,
            0.15 if kind in ("tram", "bullet") else 0.5,
        )
        stripe = Finish(f.second.colour, 0.3)
        parts += [
            stripe(
                box(
                    (long - 2 * (nose if kind == "bullet" else 0.1), 2 * wide + 0.02, between(rng, 0.12, 0.5)),
                    centre=(-nose / 2 if kind == "bullet" else 0, 0, between(rng, 1.25, 1.7)),
                )
            )
        ]
        if kind == "diesel":
            parts += [
                DARK(box((long * 0.3, 2 * wide + 0.03, 0.7), centre=(-long * 0.15, 0, 2.5))),
                *[DARK(box((0.8, 0.8, 0.15), centre=(x, 0, high + 0.05))) for x in (-long * 0.3, -long * 0.1)],
            ]
        else:
            parts.append(DARK(box((1.2, 1.4, 0.15), centre=(-long * 0.1, 0, high + 0.07))))
            if kind != "bullet" and rng.random() < 0.8:
                parts.append(
                    DARK(
                        tube([(-long * 0.1, 0, high), (0.5, 0, high + 0.6), (-0.2, 0, high + 1.1)], 0.05, segments=5),
                        box((0.12, 1.5, 0.06), centre=(-0.2, 0, high + 1.12)),
                    )
                )
        parts.append(DARK(box((long * 0.95, 1.9, 0.3), centre=(0, 0, low - 0.1))))
        parts.append(
            (RED if rng.random() < 0.4 else DARK)(
                box((0.25, 2.2, 0.4), centre=(long / 2 - 0.05, 0, low - 0.1), bevel=0.05)
            )
        )
        for x in (-long * 0.32, long * 0.32 - nose * 0.3):
            parts.append(DARK(box((2.8, 2.1, 0.35), centre=(x, 0, 0.62))))
            parts += [
                DARK(
                    moved(
                        cylinder(0.45, 0.14, base=(0, 0, -0.07), segments=16),
                        (x + d, s * gauge, 0.45),
                        rotation=turn("x", 90),
                    )
                )
                for d in (-0.95, 0.95)
                for s in SIDES
            ]
    if rng.random() < 0.65:
        rails = [f.metal(box((long * 1.1, 0.12, 0.14), centre=(0, s * gauge, -0.07))) for s in SIDES]
        parts += rails + [
            f.wood(box((0.28, 3.0, 0.16), centre=(x, 0, -0.2))) for x in np.arange(-long * 0.54, long * 0.55, 0.75)
        ]
    return finished(parts, f.atlas)


def _only(f: Finishes, body_: Finish) -> Finishes:
    from dataclasses import replace

    return replace(f, body=body_)
