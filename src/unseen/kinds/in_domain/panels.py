"""Panels of regression (Schott et al. 2022): R² by split, modularity, predicted against true, towards the mean.

Numbers in, Altair out, as in ``charts.py``: a panel fixes its height and leaves its width open. What lies beyond an
axis is marked there, by an arrow tip (a value has its number beside it) or by a count, never cut off in silence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from unseen.reports.charts import Rows, finite, interval_tips
from unseen.reports.palette import role, series_colours
from unseen.reports.words import has_interval, interval, number

LOWEST = -0.5  # ours: R² has no lower bound; an axis needs one
BAR = 0.85  # opacity
TWO_LINES = (  # a long name ("efficientnet-lite0 pretrained frozen") is broken at its first space, rather than cut off
    "length(datum.label) > 20 && indexof(datum.label, ' ') > 0 ? [slice(datum.label, 0, indexof(datum.label, ' ')), "
    "slice(datum.label, indexof(datum.label, ' ') + 1)] : datum.label"
)
CUTS = {"low": ("under", "M1,-1L0,0L1,1"), "high": ("over", "M-1,-1L0,0L-1,1")}  # open tips, pointing outwards
PARTS = {"out": "the factor out of range", "others": "the other factors"}


def _layers(layers: Sequence[alt.Chart], height: int) -> alt.LayerChart:
    return alt.LayerChart(layer=list(layers), height=height)


def _chart(values: Sequence[Mapping[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.Data(values=list(values)))


def r2_rows(rows: Rows, lowest: float | int = LOWEST) -> list[dict[str, Any]]:
    """Rows with what is drawn (``end``, ``low``, ``high``: within the axis) and what is said (``shown``, ``beyond``).

    A t interval may reach beyond 1, which R² cannot; it is drawn to 1 and said as it is. ``under`` and ``over``: at
    which ends an interval is cut.

    >>> row, = r2_rows([{"model": "CNN", "split": "random", "value": -3.2, "low": -4.0, "high": 0.2, "n": 3}])
    >>> row["end"], row["low"], row["high"], row["beyond"]
    (-0.5, -0.5, 0.2, '−3.200')
    """
    made = []
    for row in rows:
        value, bounded = finite(row["value"]), has_interval(row["low"], row["high"])
        beyond = "undefined" if value is None else number(value) if value < lowest else ""
        made.append(
            {
                **{key: row[key] for key in row if key not in ("value", "low", "high")},
                "end": None if value is None else max(value, lowest),
                "low": min(max(row["low"], lowest), 1) if bounded else None,
                "high": min(max(row["high"], lowest), 1) if bounded else None,
                "under": bounded and row["low"] < lowest,
                "over": bounded and row["high"] > 1,
                "beyond": beyond,
                "place": 0 if value is None else lowest,
                "shown": number(row["value"]),
                "interval": interval(row["low"], row["high"], row["n"]),
            }
        )
    return made


def _r2_axis(field: str, lowest: float | int) -> alt.X:
    axis = alt.Axis(title="R²", format="~g", tickCount=4, grid=True)
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[lowest - 0.03 * (lowest < 0), 1.02], nice=False), axis=axis)


def _zero(lowest: float | int) -> alt.Chart:
    """Zero is what always giving the mean would score."""
    rule = _chart([{"zero": 0}]).mark_rule(color=role("muted"), strokeWidth=1, tooltip=None)
    return rule.encode(_r2_axis("zero", lowest))


def _tips(base: alt.Chart, opacity: float | int = 1) -> alt.Chart:
    """Where a value lies below the axis, an arrow tip at its end."""
    below = base.transform_filter("datum.place < 0 && datum.beyond != ''")
    return below.mark_point(shape="triangle-left", filled=True, size=90, opacity=opacity, xOffset=-4)


def _cuts(rows: Rows, lowest: float | int, *channels: Any, **look: Any) -> list[alt.Chart]:
    """Where an interval goes on beyond the axis, an open arrow tip at its end."""
    return [
        _chart(some)
        .mark_point(shape=tip, filled=False, size=34, tooltip=None, **look)
        .encode(_r2_axis(end, lowest), *channels)
        for end, (cut, tip) in CUTS.items()
        if (some := [row for row in rows if row[cut] and not row["beyond"]])
    ]


def _floor(rows: Rows) -> float | int:
    """Where the axis starts: at 0 if nothing is below it, else at ``LOWEST``."""
    ends = [end for row in rows for end in (finite(row["value"]), finite(row["low"])) if end is not None]
    return LOWEST if min(ends, default=0) < 0 else 0


def r2_bars(
    rows: Rows,
    *,
    models: Sequence[str] = (),
    splits: Sequence[str] = (),
    colours: Mapping[str, str] | None = None,
    published: Rows = (),
) -> alt.LayerChart:
    """R² of every model under every split, with its interval; a tick where the paper has a number.

    ``rows``: model, split, value, low, high, n. ``published``: model, split, value, source. Models run down the page,
    so that their names can be read; the splits of one model lie together.
    """
    models = list(models) or list(dict.fromkeys(row["model"] for row in (*rows, *published)))
    splits = list(splits) or list(dict.fromkeys(row["split"] for row in (*rows, *published)))
    colours = colours or series_colours(splits)
    lowest = _floor([*rows, *({**row, "low": None} for row in published)])
    data = r2_rows(rows, lowest)
    y = alt.Y("model:N", sort=models, title=None, scale=alt.Scale(paddingInner=0.18, paddingOuter=0.1))
    y = y.axis(labelLimit=150, labelExpr=TWO_LINES, labelPadding=10, grid=False)
    beside = alt.YOffset("split:N", scale=alt.Scale(domain=splits, paddingInner=0.12))  # layers forget a sort
    paint = alt.Color(
        "split:N", sort=splits, title="split", scale=alt.Scale(domain=splits, range=[colours[name] for name in splits])
    )
    tips = [alt.Tooltip("model:N"), alt.Tooltip("split:N"), alt.Tooltip("shown:N", title="R²")]
    every = [*tips, *interval_tips()]
    base = _chart(data)
    zero = alt.X2(datum=0)
    bars = base.transform_filter("isValid(datum.end)").mark_bar(opacity=BAR)
    layers = [
        _zero(lowest),
        bars.encode(_r2_axis("end", lowest), zero, y, beside, paint, tooltip=every),
    ]
    there = base.transform_filter("isValid(datum.low) && datum.beyond == ''")  # else it would cross the bar's number
    bounds = there.mark_rule(color=role("ink"), strokeWidth=1, tooltip=None)
    layers.append(bounds.encode(_r2_axis("low", lowest), alt.X2("high:Q"), y, beside))
    layers += _cuts(data, lowest, y, beside, color=role("ink"), strokeWidth=1.2, opacity=1)
    layers.append(_tips(base, BAR).encode(_r2_axis("place", lowest), y, beside, paint, tooltip=every))
    word = (
        base.transform_filter("datum.beyond != ''")
        .transform_calculate(middle="0")
        .mark_text(align="left", dx=5, fontSize=10, color=role("ink"), tooltip=None)
    )  # right of zero, where such a bar leaves room
    layers.append(word.encode(_r2_axis("middle", lowest), y, beside, alt.Text("beyond:N")))
    known = _known(published, data, lowest)
    source = [*tips, alt.Tooltip("source:N", title="published in")]
    if inside := [row for row in known if not row["beyond"]]:
        tick = _chart(inside).mark_tick(color=role("ink"), thickness=2.4, opacity=1)
        layers.append(tick.encode(_r2_axis("value", lowest), y, beside, tooltip=source))
    if below := [row for row in known if row["beyond"]]:
        look = {"shape": CUTS["low"][1], "filled": False, "size": 90, "strokeWidth": 2.4, "color": role("ink")}
        point = _chart(below).mark_point(xOffset=-4, opacity=1, **look)
        layers.append(point.encode(_r2_axis("place", lowest), y, beside, tooltip=source))
        for shift in sorted({row["shift"] for row in below}):
            words = _chart([row for row in below if row["shift"] == shift])
            text = words.mark_text(align="left", dx=shift, fontSize=10, color=role("muted"), tooltip=None)
            layers.append(text.encode(_r2_axis("words", lowest), y, beside, alt.Text("beyond:N")))
    least = 32 if any(len(name) > 20 for name in models) else 0  # two lines of a long name
    each = 13  # a line of words; the same for all panels of a figure, which share the room of a bar when drawn as one
    return _layers(layers, height=max(80, len(models) * max(least, 8 + each * len(splits))))


def _known(published: Rows, data: Rows, lowest: float | int) -> list[dict[str, Any]]:
    """Published numbers with what is said of those ``beyond`` the axis, and where: at its end, or right of zero where
    our own bar is in the way (and behind its number)."""
    ours = {(row["model"], row["split"]): row for row in data}
    made = []
    for row in published:
        bar = ours.get((row["model"], row["split"]))
        blocked = bar is not None and (bar["beyond"] != "" or bar["end"] < 0)
        made.append(
            {
                **row,
                "shown": number(row["value"]),
                "beyond": f"published {number(row['value'])}" if row["value"] < lowest else "",
                "place": lowest,
                "words": 0 if blocked else lowest,
                "shift": (60 if bar["beyond"] else 5) if bar is not None and blocked else 8,
            }
        )
    return made


def modularity_dots(rows: Rows, *, names: Sequence[str] = ()) -> alt.LayerChart:
    """R² of the factor that is out of range beside the mean R² of the others, joined by a line.

    ``rows``: name (a factor, or a model), part ("out" or "others"), value, low, high, n. Far apart: the factor that is
    out is lost and the others are kept, which is what modular means.
    """
    names = list(names) or list(dict.fromkeys(row["name"] for row in rows))
    lowest = _floor(rows)
    data = [{**row, "words": PARTS[row["part"]]} for row in r2_rows(rows, lowest)]
    y = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1))
    y = y.axis(labelLimit=150, labelExpr=TWO_LINES, labelPadding=10, grid=False)
    beside = alt.YOffset("words:N", scale=alt.Scale(domain=list(PARTS.values())))  # else equal values hide each other
    scale = alt.Scale(domain=list(PARTS.values()), range=[role("asked"), role("seen")])
    paint = alt.Color("words:N", scale=scale, title="R² of")
    base = _chart(data)
    pairs = base.transform_filter("isValid(datum.end)").transform_aggregate(
        start="min(end)", stop="max(end)", groupby=["name"]
    )
    joined = pairs.mark_rule(color=role("grid"), strokeWidth=3, tooltip=None)
    layers = [_zero(lowest), joined.encode(_r2_axis("start", lowest), alt.X2("stop:Q"), y)]
    there = base.transform_filter("isValid(datum.low) && datum.beyond == ''")
    bounds = there.mark_rule(strokeWidth=1.6, opacity=0.7, tooltip=None)
    layers.append(bounds.encode(_r2_axis("low", lowest), alt.X2("high:Q"), y, beside, paint))
    layers += _cuts(data, lowest, y, beside, paint, strokeWidth=1.6, opacity=0.7)
    tips = [
        alt.Tooltip("name:N"),
        alt.Tooltip("words:N", title="R² of"),
        alt.Tooltip("shown:N", title="R²"),
        *interval_tips(),
    ]
    inside = base.transform_filter("isValid(datum.end) && datum.beyond == ''")
    point = inside.mark_point(filled=True, size=70, opacity=1)
    layers.append(point.encode(_r2_axis("end", lowest), y, beside, paint, tooltip=tips))
    layers.append(_tips(base).encode(_r2_axis("place", lowest), y, beside, paint, tooltip=tips))
    word = base.transform_filter("datum.beyond != ''").mark_text(align="left", dx=7, fontSize=10.5, tooltip=None)
    layers.append(word.encode(_r2_axis("place", lowest), y, beside, paint, alt.Text("beyond:N")))
    return _layers(layers, height=max(80, 34 * len(names)))


def _half(levels: int, *, strip: bool = False) -> float:
    """Half the distance of two levels; a strip of answers is never wider than a tenth of the axis."""
    half = 0.5 / max(1, levels - 1)
    return min(half, 0.05) if strip else half


def _heat(
    predicted: np.ndarray, true: np.ndarray, levels: int, span: tuple[float, float], steps: int
) -> list[dict[str, Any]]:
    """Share of the images of each true level that are answered within each step of the axis."""
    level = np.rint(true * (levels - 1)).astype(int)
    low, high = span
    place = np.clip(np.floor((predicted - low) / (high - low) * steps), 0, steps - 1).astype(int)
    counts = np.zeros((levels, steps), int)
    np.add.at(counts, (level, place), 1)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    step, half = (high - low) / steps, _half(levels, strip=True)
    return [
        {
            "left": round((i / max(1, levels - 1)) - half, 5),
            "right": round((i / max(1, levels - 1)) + half, 5),
            "bottom": round(low + step * k, 5),
            "top": round(low + step * (k + 1), 5),
            "share": round(float(shares[i, k]), 4),
            "strength": round(float(shares[i, k] / shares.max()), 3),
            "images": int(counts[i, k]),
        }
        for i, k in zip(*np.nonzero(counts))
    ]


def predicted_against_true(
    predicted: np.ndarray,
    true: np.ndarray,
    *,
    levels: int,
    out: Collection[int] = (),
    mean: float | None = None,
    span: tuple[float, float] = (-0.25, 1.25),
    steps: int = 48,
    height: int = 240,
) -> alt.LayerChart:
    """Where the answers of each true level lie: fuller is more of them. Levels out of range lie on a shaded ground.

    On the diagonal: right. A flat run over the shaded levels: the network stops at the edge of what it has seen; a bend
    towards the dotted ``mean``: it falls back on the average. Dots are medians. A table of counts is drawn, not points,
    so that half a million images cost no more than a hundred.
    """
    predicted, true = np.asarray(predicted, np.float64), np.asarray(true, np.float64)
    whole = np.isfinite(predicted)
    answered, truth = predicted[whole], true[whole]
    half = min(_half(levels), 0.1)
    x_scale, y_scale = alt.Scale(domain=[-half, 1 + half], nice=False), alt.Scale(domain=list(span), nice=False)
    x_axis = alt.Axis(title="true", values=[0, 0.5, 1], format=".2~f")
    y_axis = alt.Axis(title="predicted", values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=x_axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    layers = []
    if len(out):
        ground = [
            {"left": i / (levels - 1) - half, "right": i / (levels - 1) + half, "low": span[0], "high": span[1]}
            for i in sorted(out)
        ]
        shade = _chart(ground).mark_rect(color=role("asked"), opacity=0.14, tooltip=None)
        layers.append(shade.encode(x("left"), alt.X2("right:Q"), y("low"), alt.Y2("high:Q")))
    heat = _heat(answered, truth, levels, span, steps)
    cells = _chart(heat).mark_rect(color=role("heat"))
    strength = alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None)
    tips = [
        alt.Tooltip("images:Q"),
        alt.Tooltip("share:Q", title="of this level", format=".1%"),
        alt.Tooltip("bottom:Q", title="predicted from", format=".2f"),
    ]
    layers.append(cells.encode(x("left"), alt.X2("right:Q"), y("bottom"), alt.Y2("top:Q"), strength, tooltip=tips))
    line = _chart([{"at": 0, "to": 0}, {"at": 1, "to": 1}])
    layers.append(line.mark_line(color=role("muted"), strokeWidth=1.2, tooltip=None).encode(x("at"), y("to")))
    if mean is not None:
        level = _chart([{"to": mean}]).mark_rule(color=role("muted"), strokeDash=[1, 3], strokeWidth=1.4, tooltip=None)
        layers.append(level.encode(y("to")))
    places = np.rint(truth * (levels - 1)).astype(int)
    medians = [{"at": i / max(1, levels - 1), "to": float(np.median(answered[places == i]))} for i in np.unique(places)]
    inside = [{**dot, "to": min(max(dot["to"], span[0]), span[1])} for dot in medians]
    dots = _chart(inside).mark_point(filled=True, size=16, color=role("ink"), opacity=1, tooltip=None)
    layers.append(dots.encode(x("at"), y("to")))
    beyond, lost = int(((answered < span[0]) | (answered > span[1])).sum()), int((~whole).sum())
    words = [f"{beyond:,} off the axis"] * bool(beyond) + [f"{lost:,} not finite"] * bool(lost)
    if words:
        note = _chart([{"at": -half, "to": span[1], "words": "; ".join(words)}])
        mark = note.mark_text(align="left", baseline="top", dx=2, dy=3, fontSize=10, color=role("muted"), tooltip=None)
        layers.append(mark.encode(x("at"), y("to"), alt.Text("words:N")))
    return _layers(layers, height)


def towards_mean_bars(
    edges: Sequence[float | int],
    counts: Sequence[int],
    overflow: int,
    *,
    undefined: int = 0,
    most: float | int = 0,
    height: int = 180,
) -> alt.LayerChart:
    """How far predictions go from the mean, relative to the truth: shares of images, with [0, 1] on a shaded ground.

    The last bar, set apart, holds all beyond the last edge. Predictions whose truth is the mean have no ratio; they are
    counted in the note. ``most``: the greatest share of a bar in any panel, so that all have one axis.
    """
    counts = [int(count) for count in counts]
    total = sum(counts) + overflow
    width, last = edges[1] - edges[0], edges[-1]
    bars = [
        {"left": a, "right": b, "share": count / total if total else 0, "images": count, "words": f"{a:g} to {b:g}"}
        for a, b, count in zip(edges, edges[1:], counts)
    ]
    far = {"left": last + width, "right": last + 3 * width, "share": overflow / total if total else 0}
    bars.append({**far, "images": overflow, "words": f"above {last:g}"})
    most = max([0.01, most, *(bar["share"] for bar in bars)])
    highest = most * 1.3  # with room for words
    ticks = [tick for tick in (0, 0.5, 1, 1.5, 2, 3, 4) if tick < last]
    text = f"datum.value > {last} ? '> {last:g}' : format(datum.value, '~g')"
    x_axis = alt.Axis(
        title=["|prediction − mean|", "/ |truth − mean|"], values=[*ticks, last + 2 * width], labelExpr=text
    )
    x_scale = alt.Scale(domain=[edges[0], last + 3.2 * width], nice=False)
    y_axis = alt.Axis(title="share of images", format="~%", values=share_ticks(most))

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=x_axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, highest], nice=False), axis=y_axis)

    ground = _chart([{"left": 0, "right": 1, "low": 0, "high": highest}])
    shade = ground.mark_rect(color=role("seen"), opacity=0.1, tooltip=None)
    layers = [shade.encode(x("left"), alt.X2("right:Q"), y("low"), alt.Y2("high:Q"))]
    tips = [alt.Tooltip("words:N", title="ratio"), alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("images:Q")]
    bar = _chart(bars).mark_bar(color=role("heat"), binSpacing=1)
    layers.append(bar.encode(x("left"), alt.X2("right:Q"), y("share"), alt.Y2(datum=0), tooltip=tips))
    inside = sum(count for count, edge in zip(counts, edges[1:]) if edge <= 1)
    share = f"{number(inside / total, percent=True)} within [0, 1]" if total else "no ratio is defined"
    left = f", {undefined:,} undefined" if undefined else ""
    note = _chart([{"left": 0, "high": highest, "words": f"{share}\n{total:,} answers{left}"}])
    mark = note.mark_text(
        align="left", baseline="top", dx=5, dy=4, fontSize=11, lineBreak="\n", color=role("ink"), tooltip=None
    )
    layers.append(mark.encode(x("left"), y("high"), alt.Text("words:N")))
    return _layers(layers, height)


def greatest_share(counts: Sequence[int], overflow: int) -> float:
    """Of the bars of one histogram."""
    return max(*counts, overflow) / max(1, sum(counts) + overflow)


def share_ticks(most: float | int) -> list[float]:
    """Round shares up to ``most``, four at the most above zero; above it there are words.

    >>> share_ticks(0.17), share_ticks(1)
    ([0.0, 0.05, 0.1, 0.15], [0.0, 0.5, 1.0])
    """
    step = next(step for step in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most < 5 * step)
    return [round(step * k, 3) for k in range(int(most / step + 1e-9) + 1)]
