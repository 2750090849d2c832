"""What a study would do, holds and has done, for the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.spans import clock

MOST_SETS = 3  # asked of a split by levels that have a column in the plan's table
MOST_SPLITS = 4  # by levels that the plan draws


def show_plan(study: Any, console: Console, device: str, picture: Path | None, timing: bool) -> None:
    from unseen.engines.local import find_device
    from unseen.kinds.checks import check
    from unseen.kinds.pictures import grid_pictures, splits
    from unseen.kinds.results import planned
    from unseen.reports import contact_sheet, grid_text
    from unseen.studies.missing_trials import missing_trials, without_weights
    from unseen.studies.weight_budget import weight_budget

    audits = check(study)
    trials = study.trials
    done = sum(study.find(trial) is not None for trial in trials)
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    if study.recipe.question:
        console.print(study.recipe.question, markup=False)
    seeds = len(study.recipe.seeds)
    count = f"{len(trials)} trial{'s' * (len(trials) != 1)}"
    console.print(f"\n{count} ({seeds} seed{'s' * (seeds != 1)}), {done} finished already")
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    show_strengths(study, console)
    show_encoders(study, console, device)
    show_generators(study, console)
    show_networks(study, console)
    kind = find_device(device).type
    told = (
        [weight_budget(study).words(), without_weights(study, kind), *missing_trials(study, kind).words()]
        if trials
        else []
    )
    for line in filter(None, [*planned(study).words(), *told]):
        print_hanging(console, line)
    asked = dict.fromkeys(name for trial, _ in audits for name in study.asked(trial))
    asked = [name for name in asked if name not in ("train", "validation")]
    if len(asked) > MOST_SETS and all(found.shares for _, found in audits):
        asked = asked[:1]  # all are named with each split below
    show_sizes(study, audits, asked, console)
    grids = [(trial, found) for trial, found in audits if found.counts]
    for trial, found in grids[:: max(1, len(grids) - 1)][:2]:
        console.print()
        console.print(grid_text(grid_pictures(study, trial, found, examples=False)[0]), markup=False)
    levels = [(trial, found) for trial, found in audits if found.shares]
    for trial, found in levels[:MOST_SPLITS]:
        console.print()
        show_levels(study, trial, found, console)
    if levels:
        console.print(f"\n{_legend(levels)}", markup=False)
    if len(levels) > MOST_SPLITS:
        console.print(f"\n… {len(levels) - MOST_SPLITS} more splits; `unseen audit-split` shows all.", markup=False)
    if picture is not None and (drawn := splits(study)):
        contact_sheet(drawn[0]).save(picture)
        console.print(f"splits drawn in {picture}", markup=False, soft_wrap=True)
    elif picture is not None:
        print_hanging(console, f"nothing is drawn in {picture}: the study has no grid of two factors")
    if not trials:
        print_hanging(console, "nothing is to be trained: `unseen answers add` adds the answers of models and people")
        return
    if timing:
        from unseen.engines.timing import estimate

        rate = estimate(study, device)
        if not rate.networks:
            console.print("\nnothing is left to run")
            return
        left = f"{rate.networks} trials" if rate.networks != 1 else "one trial"
        word = "at most" if any(trial.recipe.training.patience for trial in study.trials) else "about"
        span = f"{word} {clock(rate.seconds)}" if rate.seconds >= 60 else "less than a minute"
        console.print(f"\n{span} on {rate.device} for the {left} left: {rate.images:,} images to train on ({rate.how})")


def show_sizes(study: Any, audits: Sequence[tuple[Any, Any]], asked: Sequence[str], console: Console) -> None:
    """How many images each set of each split has; without training, what is asked alone."""
    trains = any(found.trains for _, found in audits)
    columns = _columns([*(("train", "validation") if trains else ()), *asked])
    table = bare_table("condition", *columns, "cells")
    for trial, found in audits:
        split, samples = study.split(trial), study.world(trial).samples
        counts = [
            count_span([split.count(samples, name) for name in names if name in split.sets])
            for names in columns.values()
        ]
        table.add_row(_condition(trial) or "all", *counts, f"{found.cells:,}")
    print_table(console, table)
    of = (
        "trained on" if all(found.trains for _, found in audits) else "trained on, or else asked" if trains else "asked"
    )
    print_hanging(console, f"images in each set; cells: combinations of levels {of}{_meaning(columns)}")


def _legend(audits: Sequence[tuple[Any, Any]]) -> str:
    from unseen.reports.shades import ASKED_LEGEND, LEGEND

    return LEGEND if any(found.trains for _, found in audits) else ASKED_LEGEND


def show_networks(study: Any, console: Console, *, few_only: bool = False) -> None:
    """A line per network, with its protocol and stem, and a note where the last block sees few positions."""
    for name, stems in study.networks.items():
        for text, few in stems.items():
            if not few_only:
                print_hanging(console, f"{name}{': ' * bool(text)}{text}")
            if few:
                print_hanging(console, f"  note: {name}, {few}")


def show_encoders(study: Any, console: Console, device: str) -> None:
    """What is pretrained before the trials, and what of it is here."""
    from unseen.engines.local import find_device
    from unseen.studies.needed import encoder_words

    for line in encoder_words(study, find_device(device).type):
        print_hanging(console, line)


def show_generators(study: Any, console: Console) -> None:
    """Generators that are still to learn: no estimate counts them."""
    from unseen.worlds.generators.learned_world import learned_first

    for world in {id(one): one for one in map(study.world, study.points)}.values():
        for one in learned_first(world):
            told = (
                f"world '{one.name}': a generator learns first, {one.fit.steps:,} steps with {one.fit.batch} pictures "
                f"each, inside the first trial that shows its pictures; it is then kept for all. Times told here do "
                f"not count it."
            )
            print_hanging(console, told)


def show_strengths(study: Any, console: Console) -> bool:
    """A line per calibration: the strengths it found, or that it is to be done first. False where one failed."""
    from unseen.studies.strengths import chosen_strengths, found_text

    free = True
    for name, needed in study.calibrations.items():
        record = study.store.calibration(name)
        if record is None:
            levels = ", ".join(needed.section.steps)
            print_hanging(console, f"{needed.label}: strength of {levels} to be calibrated first; `unseen run` does it")
        elif chosen_strengths(record) is None:
            free = False
            print_hanging(console, f"{needed.label}, failed: {found_text(record)}")
            print_hanging(
                console, "  no trial can be trained without it: change [calibration], or give world.strengths"
            )
        else:
            print_hanging(console, f"{needed.label}: {found_text(record)}")
        for flag, detail in (record or {}).get("flags", {}).items():
            print_hanging(console, f"  {flag}: {detail}")
    return free


def _condition(trial: Any) -> str:
    """What a trial's split depends on, of the grid."""
    from unseen.studies.trials import setting_text

    of_split = ((key, value) for key, value in trial.condition.items() if key.startswith(("design", "world")))
    return " · ".join(setting_text(key, value) for key, value in of_split)


def _columns(names: Sequence[str]) -> dict[str, list[str]]:
    """A column for each set; where they are many, one for all of a kind (``test-*``).

    >>> _columns(["train", "test-a", "test-b", "test-c", "test-d"])
    {'train': ['train'], 'each test-*': ['test-a', 'test-b', 'test-c', 'test-d']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        kind, dash, _ = name.partition("-")
        many = sum(other.startswith(f"{kind}-") for other in names) > MOST_SETS
        found.setdefault(f"each {kind}-*" if dash and many else name, []).append(name)
    return found


def _meaning(columns: Collection[str]) -> str:
    """What seen and unseen mean, where a design has both."""
    if not {"seen", "unseen"} <= set(columns):
        return ""
    return "; seen, unseen: test images of combinations that are, or are not, among them"


def count_span(counts: Sequence[int]) -> str:
    if not counts:
        return "none"
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def show_levels(study: Any, trial: Any, found: Any, console: Console, *, pairs: bool = False) -> None:
    """What a split by levels trains on: a line per factor and, if asked, a grid for every two of them."""
    from unseen.reports import pair_grids, strips
    from unseen.reports.shades import COLUMNS, ROWS

    facts = study.split(trial).facts
    console.print(f"[bold]{escape(_condition(trial) or 'the split')}[/]")
    if facts.shares_in_words:
        print_hanging(console, facts.shares_in_words)
    asked = study.asked(trial)
    if not pairs and len(asked) > MOST_SETS:  # they do not fit in the plan's table
        sizes = ", ".join(f"{name} {found.sizes[name].images:,}" for name in asked)
        print_hanging(console, f"tested on: {sizes}")
    notes = dict.fromkeys(facts.protected, "protected")
    notes |= {name: f"{len(levels)} held out" for name, levels in facts.withheld.items()}
    console.print(strips(found.shares, notes), markup=False, highlight=False)
    if pairs and found.pairs:
        grids = []
        for pair in found.pairs:
            seen = f"{100 * pair.seen:.0f} % {'seen' if found.trains else 'asked'}"
            upright = pair if pair.there.shape[0] <= pair.there.shape[1] else pair.turned()
            drawn = upright.coarser(ROWS, COLUMNS)
            grids.append((f"{drawn.rows} ↓ {drawn.columns} →, {seen}", drawn.share))
        console.print()
        console.print(pair_grids(grids), markup=False, highlight=False)
        console.print(f"\n{_legend([(trial, found)])}", markup=False)


def show_status(study: Any, console: Console) -> None:
    from unseen.cli.working import show_workers
    from unseen.kinds.collect import damage, finished_trials
    from unseen.studies.encoders import encoders_taken
    from unseen.studies.glances import glances
    from unseen.studies.kept_weights import taken
    from unseen.studies.missing_trials import missing_trials
    from unseen.studies.subjects import subjects_of
    from unseen.vocabulary.sizes import size_text

    looked = glances(study.path)  # of whole trials; others are few, and read
    stored = looked.whole.keys() | {name for name in looked.others if study.store.has(name)}
    trials, found, failures = study.trials, study.found("cpu", stored.__contains__), study.failures()
    done = [trial for trial, name in zip(trials, found) if name is not None]
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    count = f"{len(trials)} trial{'s' * (len(trials) != 1)}"
    console.print(f"{len(done)} of {count} finished, {len(failures)} failed")
    free = show_strengths(study, console)
    busy = study.store.busy()
    console.print(f"running now: {busy}" if busy else "not running")
    show_workers(study, [trial for trial, name in zip(trials, found) if name is None], console)
    for identity, record in failures.items():
        print_hanging(console, f"  failed {identity} {record['label']}")
        print_hanging(console, f"    {record['error']}")
    read = finished_trials(study, numbers=False, found=[None if name in looked.whole else name for name in found])
    odd = {record.identity: record.facts["flags"] for record in read}
    for line in damage(study, read, whole=len(done) - len(read) - len(study.left_out)):
        print_hanging(console, f"  {line}")
    for trial, name in zip(trials, found):
        for flag, detail in (looked.flags.get(name or "") or odd.get(name or "", {})).items():
            print_hanging(console, f"  {flag} {name} {trial.label}")
            print_hanging(console, f"    {detail}")
    if (more := len(stored) - len(done)) > 0:
        console.print(f"{more} more finished trials here belong to other settings; they are kept and not used")
    networks, size = taken(study.store, looked)
    if networks:
        console.print(f"weights of {networks} network{'s' * (networks != 1)} are kept ({size_text(size)})")
    encoders, size = encoders_taken(study.store)
    if encoders:
        console.print(f"{encoders} encoder{'s' * (encoders != 1)} pretrained and kept ({size_text(size)})")
    others_answers, gone = subjects_of(study)
    if others_answers:
        named = ", ".join(one.subject.words for one in others_answers)
        console.print(f"answers from elsewhere: {named}", markup=False)
    for why in gone.values():
        print_hanging(console, f"  {why}")
    left = len(trials) - len(done)
    missing = [trial for trial, name in zip(trials, found) if name is None]
    for line in missing_trials(study, missing=missing, looked=looked).words():
        print_hanging(console, line)
    if left and free:
        console.print(f"{left} to do: the same command with `run` in place of `status` does them")


def clean_study(study: Any, console: Console, everything: bool, yes: bool, weights: bool = False) -> None:
    from unseen.studies.codeless import unknown_code
    from unseen.studies.encoders import encoders_kept, encoders_taken, remove_encoders
    from unseen.studies.kept_weights import remove, taken
    from unseen.studies.missing_trials import left_behind as weights_left_behind
    from unseen.studies.needed import encoders_left_behind
    from unseen.vocabulary.errors import UnseenError, listed
    from unseen.vocabulary.sizes import size_text

    store = study.store
    if everything and (names := unknown_code(study.recipe)):
        raise UnseenError(
            f"the code of {listed(names)} is not at hand, so that it cannot be told which results the recipe left "
            f"behind; nothing was removed. Clean where that code is, or without --everything."
        )
    wanted = {study.find(trial) for trial in study.trials}
    left_behind = [name for name in store.finished() if name not in wanted] if everything else []
    stale = weights_left_behind(study) if everything else []
    unneeded = encoders_left_behind(study) if everything else []
    failures = list(store.failures())
    with store.locked():
        what = f"{len(left_behind)} finished trials and the weights of {len(stale)} networks"
        what += f" and {len(unneeded)} encoders" if unneeded else ""
        stale_or_trials = left_behind or stale or unneeded
        if stale_or_trials and not yes and not typer.confirm(f"Delete {what} the recipe does not ask for?"):
            left_behind = stale = unneeded = []
        also = f" and {encoders_taken(store)[0]} encoders" if encoders_kept(store) else ""
        if weights and not yes and not typer.confirm(f"Delete the weights of {taken(store)[0]} networks{also}?"):
            weights = False
        freed = remove(store, None if weights else stale) + remove_encoders(store, None if weights else unneeded)
        swept = store.sweep()
        for identity in failures:
            store.failure_path(identity).unlink(missing_ok=True)
        for name in left_behind:
            shutil.rmtree(store.trials / name)
    also = f", {size_text(freed)} of weights" if freed else ""
    console.print(
        f"removed {swept} half-written, {len(failures)} failure records, {len(left_behind)} trials no longer "
        f"needed{also}"
    )


def clean_objects(console: Console) -> None:
    """Remove objects made by rule, which are made again in seconds to minutes."""
    from unseen.vocabulary.sizes import size_text
    from unseen.worlds.kept_objects import make_room, objects_home

    home = objects_home()
    console.print(f"removed {size_text(make_room(home, 0))} of objects in {home}", soft_wrap=True, markup=False)


def clean_features(console: Console, yes: bool) -> None:
    """Remove what models made of pictures: it costs only the time to compute it again."""
    from unseen.recordings.features import kept, remove_features
    from unseen.studies.kept_features import features_home
    from unseen.vocabulary.sizes import size_text

    home = features_home()
    there = kept(home)
    size = size_text(sum(size for _, size, _ in there))
    if there and not yes and not typer.confirm(f"Delete the features of {len(there)} models on worlds ({size})?"):
        return
    console.print(f"removed {size_text(remove_features(home))} of features in {home}", soft_wrap=True, markup=False)
