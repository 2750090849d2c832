"""Chairs, armchairs, stools, benches and sofas, made of the same legs, backs, arms and cushions; all look along +x."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.worlds.everyday.finishes import Finish, Finishes, any_colour, finished, finishes
from unseen.worlds.everyday.frames import arms, back, legs, pedestal, ring, seat, shell_seat, stretchers
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import box, capsule, cylinder, extrude, rounded_box, tube, turn
from unseen.worlds.shapes.skins import spline

CHAIRS = ("dining", "ladder-back", "windsor", "office", "folding", "shell", "cantilever", "rocking")
ARMCHAIRS = ("club", "wing", "wooden", "tub")
STOOLS = ("bar", "low", "square", "swivel", "step")
BENCHES = ("park", "plank", "backed", "padded")
SOFAS = ("plain", "rolled", "slim", "corner")


def chair(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(CHAIRS))
    width, depth, z = between(rng, 0.38, 0.52), between(rng, 0.38, 0.5), between(rng, 0.4, 0.5)
    high, lean = between(rng, 0.35, 0.62), between(rng, 0.03, 0.12)
    rear = -depth / 2 + 0.02
    if kind == "office":
        parts = [
            *pedestal(rng, f, z, between(rng, 0.26, 0.34), castors=True),
            f.cloth(rounded_box((depth, width, 0.09), 0.035, (0, 0, z))),
        ]
        pad = rounded_box((0.07, width * between(rng, 0.8, 1), high), 0.03)
        parts += [
            f.cloth(moved(pad, (rear - 0.06, 0, z + 0.12 + high / 2), rotation=turn("y", -8))),
            f.rubber(
                tube([(0, 0, z - 0.03), (rear - 0.08, 0, z - 0.02), (rear - 0.09, 0, z + 0.3)], 0.022, segments=7)
            ),
        ]
        if rng.random() < 0.6:
            for s in (1, -1):
                y = s * (width / 2 + 0.03)
                parts.append(
                    f.rubber(
                        tube([(0, y * 0.5, z - 0.03), (0, y, z - 0.03), (-0.02, y, z + 0.2)], 0.014, segments=6),
                        rounded_box((0.25, 0.05, 0.03), 0.012, (0, y, z + 0.21)),
                    )
                )
    elif kind == "shell":
        foot = (
            pedestal(rng, f, z, 0.28)
            if rng.random() < 0.25
            else legs(rng, f, depth * 0.85, width * 0.85, z, str(rng.choice(["splayed", "hairpin", "sled", "tapered"])))
        )
        parts = [*foot, *shell_seat(rng, f, depth, width, z, high)]
    elif kind == "cantilever":
        t, w = 0.013, width / 2
        path = [
            (rear - lean, 0, z + high),
            (rear, 0, z + 0.1),
            (depth / 2, 0, z),
            (depth / 2 + 0.02, 0, 0.03),
            (rear, 0, 0.015),
        ]
        parts = [
            f.metal(
                *[tube(np.array(path) + (0, s * w, 0), t, segments=7) for s in (1, -1)],
                tube([(rear, -w, 0.015), (rear, w, 0.015)], t, segments=7),
            )
        ]
        parts += [
            f.cloth(rounded_box((depth, width, 0.03), 0.01, (0, 0, z))),
            *back(rng, replace(f, wood=f.metal), rear, width, z + 0.1, high - 0.1, lean, "pad"),
        ]
    elif kind == "folding":
        w, t = width / 2, between(rng, 0.012, 0.018)
        frame = f.metal if rng.random() < 0.5 else f.wood
        rods = [
            tube([(-depth / 2 - lean, s * w, z + high), (depth / 2 + 0.05, s * w, 0)], t, segments=7) for s in (1, -1)
        ]
        rods += [
            tube([(-depth / 2 - 0.05, s * (w - 0.03), 0), (depth / 2 - 0.03, s * (w - 0.03), z)], t, segments=7)
            for s in (1, -1)
        ]
        rods += [
            tube([(x, -w, h), (x, w, h)], t * 0.8, segments=6)
            for x, h in ((depth / 2 + 0.02, 0.06), (-depth / 2 - 0.03, 0.06))
        ]
        top = -depth / 2 - lean
        pad = box((0.015, width, high * between(rng, 0.25, 0.5)), bevel=0.004)
        parts = [
            frame(*rods),
            (f.wood if rng.random() < 0.6 else f.cloth)(
                box((depth, width - 0.06, 0.025), centre=(0, 0, z), bevel=0.006),
                moved(pad, (top + lean * 0.22, 0, z + high * 0.78), rotation=turn("y", -14)),
            ),
        ]
    else:
        styles = {"dining": "any", "ladder-back": "ladder", "windsor": "bow", "rocking": "any"}
        lift = 0.05 if kind == "rocking" else 0.0
        leg = "turned" if kind in ("windsor", "rocking") else "any"
        parts = [
            *legs(rng, f, depth, width, z - 0.02, leg),
            *seat(rng, f, depth, width, z),
            *back(rng, f, rear, width - 0.04, z - 0.02, high, lean, styles[kind]),
        ]
        if rng.random() < (0.7 if kind == "rocking" else 0.15):
            parts += arms(rng, f, depth * 0.9, width, z, between(rng, 0.18, 0.25))
        if kind == "rocking":
            arc = [(x, 0, 0.25 * x * x) for x in np.linspace(-0.48, 0.4, 9)]
            parts = [moved(part, (0, 0, lift)) for part in parts]
            parts.append(
                f.wood(*[tube(np.array(arc) + (0, s * (width / 2 - 0.02), 0.02), 0.02, segments=7) for s in (1, -1)])
            )
    return stretched(finished(parts, f.atlas), rng, 0.08)


def cushion(f: Finish, size: tuple[float, float, float], at: tuple[float, float, float], lean: float = 0.0) -> Mesh:
    soft = rounded_box(size, min(size) * 0.42, steps=2)
    return f(moved(soft, at, rotation=turn("y", lean)))


def upholstered(rng: Rng, f: Finishes, seats: int, kind: str) -> list[Mesh]:
    """A soft seat for one or for several: base, cushions, back, two arms, feet."""
    one = between(rng, 0.52, 0.75)
    width, depth = one * seats, between(rng, 0.72, 0.98)
    z, high, arm = between(rng, 0.36, 0.46), between(rng, 0.32, 0.55), between(rng, 0.09, 0.24)
    foot, rise = between(rng, 0.03, 0.16), between(rng, 0.14, 0.27)
    thick = between(rng, 0.12, 0.2)
    base, cloth = f.cloth.darker(0.9), f.cloth
    top = z + (high if kind != "wing" else high + 0.25)
    parts = [
        base(
            box(
                (depth, width + 2 * arm - 0.02, z - foot - thick * 0.6),
                centre=(0, 0, (z - thick * 0.6 + foot) / 2),
                bevel=0.02,
            )
        )
    ]
    parts.append(
        cloth(
            rounded_box(
                (0.2, width + (2 * arm - 0.04) * (kind != "rolled"), top - foot),
                0.07,
                (-depth / 2 + 0.1, 0, (top + foot) / 2),
            )
        )
    )
    split = seats if rng.random() < 0.8 else 1
    for k in range(split):
        y, w = (k + 0.5) / split * width - width / 2, width / split - 0.01
        parts.append(cushion(cloth, (depth - 0.2, w, thick), (0.1, y, z - thick * 0.35)))
        if kind != "tub" and rng.random() < 0.9:
            parts.append(
                cushion(cloth, (0.17, w, high * between(rng, 0.85, 1.05)), (-depth / 2 + 0.27, y, z + high / 2), -10)
            )
    for s in (1, -1):
        y = s * (width + arm) / 2
        if kind == "rolled":
            roll = max(arm * 0.6, 0.08)
            parts += [
                cloth(
                    box(
                        (depth - 0.04, arm, z + rise - foot - roll),
                        centre=(0, y, (z + rise + foot - roll) / 2),
                        bevel=0.015,
                    ),
                    capsule((-depth / 2 + roll, y, z + rise - roll), (depth / 2 - roll, y, z + rise - roll), roll, 12),
                )
            ]
        else:
            parts.append(
                cloth(rounded_box((depth, arm, z + rise - foot), min(arm / 2.1, 0.06), (0, y, (z + rise + foot) / 2)))
            )
        if kind == "wing":
            outline = [
                (-depth / 2, z + rise - 0.05),
                (depth / 2 - 0.3, z + rise - 0.05),
                (-depth / 2 + 0.32, z + high),
                (-depth / 2 + 0.28, top),
                (-depth / 2, top),
            ]
            parts.append(cloth(moved(extrude(outline, arm * 0.7, axis="y", bevel=0.02), (0, y, 0))))
        for x in (-depth / 2 + 0.07, depth / 2 - 0.07):
            parts.append(f.wood(tube([(x, y, foot + 0.03), (x, y, 0)], [0.03, 0.02], segments=7)))
    for _ in range(int(rng.integers(0, 3)) if seats > 1 else int(rng.random() < 0.3)):
        pillow = Finish(any_colour(rng), 0.03, int(rng.choice([0, 2])))
        y = between(rng, -1, 1) * (width / 2 - 0.2)
        parts.append(cushion(pillow, (0.13, 0.38, 0.36), (-depth / 2 + 0.42, y, z + 0.2), -22))
    if kind == "corner" and seats > 1:
        s, long = float(rng.choice([-1, 1])), between(rng, 0.4, 0.8)
        y = s * (width / 2 - one / 2)
        parts += [
            base(
                box(
                    (long, one + arm, z - foot - thick * 0.6),
                    centre=(depth / 2 + long / 2 - 0.02, y + s * arm / 2, (z - thick * 0.6 + foot) / 2),
                    bevel=0.02,
                )
            ),
            cushion(cloth, (long, one + arm, thick), (depth / 2 + long / 2 - 0.03, y + s * arm / 2, z - thick * 0.35)),
        ]
    return parts


def armchair(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(ARMCHAIRS))
    if kind == "wooden":  # a low wooden frame with loose cushions
        width, depth, z = between(rng, 0.58, 0.72), between(rng, 0.62, 0.78), between(rng, 0.32, 0.42)
        high, lean = between(rng, 0.4, 0.6), between(rng, 0.15, 0.28)
        parts = [
            *legs(rng, f, depth, width, z - 0.04, str(rng.choice(["square", "tapered", "splayed"]))),
            *back(
                rng,
                f,
                -depth / 2 + 0.04,
                width - 0.05,
                z - 0.04,
                high,
                lean,
                str(rng.choice(["slats", "ladder", "panel"])),
            ),
            *arms(rng, f, depth, width, z, between(rng, 0.16, 0.26)),
        ]
        parts += [
            f.wood(box((depth, width - 0.04, 0.04), centre=(0, 0, z - 0.04), bevel=0.008)),
            cushion(f.cloth, (depth * 0.92, width - 0.1, 0.13), (0.02, 0, z + 0.03)),
            cushion(
                f.cloth,
                (0.13, width - 0.12, high * 0.95),
                (-depth / 2 + 0.04 - lean * 0.25, 0, z + high / 2 + 0.06),
                -18,
            ),
        ]
    else:
        parts = upholstered(
            rng, f, 1, {"club": "plain", "tub": "tub"}.get(kind, kind) if rng.random() < 0.7 else "rolled"
        )
    return stretched(finished(parts, f.atlas), rng, 0.08)


def sofa(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(SOFAS))
    return stretched(finished(upholstered(rng, f, int(rng.choice([2, 2, 3, 3, 4])), kind), f.atlas), rng, 0.08)


def stool(rng: Rng) -> Mesh:
    f, kind = finishes(rng), str(rng.choice(STOOLS))
    z = between(rng, 0.6, 0.8) if kind == "bar" else between(rng, 0.4, 0.52)
    r = between(rng, 0.15, 0.2)
    thick = between(rng, 0.025, 0.09)
    if kind == "square":
        w, d = between(rng, 0.34, 0.55), between(rng, 0.3, 0.42)
        parts = [*legs(rng, f, d, w, z), *seat(rng, f, d, w, z)]
    elif kind == "swivel":
        parts = [
            *pedestal(rng, f, z, between(rng, 0.2, 0.28), castors=bool(rng.random() < 0.3)),
            (f.cloth if rng.random() < 0.7 else f.wood)(
                cylinder(r * 1.1, thick + 0.03, base=(0, 0, z - 0.03), segments=24)
            ),
        ]
    elif kind == "step":
        w = between(rng, 0.36, 0.46)
        parts = [
            f.wood(box((0.3, w, 0.03), centre=(0, 0, z)), box((0.2, w, 0.025), centre=(0.2, 0, z / 2))),
        ]
        outline = [
            (-0.2, 0),
            (-0.14, 0),
            (-0.05, 0.3 * z),
            (0.2, 0.3 * z),
            (0.24, 0),
            (0.3, 0),
            (0.28, z / 2),
            (0.13, z / 2),
            (0.12, z),
            (-0.12, z),
        ]
        parts += [f.wood(moved(extrude(outline, 0.025, axis="y"), (0, s * (w / 2 - 0.03), 0))) for s in (1, -1)]
    else:
        n, out = int(rng.choice([3, 4])), between(rng, 1.0, 1.5) * r
        stick = f.metal if rng.random() < 0.4 else f.wood
        angles = 2 * np.pi * (np.arange(n) + 0.3) / n
        parts = [
            stick(
                *[
                    tube(
                        [(0.75 * r * np.cos(a), 0.75 * r * np.sin(a), z), (out * np.cos(a), out * np.sin(a), 0)],
                        [0.02, 0.014],
                        segments=8,
                    )
                    for a in angles
                ]
            )
        ]
        if kind == "bar" or rng.random() < 0.4:
            u = between(rng, 0.25, 0.5)
            parts.append(stick(ring((0.75 * r) * u + out * (1 - u), z * u, 0.012)))
        parts.append(
            (f.cloth if rng.random() < 0.5 else f.wood)(cylinder(r, thick, base=(0, 0, z - 0.01), segments=24))
        )
        if kind == "bar" and rng.random() < 0.3:
            arc = [(-r * np.cos(a), r * np.sin(a), z + 0.14) for a in np.linspace(-1.2, 1.2, 9)]
            parts.append(
                stick(
                    tube(arc, 0.014, segments=7),
                    tube([arc[2], (arc[2][0] * 0.9, arc[2][1] * 0.9, z)], 0.01, segments=6),
                    tube([arc[6], (arc[6][0] * 0.9, arc[6][1] * 0.9, z)], 0.01, segments=6),
                )
            )
    return stretched(finished(parts, f.atlas), rng, 0.07)


def bench(rng: Rng) -> Mesh:
    """Long and narrow: slats on iron ends in a park, a plank on legs, with a back, with a pad."""
    f, kind = finishes(rng), str(rng.choice(BENCHES, p=[0.45, 0.2, 0.2, 0.15]))
    width, depth, z = between(rng, 1.1, 1.8), between(rng, 0.34, 0.5), between(rng, 0.4, 0.48)
    high, lean = between(rng, 0.35, 0.48), between(rng, 0.08, 0.18)
    if kind == "park":
        n, m, t = int(rng.integers(3, 7)), int(rng.integers(2, 5)), between(rng, 0.018, 0.03)
        iron = f.metal if rng.random() < 0.4 else Finish((0.12, 0.13, 0.12), 0.3)
        parts = [
            f.wood(box((depth / n * 0.8, width, t), centre=(-depth / 2 + (k + 0.5) * depth / n, 0, z), bevel=0.004))
            for k in range(n)
        ]
        for k in range(m):
            u = 0.25 + 0.75 * (k + 0.5) / m
            parts.append(
                f.wood(
                    moved(
                        box((t, width, high * 0.75 / m * 0.8), bevel=0.004),
                        (-depth / 2 - lean * u - 0.01, 0, z + high * u),
                        rotation=turn("y", -15),
                    )
                )
            )
        for y in (-width / 2 + 0.12, width / 2 - 0.12, *((0.0,) if rng.random() < 0.4 else ())):
            front = [
                (depth / 2 + 0.03, y, 0),
                (depth / 2 - 0.02, y, z - 0.02),
                (-depth / 2, y, z - 0.02),
                (-depth / 2 - lean - 0.02, y, z + high),
            ]
            rods = [
                tube(spline(front, 12), 0.02, segments=7),
                tube([(-depth / 2 + 0.05, y, z - 0.02), (-depth / 2 - 0.08, y, 0)], 0.02, segments=7),
            ]
            if rng.random() < 0.7 and y != 0:
                rods.append(
                    tube(
                        spline(
                            [
                                (-depth / 2 - lean * 0.5, y, z + high * 0.5),
                                (0, y, z + 0.24),
                                (depth / 2 - 0.03, y, z + 0.22),
                                (depth / 2 - 0.01, y, z),
                            ],
                            9,
                        ),
                        0.018,
                        segments=7,
                    )
                )
            parts.append(iron(*rods))
    else:
        leg = "any" if rng.random() < 0.6 else "square"
        parts = [
            *legs(rng, f, depth, width, z - 0.03, leg),
            f.wood(box((depth, width, 0.045), centre=(0, 0, z - 0.02), bevel=0.008)),
        ]
        if rng.random() < 0.3:
            parts += stretchers(rng, f.wood, depth * 0.8, width * 0.85, z * 0.3, 0.018)
        if kind == "padded":
            parts.append(cushion(f.cloth, (depth, width, 0.1), (0, 0, z + 0.04)))
        if kind == "backed":
            parts += back(
                rng,
                f,
                -depth / 2 + 0.02,
                width - 0.04,
                z,
                high,
                lean,
                str(rng.choice(["slats", "ladder", "panel", "cross"])),
            )
            if rng.random() < 0.5:
                parts += arms(rng, f, depth, width, z, 0.2)
    return stretched(finished(parts, f.atlas), rng, 0.06)
