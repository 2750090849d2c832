"""The bootstrap: what a number would be of other draws of the same things (seeds, transformations)."""

from __future__ import annotations

from itertools import product

import numpy as np
from jaxtyping import Float, Int

from unseen.measures.statistics import check_level


def resamples(n: int, draws: int, rng: np.random.Generator) -> Int[np.ndarray, "draws n"]:
    """``n`` things drawn with replacement: every such draw where there are at most ``draws`` of them, else so many.

    >>> resamples(2, 1000, np.random.default_rng(0)).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if n**n <= max(draws, 1):
        return np.array(list(product(range(n), repeat=n)))
    return rng.integers(0, n, (draws, n))


def percentile_ends(
    values: Float[np.ndarray, "draws *numbers"], level: float = 0.95
) -> Float[np.ndarray, "2 *numbers"]:
    """Low and high end of the interval that holds ``level`` of what resamples gave.

    Ends are values that occurred: between two of them there may be none (a τ is one of a few steps, and a difference
    of AIC may be infinite).

    >>> percentile_ends(np.arange(1.0, 101.0)).tolist()
    [3.0, 98.0]
    """
    check_level(level)
    tail = (1 - level) / 2
    return np.quantile(values, (tail, 1 - tail), axis=0, method="inverted_cdf")
