"""In-domain generalisation: are factors read off an image where they, or their combination, were never seen?
(Schott et al. 2022)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import EVERY, Row, kind_in
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.in_domain.numbers import regressed

    del options  # of units, of which none are scored
    yield from regressed(record)


KIND = kind_in(
    __name__,
    "Are factors read off an image where they, or their combination, were never seen?",
    designs=(EVERY,),
    task="regression",
    numbers=numbers,
)
