"""The page of a study of regression."""

from __future__ import annotations

from unseen.kinds.in_domain.figures import figures
from unseen.kinds.in_domain.numbers import MEAN, R2
from unseen.kinds.in_domain.shown import InDomainContents
from unseen.reports import sections
from unseen.reports.blocks import Page


def in_domain_page(contents: InDomainContents) -> Page:
    made = figures(contents)
    training = made.pop("losses")
    return sections.page_of(
        contents,
        sections.figure(made.pop("r2")),
        [
            sections.splits(contents),
            *map(sections.figure, made.values()),
            sections.published(contents, R2, MEAN),
            sections.figure(training),
        ],
    )
