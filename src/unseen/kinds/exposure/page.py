"""The page of a study whose networks see a transformation for some categories only."""

from __future__ import annotations

from unseen.kinds.exposure.figures import figures
from unseen.kinds.exposure.shown import ExposureContents
from unseen.kinds.exposure.tables import layer_thresholds, trends
from unseen.reports import sections
from unseen.reports.blocks import Html, Page, Section


def page(contents: ExposureContents) -> Page:
    first, (accuracy, *others), training = sections.figures(figures(contents), "families")
    shown = [*_tables(contents), sections.splits(contents, sections.ONE_OF_EACH), *sections.answers(contents)]
    numbers = [accuracy, *sections.accuracies(contents), *others]
    return sections.page_of(contents, first, [*shown, *numbers, sections.published(contents), training])


def _tables(contents: ExposureContents) -> list[Section]:
    """By transformation, and by layer where the threshold of activity was searched for."""
    about = contents.exposure
    found = [Section("trends", "By transformation", (Html(trends(contents)),))] if about.trends else []
    if about.by_layer:
        found.append(Section("activity", "By layer", (Html(layer_thresholds(about)),)))
    return found
