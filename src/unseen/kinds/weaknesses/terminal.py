"""What a model knows and what costs it most, on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import has_interval
from unseen.studies.study import Study
from unseen.vocabulary.varied_sets import ALL, CANONICAL

NOTE = "Cost: accuracy with the change minus canonical accuracy, in points. 95 % intervals are over n."


def show(console: Console, frame: Any, study: Study) -> None:
    """A table for each model: canonical, each factor alone, all together; pairs are in the report."""
    for series in frame["series"].unique(maintain_order=True).to_list():
        console.print(f"[bold]{escape(series)}[/]", highlight=False)
        mine = frame.filter(frame["series"] == series)
        rows = {(row["measure"], row["set"]): row for row in mine.iter_rows(named=True)}
        sets = [name for measure, name in rows if measure == "accuracy" and " × " not in name]
        costs = {name: rows["gap", name]["value"] for name in sets if ("gap", name) in rows}
        order = sorted(sets, key=lambda name: (name != CANONICAL, name == ALL, costs.get(name, 0.0)))
        table = bare_table("changed", "accuracy", "cost", "n", "images")
        for column in table.columns[1:]:
            column.no_wrap, column.justify = True, "right"
        for name in order:
            row, cost = rows["accuracy", name], rows.get(("gap", name))
            told = "nothing" if name == CANONICAL else "all together" if name == ALL else name
            table.add_row(
                escape(told), escape(_share(row)), escape(_points(cost)) if cost else "", f"{row['n']:,} {row['over']}",
                f"{row['asked']:,.0f}",
            )  # fmt: skip
        print_table(console, table)
    print_hanging(console, NOTE)


def _share(row: dict[str, Any]) -> str:
    low, high = row["low"], row["high"]
    spread = f" [{100 * low:.0f}, {100 * high:.0f}]" if has_interval(low, high) else ""
    return f"{100 * row['value']:.0f} %{spread}"


def _points(row: dict[str, Any]) -> str:
    low, high = row["low"], row["high"]
    spread = f" [{100 * low:+.0f}, {100 * high:+.0f}]" if has_interval(low, high) else ""
    return f"{100 * row['value']:+.0f}{spread}"
