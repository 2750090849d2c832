"""A study of two cues, gathered for its report."""

from __future__ import annotations

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.cues.findings import findings
from unseen.kinds.cues.numbers import BIAS, FOLLOWED, OF_CATEGORY
from unseen.kinds.cues.read import ONE_MODEL, Cues, StudyOfCues, read, share_of
from unseen.kinds.cues.shown import CuesContents
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.pictures import splits
from unseen.kinds.recipe_words import words_of
from unseen.kinds.summaries import layer_order, summarise
from unseen.measures import mean_interval
from unseen.reports.finding import Finding
from unseen.reports.words import interval, number
from unseen.studies.records import Record
from unseen.studies.study import Study


def summary_of(study: Study) -> pl.DataFrame:
    return summary(read(study))


def summary(found: StudyOfCues) -> pl.DataFrame:
    """Means with intervals over repeats; shape bias by category has a table of its own."""
    whole = found.tidy.filter(~pl.col("measure").is_in([OF_CATEGORY]))
    return summarise(whole, found.trials, (BIAS, FOLLOWED))


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings(read(study))


def contents_of(study: Study) -> CuesContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    found = read(study)
    return CuesContents(
        **words_of(study.recipe),
        answer=" ".join(answer(found, model) for model in found.models[:3]),
        x_title=f"images whose {found.cue} tells nothing, %",
        series_title="network",
        summary=summary(found),
        curves=curves(found.trials, found.names, _per_cent),
        flags=flags(study, found.trials, found.names, _per_cent),
        splits=splits(study),
        findings=findings(found),
        facts=facts_tables(study, found.trials),
        layers=layer_order(found.trials),
        answered=gather_answers(study),
        models=found.models,
        category=found.category,
        cue=found.cue,
        over=found.over,
    )


def _per_cent(record: Record) -> float:
    return round(100 * share_of(record), 4)


def answer(found: StudyOfCues, model: Cues) -> str:
    """Shape bias at the least and the most decorrelation, and how many images are known there."""
    head = "" if model.model == ONE_MODEL else f"{model.model}: "
    told = [f"{_shown(model.bias[:, k])} with {100 * share:g} %" for k, share in enumerate(model.shares)]
    ends = " and ".join(dict.fromkeys((told[0], told[-1])))
    n = int(np.isfinite(model.bias).any(axis=1).sum())
    return (
        f"{head}Where shape and {found.cue} conflict, shape bias is {ends} of the training images having lost their "
        f"own {found.cue} (n = {n} {found.over})."
    )


def _shown(values: np.ndarray) -> str:
    one = mean_interval(values).cut(0, 1)
    return f"{number(one.value)} {interval(one.low, one.high, one.n)}" if np.isfinite(one.low) else number(one.value)
