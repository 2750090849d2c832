"""Weaknesses: where does a model fail, and which change costs it most? Of models as they are, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.weaknesses.numbers import numbers_of

    return numbers_of(record)


KIND = kind_in(
    __name__,
    "Where does a model fail, and which change costs it most?",
    designs=("vary_each",),
    numbers=numbers,
    subject_rows="contents:subject_rows",
)
