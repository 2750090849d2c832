"""The figures of weaknesses: what each change costs, accuracy along each factor, confidence against accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from unseen.kinds.weaknesses.answer import points
from unseen.kinds.weaknesses.scores import AtLevel, Gap, gap, levels_of
from unseen.kinds.weaknesses.shown import WeaknessContents
from unseen.measures import Interval, chance, reliability
from unseen.reports.charts import DOT_TIPS, finite, tips
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.palette import role, series_colours
from unseen.reports.words import has_interval, interval, number
from unseen.vocabulary.varied_sets import CANONICAL

MOST_MODELS = 8  # in one figure
MOST_NAMES = 26  # levels with names on an axis
OVER = "Bars are 95 % intervals over objects."
BINS = 10


def colours_of(contents: WeaknessContents) -> dict[str, str]:
    return series_colours(one.name for one in contents.every[:MOST_MODELS])


def costs(contents: WeaknessContents) -> Figure | str:
    """Accuracy with a change minus canonical accuracy, a line for each factor, and for all together."""
    found: dict[str, list[tuple[str, Gap]]] = {}
    for one in contents.every[:MOST_MODELS]:
        if one.has_canonical:
            named = [gap(one, name) for name in (*one.alone, *([one.together] if one.together else []))]
            found[one.name] = [(_title(each.name, one.varied), each) for each in named]
    if not any(found.values()):
        return "What each change costs: no canonical image was asked, so that there is nothing to measure it from."
    order: dict[str, list[float]] = {}
    for each in found.values():
        for title, own in each:
            order.setdefault(title, []).append(own.value)
    titles = sorted(order, key=lambda title: (title.startswith("all"), float(np.nanmean(order[title]))))
    colours = colours_of(contents)
    data = [_cost_row(model, title, own) for model, each in found.items() for title, own in each]
    base = alt.Chart(alt.Data(values=data))
    y = alt.Y(
        "what:N", sort=titles, title=None, axis=alt.Axis(labelLimit=200, grid=True), scale=alt.Scale(domain=titles)
    )
    low = min([0.0, *(row["low"] if row["low"] is not None else row["value"] for row in data)])
    high = max([0.0, *(row["high"] if row["high"] is not None else row["value"] for row in data)])
    scale = alt.Scale(domain=[100 * low - 3, 100 * high + 3], nice=True, zero=True)
    axis = alt.Axis(title="points of accuracy against canonical images", format="+.0f", tickCount=7)
    side = alt.YOffset("model:N", sort=list(colours), scale=alt.Scale(domain=list(colours)))
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(strokeWidth=1.2, color=role("muted"), tooltip=None)
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.4, opacity=0.55, tooltip=None)
    dots = base.mark_point(filled=True, opacity=1, size=85, strokeWidth=12, strokeOpacity=0)
    pointed = tips({"model": "model", "what": "changed", "shown": "points", "n": "n"})
    layers = [
        zero.encode(alt.X("zero:Q", scale=scale, axis=axis)),
        bars.transform_calculate(a="100*datum.low", b="100*datum.high").encode(
            y, alt.X("a:Q", scale=scale, axis=axis), alt.X2("b:Q"), side, colour
        ),
        dots.transform_calculate(v="100*datum.value").encode(
            y, alt.X("v:Q", scale=scale, axis=axis), side, colour, tooltip=pointed
        ),
    ]
    height = max(90, 30 * len(titles) * max(1, 0.6 * len(found)))
    caption = (
        "What each change costs: accuracy of the same objects with it minus accuracy of their canonical images, in "
        f"points of per cent. {OVER} Left of the line: fewer are known."
    )
    keys = tuple(Key(name, colour=colours[name], shape="circle") for name in found)
    panel = Panel(
        "one factor changed, all others canonical; and all together", alt.LayerChart(layer=layers, height=height)
    )
    return Figure("costs", "What each change costs", caption, (panel,), keys, wide=True)


def _title(name: str, varied: Sequence[str]) -> str:
    return name if name in varied else "all together"


def _cost_row(model: str, title: str, own: Gap) -> dict[str, Any]:
    bounded = has_interval(own.interval.low, own.interval.high)
    return {
        "model": model, "what": title, "value": finite(own.value),
        "low": own.interval.low if bounded else None, "high": own.interval.high if bounded else None,
        "shown": points(own.interval, whole=True), "n": f"{own.interval.n:,}",
    }  # fmt: skip


def curves(contents: WeaknessContents) -> Figure | str:
    """Accuracy along each factor, a panel each, with the canonical level marked."""
    every = contents.every[:MOST_MODELS]
    factors = list(dict.fromkeys(name for one in every for name in (*one.alone, *one.by_level)))
    if not factors:
        return "Accuracy along each factor: none was varied alone."
    colours = colours_of(contents)
    made = []
    for factor in factors:
        found = {one.name: levels_of(one, factor) for one in every if factor in one.levels}
        order = next(one.levels[factor] for one in every if factor in one.levels)
        at = contents.numbers_at.get(factor)
        guess = chance(len(every[0].classes))
        draw = _numeric if at is not None and len(order) > 2 else _named
        made.append(Panel(factor, draw(found, order, at or (), factor, colours, guess)))
    caption = (
        "Accuracy at each level of each factor, the others canonical. The upright line marks the canonical level, "
        "where the point is that of the canonical images. Bands and bars are 95 % intervals over objects; the "
        "dotted line is chance."
    )
    if not any(one.has_canonical for one in every):
        caption = f"Accuracy at each level of each factor, whatever the others are. {OVER} The dotted line is chance."
    keys = tuple(Key(one.name, colour=colours[one.name], shape="circle") for one in every)
    return Figure("curves", "Accuracy along each factor", caption, tuple(made), keys, columns=min(3, len(made)))


def _row(model: str, at: AtLevel, x: float | None) -> dict[str, Any]:
    i: Interval = at.score.interval
    bounded = has_interval(i.low, i.high)
    return {
        "model": model, "level": plain(at.level), "x": x, "value": finite(i.value), "canonical": at.canonical,
        "low": i.low if bounded else None, "high": i.high if bounded else None, "shown": number(i.value),
        "interval": interval(i.low, i.high, i.n), "n": f"{i.n:,} objects, {at.score.images:,} images",
    }  # fmt: skip


def _tips(factor: str) -> list[alt.Tooltip]:
    return tips({"model": "model", "level": factor, "shown": "accuracy", **DOT_TIPS})


Found = Mapping[str, Sequence[AtLevel]]


def _scales(factor: str) -> tuple[alt.Scale, alt.Axis]:
    return alt.Scale(domain=[0, 1], nice=False), alt.Axis(title="accuracy", format="~g", tickCount=5)


def _guess(value: float, scale: alt.Scale, axis: alt.Axis) -> alt.Chart:
    line = alt.Chart(alt.Data(values=[{"chance": finite(value)}]))
    rule = line.mark_rule(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None)
    return rule.encode(alt.Y("chance:Q", scale=scale, axis=axis))


def _numeric(
    found: Found, order: Sequence[str], at: Sequence[float], factor: str, colours: Mapping[str, str], guess: float
) -> alt.LayerChart:
    """A line and its band over numbers."""
    place = dict(zip(order, at))
    data = [_row(model, each, place[each.level]) for model, own in found.items() for each in own]
    base = alt.Chart(alt.Data(values=data))
    scale, axis = _scales(factor)
    x = alt.X("x:Q", scale=alt.Scale(zero=False, nice=False, padding=8), axis=alt.Axis(title=factor, tickCount=5))
    y = alt.Y("value:Q", scale=scale, axis=axis)
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    stands = sorted({row["x"] for row in data if row["canonical"]})
    layers: list[alt.Chart] = [_guess(guess, scale, axis)]
    if stands:
        mark = alt.Chart(alt.Data(values=[{"x": stand} for stand in stands]))
        layers.append(mark.mark_rule(strokeWidth=1.2, color=role("muted"), opacity=0.7, tooltip=None).encode(x))
    bounded = base.transform_filter("isValid(datum.low)")
    low = alt.Y("low:Q", scale=scale, axis=axis)
    layers.append(bounded.mark_area(opacity=0.15, clip=True, tooltip=None).encode(x, low, alt.Y2("high:Q"), colour))
    layers.append(base.mark_line(strokeWidth=2).encode(x, y, colour))
    layers.append(_points(base, colour, factor, x, y))
    return alt.LayerChart(layer=layers, height=180)


def _points(base: alt.Chart, colour: alt.Color, factor: str, *place: Any) -> alt.Chart:
    size = alt.condition("datum.canonical", alt.value(95), alt.value(34))
    dots = base.mark_point(filled=True, opacity=1, strokeWidth=12, strokeOpacity=0)
    return dots.encode(*place, colour, size=size, tooltip=_tips(factor))


def _named(
    found: Found, order: Sequence[str], at: Sequence[float], factor: str, colours: Mapping[str, str], guess: float
) -> alt.LayerChart:
    """Dots beside each other, the canonical level first."""
    data = [_row(model, each, None) for model, own in found.items() for each in own]
    there = [plain(level) for level in order if any(row["level"] == plain(level) for row in data)]
    stands = [row["level"] for row in data if row["canonical"]]
    there = [*dict.fromkeys([*stands, *there])]
    base = alt.Chart(alt.Data(values=data))
    scale, axis = _scales(factor)
    crowded = len(there) > MOST_NAMES
    names = alt.Axis(
        title=factor, labelAngle=-40 if sum(map(len, there)) > 24 else 0, labelLimit=110, labels=not crowded,
        labelOverlap="parity",
    )  # fmt: skip
    x = alt.X("level:N", sort=there, axis=names, scale=alt.Scale(domain=there))
    side = alt.XOffset("model:N", sort=list(colours), scale=alt.Scale(domain=list(colours)))
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    layers: list[alt.Chart] = [_guess(guess, scale, axis)]
    if stands:
        mark = alt.Chart(alt.Data(values=[{"level": level} for level in dict.fromkeys(stands)]))
        layers.append(mark.mark_rule(strokeWidth=1.2, color=role("muted"), opacity=0.7, tooltip=None).encode(x))
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.8, opacity=0.5, tooltip=None)
    low, y = alt.Y("low:Q", scale=scale, axis=axis), alt.Y("value:Q", scale=scale, axis=axis)
    layers.append(bars.encode(x, low, alt.Y2("high:Q"), side, colour))
    layers.append(_points(base, colour, factor, x, y, side))
    return alt.LayerChart(layer=layers, height=180)


def plain(level: str) -> str:
    """A level as an axis has it.

    >>> plain("27.6923"), plain("sky 1")
    ('27.7', 'sky 1')
    """
    try:
        return f"{float(level):.3g}"
    except ValueError:
        return level


def sureness(contents: WeaknessContents) -> Figure | str:
    """Accuracy by confidence: of canonical and of changed images."""
    colours, made = colours_of(contents), []
    for title, changed in (("canonical images", False), ("changed images", True)):
        data = []
        for one in contents.every[:MOST_MODELS]:
            if one.confidence is None:
                continue
            here = (one.changed if changed else one.of(CANONICAL)) & np.isfinite(one.confidence)
            data += [
                {"model": one.name, "x": each.confidence, "value": each.accuracy, "n": each.n}
                for each in reliability(one.confidence[here], one.right[here], BINS)
            ]
        if data:
            made.append(Panel(title, _diagonal(data, colours)))
    if not made:
        return "Confidence: the models' answers have none."
    caption = (
        f"Share of answers that are right among those of about one confidence ({BINS} bins of equal width; the larger "
        "a point, the more answers). On the dotted line a model is as often right as it says; below it, it is surer "
        "than it is right."
    )
    keys = tuple(Key(one.name, colour=colours[one.name], shape="circle") for one in contents.every[:MOST_MODELS])
    return Figure("confidence", "Is it as sure as it is right?", caption, tuple(made), keys)


def _diagonal(data: Sequence[dict[str, Any]], colours: Mapping[str, str]) -> alt.LayerChart:
    base, scale = alt.Chart(alt.Data(values=list(data))), alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("x:Q", scale=scale, axis=alt.Axis(title="confidence", format="~g", tickCount=5))
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title="accuracy", format="~g", tickCount=5))
    colour = alt.Color("model:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    line = alt.Chart(alt.Data(values=[{"x": 0, "value": 0}, {"x": 1, "value": 1}]))
    size = alt.Size("n:Q", scale=alt.Scale(range=[20, 220], type="sqrt"), legend=None)
    pointed = [alt.Tooltip("model:N", title="model"), alt.Tooltip("x:Q", title="confidence", format=".2f"),
            alt.Tooltip("value:Q", title="accuracy", format=".2f"), alt.Tooltip("n:Q", title="answers")]  # fmt: skip
    layers = [
        line.mark_line(strokeWidth=1, strokeDash=[1, 3], color=role("muted"), tooltip=None).encode(x, y),
        base.mark_line(strokeWidth=1.6, opacity=0.7).encode(x, y, colour),
        base.mark_point(filled=True, opacity=0.9).encode(x, y, colour, size, tooltip=pointed),
    ]
    return alt.LayerChart(layer=layers, height=200)
