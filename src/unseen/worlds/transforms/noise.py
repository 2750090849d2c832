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


def pixel_bits(images: Tensor, keys: Tensor) -> Tensor:
    """63 bits ``[n, 1, h, w]`` per pixel: those that :mod:`chance` draws for the id key + place."""
    height, width = images.shape[-2:]
    return chance.counted(keys, height * width, 0, "pixels").view(-1, 1, height, width)


def sixteen(bits: Tensor, part: int) -> Tensor:
    """The ``part``-th 16 bits, a number below 65,536."""
    return (bits >> (16 * part)).bitwise_and_(LEVELS - 1)


def white_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Normal noise of standard deviation ``strength`` added to every pixel, and to every channel on its own (ours).

    Not clipped. A deviate is one of 65,536 quantiles, so at most 4.3 standard deviations.
    """
    import torch

    from unseen.worlds.transforms import kernels

    deviates = normal(images.device) * strength
    if kernels.available(images):
        return kernels.white_noise(images, deviates, keys)
    bits = pixel_bits(images, keys)
    found = torch.empty(images.shape, device=images.device)
    for channel in range(images.shape[1]):
        drawn = deviates.index_select(0, sixteen(bits, channel).view(-1)).view(len(images), *images.shape[2:])
        torch.add(drawn, images[:, channel], out=found[:, channel])
    return found


def salt_and_pepper(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A share ``strength`` of the pixels, half of them in the paper, becomes 0 or 255, either equally often.

    Each pixel is drawn by itself, so the share is met on average; all channels of a pixel change together (ours).
    """
    from unseen.worlds.transforms import kernels

    below = round(strength * 2**32)
    if kernels.available(images):
        return kernels.salt_and_pepper(images, below, keys)
    bits = pixel_bits(images, keys)
    hit = (bits & (2**32 - 1)) < below
    found = images * (~hit).float()  # pixels are finite, and a product is ten times as fast as a choice on a CPU
    return found.add_((bits >> 32).bitwise_and_(1).mul_(hit).float().mul_(255.0))


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
