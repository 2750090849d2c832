"""What one wears: hats and shoes."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.finishes import SIDES, Finish, finished, finishes, shade
from unseen.worlds.everyday.turned import Rng, between, profile, solid
from unseen.worlds.everyday.warps import stretched
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import (
    lathe,
    loft,
    rounded_box,
    torus,
    tube,
    turn,
)
from unseen.worlds.shapes.skins import body, spline


def hat(rng: Rng) -> Mesh:
    """A cowboy hat, a sombrero, a fedora, a top hat, a bowler, a sun hat, a cap; lying on its brim."""
    f, kind = finishes(rng), str(rng.choice(["cowboy", "cowboy", "sombrero", "fedora", "top", "bowler", "sun"]))
    felt = Finish(f.cloth.colour, 0.05, int(rng.choice([0, 0, 2])), 1.0)
    knots, high, brim, curl = {
        "cowboy": (
            ((1, 0), (0.98, 0.3), (0.86, 0.8), (0.55, 1)),
            between(rng, 0.75, 0.95),
            between(rng, 1.75, 2.1),
            between(rng, 0.3, 0.55),
        ),
        "sombrero": (
            ((1, 0), (0.8, 0.3), (0.55, 0.75), (0.25, 1)),
            between(rng, 0.8, 1.3),
            between(rng, 2.6, 3.3),
            -0.25,
        ),
        "fedora": (((1, 0), (0.98, 0.3), (0.88, 0.8), (0.6, 1)), between(rng, 0.62, 0.8), between(rng, 1.5, 1.7), 0.1),
        "top": (((1, 0), (0.95, 0.3), (0.97, 0.7), (1.04, 1)), between(rng, 1.0, 1.35), between(rng, 1.4, 1.6), 0.15),
        "bowler": (
            ((1, 0), (1.0, 0.35), (0.8, 0.8), (0.3, 1)),
            between(rng, 0.62, 0.75),
            between(rng, 1.35, 1.5),
            0.12,
        ),
        "sun": (((1, 0), (0.98, 0.3), (0.8, 0.8), (0.4, 1)), between(rng, 0.5, 0.7), between(rng, 1.9, 2.4), -0.08),
    }[kind]
    crown = profile(rng, knots, high, width=1.0, loose=0.03)
    a = np.linspace(0, 2 * np.pi, 33)[:-1]
    rings = np.linspace(0.48, brim / 2, 6)
    roll = curl * ((rings - 0.48) / (brim / 2 - 0.48)) ** 2
    sides = np.abs(np.sin(a)) ** 2 if kind in ("cowboy", "top", "fedora", "bowler") else np.ones(32)
    dip = -0.12 * np.abs(np.cos(a)) ** 2 if kind in ("cowboy", "fedora") else np.zeros(32)
    top = np.stack(
        [
            np.stack(
                [
                    r * np.cos(a),
                    r * np.sin(a) * (1 - 0.15 * (kind == "cowboy") * k / 5),
                    h * sides + dip * k / 5 + 0.0 * a,
                ],
                -1,
            )
            for k, (r, h) in enumerate(zip(rings, roll))
        ]
    )
    under = top[::-1] - (0, 0, 0.03)
    ring = np.concatenate([top, under, top[:1]])
    parts = [felt(loft(ring, caps=False)), felt(solid(crown, segments=30))]
    if kind in ("cowboy", "fedora") and rng.random() < 0.85:  # a crease along the top
        parts[1] = _creased(parts[1], high)
    if rng.random() < 0.8:
        z = high * between(rng, 0.1, 0.18)
        parts.append(
            Finish(f.second.colour, 0.1)(
                lathe([(0.49, 0.02), (0.515, 0.02), (0.505, z + 0.04), (0.48, z + 0.04), (0.49, 0.02)], segments=30)
            )
        )
    whole = moved(joined(parts), scale=(1.0, between(rng, 0.82, 0.95), 1))
    return finished([moved(whole, rotation=turn("y", between(rng, -6, 10)))], f.atlas)


def _creased(crown: Mesh, high: float) -> Mesh:
    from unseen.worlds.everyday.warps import deformed

    def f(p: np.ndarray) -> np.ndarray:
        t = np.clip(p[:, 2] / high - 0.45, 0, 1) / 0.55
        moved_ = p.copy()
        moved_[:, 2] -= 0.28 * high * t * np.exp(-((p[:, 1] / 0.14) ** 2))
        moved_[:, 1] *= 1 - 0.3 * t * np.clip(p[:, 0] + 0.1, 0, 0.5) * 2
        return moved_

    return deformed(crown, f)


def shoe(rng: Rng) -> Mesh:
    """A running shoe, a loafer, a boot, a clog, a sandal, a pump; its toe points to the front."""
    f, kind = finishes(rng), str(rng.choice(["running", "running", "loafer", "boot", "clog", "sandal", "pump"]))
    upper, trim = Finish(f.body.colour, f.body.gloss, int(rng.choice([0, 2])), 1.0), Finish(f.second.colour, 0.3)
    sole = (
        Finish((0.93, 0.93, 0.92), 0.1)
        if kind == "running" and rng.random() < 0.6
        else (f.wood if kind == "clog" else Finish(shade(f.third.colour, 0.6), 0.1))
    )
    heel = {"boot": between(rng, 0.12, 0.3), "pump": between(rng, 0.4, 0.75)}.get(kind, 0.0)
    t = np.linspace(0, 1, 13)
    x = t * 2.8 - 1.4
    half = np.interp(t, [0, 0.08, 0.3, 0.5, 0.75, 0.92, 1], [0.2, 0.36, 0.34, 0.34, 0.48, 0.34, 0.12]) * between(
        rng, 0.9, 1.15
    )
    rise = heel * np.interp(t, [0, 0.3, 0.65, 1], [1, 0.9, 0.05, 0]) + np.interp(t, [0.8, 1], [0, 0.1])
    thick = np.full(
        13,
        {"running": between(rng, 0.16, 0.3), "clog": 0.25, "boot": 0.12, "sandal": between(rng, 0.1, 0.25)}.get(
            kind, 0.07
        ),
    )
    thick = thick * np.interp(t, [0, 0.5, 1], [1.15, 1, 0.8])
    bottom = [(xx, 0, r + k / 2, w * 1.06, k / 2) for xx, r, w, k in zip(x, rise, half, thick)]
    parts = [sole(body(bottom, rings=20, segments=14, ends=(0.6, 0.8), square=4.0))]
    if kind == "boot" or kind == "pump":
        parts.append(
            sole(
                body(
                    [
                        (-1.25, 0, 0, 0.2 if kind == "boot" else 0.06, 0.2 if kind == "boot" else 0.07),
                        (-1.15, 0, heel + 0.05, 0.3, 0.32),
                    ],
                    rings=4,
                    segments=12,
                    ends=(0, 0),
                    side=(0, 1, 0),
                )
            )
        )
    if kind == "sandal":
        for u in (0.75, 0.6, 0.2) if rng.random() < 0.6 else (0.78, 0.7, 0.62, 0.2):
            w, z0, xx = float(np.interp(u, t, half)) * 1.05, float(np.interp(u, t, rise + thick)), u * 2.8 - 1.4
            strap = [
                (xx, w * np.cos(a), z0 - 0.06 + between(rng, 0.3, 0.4) * np.sin(a) * (1.4 if u < 0.3 else 1))
                for a in np.linspace(0, np.pi, 11)
            ]
            parts.append(
                upper(
                    moved(
                        tube([(0, p[1], p[2]) for p in strap], 0.03, segments=6),
                        (xx, 0, 0),
                        scale=(between(rng, 3, 5), 1, 1),
                    )
                )
            )
        return finished([stretched(joined(parts), rng, 0.08)], f.atlas)
    tall = {"boot": between(rng, 1.2, 2.4), "running": 0.72, "loafer": 0.55, "clog": 0.62, "pump": 0.5}[kind] * between(
        rng, 0.9, 1.1
    )
    top = np.interp(t, [0, 0.1, 0.3, 0.42, 0.62, 0.85, 1], [0.95, 1, 0.86, 0.86, 0.6, 0.42, 0.22]) * min(tall, 0.78)
    if kind in ("loafer", "pump"):
        top = (
            np.interp(t, [0, 0.1, 0.3, 0.55, 0.68, 0.85, 1], [0.95, 1, 0.6, 0.5, 0.78, 0.62, 0.3])
            * tall
            * (1 if kind == "loafer" else 0.85)
        )
    base = rise + thick * 0.8
    rows = [
        (xx, 0, b + h / 2, w * np.interp(tt, [0, 0.4, 0.7, 1], [0.95, 0.9, 1, 1]), h / 2)
        for tt, xx, b, h, w in zip(t, x, base, top, half)
    ]
    parts.append(upper(body(rows, rings=22, segments=14, ends=(0.5, 0.9), square=2.6)))
    hole = Finish((0.08, 0.07, 0.06), 0.02)
    if kind == "boot":
        leg = [
            (-0.85, 0, base[2] + 0.3, 0.34, 0.5),
            (-0.82, 0, base[2] + 0.75, 0.32, 0.42),
            (-0.85, 0, base[2] + tall * 0.7 + 0.2, 0.38, 0.46),
            (-0.85, 0, base[2] + tall + 0.1, 0.44, 0.52),
        ]
        parts += [
            upper(body(leg, rings=12, segments=14, ends=(0.3, 0))),
            hole(
                body(
                    [(-0.85, 0, leg[-1][2] - 0.1, 0.36, 0.44), (-0.85, 0, leg[-1][2] + 0.012, 0.37, 0.45)],
                    rings=3,
                    segments=14,
                    ends=(0, 0),
                )
            ),
        ]
        if rng.random() < 0.5:
            parts.append(trim(torus(0.45, 0.03, (-0.85, 0, leg[-1][2]), segments=20, sides=6)))
    else:
        z = float(base[2] + top[2])
        parts.append(
            hole(
                body(
                    [
                        (-1.1, 0, z - 0.02, 0.2, 0.06),
                        (-0.75, 0, z - 0.03, 0.24, 0.07),
                        (-0.3 if kind != "running" else -0.2, 0, z - 0.06, 0.14, 0.05),
                    ],
                    rings=7,
                    segments=12,
                )
            )
        )
    if kind == "running" or (kind == "boot" and rng.random() < 0.4):
        for k in range(5):
            u = 0.42 + 0.055 * k
            xx, zz, w = u * 2.8 - 1.4, float(np.interp(u, t, base + top)), 0.17
            parts.append(
                trim(tube([(xx, -w, zz - 0.09), (xx + 0.03, 0, zz + 0.02), (xx, w, zz - 0.09)], 0.024, segments=5))
            )
        for s in SIDES:
            u = [0.3, 0.42, 0.55]
            swoosh = [
                (uu * 2.8 - 1.4, s * (float(np.interp(uu, t, half)) * 0.93 + 0.02), float(np.interp(uu, t, base)) + h)
                for uu, h in zip(u, (0.32, 0.16, 0.34))
            ]
            parts.append(trim(tube(spline(np.array(swoosh), 8), 0.035, segments=6)))
    if kind == "loafer" and rng.random() < 0.7:
        u = 0.63
        z = float(np.interp(u, t, base + top))
        parts.append(trim(rounded_box((0.24, 0.6, 0.1), 0.04, (u * 2.8 - 1.4, 0, z - 0.02))))
    return finished([stretched(joined(parts), rng, 0.07)], f.atlas)
