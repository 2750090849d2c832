"""Results of a study of regression, on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.kinds.in_domain.numbers import MEAN, ONE_OUT, OTHERS, OUT, R2, TOWARDS
from unseen.reports.console import bare_table, print_table
from unseen.studies.study import Study


def show(console: Console, frame: Any, study: Study) -> None:
    """The main numbers of a study of regression: mean R² by split, then what happens to one factor out of range."""
    for asked in frame.filter(frame["measure"] == R2)["set"].unique(maintain_order=True).to_list():
        rows = frame.filter((frame["measure"] == R2) & (frame["set"] == asked) & (frame["target"] == MEAN))
        if asked.startswith(ONE_OUT):
            continue
        console.print(f"[bold]R², mean over factors, {escape(asked)} rows[/]", highlight=False)
        table = bare_table("model", "split", "R² [95 % interval]", "n")
        for row in rows.iter_rows(named=True):
            spread = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
            table.add_row(escape(row["series"]), row["x"], escape(f"{row['value']:.3f}{spread}"), str(row["n"]))
        print_table(console, table)
        console.print()
    parts: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in frame.filter(frame["measure"].is_in([OUT, OTHERS, TOWARDS])).iter_rows(named=True):
        parts.setdefault((row["x"], row["series"], row["target"]), {"n": row["n"]})[row["measure"]] = row["value"]
    if parts:
        console.print("[bold]one factor out of range: its R², that of the others, share towards the mean[/]")
        table = bare_table("model", "split", "factor", "out", "others", "share", "n")
        for (split, series, factor), found in parts.items():
            told = ["" if found.get(name) is None else f"{found[name]:.3f}" for name in (OUT, OTHERS, TOWARDS)]
            table.add_row(escape(series), split, factor, *told, str(found["n"]))
        print_table(console, table)
        console.print()
    console.print(
        "n: trained networks. R² by factor and kind, intervals, one row per trial: --format csv, json or markdown; "
        "--tidy.",
        markup=False,
        highlight=False,
    )
