"""A matrix as a heat map: trained on down the page, asked across, trained cells framed. Altair only."""

from __future__ import annotations

from typing import Any

import altair as alt

from unseen.kinds.conditions.shown import Matrix
from unseen.reports.charts import finite, interval_tips
from unseen.reports.palette import role
from unseen.reports.words import interval, number, whole_percent

ROW = 21  # pixels of one row
APART = 0.1  # of a cell: frames of neighbours do not run together
DARK = 0.6  # of the colour; above it words are light


def spaced(picture: Matrix, *, published: bool) -> list[str]:
    """Names of the rows from top to bottom: the conditions, a gap before each group, and last the observers, beside
    what else is published. Gaps are names of blanks, each of another length."""
    rows = [*picture.rows, *([(picture.observers_name, "")] if _observed(picture, published) else [])]
    names, before = [], None
    for name, group in rows:
        if group != before and names:
            names.append(" " * (1 + sum(not known.strip() for known in names)))
        names.append(name)
        before = group
    return names


def _observed(picture: Matrix, published: bool) -> bool:
    """Whether a map shows the observers: that of the published numbers does, or the only one."""
    return picture.observers is not None and (published or picture.published is None)


def cells(picture: Matrix, *, published: bool) -> list[dict[str, Any]]:
    """One entry per cell: ours, or what is published; of the observers a row of their own."""
    values = picture.published if published else picture.mean
    assert values is not None
    made = []
    for row, (name, group) in enumerate(picture.rows):
        for column, asked in enumerate(picture.columns):
            value, beside = finite(values[row, column]), None
            if picture.published is not None:
                beside = finite((picture.mean if published else picture.published)[row, column])
            span = interval(picture.low[row, column], picture.high[row, column], int(picture.n[row, column]))
            made.append(
                _cell(name, asked, value, trained=bool(picture.trained[row, column]))
                | {
                    "group": f"trained on {group}",
                    "interval": "" if published else span,
                    "n": None if published else int(picture.n[row, column]),
                    "beside": "" if beside is None else number(beside),
                }
            )
    if picture.observers is not None and _observed(picture, published):
        none = {"group": "published", "interval": "", "n": None, "beside": ""}
        made += [
            _cell(picture.observers_name, asked, finite(value)) | none
            for asked, value in zip(picture.columns, picture.observers)
        ]
    return made


def _cell(name: str, asked: str, value: float | None, *, trained: bool = False) -> dict[str, Any]:
    return {
        "row": name,
        "asked": asked,
        "value": value,
        "shade": 0 if value is None else 0.04 + 0.96 * min(max(value, 0), 1),
        "words": "–" if value is None else whole_percent(value),
        "shown": "not known" if value is None else number(value),
        "trained": trained,
    }


def heat_map(picture: Matrix, *, published: bool) -> alt.LayerChart:
    """Per cent correct in every cell; rows of ours and of what is published lie side by side."""
    names = spaced(picture, published=published)
    data = alt.Data(values=cells(picture, published=published))
    base = alt.Chart(data)
    columns = list(picture.columns)
    angle = 0 if max(map(len, columns), default=0) * len(columns) < 40 else -90
    x = alt.X(
        "asked:N",
        sort=columns,
        title="asked",
        scale=alt.Scale(paddingInner=APART),
        axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=120),
    )
    blank = "trim(datum.label) == '' ? '' : datum.label"
    axis = alt.Axis(labelLimit=210, labelExpr=blank, grid=False)
    y = alt.Y("row:N", title="trained on", scale=alt.Scale(domain=names, paddingInner=APART), axis=axis)
    tips = [
        alt.Tooltip("group:N", title="group"),
        alt.Tooltip("row:N", title="trained on"),
        alt.Tooltip("asked:N", title="asked"),
        alt.Tooltip("shown:N", title="published" if published else "accuracy"),
    ]
    tips += [] if published else interval_tips()
    if picture.published is not None:
        tips.append(alt.Tooltip("beside:N", title="ours" if published else "published"))
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    box = base.mark_rect(color=role("heat"), cornerRadius=1.5).encode(x, y, shade, tooltip=tips)
    frame = base.transform_filter("datum.trained && isValid(datum.value)").mark_rect(
        fill=None, stroke=role("asked"), strokeWidth=1.6, cornerRadius=1.5, tooltip=None
    )
    light = alt.condition(f"datum.shade > {DARK}", alt.value(role("paper")), alt.value(role("ink")))
    words = (
        base.transform_filter("isValid(datum.value)")
        .mark_text(fontSize=10.5, tooltip=None)
        .encode(x, y, alt.Text("words:N"), color=light)
    )
    dashes = base.transform_filter("!isValid(datum.value)").mark_text(
        fontSize=10.5, tooltip=None, color=role("muted"), opacity=0.5
    )
    layers = [box, frame.encode(x, y), words, dashes.encode(x, y, alt.Text("words:N"))]
    return alt.LayerChart(layer=layers, height=ROW * len(names))
