"""Where the evidence of a network's maps lies, by method, by seen or unseen, by right or wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unseen.kinds.table import Row
from unseen.studies.explained.stored_maps import EXPLANATIONS, columns_of
from unseen.studies.records import Record

MEASURES = (
    "energy on object", "energy over area", "pointing game", "rank of object", "rank of background", "rank of floor",
)  # fmt: skip
AREA = "area of object"
SEEN, UNSEEN = "seen", "unseen"
SIDES = (SEEN, UNSEEN)
ANSWERS = ("all", "right", "wrong")
FEWEST = 3  # images that a mean is taken over


def truth_numbers(record: Record) -> Iterator[Row]:
    """Means over images; where fewer than three of a sort were met there is none."""
    table = columns_of(record.folder, EXPLANATIONS)
    if not table:
        return
    for method in dict.fromkeys(table["method"].tolist()):
        for side in SIDES:
            for answer in ANSWERS:
                here = (table["method"] == method) & (table["unseen"] == (side == UNSEEN))
                if answer != "all":
                    here &= table["right"] == (answer == "right")
                for measure in (*MEASURES, AREA):
                    values = table[measure][here].astype(np.float64)
                    kept = values[np.isfinite(values)]
                    if len(kept) < FEWEST:
                        continue
                    name = side if answer == "all" else f"{side}, {answer}"
                    yield {
                        "measure": measure,
                        "set": name,
                        "target": method,
                        "value": float(kept.mean()),
                        "n": len(kept),
                    }
