"""What several commands do on their way: open a study, prepare its worlds, run it, write its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.markup import escape

from unseen.cli.root import console
from unseen.cli.terminal import Terminal


def study_at(name: str, out: Path | None = None, settings: list[str] | None = None) -> Any:
    """A study by its folder, or by recipe."""
    from unseen.cli import faults
    from unseen.engines import open_study

    found = open_study(name, out=out, settings=settings or [])
    faults.place.append(found.path)
    return found


def trusted_study(name: str, out: Path | None, settings: list[str] | None, trust: bool) -> Any:
    """A study whose code may run: named here by the user, trusted before, or trusted now."""
    from unseen.studies.trusting import said_names, settle
    from unseen.vocabulary.trust import said_on

    study = study_at(name, out, settings)
    note = settle(study.recipe, f"'{name}'", trust=trust, said=said_names(settings or []), how=said_on())
    if note:
        console.print(f"note: {note}", markup=False, soft_wrap=True)
    return study


def fetch_models(study: Any) -> None:
    """Weights that the recipe's models lack here, from their hubs, because the user said so."""
    from unseen.studies.given_models import fetch

    for name in fetch(trial.recipe.network for trial in study.trials):
        console.print(f"fetched the weights of {name}", markup=False, soft_wrap=True)


def stored_study(study: Any, *, aside: bool = False) -> Any:
    """The study, or what is stored of it where its images are not at hand, which is said (``aside``: not among the
    numbers, which a file may take)."""
    from unseen.studies.codeless import unknown_code
    from unseen.studies.stored import at_hand

    found = at_hand(study)
    if found.absent:
        place = Terminal(stderr=True) if aside else console
        place.print(f"{found.absent}; these numbers come from the stored answers", markup=False, soft_wrap=True)
    for name in unknown_code(found.recipe):
        told = f"the code of '{name}' is not here, or was not imported; trials are found by their other settings"
        (Terminal(stderr=True) if aside else console).print(told, markup=False, soft_wrap=True)
    return found


def run_study_here(study: Any, device: str, workers: int | None, pack: int | None, console: Terminal = console) -> Any:
    from unseen.cli.progress import Progress
    from unseen.engines.local import find_device, run_study
    from unseen.engines.progress import to_follow
    from unseen.kinds.checks import check
    from unseen.studies.commands import typed_command
    from unseen.studies.missing_trials import missing_trials

    place = find_device(device)
    prepare_worlds(study, console)
    check(study)
    left = missing_trials(study, place.type)
    todo, first = to_follow(study, left)
    total = len(study.trials)
    console.print(f"[bold]{escape(study.recipe.title)}[/]")
    count = f"{total} trial{'s' * (total != 1)}"
    console.print(f"{count}, {total - len(todo)} finished already; on {place}", markup=False)
    console.print(f"kept in {study.path}", markup=False, soft_wrap=True)
    with Progress(console, todo, first) as progress:
        outcome = run_study(study, device=device, workers=workers, pack=pack, watch=progress, command=typed_command())
    if outcome.failed:
        console.print(f"{outcome.failed} failed. The same command tries them again; the reasons once more:")
        console.print(f"  unseen status {study.path}", markup=False, soft_wrap=True)
    return outcome


def prepare_worlds(study: Any, console: Terminal = console) -> None:
    """Decode folders of pictures once, with progress, before anything else, and tell what is wrong with any world."""
    from rich.progress import Progress as Bar

    for world in {id(world): world for world in map(study.world, study.points)}.values():
        if hasattr(world, "prepare"):
            with Bar(console=console, transient=True) as bar:
                task = bar.add_task("reading pictures", total=None)
                world.prepare(progress=lambda done, total, at=task: bar.update(at, completed=done, total=total))
        world_notes(world, console)


def world_notes(world: Any, console: Terminal = console) -> None:
    """What a world wants known: unreadable files, copies."""
    from unseen.reports.console import print_hanging

    for line in getattr(getattr(world, "problems", None), "lines", list)():
        print_hanging(console, f"  note: {line}")


def tell_damage(study: Any, place: Terminal) -> None:
    """Trials that could not be read, or lost a part, are said beside the numbers."""
    from unseen.kinds.collect import damage, finished_trials
    from unseen.reports.console import print_hanging

    for line in damage(study, finished_trials(study)):
        print_hanging(place, line)


def write_page(study: Any) -> Path:
    from unseen.kinds.results import gather, page_of, show_end
    from unseen.reports import write_report

    with console.status("writing the report"):
        contents = gather(study)
        page = write_report(page_of(study, contents), study.path / "report")
    console.print(contents.answer, markup=False)
    show_end(study, console, contents)
    tell_damage(study, console)
    console.print(f"report: {page.resolve()}", markup=False, soft_wrap=True)
    return page
