"""Accuracy of subjects, on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.studies.study import Study

NOTE = "n: what the 95 % interval is over. Subjects from elsewhere are not repeats of the networks."


def show(console: Console, frame: Any, study: Study) -> None:
    """Every subject in every set, with its interval and over what that is."""
    console.print("[bold]accuracy of subjects[/]")
    table = bare_table("subject", "of what", "accuracy [95 % interval]", "n", "answers")
    for column in table.columns[2:]:
        column.no_wrap = True
    for row in frame.iter_rows(named=True):
        low, high = row["low"], row["high"]
        known = low is not None and low == low
        spread = f" [{low:.3f}, {high:.3f}]" if known else ""
        of = ", ".join(filter(None, [row["target"], row["set"]]))
        counted = f"{row['n']:,} {row['over']}"
        table.add_row(
            escape(row["series"]), escape(of), escape(f"{row['value']:.3f}{spread}"), counted, f"{row['asked']:,.0f}"
        )
    print_table(console, table)
    print_hanging(console, NOTE)
