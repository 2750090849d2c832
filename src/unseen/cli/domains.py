"""What is known of domains that were left out, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.cli.listing import bare_table, print_table
from unseen.cli.progress import print_hanging

COLUMNS = {"left out": ("accuracy", "unseen"), "trained on": ("accuracy", "trained"), "gap": ("gap", "")}
COLUMNS |= {"others": ("accuracy", "seen"), "majority": ("majority level", "unseen")}
BARE = ("others", "majority")  # without an interval, for room


def show_domains(console: Console, frame: Any, factor: str) -> None:
    """Per cent correct by domain, a table for each model."""
    from unseen.reports.domains import Estimate, percent
    from unseen.reports.words import repeats
    from unseen.studies.domain_contents import MEAN

    several = frame["series"].n_unique() > 1
    for series in frame["series"].unique(maintain_order=True).to_list():
        if several:
            console.print(f"[bold]{escape(series)}[/]", highlight=False)
        table = bare_table(factor, *COLUMNS, "images")
        for column in table.columns[1:]:
            column.no_wrap, column.justify = True, "right"
        mine = frame.filter(frame["series"] == series)
        for name in mine["x"].unique(maintain_order=True).to_list():
            rows = {(row["measure"], row["set"]): row for row in mine.filter(mine["x"] == name).iter_rows(named=True)}
            cells = []
            for head, key in COLUMNS.items():
                row, nan = rows.get(key), float("nan")
                if row is None:
                    cells.append("")
                    continue
                low, high = (nan if row[end] is None or head in BARE else row[end] for end in ("low", "high"))
                cells.append(percent(Estimate(row["value"], low, high, row["n"]), signed=head == "gap"))
            whole = name == MEAN
            images = rows.get(("majority level", "unseen"), {}).get("n", "")
            table.add_row("mean" if whole else escape(name), *map(escape, cells), "" if whole else f"{images:,}")
        print_table(console, table)
        console.print()
    own = frame.filter((frame["measure"] == "accuracy") & (frame["set"] == "unseen") & (frame["x"] != MEAN))
    counts = own["n"].to_list()
    guess = next((value for value in frame["chance"].to_list() if value is not None), None)
    words = (
        "Accuracy in % [95 % interval]. left out: by networks that never saw it; trained on: the same images, by "
        "networks that did; others: new images of the domains the first were trained on; majority: always saying the "
        f"most frequent one{'' if guess is None else f' (chance {100 * guess:.0f})'}. Intervals are over "
        f"repeats ({repeats(counts)}), of the mean over levels of {factor}. By category, and one row per trial: "
        "--format csv, json or markdown; --tidy."
    )
    print_hanging(console, words)
