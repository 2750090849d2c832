"""A small library of textures that multiply the colours of a thing: grain, weave, print, wear, hair, feathers, scales.

An atlas has four tiles: plain with a little wear, hard (wood, brushed metal, glaze, stone), soft (cloth, stripes,
checks, leather), print (a label or a cover); for animals skin, short hair, long hair, and feathers or scales. Many
objects share an atlas, which has hardly a colour of its own: the renderer keeps each once. All recipes are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from unseen.vocabulary.seeds import stream

GOODS, FUR = 96, 48  # atlases of the library
SIDE, TILE, RIM = 256, 128, 5  # pixels: an atlas, a tile, the border of a tile that is never asked for


@lru_cache(maxsize=256)
def atlas(kind: str, number: int) -> np.ndarray:
    """Atlas ``number`` of the goods or of the fur."""
    rng = stream(0, "everyday", "atlas", kind, number)
    if kind == "goods":
        hard = HARD[int(rng.integers(len(HARD)))]
        soft = SOFT[int(rng.integers(len(SOFT)))]
        tiles = (worn(rng), hard(rng), soft(rng), printed(rng))
    else:
        tiles = (skin(rng), hair(rng, 0.06), hair(rng, 0.2), (feathers if number % 2 else scales)(rng))
    page = np.ones((SIDE, SIDE, 3))
    for k, tile in enumerate(tiles):
        top, left = divmod(k, 2)
        page[top * TILE : (top + 1) * TILE, left * TILE : (left + 1) * TILE] = (
            tile if tile.ndim == 3 else tile[..., None]
        )
    page = np.round(np.clip(page, 0, 1) * 255).astype(np.uint8)
    page.setflags(write=False)
    return page


def spot(at: np.ndarray, tile: np.ndarray) -> np.ndarray:
    """Places ``[n, 2]`` in 0–1 of tiles as u and v of the atlas (v up)."""
    inside = (RIM + at * (TILE - 2 * RIM)) / SIDE
    top, left = np.divmod(tile, 2)
    return np.column_stack([left * 0.5 + inside[:, 0], 1 - top * 0.5 - 0.5 + inside[:, 1]]).astype(np.float32)


def _grid() -> tuple[np.ndarray, np.ndarray]:
    """u to the right, v up, of a tile's pixels."""
    step = (np.arange(TILE) + 0.5) / TILE
    return np.broadcast_to(step[None], (TILE, TILE)), np.broadcast_to(1 - step[:, None], (TILE, TILE))


def noise(rng: np.random.Generator, across: float, up: float, octaves: int = 3) -> np.ndarray:
    """Smooth noise about −1 to 1 with so many waves across and up, by summing random plane waves."""
    u, v = _grid()
    total, weight = np.zeros((TILE, TILE)), 0.0
    for k in range(octaves):
        for _ in range(6):
            f, g, phase = rng.normal(0, across * 2**k), rng.normal(0, up * 2**k), rng.uniform(0, 2 * np.pi)
            total += np.sin(2 * np.pi * (f * u + g * v) + phase) * 0.6**k
            weight += 0.5 * 0.36**k
    return total / np.sqrt(weight) / 2


def worn(rng: np.random.Generator) -> np.ndarray:
    """Nearly plain: faint clouds, and on some a few scratches and stains."""
    wear = rng.choice([0.0, 0.02, 0.06])
    page = 0.97 + wear * noise(rng, 2, 2) + 0.012 * rng.normal(size=(TILE, TILE))
    if wear > 0.03:
        page -= 0.3 * np.clip(noise(rng, 3, 3, 4) - 0.75, 0, 0.6)
    return page


def wood(rng: np.random.Generator) -> np.ndarray:
    rings = noise(rng, rng.uniform(4, 10), rng.uniform(0.3, 0.9)) + 0.4 * noise(rng, 30, 1, 2)
    return 0.86 + rng.uniform(0.06, 0.14) * rings


def brushed(rng: np.random.Generator) -> np.ndarray:
    return 0.92 + 0.05 * noise(rng, 1, 40, 2) + 0.04 * noise(rng, 2, 2)


def speckled(rng: np.random.Generator) -> np.ndarray:
    """Glaze or terrazzo: small dark flecks."""
    return 0.97 - rng.uniform(0.3, 0.7) * (noise(rng, 12, 12, 2) > rng.uniform(0.6, 0.95))


def stone(rng: np.random.Generator) -> np.ndarray:
    u, v = _grid()
    veins = np.abs(np.sin(np.pi * (2 * u + v + 0.6 * noise(rng, 2, 2, 4)))) ** 0.4
    return 0.6 + 0.38 * veins


def banded(rng: np.random.Generator) -> np.ndarray:
    """Bands of glaze or paint around or along: decoration."""
    return bands(rng, 0.35, 0.9)


def weave(rng: np.random.Generator) -> np.ndarray:
    u, v = _grid()
    count = rng.uniform(18, 34)
    threads = np.sin(2 * np.pi * count * u) * np.sin(2 * np.pi * count * v)
    return 0.9 + 0.07 * threads + 0.04 * noise(rng, 3, 3)


def bands(rng: np.random.Generator, low: float = 0.4, high: float = 0.85) -> np.ndarray:
    """Stripes of random widths, one way."""
    u, v = _grid()
    along = u if rng.random() < 0.5 else v
    edges = np.sort(rng.random(int(rng.integers(3, 14))))
    tone = 1 - (1 - rng.uniform(low, high)) * (np.searchsorted(edges, along) % 2)
    return _tinted(rng, tone) * (0.97 + 0.03 * noise(rng, 4, 4))[..., None]


def checked(rng: np.random.Generator) -> np.ndarray:
    u, v = _grid()
    n = int(rng.integers(2, 9))
    tone = 1 - 0.25 * ((u * n % 1 < 0.5).astype(float) + (v * n % 1 < 0.5))
    return _tinted(rng, tone)


def dotted(rng: np.random.Generator) -> np.ndarray:
    """Dots or small flowers."""
    u, v = _grid()
    n, size, petals = int(rng.integers(4, 10)), rng.uniform(0.2, 0.4), int(rng.integers(0, 6))
    x, y = (u * n + 0.5 * (np.floor(v * n) % 2)) % 1 - 0.5, v * n % 1 - 0.5
    reach = size * (1 + 0.35 * np.cos(petals * np.arctan2(y, x)))
    return _tinted(rng, 1 - rng.uniform(0.3, 0.6) * (np.hypot(x, y) < reach))


def leather(rng: np.random.Generator) -> np.ndarray:
    return 0.92 - 0.1 * np.abs(noise(rng, 14, 14, 2)) + 0.04 * noise(rng, 2, 2)


def printed(rng: np.random.Generator) -> np.ndarray:
    """A cover or a label: a ground, perhaps a frame, a picture, a title and lines of text."""
    u, v = _grid()
    page = np.ones((TILE, TILE, 3)) * (1 - rng.uniform(0, 0.35) * rng.random(3))
    dark = rng.uniform(0.0, 0.6, 3)
    if rng.random() < 0.4:
        frame = np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v))
        page[(frame > 0.05) & (frame < 0.08)] = dark
    if rng.random() < 0.75:  # a picture
        cx, cy, wide, high = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7), rng.uniform(0.12, 0.4), rng.uniform(0.1, 0.3)
        inside = (np.abs(u - cx) < wide) & (np.abs(v - cy) < high)
        if rng.random() < 0.4:
            inside = ((u - cx) / wide) ** 2 + ((v - cy) / high) ** 2 < 1
        mottle = np.stack([0.5 + 0.5 * noise(rng, 2, 2) for _ in range(3)], -1) * rng.uniform(0.4, 1, 3)
        page[inside] = np.clip(mottle, 0, 1)[inside]
    top, lines = rng.uniform(0.7, 0.92), int(rng.integers(1, 4))
    for k in range(lines):  # letters: blocks with gaps
        height = rng.uniform(0.04, 0.09)
        letters = (np.floor(u * rng.uniform(14, 30)) * 7919 % 5 > 0) & (np.abs(u - 0.5) < rng.uniform(0.2, 0.42))
        page[letters & (np.abs(v - top + 0.12 * k) < height / 2)] = dark
    if rng.random() < 0.5:
        small = (np.abs(u - 0.5) < 0.35) & (v < 0.3) & (v > 0.06) & (v * 30 % 1 < 0.45) & (u * 41 % 1 < 0.8)
        page[small] = 0.5 * page[small] + 0.5 * dark
    return page


def skin(rng: np.random.Generator) -> np.ndarray:
    """Bare or very short-haired: faint folds and dirt. Deeper folds make a dinosaur of it."""
    folds = np.abs(noise(rng, 9, 20, 3)) ** 0.6
    return 0.86 + 0.05 * noise(rng, 4, 4, 4) + 0.1 * folds + 0.03 * rng.normal(size=(TILE, TILE))


def hair(rng: np.random.Generator, length: float) -> np.ndarray:
    """Fine strands along v, in faint locks; the longer the coarser. Strong or wide waves look like wood."""
    lean = 0.02 * noise(rng, 2, 2)
    u, v = _grid()
    total = np.zeros((TILE, TILE))
    for _ in range(40):
        f = rng.uniform(18, 50) * (0.08 / length) ** 0.3
        total += np.sin(2 * np.pi * (f * (u + lean) + rng.normal(0, 0.3 / length) * v) + rng.uniform(0, 6.3))
    locks = noise(rng, 11, 4, 3)
    return 0.87 + 0.02 * total + (0.04 + 0.1 * length) * locks + 0.06 * rng.normal(size=(TILE, TILE))


def feathers(rng: np.random.Generator) -> np.ndarray:
    """Rounded rows that overlap, each paler at its rim."""
    u, v = _grid()
    n = rng.uniform(20, 30)
    row = np.floor(v * n)
    x, y = (u * n * 0.7 + 0.5 * (row % 2)) % 1 - 0.5, v * n % 1
    away = np.hypot(x * 1.3, y - 0.9)
    streaks = 0.05 * noise(rng, 30, 4, 2)
    return 0.86 - 0.6 * np.clip(away - 0.5, 0, 1) + 0.12 * np.cos(away * 9) + 0.07 * noise(rng, 3, 3) + streaks


def scales(rng: np.random.Generator) -> np.ndarray:
    u, v = _grid()
    n = rng.uniform(26, 38)
    column = np.floor(v * n)
    x, y = (u * n + 0.5 * (column % 2)) % 1 - 0.5, v * n % 1 - 0.5
    return 0.92 - 0.4 * np.clip(np.hypot(x, y) - 0.3, 0, 1) / 0.35 + 0.08 * noise(rng, 3, 3)


def _tinted(rng: np.random.Generator, tone: np.ndarray) -> np.ndarray:
    """A pattern whose dark parts have a hue: 1 stays white."""
    hue = 1 - rng.uniform(0, 0.5) * rng.random(3)
    return 1 - (1 - tone)[..., None] * (2 - hue) / 1.5


HARD: tuple[Callable[[np.random.Generator], np.ndarray], ...] = (wood, wood, brushed, speckled, stone, banded, worn)
SOFT: tuple[Callable[[np.random.Generator], np.ndarray], ...] = (weave, weave, bands, checked, dotted, leather)
