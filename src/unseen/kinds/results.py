"""A study's results, whatever its kind: the summary, the findings, the page; and beside its networks the subjects whose
answers were made elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unseen.kinds.collect import collect
from unseen.kinds.planned import PlannedVerdicts
from unseen.kinds.table import Kind, kind_named, kind_of
from unseen.studies.commands import made

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from unseen.reports.blocks import Page
    from unseen.reports.contents import Contents
    from unseen.reports.finding import Finding
    from unseen.studies.study import Study

SUBJECTS = "subjects"
OVER = "over"  # the column of a summary that says over what an interval is; of networks it is over repeats, and empty


def planned(study: Study) -> PlannedVerdicts:
    """What a study will be judged by."""
    return kind_of(study.recipe).plan(study)


def answering(study: Study) -> Kind:
    """The kind by which a study is told: its own; that of subjects as long as it has answers from elsewhere alone."""
    kind = kind_of(study.recipe)
    alone = (
        not tells_of_subjects(kind) and study.store.subjects() and not any(study.find(trial) for trial in study.trials)
    )
    return kind_named(SUBJECTS) if alone else kind


def tells_of_subjects(kind: Kind) -> bool:
    """Whether a kind tells of subjects from elsewhere itself."""
    return kind.name == SUBJECTS or kind.subject_rows is not None


def tidy_of(study: Study) -> pl.DataFrame:
    """The tidy table: a row per finished trial and number, then one per subject from elsewhere and number."""
    import polars as pl

    if not study.store.subjects():
        return collect(study)
    from unseen.kinds.subjects.contents import subject_tidy

    kind = kind_of(study.recipe)
    told = (
        subject_tidy(study)
        if kind.subject_rows is None
        else pl.DataFrame(list(kind.subject_rows(study)), infer_schema_length=None)
    )
    if any(study.find(trial) for trial in study.trials):
        told = pl.concat([collect(study), told], how="diagonal_relaxed")
    return told


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats; of subjects from elsewhere over people or images, as ``over`` says."""
    import polars as pl

    kind = answering(study)
    own = kind.summary(study)
    if tells_of_subjects(kind) or not study.store.subjects():
        return own
    others = kind_named(SUBJECTS).summary(study)
    return pl.concat([own, others.drop("x")], how="diagonal_relaxed")


def findings_of(study: Study) -> tuple[Finding, ...]:
    """All findings, corrected for their number: as the report has them, without its figures and pictures."""
    return tuple(answering(study).findings(study))


def gather(study: Study) -> Contents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    unrun, kind = (len(study.missing()), len(study.trials)), answering(study)
    found = replace(kind.contents(study), absent=study.absent, unrun=unrun, made=made(study))
    if study.recipe.explanations.methods:
        from unseen.kinds.recorded_maps import map_sections

        found = replace(found, added_sections=(*found.added_sections, *map_sections(study)))
    if tells_of_subjects(kind) or not study.store.subjects():
        return found
    from unseen.kinds.subjects.contents import beside
    from unseen.kinds.subjects.page import parts

    also = beside(study)
    return found if also is None else replace(found, added_sections=(*found.added_sections, *parts(also)))


def page_of(study: Study, contents: Contents | None = None) -> Page:
    """The report as a page, ready to be written."""
    return answering(study).page(gather(study) if contents is None else contents)


def show_summary(study: Study, console: Console, frame: pl.DataFrame) -> None:
    """The summary on a terminal."""
    kind = answering(study)
    if tells_of_subjects(kind) or OVER not in frame.columns:
        return kind.show(console, frame, study)
    kind.show(console, frame.filter(frame[OVER].is_null()).drop(OVER), study)
    console.print()
    return kind_named(SUBJECTS).show(console, frame.filter(frame[OVER].is_not_null()), study)


def show_end(study: Study, console: Console, contents: Contents) -> None:
    """What a run ends with, after its answer."""
    answering(study).show_end(console, contents)
