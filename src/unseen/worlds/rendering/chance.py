"""Draws keyed by a row's own id, on the device: what an image looks like never depends on its company."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unseen.vocabulary.seeds import seed_of

if TYPE_CHECKING:
    from torch import Tensor

_GOLDEN = -7046029254386353131  # 0x9E3779B97F4A7C15 as a signed 64-bit number
_MIX = -4658895280553007687  # 0xBF58476D1CE4E5B9
_LAST = -7723592293110705685  # 0x94D049BB133111EB


def bits(ids: Tensor, seed: int, *names: object) -> Tensor:
    """One 63-bit number per id (splitmix64), the same on every device."""
    z = ids.long() * _GOLDEN + seed_of(seed, *names)
    for shift, factor in ((30, _MIX), (27, _LAST), (31, 1)):
        z = (z ^ ((z >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return (z >> 1) & ((1 << 63) - 1)


def uniform(ids: Tensor, seed: int, *names: object, low: float = 0.0, high: float = 1.0) -> Tensor:
    """A float32 in [low, high) per id, from 24 bits."""
    share = (bits(ids, seed, *names) >> 39).float() * 2.0**-24
    return share * (high - low) + low


def choice(ids: Tensor, n: int, seed: int, *names: object) -> Tensor:
    """A whole number below ``n`` per id."""
    return (bits(ids, seed, *names) >> 20) % n
