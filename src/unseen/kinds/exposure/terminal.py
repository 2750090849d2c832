"""Results of a study whose networks see a transformation for some categories only, on a terminal of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.exposure.numbers import ACROSS, GROUPS, MEDIAN, PLAIN, WITHIN
from unseen.kinds.exposure.shown import ExposureContents
from unseen.reports.console import bare_table, print_table
from unseen.studies.study import Study

WIDTH = 80
CELL = 9  # ".98/.41" and the space between columns
Values = Mapping[tuple[str, float, str], Mapping[str, Any]]  # by series, number seen and set


def accuracies(frame: Any, category: str) -> dict[tuple[str, float, str], dict[str, Any]]:
    """Rows of accuracy of a summary, by series, number seen and set."""
    rows = frame.filter((frame["measure"] == "accuracy") & frame["set"].is_in([WITHIN, ACROSS, PLAIN]))
    own = rows.filter(rows["target"] == category)
    return {(row["series"], row["x"], row["set"]): row for row in own.iter_rows(named=True)}


def show_grid(console: Console, contents: ExposureContents) -> None:
    """Within and across by transformation and number seen, as few lines as possible: what a run ends with."""
    found = accuracies(contents.summary, contents.exposure.category)
    xs = sorted({x for _, x, _ in found})
    names = list(dict.fromkeys(name for name, _, _ in found))
    if not names:
        return
    label = min(30, max(len(name) for name in names))
    each = max(1, (WIDTH - label) // CELL)
    console.print(
        "\n[bold]within/across-category accuracy, by number of categories seen transformed[/]", highlight=False
    )
    for start in range(0, len(xs), each):
        some = xs[start : start + each]
        table = bare_table("", *(f"{x:g}" for x in some))
        for name in names:
            table.add_row(escape(name), *(_pair(found, name, x) for x in some))
        print_table(console, table)
    counts = sorted({row["n"] for row in found.values()})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    console.print(f"means over n = {seeds}; intervals: unseen results", highlight=False)


def _pair(found: Values, name: str, x: float) -> str:
    return "/".join(short(found.get((name, x, asked), {}).get("value")) for asked in ("within", "across"))


def short(value: float | None) -> str:
    """
    >>> short(0.407), short(0.999), short(None)
    ('.41', '1.0', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return "1.0" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def show(console: Console, frame: Any, study: Study) -> None:
    """The main numbers of the study with their intervals."""
    category = study.recipe.design.arguments.get("category", "category")
    found = accuracies(frame, category)
    names = list(dict.fromkeys(name for name, _, _ in found))
    units: dict[tuple[str, float], Any] = {}
    scores = frame.filter((frame["measure"] == MEDIAN) & (frame["set"] == GROUPS["unseen"]))
    for row in scores.iter_rows(named=True):  # the last layer comes first
        units.setdefault((row["series"], row["x"]), row["value"])
    table = bare_table("transformation", "seen", "within [95 %]", "across [95 %]", "inv.", "n")
    for column in table.columns[1:]:
        column.no_wrap = True
    for name, x in sorted({key[:2] for key in found}, key=lambda key: (names.index(key[0]), key[1])):
        cells = [_spread(found.get((name, x, asked))) for asked in ("within", "across")]
        inside = units.get((name, x))
        n = next(row["n"] for key, row in found.items() if key[:2] == (name, x))
        table.add_row(escape(name), f"{x:g}", *cells, "" if inside is None else f"{inside:.2f}", str(n))
    print_table(console, table)
    console.print(
        "\nseen: categories seen transformed; inv.: median invariance of the last layer's units on the others; n: "
        "trained networks.\nOther numbers, and one row per trial: --format csv, json or markdown; --tidy.",
        markup=False,
        highlight=False,
    )


def _spread(row: Mapping[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return ""
    spread = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return escape(f"{row['value']:.3f}{spread}")
