"""Draws keyed by a row's own id, on the device: what an image looks like never depends on its company."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.seeds import seed_of

if TYPE_CHECKING:
    from torch import Tensor

GOLDEN = -7046029254386353131  # 0x9E3779B97F4A7C15 as a signed 64-bit number
MIX = -4658895280553007687  # 0xBF58476D1CE4E5B9
LAST = -7723592293110705685  # 0x94D049BB133111EB
STEPS = ((30, MIX), (27, LAST), (31, 1))  # shifts and factors of the mixing


def bits(ids: Tensor, seed: int, *names: object) -> Tensor:
    """One 63-bit number per id (splitmix64), the same on every device."""
    return _mixed(ids.long() * GOLDEN + seed_of(seed, *names))


def counted(keys: Tensor, places: int, seed: int, *names: object) -> Tensor:
    """The bits ``[n, places]`` of the ids key, key + 1, …, which are never stored: the first product is linear."""
    import torch

    first = keys.long() * GOLDEN + seed_of(seed, *names)
    return _mixed(first[:, None] + torch.arange(places, device=keys.device) * GOLDEN)


def _mixed(z: Tensor) -> Tensor:
    return mixed_by_numpy(z) if z.device.type == "cpu" else mixed_by_torch(z)


def mixed_by_torch(z: Tensor) -> Tensor:
    """The mixing of splitmix64, in place; the upper 63 bits."""
    for shift, factor in STEPS:
        z ^= (z >> shift).bitwise_and_((1 << (64 - shift)) - 1)
        z *= factor
    z >>= 1
    z &= (1 << 63) - 1
    return z


def mixed_by_numpy(z: Tensor) -> Tensor:
    """The same for a CPU: numpy's numbers may be unsigned, and it needs less than half of torch's time."""
    unsigned = z.numpy().view(np.uint64)
    for shift, factor in STEPS:
        unsigned ^= unsigned >> np.uint64(shift)
        unsigned *= np.uint64(factor % 2**64)
    unsigned >>= np.uint64(1)
    return z


def uniform(ids: Tensor, seed: int, *names: object, low: float = 0.0, high: float = 1.0) -> Tensor:
    """A float32 in [low, high) per id, from 24 bits."""
    return between(bits(ids, seed, *names), low, high)


def between(drawn: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
    """A float32 in [low, high) from the upper 24 of 63 bits."""
    share = (drawn >> 39).float() * 2.0**-24
    return share * (high - low) + low


def choice(ids: Tensor, n: int, seed: int, *names: object) -> Tensor:
    """A whole number below ``n`` per id."""
    return (bits(ids, seed, *names) >> 20) % n
