"""What vehicles share: paint schemes, wheels, and the colours of glass, rubber and steel."""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import Mesh, joined, moved
from unseen.worlds.shapes.materials import dye
from unseen.worlds.shapes.primitives import (
    cylinder,
    lathe,
    turn,
)
from unseen.worlds.shapes.skins import Colour

GLASS: Colour = (0.14, 0.2, 0.28)
RUBBER: Colour = (0.09, 0.09, 0.1)
STEEL: Colour = (0.62, 0.64, 0.67)
WHITE: Colour = (0.95, 0.95, 0.96)
BLACK: Colour = (0.13, 0.13, 0.14)
LAMP: Colour = (1.0, 0.95, 0.75)
RED: Colour = (0.8, 0.1, 0.08)
SIDES = (1, -1)


def livery(rng: np.random.Generator) -> tuple[Colour, Colour]:
    """The colour of a painted body and of its stripe: one light, one strong."""
    strong = dye(rng, saturation=(0.6, 0.95), value=(0.55, 0.92))
    pale = WHITE if rng.random() < 0.6 else dye(rng, saturation=(0.05, 0.3), value=(0.85, 0.97))
    return (pale, strong) if rng.random() < 0.55 else (strong, pale)


def wheel(
    radius: float, width: float, centre: tuple[float, float, float], hub: Colour = STEEL, segments: int = 14
) -> Mesh:
    """A tyre with a hub, its axle along y."""
    tyre = lathe(
        [
            (0.55 * radius, -0.4 * width),
            (0.93 * radius, -0.5 * width),
            (radius, 0),
            (0.93 * radius, 0.5 * width),
            (0.55 * radius, 0.4 * width),
            (0.55 * radius, -0.4 * width),
        ],
        segments=segments,
        colour=RUBBER,
        gloss=0.15,
    )
    disc = cylinder(0.58 * radius, 0.84 * width, base=(0, 0, -0.42 * width), segments=segments, colour=hub, gloss=0.6)
    return moved(joined([tyre, disc]), centre, rotation=turn("x", 90))
