"""In which order are the tasks learned? (Madan et al. 2022, control D.6.)

The supplement that defines this control is not at hand; the definitions here are ours. A task counts as learned at the
first epoch at which its accuracy has covered a fraction of the way from chance to its reference, the best or the final
accuracy of its own curve.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.errors import UnseenError, unknown

REFERENCES = ("best", "final")


def epochs_to_reach(
    curve: Float[np.ndarray, " epochs"], fraction: float, *, reference: str = "best", chance: float = 0.0
) -> float:
    r"""The first epoch, counted from 1, at which a task reaches a fraction of its reference accuracy (ours).

    The first e with :math:`acc_e \ge c + f\,(acc_{ref} - c)`; give ``chance`` when tasks have different numbers of
    levels, since the easier guess starts higher. Epochs without a value are passed over. NaN if the level is never
    reached, if there is no value at all, or if the reference is not above chance: then nothing was learned.

    >>> epochs_to_reach(np.array([0.1, 0.5, 0.76, 0.8]), 0.9)  # 0.9 · 0.8 = 0.72
    3.0
    """
    curve = np.asarray(curve, np.float64)
    values = curve[np.isfinite(curve)]
    if not fraction > 0:
        raise UnseenError(f"the fraction of the accuracy to reach must be above 0; given {fraction}.")
    if reference not in REFERENCES:
        raise unknown("reference", reference, REFERENCES)
    if len(values) == 0:
        return float("nan")
    goal = values.max() if reference == "best" else values[-1]
    if goal <= chance:
        return float("nan")
    level = chance + fraction * (goal - chance) - 1e-9  # three quarters of .8 is .6, not .6000000000000001
    reached = np.flatnonzero(np.where(np.isfinite(curve), curve, -np.inf) >= level)
    return float(reached[0] + 1) if len(reached) else float("nan")


def learning_lead(
    curve_a: Float[np.ndarray, " epochs_a"],
    curve_b: Float[np.ndarray, " epochs_b"],
    fraction: float,
    *,
    reference: str = "best",
    chance: tuple[float, float] = (0.0, 0.0),
) -> float:
    """By how many epochs task a is learned before task b; negative if b came first, NaN if either never does (ours).

    >>> category, viewpoint = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0.7, 0.8, 0.8, 0.8])
    >>> learning_lead(category, viewpoint, 0.75)
    -2.0
    """
    a = epochs_to_reach(curve_a, fraction, reference=reference, chance=chance[0])
    b = epochs_to_reach(curve_b, fraction, reference=reference, chance=chance[1])
    return b - a
