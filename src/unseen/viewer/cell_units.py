"""Which units fire where an image stands: activity is kept per cell of a design's two factors, so an image has that of
its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.trial_numbers import read_activity
from unseen.viewer.shelf import Reading

if TYPE_CHECKING:
    from unseen.studies.trials import Trial

MOST = 6


def units_at(now: Reading, point: Trial, identity: str, row: int) -> dict[str, Any] | None:
    """The units of the deepest layer whose activity was kept that come nearest to their own most in this image's cell,
    each from its least (0) to its most (1) over all cells; None where nothing was kept."""
    facts = now.facts.get(identity)
    if facts is None:
        return None
    grids = read_activity(now.stored.store.trials / identity)
    layer = next((name for name in reversed(list(facts["tasks"])) if name in grids), None)
    if layer is None:
        return None
    samples, split, activity = now.study.world(point).samples, now.study.split(point), grids[layer]
    factors = split.factors[:2]
    if activity.shape[1:] != samples.space.select(factors).shape:
        return None
    cell = samples.cells(np.array([row], dtype=np.int64), factors)[0]
    flat = activity.reshape(len(activity), -1).astype(np.float64)
    known = np.isfinite(flat).all(axis=1) & (np.ptp(flat, axis=1) > 0)
    low, high = (bound(flat[known], axis=1) for bound in (np.min, np.max))
    share = (activity[known, cell[0], cell[1]] - low) / (high - low)
    best = np.argsort(-share, kind="stable")[:MOST]
    names = np.flatnonzero(known)[best].tolist()
    return {
        "layer": layer,
        "n": len(activity),
        "rows": [{"unit": unit, "share": float(share[at])} for unit, at in zip(names, best.tolist())],
    }
