"""Where networks look, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from unseen.kinds.by_method import show_table
from unseen.kinds.looking.contents import ENERGY
from unseen.kinds.looking.numbers import SEEN, UNSEEN
from unseen.studies.study import Study

SHOWN = (SEEN, UNSEEN, f"{UNSEEN}, right", f"{UNSEEN}, wrong")


def show(console: Console, frame: Any, study: Study) -> None:
    """The share of evidence on the object by method."""
    console.print("[bold]share of a map's evidence on the object[/]", highlight=False)
    show_table(console, frame, ENERGY, SHOWN)
    console.print(
        "Means over repeats, n of them. Intervals and other measures: --format csv, json or markdown; one row per "
        "trial: --tidy.",
        highlight=False,
    )
