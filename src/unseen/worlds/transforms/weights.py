"""Whole steps and the weights of a Gaussian in them, for the eager filters and for their kernels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

# Pictures are whole multiples of 2⁻¹⁴ and weights of 2⁻²⁸: with |x| < 2¹¹ and weights that sum to one every partial sum
# stays below 2⁵³. A step of 2⁻¹⁴ is that of float32 at 1,000.
STEPS, WEIGHTS = 2.0**14, 2.0**28
FINEST = 2.0**10  # steps of one, to which pictures are rounded after a Fourier transform


def reach_of(sigma: float) -> int:
    return int(4.0 * sigma + 0.5)


def gaussian(sigma: float) -> np.ndarray:
    """Weights −r … r as whole numbers that sum to 2²⁸ (the centre takes what rounding leaves), r = ⌊4σ + ½⌋."""
    reach = reach_of(sigma)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2) if reach else np.ones(1)
    whole = np.rint(bell / bell.sum() * WEIGHTS)
    whole[reach] += WEIGHTS - whole.sum()
    return whole


def around(size: int, sigma: float) -> np.ndarray:
    """Weights of a Gaussian at distances 0, 1, …, of a circle of ``size`` pixels; what reaches around it adds up."""
    turns = int(np.ceil(8 * sigma / size))
    apart = np.arange(size)[:, None] + size * np.arange(-turns - 1, turns + 1)[None]
    bell = np.exp(-0.5 * (apart / sigma) ** 2).sum(axis=1)
    return bell / bell.sum()


@lru_cache(maxsize=256)
def lines_between(size: int, factor: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the middle of so many lines, enlarged: the two that each new one lies between, and the share of the second."""
    kept = int(np.ceil(size / factor))
    first = (size - kept) // 2
    wanted = round(kept * factor)
    place = np.arange(wanted) * ((kept - 1) / max(1, wanted - 1))
    low = np.minimum(place.astype(np.int64), max(0, kept - 2))
    return first + low, first + np.minimum(low + 1, kept - 1), (place - low).astype(np.float32)
