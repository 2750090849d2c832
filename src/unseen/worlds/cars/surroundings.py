"""What lies around a street: buildings, trees, hedges, pavements, road surfaces and skies, all procedural and ours."""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt8

from unseen.worlds.rendering.mesh import Mesh, joined, mesh, moved
from unseen.worlds.shapes import patterns
from unseen.worlds.shapes.primitives import box, cone, cylinder, ellipsoid, rounded_box, turn

WALLS = ((0.72, 0.42, 0.32), (0.86, 0.80, 0.68), (0.78, 0.76, 0.72), (0.62, 0.60, 0.58), (0.90, 0.87, 0.82),
         (0.80, 0.66, 0.46), (0.58, 0.66, 0.70), (0.70, 0.52, 0.45))  # fmt: skip


def building(rng: np.random.Generator) -> Mesh:
    """A block with windows on all sides and a flat or pitched roof; its front looks along +x."""
    wide, deep, storeys = rng.uniform(8, 13), rng.uniform(6, 9), int(rng.integers(2, 6))
    tall = 3.1 * storeys + 0.6
    walls = _walls(wide, deep, tall, facade(rng, storeys))
    roof = (0.35, 0.30, 0.28) if rng.random() < 0.5 else (0.45, 0.22, 0.18)
    top = box((deep + 0.5, wide + 0.5, 0.4), centre=(0, 0, tall + 0.2), colour=(0.5, 0.48, 0.46))
    if rng.random() < 0.5 and storeys < 5:
        hip = cylinder(1.0, 2.4, top_radius=0.25, base=(0, 0, tall), segments=4, colour=roof)
        top = moved(moved(hip, rotation=turn("z", 45)), scale=((deep + 0.6) / 2**0.5, (wide + 0.6) / 2**0.5, 1.0))
    return joined([walls, top])


def _walls(wide: float, deep: float, tall: float, texture: np.ndarray) -> Mesh:
    """Four walls of 3×3 pieces each (a rasteriser dislikes huge faces), the façade's picture on each."""
    x, y = deep / 2, wide / 2
    corners = [(x, -y), (x, y), (-x, y), (-x, -y)]
    points, normals, uv, faces = [], [], [], []
    for k in range(4):
        (x0, y0), (x1, y1) = corners[k], corners[(k + 1) % 4]
        out = np.array([y1 - y0, x0 - x1, 0.0])
        repeat = 1.0 if k % 2 == 0 else 0.75
        for i in range(4):
            for j in range(4):
                s, t = i / 3, j / 3
                points.append((x0 + (x1 - x0) * s, y0 + (y1 - y0) * s, tall * t))
                uv.append((s * repeat, t * 0.999))
                normals.append(out / np.linalg.norm(out))
        at = np.arange(16).reshape(4, 4) + 16 * k
        a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
        faces += [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    return mesh(np.array(points), np.concatenate(faces), normals=np.array(normals), uv=np.array(uv), texture=texture,
                gloss=0.05)  # fmt: skip


def facade(rng: np.random.Generator, storeys: int, side: int = 256) -> UInt8[np.ndarray, "side side 3"]:
    """Rows of windows in a plastered or brick wall, shop windows below."""
    wall = np.array(WALLS[int(rng.integers(len(WALLS)))]) * rng.uniform(0.85, 1.05)
    grain = rng.normal(0, 0.02, (side, side, 1))
    if rng.random() < 0.4:  # bricks
        v, u = np.mgrid[0:side, 0:side]
        course = v // 5
        joint = (v % 5 == 0) | ((u + 6 * (course % 2)) % 12 == 0)
        grain = grain + np.where(joint, 0.08, 0.0)[..., None]
    picture = np.clip(wall + grain, 0, 1)
    columns, high = int(rng.integers(3, 6)), side / storeys
    shop, entrance = rng.uniform(0.24, 0.4), int(rng.integers(columns))
    frame = np.array((0.92, 0.92, 0.90)) * rng.uniform(0.4, 1.0)
    for storey in range(storeys):
        ground = storey == storeys - 1  # rows run down from the roof
        for column in range(columns):
            door = ground and column == entrance
            share, low, up = (shop, 0.2, 0.78) if ground else (rng.uniform(0.24, 0.27), 0.25, 0.80)
            share, low = (0.2, 0.02) if door else (share, low)
            middle = (column + 0.5) * side / columns
            left, right = int(middle - share * side / columns), int(middle + share * side / columns)
            top, bottom = int((storey + 1 - up) * high), int((storey + 1 - low) * high)
            picture[top - 2 : bottom + 2, left - 2 : right + 2] = frame
            shade = rng.uniform(0.18, 0.42) if rng.random() < 0.85 else 0.75
            glass = np.array((0.75, 0.9, 1.0)) * shade if shade < 0.5 else np.array((1.0, 0.88, 0.6)) * shade
            picture[top:bottom, left:right] = glass * np.linspace(1.2, 0.8, bottom - top)[:, None, None]
            if not ground:
                picture[top:bottom, int(middle) - 1 : int(middle) + 1] = frame
        picture[int((storey + 1) * high) - 3 : int((storey + 1) * high)] *= 0.85
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def tree(rng: np.random.Generator) -> Mesh:
    """A trunk and a crown: a few lumps of leaves, or a cone of needles."""
    tall = rng.uniform(3.8, 6.5)
    green = np.array((0.22, 0.38, 0.14)) * rng.uniform(0.7, 1.3) + (rng.uniform(0, 0.15), 0, 0)
    trunk = cylinder(0.16, 0.55 * tall, top_radius=0.09, segments=7, colour=(0.33, 0.25, 0.18))
    if rng.random() < 0.25:
        crowns = [cone(0.24 * tall * (1 - 0.25 * k), 0.42 * tall, base=(0, 0, (0.2 + 0.22 * k) * tall), segments=9,
                       colour=green * (0.7 + 0.12 * k), gloss=0.0) for k in range(3)]  # fmt: skip
        return joined([trunk, *crowns])
    crowns = []
    for k in range(5):
        angle, out = rng.uniform(0, 2 * np.pi), (0 if k == 0 else 0.15 * tall)
        centre = (np.cos(angle) * out, np.sin(angle) * out, tall * rng.uniform(0.62, 0.82))
        radius = tall * rng.uniform(0.15, 0.22)
        crowns.append(
            ellipsoid(
                (radius, radius, radius * 0.85),
                centre,
                8,
                colour=np.clip(green * rng.uniform(0.8, 1.2), 0, 1),
                gloss=0.0,
            )
        )
    return joined([trunk, *crowns])


def hedge(rng: np.random.Generator) -> Mesh:
    long, green = rng.uniform(2.5, 4.5), np.array((0.20, 0.36, 0.15)) * rng.uniform(0.8, 1.3)
    tall = rng.uniform(0.8, 1.3)
    return rounded_box((0.7, long, tall), 0.15, (0, 0, tall / 2), steps=1, colour=green, gloss=0.0)


def pavement(rng: np.random.Generator) -> Mesh:
    """A strip of paving with its kerb: 32 m along y, from x = 0 (the kerb) to x = −12, 14 cm high."""
    pieces, grey = [], np.array((0.62, 0.60, 0.57)) * rng.uniform(0.85, 1.1)
    for k in range(8):
        tone = grey * rng.uniform(0.93, 1.05)
        pieces.append(box((12.0, 3.97, 0.14), centre=(-6.15, 4 * k - 14, 0.07), colour=np.clip(tone, 0, 1), gloss=0.0))
    pieces.append(box((0.15, 32, 0.15), centre=(-0.075, 0, 0.075), colour=(0.72, 0.71, 0.69)))
    return joined(pieces)


# kinds of road, and how much larger or smaller than usual their tiles are
ROADS = {"plain": 1.0, "dashed": 1.0, "double": 1.0, "bays": 1.0, "crossing": 1.0, "cobbles": 0.3, "worn": 1.0,
         "paving": 0.6}  # fmt: skip


def road(kind: str, rng: np.random.Generator, side: int = 256) -> UInt8[np.ndarray, "side side 3"]:
    """A road's surface, one tile; lines run along u (the street)."""
    if kind == "cobbles":
        return _toned(patterns.gravel(rng, side), 0.35)
    tone = rng.uniform(0.36, 0.5)
    picture = np.full((side, side, 3), tone) + rng.normal(0, 0.035, (side, side, 1))
    soft = _clouds(rng, side)[:, :side]
    picture = picture * (1 + 0.05 * soft)
    v, u = np.mgrid[0:side, 0:side] / side
    white, yellow = np.array((0.86, 0.86, 0.83)), np.array((0.85, 0.68, 0.16))
    thin = 0.014
    if kind == "dashed":
        picture[(np.abs(v - 0.5) < thin) & (u % 0.5 < 0.28)] = white
    if kind == "double":
        picture[np.abs(np.abs(v - 0.5) - 0.025) < thin * 0.7] = yellow
        picture[np.abs(v - 0.04) < thin] = white
    if kind == "bays":
        picture[(np.abs(u % 0.25 - 0.125) < thin * 0.7) & (v < 0.48)] = white
        picture[np.abs(v - 0.48) < thin * 0.7] = white
    if kind == "crossing":
        picture[(u % 0.1 < 0.05) & (v > 0.62) & (v < 0.86)] = white
    if kind == "worn":
        cracks = np.abs(soft[..., 0]) < 0.02
        picture[cracks] *= 0.75
        picture[(u > 0.6) & (u < 0.78) & (v > 0.2) & (v < 0.45)] *= 0.75  # a patch
    if kind == "paving":
        slabs = (u % 0.125 < 0.006) | ((v % 0.0625) < 0.006)
        picture = np.clip(picture + 0.2, 0, 1) * np.array((1.0, 0.97, 0.92))
        picture[slabs] *= 0.7
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def _toned(picture: np.ndarray, mean: float) -> np.ndarray:
    grey = picture.mean(-1, keepdims=True) / 255
    grey = (grey - grey.mean()) * 0.6 + mean
    return np.rint(np.clip(grey * np.array((1.02, 1.0, 0.96)), 0, 1) * 255).astype(np.uint8)


def sky(rng: np.random.Generator, height: int = 256) -> UInt8[np.ndarray, "height width 3"]:
    """An equirectangular sky: clear, cloudy, overcast or evening, with haze at the horizon; ground below."""
    kinds = (((0.25, 0.48, 0.82), (0.78, 0.87, 0.95)), ((0.45, 0.62, 0.85), (0.88, 0.91, 0.94)),
             ((0.68, 0.71, 0.75), (0.84, 0.85, 0.86)), ((0.36, 0.40, 0.62), (0.96, 0.74, 0.52)))  # fmt: skip
    zenith, horizon = (np.array(c) for c in kinds[int(rng.integers(len(kinds)))])
    up = np.clip(np.linspace(1, -1, height), 0, 1)[:, None, None]
    picture = horizon + (zenith - horizon) * up**0.55
    picture = np.broadcast_to(picture, (height, 2 * height, 3))
    share = np.clip((_clouds(rng, height) - rng.uniform(-0.4, 1.2)) * 0.9, 0, 1) * np.clip(up * 6, 0, 1) * 0.85
    picture = picture * (1 - share) + share * np.array((0.95, 0.95, 0.96))
    below = np.linspace(1, -1, height) < 0
    picture = np.where(below[:, None, None], horizon * 0.75, picture)
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def _clouds(rng: np.random.Generator, height: int) -> np.ndarray:
    """Smooth noise ``[height, 2 · height, 1]`` that closes around the turn: white noise, softened by its frequency."""
    y, x = np.fft.fftfreq(height)[:, None] * height * 2.2, np.fft.rfftfreq(2 * height)[None] * 2 * height
    spectrum = np.fft.rfft2(rng.normal(size=(height, 2 * height))) / (1 + np.hypot(x, y) ** 1.7)
    field = np.fft.irfft2(spectrum, s=(height, 2 * height))
    return ((field - field.mean()) / field.std())[..., None]
