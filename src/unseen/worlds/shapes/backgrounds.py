"""Pictures to stand before: sky, water, city, home and grass, drawn from a generator.

The five kinds are those of Ibrahim et al. 2022 (seed 003, section 3), whose photos (Li et al. 2022) are not ours to
ship; these pictures are ours. The horizon lies a little above the middle: the camera looks down on a thing.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np

SIDE = 256
Colour = np.ndarray


def _hsv(h: float, s: float, v: float) -> Colour:
    return np.array(colorsys.hsv_to_rgb(h % 1, s, v))


def _noise(rng: np.random.Generator, cells: int, octaves: int, stretch: float = 1.0) -> np.ndarray:
    """Smooth value noise in 0–1, ``cells`` across and ``cells · stretch`` down, each octave half as strong."""
    total, weight = np.zeros((SIDE, SIDE)), 0.0
    for octave in range(octaves):
        n, m = cells * 2**octave, max(2, round(cells * stretch * 2**octave))
        values = rng.random((m + 1, n + 1))
        y, x = np.linspace(0, m - 1e-6, SIDE), np.linspace(0, n - 1e-6, SIDE)
        i, j = y.astype(int), x.astype(int)
        u, v = y - i, x - j
        u, v = (u * u * (3 - 2 * u))[:, None], (v * v * (3 - 2 * v))[None]
        a, b = values[np.ix_(i, j)], values[np.ix_(i, j + 1)]
        c, d = values[np.ix_(i + 1, j)], values[np.ix_(i + 1, j + 1)]
        total += ((a * (1 - v) + b * v) * (1 - u) + (c * (1 - v) + d * v) * u) / 2**octave
        weight += 1 / 2**octave
    return total / weight


def _mix(one: np.ndarray, other: np.ndarray, share: np.ndarray) -> np.ndarray:
    return one + (other - one) * share[..., None]


def _heights() -> np.ndarray:
    """0 at the top of the picture, 1 at its bottom, per pixel."""
    return np.broadcast_to(np.linspace(0, 1, SIDE)[:, None], (SIDE, SIDE))


def sky(rng: np.random.Generator) -> np.ndarray:
    """Blue, grey or evening sky with clouds."""
    mood = int(rng.integers(3))
    high = (_hsv(0.6, 0.65, 0.75), _hsv(0.6, 0.12, 0.62), _hsv(0.65, 0.5, 0.45))[mood]
    low = (_hsv(0.56, 0.25, 0.95), _hsv(0.6, 0.05, 0.85), _hsv(0.06 + 0.03 * rng.random(), 0.55, 0.95))[mood]
    field = _mix(high, low, _heights() ** 0.8)
    clouds = np.clip((_noise(rng, 3, 5, 1.6) - rng.uniform(0.42, 0.56)) * 5, 0, 1)
    white = _mix(_hsv(0.6, 0.05, 0.98), _hsv(0.62, 0.1, 0.75), _noise(rng, 4, 3, 1.6))
    return _mix(field, white, clouds * 0.9)


def _above(rng: np.random.Generator, horizon: float) -> np.ndarray:
    """A plain bright sky down to a horizon."""
    hue, grey = rng.uniform(0.55, 0.62), rng.uniform(0.1, 0.5)
    share = np.clip(_heights() / horizon, 0, 1)
    return _mix(_hsv(hue, grey + 0.15, 0.85), _hsv(hue, grey * 0.3, 0.97), share)


def _far(horizon: float) -> np.ndarray:
    """How near the ground is, 0 at the horizon and 1 at the lower edge."""
    return np.clip((_heights() - horizon) / (1 - horizon), 0, 1)


def _receding(rng: np.random.Generator, horizon: float, rows: float, columns: float) -> np.ndarray:
    """Noise laid on the ground in perspective: fine and flat at the horizon, coarse in front."""
    near = _far(horizon)
    depth = 1 / (near + 0.06)
    across = np.abs((np.linspace(-0.5, 0.5, SIDE)[None] * depth * columns + 0.37) % 2 - 1)  # to and fro: no seam
    along = np.abs((depth * rows) % 2 - 1)
    base = _noise(rng, 12, 3)
    return base[(along * (SIDE - 1)).astype(int), (across * (SIDE - 1)).astype(int)]


def water(rng: np.random.Generator) -> np.ndarray:
    """Sea or lake to the horizon."""
    horizon = rng.uniform(0.3, 0.45)
    hue, near = rng.uniform(0.48, 0.62), _far(horizon)
    sea = _mix(_hsv(hue, 0.45, 0.72), _hsv(hue + 0.02, 0.75, 0.38), near**0.7)
    waves = _receding(rng, horizon, 1.7, 0.5)
    sea = _mix(sea, _hsv(hue, 0.15, 0.95), np.clip((waves - 0.58) * 3.5, 0, 0.7) * (0.35 + 0.65 * near))
    return np.where((_heights() < horizon)[..., None], _above(rng, horizon), sea)


def grass(rng: np.random.Generator) -> np.ndarray:
    """A meadow under the sky, with hills or trees far away."""
    horizon = rng.uniform(0.32, 0.48)
    hue, near = rng.uniform(0.2, 0.32), _far(horizon)
    meadow = _mix(_hsv(hue, 0.45, 0.62), _hsv(hue + 0.02, 0.7, 0.42), near)
    blades = _receding(rng, horizon, 2.5, 2.5) * 0.6 + rng.random((SIDE, SIDE)) * 0.4
    meadow = meadow * (0.72 + 0.56 * blades[..., None])
    picture = np.where((_heights() < horizon)[..., None], _above(rng, horizon), meadow)
    line = horizon - 0.03 - 0.12 * _noise(rng, 5, 4)[0][None]
    hills = (_heights() >= line) & (_heights() < horizon)
    return np.where(hills[..., None], _hsv(hue + 0.08, 0.4, 0.38) * (0.9 + 0.2 * blades[..., None]), picture)


def city(rng: np.random.Generator) -> np.ndarray:
    """Fronts of houses along a street, with rows of windows, a pavement and a road."""
    kerb = rng.uniform(0.6, 0.72)
    picture = _above(rng, kerb).copy()
    x = 0
    while x < SIDE:
        width, top = int(rng.integers(34, 76)), int(rng.uniform(0.02, 0.38) * SIDE)
        wall = _hsv(rng.choice([0.02, 0.08, 0.1, 0.6]), rng.uniform(0.08, 0.45), rng.uniform(0.45, 0.85))
        foot, right = int(kerb * SIDE), min(SIDE, x + width)
        picture[top:foot, x:right] = wall * (0.94 + 0.12 * rng.random((foot - top, right - x, 1)))
        glass = _hsv(0.58, 0.3, rng.uniform(0.25, 0.5))
        step_x, step_y = int(rng.integers(11, 17)), int(rng.integers(15, 22))
        for wy in range(top + 7, foot - 18, step_y):
            for wx in range(x + 5, right - 8, step_x):
                lit = _hsv(0.13, 0.4, 0.9) if rng.random() < 0.08 else glass * rng.uniform(0.8, 1.3)
                picture[wy : wy + step_y - 8, wx : wx + step_x - 6] = np.clip(lit, 0, 1)
        picture[foot - 12 : foot, x + width // 3 : min(right, x + width // 3 + 9)] = wall * 0.35
        picture[top : top + 3, x:right] = wall * 0.7
        x += width + int(rng.integers(0, 3))
    ground = _hsv(0.1, 0.06, 0.62) * (0.92 + 0.16 * _receding(rng, kerb, 3, 3)[..., None])
    road = _hsv(0.6, 0.05, 0.33) * (0.9 + 0.2 * rng.random((SIDE, SIDE, 1)))
    y = _heights()[..., None]
    return np.where(y < kerb, picture, np.where(y < kerb + 0.1, ground, road))


def home(rng: np.random.Generator) -> np.ndarray:
    """A room: papered wall, skirting, boards or carpet, a window and a framed picture."""
    floor = rng.uniform(0.55, 0.68)
    wall = _hsv(rng.random(), rng.uniform(0.08, 0.35), rng.uniform(0.7, 0.92))
    picture = np.broadcast_to(wall, (SIDE, SIDE, 3)).copy()
    columns = np.arange(SIDE)
    if rng.random() < 0.6:
        picture *= np.where(columns // int(rng.integers(8, 16)) % 2, 1.0, 0.93)[None, :, None]
    picture *= (1.05 - 0.2 * np.abs(np.linspace(-1, 1, SIDE)))[None, :, None]
    left = int(rng.choice([20, 150]))
    picture[24:112, left : left + 80] = 0.96
    panes = _mix(_hsv(0.57, 0.35, 0.95), _hsv(0.3, 0.35, 0.8), np.linspace(0, 1, 78)[:, None] ** 2)
    picture[29:107, left + 5 : left + 75] = panes
    picture[29:107, left + 38 : left + 42] = picture[66:70, left + 5 : left + 75] = 0.96
    frame = 180 if left < 100 else 40
    picture[40:92, frame : frame + 44] = _hsv(0.08, 0.6, 0.35)
    picture[45:87, frame + 5 : frame + 39] = _hsv(rng.random(), 0.5, 0.7)
    picture[60:87, frame + 5 : frame + 39] = _hsv(rng.random(), 0.5, 0.45)
    grain = _receding(rng, floor, 0.5, 6) if rng.random() < 0.6 else rng.random((SIDE, SIDE))
    tone = _hsv(rng.choice([0.07, 0.09, 0.6, 0.0]), rng.uniform(0.25, 0.6), rng.uniform(0.35, 0.6))
    boards = tone * (0.75 + 0.5 * grain[..., None]) * (0.8 + 0.3 * _far(floor)[..., None])
    y = _heights()[..., None]
    return np.where(y < floor, np.clip(picture, 0, 1), np.where(y < floor + 0.03, 0.9, boards))


KINDS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "sky": sky, "water": water, "city": city, "home": home, "grass": grass,
}  # fmt: skip


def background(kind: str, rng: np.random.Generator) -> np.ndarray:
    """A picture of a kind, uint8 [256, 256, 3]."""
    return np.rint(np.clip(KINDS[kind](rng), 0, 1) * 255).astype(np.uint8)
