"""Four-legged animals: one generator, from a build to a mesh. They stand, walk, sit or lie, and look along +x."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.worlds.everyday.build import Build
from unseen.worlds.everyday.finishes import SIDES, Finish
from unseen.worlds.everyday.heads import head
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import cylinder, ellipsoid, tube
from unseen.worlds.shapes.skins import body, lumpy, sheet, spline
from unseen.worlds.shapes.surfaces import Points

COATED = ("torso", "neck", "head", "legs", "ears", "tail")
Place = Callable[[tuple[float, float, float] | np.ndarray], np.ndarray]


def loft(rows: Points, rings: int, segments: int = 14, ends: tuple[float, float] = (0.8, 0.8)) -> Mesh:
    return body(np.asarray(rows, float), rings=rings, segments=segments, ends=ends)


def animal(rng: Rng, b: Build, pose: str, hair: Finish, dark: Finish, horn: Finish) -> dict[str, list[Mesh]]:
    """The parts by name; those of ``COATED`` and the ``mane`` still need their hair."""
    L, D = b.length, b.depth
    stand = {"sit": 1.0, "lie": D * 0.98}.get(pose, 1.0)
    lift = {"sit": between(rng, 38, 52)}.get(pose, 0.0)
    hip = np.array([-0.36 * L, 0, stand - 0.5 * D])
    grounded = D * 0.52 if pose == "sit" else hip[2]
    c, s = np.cos(np.deg2rad(lift)), np.sin(np.deg2rad(lift))

    def at(p: tuple[float, float, float] | np.ndarray) -> np.ndarray:
        """A place of the standing trunk, where the pose puts it."""
        x, y, z = np.asarray(p, float) - (hip[0], 0, hip[2])
        return np.array([hip[0] + c * x - s * z, y, grounded + s * x + c * z])

    parts: dict[str, list[Mesh]] = {name: [] for name in (*COATED, "mane", "rest")}
    parts["torso"] = [_torso(rng, b, at, stand)]
    parts["legs"], feet = _legs(rng, b, pose, at, stand)
    poll, up = _neck(rng, b, at, stand, lift, parts)
    head(rng, b, poll, up, hair, dark, horn, parts)
    parts["tail"] = _tail(rng, b, at((-0.5 * L, 0, stand - 0.16 * D + b.croup)), lift)
    parts["rest"] += [dark(foot) for foot in feet]
    return parts


def _torso(rng: Rng, b: Build, at: Place, stand: float) -> Mesh:
    t = np.array([0.0, 0.13, 0.36, 0.6, 0.82, 1.0])
    half = np.array([0.3, 0.45, 0.49 * b.tuck, 0.5 * (0.4 + 0.6 * b.tuck), 0.5, 0.37]) * b.depth
    wide = np.array([0.3, 0.47, 0.47, 0.52, 0.47, 0.32]) * b.depth * b.wide
    top = stand + np.array([-0.1 * b.depth, 0.0, -0.04 * b.depth, -0.04 * b.depth, 0.0, -0.12 * b.depth])
    top += b.croup * np.array([0.6, 1, 0.3, 0, 0, 0]) + b.hump * np.array([0, 0, 0, 0.4, 1.0, 0.4])
    rows = [[*at(((tt - 0.5) * b.length, 0, z - h)), w, h] for tt, z, h, w in zip(t, top, half, wide)]
    trunk = loft(rows, 17, 16, (0.9, 0.7))
    return lumpy(trunk, rng, 0.05 * b.depth * b.wool, 0.16) if b.wool else trunk


def _legs(rng: Rng, b: Build, pose: str, at: Place, stand: float) -> tuple[list[Mesh], list[Mesh]]:
    """Limbs and, where they are of another colour, hooves or pads."""
    limbs, feet = [], []
    t, D, k = b.leg, b.depth, b.bend
    stride = between(rng, 0.08, 0.2) if pose == "walk" else between(rng, 0.0, 0.05)
    beside = 0.3 * D * b.wide
    swing = float(rng.choice([-1, 1]))
    for s in SIDES:
        step = stride * s * swing
        x, y = -0.36 * b.length, s * beside
        if pose in ("sit", "lie"):
            h = at((x, 0, stand - 0.55 * D))
            out = 1.35 * y
            hind = [
                (h[0] + 0.02, y, h[2], 0.2 * D, 0.3 * D),
                (h[0] + 0.24, out, h[2] * 0.9 + 0.02, 0.9 * t, 0.16),
                (h[0] + 0.1, out, 0.09, 0.7 * t, 0.7 * t),
                (h[0] + 0.04, out, 0.05, 0.6 * t, 0.55 * t),
                (h[0] + 0.28, out, 0.045, 0.75 * t, 0.5 * t),
            ]
        else:
            z = stand - 0.5 * D
            hind = [
                (x + 0.02, 0.6 * y, z + 0.12 * D, 0.2 * D * b.wide + 0.3 * t, 0.36 * D),
                (x + 0.05 * k + step / 3, y, 0.62 * z + 0.02, 0.95 * t + 0.06 * D, 0.22 * D + 0.4 * t),
                (x - 0.02 * k + step * 0.6, y, 0.44 * z + 0.02, 0.75 * t, 0.95 * t),
                (x - 0.1 * k + step * 0.8, y, 0.3 * z + 0.05, 0.5 * t, 0.62 * t),
                (x - 0.07 * k + step, y, 0.12, 0.42 * t, 0.46 * t),
                (x - 0.05 * k + step, y, 0.035, 0.5 * t, 0.52 * t),
            ]
        x, y = 0.3 * b.length, s * beside * 0.95
        if pose == "lie":
            fore = [
                (x, 0.8 * y, stand - 0.4 * D, 0.15 * D, 0.28 * D),
                (x - 0.02, y, 0.12, 0.9 * t, 1.1 * t),
                (x + 0.12, y, 0.05, 0.6 * t, 0.6 * t),
                (x + 0.34, y, 0.045, 0.6 * t, 0.5 * t),
                (x + 0.46, y, 0.04, 0.7 * t, 0.5 * t),
            ]
        else:
            h = at((x, 0, stand - 0.35 * D))
            e = at((x - 0.02, 0, stand - 0.85 * D))
            away = 0.12 if pose == "sit" else 0.0
            fore = [
                (*_xz(h, 0.55 * y), 0.16 * D * b.wide + 0.3 * t, 0.3 * D),
                (*_xz(e, y), 0.8 * t + 0.04 * D, 0.16 * D + 0.45 * t),
                (e[0] - step / 2 + away * 0.5, y, 0.48 * e[2] + 0.03, 0.55 * t, 0.62 * t),
                (e[0] - step * 0.9 + away * 0.8, y, 0.13, 0.42 * t, 0.45 * t),
                (e[0] - step + away, y, 0.035, 0.5 * t, 0.52 * t),
            ]
        if b.foot == "pillar":
            hind, fore = (
                [
                    (xx + d, s * beside * 0.6, z0, 0.2 * D, 0.26 * D),
                    (xx + d, s * beside, z0 - 0.3 * D, 1.05 * t, 1.2 * t),
                    (xx + d * 2, s * beside, 0.25, 0.85 * t, 0.88 * t),
                    (xx + d * 2 + e, s * beside, 0.03, 0.92 * t, 0.92 * t),
                ]
                for xx, d, e, z0 in (
                    (-0.36 * b.length, 0.02, step, stand - 0.5 * D),
                    (0.3 * b.length, 0.0, -step, stand - 0.45 * D),
                )
            )
        for rows in (hind, fore):
            limbs.append(loft([list(map(float, row)) for row in rows], 13, 10, (0.6, 0.15)))
            ex, ey = rows[-1][0], rows[-1][1]
            if b.foot == "paw":
                limbs.append(
                    moved(ellipsoid((0.85 * t, 0.62 * t, 0.5 * t), segments=10), (ex + 0.35 * t, ey, 0.45 * t))
                )
            elif b.foot == "hoof":
                feet.append(cylinder(0.72 * t, 0.07, base=(ex + 0.1 * t, ey, 0), top_radius=0.5 * t, segments=10))
            else:
                limbs.append(cylinder(0.98 * t, 0.08, base=(ex, ey, 0), top_radius=0.9 * t, segments=12))
    return limbs, feet


def _xz(p: np.ndarray, y: float) -> tuple[float, float, float]:
    return float(p[0]), y, float(p[2])


def _neck(
    rng: Rng, b: Build, at: Place, stand: float, lift: float, parts: dict[str, list[Mesh]]
) -> tuple[np.ndarray, np.ndarray]:
    """Where the skull begins, and the neck's direction there."""
    base = at((0.36 * b.length, 0, stand - 0.42 * b.depth + 0.5 * b.hump))
    angle = np.deg2rad(max(b.neck_angle, min(lift + 12, 70)) if lift else b.neck_angle)
    way = np.array([np.cos(angle), 0, np.sin(angle)])
    thick = b.neck_base * b.depth / 2
    last = min(b.neck_top * b.depth, 0.92 * b.head * b.head_deep / 2)
    end = base + way * (b.neck + 0.16 * b.length)
    bow = np.array([-way[2], 0, way[0]]) * 0.05 * b.neck
    rows = [
        [*base, 0.62 * b.depth * b.wide * 0.6, thick], [*(base + way * 0.1 * b.length), thick * 0.72, thick * 0.95],
        [*(base * 0.45 + end * 0.55 + bow), 0.55 * thick * 0.7 + 0.35 * last, 0.5 * thick + 0.5 * last],
        [*end, 0.78 * last, last],
    ]  # fmt: skip
    neck = loft(rows, 10, 12, (0.3, 0.35))
    parts["neck"].append(lumpy(neck, rng, 0.04 * b.depth * b.wool, 0.14) if b.wool else neck)
    if b.mane:
        crest = [np.array(r[:3]) + np.array([-way[2], 0, way[0]]) * r[4] * 0.9 for r in rows]
        fall = between(rng, 0.08, 0.2) * b.mane
        side = float(rng.choice([-1, 1]))
        grid = np.stack(
            [
                np.stack([p + (0, 0, 0.03), p + (0, side * 0.06, 0.01), p + (-0.02, side * 0.085, -fall)])
                for p in spline(np.array(crest), 8)
            ]
        )
        parts["mane"].append(sheet(grid, 0.03))
    return end, way


def _tail(rng: Rng, b: Build, root: np.ndarray, lift: float) -> list[Mesh]:
    n, x = b.tail_long, root + (0.04, 0, 0.0)
    sway = between(rng, -0.15, 0.15) * n
    down = max(root[2] - 0.06, 0.02)
    hang = min(n, down)
    if b.tail == "short":
        return [
            loft(
                [
                    [*x, 0.06, 0.06],
                    [*(x + (-0.06, sway, -0.06)), 0.06, 0.05],
                    [*(x + (-0.07, sway, -0.12)), 0.03, 0.03],
                ],
                6,
                8,
            )
        ]
    if b.tail == "curl":
        a = np.linspace(0, 8, 14)
        path = np.stack([x[0] - 0.012 * a - 0.02, 0.05 * np.sin(a), x[2] + 0.05 * np.cos(a) - 0.05], -1)
        return [tube(path, np.linspace(0.025, 0.012, 14), segments=6)]
    if b.tail == "curlbush":
        path = [x, x + (-0.14, 0, 0.12), x + (0.0, 0, 0.28), x + (0.16, sway, 0.2)]
        return [loft([[*p, r, r] for p, r in zip(path, (0.06, 0.11, 0.13, 0.08))], 9, 10)]
    if b.tail == "skirt":
        path = [x, x + (-0.1, 0, 0.0), x + (-0.15, sway, -0.5 * hang), x + (-0.13, sway, -hang)]
        return [loft([[*p, r, r] for p, r in zip(path, (0.03, 0.05, 0.085, 0.03))], 9, 9)]
    if b.tail == "tuft":
        path = [x, x + (-0.08, 0, -0.06), x + (-0.1, sway, -0.6 * hang), x + (-0.1, sway, -hang)]
        return [
            tube(spline(np.array(path), 8), 0.02, segments=6),
            moved(ellipsoid((0.035, 0.035, 0.08), segments=8), x + (-0.1, sway, -hang)),
        ]
    fat = {"thin": 0.035, "bushy": 0.075, "brush": 0.12}[b.tail]
    if lift or down < 0.5:  # on the ground beside a sitting animal
        path = [
            x,
            np.array([x[0] - 0.2 * n, 0.2 * n, 0.1]),
            np.array([x[0] - 0.1 * n, 0.45 * n, 0.06]),
            np.array([x[0] + 0.2 * n, 0.6 * n, 0.06]),
        ]
    elif rng.random() < 0.5:
        path = [x, x + (-0.3 * n, sway / 2, -0.05 * n), x + (-0.65 * n, sway, 0.05 * n), x + (-0.9 * n, sway, 0.3 * n)]
    else:
        path = [
            x,
            x + (-0.18 * n, sway / 2, -0.25 * hang),
            x + (-0.26 * n, sway, -0.7 * hang),
            x + (-0.36 * n, sway, -0.95 * hang),
        ]
    return [loft([[*p, r, r] for p, r in zip(path, (0.6 * fat, fat, fat * 1.1, 0.3 * fat))], 11, 9)]
