"""Gaps of natural variation, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.variability.numbers import GAP
from unseen.kinds.variability.points import percent
from unseen.kinds.variability.tables import ordered
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import repeats
from unseen.studies.study import Study

ENDS = {"": "", "-exposed": "of classes seen varying", "-others": "of the other classes"}
SHORT = 12  # letters of a factor's name in the head of a column


def show(console: Console, frame: Any, study: Study) -> None:
    """The gap of each factor alone, a line for what training showed, a table for each network."""
    gaps = frame.filter((frame["measure"] == GAP) & ~frame["set"].str.starts_with("trained-"))
    home = frame.filter((frame["measure"] == "accuracy") & frame["set"].str.starts_with("canonical"))
    several = frame["series"].n_unique() > 1
    names = [name.removeprefix("varying-") for name in gaps["set"].unique(maintain_order=True).to_list()]
    factors = ordered([name for name in names if not name.endswith(tuple(ENDS)[1:]) and "+" not in name])
    factors = factors or ordered(list(dict.fromkeys(name.rsplit("-", 1)[0] for name in names)))
    if "all" in factors:
        factors = [*(name for name in factors if name != "all"), "all"]
    for series in gaps["series"].unique(maintain_order=True).to_list():
        if several:
            console.print(f"[bold]{escape(series)}[/]", highlight=False)
        table = bare_table("training", "held out", *(name[:SHORT] for name in factors))
        for column in table.columns[1:]:
            column.no_wrap, column.justify = True, "right"
        mine = gaps.filter(gaps["series"] == series)
        for shown in mine["x"].unique(maintain_order=True).to_list():
            here = {row["set"]: row["value"] for row in mine.filter(mine["x"] == shown).iter_rows(named=True)}
            own = home.filter((home["series"] == series) & (home["x"] == shown))
            known = {row["set"]: row["value"] for row in own.iter_rows(named=True)}
            for end, words in ENDS.items():
                cells = [here.get(f"varying-{factor}{end}") for factor in factors]
                if all(cell is None for cell in cells):
                    continue
                level = known.get(f"canonical{end}")
                name = f"{shown}, {words}" if words else shown
                table.add_row(
                    escape(name),
                    "" if level is None else f"{100 * level:.1f}",
                    *("" if cell is None else percent(cell) for cell in cells),
                )
        print_table(console, table)
        console.print()
    words = (
        "held out: accuracy in % on canonical pictures of objects never trained on. Factors: the gap, accuracy off the "
        f"canonical view less that, in points, of the same objects; means ({repeats(gaps['n'].to_list())}). Intervals, "
        "accuracies and one row per trial: --format csv, json or markdown; --tidy."
    )
    print_hanging(console, words)
