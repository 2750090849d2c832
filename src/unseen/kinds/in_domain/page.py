"""The page of a study of regression."""

from __future__ import annotations

from unseen.kinds.in_domain.figures import figures
from unseen.kinds.in_domain.numbers import MEAN, R2
from unseen.kinds.in_domain.shown import InDomainContents
from unseen.reports import sections
from unseen.reports.blocks import Page


def page(contents: InDomainContents) -> Page:
    first, others, training = sections.figures(figures(contents), "r2")
    published = sections.published(contents, R2, MEAN)
    return sections.page_of(contents, first, [sections.splits(contents), *others, published, training])
