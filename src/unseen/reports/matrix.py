"""A matrix as a heat map: trained on down the page, asked across, trained cells framed. Altair only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from unseen.reports.charts import finite
from unseen.reports.contents import Matrix
from unseen.reports.palette import role
from unseen.reports.words import interval, number

ROW = 21  # pixels of one row
DARK = 0.6  # of the colour; above it words are light


def spaced(picture: Matrix) -> list[str]:
    """Names of the rows from top to bottom: observers, then the conditions, a gap before each group. Gaps are names
    of blanks, each of another length."""
    names, before = [picture.observers_name] if picture.observers is not None else [], None
    for name, group in picture.rows:
        if group != before and names:
            names.append(" " * (1 + sum(not known.strip() for known in names)))
        names.append(name)
        before = group
    return names


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
    if picture.observers is not None:
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
        "words": "–" if value is None else f"{100 * value:.0f}",
        "shown": "not known" if value is None else number(value),
        "trained": trained,
    }


def heat_map(picture: Matrix, *, published: bool, names: Sequence[str]) -> alt.LayerChart:
    """Per cent correct in every cell. ``names`` are the rows from top to bottom, so that two maps can share them."""
    data = alt.Data(values=cells(picture, published=published))
    base = alt.Chart(data)
    columns = list(picture.columns)
    angle = 0 if max(map(len, columns), default=0) * len(columns) < 40 else -90
    x = alt.X("asked:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=120))
    blank = "trim(datum.label) == '' ? '' : datum.label"
    axis = alt.Axis(labelLimit=210, labelExpr=blank, grid=False)
    y = alt.Y("row:N", title=None, scale=alt.Scale(domain=list(names)), axis=axis)
    tips = [
        alt.Tooltip("group:N", title="group"),
        alt.Tooltip("row:N", title="trained on"),
        alt.Tooltip("asked:N", title="asked"),
        alt.Tooltip("shown:N", title="published" if published else "accuracy"),
    ]
    tips += [] if published else [alt.Tooltip("interval:N", title="95 % interval"), alt.Tooltip("n:Q", title="n")]
    if picture.published is not None:
        tips.append(alt.Tooltip("beside:N", title="ours" if published else "published"))
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    box = base.mark_rect(color=role("heat"), cornerRadius=1.5).encode(x, y, shade, tooltip=tips)
    frame = base.transform_filter("datum.trained && isValid(datum.value)").mark_rect(
        fill=None, stroke=role("asked"), strokeWidth=2, cornerRadius=1.5, tooltip=None
    )
    light = alt.condition(f"datum.shade > {DARK}", alt.value(role("paper")), alt.value(role("ink")))
    words = base.mark_text(fontSize=10.5, tooltip=None).encode(x, y, alt.Text("words:N"), color=light)
    return alt.LayerChart(layer=[box, frame.encode(x, y), words], height=ROW * len(names))
