"""Cars, vans and buses: forms of one shell, and boxes with rows of windows; they drive to the front."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from unseen.worlds.cars.bodies import BODIES, built, reshaped, varied
from unseen.worlds.cars.form import Form
from unseen.worlds.cars.individuals import face_of
from unseen.worlds.cars.shell import shell
from unseen.worlds.everyday.finishes import Finish, Finishes, finished, finishes, repainted
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.wheels import DARK, LAMP, RED, SIDES, wheels
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import box, cylinder, extrude, tube, turn

CARS = tuple(name for name in BODIES if name not in ("van", "minibus", "pickup"))
BUSES = ("city", "coach", "school", "double", "mini")


def hull(rng: Rng, form: Form, f: Finishes, amount: float = 2.0) -> Mesh:
    """A body of a form, varied, with a face of its own, in metres and in the object's paint."""
    return repainted(built(shell(face_of(varied(form, rng, amount), rng))), f)


def car(rng: Rng) -> Mesh:
    f, name = finishes(rng), str(rng.choice(CARS))
    parts = [hull(rng, BODIES[name], f)]
    if rng.random() < 0.06:
        high = float(parts[0].vertices[:, 2].max())
        parts.append(LAMP(box((0.2, 0.5, 0.14), centre=(-0.1, 0, high + 0.05), bevel=0.02)))
    return finished(parts, f.atlas)


def van(rng: Rng) -> Mesh:
    """For goods, for people, for a family, a camper, a high roof; some with a stripe, a sign or a ladder on top."""
    f = finishes(rng)
    kind = str(rng.choice(["goods", "people", "camper", "high", "family", "family"]))
    if kind == "family":  # a minivan: a tall estate
        form = BODIES["estate" if rng.random() < 0.5 else "suv"]
        tall = between(rng, 1.68, 1.85) / form.height
        heights = ("height", "nose_z", "cowl_z", "deck_z", "tail_z", "belt", "belt_rear", "lamp_z", "tail_lamp_z")
        numbers = {name: getattr(form, name) * tall for name in heights}
        form = reshaped(form, **numbers, cowl=0.2, header=0.36, length=between(rng, 4.4, 5.0), clearance=0.18)
        return finished([hull(rng, form, f, 1.2)], f.atlas)
    form = BODIES["minibus" if kind == "camper" else "van"]
    size = {
        "length": form.length * between(rng, 0.88, 1.22),
        "wheelbase": form.wheelbase * between(rng, 0.9, 1.2),
        "height": form.height * between(rng, 0.92, 1.05),
    }
    if kind == "high":
        size["height"] = form.height * between(rng, 1.1, 1.3)
    size["wheelbase"] = min(size["wheelbase"], size["length"] - 1.5)
    form = reshaped(form, **size)
    if kind == "people":
        form = replace(form, glazing=((0.23, 0.37), (0.4, 0.62), (0.65, 0.9)))
    parts = [hull(rng, form, f, 1.2)]
    low, high = parts[0].vertices.min(0), parts[0].vertices.max(0)
    wide = float(high[1] - low[1]) * 0.88
    if rng.random() < 0.4 and kind in ("goods", "high"):
        sign = box(
            (between(rng, 0.8, 1.8), wide * 0.995, between(rng, 0.3, 0.6)),
            centre=(float(low[0]) + 1.6, 0, float(high[2]) * 0.6),
            bevel=0.005,
        )
        parts.append(f.print(sign))
    if rng.random() < 0.25:
        rails = [
            tube(
                [
                    (float(low[0]) + 0.4, s * 0.5, float(high[2]) + 0.06),
                    (float(high[0]) - 1.7, s * 0.5, float(high[2]) + 0.06),
                ],
                0.03,
                segments=6,
            )
            for s in SIDES
        ]
        rungs = [
            box((0.05, 1.0, 0.1), centre=(x, 0, float(high[2]) + 0.02))
            for x in np.linspace(float(low[0]) + 0.5, float(high[0]) - 1.8, 4)
        ]
        parts.append(f.metal(*rails, *rungs))
    return finished(parts, f.atlas)


def panes(
    f: Finishes, x0: float, x1: float, z0: float, z1: float, y: float, count: int, gap: float = 0.08
) -> list[Mesh]:
    """A row of windows on both sides."""
    step = (x1 - x0) / count
    return [
        f.glass(box((step * (1 - gap), 2 * y, z1 - z0), centre=(x0 + (k + 0.5) * step, 0, (z0 + z1) / 2)))
        for k in range(count)
    ]


def bus(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(BUSES))
    if kind == "mini":
        form = reshaped(
            BODIES["minibus"],
            length=between(rng, 5.5, 7.0),
            wheelbase=between(rng, 3.4, 4.0),
            height=between(rng, 2.4, 2.7),
            width=2.1,
            overhang=1.2,
        )
        n = int(rng.integers(5, 7))
        edges = np.linspace(0.08, 0.95, n + 1)
        form = replace(form, glazing=tuple((float(a), float(b) - 0.015) for a, b in itertools.pairwise(edges)))
        return finished([hull(rng, form, f, 1.0)], f.atlas)
    long, wide = between(rng, 8.5, 12.5), between(rng, 1.2, 1.3)
    high = {
        "city": between(rng, 2.9, 3.1),
        "coach": between(rng, 3.2, 3.7),
        "school": between(rng, 2.9, 3.1),
        "double": between(rng, 4.0, 4.4),
    }[kind]
    if kind in ("double", "school"):
        long = between(rng, 8.0, 10.5)
    paint = (
        Finish((0.93, 0.65, 0.08), 0.5, 0, 1.0)
        if kind == "school" and rng.random() < 0.75
        else Finish(f.body.colour, 0.5, 0, 1.0)
    )
    low, x0, x1 = 0.35, -long / 2, long / 2
    lean = between(rng, 0.05, 0.3) if kind != "school" else 0.05
    side = [
        (x0, low),
        (x1 - 0.05, low),
        (x1, low + 0.5),
        (x1 - lean, high - 0.2),
        (x1 - lean - 0.2, high),
        (x0 + 0.2, high),
        (x0, high - 0.25),
    ]
    parts = [paint(extrude(side, 2 * wide, axis="y", bevel=0.08))]
    sill, top = (1.25, 2.15) if kind == "double" else ((1.5, high - 0.45) if kind == "coach" else (1.3, high - 0.55))
    n, gap = int(rng.integers(5, 10)), between(rng, 0.03, 0.16)
    stripe = Finish(f.second.colour, 0.4)
    parts += panes(f, x0 + 0.3, x1 - lean - 0.35, sill, top, wide + 0.012, n, gap)
    if kind == "double":
        parts += panes(f, x0 + 0.3, x1 - lean - 0.25, 2.75, high - 0.4, wide + 0.012, n, gap)
        parts.append(
            f.glass(
                box((0.05, 2 * wide * 0.88, high - 3.15), centre=(x1 - lean * 0.72 + 0.02, 0, (2.75 + high - 0.4) / 2))
            )
        )
    tall = (2.3 if kind == "double" else high - 0.35) - 1.15
    slope = float(np.rad2deg(np.arctan2(lean, high - low)))
    z = 1.15 + tall / 2
    at = x1 - lean * (z - low - 0.5) / max(high - low - 0.7, 0.1)
    parts.append(
        f.glass(moved(box((0.05, 2 * wide * 0.88, tall), bevel=0.02), (at + 0.005, 0, z), rotation=turn("y", -slope)))
    )
    parts.append(f.glass(box((0.05, 2 * wide * 0.7, 0.8), centre=(x0 - 0.005, 0, high - 1.0))))
    if kind in ("city", "double"):
        parts += [
            DARK(box((0.06, 1.6, 0.28), centre=(x1 - lean + 0.03, 0, high - 0.28 if kind == "city" else 2.5))),
            Finish((0.95, 0.7, 0.15), 0.2)(
                box((0.07, 1.0, 0.13), centre=(x1 - lean + 0.03, 0, high - 0.28 if kind == "city" else 2.5))
            ),
        ]
        for x in (x1 - 1.1, x1 - long * 0.48):
            parts += [
                DARK(box((1.15, 0.04, 1.95), centre=(x, -wide - 0.005, low + 1.0))),
                *[f.glass(box((0.5, 0.05, 1.7), centre=(x + s * 0.28, -wide - 0.01, low + 1.0))) for s in SIDES],
            ]
    if rng.random() < 0.6:
        parts.append(
            stripe(
                box((long - 0.2, 2 * wide + 0.008, between(rng, 0.1, 0.4)), centre=(-0.02, 0, between(rng, 0.75, 1.1)))
            )
        )
    if rng.random() < 0.25 and kind != "school":
        parts.append(
            f.print(
                box((long * 0.45, 2 * wide + 0.016, 0.6), centre=(-long * 0.12, 0, 0.9 if kind != "double" else 2.45))
            )
        )
    nose = x1
    if kind == "school":
        nose = x1 + between(rng, 0.9, 1.3)
        bonnet = [(x1 - 0.1, low), (nose - 0.05, low), (nose, low + 0.3), (nose - 0.08, 1.25), (x1 - 0.1, 1.5)]
        parts += [
            paint(extrude(bonnet, 2 * wide * 0.86, axis="y", bevel=0.1)),
            DARK(box((0.06, 1.1, 0.5), centre=(nose - 0.02, 0, 0.85))),
        ]
        parts += [DARK(box((long - 0.4, 2 * wide + 0.014, 0.07), centre=(0, 0, h))) for h in (0.8, 1.15)]
        parts += [RED(box((0.06, 0.25, 0.16), centre=(x1 - 0.02, s * 0.8, high - 0.2))) for s in SIDES]
    else:
        parts.append(DARK(box((0.05, 1.7, 0.25), centre=(x1 - 0.01, 0, 0.72))))
    for s in SIDES:
        parts += [
            LAMP(box((0.06, 0.36, 0.2), centre=(nose - 0.01, s * wide * 0.72, 0.85), bevel=0.02)),
            RED(box((0.05, 0.18, 0.4), centre=(x0, s * wide * 0.85, 1.0))),
        ]
        arm = [
            (x1 - lean + 0.02, s * wide * 0.95, high - 0.6),
            (x1 + 0.3, s * (wide + 0.12), high - 0.7),
            (x1 + 0.3, s * (wide + 0.14), high - 1.0),
        ]
        parts += [
            DARK(
                tube(arm, 0.03, segments=5),
                box((0.1, 0.2, 0.4), centre=(x1 + 0.28, s * (wide + 0.14), high - 1.2), bevel=0.02),
            )
        ]
    parts.append(DARK(box((0.15, 2 * wide, 0.22), centre=(nose, 0, low + 0.08), bevel=0.03)))
    r = 0.48
    places = (x1 - (0.1 if kind == "school" else between(rng, 2.2, 2.8)), x0 + between(rng, 2.0, 3.2))
    if kind == "coach" and rng.random() < 0.5:
        places = (*places, places[1] - 1.15)
    parts += [
        DARK(
            moved(
                cylinder(r * 1.2, 2 * wide + 0.01, base=(0, 0, -wide - 0.005), segments=18),
                (x, 0, r + 0.02),
                rotation=turn("x", 90),
            )
        )
        for x in places
    ]
    return finished(parts + wheels(f, places, wide - 0.12, r, 0.28), f.atlas)
