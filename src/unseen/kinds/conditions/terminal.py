"""A matrix of conditions trained on and asked, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.conditions.asked import TEST, short_names
from unseen.reports.console import bare_table, print_table
from unseen.reports.words import whole_percent
from unseen.studies.study import Study

MOST = 9  # columns whose names are written; more are numbered


def show(console: Console, frame: Any, study: Study) -> None:
    """Per cent correct by what was trained on (rows) and asked (columns), a table for each group of conditions."""
    levels = [name.removeprefix(TEST) for name in frame["set"].unique(maintain_order=True).to_list()]
    names = short_names(levels)
    heads = names if len(levels) <= MOST else tuple(str(place) for place in range(1, len(levels) + 1))
    repeats = sorted(set(frame["n"].to_list()))
    for group in frame["x"].unique(maintain_order=True).to_list():
        console.print(f"[bold]accuracy in %, trained on {escape(group)}[/]", highlight=False)
        table = bare_table("trained on", *heads)
        rows = frame.filter(frame["x"] == group)
        for series in rows["series"].unique(maintain_order=True).to_list():
            found = {row["set"]: row["value"] for row in rows.filter(rows["series"] == series).iter_rows(named=True)}
            cells = [found.get(f"{TEST}{level}") for level in levels]
            table.add_row(escape(series), *("" if cell is None else whole_percent(cell) for cell in cells))
        print_table(console, table)
        console.print()
    if len(levels) > MOST:
        console.print(", ".join(f"{place} {name}" for place, name in enumerate(names, 1)), markup=False)
    n = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    console.print(
        f"Means over n = {n}. Intervals, and one row per trial: --format csv, json or markdown; --tidy.",
        markup=False,
        highlight=False,
    )
