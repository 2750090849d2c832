"""The page of a study of sanity checks."""

from __future__ import annotations

import altair as alt
import polars as pl

from unseen.kinds.by_method import by_method, cell, dots, met
from unseen.kinds.sanity.contents import COMPARISONS, SanityContents
from unseen.kinds.sanity.numbers import CASCADE, INDEPENDENT, LAST, NAMES, RANDOM
from unseen.kinds.sanity.read import PUBLISHED, WITHOUT_SIGN
from unseen.measures.similarity import ALIKE
from unseen.reports import sections
from unseen.reports.blocks import Chart, Page, Section, Table, Text
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.palette import OTHERS, SERIES, role
from unseen.reports.words import number

PAINTS = (SERIES["separate"][0], SERIES["split-2"][0], SERIES["shared"][0], OTHERS[0][0])


MEANINGS = {
    CASCADE: "the upper half of a cascade from the scores down",
    INDEPENDENT: "single layers drawn anew",
    LAST: "all layers drawn anew",
    RANDOM: "a network of random labels",
}


def page(contents: SanityContents) -> Page:
    return sections.page_of(contents, _first(contents), [_table(contents)])


def _first(contents: SanityContents) -> Section | str:
    if not contents.summary.height:
        return "Maps: none was recorded."
    shown = met(contents.summary, COMPARISONS)
    colours: dict[str, str] = {name: paint for name, paint in zip(COMPARISONS, PAINTS) if name in shown}
    axis = alt.Axis(title="rank correlation without sign of maps, before and after", tickCount=6)
    x = alt.X("value:Q", scale=alt.Scale(domain=[-0.2, 1]), axis=axis)
    data = alt.Data(values=[{"at": ALIKE}])
    line = alt.Chart(data).mark_rule(strokeDash=[3, 3], color=role("muted")).encode(x="at:Q")
    found = dots(contents.summary, WITHOUT_SIGN, contents.methods, colours, x, row=42)
    # a layered chart takes the data of its layers to itself, so they go with it
    chart = alt.LayerChart(data=found.data, layer=[line, *found.layer], height=found.height)
    mine = contents.summary.filter(pl.col("measure") == WITHOUT_SIGN)
    n = int(mine["n"].max() or 0)  # pyright: ignore[reportArgumentType]
    told = [MEANINGS[name] for name in shown]
    caption = (
        f"How alike maps are to those of other weights: {', '.join(told)}. Bars are 95 % intervals over n = {n} "
        f"repeats; right of the dashed line ({ALIKE}, ours) a method does not depend on the weights."
    )
    keys = keys_of(colours, "circle")
    figure = Figure("sanity", "Do maps depend on what was learned?", caption, (Panel("", chart, large=True),), keys)
    return Section("sanity", figure.title, (Chart(figure),))


def _table(contents: SanityContents) -> Section | str:
    if not contents.summary.height:
        return "Numbers of methods: no map was recorded."
    told, n, shown = by_method(contents.summary, COMPARISONS)
    rows = []
    for method in contents.methods:
        cells = (cell(told.get((method, one, WITHOUT_SIGN)), n) for one in shown)
        paper = {True: "changes", False: "stays alike", None: ""}[PUBLISHED.get(method)]
        rows.append((method, contents.verdicts.get(method, ""), *cells, paper))
    heads = ("method", "verdict", *shown, "Adebayo et al. 2018")
    others = []
    for measure in NAMES.values():
        if measure == WITHOUT_SIGN:
            continue
        lines = [
            (method, *(number(told[method, one, measure]["value"]) if (method, one, measure) in told else ""
                       for one in shown))
            for method in contents.methods
        ]  # fmt: skip
        others.append(Table(("method", *shown), tuple(lines), fold=measure))
    words = (
        "Rank correlation without sign (of absolute values), mean over images, then over repeats; 95 % interval "
        f"over repeats in brackets (n = {n} where a cell does not say another n). Verdicts are those of the findings. "
        "Edges and a centred blob do not use the network: a map that changes as little as "
        "they do explains nothing."
    )
    return Section("methods", "Method by method", (Table(heads, tuple(rows)), Text(words, small=True), *others))
