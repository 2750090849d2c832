"""Whether a model is as often right as it says: accuracy by bins of confidence, and the calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from unseen.vocabulary.errors import UnseenError

BINS = 15  # as Guo et al. 2017


@dataclass(frozen=True)
class Bin:
    """Answers whose confidence lies in one bin: their mean confidence, the share that is right, how many."""

    low: float
    high: float
    confidence: float
    accuracy: float
    n: int


def reliability(
    confidence: Float[np.ndarray, " n"], right: Bool[np.ndarray, " n"], bins: int = BINS
) -> tuple[Bin, ...]:
    """Bins of equal width that hold any answer; a confidence on an edge is in the lower bin (Guo et al. 2017, ICML).

    >>> [(b.n, b.accuracy) for b in reliability(np.array([0.9, 0.95, 0.4]), np.array([True, False, True]), bins=2)]
    [(1, 1.0), (2, 0.5)]
    """
    confidence = np.asarray(confidence, np.float64)
    known = np.isfinite(confidence)
    confidence, right = confidence[known], np.asarray(right)[known]
    if len(confidence) and (confidence.min() < 0 or confidence.max() > 1):
        raise UnseenError("confidences are probabilities, 0 to 1.")
    edges = np.linspace(0, 1, bins + 1)
    places = np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, bins - 1)
    made = []
    for place in np.unique(places).tolist():
        here = places == place
        mean, share = float(confidence[here].mean()), float(right[here].mean())
        made.append(Bin(float(edges[place]), float(edges[place + 1]), mean, share, int(here.sum())))
    return tuple(made)


def calibration_error(confidence: Float[np.ndarray, " n"], right: Bool[np.ndarray, " n"], bins: int = BINS) -> float:
    r"""Expected calibration error: :math:`\sum_b \frac{n_b}{n} |acc_b - conf_b|` over bins of equal width (Naeini et
    al. 2015; Guo et al. 2017). NaN of nothing. Of few answers it is too large: chance leaves each bin off its line.

    >>> calibration_error(np.array([0.8] * 5), np.array([True] * 4 + [False]))
    0.0
    """
    found = reliability(confidence, right, bins)
    n = sum(one.n for one in found)
    return sum(one.n * abs(one.accuracy - one.confidence) for one in found) / n if n else float("nan")
