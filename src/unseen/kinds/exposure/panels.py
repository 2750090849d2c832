"""Panels of transformations (Zaidi et al. 2020): accuracy by family, violins of invariance, invariance against
accuracy, ablation curves, calibration, confusion quadrants.

Numbers in, Altair out, as in ``charts.py``: a panel fixes its height and leaves its width open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from unseen.kinds.exposure.shown import CalibrationCurve, Violin
from unseen.reports.charts import Rows, colour, curve_rows, finite, interval_tips, x_axis, y_axis
from unseen.reports.palette import OTHERS, SERIES, role, series_colours
from unseen.reports.words import number, plain

# The paper's families; what was trained on plain images alone is grey.
FAMILIES = {
    "colour": SERIES["shared-wide"][0],
    "geometric": SERIES["shared"][0],
    "convolutional": SERIES["separate"][0],
    "noise": SERIES["split-2"][0],
    "distortion": SERIES["split-3"][0],
    "other": OTHERS[0][0],
    "plain images only": OTHERS[5][0],
}
# Members of one family, in order: a line's dashes, a point's shape.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
QUADRANTS = {
    ("within", 0): "seen → seen",
    ("within", 1): "seen → unseen",
    ("across", 0): "unseen → seen",
    ("across", 1): "unseen → unseen",
}
# What is left of a network at a given τ: the column of its accuracy, a line's dashes.
PARTS = {
    "inactive units ablated": ("kept", (1, 0)),
    "active units ablated": ("removed", (3, 2)),
    "whole network": ("full", (6, 2, 1, 2)),
}
STEPS = 48  # of a violin's outline


def family_colours(names: Iterable[str]) -> dict[str, str]:
    """A light colour for each family present, in the paper's order; a family we do not know gets one that is free."""
    given = list(dict.fromkeys(names))
    own = {name: light for name, light in FAMILIES.items() if name in given}
    return own | series_colours(name for name in given if name not in FAMILIES)


def _chart(values: Sequence[Mapping[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.Data(values=list(values)))


def _member(field: str, names: Sequence[str], ranges: Sequence[Any]) -> Any:
    """Tells transformations of one family apart; ``ranges`` has one mark for each of ``names``."""
    scale = alt.Scale(domain=list(names), range=list(ranges))
    channel = alt.StrokeDash if field == "dash" else alt.Shape
    return channel("series:N", scale=scale, sort=list(names), title="transformation")


def family_lines(
    rows: Rows,
    *,
    colours: Mapping[str, str],
    dashes: Mapping[str, Sequence[int]],
    x_title: str,
    xs: Sequence[float],
    chance: float | None,
    height: int = 300,
) -> alt.LayerChart:
    """A line for each transformation in its family's colour, told apart by dashes, over ``xs``, so that panels side by
    side have one axis. Intervals are in the tooltips: twelve bands would hide each other."""
    data = curve_rows(rows)
    x, y = x_axis(xs, x_title, wrap=48), y_axis("value", (0, 1), title="accuracy")
    layers = [_level(chance, "chance", (0, 1))] if chance is not None else []
    base = _chart(data)
    paint = colour(colours, "transformation")
    line = base.mark_line(strokeWidth=2, tooltip=None)
    layers.append(line.encode(x, y, paint, _member("dash", list(dashes), list(dashes.values()))))
    tips = [alt.Tooltip("series:N", title="transformation"), alt.Tooltip("x:Q", title="seen transformed")]
    tips += [alt.Tooltip("shown:N", title="accuracy"), *interval_tips()]
    point = base.mark_point(filled=True, opacity=1, size=34, strokeWidth=12, strokeOpacity=0)
    layers.append(point.encode(x, y, paint, tooltip=tips))
    return alt.LayerChart(layer=layers, height=height)


def _level(value: float, word: str, domain: Sequence[float | int], y_title: str = "accuracy") -> alt.Chart:
    """A dotted line across the panel."""
    rule = _chart([{"at": value, "word": word}]).mark_rule(strokeWidth=1, strokeDash=[1, 3], color=role("muted"))
    y = y_axis("at", domain, title=y_title)
    return rule.encode(y, tooltip=[alt.Tooltip("word:N", title="line"), alt.Tooltip("at:Q")])


def density(values: np.ndarray, span: tuple[float, float], steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """Places and the density there: a Gaussian kernel of Scott's width, mirrored at the ends of the axis so that
    nothing leaks beyond it. The widest place is 1.

    >>> places, height = density(np.array([0.5, 0.5, 0.6]), (0.0, 1.0), steps=11)
    >>> float(places[np.argmax(height)]), float(height.max()), float(height[0]) < 1e-6
    (0.5, 1.0, True)
    """
    low, high = span
    places = np.linspace(low, high, steps)
    inside = np.clip(values, low, high)
    spread = min(float(inside.std()), float(np.subtract(*np.quantile(inside, (0.75, 0.25)))) / 1.34 or np.inf)
    width = max(spread * len(inside) ** -0.2, 0.015 * (high - low))
    mirrored = np.concatenate([inside, 2 * low - inside, 2 * high - inside])
    height = np.zeros(steps)
    for part in np.array_split(mirrored, max(1, len(mirrored) // 20_000)):  # bounded memory
        height += np.exp(-0.5 * ((places[:, None] - part[None]) / width) ** 2).sum(axis=1)
    return places, height / height.max()


def violins(
    parts: Sequence[Violin],
    *,
    paint: str,
    groups: tuple[str, str, str],
    span: tuple[float, float] = (0.0, 1.0),
    height: int = 170,
) -> alt.LayerChart:
    """Coefficients of single units by number seen: on the left of each place seen-transformed categories (faint), on
    the right unseen-transformed ones; in grey the plainly trained network. A tick is the median."""
    seen, unseen, every = groups
    xs = sorted({part.x for part in parts})
    outline, ticks = [], []
    for part in parts:
        if not len(part.values) or (part.group == every and part.x):
            continue
        if part.x == 0 and part.group != (every if any(p.group == every and not p.x for p in parts) else unseen):
            continue
        left = 0.44 * (part.x == 0 or part.group == seen)
        right = 0.44 * (part.x == 0 or part.group == unseen)
        kind = "plainly trained" if part.x == 0 else part.group
        fill = FAMILIES["plain images only"] if part.x == 0 else paint
        at, name = xs.index(part.x), f"{part.group} {part.x:g}"
        places, wide = density(part.values, span)
        outline += [
            {"name": name, "kind": kind, "to": round(float(y), 4), "paint": fill,
             "left": round(at - left * float(w), 4), "right": round(at + right * float(w), 4)}
            for y, w in zip(places, wide) if w > 0.004
        ]  # fmt: skip
        median = float(np.median(part.values))
        quarters = "–".join(number(float(q)) for q in np.quantile(part.values, (0.25, 0.75)))
        ticks.append({"kind": kind, "to": float(np.clip(median, *span)), "left": at - left, "right": at + right,
                      "x": part.x, "median": number(median), "quarters": quarters, "units": len(part.values),
                      "unscored": part.unscored, "networks": part.networks})  # fmt: skip
    names = f"[{','.join(repr(plain(x)) for x in xs)}][datum.value]"
    axis = alt.Axis(title="seen transformed", values=list(range(len(xs))), labelExpr=names, labelOverlap="greedy")
    scale = alt.Scale(domain=[-0.6, len(xs) - 0.4], nice=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    fades = alt.Scale(type="ordinal", domain=["plainly trained", seen, unseen], range=[0.5, 0.35, 0.85])
    fade = alt.Opacity("kind:N", scale=fades, legend=None)
    area = _chart(outline).mark_area(orient="horizontal", tooltip=None, interpolate="linear")
    y = y_axis("to", span, title="invariance of units")
    layers = [
        area.encode(x("left"), alt.X2("right:Q"), y, alt.Color("paint:N", scale=None), fade, alt.Detail("name:N"))
    ]
    tips = [alt.Tooltip("kind:N", title="categories"), alt.Tooltip("x:Q", title="seen transformed")]
    tips += [alt.Tooltip("median:N"), alt.Tooltip("quarters:N", title="quartiles"), alt.Tooltip("units:Q")]
    tips += [alt.Tooltip("unscored:Q", title="units without a score"), alt.Tooltip("networks:Q")]
    rule = _chart(ticks).mark_rule(strokeWidth=2, color=role("ink"))
    layers.append(rule.encode(x("left"), alt.X2("right:Q"), y, tooltip=tips))
    return alt.LayerChart(layer=layers, height=height)


def invariance_points(
    rows: Rows,
    *,
    colours: Mapping[str, str],
    shapes: Mapping[str, str],
    span: Sequence[float | int],
    asked: str,
    note: str,
    unit: str = "seed",
    height: int = 300,
) -> alt.LayerChart:
    """One point per network and transformation: how invariant its units are, and its accuracy; larger: more seen.
    ``unit``: what a repeat is called."""
    data = [{**row, "invariance": finite(row["invariance"]), "accuracy": finite(row["accuracy"])} for row in rows]
    axis = alt.Axis(title="median invariance, unseen-transformed categories", format="~g", tickCount=5, grid=True)
    x = alt.X("invariance:Q", scale=alt.Scale(domain=list(span), nice=False), axis=axis)
    ticks = alt.Axis(title=f"{asked} accuracy", format="~g", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1.16], nice=False), axis=ticks)  # room for the note
    most = max([1.0, *(row["x"] for row in data)])
    size = alt.Size("x:Q", scale=alt.Scale(domain=[0, most], range=[18, 110]), title="seen transformed", legend=None)
    tips = [alt.Tooltip("series:N", title="transformation"), alt.Tooltip("x:Q", title="seen transformed")]
    tips += [alt.Tooltip("repeat:N", title=unit), alt.Tooltip("invariance:Q", format=".3f")]
    tips.append(alt.Tooltip("accuracy:Q", title=f"{asked} accuracy", format=".3f"))
    point = _chart(data).mark_point(filled=True, opacity=0.7)
    marks = _member("shape", list(shapes), list(shapes.values()))
    layers = [point.encode(x, y, colour(colours, "transformation"), marks, size, tooltip=tips)]
    words = _chart([{"invariance": span[0], "accuracy": 1.16, "note": note}])
    text = words.mark_text(align="left", baseline="top", dx=6, dy=6, fontSize=12, color=role("ink"), tooltip=None)
    layers.append(text.encode(x, y, alt.Text("note:N")))
    return alt.LayerChart(layer=layers, height=height)


def ablation_curves(rows: Rows, *, paint: str, height: int = 150) -> alt.LayerChart:
    """Accuracy against τ with the inactive units of each image ablated (solid) or the active ones (dashed); fainter:
    fewer categories seen transformed. Points are the τ that were chosen, larger where by more networks."""
    data = [
        {"x": row["x"], "threshold": row["threshold"], "part": part, "value": finite(row[key]), "n": row["n"],
         "chosen": row["chosen"], "full": number(row["full"]), "shown": number(row[key])}
        for row in rows
        for key, part in (("kept", "inactive ablated"), ("removed", "active ablated"))
        if finite(row[key]) is not None
    ]  # fmt: skip
    xs = sorted({row["x"] for row in data})
    axis = alt.Axis(title="threshold τ", format="~g", tickCount=5)
    x = alt.X("threshold:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis)
    y = y_axis("value", (0, 1), title="accuracy")
    faint = [1 - 0.75 * (len(xs) - 1 - place) / max(1, len(xs) - 1) for place in range(len(xs))]
    fade = alt.Opacity("x:O", scale=alt.Scale(type="ordinal", domain=xs, range=faint), legend=None)
    parts = alt.Scale(domain=["inactive ablated", "active ablated"], range=[[1, 0], [3, 2]])
    base = _chart(data)
    line = base.mark_line(strokeWidth=1.6, color=paint, tooltip=None)
    layers = [line.encode(x, y, alt.StrokeDash("part:N", scale=parts, title="units"), fade, alt.Detail("x:N"))]
    tips = [alt.Tooltip("x:Q", title="seen transformed"), alt.Tooltip("threshold:Q"), alt.Tooltip("part:N")]
    tips += [alt.Tooltip("shown:N", title="accuracy"), alt.Tooltip("full:N", title="untouched")]
    tips += [alt.Tooltip("chosen:Q", title="networks that chose it"), alt.Tooltip("n:Q", title="networks")]
    picked = _chart([row for row in data if row["chosen"] and row["part"] == "inactive ablated"])
    point = picked.mark_point(filled=True, size=42, color=paint)
    layers.append(point.encode(x, y, fade, tooltip=tips))
    return alt.LayerChart(layer=layers, height=height)


def given_ablation(rows: Rows, *, paint: str, height: int = 150) -> alt.LayerChart:
    """Accuracy by number seen where τ was given: with the inactive units of each image ablated, with the active ones
    ablated, and of the whole network."""
    data = [
        {"x": row["x"], "part": part, "value": finite(row[key]), "shown": number(row[key]), "n": row["n"]}
        for row in rows
        for part, (key, _) in PARTS.items()
        if finite(row[key]) is not None
    ]
    x, y = x_axis([row["x"] for row in data], "seen transformed", wrap=48), y_axis("value", (0, 1), title="accuracy")
    parts = alt.Scale(domain=list(PARTS), range=[list(dash) for _, dash in PARTS.values()])
    base = _chart(data)
    line = base.mark_line(strokeWidth=1.6, color=paint, tooltip=None)
    tips = [alt.Tooltip("x:Q", title="seen transformed"), alt.Tooltip("part:N", title="units")]
    tips += [alt.Tooltip("shown:N", title="accuracy"), alt.Tooltip("n:Q", title="networks")]
    point = base.mark_point(filled=True, opacity=1, size=26, color=paint).encode(x, y, tooltip=tips)
    dashed = line.encode(x, y, alt.StrokeDash("part:N", scale=parts, title="units"))
    return alt.LayerChart(layer=[dashed, point], height=height)


def calibration_curve(curve: CalibrationCurve, *, paint: str, height: int = 150) -> alt.LayerChart:
    """Accuracy of a plainly trained network against strength; a ring is the strength chosen, dotted lines are plain
    accuracy, the target and chance."""
    data = [
        {"strength": s, "value": finite(a), "shown": number(a), "n": curve.n}
        for s, a in zip(curve.strengths, curve.accuracy)
        if finite(a) is not None
    ]
    axis = alt.Axis(title="strength", tickCount=4)
    x = alt.X("strength:Q", scale=alt.Scale(zero=False, nice=False, padding=8), axis=axis)
    y = y_axis("value", (0, 1), title="accuracy")
    known = {"plain": curve.plain, "target": curve.target, "chance": curve.chance}
    layers = [_level(value, word, (0, 1)) for word, value in known.items() if finite(value) is not None]
    ends = {"plain": (max, "right", 6), "target": (min, "left", -6)}  # where the curve is not
    for word, (end, side, shift) in ends.items():
        if data and finite(known[word]) is not None:
            words = _chart([{"strength": end(row["strength"] for row in data), "value": known[word], "word": word}])
            text = words.mark_text(
                align=side, baseline="bottom", dy=-2, dx=shift, fontSize=10, color=role("muted"), tooltip=None
            )
            layers.append(text.encode(x, y, alt.Text("word:N")))
    tips = [alt.Tooltip("strength:Q"), alt.Tooltip("shown:N", title="accuracy"), alt.Tooltip("n:Q", title="images")]
    base = _chart(data)
    layers.append(base.mark_line(strokeWidth=2, color=paint, tooltip=None).encode(x, y))
    layers.append(base.mark_point(filled=True, size=34, opacity=1, color=paint).encode(x, y, tooltip=tips))
    if curve.chosen is not None:
        ring = _chart([row for row in data if abs(row["strength"] - curve.chosen) < 1e-9])
        mark = ring.mark_point(filled=False, size=150, strokeWidth=2, opacity=1, color=role("ink"), tooltip=None)
        layers.append(mark.encode(x, y))
    return alt.LayerChart(layer=layers, height=height)


def quadrant_table(rows: Rows, *, paint: str, height: int = 96) -> alt.LayerChart:
    """Shares in percent by number seen: the set of categories an image is of → the set it is taken for."""
    data = [
        {"x": plain(row["x"]), "quadrant": QUADRANTS[row["set"], row["column"]], "share": row["value"],
         "shown": f"{100 * row['value']:.0f}", "words": number(row["value"], percent=True), "n": row["n"],
         "spread": row["spread"]}
        for row in rows
    ]  # fmt: skip
    columns = [plain(x) for x in sorted({row["x"] for row in rows})]
    x = alt.X("x:N", sort=columns, axis=alt.Axis(title="seen transformed", labelAngle=0), scale=alt.Scale(padding=0.05))
    y = alt.Y("quadrant:N", sort=list(QUADRANTS.values()), scale=alt.Scale(padding=0.05)).axis(title=None, grid=False)
    tips = [
        alt.Tooltip("quadrant:N"),
        alt.Tooltip("x:N", title="seen transformed"),
        alt.Tooltip("words:N", title="share"),
    ]
    tips += [alt.Tooltip("spread:N", title="95 % interval"), alt.Tooltip("n:Q")]
    base = _chart(data)
    fade = alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.6]), legend=None)
    cell = base.mark_rect(color=paint).encode(x, y, fade, tooltip=tips)
    text = base.mark_text(fontSize=9.5, color=role("ink"), tooltip=None).encode(x, y, alt.Text("shown:N"))
    return alt.LayerChart(layer=[cell, text], height=height)
