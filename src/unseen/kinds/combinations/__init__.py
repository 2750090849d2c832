"""Combinations: is a category known at a viewpoint where it was never seen? (Madan et al. 2022)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import EVERY, Kind, Row, later
from unseen.kinds.trial_numbers import accuracies, learning_order, unit_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    yield from accuracies(record.facts, record.folder)
    yield from unit_numbers(record.facts, record.folder, options)
    yield from learning_order(record.facts)


KIND = Kind(
    "combinations",
    "Is a category known where it was never seen?",
    designs=(EVERY,),
    numbers=numbers,
    summary=later("unseen.kinds.combinations.contents:summary_of_combinations"),
    findings=later("unseen.kinds.combinations.contents:findings_of_combinations"),
    contents=later("unseen.kinds.combinations.contents:gather_combinations"),
    page=later("unseen.kinds.combinations.page:combinations_page"),
    show=later("unseen.kinds.combinations.terminal:show_accuracies"),
    plan=later("unseen.kinds.combinations.plan:plan_combinations"),
    more=later("unseen.kinds.combinations.more:more_of_combinations"),
)
