"""Drops on new test sets, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.designs.replicate import ORIGINAL
from unseen.kinds.replica.read import COLLECTIONS
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import interval, number
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """A line for each new test set, then one for each model."""
    rows = {(row["measure"], row["set"], row["series"]): row for row in frame.iter_rows(named=True)}
    table = bare_table("new test set", "drop", "slope", "probit slope")
    for name in COLLECTIONS:
        mine = [next((r for (m, s, _), r in rows.items() if (m, s) == (of, name)), None) for of in _OF]
        if any(mine):
            table.add_row(name, *(escape(_cell(row)) for row in mine))
    print_table(console, table)
    console.print()
    names = [name for name in (ORIGINAL, *COLLECTIONS) if any(key[:2] == ("accuracy", name) for key in rows)]
    table = bare_table("model", *names)
    for column in table.columns[1:]:
        column.no_wrap, column.justify = True, "right"
    for model in dict.fromkeys(key[2] for key in rows if key[0] == "accuracy"):
        cells = [rows.get(("accuracy", name, model)) for name in names]
        table.add_row(escape(model), *("–" if cell is None else number(cell["value"]) for cell in cells))
    print_table(console, table)
    print_hanging(
        console,
        "drop: original minus new accuracy, mean over models; slope: of the line of new on original accuracy. "
        "Intervals are over repeats. harder, easier: half of the replica by what the other half of the models know. "
        "One row per trial: --format csv, json or markdown; --tidy.",
    )


_OF = ("drop", "slope", "probit slope")


def _cell(row: Any) -> str:
    return "–" if row is None else f"{number(row['value'])} {interval(row['low'], row['high'], row['n'])}"
