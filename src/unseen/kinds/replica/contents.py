"""A study of replicas, gathered for its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unseen.designs.replicate import ORIGINAL
from unseen.kinds.answered import gather_answers
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.pictures import splits
from unseen.kinds.recipe_words import words_of
from unseen.kinds.replica.findings import drops, findings, slopes
from unseen.kinds.replica.read import Replicas, read
from unseen.kinds.retest.models import Retest, Retested, retested
from unseen.measures import Interval, mean_interval
from unseen.measures.statistics import NAN
from unseen.reports.contents import Contents
from unseen.reports.finding import Finding
from unseen.reports.words import interval, number
from unseen.studies.study import Study

EVERY = "all models"


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplicaContents(Contents):
    """``x`` and series are models, a set is a collection. ``lines``: of each collection the models and the line through
    them, each model by its mean over repeats."""

    found: Replicas
    lines: dict[str, Retest]


def summary_of(study: Study) -> pl.DataFrame:
    return summary(read(study))


def summary(found: Replicas) -> pl.DataFrame:
    """Accuracy of each model on each collection; drop and slopes over all models."""
    category = found.shift.category
    head = {"x": EVERY, "target": category, "layer": "", "unit_type": "", "chance": None}
    rows: list[dict[str, Any]] = []
    for name, values in found.accuracy.items():
        for place, model in enumerate(found.models):
            level = mean_interval(values[:, place]).cut(0, 1)
            if level.n:
                own = {"x": model, "series": model, "set": name, "measure": "accuracy", "chance": found.chance}
                rows.append({**head, **own, **_ends(level)})
    for name in found.collections:
        for measure, values in (
            ("drop", drops(found, name)), ("slope", slopes(found, name)),
            ("probit slope", slopes(found, name, "probit")),
        ):  # fmt: skip
            level = mean_interval(values)
            if level.n:
                rows.append({**head, "series": EVERY, "set": name, "measure": measure, **_ends(level)})
    return pl.DataFrame(rows, infer_schema_length=None)


def _ends(level: Interval) -> dict[str, Any]:
    return {"value": level.value, "low": level.low, "high": level.high, "n": level.n}


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings(read(study))


def lines_of(found: Replicas) -> dict[str, Retest]:
    """Each model by its mean over the repeats that have both numbers; without a mark of counted images, since what
    repeats spread by is more than that."""
    made = {}
    for name in found.collections:
        models = []
        for place, model in enumerate(found.models):
            x, y = found.accuracy[ORIGINAL][:, place], found.accuracy[name][:, place]
            kept = np.isfinite(x) & np.isfinite(y)
            if kept.any():
                one, other = (Interval(float(v[kept].mean()), NAN, NAN, 0, "mean over repeats") for v in (x, y))
                models.append(Retested(model, one, other))
        if models:
            made[name] = retested(models, ORIGINAL, name, [])
    return made


def contents_of(study: Study) -> ReplicaContents:
    found = read(study)
    return ReplicaContents(
        **words_of(study.recipe),
        answer=answer(found),
        x_title="",
        series_title="model",
        summary=summary(found),
        curves=curves(found.trials, found.names, lambda record: found.names[record.identity]),
        flags=flags(study, found.trials, found.names, lambda record: found.names[record.identity]),
        splits=splits(study),
        findings=findings(found),
        facts=facts_tables(study, found.trials),
        answered=gather_answers(study),
        found=found,
        lines=lines_of(found),
    )


def answer(found: Replicas) -> str:
    told = []
    for name in found.collections:
        one = mean_interval(drops(found, name))
        if one.n:
            told.append(f"{lost(one)} on '{name}'")
    if not told:
        return "No repeat has all its models yet, so that no drop can be told."
    n = len(drops(found, found.collections[0]))
    original = number(float(np.nanmean(found.accuracy[ORIGINAL])))
    return (
        f"{len(found.models)} models know {original} of the original test set; they {', '.join(told)} (means over "
        f"models; intervals over n = {n} {found.over})."
    )


def lost(drop: Interval) -> str:
    """A drop in words, in points of accuracy; one below zero is a gain.

    >>> lost(Interval(0.145, 0.125, 0.164, 4)), lost(Interval(-0.142, -0.17, -0.113, 4))
    ('lose 14.5 points [12.5, 16.4]', 'gain 14.2 points [11.3, 17.0]')
    """
    verb, (low, high) = ("lose", (drop.low, drop.high)) if drop.value >= 0 else ("gain", (-drop.high, -drop.low))
    spread = f" [{points(low)}, {points(high)}]" if np.isfinite(low) else ""
    return f"{verb} {points(abs(drop.value))} points{spread}"


def points(share: float) -> str:
    return f"{100 * share:.1f}".replace("-", "−")


def shown(one: Interval) -> str:
    return f"{number(one.value)} {interval(one.low, one.high, one.n)}" if np.isfinite(one.low) else number(one.value)
