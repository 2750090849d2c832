"""The page of a study of conditions."""

from __future__ import annotations

from unseen.kinds.conditions.figures import figures
from unseen.kinds.conditions.shown import ConditionContents
from unseen.reports import sections
from unseen.reports.blocks import Page

EVERY = "One condition of each kind"


def conditions_page(contents: ConditionContents) -> Page:
    made = figures(contents)
    training = made.pop("losses")
    return sections.page_of(
        contents,
        sections.figure(made.pop("matrix")),
        [
            sections.splits(contents, EVERY),
            *map(sections.figure, made.values()),
            *sections.answers(contents),
            sections.published(contents),
            sections.figure(training),
        ],
    )
