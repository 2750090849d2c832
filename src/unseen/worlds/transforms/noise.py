"""Noise: one random number per pixel, from the image's key and the pixel's place alone.

A pixel's number is the hash of (key + place), the same on every device. Normal deviates are looked up by 16 of its bits
in a table of quantiles: logarithms and cosines are not rounded alike by all processors, a table is.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance

if TYPE_CHECKING:
    import torch
    from torch import Tensor

LEVELS = 2**16  # of a normal deviate, or of an angle


def counted(images: Tensor, keys: Tensor) -> Tensor:
    """An id ``[n, 1, h, w]`` per pixel: what :mod:`chance` draws from."""
    import torch

    height, width = images.shape[-2:]
    places = torch.arange(height * width, device=images.device).view(1, 1, height, width)
    return keys.view(-1, 1, 1, 1) + places


def sixteen(bits: Tensor, part: int) -> Tensor:
    """The ``part``-th 16 bits, a number below 65,536."""
    return (bits >> (16 * part)) & (LEVELS - 1)


def white_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Normal noise of standard deviation ``strength`` added to every pixel, and to every channel on its own (ours).

    Not clipped. A deviate is one of 65,536 quantiles, so at most 4.3 standard deviations.
    """
    import torch

    bits = chance.bits(counted(images, keys), 0, "pixels")
    channels = [sixteen(bits, channel) for channel in range(images.shape[1])]
    return images + normal(images.device)[torch.cat(channels, 1)] * strength


def salt_and_pepper(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A share ``strength`` of the pixels, half of them in the paper, becomes 0 or 255, either equally often.

    Each pixel is drawn by itself, so the share is met on average; all channels of a pixel change together (ours).
    """
    import torch

    bits = chance.bits(counted(images, keys), 0, "pixels")
    hit = (bits & (2**32 - 1)) < round(strength * 2**32)
    return torch.where(hit, ((bits >> 32) & 1) * 255.0, images)


@lru_cache(maxsize=16)
def normal(device: torch.device) -> Tensor:
    """Quantiles at the middles of 65,536 equal shares, scaled to a variance of one, on a device."""
    import torch

    return torch.from_numpy(quantiles()).to(device)


@lru_cache(maxsize=1)
def quantiles() -> np.ndarray:
    bell = NormalDist()
    upper = np.array([bell.inv_cdf(0.5 + (k + 0.5) / LEVELS) for k in range(LEVELS // 2)])
    both = np.concatenate([-upper[::-1], upper])
    return (both / both.std()).astype(np.float32)
