"""A matrix of conditions trained on and asked, for a terminal of 80 columns.

Networks are rows and what was asked are columns, as on the page. Where that is wider than the terminal, what was asked
goes down instead: a line for each condition, or for each family of levels (``fog@1`` to ``fog@5``), with the mean over
its levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.conditions.asked import TEST, short_names
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import whole_percent
from unseen.studies.study import Study

MOST = 9  # columns whose names are written; more are numbered
GAP = 2  # blanks between columns
Cells = dict[tuple[str, str], float | None]  # by what was trained on and asked


def show(console: Console, frame: Any, study: Study) -> None:
    """Per cent correct by what was trained on and asked, a table for each group of conditions where they lie across."""
    levels = [name.removeprefix(TEST) for name in frame["set"].unique(maintain_order=True).to_list()]
    names = short_names(levels)
    found = {(row["series"], row["set"].removeprefix(TEST)): row["value"] for row in frame.iter_rows(named=True)}
    groups = {
        group: frame.filter(frame["x"] == group)["series"].unique(maintain_order=True).to_list()
        for group in frame["x"].unique(maintain_order=True).to_list()
    }
    every = [one for own in groups.values() for one in own]
    heads = names if len(levels) <= MOST else numbered(levels)
    cells = [[_cell(found, one, [level]) for one in every] for level in levels]
    if _wide(every, heads, cells) > console.width:
        heads = numbered(levels)
    if _wide(every, heads, cells) <= console.width:
        _across(console, groups, levels, heads, found)
        if heads != names:
            print_hanging(console, _legend(names))
    else:
        _down(console, every, families(levels, names), found)
    repeats = sorted(set(frame["n"].to_list()))
    n = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    console.print(
        f"Means over n = {n}. Intervals, and one row per trial: --format csv, json or markdown; --tidy.",
        markup=False,
        highlight=False,
    )


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(place) for place in range(1, len(names) + 1))


def families(levels: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Levels under one name where they differ by their strength only, in the order asked.

    >>> families(("none", "h-fog@1", "h-fog@2", "snow@3"), ("plain", "fog@1", "fog@2", "snow@3"))
    {'plain': ['none'], 'fog': ['h-fog@1', 'h-fog@2'], 'snow@3': ['snow@3']}
    """
    bases = [name.partition("@")[0] for name in names]
    found: dict[str, list[str]] = {}
    for level, name, base in zip(levels, names, bases):
        found.setdefault(base if bases.count(base) > 1 else name, []).append(level)
    return found


def _wide(rows: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    """How many characters a table takes across."""
    first = max(len("trained on"), *map(len, rows))
    return first + sum(GAP + max(map(len, (head, *cells))) for head, cells in zip(heads, columns))


def _across(
    console: Console, groups: dict[str, list[str]], levels: Sequence[str], heads: Sequence[str], found: Cells
) -> None:
    for group, rows in groups.items():
        console.print(f"[bold]accuracy in %, trained on {escape(group)}[/]", highlight=False)
        table = bare_table("trained on", *heads)
        for row in rows:
            table.add_row(escape(row), *(_cell(found, row, [level]) for level in levels))
        print_table(console, table)
        console.print()


def _down(console: Console, trained: Sequence[str], asked: dict[str, list[str]], found: Cells) -> None:
    """A line for each condition asked, as many networks beside each other as fit."""
    columns = [[_cell(found, one, levels) for levels in asked.values()] for one in trained]
    heads = trained if _wide(list(asked), trained, columns) <= console.width else numbered(trained)
    each = len(trained)
    while each > 1 and _wide(list(asked), heads[-each:], columns[-each:]) > console.width:
        each -= 1
    means = ", mean over the levels of each" if any(len(levels) > 1 for levels in asked.values()) else ""
    for start in range(0, len(trained), each):
        console.print(f"[bold]accuracy in %, by what was asked{means}[/]", highlight=False)
        table = bare_table("asked", *map(escape, heads[start : start + each]))
        for column in table.columns[1:]:
            column.justify = "right"
        for place, name in enumerate(asked):
            table.add_row(escape(name), *(column[place] for column in columns[start : start + each]))
        print_table(console, table)
        console.print()
    if heads is not trained:
        print_hanging(console, f"Trained on: {_legend(trained)}")
    if means:
        console.print("Every level on its own: --format csv.", markup=False, highlight=False)


def _cell(found: Cells, trained: str, levels: Sequence[str]) -> str:
    known = [cell for level in levels if (cell := found.get((trained, level))) is not None]
    return whole_percent(sum(known) / len(known)) if len(known) == len(levels) else ""


def _legend(names: Sequence[str]) -> str:
    return ", ".join(f"{place} {name}" for place, name in enumerate(names, 1))
