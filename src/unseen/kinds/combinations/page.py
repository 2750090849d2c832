"""The page of a study of combinations."""

from __future__ import annotations

from unseen.kinds.combinations.figures import figures
from unseen.kinds.combinations.shown import CombinationContents
from unseen.reports import sections
from unseen.reports.blocks import Page


def page(contents: CombinationContents) -> Page:
    first, others, training = sections.figures(figures(contents), "accuracy")
    numbers = [*sections.accuracies(contents), *sections.answers(contents), *others]
    units, published = sections.units(contents.units), sections.published(contents)
    return sections.page_of(contents, first, [sections.splits(contents), *numbers, units, published, training])
