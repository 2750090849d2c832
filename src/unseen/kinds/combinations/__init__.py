"""Combinations: is a category known at a viewpoint where it was never seen? (Madan et al. 2022)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import EVERY, Row, kind_in
from unseen.kinds.trial_numbers import accuracies, learning_order, unit_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    yield from accuracies(record.facts, record.folder)
    yield from unit_numbers(record.facts, record.folder, options)
    yield from learning_order(record.facts)


KIND = kind_in(
    __name__,
    "Is a category known where it was never seen?",
    designs=(EVERY,),
    numbers=numbers,
    more="more:more_rows",
)
