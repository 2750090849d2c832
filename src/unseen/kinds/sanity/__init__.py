"""Sanity: do maps depend on what a network learned? Layers drawn anew, and random labels (Adebayo et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import classifier_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.sanity.numbers import similarity_numbers

    yield from classifier_numbers(record, options)
    yield from similarity_numbers(record)


KIND = kind_in(
    __name__,
    "Do maps depend on what a network learned?",
    designs=(),
    numbers=numbers,
    check="checks:check",
)
