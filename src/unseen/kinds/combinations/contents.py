"""The results of a study of combinations, gathered for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.collect import finished_trials
from unseen.kinds.combinations.answer import headline
from unseen.kinds.combinations.axis import axis, labelled, place
from unseen.kinds.combinations.findings import Series, findings
from unseen.kinds.combinations.repeats import repeats_of
from unseen.kinds.combinations.shown import CombinationContents
from unseen.kinds.combinations.unit_pictures import top_units
from unseen.kinds.curves import curves, flags
from unseen.kinds.distances import cells_by_distance
from unseen.kinds.how_made import facts_tables
from unseen.kinds.pictures import splits, usable_cells
from unseen.kinds.published import published_numbers
from unseen.kinds.recipe_words import words_of
from unseen.kinds.summaries import layer_order, plain, summarise
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.studies.study import Study


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    trials = finished_trials(study)
    return summarise(labelled(study, trials)[0], trials)


def contents_of(study: Study) -> CombinationContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    column, x_title, _ = axis(study)
    trials = finished_trials(study)
    tidy, about = labelled(study, trials)
    names = {identity: series.name for identity, series in about.items()}
    summary = summarise(tidy, trials)
    scatter = scattered(tidy, trials)
    points = _points(tidy)
    lead = lead_target(trials)
    chances = dict(tidy.filter(pl.col("measure") == "chance").select("target", "value").iter_rows())
    total = _cells(study, trials)
    if column == "combinations" and total:
        x_title = f"{x_title} (of {total})"
    shown, where = splits(study), partial(place, column=column)
    numbers, source = published_numbers(study.recipe.published)
    found = _found(study, tidy, points, scatter, x_title, lead, about)
    return CombinationContents(
        **words_of(study.recipe),
        answer=headline(points, x_title, lead, chances, found),
        x_title=x_title,
        series_title="architecture",
        summary=summary,
        scatter=scatter,
        curves=curves(trials, names, where),
        flags=flags(study, trials, names, where),
        splits=shown,
        units=top_units(study, trials, names),
        findings=found,
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        layers=layer_order(trials),
        answered=gather_answers(study),
    )


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone."""
    trials = finished_trials(study)
    tidy, about = labelled(study, trials)
    title = axis(study)[1]
    return _found(study, tidy, _points(tidy), scattered(tidy, trials), title, lead_target(trials), about)


def _points(tidy: pl.DataFrame) -> pl.DataFrame:
    """Accuracies by trial."""
    columns = ("trial", "repeat", "seed", "series", "x", "set", "target", "value")
    return tidy.filter(tidy["measure"] == "accuracy").select(columns)


def _found(
    study: Study,
    tidy: pl.DataFrame,
    points: pl.DataFrame,
    scatter: pl.DataFrame,
    x_title: str,
    lead: str,
    about: Mapping[str, Series],
) -> tuple[Finding, ...]:
    repeats, cells = dict(tidy.select("trial", "repeat").iter_rows()), cells_by_distance(study)
    if not cells.is_empty():
        cells = cells.with_columns(pl.col("trial").replace_strict(repeats).alias("repeat"))
    unit, one_choice = repeats_of(study)
    series = {one.name: one for one in about.values()}
    return findings(points, scatter, cells, x_title, lead, unit=unit, one_choice=one_choice, series=series)


def lead_target(trials: Sequence[Record]) -> str:
    """The target that the question is about: the factor of the design's rows (the category), else the first."""
    facts = trials[0][0]
    return str(next((name for name in facts["factors"] if name in facts["targets"]), next(iter(facts["targets"]), "")))


def _cells(study: Study, trials: Sequence[Record]) -> int:
    """Cells of the grid that the first split may show or ask; 0 where it is not known."""
    if not study.absent:
        audits = study.audits
        return usable_cells(study, audits[0][0]) if audits else 0
    grid = trials[0].split_facts.grid
    return int(np.prod(grid)) if grid else 0


def scattered(tidy: pl.DataFrame, trials: Sequence[Record]) -> pl.DataFrame:
    """Per trial and task: specialization of its units in the deepest recorded layer, against its OOD accuracy."""
    schema = {"trial": pl.String, "seed": pl.Int64, "repeat": pl.Int64, "series": pl.String, "x": pl.Float64}
    schema |= {"target": pl.String, "layer": pl.String, "specialization": pl.Float64, "accuracy": pl.Float64}
    rows = []
    values = {
        (r["trial"], r["set"], r["target"], r["layer"], r["unit_type"], r["measure"]): r
        for r in tidy.iter_rows(named=True)
    }
    for facts, _ in trials:
        for target in facts["targets"]:
            layers = [layer for layer, tasks in facts["tasks"].items() if target in tasks]
            if not layers:
                continue
            found = values.get((facts["identity"], "", "", layers[-1], target, "median specialization"))
            right = values.get((facts["identity"], "unseen", target, "", "", "accuracy"))
            if found is None or right is None:
                continue
            head = {key: found[key] for key in ("trial", "seed", "repeat", "series", "x")}
            layer = plain(layers[-1], facts["tasks"][layers[-1]])[1]
            measured = {"specialization": found["value"], "accuracy": right["value"]}
            rows.append({**head, "target": target, "layer": layer, **measured})
    return pl.DataFrame(rows, schema=schema)
