"""What is known of domains that were left out, for a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.domains.contents import MEAN, SHARED
from unseen.kinds.domains.tables import percent, same_images
from unseen.measures import Interval
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.reports.words import repeats
from unseen.studies.study import Study
from unseen.vocabulary.words import capital

COLUMNS = {"left out": ("accuracy", "unseen"), "trained on": ("accuracy", "trained"), "gap": ("gap", "")}
COLUMNS |= {"others": ("accuracy", "seen"), "majority": ("majority level", "unseen")}
VERDICTS = ("known less well", "known better", "undecided")
BARE = ("others", "majority")  # without an interval, for room


def show(console: Console, frame: Any, study: Study) -> None:
    """Per cent correct by domain, a table for each model."""
    factor = str(study.recipe.design.arguments["factor"])
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
            if paired := rows.get(("accuracy", SHARED)):  # beside a gap stands what it is the difference of
                rows["accuracy", "unseen"] = paired
            for head, key in COLUMNS.items():
                row, nan = rows.get(key), float("nan")
                if row is None:
                    cells.append("")
                    continue
                low, high = (nan if row[end] is None or head in BARE else row[end] for end in ("low", "high"))
                cells.append(percent(Interval(row["value"], low, high, row["n"]), signed=head == "gap"))
            whole = name == MEAN
            images = (rows.get(("gap", "")) or rows.get(("accuracy", "unseen"), {})).get("images")
            table.add_row("mean" if whole else escape(name), *map(escape, cells), f"{images:,}" if images else "")
        print_table(console, table)
        print_hanging(console, verdict_words(mine))
        console.print()
    alone = frame.filter(frame["x"] != MEAN)
    gaps = alone.filter(alone["measure"] == "gap")
    counts = (gaps if gaps.height else alone.filter(alone["set"] == "unseen", alone["measure"] == "accuracy"))["n"]
    guess = next((value for value in frame["chance"].to_list() if value is not None), None)
    part = "on images that both were asked, in repeats that have both (on all: --format csv)"
    words = (
        "Accuracy in % [95 % interval]. left out: by networks that never saw it; trained on: the same images, by "
        f"networks that did; gap: the difference, paired by repeat{f', {part}' if SHARED in frame['set'] else ''}; "
        "others: new images of the domains the first were trained on; majority: always saying the "
        f"most frequent one{'' if guess is None else f' (chance {100 * guess:.0f})'}. Intervals are over "
        f"repeats ({repeats(counts.to_list())}), of the mean over levels of {factor}. "
        f"{same_images(max(frame['splits'], default=1))} By category, and one row per trial: "
        "--format csv, json or markdown; --tidy."
    )
    print_hanging(console, words)


def verdict_words(frame: Any) -> str:
    """The verdicts of one model's gaps, which have no room in the table.

    >>> import polars as pl
    >>> told = {"art": "undecided", "photo": "known less well", "mean over domains": "undecided"}
    >>> verdict_words(pl.DataFrame({"measure": ["gap"] * 3, "x": list(told), "verdict": list(told.values())}))
    'Known less well: photo. Undecided: art. Mean over domains: undecided.'
    """
    gaps = {row["x"]: row["verdict"] for row in frame.filter(frame["measure"] == "gap").iter_rows(named=True)}
    whole = gaps.pop(MEAN, None)
    named = {word: [name for name, verdict in gaps.items() if verdict == word] for word in VERDICTS}
    parts = [f"{capital(word)}: {', '.join(names)}." for word, names in named.items() if names]
    if not gaps:
        return "No verdict yet: no domain has a network to be compared with."
    return " ".join([*parts, *([f"{capital(MEAN)}: {whole}."] if whole else [])])
