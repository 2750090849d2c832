"""Cues: shape and texture agree in training, less and less; which of the two decides where they conflict? (Geirhos et
al. 2019)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import classifier_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.cues.numbers import bias_numbers

    yield from classifier_numbers(record, options)
    yield from bias_numbers(record)


KIND = kind_in(
    __name__,
    "Two cues part in training: by which does a network decide where they conflict?",
    designs=("decorrelate",),
    numbers=numbers,
    check="checks:check",
)
