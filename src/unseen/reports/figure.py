"""A figure: panels drawn by Altair, with a key and a caption; made once, for the page and for files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import altair as alt

from unseen.reports import charts
from unseen.reports.palette import role

Row = dict[str, Any]


@dataclass(frozen=True)
class Key:
    """One entry of a figure's key: a colour, a dash pattern, a hollow point, an upright tick, or a point's shape."""

    label: str
    colour: str = ""
    dash: tuple[int, ...] = ()
    hollow: bool = False
    tick: bool = False
    shape: str = ""


def keys_of(colours: Mapping[str, str], shape: str = "") -> tuple[Key, ...]:
    """A line of its colour for each series, or a point of a ``shape``."""
    return tuple(Key(name, colour=colour, shape=shape) for name, colour in colours.items())


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
        return chart.to_dict(validate=False)  # each part was checked as it was made


Own = TypeVar("Own")
Maker = Callable[[Own], Figure | str]  # of a figure, or of the reason why there is none


def by_name(*makers: Maker[Own]) -> dict[str, Maker[Own]]:
    """Makers of figures, each under the name of its function: ``shape_bias`` draws the figure shape-bias."""
    return {maker.__name__.replace("_", "-"): maker for maker in makers}


def made_by(makers: Mapping[str, Maker[Own]], contents: Own) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in their order."""
    return {name: maker(contents) for name, maker in makers.items()}
