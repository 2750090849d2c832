"""The part of the page that says what it costs to close a model's gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from unseen.kinds.weaknesses.answer import signed
from unseen.kinds.weaknesses.closing import FOLDER, Closed, Closing
from unseen.kinds.weaknesses.shown import WeaknessContents
from unseen.reports import sections
from unseen.reports.blocks import Block, Section, Table, Text
from unseen.reports.charts import finite
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.palette import role, series_colours

TITLE = "What it costs to close the gap"
MOST = 3  # models in the figure
NOTE = (
    "A new last layer (a linear probe, its penalty chosen on other objects) on features that stay as they are; every "
    "object is held out once. Gap: accuracy with the factor changed minus canonical accuracy, of held-out objects. "
    f"Intervals are over folds of the objects. The study is beside this page, in {FOLDER}."
)


def closing_sections(contents: WeaknessContents) -> list[Section | str]:
    """The figure and its numbers; where it was not asked, how to ask."""
    if not contents.closing:
        asked = any(one.has_canonical and one.record.subject.kind == "model" for one in contents.every)
        return [f"{TITLE}: not asked; `unseen examine MODEL --closing` does."] if asked else []
    words: list[Block] = [Text(one.words) for one in contents.closing]
    made = sections.figure(_figure(contents.closing), *words, *_table(contents.closing), Text(NOTE, small=True))
    return [made]


def _figure(found: Sequence[Closing]) -> Figure:
    """Gap over the share of varying images, a panel for each factor, a line for each model."""
    shown = found[:MOST]
    colours = series_colours(one.model for one in shown)
    low = min([0.0, *(each.gap if each.low is None else each.low for one in shown for each in one.rows)])
    high = max([0.0, *(each.gap if each.high is None else each.high for one in shown for each in one.rows)])
    scale = alt.Scale(domain=[100 * low, 100 * high], nice=True, zero=True)
    panels = tuple(Panel(factor, _lines(shown, factor, colours, scale)) for factor in shown[0].factors)
    caption = (
        "Gap of each factor on objects that were held out, over the share of the images a new last layer learned from "
        "that vary in that factor. Bands are 95 % intervals over folds of the objects."
    )
    keys = keys_of(colours, "circle")
    return Figure("closing", TITLE, caption, panels, keys, columns=min(3, len(panels)))


def _lines(found: Sequence[Closing], factor: str, colours: Mapping[str, str], scale: alt.Scale) -> alt.LayerChart:
    data = [_row(one.model, each) for one in found for each in one.along(factor)]
    base = alt.Chart(alt.Data(values=data))
    axis = alt.Axis(title="images that vary, %", values=sorted({row["share"] for row in data}), format=".0f")
    x = alt.X("share:Q", scale=alt.Scale(domain=[0, 100], nice=False, padding=8), axis=axis)
    y_axis = alt.Axis(title="gap, points", format="+.0f", tickCount=5)
    y = alt.Y("value:Q", scale=scale, axis=y_axis)
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    tips = [alt.Tooltip("model:N"), alt.Tooltip("share:Q", title="% vary"), alt.Tooltip("shown:N", title="gap"),
            alt.Tooltip("n:Q", title="folds")]  # fmt: skip
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(strokeWidth=1, color=role("muted"), tooltip=None)
    bands = base.transform_filter("isValid(datum.low)").mark_area(opacity=0.15, tooltip=None)
    return alt.LayerChart(
        layer=[
            zero.encode(alt.Y("zero:Q", scale=scale, axis=y_axis)),
            bands.encode(x, alt.Y("low:Q", scale=scale, axis=y_axis), alt.Y2("high:Q"), colour),
            base.mark_line(strokeWidth=2).encode(x, y, colour),
            base.mark_point(filled=True, opacity=1, size=45).encode(x, y, colour, tooltip=tips),
        ],
        height=180,
    )


def _row(model: str, one: Closed) -> dict[str, Any]:
    bounded = one.low is not None and one.high is not None
    return {
        "model": model, "share": 100 * one.share, "value": finite(100 * one.gap),
        "low": 100 * one.low if bounded and one.low is not None else None,
        "high": 100 * one.high if bounded and one.high is not None else None, "shown": _told(one), "n": one.n,
    }  # fmt: skip


def _told(one: Closed) -> str:
    ends = f" [{signed(one.low)},\u00a0{signed(one.high)}]" if one.low is not None and one.high is not None else ""
    return f"{signed(one.gap)}{ends}"


def _table(found: Sequence[Closing]) -> list[Block]:
    shares = sorted({one.share for each in found for one in each.rows})
    rows = []
    for each in found:
        for factor in each.factors:
            at = {one.share: one for one in each.along(factor)}
            told = [_told(at[share]) if share in at else "" for share in shares]
            folds = max((one.n for one in at.values()), default=0)
            rows.append((each.model, factor, *told, f"{folds} folds"))
    heads = ("model", "changed", *(f"{100 * share:.0f} % vary" for share in shares), "n")
    return [Table(heads, tuple(rows), fold="In numbers")]
