"""Colours that things come in, drawn from a generator. All palettes are ours."""

from __future__ import annotations

import colorsys

import numpy as np

Colour = tuple[float, float, float]

WOODS: tuple[Colour, ...] = (
    (0.86, 0.70, 0.48),  # beech
    (0.78, 0.56, 0.34),  # oak
    (0.66, 0.42, 0.24),  # cherry
    (0.48, 0.29, 0.16),  # walnut
    (0.33, 0.20, 0.12),  # wenge
    (0.93, 0.90, 0.84),  # painted white
)
METALS: tuple[Colour, ...] = (
    (0.72, 0.73, 0.75),  # steel
    (0.78, 0.62, 0.30),  # brass
    (0.18, 0.18, 0.20),  # black iron
    (0.72, 0.45, 0.32),  # copper
)


def wood(rng: np.random.Generator, *, bare: bool = False) -> Colour:
    """A tone of wood; ``bare`` leaves the white paint out."""
    return varied(rng, WOODS[int(rng.integers(len(WOODS) - bare))], 0.04)


def metal(rng: np.random.Generator) -> Colour:
    return varied(rng, METALS[int(rng.integers(len(METALS)))], 0.02)


HUES = (0.0, 0.03, 0.07, 0.12, 0.30, 0.42, 0.50, 0.55, 0.59, 0.63, 0.75, 0.93)  # few acid greens, as in a shop


def dye(
    rng: np.random.Generator,
    *,
    hue: tuple[float, float] | None = None,
    saturation: tuple[float, float] = (0.35, 0.8),
    value: tuple[float, float] = (0.45, 0.9),
) -> Colour:
    """A colour of cloth, glaze or paint, of any usual hue or of those given (in turns: red 0, green ⅓, blue ⅔)."""
    tone = rng.choice(HUES) + rng.uniform(-0.025, 0.025) if hue is None else rng.uniform(*hue)
    r, g, b = colorsys.hsv_to_rgb(float(tone) % 1.0, rng.uniform(*saturation), rng.uniform(*value))
    return r, g, b


def pale(rng: np.random.Generator) -> Colour:
    """Linen, plaster, paper: near white."""
    return dye(rng, hue=(0.05, 0.18), saturation=(0.02, 0.14), value=(0.86, 0.97))


def varied(rng: np.random.Generator, colour: Colour, by: float) -> Colour:
    """A colour a little lighter or darker, its channels nearly together."""
    r, g, b = np.clip(np.asarray(colour) + rng.uniform(-by, by) + rng.uniform(-by, by, 3) / 4, 0, 1).tolist()
    return r, g, b


def darker(colour: Colour, share: float = 0.75) -> Colour:
    """The same colour times ``share``; above 1 it is lighter."""
    r, g, b = np.clip(np.asarray(colour) * share, 0, 1).tolist()
    return r, g, b
