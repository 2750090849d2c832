"""Which rows of the contents a figure shows, and the words that go with them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import polars as pl

from unseen.reports.charts import finite
from unseen.reports.contents import Contents
from unseen.reports.palette import series_colours
from unseen.reports.words import condition, repeats

MEAN = "geometric mean"
MOST_LOSS_POINTS = 4000  # of all trials together, so that a study of hundreds of networks still opens at once

Row = dict[str, Any]


def measure_rows(contents: Contents, measure: str) -> list[Row]:
    """The rows of a measure that can be drawn; one without a value is still in the table of numbers."""
    if not contents.summary.height:
        return []
    return contents.summary.filter(pl.col("measure") == measure, pl.col("value").is_finite()).to_dicts()


def ordered(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def colours_of(contents: Contents) -> dict[str, str]:
    """One colour per series for the whole report, whichever figure it appears in."""
    frames = [frame for frame in (contents.summary, contents.curves) if frame.height]
    return series_colours(name for frame in frames for name in frame["series"].to_list())


def lead_target(rows: Iterable[Row]) -> str:
    """The target a report speaks of first: the geometric mean where there is one."""
    targets = ordered(row["target"] for row in rows)
    return MEAN if MEAN in targets or not targets else targets[0]


def layer_order(contents: Contents) -> list[str]:
    """Layers from the input to the output: as the contents say, else as they appear, with the stem first."""
    found = ordered(name for name in contents.summary["layer"].to_list() if name) if contents.summary.height else []
    given = [name for name in contents.layers if name in found]
    return given + sorted((name for name in found if name not in given), key=lambda name: "stem" not in name)


def deepest(contents: Contents, rows: list[Row], kind: str = "unit_type") -> list[Row]:
    """Rows of the last recorded layer of each series and unit type."""
    depth = {name: index for index, name in enumerate(layer_order(contents))}
    last: dict[tuple[str, str], int] = {}
    for row in rows:
        place = row["series"], row[kind]
        last[place] = max(last.get(place, -1), depth.get(row["layer"], -1))
    return [row for row in rows if depth.get(row["layer"], -1) == last[row["series"], row[kind]]]


def layer_words(rows: list[Row]) -> str:
    names = [name for name in ordered(row["layer"] for row in rows) if name]
    return f"after {' and '.join(names)}" if names else "in the recorded layer"


def top(rows: Iterable[Row]) -> float:
    """The upper end of an axis from zero that holds every value and interval, at most 1."""
    values = [value for row in rows for value in (row["value"], row["high"]) if finite(value) is not None]
    return min(1.0, math.ceil(5 * max(values, default=1.0)) / 5) or 1.0


def chance_line(rows: list[Row]) -> list[dict[str, float | int]]:
    at = {row["x"]: row["chance"] for row in rows if finite(row.get("chance")) is not None}
    return [{"x": x, "chance": at[x]} for x in sorted(at)]


def band_words(rows: list[Row]) -> str:
    count = repeats([row["n"] for row in rows])
    if not any(finite(row["low"]) is not None for row in rows):
        return f"Means over repeats ({count}); one repeat gives no interval."
    return f"Lines are means, bands 95 % t intervals over repeats, cut at 0 and 1 ({count})."


def degenerate_words(contents: Contents) -> str:
    rows = [row for row in measure_rows(contents, "degenerate units") if finite(row["value"])]
    if not rows:
        return ""
    worst = max(rows, key=lambda row: row["value"])
    place = f"{worst['series']}, {condition(contents.x_title, worst['x'])}" + (
        f", {worst['layer']}" if worst["layer"] else ""
    )
    return f" Units without a type or without a score are left out: at most {round(worst['value'], 1):g} ({place})."


def published_rows(contents: Contents) -> list[Row]:
    """Published points whose series and x are also ours, named as ours are."""
    if contents.published is None or not contents.published.height or not contents.summary.height:
        return []
    names = {name.casefold(): name for name in contents.summary["series"].to_list()}
    xs = {row["x"] for row in measure_rows(contents, "accuracy")}
    rows = [row for row in contents.published.to_dicts() if row["series"].casefold() in names and row["x"] in xs]
    return [{**row, "series": names[row["series"].casefold()]} for row in rows]


def thinned(rows: list[Row]) -> list[Row]:
    """Fewer epochs where all trials together have too many; the first and the last of each stay."""
    step = math.ceil(len(rows) / MOST_LOSS_POINTS)
    if step <= 1:
        return rows
    last = {(row["trial"], row["phase"]): row["epoch"] for row in rows}
    first = min(row["epoch"] for row in rows)
    return [
        row for row in rows if (row["epoch"] - first) % step == 0 or row["epoch"] == last[row["trial"], row["phase"]]
    ]
