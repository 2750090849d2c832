"""Looking: does what a network rests its answer on lie on the object, where it saw the combination and where not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import classifier_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.looking.numbers import truth_numbers

    yield from classifier_numbers(record, options)
    yield from truth_numbers(record)


KIND = kind_in(
    __name__,
    "Do networks look at the object, on what they saw and on what they did not?",
    designs=(),
    numbers=numbers,
    check="checks:check",
)
