"""Sanity checks for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from unseen.kinds.sanity.contents import COMPARISONS
from unseen.kinds.sanity.read import WITHOUT_SIGN
from unseen.reports.console import bare_table, print_table
from unseen.reports.words import number
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """Rank correlation without sign by method and comparison."""
    console.print(
        "[bold]how alike maps are to those of other weights[/] (rank correlation without sign)", highlight=False
    )
    table = bare_table("method", *COMPARISONS, "n")
    told = {(r["series"], r["set"]): r for r in frame.iter_rows(named=True) if r["measure"] == WITHOUT_SIGN}
    for method in dict.fromkeys(name for name, _ in told):
        cells = [told.get((method, one)) for one in COMPARISONS]
        n = max((cell["n"] for cell in cells if cell), default=0)
        table.add_row(method, *("" if cell is None else number(cell["value"]) for cell in cells), str(n))
    print_table(console, table)
