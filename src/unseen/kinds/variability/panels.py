"""Panels of a study of variability: dots by factor, a heat map of slopes, gaps over similarity. Altair only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from unseen.kinds.variability.points import percent
from unseen.kinds.variability.shown import Bin, CrossedSlopes, ShownGap
from unseen.measures import Interval
from unseen.reports.charts import finite, interval_tips
from unseen.reports.palette import role
from unseen.reports.words import has_interval

WHOLE = "+.0f"  # points of accuracy
HEIGHT = 230
ROW = 34


def bounded(one: Interval) -> dict[str, Any]:
    """A number in points, its interval where there is one, and both in words."""
    known = has_interval(one.low, one.high)
    words = f"[{percent(one.low)}, {percent(one.high)}]" if known else f"n = {one.n}, no interval"
    return {
        "value": finite(100 * one.value),
        "low": 100 * one.low if known else None,
        "high": 100 * one.high if known else None,
        "shown": percent(one.value),
        "interval": words,
        "n": one.n,
    }


def dots(
    found: Sequence[ShownGap], colours: Mapping[str, str], title: str, published: Mapping[str, float] | None = None
) -> alt.LayerChart:
    """A dot with its interval for each factor and what training showed; diamonds are published averages."""
    factors = list(dict.fromkeys(one.factor for one in found))
    data = [{"factor": one.factor, "kind": one.shown, **bounded(one.gap)} for one in found]
    base = alt.Chart(alt.Data(values=data))
    axis = alt.Axis(title=None, labelAngle=0 if sum(map(len, factors)) < 44 else -30, labelOverlap=False)
    x = alt.X("factor:N", sort=factors, axis=axis, scale=alt.Scale(domain=factors, paddingInner=0.3, paddingOuter=0.2))
    side = alt.XOffset("kind:N", sort=list(colours), scale=alt.Scale(domain=list(colours)))
    y_axis = alt.Axis(title=title, format=WHOLE, tickCount=6)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    tips = [
        alt.Tooltip("factor:N"),
        alt.Tooltip("kind:N", title="training"),
        alt.Tooltip("shown:N", title="points"),
        *interval_tips(),
    ]
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(strokeWidth=1, color=role("muted"), tooltip=None)
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.2, opacity=0.55, tooltip=None)
    dot = base.mark_point(filled=True, opacity=1, size=80, strokeWidth=12, strokeOpacity=0)
    layers: list[alt.Chart] = [zero.encode(alt.Y("zero:Q"))]
    if published:
        known = [{"factor": name, "value": 100 * value} for name, value in published.items() if name in factors]
        mark = alt.Chart(alt.Data(values=known)).mark_point(
            filled=False, shape="diamond", size=70, strokeWidth=1.6, opacity=1, color=role("muted"), tooltip=None
        )
        layers.append(mark.encode(x, alt.Y("value:Q")))
    layers += [
        bars.encode(x, alt.Y("low:Q", axis=y_axis), alt.Y2("high:Q"), side, colour),
        dot.encode(x, alt.Y("value:Q", axis=y_axis), side, colour, tooltip=tips),
    ]
    return alt.LayerChart(layer=layers, height=HEIGHT)


def strongest(found: Sequence[CrossedSlopes]) -> float:
    """The largest slope of several panels, which one shade stands for in all of them."""
    every = (abs(one.value) for each in found for one in each.slopes.values() if finite(one.value) is not None)
    return max(every, default=1.0) or 1.0


def heat(found: CrossedSlopes, most: float, varied_in: str = "training", what: str = "slope") -> alt.LayerChart:
    """Slopes by the factor that varied (rows) and that was asked (columns): blue closes the gap, orange opens it.
    ``most`` has the strongest shade."""
    data = [
        {
            "varied": varied,
            "asked": asked,
            "shade": 0.04 + 0.96 * abs(one.value) / most,
            "sign": "closes" if one.value >= 0 else "opens",
            "dark": abs(one.value) / most > 0.6,
            "words": f"{one.value:+.2f}".replace("-", "−"),
            "interval": f"[{one.low:+.2f}, {one.high:+.2f}]".replace("-", "−")
            if has_interval(one.low, one.high)
            else f"n = {one.n}, no interval",
            "n": one.n,
        }
        for (varied, asked), one in found.slopes.items()
        if finite(one.value) is not None
    ]
    base = alt.Chart(alt.Data(values=data))
    scale = alt.Scale(domain=list(found.factors), paddingInner=0.06)
    rows = [factor for factor in (*found.factors, "all") if any(varied == factor for varied, _ in found.slopes)]
    x = alt.X("asked:N", scale=scale, axis=alt.Axis(title="asked", orient="top", labelAngle=0, labelLimit=70))
    y = alt.Y(
        "varied:N", scale=alt.Scale(domain=rows, paddingInner=0.06), axis=alt.Axis(title=f"varied in {varied_in}")
    )
    colour = alt.Color(
        "sign:N", scale=alt.Scale(domain=["closes", "opens"], range=[role("heat"), role("asked")]), legend=None
    )
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    tips = [
        alt.Tooltip("varied:N", title=f"varied in {varied_in}"),
        alt.Tooltip("asked:N"),
        alt.Tooltip("words:N", title=what),
        *interval_tips(),
    ]
    light = alt.condition("datum.dark", alt.value(role("paper")), alt.value(role("ink")))
    return alt.LayerChart(
        layer=[
            base.mark_rect(cornerRadius=1.5).encode(x, y, colour, shade, tooltip=tips),
            base.mark_text(fontSize=11, tooltip=None).encode(x, y, alt.Text("words:N"), color=light),
        ],
        height=ROW * len(rows),
    )


def over_similarity(bins: Sequence[Bin], by: str = "WordNet path") -> alt.LayerChart:
    """Mean gap of classes ± its standard error."""
    data = [
        {
            "similarity": one.similarity,
            "value": 100 * one.gap,
            "low": 100 * (one.gap - one.error) if finite(one.error) is not None else None,
            "high": 100 * (one.gap + one.error) if finite(one.error) is not None else None,
            "shown": percent(one.gap),
            "n": one.n,
        }
        for one in bins
    ]
    base = alt.Chart(alt.Data(values=data))
    axis = alt.Axis(title=f"similarity to the nearest class seen varying ({by})", format="~g", tickCount=5)
    x = alt.X("similarity:Q", scale=alt.Scale(zero=False, nice=True, padding=14), axis=axis)
    title = alt.Axis(title="gap, points", format=WHOLE, tickCount=5)
    tips = [
        alt.Tooltip("similarity:Q", format=".2f"),
        alt.Tooltip("shown:N", title="mean gap"),
        alt.Tooltip("n:Q", title="classes"),
    ]
    return alt.LayerChart(
        layer=[
            base.mark_line(strokeWidth=1.4, opacity=0.6, color=role("heat"), tooltip=None).encode(
                x, alt.Y("value:Q", axis=title)
            ),
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=2, opacity=0.6, color=role("heat"), tooltip=None)
            .encode(x, alt.Y("low:Q", axis=title), alt.Y2("high:Q")),
            base.mark_point(filled=True, opacity=1, size=60, color=role("heat")).encode(
                x, alt.Y("value:Q", axis=title), tooltip=tips
            ),
        ],
        height=HEIGHT,
    )
