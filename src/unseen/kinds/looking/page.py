"""The page of a study of where networks look."""

from __future__ import annotations

import altair as alt
import polars as pl

from unseen.kinds.looking.contents import LookingContents
from unseen.kinds.looking.numbers import AREA, MEASURES, SEEN, UNSEEN
from unseen.reports import charts, sections
from unseen.reports.blocks import Chart, Page, Section, Table, Text
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.palette import role
from unseen.reports.words import interval, number

SHOWN = (SEEN, UNSEEN, f"{UNSEEN}, right", f"{UNSEEN}, wrong")
DRAWN = ("energy on object", "pointing game")


def page(contents: LookingContents) -> Page:
    rest = [sections.splits(contents), _table(contents), *sections.answers(contents)]
    return sections.page_of(contents, _first(contents), rest)


def _first(contents: LookingContents) -> Section | str:
    if not contents.summary.height:
        return "Where it looks: no map was compared with the object."
    colours = {SEEN: role("seen"), UNSEEN: role("asked")}
    panels = tuple(Panel(measure, _dots(contents, measure, colours), large=False) for measure in DRAWN)
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
    keys = tuple(Key(name, colour=colour, shape="circle") for name, colour in colours.items())
    figure = Figure("where", "How much of the evidence lies on the object", caption, panels, keys, wide=True)
    return Section("where", figure.title, (Chart(figure),))


def _dots(contents: LookingContents, measure: str, colours: dict[str, str]) -> alt.LayerChart:
    mine = contents.summary.filter((pl.col("measure") == measure) & pl.col("set").is_in(list(colours)))
    rows = [
        {"method": row["series"], "images": row["set"], "value": charts.finite(row["value"]),
         "low": charts.finite(row["low"]), "high": charts.finite(row["high"]), "shown": number(row["value"]),
         "interval": interval(row["low"], row["high"], row["n"]), "n": row["n"]}
        for row in mine.iter_rows(named=True)
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y("method:N", sort=list(contents.methods), title=None)
    shift = alt.YOffset("images:N", sort=list(colours))
    paint = alt.Color("images:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())))
    domain = alt.Scale(domain=[0, 1])
    tips = [alt.Tooltip("method:N"), alt.Tooltip("images:N"), alt.Tooltip("shown:N", title="mean"),
            alt.Tooltip("interval:N", title="95 % interval"), alt.Tooltip("n:Q", title="n")]  # fmt: skip
    bars = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, clip=True)
        .encode(y, x=alt.X("low:Q", scale=domain, title=None), x2="high:Q", yOffset=shift, color=paint)
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        y, x=alt.X("value:Q", scale=domain, title=None), yOffset=shift, color=paint, tooltip=tips
    )
    return alt.LayerChart(layer=[bars, points], height=26 * max(1, len(contents.methods)))


def _table(contents: LookingContents) -> Section | str:
    if not contents.summary.height:
        return "Numbers of maps: none was compared."
    told = {(r["series"], r["set"], r["measure"]): r for r in contents.summary.iter_rows(named=True)}
    tables = []
    for measure in MEASURES:
        rows = []
        for method in contents.methods:
            cells = []
            for side in SHOWN:
                one = told.get((method, side, measure))
                cells.append(
                    "" if one is None else f"{number(one['value'])} {interval(one['low'], one['high'], one['n'])}"
                )
            rows.append((method, *cells))
        tables.append(Table(("method", *SHOWN), tuple(rows), fold="" if measure == MEASURES[0] else measure))
    words = (
        "The first table is the share of evidence on the object; below it, folded: that share over the object's "
        "area (1: "
        "what a map that knows nothing has), the pointing game, and mean ranks of regions' pixels (½: what a map that "
        "knows nothing has). The score is that of the class that was answered. 95 % intervals over repeats."
    )
    return Section("maps-in-numbers", "Where the evidence lies, in numbers", (*tables, Text(words, small=True)))
