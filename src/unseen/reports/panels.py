"""Panels that are not curves over x: build-up over layers, trials as points, losses over epochs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import altair as alt

from unseen.reports.charts import Rows, Series, curve_rows, finite, interval_tips, y_axis

TRAIN_DASH = [2, 2]
PHASE_SHAPES = {"train": "diamond", "validation": "circle"}  # where one epoch makes no line


def build_up(
    rows: Rows, series: Series, *, layers: Sequence[str], domain: Sequence[float | int], height: int = 180
) -> alt.LayerChart:
    """A measure over the layers of a network, in their order: one line per series and x, fainter where x is smaller."""
    data = [
        {**made, "layer": row["layer"]}
        for row in rows
        for made in curve_rows([row])  # a row without a value makes none
    ]
    xs = sorted({row["x"] for row in data})
    base = alt.Chart(alt.Data(values=data))
    axis = alt.Axis(
        title="layer", labelAngle=0 if sum(map(len, layers)) < 40 else -35, labelOverlap=True, labelLimit=110
    )
    x = alt.X("layer:N", sort=list(layers), axis=axis, scale=alt.Scale(type="point", padding=0.3))
    y = y_axis("value", domain, title="median specialization")
    faint = [1 - 0.7 * (xs[-1] - x) / (xs[-1] - xs[0]) if len(xs) > 1 else 1 for x in xs]
    opacity = alt.Opacity("x:O", scale=alt.Scale(type="ordinal", domain=xs, range=faint), title=series.x_title)
    line = base.mark_line(strokeWidth=1.8).encode(x, y, series.colour, opacity, alt.Detail("x:N"))
    tips = [
        alt.Tooltip("layer:N"),
        *series.tips(),
        alt.Tooltip("shown:N", title="mean"),
        *interval_tips(),
    ]
    point = base.mark_point(filled=True, size=30, strokeWidth=12, strokeOpacity=0)
    points = point.encode(x, y, series.colour, opacity, tooltip=tips)
    return alt.LayerChart(layer=[line, points], height=height)


def trials(rows: Rows, series: Series, *, span: Sequence[float | int], height: int = 240) -> alt.LayerChart:
    """One point per trial: how specialized its units are, and how well it does on what it has not seen."""
    data = [
        {
            "specialization": finite(row["specialization"]),
            "accuracy": finite(row["accuracy"]),
            "series": row["series"],
            "x": row["x"],
            "seed": row["seed"],
        }
        for row in rows
    ]
    axis = alt.Axis(title="median specialization", format="~g", tickCount=5, grid=True)
    x = alt.X("specialization:Q", scale=alt.Scale(domain=list(span), nice=False), axis=axis)
    tips = [
        *series.tips(),
        alt.Tooltip("seed:N"),
        alt.Tooltip("specialization:Q", format=".3f"),
        alt.Tooltip("accuracy:Q", title="OOD accuracy", format=".3f"),
    ]
    point = alt.Chart(alt.Data(values=data)).mark_point(filled=True, size=46, opacity=0.75)
    chart = point.encode(x, y_axis("accuracy", (0, 1), title="OOD accuracy"), series.colour, tooltip=tips)
    return alt.LayerChart(layer=[chart], height=height)


def losses(rows: Rows, series: Series, *, domain: Sequence[float | int], height: int = 150) -> alt.LayerChart:
    """Every trial's loss, as faint lines: dotted in training, solid in validation. Logarithmic if it spans decades.
    One epoch makes no line but a point: a diamond in training, a circle in validation."""
    number = {trial: index for index, trial in enumerate(dict.fromkeys(row["trial"] for row in rows))}
    data = [  # names and digits nobody sees would be most of the page's size
        {
            "trial": number[row["trial"]],
            "series": row["series"],
            "phase": row["phase"],
            "epoch": row["epoch"],
            "loss": float(f"{loss:.3g}"),
        }
        for row in rows
        if (loss := finite(row["loss"])) is not None
    ]
    low, high = domain
    logarithmic = low > 0 and high / low > 20
    scale = alt.Scale(type="log" if logarithmic else "linear", domain=[low if logarithmic else min(0, low), high])
    axis = alt.Axis(title="loss", format="~g", tickCount=4)
    if logarithmic:
        axis = alt.Axis(title="loss", format="~g", values=log_ticks(low, high))
    y = alt.Y("loss:Q", scale=scale, axis=axis)
    ticks = alt.Axis(title="epoch", values=epoch_ticks(data), format="d")
    x = alt.X("epoch:Q", scale=alt.Scale(nice=False, zero=False), axis=ticks)
    tips = [alt.Tooltip("series:N", title=series.title), alt.Tooltip("phase:N")]  # of the line, not of a point
    epochs = Counter((row["trial"], row["phase"]) for row in data)
    lone = [row for row in data if epochs[row["trial"], row["phase"]] == 1]
    layers = []
    if lone:
        mark = alt.Chart(alt.Data(values=lone)).mark_point(filled=True, size=34, opacity=0.75)
        shapes = alt.Scale(domain=list(PHASE_SHAPES), range=list(PHASE_SHAPES.values()))
        shape = alt.Shape("phase:N", scale=shapes)
        layers.append(mark.encode(x, y, series.colour, shape, tooltip=[*tips, alt.Tooltip("loss:Q")]))
    if len(lone) < len(data) or not data:
        lines = alt.Chart(alt.Data(values=[row for row in data if epochs[row["trial"], row["phase"]] > 1]))
        line = lines.mark_line(strokeWidth=1.2, opacity=0.6, clip=True, interpolate="linear")
        phases = alt.StrokeDash("phase:N", scale=alt.Scale(domain=list(PHASE_SHAPES), range=[TRAIN_DASH, [1, 0]]))
        layers.append(line.encode(x, y, series.colour, phases, alt.Detail("trial:N"), tooltip=tips))
    return alt.LayerChart(layer=layers, height=height)


def loss_domain(values: Sequence[float | int]) -> tuple[float | int, float | int]:
    """The span of the finite losses; (0, 1) where there is none."""
    good = [value for value in values if value is not None and math.isfinite(value)]
    return (min(good), max(good)) if good and max(good) > min(good) else (0.0, max([1.0, *good]))


def epoch_ticks(rows: Rows) -> list[int]:
    """Whole epochs, about four of them.

    >>> epoch_ticks([{"epoch": epoch} for epoch in range(1, 21)]), epoch_ticks([{"epoch": 1}, {"epoch": 2}])
    ([5, 10, 15, 20], [1, 2])
    """
    last = int(max((row["epoch"] for row in rows), default=1))
    step = next(step for power in range(9) for step in (10**power, 2 * 10**power, 5 * 10**power) if last <= 4 * step)
    return [epoch for epoch in range(0, last + 1, step) if any(row["epoch"] <= epoch for row in rows)]


def log_ticks(low: float | int, high: float | int) -> list[float]:
    """Powers of ten, with halfway marks (3, 0.3) where there are few.

    >>> log_ticks(0.02, 4.0)
    [0.03, 0.1, 0.3, 1.0, 3.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 3) if len(powers) < 5 else (1,)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in ticks if low <= tick <= high]
