"""The page of a study whose networks see a transformation for some categories only."""

from __future__ import annotations

from unseen.kinds.exposure.figures import figures
from unseen.kinds.exposure.shown import ExposureContents
from unseen.kinds.exposure.tables import layer_thresholds, trends
from unseen.reports import sections
from unseen.reports.blocks import Html, Page, Section

EVERY = "One condition of each kind"


def exposure_page(contents: ExposureContents) -> Page:
    made = figures(contents)
    training = made.pop("losses")
    return sections.page_of(
        contents,
        sections.figure(made.pop("families")),
        [
            *_tables(contents),
            sections.splits(contents, EVERY),
            *sections.answers(contents),
            sections.figure(made.pop("accuracy")),
            *sections.accuracies(contents),
            *map(sections.figure, made.values()),
            sections.published(contents),
            sections.figure(training),
        ],
    )


def _tables(contents: ExposureContents) -> list[Section]:
    """By transformation, and by layer where the threshold of activity was searched for."""
    about = contents.exposure
    found = [Section("trends", "By transformation", (Html(trends(contents)),))] if about.trends else []
    if about.by_layer:
        found.append(Section("activity", "By layer", (Html(layer_thresholds(about)),)))
    return found
