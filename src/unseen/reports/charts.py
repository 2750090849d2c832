"""The kinds of panel a figure is made of: curves with bands, build-up over layers, scatter, losses. Altair only.

A panel fixes its height and leaves its width open: the page gives it the width there is, a file a number of points.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from unseen.reports.palette import role
from unseen.reports.words import has_interval, interval, number

Rows = Sequence[Mapping[str, Any]]

SETS = {"seen": "in-distribution (seen)", "unseen": "OOD (unseen)"}
SETS |= {"within": "seen-transformed (within)", "across": "unseen-transformed (across)", "plain": "not transformed"}
DASHES = {"seen": [5, 3], "unseen": [1, 0], "within": [5, 3], "across": [1, 0], "plain": [1, 3]}
SPARE_DASHES = ([2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2])

FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": role("grid"),
        "labelColor": role("muted"),
        "titleColor": role("muted"),
        "labelFontSize": 11.5,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 6,
        "titlePadding": 8,
    },
    "axisX": {"grid": False, "labelFlush": False},  # labels stand below their lines, the first and last too
    "legend": {"labelColor": role("ink"), "titleColor": role("muted"), "titleFontWeight": "normal", "symbolSize": 120},
    "title": {"color": role("ink"), "anchor": "start", "fontSize": 13, "fontWeight": 600, "offset": 8},
}


@dataclass(frozen=True)
class Series:
    """The colour of each series, what they are (``title``: "network"), and what they are drawn against."""

    colours: Mapping[str, str]
    title: str
    x_title: str

    @property
    def colour(self) -> alt.Color:
        return colour(self.colours, self.title)

    def tips(self) -> list[alt.Tooltip]:
        """Which series, and where on x, when a pointer rests on it."""
        return [alt.Tooltip("series:N", title=self.title), alt.Tooltip("x:Q", title=self.x_title)]


def set_title(name: str) -> str:
    return SETS.get(name, name)


def dashes(sets: Sequence[str]) -> dict[str, list[int]]:
    """Dashed for what was seen, solid for what was not; further sets get patterns of their own."""
    spare = iter(SPARE_DASHES * (1 + len(sets)))
    return {name: DASHES[name] if name in DASHES else next(spare) for name in sets}


def finite(value: Any) -> float | None:
    """A JSON number, or null: Vega must never meet a NaN."""
    return float(value) if value is not None and math.isfinite(value) else None


def dot(value: float, low: float, high: float, n: int, over: str) -> dict[str, Any]:
    """The data of a mean with its interval, in numbers and in words; ``over``: what its n counts."""
    bounded = has_interval(low, high)
    return {
        "value": finite(value),
        "low": low if bounded else None,
        "high": high if bounded else None,
        "shown": number(value),
        "interval": interval(low, high, n),
        "n": f"{n:,} {over}",
    }


def tips(titles: Mapping[str, str]) -> list[alt.Tooltip]:
    """What a pointer shows of a datum: its fields under their titles, but those without one."""
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items() if title]


DOT_TIPS = {"interval": "95 % interval", "n": "n"}


def curve_rows(rows: Rows, *, percent: bool = False) -> list[dict[str, Any]]:
    """The rows of a curve with what a tooltip says of them; a point without a value cannot be drawn."""
    made = []
    for row in rows:
        if finite(row["value"]) is None:
            continue
        bounded = has_interval(row["low"], row["high"])
        made.append(
            {
                "x": row["x"],
                "series": row["series"],
                "set": set_title(row.get("set") or ""),
                "value": finite(row["value"]),
                "low": finite(row["low"]) if bounded else None,
                "high": finite(row["high"]) if bounded else None,
                "n": row["n"],
                "shown": number(row["value"], percent=percent),
                "interval": interval(row["low"], row["high"], row["n"], percent=percent),
                "asked": asked_words(row),
            }
        )
    return made


def asked_words(row: Mapping[str, Any]) -> str:
    """How many test images stand behind a point, where it is known.

    >>> asked_words({"asked": 720.0, "n": 3}), asked_words({})
    ('720 of each network', '')
    """
    asked = row.get("asked")
    return f"{asked:,.0f} of each network" if asked else ""


def x_axis(values: Sequence[float | int], title: str, *, wrap: int) -> alt.X:
    """Ticks where something was measured, as long as they can be read; from the first of ``values`` to the last."""
    ticks = sorted(set(values))
    span = {"domain": [ticks[0], ticks[-1]]} if len(ticks) > 1 else {}
    lines = textwrap.wrap(title, wrap) or [""]
    axis = (
        alt.Axis(title=lines, values=ticks, labelOverlap="greedy", labelSeparation=6)
        if len(ticks) <= 12
        else alt.Axis(title=lines)
    )
    return alt.X("x:Q", scale=alt.Scale(zero=False, nice=False, padding=14, **span), axis=axis)  # type: ignore[arg-type]


def colour(colours: Mapping[str, str], title: str) -> alt.Color:
    """The colour of a series. Legends are left to the config, so that the page, which has its own key, needs none."""
    return alt.Color("series:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=title)


def y_axis(field: str, domain: Sequence[float | int], *, percent: bool = False, title: str = "") -> alt.Y:
    axis = alt.Axis(title=title or None, format="%" if percent else "~g", tickCount=5)
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=list(domain), nice=False), axis=axis)


def interval_tips() -> list[alt.Tooltip]:
    """What every number carries, where a pointer rests on it."""
    return [alt.Tooltip("interval:N", title="95 % interval"), alt.Tooltip("n:Q", title="n")]


def curves(
    rows: Rows,
    series: Series,
    *,
    domain: Sequence[float | int],
    sets: Sequence[str] = (),
    chance: Sequence[Mapping[str, float | int]] = (),
    published: Rows = (),
    percent: bool = False,
    height: int = 180,
    y_title: str = "",
) -> alt.LayerChart:
    """Mean against x with a band of its interval: dashed where seen, solid where not, hollow where published."""
    data = curve_rows(rows, percent=percent)
    x = x_axis([row["x"] for row in data], series.x_title, wrap=24 if height < 160 else 48)  # small panels are narrow
    y = y_axis("value", domain, percent=percent, title=y_title)
    base = alt.Chart(alt.Data(values=data))
    layers: list[alt.Chart] = []
    if chance:
        layers += _chance(chance, x, y_axis("chance", domain, percent=percent, title=y_title))
    bounded = base.transform_filter("isValid(datum.low)")
    spread = y_axis("low", domain, percent=percent, title=y_title)
    if len({row["x"] for row in data}) > 1:
        band = bounded.mark_area(opacity=0.16, clip=True, tooltip=None)
    else:  # with one x a band has no width
        band = bounded.mark_rule(strokeWidth=2, opacity=0.5, clip=True, tooltip=None)
    if any(row["low"] is not None for row in data):
        layers.append(band.encode(x, spread, alt.Y2("high:Q"), series.colour, alt.Detail("set:N")))
    stroke = alt.value([1, 0])
    if sets:
        patterns = dashes(sets)
        scale = alt.Scale(domain=[set_title(name) for name in patterns], range=list(patterns.values()))
        stroke = alt.StrokeDash("set:N", scale=scale, title="images")
    line = base.mark_line(strokeWidth=2).encode(x, y, series.colour)
    layers.append(line.encode(strokeDash=stroke, detail="set:N"))
    tips = series.tips()
    tips += [alt.Tooltip("set:N", title="images")] if sets else []
    tips += [alt.Tooltip("shown:N", title="mean"), *interval_tips()]
    tips += [alt.Tooltip("asked:N", title="test images")] if any(row["asked"] for row in data) else []
    # A wide stroke nobody sees makes a small point easy to hit with a finger.
    point = base.mark_point(filled=True, opacity=1, size=38, strokeWidth=14, strokeOpacity=0)
    layers.append(point.encode(x, y, series.colour, alt.Detail("set:N"), tooltip=tips))
    if published:
        layers.append(_published(published, x, y, series))
    return alt.LayerChart(layer=layers, height=height)


def _chance(chance: Sequence[Mapping[str, float | int]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A dotted line, with its word right of the panel, where no curve can cross it."""
    base = alt.Chart(alt.Data(values=list(chance)))
    line = base.mark_line(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None).encode(x, y)
    if len(chance) == 1:
        line = base.mark_rule(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None).encode(y)
    last = alt.Chart(alt.Data(values=[max(chance, key=lambda row: row["x"])]))
    word = last.mark_text(
        text="chance", align="left", baseline="middle", dx=3, fontSize=10.5, color=role("muted"), tooltip=None
    )
    return [line, word.encode(alt.XValue("width"), y)]


def _published(rows: Rows, x: alt.X, y: alt.Y, series: Series) -> alt.Chart:
    data = [{**row, "set": set_title(row["set"]), "shown": number(row["value"])} for row in rows]
    tips = [
        alt.Tooltip("figure:N", title="published in"),
        *series.tips(),
        alt.Tooltip("set:N", title="images"),
        alt.Tooltip("shown:N", title="value"),
    ]
    hollow = alt.Chart(alt.Data(values=data)).mark_point(
        filled=False, size=110, strokeWidth=1.6, opacity=1, fill="transparent"
    )
    return hollow.encode(x, y, series.colour, alt.Detail("set:N"), tooltip=tips)
