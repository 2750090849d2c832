"""The page of a study of where networks look."""

from __future__ import annotations

import altair as alt
import polars as pl

from unseen.kinds.by_method import by_method, cell, dots
from unseen.kinds.looking.contents import LookingContents
from unseen.kinds.looking.numbers import AREA, MEASURES, SEEN, UNSEEN
from unseen.reports import sections
from unseen.reports.blocks import Chart, Page, Section, Table, Text
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.palette import role
from unseen.reports.words import number

SHOWN = (SEEN, UNSEEN, f"{UNSEEN}, right", f"{UNSEEN}, wrong")
DRAWN = ("energy on object", "pointing game")


def page(contents: LookingContents) -> Page:
    rest = [sections.splits(contents), _table(contents), *sections.answers(contents)]
    return sections.page_of(contents, _first(contents), rest)


def _first(contents: LookingContents) -> Section | str:
    if not contents.summary.height:
        return "Where it looks: no map was compared with the object."
    colours = {SEEN: role("seen"), UNSEEN: role("asked")}
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), title=None)
    charts = [dots(contents.summary, measure, contents.methods, colours, x, row=26) for measure in DRAWN]
    panels = tuple(Panel(measure, chart, large=False) for measure, chart in zip(DRAWN, charts))
    area = contents.summary.filter((pl.col("measure") == AREA) & (pl.col("set") == SEEN))["value"]
    covers = (
        f" The object covers {number(float(area[0]), percent=True)} of a seen image on average." if len(area) else ""
    )
    n = int(contents.summary["n"].max() or 0)  # pyright: ignore[reportArgumentType]
    caption = (
        "The share of a map's positive evidence that lies on the rendered object, and how often its largest "
        "value does, on "
        f"new images of seen and of unseen combinations. Bars are 95 % intervals over n = {n} repeats.{covers} "
        "Edges and a "
        "centred blob do not use the network: they are the baselines."
    )
    keys = keys_of(colours, "circle")
    figure = Figure("where", "How much of the evidence lies on the object", caption, panels, keys, wide=True)
    return Section("where", figure.title, (Chart(figure),))


def _table(contents: LookingContents) -> Section | str:
    if not contents.summary.height:
        return "Numbers of maps: none was compared."
    told, n, shown = by_method(contents.summary, SHOWN)
    there = set(contents.summary["measure"])  # not every world has a floor
    tables = []
    for measure in (one for one in MEASURES if one in there):
        rows = [
            (method, *(cell(told.get((method, side, measure)), n) for side in shown)) for method in contents.methods
        ]
        tables.append(Table(("method", *shown), tuple(rows), fold="" if measure == MEASURES[0] else measure))
    words = (
        "The first table is the share of evidence on the object; below it, folded: that share over the object's "
        "area (1: "
        "what a map that knows nothing has), the pointing game, and mean ranks of regions' pixels (½: what a map that "
        "knows nothing has). The score is that of the class that was answered. 95 % intervals over repeats, "
        f"n = {n} where a cell does not say another n."
    )
    return Section("maps-in-numbers", "Where the evidence lies, in numbers", (*tables, Text(words, small=True)))
