"""The figures of a study of combinations (Madan et al. 2022), in the order of the page.

A maker takes the contents and gives a :class:`Figure`, or, where there is nothing to draw, the reason in a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from unseen.kinds.combinations.shown import CombinationContents
from unseen.reports import charts, panels
from unseen.reports.contents import Contents
from unseen.reports.figure import by_name, made_by
from unseen.reports.figures import Figure, Key, Panel, losses, series_keys, series_of
from unseen.reports.selection import (
    Row,
    band_words,
    chance_line,
    deepest,
    degenerate_words,
    layer_order,
    layer_words,
    lead_target,
    measure_rows,
    ordered,
    published_rows,
    top,
)
from unseen.reports.words import repeats, things


def accuracy(contents: Contents) -> Figure | str:
    rows = measure_rows(contents, "accuracy")
    if not rows:
        return "Accuracy curves: no trial has finished, so there is no accuracy to draw."
    targets = ordered(row["target"] for row in rows)
    lead = lead_target(rows)
    sets = ordered(row["set"] for row in rows)
    series, published = series_of(contents), published_rows(contents)

    def panel(target: str) -> Panel:
        mine = [row for row in rows if row["target"] == target]
        overlay = published if target == lead else []
        chart = charts.curves(
            mine,
            series,
            domain=(0, 1),
            sets=sets,
            chance=chance_line(mine),
            published=overlay,
            height=390 if target == lead and len(targets) > 1 else 130 if len(targets) > 1 else 300,
            y_title="accuracy",
        )
        return Panel(target, chart, large=target == lead)

    keys = series_keys(series.colours, rows) + [
        Key(charts.set_title(name), dash=tuple(dash)) for name, dash in charts.dashes(sets).items()
    ]
    keys += [Key("published", hollow=True)] if published else []
    caption = (
        f"Accuracy on new images of cells seen in training and of cells never seen, by {contents.x_title}. "
        f"{band_words(rows)} The dotted line is chance."
    )
    shown = [lead] + [target for target in targets if target != lead]
    return Figure("accuracy", "Accuracy", caption, tuple(panel(target) for target in shown), tuple(keys))


def unit_types(contents: Contents) -> Figure | str:
    rows = deepest(contents, measure_rows(contents, "share of units"))
    if not rows:
        return "Unit types: no activity of units was recorded, so their types are not known."
    caption = f"Share of units that prefer levels of each factor (their type), {layer_words(rows)}. {band_words(rows)}"
    return by_unit_type(contents, "unit-types", "Unit types", caption, {"share of units": rows}, percent=True)


def specialization(contents: Contents) -> Figure | str:
    rows = deepest(contents, measure_rows(contents, "median specialization"))
    if not rows:
        return "Specialization: no activity of units was recorded, so it cannot be computed."
    caption = (
        f"Median specialization √(selectivity · invariance) of the units of each type, {layer_words(rows)}. "
        f"{band_words(rows)}{degenerate_words(contents)}"
    )
    return by_unit_type(contents, "specialization", "Specialization", caption, {"median specialization": rows})


def selectivity_invariance(contents: Contents) -> Figure | str:
    parts = ("median selectivity", "median invariance")
    measures = {name: deepest(contents, measure_rows(contents, name)) for name in parts}
    rows = [row for made in measures.values() for row in made]
    if not rows:
        return "Selectivity and invariance: no activity of units was recorded, so they cannot be computed."
    caption = f"The two parts of specialization, as medians over units, {layer_words(rows)}. {band_words(rows)}"
    return by_unit_type(contents, "selectivity-invariance", "Selectivity and invariance", caption, measures)


def layers(contents: Contents) -> Figure | str:
    rows = measure_rows(contents, "median specialization")
    present = {row["layer"] for row in rows}
    names = [name for name in layer_order(contents) if name in present]
    if len(names) < 2:
        return "Build-up across layers: units of fewer than two layers were recorded."
    xs, which = sorted({row["x"] for row in rows}), ""
    if len(xs) * len({row["series"] for row in rows}) > 12:  # more lines than an eye can follow
        rows = [row for row in rows if row["x"] in (xs[0], xs[-1])]
        which = f", for the fewest and the most {things(contents.x_title)}"
    series = series_of(contents)
    domain = (0, top(rows))

    def panel(kind: str) -> Panel:
        chart = panels.build_up(
            [row for row in rows if row["unit_type"] == kind],
            series,
            layers=names,
            domain=domain,
        )
        return Panel(f"{kind} units", chart)

    caption = (
        f"Median specialization from the first recorded layer to the last{which}; fainter: fewer "
        f"{things(contents.x_title)}. Means over repeats, {repeats([row['n'] for row in rows])}; the intervals are "
        "in the table of numbers and at each point."
    )
    kinds = ordered(row["unit_type"] for row in rows)
    made = tuple(panel(kind) for kind in kinds)
    return Figure("layers", "Build-up across layers", caption, made, tuple(series_keys(series.colours, rows)))


def scatter(contents: CombinationContents) -> Figure | str:
    found = deepest(contents, contents.scatter.to_dicts() if contents.scatter.height else [], kind="target")
    rows = [row for row in found if None not in (charts.finite(row["specialization"]), charts.finite(row["accuracy"]))]
    if not rows:
        return "Specialization against OOD accuracy: no trial has both numbers."
    series = series_of(contents)
    tenths = [10 * row["specialization"] for row in rows]
    span = (math.floor(min(tenths) - 0.1) / 10, math.ceil(max(tenths) + 0.1) / 10)

    def panel(target: str) -> Panel:
        chart = panels.trials(
            [row for row in rows if row["target"] == target],
            series,
            span=span,
        )
        return Panel(target, chart)

    order = ordered(row["target"] for row in [*measure_rows(contents, "accuracy"), *rows])
    targets = [target for target in order if target in {row["target"] for row in rows}]
    gone = (
        f" {len(found) - len(rows)} of {len(found)} points have no value and are left out: the network has no unit of "
    )
    caption = (
        f"OOD accuracy of each target against the median specialization of its units, {layer_words(rows)}. "
        f"One point per trial, {len({row['trial'] for row in rows})} trials; points carry no interval."
        f"{gone + 'that type.' if len(found) > len(rows) else ''}"
    )
    made = tuple(panel(target) for target in targets)
    return Figure(
        "scatter", "Specialization against OOD accuracy", caption, made, tuple(series_keys(series.colours, rows))
    )


def by_unit_type(
    contents: Contents, name: str, title: str, caption: str, measures: Mapping[str, list[Row]], *, percent: bool = False
) -> Figure:
    """A panel for each measure and unit type."""
    rows = [row for made in measures.values() for row in made]
    series, domain = series_of(contents), (0, 1) if percent else (0, top(rows))

    def panel(measure: str, kind: str) -> Panel:
        chart = charts.curves(
            [row for row in measures[measure] if row["unit_type"] == kind],
            series,
            domain=domain,
            percent=percent,
            height=180 if len(measures) == 1 else 150,
            y_title=measure,
        )
        return Panel(
            f"{kind} units" if len(measures) == 1 else f"{measure.removeprefix('median ')}, {kind} units", chart
        )

    kinds = ordered(row["unit_type"] for row in rows)
    made = tuple(panel(measure, kind) for measure in measures for kind in kinds if measures[measure])
    return Figure(name, title, caption, made, tuple(series_keys(series.colours, rows)))


FIGURES = by_name(accuracy, unit_types, specialization, selectivity_invariance, layers, scatter)


def figures(contents: CombinationContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents)}
