"""How far is an unseen cell from what was seen? (Madan et al. 2022, control D.1.)

More seen combinations also bring seen viewpoints closer to the unseen ones; this distance lets a study tell the two
apart. The supplement is not at hand, so the metric is ours: it lies in the coordinates of the levels.

======== ========================================== ======================= =============
factor   coordinates                                period                  metric
======== ========================================== ======================= =============
ordinal  the level's index, or its value            none                    any
circular the level's index, or its angle            number of levels, 360   any
grid     (row, column) of each position             none                    your choice
nominal  the level's index                          none                    ``"nominal"``
======== ========================================== ======================= =============
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from unseen.vocabulary.errors import UnseenError, unknown

METRICS = ("euclidean", "chebyshev", "nominal")


def level_distances(
    coordinates: Float[np.ndarray, "levels dims"], period: float | None = None, *, metric: str = "euclidean"
) -> Float[np.ndarray, "levels levels"]:
    """Distance between any two levels of a factor. ``period`` wraps every coordinate; ``nominal``: 0 if same, else 1.

    >>> level_distances(np.array([[0.0], [90.0], [180.0], [270.0]]), period=360.0)[0].tolist()
    [0.0, 90.0, 180.0, 90.0]
    """
    coordinates = np.asarray(coordinates, np.float64)
    if coordinates.ndim != 2:
        raise UnseenError(
            f"coordinates have shape {coordinates.shape}; they must be [levels, dims]. For one, values[:, None]."
        )
    step = np.abs(coordinates[:, None] - coordinates[None])
    if period is not None:
        if not period > 0:
            raise UnseenError(f"the period of a circular factor must be positive; given {period}.")
        step = step % period
        step = np.minimum(step, period - step)
    if metric == "euclidean":
        return np.asarray(np.linalg.norm(step, axis=-1))
    if metric == "chebyshev":
        return np.asarray(step.max(axis=-1, initial=0.0))
    if metric == "nominal":
        return np.asarray((step > 0).any(axis=-1), np.float64)
    raise unknown("metric", metric, METRICS)


def nearest_seen_distance(
    seen: Bool[np.ndarray, "rows columns"],
    asked: Bool[np.ndarray, "rows columns"],
    coordinates: Float[np.ndarray, "columns dims"],
    period: float | None = None,
    *,
    metric: str = "euclidean",
) -> Float[np.ndarray, "rows columns"]:
    """For each asked cell, the distance to the nearest column (viewpoint) at which its row (category) was seen.

    NaN in cells that are not asked, 0 in asked cells that were seen, infinite for a row that was never seen.

    >>> seen, asked = np.array([[True, False, False, False]]), np.array([[False, False, True, True]])
    >>> nearest_seen_distance(seen, asked, np.arange(4.0)[:, None]).tolist()
    [[nan, nan, 2.0, 3.0]]
    >>> nearest_seen_distance(seen, asked, np.arange(4.0)[:, None], period=4.0).tolist()
    [[nan, nan, 2.0, 1.0]]
    """
    seen, asked = np.asarray(seen, bool), np.asarray(asked, bool)
    distances = level_distances(coordinates, period, metric=metric)
    if seen.shape != asked.shape or seen.ndim != 2 or seen.shape[1] != len(distances):
        raise UnseenError(
            f"seen {seen.shape} and asked {asked.shape} must be one grid, with a coordinate for each of its columns; "
            f"there are {len(distances)} coordinates."
        )
    # [rows, asked columns, seen columns]: only seen ones can be near.
    to_seen = np.where(seen[:, None, :], distances[None], np.inf)
    return np.where(asked, to_seen.min(axis=2, initial=np.inf), np.nan)
