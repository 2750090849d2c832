"""What animals share: tapering horns and tails, nearness to seeds of a coat, a few colours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.worlds.rendering.mesh import Mesh
from unseen.worlds.shapes.primitives import tube
from unseen.worlds.shapes.skins import Colour, spline

DARK: Colour = (0.06, 0.05, 0.05)
IVORY: Colour = (0.95, 0.92, 0.82)
SIDES = (1, -1)


def horn(path: np.ndarray, radii: Sequence[float], *, colour: Colour, paint: float = 0.0, gloss: float = 0.1) -> Mesh:
    """A curved taper, round in section."""
    rows = spline(np.column_stack([path, radii]), 9)
    return tube(rows[:, :3], np.maximum(rows[:, 3], 0.004), segments=8, colour=colour, paint=paint, gloss=gloss)


def near(points: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - seeds[None], axis=-1).min(1)
