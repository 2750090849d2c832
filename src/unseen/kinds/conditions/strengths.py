"""Accuracy against level: a distortion that is asked at several strengths, people beside networks (Geirhos et al. 2018,
Figs. 3 and 4; Hendrycks & Dietterich 2019 by severity). Altair only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from unseen.kinds.conditions.shown import Matrix
from unseen.kinds.published_observers import Observed
from unseen.reports.charts import colour, finite, interval_tips, y_axis
from unseen.reports.palette import role
from unseen.reports.words import interval, number

MOST_LINES = 6  # conditions trained on whose lines can be told apart


def by_strength(columns: tuple[str, ...]) -> dict[str, list[tuple[str, int]]]:
    """Distortions asked at two strengths or more: name → (strength as written, column), as asked.

    >>> by_strength(("plain", "noise@0.1", "noise@0.3", "fog@3"))
    {'noise': [('0.1', 1), ('0.3', 2)]}
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for place, name in enumerate(columns):
        base, _, strength = name.partition("@")
        if strength:
            found.setdefault(base, []).append((strength, place))
    return {base: levels for base, levels in found.items() if len(levels) > 1}


def lines(
    picture: Matrix, levels: list[tuple[str, int]], colours: Mapping[str, str], people: Mapping[int, Observed]
) -> alt.LayerChart:
    """Accuracy over the strengths of one distortion, a line for each condition trained on, with intervals; observers as
    diamonds, with the range from the lowest to the highest observer."""
    order = [strength for strength, _ in levels]
    rows: list[dict[str, Any]] = []
    for row, (name, _) in enumerate(picture.rows):
        for strength, at in levels:
            value, n = finite(picture.mean[row, at]), int(picture.n[row, at])
            if name in colours and value is not None:
                low, high = (finite(side[row, at]) for side in (picture.low, picture.high))
                words = interval(picture.low[row, at], picture.high[row, at], n)
                rows.append({"series": name, "strength": strength, "value": value, "low": low, "high": high,
                             "shown": number(value), "interval": words, "n": n})  # fmt: skip
    x = alt.X("strength:N", sort=order, title="strength", axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.3))
    y, paint = y_axis("value", (0, 1), title="accuracy"), colour(colours, "trained on")
    tips = [alt.Tooltip("series:N", title="trained on"), alt.Tooltip("strength:N"), alt.Tooltip("shown:N")]
    tips += interval_tips()
    base = alt.Chart(alt.Data(values=rows))
    layers = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.2, opacity=0.5, tooltip=None)
        .encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), paint),
        base.mark_line(strokeWidth=1.8, tooltip=None).encode(x, y, paint),
        base.mark_point(filled=True, size=30, opacity=1).encode(x, y, paint, tooltip=tips),
    ]
    seen = [
        {"strength": strength, "value": one.mean, "low": one.low, "high": one.high, "shown": number(one.mean),
         "range": f"{number(one.low)} to {number(one.high)}", "n": one.observers, "trials": one.trials}
        for strength, at in levels
        if (one := people.get(at)) is not None
    ]  # fmt: skip
    if seen:
        tips = [alt.Tooltip("strength:N"), alt.Tooltip("shown:N", title="observers"), alt.Tooltip("range:N")]
        tips += [alt.Tooltip("n:Q", title="observers"), alt.Tooltip("trials:Q")]
        known = alt.Chart(alt.Data(values=seen))
        ends = known.mark_rule(strokeWidth=1.2, color=role("ink"), tooltip=None)
        mark = known.mark_point(shape="diamond", filled=False, size=46, strokeWidth=1.6, opacity=1, color=role("ink"))
        layers += [ends.encode(x, alt.Y("low:Q"), alt.Y2("high:Q")), mark.encode(x, y, tooltip=tips)]
    if picture.chance == picture.chance:  # not NaN
        guess = alt.Chart(alt.Data(values=[{"value": float(picture.chance)}]))
        layers.append(guess.mark_rule(strokeDash=[2, 3], color=role("muted"), tooltip=None).encode(y))
    return alt.LayerChart(layer=layers, height=170)
