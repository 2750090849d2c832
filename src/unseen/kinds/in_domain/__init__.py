"""In-domain generalisation: are factors read off an image where they, or their combination, were never seen?
(Schott et al. 2022)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import EVERY, Kind, Row, later
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.in_domain.numbers import regressed

    del options  # of units, of which none are scored
    yield from regressed(record)


KIND = Kind(
    "in_domain",
    "Are factors read off an image where they, or their combination, were never seen?",
    designs=(EVERY,),
    task="regression",
    numbers=numbers,
    summary=later("unseen.kinds.in_domain.contents:summary_of_regression"),
    findings=later("unseen.kinds.in_domain.contents:findings_of_regression"),
    contents=later("unseen.kinds.in_domain.contents:gather_regression"),
    page=later("unseen.kinds.in_domain.page:in_domain_page"),
    show=later("unseen.kinds.in_domain.terminal:show_r2"),
    plan=later("unseen.kinds.in_domain.plan:plan_in_domain"),
)
