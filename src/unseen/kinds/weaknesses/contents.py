"""Everything that a page of weaknesses shows, gathered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from unseen.kinds.collect import finished_trials
from unseen.kinds.failures.subject_rules import rules_of
from unseen.kinds.how_made import facts_tables
from unseen.kinds.weaknesses.answer import answer
from unseen.kinds.weaknesses.closing import closings
from unseen.kinds.weaknesses.examined import ExaminedModel, of_subject
from unseen.kinds.weaknesses.feeding import feedings
from unseen.kinds.weaknesses.findings import findings_of_all
from unseen.kinds.weaknesses.models_examined import some_models_examined
from unseen.kinds.weaknesses.numbers import rows_of, summary_rows
from unseen.kinds.weaknesses.pictured import Pictured
from unseen.kinds.weaknesses.references import question_digest, references
from unseen.kinds.weaknesses.shown import WeaknessContents
from unseen.measures import chance
from unseen.reports.finding import Finding
from unseen.studies.recipe_files import recipe_toml
from unseen.studies.study import Study
from unseen.studies.subjects import subjects_of

SUMMARY: dict[str, Any] = dict.fromkeys(("x", "series", "set", "target", "layer", "unit_type", "measure"), pl.String)
SUMMARY |= {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "chance": pl.Float64}
SUMMARY |= {"asked": pl.Float64, "over": pl.String}
FLAGS = dict.fromkeys(("trial", "series", "x", "flag", "detail"), pl.String) | {"seed": pl.Int64}


def subject_rows(study: Study) -> list[dict[str, Any]]:
    """Rows of the tidy table about subjects from elsewhere."""
    rows = []
    for record in subjects_of(study)[0]:
        one = of_subject(study, record)
        head = {"trial": record.identity, "subject": one.name, "backbone": one.name}
        empty = {"set": "", "target": "", "layer": "", "unit_type": "", "n": None}
        for row in rows_of(one):
            known = None if row["value"] != row["value"] else row["value"]
            rows.append({**head, **empty, **row, "value": known})
    return rows


def summary_of(study: Study) -> pl.DataFrame:
    """Accuracy of every set and what it costs, with intervals over objects."""
    return summary_frame(some_models_examined(study)[0])


def summary_frame(every: Sequence[ExaminedModel]) -> pl.DataFrame:
    rows = []
    for one in every:
        for measure, name, i, images, over in summary_rows(one):
            guess = chance(len(one.classes)) if measure == "accuracy" else None
            rows.append(
                {
                    "x": None, "series": one.name, "set": name, "target": one.target, "layer": "", "unit_type": "",
                    "measure": measure, "value": i.value, "low": i.low, "high": i.high, "n": i.n, "chance": guess,
                    "asked": float(images), "over": over,
                }
            )  # fmt: skip
    return pl.DataFrame(rows, schema=SUMMARY)


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings_of_all(some_models_examined(study)[0])


def contents_of(study: Study) -> WeaknessContents:
    """All of it; pictures are drawn by the world, if it is at hand."""
    every, left = some_models_examined(study)
    found, fed = findings_of_all(every), feedings(study.path)
    fed = tuple(one for one in fed if one.model in {model.name for model in every})
    shown = Pictured(study, every)
    beside = references(question_digest(study), leave_out=frozenset(one.name for one in every))
    return WeaknessContents(
        title=study.recipe.title,
        question=study.recipe.question,
        answer=answer(every, found, fed),
        shows=study.recipe.shows,
        x_title="what is changed",
        series_title="model",
        summary=summary_frame(every),
        curves=pl.DataFrame(),
        flags=pl.DataFrame([], schema=FLAGS),
        splits=(),
        findings=found,
        recipe=recipe_toml(study.recipe),
        facts=facts_tables(study, finished_trials(study)),
        citation=study.recipe.citation,
        every=every,
        failures={one.name: shown.failures(one) for one in every},
        hard={one.name: shown.hard(one) for one in every},
        strips=shown.strips(),
        circles=shown.circles(),
        numbers_at=shown.numbers_at(),
        references=beside,
        fed=fed,
        closing=closings(study.path),
        pictureless=shown.pictureless,
        left=left,
        rules=rules_of(study),
    )
