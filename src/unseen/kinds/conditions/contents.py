"""The results of a study of conditions, gathered for its report: accuracy by what was trained on and what was asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.conditions.asked import TEST, AskedMatrix, read
from unseen.kinds.conditions.findings import matrix_answer, matrix_findings
from unseen.kinds.conditions.shown import ConditionContents, Matrix
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected
from unseen.kinds.pictures import splits
from unseen.kinds.published import published_beside
from unseen.kinds.published_observers import OBSERVERS, Observed, observed
from unseen.kinds.recipe_words import words_of
from unseen.measures import mean_matrix
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Conditions


def models_of(found: AskedMatrix) -> list[str]:
    return list(dict.fromkeys(row.model for row in found.rows))


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    _, _, whole, target = read(study)
    return summary([pictured(whole.of(model), model, "", None) for model in models_of(whole)], whole.names, target)


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone, of all models."""

    whole = read(study)[2]
    return _found(whole, published_beside(study.recipe.published, whole.names)[0])


def _found(whole: AskedMatrix, numbers: pl.DataFrame | None) -> tuple[Finding, ...]:

    return corrected([one for model in models_of(whole) for one in matrix_findings(whole.of(model), model, numbers)])


def contents_of(study: Study) -> ConditionContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""

    trials, found, whole, target = read(study)
    numbers, source = published_beside(study.recipe.published, whole.names)
    models, factor = models_of(whole), Conditions.of(trials[0].split_facts).factor
    pictures = tuple(pictured(whole.of(model), model, factor, numbers) for model in models)
    groups = {identity: condition.group for identity, condition in found.items()}
    names = {identity: condition.name for identity, condition in found.items()}

    def group(record: Record) -> str:
        return groups[record.identity]

    return ConditionContents(
        **words_of(study.recipe),
        answer=" ".join(matrix_answer(whole.of(model), model) for model in models[:2]),
        x_title="trained on",
        series_title="condition",
        summary=summary(pictures, whole.names, target),
        curves=curves(trials, groups, group),
        flags=flags(study, trials, names, group),
        splits=splits(study),
        findings=_found(whole, numbers),
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        matrices=pictures,
        observed=_people_at(study.recipe.published, whole.names),
        answered=gather_answers(study),
    )


def _people_at(published: str, names: Sequence[str]) -> dict[int, Observed]:
    """What observers reached at each column, with their range, where a recipe sets them beside it."""
    if published != OBSERVERS:
        return {}
    known = observed()
    return {place: known[name] for place, name in enumerate(names) if name in known}


def pictured(found: AskedMatrix, model: str, factor: str, numbers: pl.DataFrame | None) -> Matrix:
    """Means over repeats with their intervals, cut at 0 and 1, and what is published of the same conditions."""
    m = mean_matrix(found.accuracy)
    low, high = (np.clip(side, 0, 1) for side in (m.low, m.high))
    known = {(row["series"], row["set"]): row["value"] for row in (numbers.to_dicts() if numbers is not None else [])}
    table = np.array([[known.get((row.name, f"{TEST}{name}"), math.nan) for name in found.names] for row in found.rows])
    groups = {row["x"]: row["series"] for row in (numbers.to_dicts() if numbers is not None else [])}
    people = next((name for group, name in groups.items() if group == name), "")  # a group of its own
    human = np.array([known.get((people, f"{TEST}{name}"), math.nan) for name in found.names])
    return Matrix(
        model, factor, tuple((row.name, row.group) for row in found.rows), found.columns, found.trained,
        m.accuracy, low, high, m.n, found.chance,
        published=table if np.isfinite(table).any() else None,
        observers=human if np.isfinite(human).any() else None,
        observers_name=people,
    )  # fmt: skip


def summary(pictures: Sequence[Matrix], names: Sequence[str], target: str) -> pl.DataFrame:
    """The cells of all matrices as rows of the report's table of numbers."""
    rows = []
    for picture in pictures:
        for row, column in zip(*np.nonzero(picture.n)):
            name, group = picture.rows[row]
            rows.append(
                {
                    "x": group,
                    "series": f"{picture.model} {name}".strip(),
                    "set": f"{TEST}{names[column]}",
                    "target": target,
                    "layer": "",
                    "unit_type": "",
                    "measure": "accuracy",
                    "value": float(picture.mean[row, column]),
                    "low": float(picture.low[row, column]),
                    "high": float(picture.high[row, column]),
                    "n": int(picture.n[row, column]),
                    "chance": picture.chance,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)
