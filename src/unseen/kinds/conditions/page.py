"""The page of a study of conditions."""

from __future__ import annotations

from unseen.kinds.conditions.figures import figures
from unseen.kinds.conditions.shown import ConditionContents
from unseen.reports import sections
from unseen.reports.blocks import Page


def page(contents: ConditionContents) -> Page:
    first, others, training = sections.figures(figures(contents), "matrix")
    splits, published = sections.splits(contents, sections.ONE_OF_EACH), sections.published(contents)
    return sections.page_of(contents, first, [splits, *others, *sections.answers(contents), published, training])
