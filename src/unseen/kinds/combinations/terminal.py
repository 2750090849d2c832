"""Results of a study of combinations, on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.combinations.axis import axis
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """The study's main numbers for a person: accuracy and specialization."""
    shown = frame.filter(frame["measure"].is_in(["accuracy", "median specialization", "share of units"]))
    for measure in shown["measure"].unique(maintain_order=True).to_list():
        console.print(f"[bold]{measure}[/]")
        table = bare_table("of what", "series", "x", "mean [95 % interval]", "n")
        for column in table.columns[2:]:
            column.no_wrap = True
        for row in shown.filter(shown["measure"] == measure).iter_rows(named=True):
            of = ", ".join(filter(None, [row["target"], row["set"], row["layer"], row["unit_type"]]))
            low, high = row["low"], row["high"]
            spread = f" [{low:.3f}, {high:.3f}]" if low is not None else ""
            x = "" if row["x"] is None else f"{row['x']:g}"
            table.add_row(of, escape(row["series"]), x, escape(f"{row['value']:.3f}{spread}"), str(row["n"]))
        print_table(console, table)
        console.print()
    both = {"seen", "unseen"} <= set(frame["set"].to_list())
    sets = "seen, unseen: test images of combinations that training showed, or did not. " if both else ""
    print_hanging(
        console,
        f"x: {axis(study)[1]}. n: repeats behind a mean. {sets}"
        "Other numbers, and one row per trial: --format csv, json or markdown; --tidy.",
    )
