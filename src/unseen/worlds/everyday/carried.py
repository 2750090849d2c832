"""What one carries: umbrellas and bags."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import DARK, SIDES, Finish, finished, finishes
from unseen.worlds.everyday.turned import Rng, between, profile, solid
from unseen.worlds.everyday.warps import stretched, tapered
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import (
    box,
    cylinder,
    extrude,
    rounded_box,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body, sheet, spline


def umbrella(rng: Rng) -> Mesh:
    """Open, held up on its handle or laid down on its rim; or closed, standing on its tip."""
    f, kind = finishes(rng), str(rng.choice(["held", "held", "held", "laid", "laid", "closed", "parasol"]))
    n, rise = int(rng.choice([6, 8, 8, 10])), between(rng, 0.22, 0.45)
    cloth, other = Finish(f.cloth.colour, 0.15, int(rng.choice([0, 0, 2])), 1.0), Finish(f.second.colour, 0.15)
    steel, grip = f.metal, f.wood if rng.random() < 0.6 else DARK
    if kind == "closed":
        rows = profile(rng, ((0.3, 0), (0.9, 0.2), (1.0, 0.6), (0.7, 0.95), (0.3, 1)), 0.62, width=0.11, loose=0.1)
        hook = spline([(0, 0, 0.7), (0, 0, 0.88), (0, 0.05, 0.93), (0, 0.1, 0.88)], 10)
        whole = joined(
            [
                cloth(
                    moved(
                        solid(
                            rows,
                            segments=2 * n,
                        ),
                        (0, 0, 0.06),
                    )
                ),
                steel(tube([(0, 0, 0), (0, 0, 0.75)], 0.008, segments=6)),
                grip(tube(hook, 0.016, segments=8)),
            ]
        )
        return finished([moved(whole, rotation=turn("y", between(rng, -12, 12)))], f.atlas)
    parts, up, striped = [], np.linspace(0, 1, 8), rng.random() < 0.3
    for k in range(n):
        a = 2 * np.pi * (k + np.linspace(0, 1, 6)) / n
        sag = 1 - 0.07 * np.sin(np.pi * np.linspace(0, 1, 6))
        grid = np.stack(
            [
                np.stack(
                    [
                        u * np.cos(a) * (1 - 0.06 * u * (1 - sag) * 10),
                        u * np.sin(a) * (1 - 0.06 * u * (1 - sag) * 10),
                        np.full(6, rise * (1 - u**2.0)) - 0.02 * u * (1 - sag) * 14,
                    ],
                    -1,
                )
                for u in up * 0.985 + 0.015
            ]
        )
        gore = sheet(grid, 0.008)
        parts.append((other if striped and k % 2 else cloth)(gore))
        tip = [(u * np.cos(a[0]), u * np.sin(a[0]), rise * (1 - u**2.0) - 0.012) for u in up]
        parts.append(
            steel(
                tube(tip, 0.006, segments=4),
                tube(
                    [(0.0, 0, rise * 0.25), (0.5 * np.cos(a[0]), 0.5 * np.sin(a[0]), rise * 0.75 - 0.012)],
                    0.005,
                    segments=4,
                ),
            )
        )
    long = between(rng, 0.95, 1.3) if kind != "parasol" else between(rng, 1.5, 1.9)
    shaft = tube([(0, 0, rise + 0.08), (0, 0, rise - long)], 0.014 if kind != "parasol" else 0.025, segments=7)
    parts.append((grip if kind == "parasol" else steel)(shaft))
    if kind == "parasol":
        parts.append(f.second(cylinder(0.22, 0.08, base=(0, 0, rise - long), segments=20)))
        return finished(parts, f.atlas)
    end = rise - long
    hook = spline(
        [(0, 0, end + 0.12), (0, 0, end - 0.02), (0, 0.05, end - 0.08), (0, 0.11, end - 0.06), (0, 0.12, end)], 11
    )
    parts.append(
        grip(tube(hook if rng.random() < 0.75 else [(0, 0, end + 0.14), (0, 0, end - 0.05)], 0.028, segments=8))
    )
    tilt = between(rng, 0, 30) if kind == "held" else between(rng, 100, 118)
    whole = moved(joined(parts), rotation=turn("z", between(rng, -60, 60)) @ turn("y", tilt))
    return finished([whole], f.atlas)


def bag(rng: Rng) -> Mesh:
    """A backpack, a handbag, a tote, a satchel, a duffel; its front looks to the front."""
    f, kind = finishes(rng), str(rng.choice(["backpack", "backpack", "handbag", "tote", "satchel", "duffel"]))
    skin, trim = (
        Finish(f.cloth.colour, float(rng.choice([0.02, 0.15])), int(rng.choice([0, 2, 2])), 1.0),
        Finish(f.second.colour, 0.2),
    )
    w, h, d = {
        "backpack": (0.32, 0.46, 0.2),
        "handbag": (0.36, 0.26, 0.14),
        "tote": (0.38, 0.4, 0.12),
        "satchel": (0.38, 0.28, 0.11),
        "duffel": (0.6, 0.3, 0.3),
    }[kind]
    w, h, d = w * between(rng, 0.85, 1.15), h * between(rng, 0.85, 1.15), d * between(rng, 0.85, 1.25)
    t = 0.012
    if kind == "backpack":
        shell = tapered(rounded_box((d, w, h), d * 0.42, (0, 0, h / 2), steps=4), rng, 0.2)
        parts = [
            skin(shell),
            skin.darker(0.88)(
                rounded_box((d * 0.5, w * 0.8, h * between(rng, 0.35, 0.5)), d * 0.2, (d * 0.42, 0, h * 0.28), steps=3)
            ),
        ]
        parts += [
            DARK(
                tube(
                    spline(
                        [
                            (d * 0.3, -w * 0.46, h * 0.5),
                            (d * 0.34, -w * 0.3, h * 0.88),
                            (d * 0.3, 0, h * 0.97),
                            (d * 0.34, w * 0.3, h * 0.88),
                            (d * 0.3, w * 0.46, h * 0.5),
                        ],
                        14,
                    ),
                    0.005,
                    segments=5,
                )
            )
        ]
        for s in SIDES:
            parts.append(
                trim(
                    moved(
                        tube(
                            spline(
                                [
                                    (-d * 0.42, 0, h * 0.92),
                                    (-d * 0.9, 0, h * 0.7),
                                    (-d * 0.85, 0, h * 0.3),
                                    (-d * 0.4, 0, h * 0.08),
                                ],
                                10,
                            ),
                            0.012,
                            segments=6,
                        ),
                        (0, s * w * 0.28, 0),
                        scale=(1, 2.2, 1),
                    )
                )
            )
            if rng.random() < 0.5:
                parts.append(
                    skin.darker(0.85)(rounded_box((d * 0.5, w * 0.16, h * 0.36), 0.03, (0, s * w * 0.5, h * 0.24)))
                )
        parts.append(
            trim(
                tube(
                    spline([(-d * 0.3, -0.05, h * 0.97), (-d * 0.3, 0, h * 1.08), (-d * 0.3, 0.05, h * 0.97)], 8),
                    0.009,
                    segments=6,
                )
            )
        )
        if rng.random() < 0.4:
            parts.append(f.print(box((0.01, w * 0.3, h * 0.12), centre=(d * 0.67, 0, h * 0.3))))
        return finished([stretched(joined(parts), rng, 0.06)], f.atlas)
    if kind == "duffel":
        rows = [(0, y, h / 2, d / 2, h / 2) for y in (-w / 2, 0, w / 2)]
        parts = [
            skin(body(rows, rings=6, segments=20, ends=(0.25, 0.25), side=(1, 0, 0), square=2.8)),
            *[trim(torus(h * 0.49, t, (0, y, h / 2), "y", segments=24, sides=5)) for y in (-w * 0.22, w * 0.22)],
        ]
        parts += [
            trim(
                tube(
                    spline(
                        [
                            (s * d * 0.25, -w * 0.2, h * 0.9),
                            (s * d * 0.2, -w * 0.12, h * 1.25),
                            (s * d * 0.2, w * 0.12, h * 1.25),
                            (s * d * 0.25, w * 0.2, h * 0.9),
                        ],
                        12,
                    ),
                    t,
                    segments=6,
                )
            )
            for s in SIDES
        ]
        return finished([stretched(joined(parts), rng, 0.06)], f.atlas)
    flare = between(rng, -0.15, 0.35) if kind != "satchel" else 0.0
    outline = [(-w / 2, 0), (w / 2, 0), (w / 2 * (1 - flare), h), (-w / 2 * (1 - flare), h)]
    shell = (
        moved(extrude(outline, d, axis="x", bevel=0.02), (0, 0, 0))
        if kind != "handbag" or rng.random() < 0.5
        else rounded_box((d, w, h), min(d, h) * 0.35, (0, 0, h / 2), steps=3)
    )
    parts = [skin(shell)]
    if kind in ("satchel", "handbag") and rng.random() < 0.8:
        deep = h * between(rng, 0.4, 0.75)
        flap = [
            (-w / 2 * 0.98, h),
            (w / 2 * 0.98, h),
            (w / 2 * 0.9, h - deep * 0.8),
            (w * 0.25, h - deep),
            (-w * 0.25, h - deep),
            (-w / 2 * 0.9, h - deep * 0.8),
        ]
        parts += [
            skin.darker(0.9)(
                moved(extrude(flap, 0.014, axis="x"), (d / 2 + 0.006, 0, 0)),
                box((d * 1.02, w * 0.96, 0.014), centre=(0, 0, h)),
            ),
            f.metal(box((0.016, 0.05, 0.035), centre=(d / 2 + 0.014, 0, h - deep * 0.9), bevel=0.004)),
        ]
        if kind == "satchel":
            parts += [trim(box((0.012, 0.03, h * 0.8), centre=(d / 2 + 0.012, s * w * 0.28, h * 0.58))) for s in SIDES]
    if kind == "tote" and rng.random() < 0.6:
        parts.append(f.print(box((0.006, w * 0.6, h * 0.55), centre=(d / 2 + 0.002, 0, h * 0.5))))
    reach = h * between(rng, 0.3, 0.8)
    for s in SIDES if kind != "satchel" else (0,):
        hoop = [
            (s * d * 0.35, -w * 0.24, h * 0.92),
            (s * d * 0.3, -w * 0.2, h + reach * 0.7),
            (s * d * 0.25, 0, h + reach),
            (s * d * 0.3, w * 0.2, h + reach * 0.7),
            (s * d * 0.35, w * 0.24, h * 0.92),
        ]
        parts.append(trim(tube(spline(np.array(hoop), 14), t, segments=7)))
    return finished([stretched(joined(parts), rng, 0.07)], f.atlas)
