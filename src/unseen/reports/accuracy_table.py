"""Accuracies in a table that is there to be read: with intervals, repeats and the number of test images."""

from __future__ import annotations

import math

from unseen.reports.charts import set_title
from unseen.reports.contents import Contents
from unseen.reports.selection import measure_rows, ordered
from unseen.reports.tables import table
from unseen.reports.words import interval, number, plain

MOST_ROWS = 24  # shown at once; more are folded away


def accuracy_table(contents: Contents) -> str:
    """A line for each series, x and set, a column for each target. Empty where no test images are counted."""
    rows = measure_rows(contents, "accuracy")
    if not any(row.get("asked") for row in rows):
        return ""
    targets = ordered(row["target"] for row in rows)
    lines: dict[tuple, dict] = {}
    for row in rows:
        lines.setdefault((row["series"], row["x"], row["set"]), {})[row["target"]] = row
    made = []
    for (series, x, asked), found in lines.items():
        any_row = next(iter(found.values()))
        shown = [_told(found.get(target)) for target in targets]
        made.append([series, plain(x), set_title(asked), *shown, str(any_row["n"]), _count(any_row.get("asked"))])
    heads = [contents.series_title, contents.x_title, "images", *targets, "n", "test images"]
    chances = [f"{target} {number(chance)}" for target in targets if (chance := _chance(rows, target)) is not None]
    words = "Mean accuracy [95 % interval]; n: repeats; test images: how many each network was asked."
    words += f" Chance: {', '.join(chances)}." if chances else ""
    body = table(heads, made, right=("n", "test images"))
    if len(made) > MOST_ROWS:
        body = f"<details><summary>The same in numbers ({len(made)} rows)</summary>{body}</details>"
    return f'{body}<p class="small">{words}</p>'


def _told(row: dict | None) -> str:
    if row is None:
        return ""
    spread = interval(row["low"], row["high"], row["n"])
    return f"{number(row['value'])} {spread}" if spread.startswith("[") else number(row["value"])


def _count(asked: float | None) -> str:
    return "" if not asked else f"{asked:,.0f}"


def _chance(rows: list[dict], target: str) -> float | None:
    found = [row["chance"] for row in rows if row["target"] == target and row.get("chance") is not None]
    return found[0] if found and math.isfinite(found[0]) else None
