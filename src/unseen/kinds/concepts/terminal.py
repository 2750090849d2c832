"""A study of concepts, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from unseen.kinds.concepts.numbers import SEEN, TOLD, UNSEEN
from unseen.kinds.concepts.read import ACCURACY
from unseen.reports.console import bare_table, print_table
from unseen.reports.words import number
from unseen.studies.concepts import ALL
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """Accuracy by how the class is read, on seen and unseen combinations, and with all concepts told."""
    label = study.targets(study.trials[0])[0].name
    told = {(r["series"], r["set"], r["measure"], r["target"]): r for r in frame.iter_rows(named=True)}
    columns = [(side, ACCURACY, label) for side in (SEEN, UNSEEN)]
    columns += [(side, TOLD, ALL) for side in (SEEN, UNSEEN)]
    console.print(f"[bold]accuracy, {label}[/]", highlight=False)
    table = bare_table("how the class is read", SEEN, UNSEEN, "seen, all\ntold", "unseen,\nall told", "n")
    for how in dict.fromkeys(key[0] for key in told):
        cells = [told.get((how, *one)) for one in columns]
        n = max((one["n"] for one in cells if one), default=0)
        table.add_row(how, *(number(one["value"]) if one else "" for one in cells), str(n))
    print_table(console, table)
    console.print(
        "All told: every concept set to the truth. Means over repeats, n of them. Intervals, concepts one by one and "
        "some of them told: --format csv, json or markdown; one row per trial: --tidy.",
        highlight=False,
    )
