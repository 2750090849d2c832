"""Ducks, hens and fish: bodies lofted along a spine, with feathers or scales; they look along +x."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.worlds.everyday.animals import clouds, tone
from unseen.worlds.everyday.finishes import SIDES, Colour, Finish, any_colour, coat, finished, mixed, shade
from unseen.worlds.everyday.turned import Rng, between
from unseen.worlds.everyday.warps import bent, stretched
from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.primitives import cone, ellipsoid, sphere, tube, turn
from unseen.worlds.shapes.skins import blade, body, sheet, spline

EYE = Finish((0.04, 0.03, 0.03), 1.0)


def feathered(rng: Rng) -> tuple[str, int]:
    """An atlas whose fourth tile has feathers (odd numbers) …"""
    kind, number = coat(rng)
    return kind, number | 1


def scaled(rng: Rng) -> tuple[str, int]:
    """… or scales (even ones)."""
    kind, number = coat(rng)
    return kind, number & ~1


def shaded(part: Mesh, rng: Rng, other: Colour, share: np.ndarray) -> Mesh:
    """A part mixed with another colour, and mottled."""
    s = np.clip(share, 0, 1)[:, None]
    mottle = 1 + 0.1 * clouds(rng, part.vertices / max(float(part.extents.max()), 1e-6), 0.25)[:, None]
    return replace(
        part, colours=np.clip((part.colours * (1 - s) + np.asarray(other) * s) * mottle, 0, 1).astype(np.float32)
    )


def _legs(rng: Rng, y: float, x: float, top: float, colour: Finish, web: bool, long: float) -> list[Mesh]:
    parts = []
    for s in SIDES:
        step = between(rng, -0.06, 0.06)
        foot = np.array([x + step, s * y, 0.012])
        parts.append(
            colour(tube([(x, s * y * 0.9, top), (x - 0.02, s * y, 0.5 * top), foot], [0.03, 0.018, 0.016], segments=7))
        )
        toes = [foot + long * np.array([np.cos(a), np.sin(a), 0]) for a in np.deg2rad([-28, 0, 28])]
        if web:
            grid = np.stack([np.stack([foot + (0, d * 0.015, 0.015) for d in (-1, 0, 1)]), np.stack(toes)])
            parts.append(colour(sheet(grid, 0.014)))
        parts.append(
            colour(
                *[tube([foot, toe], [0.014, 0.008], segments=5) for toe in toes],
                tube([foot, foot + (-0.4 * long, 0, 0)], [0.012, 0.006], segments=5),
            )
        )
    return parts


def _wings(rng: Rng, x0: float, x1: float, z: float, y: float, deep: float, colour: Finish) -> list[Mesh]:
    """Folded wings on the flanks."""
    parts = []
    for s in SIDES:
        rows = [
            (x1, s * y * 0.92, z, 0.03, deep * 0.6),
            (x1 * 0.5 + x0 * 0.5, s * y * 1.02, z - 0.01, 0.045, deep),
            (x0 * 0.8 + x1 * 0.2, s * y * 0.85, z + 0.02, 0.035, deep * 0.6),
            (x0, s * y * 0.4, z + 0.05, 0.012, deep * 0.15),
        ]
        parts.append(colour(body(rows, rings=9, segments=10)))
    return parts


def duck(rng: Rng) -> Mesh:
    """A drake, a duck, a white or brown goose; standing on webbed feet or afloat."""
    kind = str(rng.choice(["drake", "duck", "white", "goose"]))
    goose = kind == "goose" or (kind == "white" and rng.random() < 0.4)
    base = {
        "drake": tone(rng, "grey", "cream"),
        "duck": tone(rng, "brown", "tan"),
        "white": tone(rng, "white"),
        "goose": tone(rng, "grey", "brown", "slate"),
    }[kind]
    plume = Finish(base, 0.1, 3, 1.0)
    up, reach = (
        (between(rng, 0.5, 0.75), between(rng, 0.06, 0.2))
        if goose
        else (between(rng, 0.24, 0.4), between(rng, 0.08, 0.2))
    )
    fat, leg = between(rng, 0.9, 1.12), between(rng, 0.14, 0.26)
    afloat = rng.random() < 0.3
    z = (0.1 if afloat else leg) + 0.2 * fat
    rows = [
        (-0.62, 0, z + 0.14, 0.03, 0.025),
        (-0.45, 0, z + 0.08, 0.13, 0.09),
        (-0.15, 0, z + 0.0, 0.24 * fat, 0.2 * fat),
        (0.15, 0, z - 0.01, 0.25 * fat, 0.22 * fat),
        (0.38, 0, z + 0.06, 0.17, 0.17),
        (0.44, 0, z + 0.12, 0.1, 0.12),
    ]
    trunk = plume(body(rows, rings=17, segments=16, ends=(0.6, 0.6)))
    chest = tone(rng, "chestnut", "dark") if kind == "drake" else shade(base, 0.85)
    trunk = shaded(trunk, rng, chest, np.clip((trunk.vertices[:, 0] - 0.15) * 5, 0, 1) * 0.8)
    hx, hz = 0.42 + reach, z + 0.12 + up
    throat = [
        (0.36, 0, z + 0.04, 0.13, 0.15),
        (0.44 + 0.2 * reach, 0, z + 0.14 + 0.3 * up, 0.085, 0.09),
        (0.42 + 0.55 * reach, 0, z + 0.14 + 0.7 * up, 0.068, 0.07),
        (hx, 0, hz, 0.075, 0.075),
    ]
    crown = {"drake": (0.06, 0.25, 0.14), "goose": tone(rng, "black", "grey", "brown"), "duck": shade(base, 0.8)}.get(
        kind, base
    )
    hood = Finish(crown, 0.25, 3)
    neck = hood(body(throat, rings=11, segments=12, ends=(0.4, 0.4)))
    skull = hood(
        body(
            [
                (hx - 0.09, 0, hz + 0.02, 0.06, 0.07),
                (hx + 0.0, 0, hz + 0.045, 0.082, 0.085),
                (hx + 0.1, 0, hz + 0.02, 0.06, 0.06),
            ],
            rings=8,
            segments=12,
        )
    )
    bill = Finish(
        ((0.85, 0.55, 0.12), (0.75, 0.68, 0.25), (0.15, 0.15, 0.15), (0.8, 0.4, 0.2))[int(rng.integers(4))], 0.3
    )
    beak = [
        (hx + 0.1, 0, hz + 0.015, 0.045, 0.042),
        (hx + 0.17, 0, hz - 0.005, 0.042, 0.022),
        (hx + between(rng, 0.24, 0.3), 0, hz - 0.012, 0.046, 0.014),
    ]
    parts = [trunk, neck, skull, bill(body(beak, rings=7, segments=10, ends=(0.3, 0.8)))]
    if kind == "drake" and rng.random() < 0.8:
        parts.append(
            Finish((0.93, 0.93, 0.9), 0.1)(
                moved(ellipsoid((0.082, 0.082, 0.018), segments=12), (0.43 + 0.3 * reach, 0, z + 0.14 + 0.42 * up))
            )
        )
    parts += [EYE(sphere(0.016, (hx + 0.045, s * 0.068, hz + 0.06), 8)) for s in SIDES]
    parts += _wings(
        rng, -0.55, 0.2, z + 0.05, 0.235 * fat, 0.12, Finish(shade(base, between(rng, 0.6, 1.0)), 0.1, 3, 1.0)
    )
    tail = [(-0.5, 0, z + 0.1, 0.1, 0.03), (-0.62, 0, z + 0.15, 0.1, 0.015), (-0.72, 0, z + 0.2, 0.05, 0.008)]
    parts.append(plume.darker(0.8)(body(tail, rings=5, segments=8)))
    if not afloat:
        parts += _legs(
            rng,
            0.11,
            0.02,
            leg + 0.06,
            Finish(bill.colour if bill.colour[0] > 0.3 else (0.8, 0.45, 0.15), 0.2),
            True,
            between(rng, 0.12, 0.16),
        )
    else:
        low = min(float(part.vertices[:, 2].min()) for part in parts)
        parts = [moved(part, (0, 0, -low)) for part in parts]
    return finished([stretched(joined(parts), rng, 0.06)], feathered(rng))


def hen(rng: Rng) -> Mesh:
    """A hen or a cock, with comb and wattles; a cock has a great tail."""
    cock = rng.random() < 0.5
    base = tone(rng, "red", "chestnut", "brown", "black", "white", "tan", "cream", "grey")
    plume, red = Finish(base, 0.1, 3, 1.0), Finish((0.72, 0.1, 0.08), 0.15)
    leg, fat = between(rng, 0.26, 0.36), between(rng, 0.9, 1.15)
    z, up = leg + 0.24 * fat, between(rng, 0.32, 0.46) * (1.15 if cock else 1)
    rows = [
        (-0.36, 0, z + 0.22, 0.07, 0.07),
        (-0.26, 0, z + 0.1, 0.15, 0.16),
        (-0.02, 0, z, 0.23 * fat, 0.24 * fat),
        (0.2, 0, z + 0.03, 0.21 * fat, 0.22 * fat),
        (0.32, 0, z + 0.12, 0.13, 0.15),
    ]
    trunk = plume(body(rows, rings=15, segments=16, ends=(0.6, 0.6)))
    other = tone(rng, "black", "dark", "white")
    trunk = shaded(
        trunk, rng, other, np.clip(clouds(rng, trunk.vertices, 0.3) - 0.2, 0, 1) * float(rng.choice([0, 0, 0.8]))
    )
    hx, hz = 0.38, z + 0.1 + up
    hackle = Finish(tone(rng, "red", "tan", "cream") if cock and rng.random() < 0.7 else base, 0.1, 3)
    throat = [
        (0.22, 0, z + 0.08, 0.16, 0.19),
        (0.31, 0, z + 0.1 + 0.4 * up, 0.1, 0.11),
        (hx - 0.03, 0, hz - 0.05, 0.06, 0.065),
        (hx, 0, hz, 0.058, 0.06),
    ]
    parts = [
        trunk,
        hackle(body(throat, rings=11, segments=12)),
        hackle(
            body([(hx - 0.04, 0, hz + 0.01, 0.05, 0.055), (hx + 0.05, 0, hz + 0.0, 0.04, 0.045)], rings=5, segments=10)
        ),
    ]
    parts.append(
        Finish((0.78, 0.6, 0.25), 0.3)(
            moved(cone(0.028, 0.09, segments=8), (hx + 0.075, 0, hz - 0.005), rotation=turn("y", 100))
        )
    )
    size = between(rng, 0.8, 1.2) * (1.3 if cock else 0.8)
    comb = [
        (hx - 0.07 * size, 0, hz + 0.04),
        (hx - 0.06 * size, 0, hz + 0.11 * size),
        (hx - 0.02 * size, 0, hz + 0.075 * size),
        (hx + 0.01, 0, hz + 0.14 * size),
        (hx + 0.03 * size, 0, hz + 0.07 * size),
        (hx + 0.06 * size, 0, hz + 0.11 * size),
        (hx + 0.07, 0, hz + 0.03),
    ]
    from unseen.worlds.shapes.primitives import extrude

    parts.append(red(extrude([(p[0], p[2]) for p in comb], 0.022, axis="y")))
    parts += [
        red(moved(ellipsoid((0.022, 0.01, 0.05 * size), segments=8), (hx + 0.055, s * 0.02, hz - 0.06 * size)))
        for s in SIDES
    ]
    parts += [EYE(sphere(0.013, (hx + 0.025, s * 0.047, hz + 0.02), 8)) for s in SIDES]
    parts += _wings(rng, -0.36, 0.2, z + 0.06, 0.22 * fat, 0.13, plume.darker(between(rng, 0.65, 0.95)))
    dark = Finish(other if cock else shade(base, 0.75), 0.3, 3)
    for k in range(9 if cock else 6):
        a = (k / 8 - 0.5) * 0.9 if cock else (k / 5 - 0.5) * 1.1
        if cock:
            path = [
                (-0.28, 0.05 * a, z + 0.2),
                (-0.45, 0.2 * a, z + between(rng, 0.45, 0.6)),
                (-0.68, 0.3 * a, z + between(rng, 0.35, 0.6)),
                (-0.8, 0.35 * a, z + between(rng, 0.05, 0.35)),
            ]
            parts.append(dark(blade(path, (0.04, 0.055, 0.05, 0.012), (0, 1, 0.3), 0.012, fold=0.3)))
        else:
            path = [(-0.28, 0.04 * a, z + 0.2), (-0.42, 0.14 * a, z + 0.36), (-0.52, 0.2 * a, z + 0.46)]
            parts.append(dark(blade(path, (0.05, 0.06, 0.035), (0.4, 1, 0.2), 0.012)))
    legs = Finish(((0.8, 0.65, 0.25), (0.4, 0.38, 0.36), (0.8, 0.55, 0.4))[int(rng.integers(3))], 0.2)
    parts += _legs(rng, 0.1, 0.02, leg + 0.08, legs, False, between(rng, 0.12, 0.15))
    return finished([stretched(joined(parts), rng, 0.07)], feathered(rng))


def fish(rng: Rng) -> Mesh:
    """A carp, a goldfish, a tall coral fish, a perch, a long one; it swims to the front."""
    kind = str(rng.choice(["carp", "gold", "coral", "long", "perch"]))
    tall = {
        "carp": between(rng, 0.17, 0.22),
        "gold": between(rng, 0.2, 0.27),
        "coral": between(rng, 0.28, 0.4),
        "long": between(rng, 0.08, 0.12),
        "perch": between(rng, 0.15, 0.2),
    }[kind]
    wide = tall * {"coral": between(rng, 0.25, 0.35), "gold": between(rng, 0.55, 0.75)}.get(
        kind, between(rng, 0.45, 0.65)
    )
    base = Finish(
        tone(rng, "red", "tan", "grey", "slate", "brown")
        if rng.random() < 0.6 or kind in ("carp", "long")
        else any_colour(rng),
        0.35,
        3,
        1.0,
    )
    if kind == "gold" and rng.random() < 0.75:
        base = Finish((0.88, between(rng, 0.35, 0.55), 0.1), 0.4, 3, 1.0)
    t = np.array([0, 0.06, 0.2, 0.42, 0.65, 0.85, 1.0])
    h = np.array([0.12, 0.42, 0.82, 1.0, 0.72, 0.34, 0.26]) * tall
    w = np.array([0.2, 0.6, 0.95, 1.0, 0.65, 0.26, 0.1]) * wide
    sag = np.array([0, 0, -0.04, -0.08, -0.04, 0, 0]) * tall
    x = 0.5 - t
    trunk = base(
        body([(a, 0, s, ww, hh) for a, s, ww, hh in zip(x, sag, w, h)], rings=22, segments=18, ends=(0.6, 0.1))
    )
    up = trunk.normals[:, 2]
    belly = mixed(base.colour, (1, 0.98, 0.92), between(rng, 0.3, 0.9))
    trunk = shaded(trunk, rng, belly, np.clip(-up * 0.8 + 0.15, 0, 1))
    back = shade(base.colour, 0.55)
    trunk = replace(
        trunk,
        colours=np.where(
            up[:, None] > 0.55, trunk.colours * 0.4 + np.asarray(back, np.float32) * 0.6, trunk.colours
        ).astype(np.float32),
    )
    if kind in ("coral", "perch") and rng.random() < 0.75:
        bars = np.sin(trunk.vertices[:, 0] * between(rng, 14, 34) + rng.uniform(0, 6)) > between(rng, 0.1, 0.6)
        stripe = np.asarray(tone(rng, "black", "white", "dark") if kind == "perch" else any_colour(rng), np.float32)
        trunk = replace(trunk, colours=np.where(bars[:, None], stripe, trunk.colours).astype(np.float32))
    fin = Finish(mixed(base.colour, any_colour(rng), float(rng.choice([0.2, 0.8]))), 0.2, 1)
    parts = [trunk]
    flow = 1.6 if kind == "gold" else 1.0
    span, deep = between(rng, 0.14, 0.22) * flow, between(rng, 0.14, 0.22) * flow
    fork = between(rng, 0.2, 0.8)
    rim = [
        (-0.5 - deep * (1 - 0.9 * fork * (1 - abs(a))), 0.02 * np.sin(5 * a), a * span) for a in np.linspace(-1, 1, 9)
    ]
    root = [(-0.47, 0, a * tall * 0.24) for a in np.linspace(-1, 1, 9)]
    parts.append(
        fin(sheet(np.stack([np.array(root), 0.5 * np.array(root) + 0.5 * np.array(rim), np.array(rim)]), 0.01))
    )
    x0, x1 = between(rng, 0.1, 0.25), between(rng, -0.35, -0.15)
    high = between(rng, 0.25, 0.55) * tall * (1.3 if kind in ("coral", "gold") else 1.0)
    for s, a, b, size in ((1, x0, x1, high), (-1, between(rng, -0.2, -0.1), -0.38, high * 0.7)):
        along = np.linspace(a, b, 8)
        edge = np.interp(0.5 - along, t, h) * 0.92 * s + np.interp(0.5 - along, t, sag)
        lift = s * size * np.sin(np.pi * np.linspace(0.12, 0.95, 8)) ** between(rng, 0.4, 0.9)
        parts.append(
            fin(
                sheet(
                    np.stack(
                        [
                            np.stack([along, 0 * along, edge], -1),
                            np.stack([along - 0.05 * flow, 0 * along, edge + lift], -1),
                        ]
                    ),
                    0.009,
                )
            )
        )
    for s in SIDES:
        pectoral = [
            (0.2, s * wide * 0.88, -0.25 * tall),
            (0.1, s * wide * 1.3, -0.42 * tall),
            (0.0, s * wide * 1.6, -0.55 * tall),
        ]
        parts.append(fin(blade(pectoral, (0.025, 0.06, 0.045), (0.3, 0, 1), 0.007)))
        pelvic = [
            (0.08, s * wide * 0.4, -0.85 * tall),
            (0.0, s * wide * 0.6, -1.1 * tall),
            (-0.05, s * wide * 0.7, -1.25 * tall),
        ]
        parts.append(fin(blade(pelvic, (0.025, 0.04, 0.02), (1, 0, 0.3), 0.007)))
        eye = (0.405, s * np.interp(0.095, t, w) * 0.93, 0.12 * tall)
        parts += [
            Finish((0.92, 0.85, 0.6), 0.5)(moved(sphere(0.026, segments=10), eye, scale=(1, 0.5, 1))),
            EYE(moved(sphere(0.016, segments=8), (eye[0], eye[1] + s * 0.008, eye[2]), scale=(1, 0.6, 1))),
        ]
        gill = [(0.3, s * np.interp(0.2, t, w) * c, z * tall) for c, z in ((0.8, 0.5), (1.0, 0.05), (0.85, -0.45))]
        parts.append(
            Finish(shade(base.colour, 0.5), 0.2)(tube(spline(np.array(gill) - (0, s * 0.004, 0), 8), 0.006, segments=4))
        )
    parts.append(
        Finish((0.2, 0.12, 0.1), 0.2)(
            tube(
                [(0.475, -w[0] * 1.6, -0.06 * tall), (0.52, 0, -0.05 * tall), (0.475, w[0] * 1.6, -0.06 * tall)],
                0.006,
                segments=5,
            )
        )
    )
    whole = bent(joined(parts), between(rng, -0.12, 0.12))
    return finished([stretched(whole, rng, 0.07)], scaled(rng))
