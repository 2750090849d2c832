"""Domains: photos of several collections, one left out; is the category known in it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Row, kind_in
from unseen.kinds.trial_numbers import classifier_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.domains.numbers import by_domain

    yield from classifier_numbers(record, options)
    yield from by_domain(record)


KIND = kind_in(
    __name__,
    "Is a category known in a domain that was never seen?",
    designs=("leave_one_out",),
    task="",
    numbers=numbers,
    check="checks:check",
    extra_rows="extra_rows:extra_rows",
)
