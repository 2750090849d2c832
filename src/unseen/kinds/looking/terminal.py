"""Where networks look, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from unseen.kinds.looking.contents import ENERGY
from unseen.kinds.looking.numbers import SEEN, UNSEEN
from unseen.reports.console import bare_table, print_table
from unseen.reports.words import number
from unseen.studies.study import Study

SHOWN = (SEEN, UNSEEN, f"{UNSEEN}, right", f"{UNSEEN}, wrong")


def show(console: Console, frame: Any, study: Study) -> None:
    """The share of evidence on the object by method."""
    console.print("[bold]share of a map's evidence on the object[/]", highlight=False)
    table = bare_table("method", *SHOWN, "n")
    told = {(r["series"], r["set"]): r for r in frame.iter_rows(named=True) if r["measure"] == ENERGY}
    for method in dict.fromkeys(name for name, _ in told):
        cells = [told.get((method, one)) for one in SHOWN]
        n = max((cell["n"] for cell in cells if cell), default=0)
        table.add_row(method, *("" if cell is None else number(cell["value"]) for cell in cells), str(n))
    print_table(console, table)
