"""What a study would do, holds and has done, for the terminal."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from unseen.cli.listing import _table, print_table
from unseen.cli.progress import clock, print_hanging


def show_plan(study: Any, console: Console, device: str, picture: Path | None, timing: bool) -> None:
    from unseen.reports import contact_sheet, grid_text
    from unseen.studies.pictures import splits

    audits = study.check()
    trials = study.trials
    done = sum(study.find(trial) is not None for trial in trials)
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    if study.recipe.question:
        console.print(study.recipe.question, markup=False)
    seeds = len(study.recipe.seeds)
    console.print(f"\n{len(trials)} trials ({seeds} seed{'s' * (seeds != 1)}), {done} finished already")
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    table = _table("condition", "train", "validation", *study.recipe.recordings.sets, "cells")
    for trial, found in audits:
        split, samples = study.split(trial), study.world(trial).samples
        counts = [
            f"{split.count(samples, name):,}"
            for name in ("train", "validation", *study.recipe.recordings.sets)
            if name in split.sets
        ]
        name = " · ".join(
            f"{key.rpartition('.')[2]} {value}"
            for key, value in trial.condition.items()
            if key.startswith(("design", "world"))
        )
        table.add_row(name or "all", *counts, str(int((found.counts["train"] > 0).sum())))
    print_table(console, table)
    shown = splits(study)
    for split in shown[:: max(1, len(shown) - 1)][:2]:
        console.print()
        console.print(grid_text(split), markup=False)
    if picture is not None:
        contact_sheet(shown[0]).save(picture)
        console.print(f"splits drawn in {picture}", markup=False, soft_wrap=True)
    if timing:
        from unseen.engines.timing import estimate

        rate = estimate(study, device)
        if not rate.networks:
            console.print("\nnothing is left to run")
            return
        span = f"about {clock(rate.seconds)}" if rate.seconds >= 60 else "less than a minute"
        console.print(
            f"\n{span} on {rate.device} for the {rate.networks} trials left: {rate.images:,} images to train on "
            f"({rate.how})"
        )


def show_audit(study: Any, console: Console) -> None:
    from unseen.reports import grid_text
    from unseen.studies.collect import distances
    from unseen.studies.pictures import splits

    far = {id(row["trial"]): row for row in distances(study)}
    for (trial, found), picture in zip(study.check(), splits(study)):
        label = trial.label.rpartition(" · ")[0]
        console.print(f"[bold]{escape(label)}[/]" if label else "[bold]the split[/]")
        console.print(grid_text(picture), markup=False)
        console.print()
        table = _table("rows", "images", "cells", "per cell", "shared with train")
        for name, counts in found.counts.items():
            inside = counts[counts > 0]
            shared = "" if name == "train" else str(found.shared_instances[("train", name)])
            span = f"{inside.min()} to {inside.max()}" if len(inside) else "none"
            table.add_row(name, f"{counts.sum():,}", str(len(inside)), span, shared)
        print_table(console, table)
        for name, (least, most) in found.per_row.items():
            console.print(f"  seen cells per level of {name}: {least if least == most else f'{least} to {most}'}")
        row = far.get(id(trial))
        if row:
            console.print(f"  mean distance of held-out cells to the nearest seen {row['factor']}: {row['mean']:.3g}")
        for problem in found.problems or ("no leakage, no imbalance found",):
            print_hanging(console, f"  {problem}")
        console.print()


def show_status(study: Any, console: Console) -> None:
    from unseen.studies.collect import finished_trials

    trials, failures = study.trials, study.failures()
    done = [trial for trial in trials if study.find(trial) is not None]
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    console.print(f"{len(done)} of {len(trials)} trials finished, {len(failures)} failed")
    busy = study.store.busy()
    console.print(f"running now: {busy}" if busy else "not running")
    for identity, record in failures.items():
        print_hanging(console, f"  failed {identity} {record['label']}")
        print_hanging(console, f"    {record['error']}")
    for facts, _ in finished_trials(study):
        for flag, detail in facts["flags"].items():
            print_hanging(console, f"  {flag} {facts['identity']} {facts['label']}")
            print_hanging(console, f"    {detail}")
    others = len(study.store.finished()) - len(done)
    if others > 0:
        console.print(f"{others} more finished trials here belong to other settings; they are kept and not used")
    left = len(trials) - len(done)
    if left:
        console.print(f"{left} to do: run the same command again")


def clean_study(study: Any, console: Console, everything: bool, yes: bool) -> None:
    store = study.store
    wanted = {study.find(trial) for trial in study.trials}
    left_behind = [name for name in store.finished() if name not in wanted] if everything else []
    failures = list(store.failures())
    with store.locked():
        if (
            left_behind
            and not yes
            and not typer.confirm(f"Delete {len(left_behind)} finished trials the recipe does not ask for?")
        ):
            left_behind = []
        swept = store.sweep()
        for identity in failures:
            store.failure_path(identity).unlink(missing_ok=True)
        for name in left_behind:
            shutil.rmtree(store.trials / name)
    console.print(
        f"removed {swept} half-written, {len(failures)} failure records, {len(left_behind)} left-behind trials"
    )
