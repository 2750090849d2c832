"""`unseen audit-split`: what splits hold and share, for the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from unseen.cli.planning import count_span, show_levels
from unseen.reports.console import bare_table, print_hanging, print_table

SKIPPED = "near-copies: not looked for, since this world draws its pictures (--near-copies compares them)"
LEFT_OUT = "near-copies: not looked for, as asked"


def show_audit(study: Any, console: Console, near: bool | None = None) -> None:
    """``near``: whether pictures are compared; None: where they are files."""
    from unseen.kinds.distances import distances
    from unseen.kinds.pictures import grid_pictures
    from unseen.reports import grid_text
    from unseen.studies.resembling import near_copies, reads_files

    far = {id(row["trial"]): row for row in distances(study)}
    prints = _prints(study, console, near)
    for trial, found in study.audits:  # of splits alone: no network is built, no code imported
        world = study.world(trial)
        if found.shares:
            show_levels(study, trial, found, console, pairs=True)
        else:
            label = trial.label.rpartition(" · ")[0]
            console.print(f"[bold]{escape(label)}[/]" if label else "[bold]the split[/]")
            if found.counts:
                console.print(grid_text(grid_pictures(study, trial, found, examples=False)[0]), markup=False)
        console.print()
        table = bare_table("set", "images", "cells", "per cell")
        for name, size in found.sizes.items():
            each = count_span([size.least, size.most]) if size.cells else "none"
            table.add_row(name, f"{size.images:,}", f"{size.cells:,}", each)
        print_table(console, table)
        console.print()
        alike = near_copies(study.split(trial), world, prints[id(world)]) if id(world) in prints else None
        _show_shared(found.sharing, alike, console)
        for name, (least, most) in found.per_row.items():
            console.print(f"  seen cells per level of {name}: {least if least == most else f'{least} to {most}'}")
        row = far.get(id(trial))
        if row:
            console.print(f"  mean distance of held-out cells to the nearest seen {row['factor']}: {row['mean']:.3g}")
        skipped = (LEFT_OUT if reads_files(world) or near is False else SKIPPED,) if alike is None else ()
        notes = (*found.sharing.words, *found.notes, *(alike.notes() if alike else ()), *skipped)
        resembling = tuple(alike.problems()) if alike else ()
        for line in (*notes, *(found.problems if resembling else found.verdicts), *resembling):
            print_hanging(console, f"  {line}")
        console.print()


def _show_shared(shared: Any, alike: Any, console: Console) -> None:
    """What each pair of sets has in common. Pairs that share nothing are one line where they are many."""
    near = {} if alike is None else {pair: one.near for pair, one in alike.found.items()}
    columns = {
        "images": shared.images,
        f"of {shared.instance}" if shared.instance else "instances": shared.instances,
        **({"byte copies": shared.copies} if shared.copies else {}),
        **({"near-copies": near} if near else {}),
    }
    columns = {name: counts for name, counts in columns.items() if counts}
    if not columns:  # one set alone
        return
    table = bare_table("shared by", *columns)
    bare = 0
    for left, right in shared.images:
        numbers = [counts.get((left, right), 0) for counts in columns.values()]
        if any(numbers) or left == "train":
            table.add_row(f"{left}, {right}", *(f"{number:,}" for number in numbers))
        else:
            bare += 1
    print_table(console, table)
    if bare:
        console.print(f"  {bare} other pair{'s' * (bare != 1)} of sets share nothing of this")


def _prints(study: Any, console: Console, near: bool | None) -> dict[int, Any]:
    """Rows and prints of every world whose pictures are compared."""
    import numpy as np

    from unseen.studies.resembling import prints_of, reads_files, rows_of

    needed: dict[int, tuple[Any, list[Any]]] = {}
    for trial, _ in study.audits if near is not False else ():
        world = study.world(trial)
        if near or reads_files(world):
            needed.setdefault(id(world), (world, []))[1].append(rows_of(study.split(trial), world.samples))
    found = {}
    for key, (world, rows) in needed.items():
        every = np.unique(np.concatenate(rows))
        with console.status("comparing pictures") as status:
            told = prints_of(
                world, every, lambda done, total: status.update(f"comparing pictures: {done:,} of {total:,}")
            )
        found[key] = (every, told)
    return found
