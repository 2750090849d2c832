"""The page of a study of combinations."""

from __future__ import annotations

from unseen.kinds.combinations.figures import figures
from unseen.kinds.combinations.shown import CombinationContents
from unseen.reports import sections
from unseen.reports.blocks import Page


def combinations_page(contents: CombinationContents) -> Page:
    made = figures(contents)
    training = made.pop("losses")
    return sections.page_of(
        contents,
        sections.figure(made.pop("accuracy")),
        [
            sections.splits(contents),
            *sections.accuracies(contents),
            *sections.answers(contents),
            *map(sections.figure, made.values()),
            sections.units(contents.units),
            sections.published(contents),
            sections.figure(training),
        ],
    )
