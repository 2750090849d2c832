"""The page of a retest: every model as a point, the line through them, what it says."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from unseen.kinds.retest.models import Retest, tidy
from unseen.measures import Interval, to_scale
from unseen.reports.blocks import Html, Page, Section, Table, Text
from unseen.reports.charts import finite
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.palette import role
from unseen.reports.sections import figure
from unseen.reports.tables import csv_link
from unseen.reports.words import has_interval, interval, number

MOST = 40  # models in the table that is not folded away
DRAWN = ("linear", "probit")
TICKS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def answer(found: Retest) -> str:
    line, drop = found.lines["linear"], found.drop
    n = len(found.models)
    told = f"{n} models lose {shown(drop)} of accuracy from '{found.original}' to '{found.new}' in the mean."
    if not np.isfinite(line.slope.value):
        return f"{told} A line needs three models of different accuracy."
    one = (
        "above 1" if line.slope.low > 1 else "below 1" if line.slope.high < 1 else "not significantly different from 1"
    )
    probit = found.lines["probit"].slope
    return f"{told} The line's slope is {shown(line.slope)}, {one}; on the probit scale {shown(probit)}."


def shown(of: Interval) -> str:
    return f"{number(of.value)} {interval(of.low, of.high, of.n)}" if of.value == of.value else "undefined"


def page(found: Retest, *, command: str, written: str) -> Page:
    heads = ("scale", "slope", "intercept", "R²", "models", "left out", "slopes above 1")
    rows = tuple(
        (scale, shown(line.slope), shown(line.intercept), number(line.r2), f"{line.n}", f"{line.dropped}",
         number(line.above_one, percent=True))
        for scale, line in found.lines.items()
    )  # fmt: skip
    words = (
        "Least squares of new on original accuracy; 95 % intervals by 10,000 bootstrap samples over models (Recht et "
        "al. 2019; Taori et al. 2020). Left out: an accuracy of 0 or 1 has no place on the scale. The last column: "
        "share of samples whose slope exceeds 1."
    )
    models = tuple(
        (one.name, _counted(one.original), _counted(one.new), number(one.original.value - one.new.value))
        for one in sorted(found.models, key=lambda one: -one.original.value)
    )
    fold = f"{len(models)} models" if len(models) > MOST else ""
    table = Table(("model", found.original, found.new, "drop"), models, right=("drop",), wrap=("model",), fold=fold)
    sections = [
        figure(_scatter(found), Table(heads, rows, right=heads[4:]), Text(words, small=True)),
        Section("models", "Models", (table, Html(f"<p>{csv_link(tidy(found), 'retest.csv')}</p>"))),
        *found.notes,
    ]
    question = f"What does a model lose from '{found.original}' to '{found.new}', and does progress carry over?"
    made = {"command": command, "written": written}
    return Page("Old and new test set", question, answer(found), sections=tuple(sections), made=made)


def _counted(of: Interval) -> str:
    return f"{shown(of)}, n = {of.n:,}" if of.n else number(of.value)


def _scatter(found: Retest) -> Figure:
    panels = tuple(Panel(f"{scale} scale", line_panel(found, scale)) for scale in DRAWN)
    several = all(has_interval(one.new.low, one.new.high) for one in found.models)
    bars = " Bars are exact binomial 95 % intervals." if several else ""
    caption = f"Each point is a model.{bars} The full line is fitted, the dotted one is y = x: no drop."
    keys = (Key("model", colour=role("asked"), shape="circle"), Key("fit", colour=role("seen")))
    return Figure("retest", "New against original accuracy", caption, panels, keys, wide=True)


def line_panel(found: Retest, scale: str) -> alt.LayerChart:
    """Every model as a point, its intervals where images were counted, the line through all, and y = x."""

    def at(value: float) -> float | None:
        return finite(float(to_scale(np.array([value]), scale)[0]))

    points: list[dict[str, Any]] = [
        {
            "x": at(one.original.value), "y": at(one.new.value), "model": one.name,
            "original": _counted(one.original), "new": _counted(one.new),
            "low": at(one.new.low), "high": at(one.new.high),
            "left": at(one.original.low), "right": at(one.original.high),
        }
        for one in found.models
    ]  # fmt: skip
    shares = [v for one in found.models for v in (one.original.value, one.new.value) if at(v) is not None]
    least, most = min(shares), max(shares)
    room = 0.04 * (most - least) + 0.01
    ends = [max(least - room, 0.002), min(most + room, 0.998)]
    domain = [at(end) for end in ends]
    ticks = [tick for tick in (TICKS if scale != "linear" else np.arange(0, 1.01, 0.1)) if ends[0] <= tick <= ends[1]]
    values = [at(float(tick)) for tick in ticks]
    back = "datum.value" if scale == "linear" else "cumulativeNormal(datum.value)"
    axis = {"values": values, "labelExpr": f"format({back}, '.2~f')", "labelOverlap": True}
    drawn = alt.Scale(domain=domain, nice=False)
    x = alt.X("x:Q", scale=drawn, axis=alt.Axis(title=found.original, **axis))
    y = alt.Y("y:Q", scale=drawn, axis=alt.Axis(title=found.new, **axis))
    base = alt.Chart(alt.Data(values=points)).transform_filter("isValid(datum.x) && isValid(datum.y)")
    tips = [alt.Tooltip(f"{name}:N") for name in ("model", "original", "new")]
    colour = alt.value(role("asked"))
    known = base.transform_filter("isValid(datum.low) && isValid(datum.left)")
    layers = [
        _line([domain[0], domain[1]], [domain[0], domain[1]], role("muted"), [1, 3], x, y),
        known.mark_rule(strokeWidth=1, opacity=0.4, tooltip=None).encode(
            x, alt.Y("low:Q", scale=drawn), alt.Y2("high:Q"), color=colour
        ),
        known.mark_rule(strokeWidth=1, opacity=0.4, tooltip=None).encode(
            alt.X("left:Q", scale=drawn), y, alt.X2("right:Q"), color=colour
        ),
        base.mark_point(filled=True, size=42, opacity=0.75).encode(x, y, color=colour, tooltip=tips),
    ]
    line = found.lines[scale]
    if np.isfinite(line.slope.value) and domain[0] is not None and domain[1] is not None:
        ys = [line.slope.value * end + line.intercept.value for end in (domain[0], domain[1])]
        layers.append(_line([domain[0], domain[1]], ys, role("seen"), [1, 0], x, y))
    return alt.LayerChart(layer=layers, height=260)


def _line(xs: list, ys: list, colour: str, dash: list[int], x: Any, y: Any) -> alt.Chart:
    data = alt.Data(values=[{"x": a, "y": b} for a, b in zip(xs, ys)])
    return (
        alt.Chart(data).mark_line(color=colour, strokeDash=dash, strokeWidth=1.6, clip=True, tooltip=None).encode(x, y)
    )
