"""Exposure: a transformation is seen for some categories; are the others known transformed? (Zaidi et al. 2020)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Kind, Row, later
from unseen.kinds.trial_numbers import accuracies
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.exposure.numbers import exposed

    del options  # of units by cell, which are not recorded here
    yield from exposed(record, accuracies(record.facts, record.folder))


KIND = Kind(
    "exposure",
    "A transformation is seen for some categories: are the others known transformed?",
    designs=("expose",),
    numbers=numbers,
    summary=later("unseen.kinds.exposure.contents:summary_of_exposure"),
    findings=later("unseen.kinds.exposure.contents:findings_of_exposure"),
    contents=later("unseen.kinds.exposure.contents:gather_exposure"),
    page=later("unseen.kinds.exposure.page:exposure_page"),
    show=later("unseen.kinds.exposure.terminal:show_exposures"),
    show_end=later("unseen.kinds.exposure.terminal:show_grid"),
    plan=later("unseen.kinds.exposure.plan:plan_exposure"),
    check=later("unseen.kinds.exposure.checks:check_category"),
    more=later("unseen.kinds.exposure.more:more_of_exposure"),
    detail=later("unseen.kinds.exposure.more:odd_threshold"),
)
