"""How alike maps of a network are to those of the same network drawn anew, by method."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unseen.kinds.table import Row
from unseen.studies.explained.stored_maps import MEASURES, similarities
from unseen.studies.records import Record

NAMES: dict[str, str] = dict(
    zip(MEASURES, ("rank correlation with sign", "rank correlation without sign", "SSIM", "HOG"))
)
CASCADE, LAST, INDEPENDENT, RANDOM = "cascade", "all layers drawn anew", "single layers", "random labels"


def similarity_numbers(record: Record) -> Iterator[Row]:
    """For each method and measure: the mean over images of the upper half of a cascade, of its last step, and over
    layers that are drawn anew alone."""
    for one in similarities(record.folder):
        for measure, alike in one.alike.items():
            half = alike[: (len(alike) + 1) // 2]
            parts = {CASCADE: half, LAST: alike[-1:]} if one.order == "cascading" else {INDEPENDENT: alike}
            for name, values in parts.items():
                kept = values[np.isfinite(values)]
                mean = float(kept.mean()) if len(kept) else float("nan")
                yield {"measure": NAMES[measure], "set": name, "target": one.method, "value": mean, "n": alike.shape[1]}
