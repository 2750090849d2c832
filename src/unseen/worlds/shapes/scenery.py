"""Backgrounds as a camera would show them behind a thing in focus: the kinds of :mod:`backgrounds`, painted from layers
of noise with detail at every scale, out of focus, with grain, a vignette and a colour cast.

Natural pictures have about equal contrast in every octave (Field 1987); flat areas and hard edges alone make a
drawing. Layouts, colours and amounts are ours.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates

SIDE = 256
Picture = np.ndarray  # [SIDE, SIDE, 3] linear in sRGB, 0–1


def _rgb(h: float, s: float, v: float) -> np.ndarray:
    return np.array(colorsys.hsv_to_rgb(h % 1, s, v))


def cloudy(rng: np.random.Generator, slope: float = 1.0, stretch: float = 1.0) -> np.ndarray:
    """Noise of amplitude 1 / f^slope, mean 0 and deviation 1; ``stretch`` > 1 draws it out sideways."""
    fy = np.fft.fftfreq(SIDE)[:, None]
    fx = np.fft.rfftfreq(SIDE)[None] * stretch
    f = np.sqrt(fx * fx + fy * fy)
    f[0, 0] = np.inf
    spectrum = (rng.normal(size=f.shape) + 1j * rng.normal(size=f.shape)) / f**slope
    field = np.fft.irfft2(spectrum, s=(SIDE, SIDE))
    return (field - field.mean()) / field.std()


def _mix(one: np.ndarray, other: np.ndarray, share: np.ndarray) -> np.ndarray:
    return one + (other - one) * np.clip(share, 0, 1)[..., None]


def _down() -> np.ndarray:
    """0 at the top of the picture, 1 at its bottom."""
    return np.broadcast_to(np.linspace(0, 1, SIDE)[:, None], (SIDE, SIDE))


def _laid(field: np.ndarray, horizon: float, tiles: float) -> np.ndarray:
    """A field laid on the ground in perspective: fine at the horizon, coarse in front."""
    near = np.clip((_down() - horizon) / (1 - horizon), 0.02, 1)
    depth = 1 / near
    x = np.linspace(-0.5, 0.5, SIDE)[None] * depth * tiles * SIDE / 3
    y = depth * tiles * SIDE / 3
    return map_coordinates(field, [y, x + 0 * y], order=1, mode="grid-wrap")


def _coloured(rng: np.random.Generator, field: np.ndarray, tones: list[np.ndarray], spread: float) -> Picture:
    """A field as colour: from tone to tone with its height, each a little different at every place."""
    place = np.clip((field * spread + 0.5) * (len(tones) - 1), 0, len(tones) - 1.001)
    at = place.astype(int)
    table = np.stack(tones)
    colour = table[at] + (table[np.minimum(at + 1, len(tones) - 1)] - table[at]) * (place - at)[..., None]
    return colour * (1 + 0.05 * np.stack([cloudy(rng, 0.8) for _ in range(3)], -1))


def sky(rng: np.random.Generator) -> Picture:
    """Blue, grey or evening sky with clouds of every size."""
    mood = int(rng.integers(3))
    high = (_rgb(0.59, 0.6, 0.68), _rgb(0.6, 0.08, 0.6), _rgb(0.66, 0.4, 0.42))[mood]
    low = (_rgb(0.56, 0.22, 0.93), _rgb(0.6, 0.03, 0.85), _rgb(0.05 + 0.04 * rng.random(), 0.5, 0.93))[mood]
    field = _mix(np.broadcast_to(high, (SIDE, SIDE, 3)), low, _down() ** rng.uniform(0.6, 1.4))
    cover = cloudy(rng, rng.uniform(1.5, 1.9), rng.uniform(1.3, 2.6)) + rng.uniform(-0.8, 0.6)
    lit = _mix(
        _rgb(0.62, 0.08, 0.62) * np.ones((SIDE, SIDE, 1)), _rgb(0.1, 0.02, 1.0), 0.6 + 0.35 * np.roll(cover, 6, 0)
    )
    return _mix(field, lit, np.clip(cover * 0.8, 0, 0.95))


def _open_air(rng: np.random.Generator, horizon: float) -> Picture:
    """The sky above a horizon, hazy towards it, and what stands far away."""
    air = _mix(sky(rng), _rgb(0.57, 0.06, 0.92), (_down() / horizon) ** 3)
    for step in range(int(rng.integers(1, 4))):  # ridges, the farther the paler
        line = horizon - 0.02 - (0.05 + 0.06 * step) * np.clip(1 + cloudy(rng, 1.6)[0] * 0.6, 0.1, 3) / (step + 1)
        tone = _rgb(rng.uniform(0.2, 0.4), 0.3 - 0.06 * step, 0.3 + 0.12 * step)
        wood = tone * (1 + 0.25 * cloudy(rng, 0.6)[..., None])
        air = _mix(air, wood, ((_down() > line[None]) & (_down() < horizon + 0.01)).astype(float) * (0.95 - 0.2 * step))
    return air


def _on(rng: np.random.Generator, air: Picture, ground: Picture, horizon: float) -> Picture:
    return _mix(air, ground, (_down() - horizon) * SIDE / 2)


def water(rng: np.random.Generator) -> Picture:
    """Sea or lake to the horizon, with waves and glitter."""
    horizon = rng.uniform(0.25, 0.42)
    hue = rng.uniform(0.5, 0.6)
    waves = _laid(cloudy(rng, 0.9, 3.0), horizon, rng.uniform(0.2, 0.5))
    tones = [_rgb(hue, 0.7, 0.22), _rgb(hue, 0.55, 0.42), _rgb(hue - 0.03, 0.3, 0.66), _rgb(hue, 0.08, 0.95)]
    return _on(rng, _open_air(rng, horizon), _coloured(rng, waves, tones, 0.2), horizon)


def grass(rng: np.random.Generator) -> Picture:
    """A meadow, a dry field or a forest floor under the sky."""
    horizon = rng.uniform(0.25, 0.45)
    hue = rng.choice([0.25, 0.22, 0.12])
    blades = _laid(cloudy(rng, 0.45, 0.5) + 0.8 * cloudy(rng, 1.3), horizon, rng.uniform(0.3, 0.8))
    tones = [_rgb(hue + 0.05, 0.6, 0.14), _rgb(hue, 0.6, 0.33), _rgb(hue - 0.02, 0.5, 0.5), _rgb(hue - 0.06, 0.4, 0.72)]
    return _on(rng, _open_air(rng, horizon), _coloured(rng, blades, tones, 0.22), horizon)


def _weathered(rng: np.random.Generator, tone: np.ndarray, amount: float = 0.1) -> Picture:
    return tone * (1 + amount * (0.6 * cloudy(rng, 1.2) + 0.4 * cloudy(rng, 0.4))[..., None])


def city(rng: np.random.Generator) -> Picture:
    """House fronts with windows that differ, shop fronts, a pavement and a wet or dry road."""
    kerb = rng.uniform(0.55, 0.7)
    picture, foot, x = _open_air(rng, kerb).copy(), int(kerb * SIDE), -int(rng.integers(0, 30))
    while x < SIDE:
        wide, top = int(rng.integers(40, 110)), int(rng.uniform(-0.1, 0.35) * SIDE)
        left, right, top = max(x, 0), min(SIDE, x + wide), max(top, 0)
        x += wide
        if right <= left:
            continue
        wall = _weathered(
            rng, _rgb(rng.choice([0.03, 0.07, 0.1, 0.58]), rng.uniform(0.05, 0.4), rng.uniform(0.35, 0.8))
        )
        shade = 1 - 0.35 * np.linspace(0, 1, SIDE)[:, None, None] * rng.random()
        picture[top:foot, left:right] = (wall * shade)[top:foot, left:right]
        across, down = int(rng.integers(11, 20)), int(rng.integers(16, 26))
        for wy in range(top + 6, foot - 26, down):
            for wx in range(left + 4, right - 9, across):
                glass = _rgb(0.58, rng.uniform(0.05, 0.3), rng.uniform(0.12, 0.75))
                pane = picture[wy : wy + down - 9, wx : wx + across - 7]
                pane[:] = glass * np.linspace(1.15, 0.8, len(pane))[:, None, None]
                picture[wy - 1, wx - 1 : wx + across - 6] *= 0.6
        shop = picture[foot - 20 : foot - 3, left + 3 : right - 3]
        shop[:] = _weathered(rng, _rgb(rng.random(), rng.uniform(0.1, 0.6), rng.uniform(0.15, 0.6)), 0.3)[
            : shop.shape[0], : shop.shape[1]
        ]
    paving = _weathered(rng, _rgb(0.1, 0.06, rng.uniform(0.4, 0.62)), 0.12) * (
        1 + 0.1 * _laid(cloudy(rng, 0.6), kerb, 0.6)[..., None]
    )
    road = _weathered(rng, _rgb(0.6, 0.04, rng.uniform(0.2, 0.4)), 0.14) * (
        1 + 0.18 * _laid(cloudy(rng, 0.4), kerb, 0.8)[..., None]
    )
    edge = kerb + rng.uniform(0.06, 0.14)
    return _mix(_mix(picture, paving, (_down() - kerb) * SIDE), road, (_down() - edge) * SIDE)


def home(rng: np.random.Generator) -> Picture:
    """A room: a wall lit from one side, a window, shelves or pictures, boards or carpet."""
    floor = rng.uniform(0.55, 0.7)
    wall = _weathered(
        rng, _rgb(rng.choice([0.08, 0.1, 0.12, 0.3, 0.55, 0.6]), rng.uniform(0.03, 0.25), rng.uniform(0.6, 0.9)), 0.04
    )
    light = 0.75 + 0.4 * np.exp(-(((np.arange(SIDE) - rng.uniform(0, SIDE)) / rng.uniform(90, 200)) ** 2))
    picture = wall * light[None, :, None] * (1.05 - 0.25 * _down()[..., None])
    for _ in range(int(rng.integers(2, 6))):  # furniture, pictures and a window, as shapes far behind
        wide, high = int(rng.integers(25, 90)), int(rng.integers(25, 110))
        left = int(rng.integers(-20, SIDE - 20))
        low = (
            int(floor * SIDE) + int(rng.integers(-4, 8))
            if rng.random() < 0.5
            else int(rng.integers(high, int(floor * SIDE)))
        )
        patch = picture[max(low - high, 0) : low, max(left, 0) : left + wide]
        kind = rng.random()
        if kind < 0.3:  # a window
            patch[:] = _rgb(0.57, 0.12, 0.97) * np.linspace(1, 0.85, max(len(patch), 1))[: len(patch), None, None]
            patch[:, max(wide // 2 - 2, 0) : wide // 2 + 1] = 0.85
        elif kind < 0.65:  # books or boxes on shelves
            for start in range(0, patch.shape[1], 5):
                patch[:, start : start + 5] = _rgb(rng.random(), rng.uniform(0.1, 0.7), rng.uniform(0.15, 0.75))
            patch[:: max(int(rng.integers(18, 30)), 1)] = _rgb(0.08, 0.5, 0.3)
        else:
            patch[:] = _weathered(
                rng, _rgb(rng.choice([0.06, 0.09, 0.0, 0.6]), rng.uniform(0.1, 0.6), rng.uniform(0.15, 0.6)), 0.2
            )[: patch.shape[0], : patch.shape[1]]
    grain = _laid(cloudy(rng, 0.8, rng.choice([0.15, 1.0])), floor, rng.uniform(0.3, 0.7))
    tone = _rgb(rng.choice([0.06, 0.08, 0.1, 0.6]), rng.uniform(0.1, 0.5), rng.uniform(0.3, 0.6))
    return _mix(picture, tone * (1 + 0.2 * grain[..., None]), (_down() - floor) * SIDE / 2)


KINDS: dict[str, Callable[[np.random.Generator], Picture]] = {
    "sky": sky, "water": water, "city": city, "home": home, "grass": grass,
}  # fmt: skip


def natural_background(kind: str, rng: np.random.Generator) -> np.ndarray:
    """A picture of a kind as a camera shows it, uint8 [256, 256, 3]: the ground in front nearly sharp, what lies far
    behind out of focus."""
    picture = np.clip(KINDS[kind](rng), 0, 1)
    blur = rng.uniform(0.5, 2.0)  # far more, and things are told from what lies behind by sharpness alone
    far = gaussian_filter(picture, (blur, blur, 0), mode="nearest")
    close = gaussian_filter(picture, (0.7, 0.7, 0), mode="nearest")
    picture = _mix(far, close, np.clip((_down() - 0.6) * 2.5, 0, 0.8))
    y, x = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    picture = picture * (1 - rng.uniform(0.05, 0.3) * (x * x + y * y)[..., None] / 2)
    cast = 1 + rng.uniform(-0.03, 0.03, 3)
    grain = rng.normal(0, rng.uniform(0.004, 0.02), (SIDE, SIDE, 1))
    exposed = (picture * cast) ** rng.uniform(0.85, 1.2) + grain
    return np.rint(np.clip(exposed, 0, 1) * 255).astype(np.uint8)
