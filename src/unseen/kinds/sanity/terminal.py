"""Sanity checks for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from unseen.kinds.by_method import show_table
from unseen.kinds.sanity.contents import COMPARISONS
from unseen.kinds.sanity.read import WITHOUT_SIGN
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """Rank correlation without sign by method and comparison."""
    console.print(
        "[bold]how alike maps are to those of other weights[/] (rank correlation without sign)", highlight=False
    )
    show_table(console, frame, WITHOUT_SIGN, COMPARISONS)
    console.print(
        "Means over repeats, n of them. Intervals and other measures: --format csv, json or markdown; one row per "
        "trial: --tidy.",
        highlight=False,
    )
