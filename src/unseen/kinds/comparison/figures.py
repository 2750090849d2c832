"""The figures of a comparison: accuracy of each subject, accuracy and error consistency by level, shape bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from unseen.kinds.comparison.tables import Numbers
from unseen.measures import Interval
from unseen.reports.charts import DOT_TIPS, dot, tips
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.palette import role, series_colours

ROW = 26  # pixels of a subject
MOST_COLOURS = 12  # subjects of a figure by level


def _point(of: Interval, over: str, **more: Any) -> dict[str, Any]:
    return more | dot(of.value, of.low, of.high, of.n, over)


def _tips(title: str, of: str) -> list[alt.Tooltip]:
    return tips({"who": "subject", "level": of, "shown": title, **DOT_TIPS})


def accuracy(found: Numbers) -> Figure:
    """Accuracy of each subject, the best above."""
    ranked = sorted(found.owns, key=lambda own: -own.accuracy.value)
    names = [own.group.words for own in ranked]
    points = [_point(own.accuracy, own.over, who=own.group.words) for own in ranked]
    chart = _rows(points, names, "accuracy", (0, 1))
    overs = " and ".join(dict.fromkeys(own.over for own in ranked))
    caption = f"Accuracy of each subject on all images that it was asked. Bars are 95 % intervals over {overs}."
    return Figure("accuracy", "Who is right how often", caption, (Panel("accuracy", chart, large=True),), (), wide=True)


def _rows(
    points: Sequence[dict[str, Any]], names: Sequence[str], title: str, domain: tuple[float, float]
) -> alt.LayerChart:
    base = alt.Chart(alt.Data(values=list(points)))
    scale = alt.Scale(domain=list(domain), nice=False)
    y = alt.Y(
        "who:N",
        sort=list(names),
        title=None,
        axis=alt.Axis(labelLimit=240, grid=True),
        scale=alt.Scale(domain=list(names)),
    )
    x = alt.X("value:Q", scale=scale, axis=alt.Axis(title=title, format="~g", tickCount=5))
    colour = alt.value(role("asked"))
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.2, opacity=0.55, tooltip=None)
    dots = base.mark_point(filled=True, opacity=1, size=75, strokeWidth=12, strokeOpacity=0)
    layers = [
        bars.encode(y, alt.X("low:Q", scale=scale), alt.X2("high:Q"), color=colour),
        dots.encode(y, x, color=colour, tooltip=_tips(title, "")),
    ]
    return alt.LayerChart(layer=layers, height=max(70, ROW * len(names)))


def levels(found: Numbers) -> Figure | str:
    """Accuracy of each subject, and error consistency with the reference, at each level of each factor."""
    factors = list(dict.fromkeys(factor for factor, _ in found.levels))
    if not factors:
        return "Agreement by level: the images have no factor with levels that are known here."
    if len(found.answers.groups) > MOST_COLOURS:
        return (
            f"Agreement by level: {len(found.answers.groups)} subjects are too many for one figure; the CSV has them."
        )
    colours = series_colours(group.words for group in found.answers.groups)
    panels = []
    for factor in factors:
        names = found.answers.factors[factor][0]
        panels.append(
            Panel(
                f"accuracy by {factor}",
                _by_level(_accuracies(found, factor), names, factor, "accuracy", colours, (0, 1)),
            )
        )
        kappas = [
            _point(pair.kappa, pair.over, who=found.answers.group(other).words, level=level)
            for (own, other), of in found.levels.items()
            if own == factor
            for level, pair in of
        ]
        low = min([0.0, *(point["low"] for point in kappas if point["low"] is not None)])
        high = max([0.4, *(point["high"] for point in kappas if point["high"] is not None)])
        domain = (max(-1.0, round(low - 0.05, 1)), min(1.0, round(high + 0.05, 1)))
        panels.append(
            Panel(f"κ with {found.reference.name} by {factor}", _by_level(kappas, names, factor, "κ", colours, domain))
        )
    caption = (
        f"Accuracy of each subject at each level, and its error consistency κ with {found.reference.words}: 0 is what "
        f"independent errors give, 1 the same errors. Bars are 95 % intervals; where κ is undefined there is no point."
    )
    keys = keys_of(colours, "circle")
    return Figure("levels", "Agreement by level", caption, tuple(panels), keys, wide=True)


def _accuracies(found: Numbers, factor: str) -> list[dict[str, Any]]:
    from unseen.kinds.comparison.pairs import own_accuracy

    names, places = found.answers.factors[factor]
    made = []
    for group in found.answers.groups:
        for place, level in enumerate(names):
            own = own_accuracy(found.answers, group, places == place)
            if own.answers:
                made.append(_point(own.accuracy, own.over, who=group.words, level=level))
    return made


def _by_level(
    points: Sequence[dict[str, Any]], names: Sequence[str], factor: str, title: str, colours: dict[str, str],
    domain: tuple[float, float],
) -> alt.LayerChart:  # fmt: skip
    base = alt.Chart(alt.Data(values=list(points)))
    angle = 0 if sum(map(len, names)) < 34 else -40
    x = alt.X(
        "level:N",
        sort=list(names),
        axis=alt.Axis(title=factor, labelAngle=angle, labelLimit=120),
        scale=alt.Scale(domain=list(names)),
    )
    side = alt.XOffset("who:N", sort=list(colours), scale=alt.Scale(domain=list(colours)))
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = alt.Axis(title=title, format="~g", tickCount=5)
    colour = alt.Color("who:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), title=None)
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.8, opacity=0.5, tooltip=None, clip=True)
    dots = base.transform_filter("isValid(datum.value)").mark_point(
        filled=True, opacity=1, size=45, strokeWidth=10, strokeOpacity=0
    )
    layers = [
        bars.encode(x, alt.Y("low:Q", scale=scale, axis=axis), alt.Y2("high:Q"), side, colour),
        dots.encode(x, alt.Y("value:Q", scale=scale, axis=axis), side, colour, tooltip=_tips(title, factor)),
    ]
    return alt.LayerChart(layer=layers, height=190)


def biases(found: Numbers) -> Figure | str:
    """Shape bias by category, pooled above."""
    if not found.biases:
        return "Shape bias: the images have no shape and texture that conflict (names such as cat7-elephant1)."
    if len(found.biases) > MOST_COLOURS:
        return f"Shape bias by category: {len(found.biases)} subjects are too many for one figure; the table has them."
    colours = series_colours(group.words for group in found.answers.groups)
    categories = [name for name in next(iter(found.biases.values())) if name]
    names = ["all", *sorted(categories)]
    points = [
        _point(
            of.bias,
            "people" if of.bias.method.startswith("t") else "decisions",
            who=found.answers.group(name).words,
            level=level or "all",
        )
        for name, own in found.biases.items()
        for level, of in own.items()
    ]
    chart = _by_level(points, names, "shape category", "shape bias", colours, (0, 1))
    caption = (
        "Shape bias: of the decisions for either cue on images whose shape and texture conflict, the share for shape "
        "(Geirhos et al. 2019). 0 is texture alone, 1 shape alone. Bars are 95 % intervals."
    )
    keys = keys_of(colours, "circle")
    return Figure("shape-bias", "Shape or texture", caption, (Panel("shape bias", chart, large=True),), keys, wide=True)
