"""Activity on a scale of its own for each unit, so that units can be compared.

Madan et al. (2022) say that activity is "normalized to lie between 0 and 1" and leave the how to a supplement that is
not at hand. The default, min–max over each unit's own cell grid, is what the authors' released notebook does.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.errors import UnseenError, unknown

SCALINGS = ("min-max", "max", "none")

BEYOND = 1e150  # a diverged network; sums of such numbers overflow


def extent(activity: Float[np.ndarray, "units rows columns"]) -> Float[np.ndarray, "3 units"]:
    """Lowest cell, highest cell and their distance, of each unit.

    NaN cells are absent. A unit with an infinite cell, or with no cell at all, has no extent: NaN. A distance below the
    rounding of the numbers themselves is 0: min–max would blow such noise up into a preference.

    >>> extent(np.array([[[1.0, 3.0], [np.nan, 2.0]]])).ravel().tolist()
    [1.0, 3.0, 2.0]
    """
    flat = activity.reshape(len(activity), activity.shape[1] * activity.shape[2]).astype(np.float64)
    present = ~np.isnan(flat)
    low = np.min(flat, axis=1, where=present, initial=np.inf)
    high = np.max(flat, axis=1, where=present, initial=-np.inf)
    largest = np.maximum(abs(low), abs(high))
    low, high = (np.where(largest < BEYOND, end, np.nan) for end in (low, high))
    precision = np.finfo(activity.dtype if activity.dtype.kind == "f" else np.float64).eps
    distance = high - low
    return np.stack([low, high, np.where(distance <= 8 * precision * largest, 0, distance)])


def scaled(
    activity: Float[np.ndarray, "units rows columns"], scaling: str = "min-max"
) -> Float[np.ndarray, "units rows columns"]:
    """Activity between 0 and 1; NaN in absent cells, and throughout units that the scaling cannot place.

    ``min-max`` over the unit's cells (a constant unit has no scale); ``max`` divides by the largest cell (for rectified
    units; one that never fires has no scale); ``none`` leaves activity that is already between 0 and 1.

    >>> scaled(np.array([[[1.0, 2.0], [3.0, 5.0]]])).tolist()
    [[[0.0, 0.25], [0.5, 1.0]]]
    """
    activity = np.asarray(activity)
    if activity.ndim != 3:
        raise UnseenError(
            f"activity has shape {activity.shape}; it must be [units, rows, columns]. One unit? Use activity[None]."
        )
    low, high, distance = extent(activity)[:, :, None, None]
    grid = np.where(np.isnan(high), np.nan, activity.astype(np.float64))
    if scaling == "min-max":
        return np.divide(grid - low, distance, where=distance > 0, out=np.full_like(grid, np.nan))
    if scaling == "max":
        return np.divide(grid, high, where=high > 0, out=np.full_like(grid, np.nan))
    if scaling == "none":
        return grid
    raise unknown("scaling", scaling, SCALINGS)
