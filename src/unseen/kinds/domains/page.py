"""The page of a study that leaves one domain out."""

from __future__ import annotations

from unseen.kinds.domains.figures import figures
from unseen.kinds.domains.shown import DomainContents
from unseen.kinds.domains.tables import domain_sections
from unseen.reports import sections
from unseen.reports.blocks import Page


def domains_page(contents: DomainContents) -> Page:
    made = figures(contents)
    training = made.pop("losses")
    return sections.page_of(
        contents,
        sections.figure(made.pop("domains")),
        [
            *domain_sections(contents.domains),
            sections.splits(contents),
            *map(sections.figure, made.values()),
            *sections.answers(contents),
            sections.published(contents),
            sections.figure(training),
        ],
    )
