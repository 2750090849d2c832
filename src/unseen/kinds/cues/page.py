"""The page of a study of two cues."""

from __future__ import annotations

import numpy as np

from unseen.kinds.cues.figures import figures
from unseen.kinds.cues.read import Cues
from unseen.kinds.cues.shown import CuesContents
from unseen.measures import mean_interval
from unseen.reports import sections
from unseen.reports.blocks import Page, Section, Table, Text
from unseen.reports.words import interval, number

ABOUT = (
    "Shape bias: decisions for shape among those for either cue. Decided: share of the conflicting images with such a "
    "decision. In brackets 95 % t intervals over repeats, cut at 0 and 1."
)
BY_CATEGORY = "Shape bias by the category of the shape, means over repeats; a dash: no decision for either cue."


def page(contents: CuesContents) -> Page:
    first, others, training = sections.figures(figures(contents), "shape-bias")
    tables = [_numbers(contents), _categories(contents)]
    shown = [*tables, *others, sections.splits(contents), *sections.answers(contents), training]
    return sections.page_of(contents, first, shown)


def _numbers(contents: CuesContents) -> Section:
    heads = ("network", "decorrelated", "shape bias", "decided", "agreeing", "conflicting", "n")
    rows = [
        (
            model.model, f"{100 * share:g} %",
            *(_cell(values[:, k]) for values in (model.bias, model.followed, model.agreeing, model.conflicting)),
            f"{np.isfinite(model.agreeing[:, k]).sum()}",
        )
        for model in contents.models
        for k, share in enumerate(model.shares)
    ]  # fmt: skip
    return Section("biases", "Shape bias in numbers", (Table(heads, tuple(rows)), Text(ABOUT, small=True)))


def _cell(values: np.ndarray) -> str:
    one = mean_interval(values).cut(0, 1)
    if np.isnan(one.value):
        return "–"
    return f"{number(one.value)} {interval(one.low, one.high, one.n)}" if np.isfinite(one.low) else number(one.value)


def _categories(contents: CuesContents) -> Section:
    tables = [_of_model(contents, model) for model in contents.models]
    return Section("categories", "Shape bias by category", (*tables, Text(BY_CATEGORY, small=True)))


def _of_model(contents: CuesContents, model: Cues) -> Table:
    heads = (contents.category, *(f"{100 * share:g} %" for share in model.shares))
    rows = tuple(
        (
            name,
            *(number(v) if np.isfinite(v := mean_interval(values[:, k]).value) else "–" for k in range(len(heads) - 1)),
        )
        for name, values in model.by_category.items()
    )
    return Table(heads, rows, right=heads[1:], fold=model.model if len(contents.models) > 1 else "")
