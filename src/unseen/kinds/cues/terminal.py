"""Which of two cues decides, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.designs.decorrelate import AGREEING, CONFLICTING
from unseen.kinds.cues.numbers import BIAS, FOLLOWED
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import interval, number, repeats
from unseen.studies.study import Study

COLUMNS = {
    "shape bias": (BIAS, CONFLICTING), "decided": (FOLLOWED, CONFLICTING), "agreeing": ("accuracy", AGREEING),
    "conflicting": ("accuracy", CONFLICTING),
}  # fmt: skip


def show(console: Console, frame: Any, study: Study) -> None:
    """A table for each model, a line for each share."""
    several = frame["series"].n_unique() > 1
    for series in frame["series"].unique(maintain_order=True).to_list():
        if several:
            console.print(f"[bold]{escape(series)}[/]", highlight=False)
        table = bare_table("decorrelated", *COLUMNS)
        for column in table.columns:
            column.no_wrap, column.justify = True, "right"
        mine = frame.filter(frame["series"] == series)
        for x in sorted(mine["x"].unique().to_list()):
            rows = {(r["measure"], r["set"]): r for r in mine.filter(mine["x"] == x).iter_rows(named=True)}
            cells = [_cell(rows.get(key), spread=key[0] == BIAS) for key in COLUMNS.values()]
            table.add_row(f"{x:g} %", *map(escape, cells))
        print_table(console, table)
        console.print()
    words = (
        "decorrelated: training images that lost their own texture; shape bias: decisions for shape among those for "
        "either cue, where they conflict; decided: images with such a decision; agreeing, conflicting: accuracy. "
        f"Means over repeats ({repeats(frame['n'].to_list())}). By category, and one row per trial: --format csv, json "
        "or markdown; --tidy."
    )
    print_hanging(console, words)


def _cell(row: Any, *, spread: bool) -> str:
    if row is None or row["value"] is None:
        return "–"
    ends = interval(row["low"], row["high"], row["n"]) if spread else ""
    return f"{number(row['value'])} {ends}".strip()
