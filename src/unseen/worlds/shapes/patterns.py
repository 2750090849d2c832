"""Procedural textures: uint8 pictures that tile without a seam, each drawn from a generator.

They cover floors and backgrounds, and serve as the texture cue in cue-conflict studies, so each has a name that a
person would give it and stays apart from the others whatever is drawn. All recipes are ours; the noise is Perlin's
gradient noise on a wrapping lattice, the cells are Worley's.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np

Pattern = Callable[..., np.ndarray]
Range = tuple[float, float]


def checks(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """A chessboard of two colours."""
    u, v = _grid(side)
    pairs = int(rng.integers(2, 5))
    one, other = _contrast(rng)
    soft = side / (2 * np.pi * pairs)
    wave = np.clip(np.sin(2 * np.pi * pairs * u) * soft, -1, 1) * np.clip(np.sin(2 * np.pi * pairs * v) * soft, -1, 1)
    return _uint8(_mix(one, other, 0.5 + 0.5 * wave))


def stripes(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Straight bands: upright, level or slanting, sometimes with a thin third colour."""
    u, v = _grid(side)
    count = int(rng.integers(4, 9))
    across, down = ((1, 0), (0, 1), (1, 1), (1, -1))[int(rng.integers(4))]
    phase = count * (across * u + down * v) + rng.random()
    one, other = _contrast(rng)
    share = rng.uniform(0.35, 0.65)
    picture = _mix(one, other, _band(phase, 0.5, share, side / count))
    if rng.random() < 0.4:
        picture = _mix(
            picture, _colour(rng, (0, 1), (0.3, 0.9), (0.3, 0.9)), _band(phase, 0.5, share * 0.3, side / count)
        )
    return _uint8(picture)


def dots(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Polka dots in staggered rows."""
    u, v = _grid(side)
    count = int(rng.integers(3, 7))
    one, other = _contrast(rng)
    x, y = (u + v) * count, (u - v) * count  # a square lattice turned by 45° still tiles
    away = np.hypot(x - np.round(x), y - np.round(y))
    radius = rng.uniform(0.24, 0.36)
    return _uint8(_mix(one, other, _step(radius - away, 1.5 * count / side)))


def bricks(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Courses of bricks, each of its own tone, with mortar between them."""
    u, v = _grid(side)
    courses = 2 * int(rng.integers(3, 6))
    columns = courses // 2
    row = np.floor(v * courses).astype(int)
    x = (u * columns + 0.5 * (row % 2)) % columns
    across, down = (x % 1) * courses / columns, (v * courses) % 1
    edge = np.minimum(np.minimum(across, courses / columns - across), np.minimum(down, 1 - down))
    wobble = 0.03 * _fractal(rng, u, v, 16, 2)
    joint = rng.uniform(0.05, 0.08)
    tone = rng.uniform(0.75, 1.1, (courses, columns))[row, x.astype(int) % columns]
    clay = _colour(rng, (0.0, 0.06), (0.45, 0.75), (0.5, 0.8))
    mortar = _colour(rng, (0.05, 0.15), (0.0, 0.15), (0.6, 0.85))
    grain = 1 + 0.12 * _fractal(rng, u, v, 32, 2)
    return _uint8(_mix(mortar, clay * (tone * grain)[..., None], _step(edge + wobble - joint, 0.04)))


def wood(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Boards with grain along them and dark seams between them."""
    u, v = _grid(side)
    boards = int(rng.integers(3, 6))
    board = np.floor(u * boards).astype(int)
    own = rng.random(boards)[board]
    warp = 0.05 * _fractal(rng, u, v + own, 4, 2)
    rings = _noise(rng, u + warp, (v + own) % 1, (6 * boards, 2)) + 0.5 * _noise(
        rng, u + warp, v + own, (20 * boards, 3)
    )
    fibre = _noise(rng, u, v + own, (96, 6))
    light = _colour(rng, (0.06, 0.1), (0.35, 0.65), (0.5, 0.85))
    dark = light * np.array([0.62, 0.52, 0.45])
    picture = _mix(light, dark, np.clip(0.35 + 0.7 * rings + 0.2 * fibre, 0, 1))
    picture = picture * (0.85 + 0.25 * rng.random(boards)[board])[..., None]
    inside = np.minimum((u * boards) % 1, 1 - (u * boards) % 1)
    ends = np.abs((v + own + 0.5) % 1 - 0.5) * side / 3
    seam = _step(inside - 0.02, 0.03) * _step(ends - 0.4, 0.8)
    return _uint8(picture * (0.35 + 0.65 * seam)[..., None])


def marble(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Pale or dark stone with thin wandering veins."""
    u, v = _grid(side)
    hue = rng.random()
    across, down = int(rng.integers(1, 3)), int(rng.choice([-2, -1, 1, 2]))
    phase = across * u + down * v + 0.55 * _fractal(rng, u, v, 3, 5)
    veins = np.abs(np.sin(np.pi * phase)) ** 0.45
    cloud = 0.5 + 0.5 * _fractal(rng, u, v, 4, 4)
    pale, dark = np.array(colorsys.hsv_to_rgb(hue, 0.1, 0.95)), np.array(colorsys.hsv_to_rgb(hue, 0.35, 0.28))
    ground, vein = (pale, dark) if rng.random() < 0.7 else (dark, pale)
    return _uint8(_mix(vein, _mix(ground, _mix(ground, vein, 0.3), cloud), np.clip(veins * 1.15, 0, 1)))


def fur(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Long fine hairs that all lie one way, with locks and swirls."""
    coat = _colour(rng, (0.04, 0.11), (0.1, 0.65), (0.5, 0.95))
    start = rng.random((4000, 2))
    lean = np.pi / 2 + 0.9 * _fractal(rng, start[:, 0], start[:, 1], 3, 2)
    along, tone = _strokes(rng, side, start, lean, rng.uniform(0.14, 0.2), 1.2)
    shade = 0.35 + 0.5 * along + 0.45 * tone
    return _uint8(coat * shade[..., None])


def leopard(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Dark broken rosettes on a tawny ground."""
    u, v = _grid(side)
    count = int(rng.integers(5, 8))
    bend = 0.02 * _fractal(rng, u, v, 8, 2), 0.02 * _fractal(rng, u, v, 8, 2)
    near, _, _ = _cells(rng, u + bend[0], v + bend[1], count, 0.55)
    ground = _colour(rng, (0.08, 0.12), (0.45, 0.7), (0.75, 0.95))
    centre = ground * np.array([0.75, 0.62, 0.5])
    ring = np.abs(near - 0.3) - 0.1 - 0.13 * _noise(rng, u, v, (3 * count, 3 * count))
    picture = _mix(ground, centre, _step(0.3 - near, 0.05))
    return _uint8(_mix(picture, np.array([0.12, 0.08, 0.05]), _step(-ring, 0.05)))


def scales(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Rounded overlapping plates in staggered rows, as of a fish."""
    u, v = _grid(side)
    columns = int(rng.integers(5, 9))
    rows = 2 * columns
    picture = np.zeros((side, side, 3))
    body = _colour(rng, (0.3, 0.65), (0.35, 0.8), (0.6, 0.9))
    rim = body * 0.3
    tone = rng.uniform(0.8, 1.1, (rows, columns))
    for back in (2, 1, 0, -1):  # lower plates first; the ones above lie over them
        row = np.floor(v * rows).astype(int) + back
        x = u * columns + 0.5 * (row % 2)
        away = np.hypot(x % 1 - 0.5, (v * rows - row) / rows * columns) / 0.56
        own = tone[row % rows, np.floor(x).astype(int) % columns]
        plate = _mix(body * (own * (1.15 - 0.45 * away))[..., None], rim, _step(away - 0.87, 0.08))
        picture = _mix(picture, plate, _step(1 - away, 0.03) * ((v * rows - row) >= 0))
    return _uint8(picture)


def weave(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Threads going over and under each other."""
    u, v = _grid(side)
    count = 2 * int(rng.integers(4, 8))
    x, y = u * count, v * count
    over = (np.floor(x) + np.floor(y)) % 2 < 1
    across, along = np.where(over, x, y) % 1, np.where(over, y, x) % 1
    round_ = np.sqrt(np.clip(1 - (2 * across - 1) ** 2 / 0.9, 0, 1)) * (0.62 + 0.38 * np.sin(np.pi * along))
    fibre = 1 + 0.15 * np.where(over, _noise(rng, u, v, (128, 24)), _noise(rng, u, v, (24, 128)))
    warp = _colour(rng, (0, 1), (0.1, 0.6), (0.55, 0.95))
    weft = (
        np.clip(warp * rng.uniform(0.6, 0.95), 0, 1)
        if rng.random() < 0.6
        else _colour(rng, (0, 1), (0.1, 0.6), (0.5, 0.9))
    )
    return _uint8(np.where(over[..., None], warp, weft) * (0.12 + 0.95 * round_ * fibre)[..., None])


def grass(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Short blades in every direction, seen from above."""
    start = rng.random((1500, 2))
    lean = rng.uniform(0, 2 * np.pi, len(start))
    along, tone = _strokes(rng, side, start, lean, rng.uniform(0.08, 0.12), 2.2)
    fresh = _colour(rng, (0.22, 0.33), (0.55, 0.85), (0.55, 0.85))
    dry = fresh * np.array([1.25, 1.0, 0.6])
    picture = _mix(fresh, dry, tone**3) * (0.25 + 0.65 * along + 0.35 * tone)[..., None]
    return _uint8(picture)


def gravel(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """Round pebbles of several greys and browns, dark between them."""
    u, v = _grid(side)
    count = int(rng.integers(9, 15))
    near, second, who = _cells(rng, u, v, count, 0.8)
    stone = np.stack([_colour(rng, (0.05, 0.12), (0.02, 0.25), (0.4, 0.95)) for _ in range(count * count)])
    dome = np.sqrt(np.clip((second - near) * 2.2, 0, 1))
    grain = 1 + 0.12 * _fractal(rng, u, v, 48, 2)
    light = 0.15 + 0.85 * dome * grain * (1.05 - 0.35 * near)
    return _uint8(stone[who] * rng.uniform(0.8, 1.05) * light[..., None])


def water(rng: np.random.Generator, side: int = 256) -> np.ndarray:
    """A net of bright lines on blue or green, as in a pool."""
    u, v = _grid(side)
    count = int(rng.integers(4, 7))
    deep = _colour(rng, (0.47, 0.58), (0.6, 0.9), (0.5, 0.85))
    light = np.zeros((side, side))
    for scale in (1, 2):
        bend = [0.12 / scale * _fractal(rng, u, v, 4 * scale, 2) for _ in range(2)]
        near, second, _ = _cells(rng, u + bend[0], v + bend[1], count * scale, 0.9)
        light += np.exp(-(second - near) * 7) / scale
    pale = 0.35 * deep + 0.65
    return _uint8(_mix(deep * (0.8 + 0.2 * _fractal(rng, u, v, 3, 2))[..., None], pale, np.clip(light * 0.75, 0, 1)))


PATTERNS: dict[str, Pattern] = {
    "checks": checks,
    "stripes": stripes,
    "dots": dots,
    "bricks": bricks,
    "wood": wood,
    "marble": marble,
    "fur": fur,
    "leopard": leopard,
    "scales": scales,
    "weave": weave,
    "grass": grass,
    "gravel": gravel,
    "water": water,
}


def _grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """The middles of pixels, u to the right and v down, in 0–1."""
    middle = (np.arange(side) + 0.5) / side
    u, v = np.meshgrid(middle, middle)
    return u, v


def _noise(rng: np.random.Generator, u: np.ndarray, v: np.ndarray, cells: tuple[int, int]) -> np.ndarray:
    """Gradient noise in about −1 to 1 that repeats with period 1, at any points; ``cells`` across and down."""
    wide, high = cells
    angle = rng.uniform(0, 2 * np.pi, (high, wide))
    x, y = u * wide, v * high
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    x, y = x - left, y - top

    def corner(dx: int, dy: int) -> np.ndarray:
        turn = angle[(top + dy) % high, (left + dx) % wide]
        return np.cos(turn) * (x - dx) + np.sin(turn) * (y - dy)

    a, b = (t * t * t * (t * (6 * t - 15) + 10) for t in (x, y))
    upper = corner(0, 0) * (1 - a) + corner(1, 0) * a
    lower = corner(0, 1) * (1 - a) + corner(1, 1) * a
    return 1.5 * (upper * (1 - b) + lower * b)


def _fractal(rng: np.random.Generator, u: np.ndarray, v: np.ndarray, cells: int, octaves: int) -> np.ndarray:
    """Noise of several sizes, each half as strong as the one before."""
    layers = [_noise(rng, u, v, (cells << k, cells << k)) * 0.5**k for k in range(octaves)]
    return np.sum(layers, axis=0)


def _cells(rng: np.random.Generator, u: np.ndarray, v: np.ndarray, count: int, jitter: float) -> tuple[np.ndarray, ...]:
    """Worley cells, ``count`` by ``count``: distance to the nearest and second nearest point in cells, and whose."""
    points = rng.uniform(-jitter / 2, jitter / 2, (count, count, 2)) + 0.5
    x, y = u * count, v * count
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    steps = [(i, j) for i in range(-2, 3) for j in range(-2, 3)]
    numbers = np.stack([((row + j) % count) * count + (column + i) % count for i, j in steps])
    place = points.reshape(-1, 2)[numbers]
    shifts = np.array(steps, float).reshape(-1, *[1] * u.ndim, 2)
    base = np.stack([column - x, row - y], -1)
    distance = np.linalg.norm(place + shifts + base, axis=-1)
    order = np.argpartition(distance, 1, axis=0)
    two = np.sort(np.take_along_axis(distance, order[:2], 0), axis=0)
    who = np.take_along_axis(numbers, distance.argmin(0)[None], 0)[0]
    return two[0], two[1], who


def _strokes(
    rng: np.random.Generator, side: int, start: np.ndarray, lean: np.ndarray, length: float, width: float
) -> tuple[np.ndarray, np.ndarray]:
    """Thin curved strokes laid over each other, wrapping: for each pixel how far along its stroke, and that one's tone.

    Drawn at twice the size and averaged; ``width`` is in pixels of a picture of 256.
    """
    big = 2 * side
    n = len(start)
    length_each = length * rng.uniform(0.6, 1.2, n)
    bend = rng.uniform(-0.8, 0.8, n)
    t = np.linspace(0, 1, int(2.5 * length * big) + 2)
    angle = lean[:, None] + bend[:, None] * (t - 0.5)
    step = (length_each / len(t))[:, None]
    x = start[:, :1] + np.cumsum(np.cos(angle), 1) * step
    y = start[:, 1:] + np.cumsum(np.sin(angle), 1) * step
    tone = rng.random(n)
    buffer = np.full(big * big, -1, np.int64)
    thick = max(1, round(width * big / 256))
    for offset in range(thick):
        slim = t[None] < 1 - offset / thick / 1.5  # strokes taper towards their tips
        shift = (offset + 1) // 2 * (-1) ** offset / big
        column = np.floor((x - np.sin(angle) * shift) % 1 * big).astype(int) % big
        row = np.floor((y + np.cos(angle) * shift) % 1 * big).astype(int) % big
        key = (np.arange(n)[:, None] << 8) + (t * 255).astype(int)[None]
        keep = np.broadcast_to(slim, key.shape)
        np.maximum.at(buffer, (row * big + column)[keep], key[keep])
    along = np.where(buffer < 0, 0, (buffer & 255) / 255)
    shade = np.where(buffer < 0, 0, tone[np.maximum(buffer, 0) >> 8])
    small = [layer.reshape(side, 2, side, 2).mean((1, 3)) for layer in (along, shade)]
    return small[0], small[1]


def _colour(rng: np.random.Generator, hue: Range, saturation: Range, value: Range) -> np.ndarray:
    return np.array(colorsys.hsv_to_rgb(rng.uniform(*hue) % 1, rng.uniform(*saturation), rng.uniform(*value)))


def _contrast(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two colours that differ clearly in lightness, in either order."""
    dark = _colour(rng, (0, 1), (0.3, 0.9), (0.1, 0.5))
    pale = _colour(rng, (0, 1), (0.0, 0.4), (0.85, 1.0))
    return (dark, pale) if rng.random() < 0.5 else (pale, dark)


def _mix(one: np.ndarray, other: np.ndarray, share: np.ndarray | float) -> np.ndarray:
    share = np.asarray(share)[..., None]
    return one * (1 - share) + other * share


def _step(x: np.ndarray, width: float) -> np.ndarray:
    """0 below zero, 1 above, smooth over ``width``."""
    t = np.clip(x / width + 0.5, 0, 1)
    return t * t * (3 - 2 * t)


def _band(phase: np.ndarray, middle: float, width: float, pixels: float) -> np.ndarray:
    return _step(width / 2 - np.abs(phase % 1 - middle), 1.5 / pixels)


def _uint8(picture: np.ndarray) -> np.ndarray:
    return np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8)
