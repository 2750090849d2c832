"""The noises of ImageNet-C (Hendrycks & Dietterich 2019): Gaussian, shot and impulse; clipped, by severity 1 to 5."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.transforms.noise import LEVELS, pixel_bits, sixteen, white_noise

if TYPE_CHECKING:
    import torch
    from torch import Tensor

DEVIATION = (0.08, 0.12, 0.18, 0.26, 0.38)  # of Gaussian noise, as a share of the range
PHOTONS = (60, 25, 12, 5, 3)  # that a white pixel receives on average
IMPULSES = (0.03, 0.06, 0.09, 0.17, 0.27)  # share of numbers that become black or white


def gaussian_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """x + N(0, σ²) on every channel by itself."""
    return white_noise(images, 255 * DEVIATION[round(strength) - 1], keys).clamp_(0, 255)


def shot_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Poisson(x · c) / c on every channel by itself, x of a range of one.

    A count is looked up by 16 bits in a table of quantiles, for a pixel rounded to a byte (ours): no processor rounds
    it otherwise, and what is rarer than 1 in 65,536 is left out.
    """
    import torch

    from unseen.worlds.transforms import kernels

    photons = PHOTONS[round(strength) - 1]
    table = _counts(photons, images.device)
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        return fused_corruptions.shot_noise(images, keys, table, photons)
    bits = pixel_bits(images, keys)
    found = torch.empty(images.shape, device=images.device)
    for channel in range(images.shape[1]):
        level = images[:, channel].float().round().clamp(0, 255).long()
        place = level * LEVELS + sixteen(bits, channel)[:, 0]
        found[:, channel] = table.take(place).float()
    return (found * (255 / photons)).clamp_(0, 255)


def impulse_noise(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Every number, of each channel by itself, becomes 0 or 255 with a small probability, either equally often."""
    import torch

    from unseen.worlds.transforms import kernels

    below = round(IMPULSES[round(strength) - 1] * LEVELS)
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        return fused_corruptions.impulse_noise(images, keys, below)
    bits, found = pixel_bits(images, keys), images.float().clone(memory_format=torch.contiguous_format)
    if images.device.type == "cpu":
        _struck(found.numpy(), bits.numpy(), below)
        return found.clamp_(0, 255)
    for channel in range(images.shape[1]):
        end = ((bits >> (48 + channel)) & 1)[:, 0].float() * 255
        found[:, channel] = torch.where(sixteen(bits, channel)[:, 0] < below, end, found[:, channel])
    return found.clamp_(0, 255)


def _struck(shown: np.ndarray, bits: np.ndarray, below: int) -> None:
    """The same on a CPU, in place: only what is struck is touched."""
    for picture, drawn in zip(shown, bits):
        drawn = drawn.ravel()
        for channel, plane in enumerate(picture):
            low = (drawn >> (16 * channel)).astype(np.uint16)  # keeps the last 16 bits
            hit = np.flatnonzero(low < below)
            plane.ravel()[hit] = ((drawn[hit] >> (48 + channel)) & 1) * 255


@lru_cache(maxsize=8)
def _counts(photons: int, device: torch.device) -> Tensor:
    """For each byte 65,536 counts at equal shares of probability, in rising order."""
    import torch
    from scipy.stats import poisson

    most = np.arange(200)
    ends = np.rint(poisson.cdf(most[None], np.arange(256)[:, None] / 255 * photons) * LEVELS).astype(np.int64)
    ends[:, -1] = LEVELS
    shares = np.diff(ends, axis=1, prepend=0)
    return torch.from_numpy(np.stack([np.repeat(most, share) for share in shares]).astype(np.uint8)).to(device)
