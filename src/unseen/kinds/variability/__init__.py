"""Variability: objects never shown, off their canonical view; what of it must training show? (Ibrahim et al. 2022)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import classifier_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.variability.numbers import gap_numbers

    yield from classifier_numbers(record, options)
    yield from gap_numbers(record)


KIND = kind_in(
    __name__,
    "Which natural changes break a network, and how much of them must training show?",
    designs=("vary_some",),
    numbers=numbers,
    check="checks:check",
)
