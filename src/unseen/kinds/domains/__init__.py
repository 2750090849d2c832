"""Domains: photos of several collections, one left out; is the category known in it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.kinds.table import Kind, Row, later
from unseen.kinds.trial_numbers import accuracies, learning_order, unit_numbers
from unseen.studies.records import Record


def numbers(record: Record, options: Mapping[str, Any]) -> Iterator[Row]:
    from unseen.kinds.domains.numbers import by_domain

    yield from accuracies(record.facts, record.folder)
    yield from by_domain(record)
    yield from unit_numbers(record.facts, record.folder, options)
    yield from learning_order(record.facts)


KIND = Kind(
    "domains",
    "Is a category known in a domain that was never seen?",
    designs=("leave_one_out",),
    task="",
    numbers=numbers,
    summary=later("unseen.kinds.domains.contents:summary_of_domains"),
    findings=later("unseen.kinds.domains.contents:findings_of_domains"),
    contents=later("unseen.kinds.domains.contents:gather_domains"),
    page=later("unseen.kinds.domains.page:domains_page"),
    show=later("unseen.kinds.domains.terminal:show_domains"),
    plan=later("unseen.kinds.domains.plan:plan_domains"),
    check=later("unseen.kinds.domains.checks:check_only_category"),
    more=later("unseen.kinds.domains.more:more_of_domains"),
)
