"""A study's results, whatever its kind: the summary, the findings, the page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unseen.kinds.planned import Planned
from unseen.kinds.table import kind_of
from unseen.studies.commands import made

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from unseen.reports.blocks import Page
    from unseen.reports.contents import Contents, Finding
    from unseen.studies.study import Study


def planned(study: Study) -> Planned:
    """What a study will be judged by."""
    return kind_of(study.recipe).plan(study)


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    return kind_of(study.recipe).summary(study)


def findings_of(study: Study) -> tuple[Finding, ...]:
    """All findings, corrected for their number: as the report has them, without its figures and pictures."""
    return tuple(kind_of(study.recipe).findings(study))


def gather(study: Study) -> Contents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    unrun = len(study.missing()), len(study.trials)
    return replace(kind_of(study.recipe).contents(study), absent=study.absent, unrun=unrun, made=made(study))


def page_of(study: Study, contents: Contents | None = None) -> Page:
    """The report as a page, ready to be written."""
    return kind_of(study.recipe).page(gather(study) if contents is None else contents)


def show_summary(study: Study, console: Console, frame: pl.DataFrame) -> None:
    """The summary on a terminal."""
    kind_of(study.recipe).show(console, frame, study)


def show_end(study: Study, console: Console, contents: Contents) -> None:
    """What a run ends with, after its answer."""
    kind_of(study.recipe).show_end(console, contents)
