"""Are generated pictures like real ones, and more than copies of what was learned?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

NEAR = 0.05  # share of real pictures never learned from that count as near to what was learned (ours)


def frechet_distance(first: Float[np.ndarray, "n d"], second: Float[np.ndarray, "m d"]) -> float:
    r"""Fréchet distance between normal densities fitted to two sets of features (Dowson & Landau 1982).

    :math:`|\mu_1 - \mu_2|^2 + \mathrm{tr}(C_1 + C_2 - 2 (C_1 C_2)^{1/2})`. Heusel et al. (2017) take it of Inception's
    features and call it FID; of other features it has other values, and must not be called so. It is biased upwards by
    few pictures: compare at the same n, and with two sets of real ones. NaN for fewer than two of either.

    :math:`C_1 = A^T A` and :math:`C_2 = B^T B` with centred, scaled features, so the last trace is the sum of the
    singular values of :math:`A B^T`: exact, and no square root of a matrix of rank below d is needed.

    >>> x = np.array([[0.0], [2.0]])
    >>> frechet_distance(x, x), frechet_distance(x, x + 3)
    (0.0, 9.0)
    """
    if len(first) < 2 or len(second) < 2:
        return float("nan")
    means = [one.mean(0, dtype=np.float64) for one in (first, second)]
    a, b = ((one - mean) / np.sqrt(len(one) - 1) for one, mean in zip((first, second), means))
    shared = np.linalg.svd(a @ b.T, compute_uv=False).sum()
    found = ((means[0] - means[1]) ** 2).sum() + (a**2).sum() + (b**2).sum() - 2 * shared
    return float(max(found, 0.0))


@dataclass(frozen=True)
class Nearest:
    """Distances to the nearest picture that was learned from: medians of generated pictures and of real ones that were
    not learned from, and the share of generated pictures that are nearer than all but ``NEAR`` of the real ones. A
    share far above ``NEAR`` means pictures from memory; far below, that they are unlike all."""

    generated: float
    real: float
    share: float
    n: int


def nearest_learned(
    generated: Float[np.ndarray, "n d"], real: Float[np.ndarray, "m d"], learned: Float[np.ndarray, "k d"]
) -> Nearest:
    """Whether a generator repeats what it learned from (ours; the lecture and Goodfellow et al. 2014, Fig. 2, show the
    nearest picture beside each)."""
    of_generated, of_real = (nearest_of(one, learned)[1] for one in (generated, real))
    if not len(of_generated) or not len(of_real):
        return Nearest(float("nan"), float("nan"), float("nan"), len(of_generated))
    limit = np.quantile(of_real, NEAR)
    return Nearest(
        float(np.median(of_generated)),
        float(np.median(of_real)),
        float((of_generated < limit).mean()),
        len(of_generated),
    )


def nearest_of(asked: Float[np.ndarray, "n d"], among: Float[np.ndarray, "k d"]) -> tuple[np.ndarray, np.ndarray]:
    """The place of the nearest in ``among``, and how far it is.

    >>> nearest_of(np.array([[0.0], [5.0]]), np.array([[4.0], [1.0]]))
    (array([1, 0]), array([1., 1.]))
    """
    if not len(among):
        return np.zeros(len(asked), int), np.full(len(asked), np.nan)
    places, far = np.empty(len(asked), int), np.empty(len(asked))
    norms = (among.astype(np.float64) ** 2).sum(1)
    for start in range(0, len(asked), 256):
        here = asked[start : start + 256].astype(np.float64)
        squares = norms - 2 * here @ among.T.astype(np.float64)
        best = squares.argmin(1)
        places[start : start + 256] = best
        far[start : start + 256] = np.sqrt(((here - among[best]) ** 2).sum(1))
    return places, far
