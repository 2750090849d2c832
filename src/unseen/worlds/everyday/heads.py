"""The heads of four-legged animals: skull and muzzle, eyes, ears, horns, noses, a trunk."""

from __future__ import annotations

import numpy as np

from unseen.worlds.everyday.build import Build
from unseen.worlds.everyday.finishes import SIDES, Finish
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.rendering.mesh import Mesh, moved
from unseen.worlds.shapes.primitives import cone, cylinder, ellipsoid, sphere, tube, turn
from unseen.worlds.shapes.skins import blade, body, lumpy, sheet, spline


def head(
    rng: Rng,
    b: Build,
    poll: np.ndarray,
    way: np.ndarray,
    hair: Finish,
    dark: Finish,
    horn: Finish,
    parts: dict[str, list[Mesh]],
) -> None:
    """Skull and muzzle along an axis that looks ``pitch`` degrees down, with ears, eyes, nose, horns, trunk."""
    h, deep, wide = b.head, b.head * b.head_deep / 2, b.head * b.head_wide / 2
    m, md = float(np.clip(b.muzzle, 0.15, 0.62)), float(np.clip(b.muzzle_deep, 0.25, 0.8))
    mw = 0.55 * md + 0.25
    stop = 1 - m
    rows = np.array([
        (-0.02, 0.0, 0.62, 0.7), (0.14, 0.02, 0.94, 0.95), (0.3, 0.02, 1.0, 1.0), (stop - 0.02, -0.06, 0.92, 0.88),
        (stop + 0.25 * m, -0.2 * (1 - md) - 0.05, 0.4 + 0.5 * mw, 0.45 + 0.5 * md),
        (stop + 0.7 * m, -0.35 * (1 - md), mw, md), (0.97, -0.4 * (1 - md), 0.85 * mw, 0.82 * md),
    ])  # along, up, width, depth  # fmt: skip
    along = [rows[:, 0] * h, np.zeros(7), rows[:, 1] * 2 * deep, rows[:, 2] * wide, rows[:, 3] * deep]
    skull = body(np.column_stack(along), rings=14, segments=14, ends=(0.6, 0.45))
    shift = poll + way * (-0.1 * h)
    spin = turn("y", b.pitch)

    def on(one: Mesh) -> Mesh:
        return moved(one, shift, rotation=spin)

    if b.wool and rng.random() < 0.6:
        parts["neck"].append(
            on(lumpy(ellipsoid((0.3 * h, wide, deep * 0.8), (0.08 * h, 0, deep * 0.4), 10), rng, 0.02, 0.1))
        )
    parts["head"].append(on(skull))
    eye = b.eye * h
    for s in SIDES:
        ex = min(0.42, stop - 0.04) * h
        spot = (ex + 0.02 * h, s * wide * 0.8, 0.36 * deep)
        parts["rest"].append(on(Finish((0.05, 0.04, 0.03), 1.0)(sphere(eye, spot, 8))))
        ear = _ear(rng, b, s, h, wide, deep)
        parts["ears"].append(
            moved(ear, shift + spin @ np.array([0.12 * h, s * wide * 0.85, 0.3 * deep])) if b.ear == "fan" else on(ear)
        )
        if b.horns == "ox":
            long = between(rng, 0.3, 0.75) * h
            path = [
                (0.12 * h, s * wide * 0.6, 0.8 * deep),
                (0.1 * h, s * (wide + 0.5 * long), deep * 1.05),
                (0.18 * h, s * (wide + 0.75 * long), deep + 0.7 * long),
            ]
            parts["rest"].append(on(horn(tube(spline(path, 7), np.linspace(0.065, 0.012, 7) * h * 1.2, segments=8))))
        elif b.horns == "ram":
            a = np.linspace(0.3, between(rng, 4.0, 6.6), 14)
            r = 0.34 * h
            path = np.stack(
                [0.02 * h - r * np.sin(a) * 0.9, s * (wide * 0.65 + 0.05 * h * a), 0.5 * deep + r * np.cos(a)], -1
            )
            parts["rest"].append(on(horn(tube(path, np.linspace(0.1, 0.02, 14) * h, segments=8))))
    tip = np.array([0.97 * h, 0, -0.4 * (1 - md) * 2 * deep])
    if b.snout == "pig":
        disc = moved(cylinder(1.05 * mw * wide, 0.06 * h, segments=12), tip + (0.0, 0, 0), rotation=turn("y", 75))
        parts["head"].append(on(disc))
        parts["rest"].append(
            on(dark(*[sphere(0.022 * h, tip + (0.06 * h, s * 0.3 * mw * wide, 0.02 * h), 6) for s in SIDES]))
        )
    elif b.snout == "trunk":
        parts["head"] += _trunk(rng, b, shift + spin @ tip, mw * wide, shift)
        if rng.random() < 0.75:
            long = between(rng, 0.3, 0.9) * h
            for s in SIDES:
                base = shift + spin @ np.array([0.8 * h, s * 0.55 * wide, -0.5 * deep])
                path = [
                    base,
                    base + (0.3 * long, s * 0.1 * long, -0.5 * long),
                    base + (0.9 * long, s * 0.12 * long, -0.45 * long),
                ]
                parts["rest"].append(
                    Finish((0.93, 0.9, 0.8), 0.4)(
                        tube(spline(np.array(path), 7), np.linspace(0.07, 0.015, 7) * h, segments=8)
                    )
                )
    elif b.foot == "paw":
        parts["rest"].append(
            on(
                Finish((0.06, 0.05, 0.05), 0.6)(
                    ellipsoid((0.06 * h, 0.55 * mw * wide, 0.35 * md * deep), tip + (0.035 * h, 0, 0.5 * md * deep), 8)
                )
            )
        )
        lips = [(stop * h + 0.1 * h, s * mw * wide * 0.98, tip[2] - 0.25 * md * deep) for s in SIDES]
        line = [
            lips[0],
            (0.97 * h, 0.5 * mw * wide, tip[2] - 0.3 * md * deep),
            (1.02 * h, 0, tip[2] - 0.3 * md * deep),
            (0.97 * h, -0.5 * mw * wide, tip[2] - 0.3 * md * deep),
            lips[1],
        ]
        parts["rest"].append(on(Finish((0.1, 0.07, 0.06), 0.2)(tube(spline(np.array(line), 9), 0.012 * h, segments=5))))
    else:
        parts["rest"].append(
            on(
                dark(
                    *[
                        ellipsoid(
                            (0.02 * h, 0.02 * h, 0.03 * h), tip + (0.045 * h, s * 0.5 * mw * wide, 0.25 * md * deep), 6
                        )
                        for s in SIDES
                    ]
                )
            )
        )


def _ear(rng: Rng, b: Build, s: int, h: float, wide: float, deep: float) -> Mesh:
    size = b.ear_size * h
    root = np.array([0.1 * h, s * wide * 0.62, 0.72 * deep])
    if b.ear == "point":
        ear = moved(cone(0.42 * size, size * 1.1, segments=9), scale=(0.45, 1, 1))
        return moved(ear, root - (0, 0, 0.12 * size), rotation=turn("x", -s * between(rng, 8, 25)) @ turn("z", s * 35))
    if b.ear == "round":
        return moved(
            ellipsoid((0.2 * size, 0.5 * size, 0.55 * size), segments=10),
            root + (0, s * 0.15 * size, 0.25 * size),
            rotation=turn("x", -s * 30),
        )
    if b.ear == "side":
        path = [
            root - (0, s * 0.1 * size, 0),
            root + (-0.1 * size, s * 0.55 * size, 0.02),
            root + (-0.15 * size, s * size, -0.2 * size),
        ]
        return blade(path, (0.12 * size, 0.3 * size, 0.03 * size), (0.6, 0, 0.8), 0.02 * h, fold=0.3)
    if b.ear == "fan":
        angle = np.deg2rad(np.linspace(100, 285, 9))
        rim = (
            np.stack([np.cos(angle) * 0.85, np.zeros(9), np.where(np.sin(angle) > 0, 0.38, 1.05) * np.sin(angle)], -1)
            * size
        )
        share = np.linspace(0.05, 1, 4)[:, None, None]
        grid = rim[None] * share
        grid[..., 1] = s * 0.12 * size * np.sin(share[..., 0] * np.pi)
        ear = sheet(grid, 0.03 * h)
        return moved(ear, rotation=turn("z", -s * between(rng, 10, 50)))
    forward = 0.45 if b.ear == "flop" else 0.12
    path = [
        root - (0, s * 0.05 * size, 0),
        root + (0.1 * size, s * 0.35 * size, 0.1 * size),
        root + (forward * size, s * 0.42 * size, -0.45 * size),
        root + (1.6 * forward * size, s * 0.34 * size, -0.95 * size),
    ]
    return blade(path, (0.22 * size, 0.34 * size, 0.36 * size, 0.12 * size), (1, 0, 0.2), 0.03 * h, fold=0.1)


def _trunk(rng: Rng, b: Build, tip: np.ndarray, wide: float, poll: np.ndarray) -> list[Mesh]:
    low = between(rng, 0.06, 0.18)
    curl = between(rng, -0.15, 0.25)
    if rng.random() < 0.25:
        path = [
            tip + (-0.06, 0, 0.06),
            tip + (0.12, 0, -0.1),
            tip + (0.32, 0, -0.02),
            tip + (0.38, 0, 0.25),
            tip + (0.3, 0, 0.42),
        ]
    else:
        path = [
            tip + (-0.06, 0, 0.06),
            tip + (0.06, 0, -0.12),
            (tip[0] + 0.08, 0, 0.55 * tip[2]),
            (tip[0] + 0.06, 0, low + 0.1),
            (tip[0] + 0.06 + curl, 0, low),
        ]
    radii = np.array([1.0, 0.78, 0.55, 0.42, 0.34]) * wide
    return [body(np.column_stack([np.array(path), radii, radii]), rings=14, segments=12, ends=(0.5, 0.1))]
