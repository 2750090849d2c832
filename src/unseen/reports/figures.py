"""The figures of a report: each made once, for the page and for ``figures/*.svg|png``.

A maker takes the contents and gives a :class:`Figure`, or, where there is nothing to draw, the reason in a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from unseen.reports import charts, panels
from unseen.reports.contents import Contents
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.selection import (
    Row,
    colours_of,
    ordered,
    thinned,
)
from unseen.reports.words import condition

MOST_FLAT = 24  # trials whose losses can be told apart in a flat panel


def losses(contents: Contents, *, colours: Mapping[str, str] | None = None, order: Sequence[str] = ()) -> Figure | str:
    """Loss curves of all trials, a panel for each x. ``order``: of panels that have names."""
    rows = contents.curves.to_dicts() if contents.curves.height else []
    targets = ordered(row["target"] for row in rows)
    if not rows:
        return "Loss curves: none was kept."
    chosen = "total" if "total" in targets else targets[0]
    rows = thinned([row for row in rows if row["target"] == chosen])
    series = series_of(contents, colours)
    domain = panels.loss_domain([row["loss"] for row in rows])
    count = len({row["trial"] for row in rows})
    height = 150 if count <= MOST_FLAT else 210

    def panel(x: float | str) -> Panel:
        mine = [row for row in rows if row["x"] == x]
        chart = panels.losses(mine, series, domain=domain, height=height)
        return Panel(condition(contents.x_title, x), chart)

    dashes = {"training": tuple(panels.TRAIN_DASH), "validation": (1, 0)}
    keys = [*series_keys(series.colours, rows), *(Key(name, dash=dash) for name, dash in dashes.items())]
    caption = f"Loss ({chosen}) of {count} trials over their epochs, one line per trial and phase."
    epochs = Counter((row["trial"], row["phase"]) for row in rows if charts.finite(row["loss"]) is not None)
    if 1 in epochs.values():
        points = [Key(name, shape=shape) for name, shape in zip(dashes, panels.PHASE_SHAPES.values())]
        keys = [*(keys if max(epochs.values()) > 1 else series_keys(series.colours, rows)), *points]
        caption += " A single epoch is a point, not a line."
    found = {row["x"]: None for row in rows}
    xs = [x for x in order if x in found] or sorted(found)
    made = tuple(panel(x) for x in xs)
    return Figure("losses", "Loss curves", caption, made, tuple(keys))


def series_of(contents: Contents, colours: Mapping[str, str] | None = None) -> charts.Series:
    """The series of a report, in the report's colours unless others are given."""
    return charts.Series(colours_of(contents) if colours is None else colours, contents.series_title, contents.x_title)


def series_keys(colours: Mapping[str, str], rows: Iterable[Row]) -> list[Key]:
    present = {row["series"] for row in rows}
    return [Key(name, colour=colour) for name, colour in colours.items() if name in present]
