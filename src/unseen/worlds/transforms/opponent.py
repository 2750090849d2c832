"""Opponent colour (Geirhos et al. 2018; "false colour" in its code and in model-vs-human): every colour becomes its
opponent, at the same luminance."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

# Activity of long-, middle- and short-wave cones for the three primaries of the monitor of Geirhos et al. 2018, from
# its spectra and the fundamentals of Stiles and Burch (numbers of their released code, code/image_manipulation.py).
CONES = (
    (0.1619982647, 0.208049264, 0.0389347448),
    (0.0330275785, 0.2496504557, 0.0618343518),
    (0.0015524055, 0.0198861001, 0.1890224274),
)
# Luminance, L − M and S − luminance of differences of cones from those of the background (Brainard 1996, the same
# code).
OPPONENT = ((9.27590805, 9.27590805, 0.0), (7.86421647, -9.33587662, 0.0), (-3.39709047, -3.39709047, 12.16230246))


def opponent_colour(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """L − M and S − luminance change their signs about mid grey, and luminance stays; clipped.

    Greys stay as they are, and doing it twice gives a picture back where nothing was clipped. The code linearises by
    the curve measured at its own monitor; ours is gamma 2 (ours: a square and a root are rounded alike on all
    processors).
    """
    import torch

    from unseen.worlds.transforms import kernels

    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        return fused_corruptions.opponent_colour(images, flipping())
    light = (images.double() / 255) ** 2
    turned = torch.empty_like(light)
    for place, weights in enumerate(flipping()):
        red, green, blue = (float(weight) for weight in weights)
        plane = light[:, 0] * red
        plane = plane + light[:, 1] * green
        turned[:, place] = plane + light[:, 2] * blue
    return (turned.clamp_(0, 1).sqrt_() * 255).float()


@lru_cache(maxsize=1)
def flipping() -> np.ndarray:
    """The 3×3 matrix from linear RGB to linear RGB that changes the signs of both colour axes and keeps luminance.

    The code does so about a white point w, w + T (x − w). Grey has no colour on these axes, so T w = w, up to the
    digits that are printed; rows are scaled to sum to one, so that greys stay to the bit.

    >>> bool(np.allclose(flipping() @ flipping(), np.eye(3), atol=1e-6))
    True
    """
    axes = np.array(OPPONENT) @ np.array(CONES)
    turned = np.linalg.inv(axes) @ np.diag([1.0, -1.0, -1.0]) @ axes
    return turned / turned.sum(axis=1, keepdims=True)
