"""The figures of a study of two cues. As in ``figures.py`` of reports a maker takes the contents and gives a figure, or
the reason why there is none."""

from __future__ import annotations

from unseen.designs.decorrelate import AGREEING, CONFLICTING
from unseen.kinds.cues.numbers import BIAS
from unseen.kinds.cues.shown import CuesContents
from unseen.reports import charts
from unseen.reports.figure import by_name, keys_of, made_by
from unseen.reports.figures import Figure, Panel, losses
from unseen.reports.palette import role
from unseen.reports.selection import Row, chance_line, colours_of, measure_rows
from unseen.reports.words import repeats

SETS = {AGREEING: "seen", CONFLICTING: "asked"}


def shape_bias(contents: CuesContents) -> Figure | str:
    """Shape bias against decorrelation, a curve for each model."""
    rows = [row for row in measure_rows(contents, BIAS) if charts.finite(row["value"]) is not None]
    if not rows:
        return "Shape bias: no network answered either cue on images whose cues conflict."
    colours = colours_of(contents)
    series = charts.Series(colours, "network", contents.x_title)
    chart = charts.curves([{**row, "set": ""} for row in rows], series, domain=(0, 1), height=260, y_title="shape bias")
    caption = (
        f"Decisions for shape among those for shape or {contents.cue}, on new objects whose {contents.cue} is that of "
        f"another {contents.category} (Geirhos et al. 2019), against the share of training images whose {contents.cue} "
        f"is that of any {contents.category}: at 0 it always agrees with shape, at 100 it tells nothing. Means over "
        f"{contents.over} ({repeats([row['n'] for row in rows])}) with 95 % t intervals."
    )
    keys = keys_of(colours)
    return Figure("shape-bias", "Which cue decides", caption, (Panel("shape bias", chart, large=True),), keys)


def accuracy(contents: CuesContents) -> Figure | str:
    """Accuracy where the cues agree and where they conflict, a panel for each model."""
    rows = [row for row in measure_rows(contents, "accuracy") if row["target"] == contents.category]
    if not rows:
        return "Accuracy: nothing was asked."
    painted = {name: role(colour) for name, colour in SETS.items()}
    made = []
    for model in contents.models:
        mine: list[Row] = [{**row, "series": row["set"], "set": ""} for row in rows if row["series"] == model.model]
        chart = charts.curves(
            mine, charts.Series(painted, "images", contents.x_title), domain=(0, 1), height=170, y_title="accuracy",
            chance=chance_line(mine),
        )  # fmt: skip
        made.append(Panel(model.model, chart))
    caption = (
        f"Accuracy for the {contents.category} on the same new objects, with the {contents.cue} of their own "
        f"{contents.category} (agreeing) and with that of every other (conflicting). Means over {contents.over} "
        f"({repeats([row['n'] for row in rows])}) with 95 % t intervals."
    )
    keys = keys_of(painted)
    return Figure("accuracy", "Accuracy where cues agree and conflict", caption, tuple(made), keys)


FIGURES = by_name(shape_bias, accuracy)


def figures(contents: CuesContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {**made_by(FIGURES, contents), "losses": losses(contents)}
