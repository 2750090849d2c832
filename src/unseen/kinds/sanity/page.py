"""The page of a study of sanity checks."""

from __future__ import annotations

import altair as alt
import polars as pl

from unseen.kinds.sanity.contents import COMPARISONS, SanityContents
from unseen.kinds.sanity.numbers import NAMES
from unseen.kinds.sanity.read import PUBLISHED, WITHOUT_SIGN
from unseen.measures.similarity import ALIKE
from unseen.reports import charts, sections
from unseen.reports.blocks import Chart, Page, Section, Table, Text
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.palette import OTHERS, SERIES, role
from unseen.reports.words import interval, number

PAINTS = (SERIES["separate"][0], SERIES["split-2"][0], SERIES["shared"][0], OTHERS[0][0])


def page(contents: SanityContents) -> Page:
    return sections.page_of(contents, _first(contents), [_table(contents)])


def _first(contents: SanityContents) -> Section | str:
    if not contents.summary.height:
        return "Maps: none was recorded."
    colours = dict(zip(COMPARISONS, PAINTS))
    mine = contents.summary.filter(pl.col("measure") == WITHOUT_SIGN)
    rows = [
        {"method": row["series"], "compared": row["set"], "value": charts.finite(row["value"]),
         "low": charts.finite(row["low"]), "high": charts.finite(row["high"]), "shown": number(row["value"]),
         "interval": interval(row["low"], row["high"], row["n"]), "n": row["n"]}
        for row in mine.iter_rows(named=True)
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=[row for row in rows if row["value"] is not None]))
    y = alt.Y("method:N", sort=list(contents.methods), title=None)
    shift = alt.YOffset("compared:N", sort=list(COMPARISONS))
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    paint = alt.Color("compared:N", scale=scale, title="compared")
    axis = alt.Axis(title="rank correlation without sign of maps, before and after", tickCount=6)
    x = alt.X("value:Q", scale=alt.Scale(domain=[-0.2, 1]), axis=axis)
    tips = [alt.Tooltip("method:N"), alt.Tooltip("compared:N"), alt.Tooltip("shown:N", title="mean"),
            alt.Tooltip("interval:N", title="95 % interval"), alt.Tooltip("n:Q", title="n")]  # fmt: skip
    line = (
        alt.Chart(alt.Data(values=[{"at": ALIKE}])).mark_rule(strokeDash=[3, 3], color=role("muted")).encode(x="at:Q")
    )
    bars = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, clip=True)
        .encode(
            y, x=alt.X("low:Q", scale=alt.Scale(domain=[-0.2, 1]), axis=axis), x2="high:Q", yOffset=shift, color=paint
        )
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(y, x=x, yOffset=shift, color=paint, tooltip=tips)
    chart = alt.LayerChart(layer=[line, bars, points], height=42 * max(1, len(contents.methods)))
    n = int(mine["n"].max() or 0)  # pyright: ignore[reportArgumentType]
    caption = (
        "How alike maps are to those of other weights: the upper half of a cascade from the scores down, single "
        "layers "
        f"drawn anew, all layers drawn anew, and a network of random labels. Bars are 95 % intervals over n = {n} "
        f"repeats; right of the dashed line ({ALIKE}, ours) a method does not depend on the weights."
    )
    keys = tuple(Key(name, colour=colour, shape="circle") for name, colour in colours.items())
    figure = Figure("sanity", "Do maps depend on what was learned?", caption, (Panel("", chart, large=True),), keys)
    return Section("sanity", figure.title, (Chart(figure),))


def _table(contents: SanityContents) -> Section | str:
    if not contents.summary.height:
        return "Numbers of methods: no map was recorded."
    told = {(r["series"], r["set"], r["measure"]): r for r in contents.summary.iter_rows(named=True)}
    rows = []
    for method in contents.methods:
        cells = []
        for comparison in COMPARISONS:
            one = told.get((method, comparison, WITHOUT_SIGN))
            cells.append("" if one is None else f"{number(one['value'])} {interval(one['low'], one['high'], one['n'])}")
        paper = {True: "changes", False: "stays alike", None: ""}[PUBLISHED.get(method)]
        rows.append((method, contents.verdicts.get(method, ""), *cells, paper))
    heads = ("method", "verdict", *COMPARISONS, "Adebayo et al. 2018")
    others = []
    for measure in NAMES.values():
        if measure == WITHOUT_SIGN:
            continue
        lines = [
            (method, *(number(told[method, one, measure]["value"]) if (method, one, measure) in told else ""
                       for one in COMPARISONS))
            for method in contents.methods
        ]  # fmt: skip
        others.append(Table(("method", *COMPARISONS), tuple(lines), fold=measure))
    words = (
        "Rank correlation without sign (of absolute values), mean over images, then over repeats; 95 % interval "
        "over repeats in brackets. Edges and a centred blob do not use the network: a map that changes as little as "
        "they do explains nothing."
    )
    return Section("methods", "Method by method", (Table(heads, tuple(rows)), Text(words, small=True), *others))
