"""What the whole table of a study of combinations holds besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unseen.kinds.distances import held_out_cells
from unseen.studies.records import Record
from unseen.studies.study import Study

CELL = "accuracy of a held-out cell"
Row = dict[str, Any]


def extra_rows(study: Study, trials: Sequence[Record]) -> Iterator[Row]:
    """Held-out cells (control D.1)."""
    for cell in held_out_cells(study):
        head = {"measure": CELL, "set": "unseen", "value": cell["accuracy"]}
        yield {**head, **{key: cell[key] for key in ("trial", "target", "row", "column", "distance", "n")}}
