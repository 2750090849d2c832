"""The page of a study that leaves one domain out."""

from __future__ import annotations

from unseen.kinds.domains.figures import figures
from unseen.kinds.domains.shown import DomainContents
from unseen.kinds.domains.tables import domain_sections
from unseen.reports import sections
from unseen.reports.blocks import Page


def page(contents: DomainContents) -> Page:
    first, others, training = sections.figures(figures(contents), "domains")
    shown = [*domain_sections(contents.domains), sections.splits(contents), *others, *sections.answers(contents)]
    return sections.page_of(contents, first, [*shown, sections.published(contents), training])
