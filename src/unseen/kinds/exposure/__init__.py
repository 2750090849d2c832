"""Exposure: a transformation is seen for some categories; are the others known transformed? (Zaidi et al. 2020)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import accuracies
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.exposure.numbers import exposed

    del options  # of units by cell, which are not recorded here
    yield from exposed(record, accuracies(record.facts, record.folder))


KIND = kind_in(
    __name__,
    "A transformation is seen for some categories: are the others known transformed?",
    designs=("expose",),
    numbers=numbers,
    show_end="terminal:show_grid",
    check="checks:check",
    extra_rows="extra_rows:extra_rows",
    detail="extra_rows:odd_threshold",
)
