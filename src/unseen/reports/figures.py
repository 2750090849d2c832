"""The figures of a report: each made once, for the page and for ``figures/*.svg|png``.

A maker takes the contents and gives a :class:`Figure`, or, where there is nothing to draw, the reason in a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from unseen.reports import charts, panels
from unseen.reports.contents import Contents
from unseen.reports.palette import role
from unseen.reports.selection import (
    Row,
    colours_of,
    ordered,
    thinned,
)
from unseen.reports.words import condition

MOST_FLAT = 24  # trials whose losses can be told apart in a flat panel


@dataclass(frozen=True)
class Key:
    """One entry of a figure's key: a colour, a dash pattern, a hollow point, an upright tick, or a point's shape."""

    label: str
    colour: str = ""
    dash: tuple[int, ...] = ()
    hollow: bool = False
    tick: bool = False
    shape: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    title: str
    chart: alt.LayerChart
    large: bool = False


@dataclass(frozen=True, eq=False)
class Figure:
    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    keys: tuple[Key, ...]
    wide: bool = False  # panels with long names at their side, of which fewer fit beside each other
    columns: int = 0  # panels in one line where there is room, if their order asks for it

    def whole(self) -> alt.TopLevelMixin:
        """All panels as one chart of fixed size, with legends, for a file."""
        large = [panel for panel in self.panels if panel.large]
        small = [panel for panel in self.panels if not panel.large]
        width = 300 if len(small) <= 2 and not large else 240 if self.wide else 190
        drawn = [
            panel.chart.properties(title=panel.title, width=420 if panel.large else width) for panel in self.panels
        ]
        if large:
            rest = [chart for panel, chart in zip(self.panels, drawn) if not panel.large]
            lead = [chart for panel, chart in zip(self.panels, drawn) if panel.large]
            joined = alt.hconcat(*lead, alt.concat(*rest, columns=1 + (len(rest) > 3))) if rest else alt.hconcat(*lead)
        else:
            joined = alt.concat(*drawn, columns=self.columns or min(3 if self.wide else 4, len(drawn)))
        config = charts.CONFIG | {"background": role("paper"), "padding": 16}
        config["legend"] = charts.CONFIG["legend"] | {"orient": "top", "direction": "horizontal", "symbolOpacity": 1}
        if len(self.keys) > 8:  # in rows no wider than the figure
            config["legend"] |= {"columns": 6}
        if any(key.colour and key.dash for key in self.keys):  # lines, by colour and dash
            config["legend"] |= {"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 2}
        return joined.resolve_scale(color="shared", strokeDash="shared", shape="shared", opacity="shared").properties(
            config=config
        )

    def specification(self, panel: Panel) -> Row:
        """One panel for the page: as wide as its place, without legend (the page writes its own key)."""
        config = charts.CONFIG | {"legend": {"disable": True}}
        chart = panel.chart.properties(
            width="container",
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            description=f"{self.title}: {panel.title}",
            config=config,
        )
        return chart.to_dict()


def losses(contents: Contents, *, colours: Mapping[str, str] | None = None, order: Sequence[str] = ()) -> Figure | str:
    """Loss curves of all trials, a panel for each x. ``order``: of panels that have names."""
    rows = contents.curves.to_dicts() if contents.curves.height else []
    targets = ordered(row["target"] for row in rows)
    if not rows:
        return "Loss curves: none was kept."
    chosen = "total" if "total" in targets else targets[0]
    rows = thinned([row for row in rows if row["target"] == chosen])
    colours = colours_of(contents) if colours is None else colours
    domain = panels.loss_domain([row["loss"] for row in rows])
    count = len({row["trial"] for row in rows})
    height = 150 if count <= MOST_FLAT else 210

    def panel(x: float | str) -> Panel:
        mine = [row for row in rows if row["x"] == x]
        chart = panels.losses(mine, colours=colours, domain=domain, series_title=contents.series_title, height=height)
        return Panel(condition(contents.x_title, x), chart)

    dashes = {"training": tuple(panels.TRAIN_DASH), "validation": (1, 0)}
    keys = [*series_keys(colours, rows), *(Key(name, dash=dash) for name, dash in dashes.items())]
    caption = f"Loss ({chosen}) of {count} trials over their epochs, one line per trial and phase."
    epochs = Counter((row["trial"], row["phase"]) for row in rows if charts.finite(row["loss"]) is not None)
    if 1 in epochs.values():
        points = [Key(name, shape=shape) for name, shape in zip(dashes, panels.PHASE_SHAPES.values())]
        keys = [*(keys if max(epochs.values()) > 1 else series_keys(colours, rows)), *points]
        caption += " One epoch makes no line but a point."
    found = {row["x"]: None for row in rows}
    xs = [x for x in order if x in found] or sorted(found)
    made = tuple(panel(x) for x in xs)
    return Figure("losses", "Loss curves", caption, made, tuple(keys))


def series_keys(colours: Mapping[str, str], rows: Iterable[Row]) -> list[Key]:
    present = {row["series"] for row in rows}
    return [Key(name, colour=colour) for name, colour in colours.items() if name in present]
