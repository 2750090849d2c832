"""`unseen examine`: from a model to a page that says where it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from unseen.cli.memory import release_freed_memory
from unseen.cli.terminal import Terminal
from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError

FORMS = {"page": "", "md": "markdown", "markdown": "markdown", "csv": "csv", "json": "json", "parquet": "parquet"}


def form_of(form: str) -> str:
    """What `--format` means; "" is the page alone."""
    from unseen.vocabulary.errors import unknown

    if form not in FORMS:
        raise unknown("format", form, FORMS, where="--format")
    return FORMS[form]


def pairs(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Options of the form KEY=VALUE, values as TOML has them.

    >>> pairs(["size=224", "mean=[0.5]", "channels=BGR"], "--preprocessing")
    {'size': 224, 'mean': [0.5], 'channels': 'BGR'}
    """
    from unseen.vocabulary.recipe import setting

    found = {}
    for text in given or ():
        key, sign, _ = text.partition("=")
        if not sign or not key.strip():
            raise UnseenError(f"{option} {text!r} must be KEY=VALUE.")
        found[key.strip()] = setting(text)[1]
    return found


def listed_names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Names, repeated or with commas.

    >>> listed_names(["pose,size", "light"])
    ('pose', 'size', 'light')
    """
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def examine(
    console: Terminal,
    models: Sequence[str],
    asked: Any,
    *,
    out: Path | None,
    settings: Sequence[str],
    device: str,
    trust: bool,
    feeding: bool,
    run: Callable[[Any, Terminal], Any],
    report: Callable[[Any, Terminal], Any],
    form: str = "",
    to: Path | None = None,
    closing: bool = False,
) -> int:
    """Examine these models, and show the page's answer and place, or with a ``form`` the numbers; the exit code."""
    from unseen.cli import faults
    from unseen.engines import examining

    if form == "parquet" and to is None:
        raise UnseenError("--format parquet writes a file: say which, as in --to numbers.parquet.")
    place = Terminal(stderr=True) if form else console
    with place.status("opening"):
        own = [text for text in settings if not text.startswith("closing.")]
        found = examining.examination(models, asked, out=out, settings=own, trust=trust)
    study = found.study
    faults.place.append(study.path)
    for note in found.notes:
        print_hanging(place, f"note: {note}")
    failed = 0
    if found.files:
        from unseen.studies.subjects import unanswered

        for record, given in examining.add_files(found):
            counts = given.counts
            told = f"{counts['answers']:,} answers about {counts['images']:,} images"
            place.print(f"[bold]{escape(record.subject.name)}[/]: {told}", highlight=False)
            for note in given.notes:
                print_hanging(place, f"  {note}")
            if missing := unanswered(study, record):
                print_hanging(place, f"  {missing}")
    if found.models:
        if feeding:
            _feeding(found, device, place)
            release_freed_memory()
        outcome = run(study, place)
        failed = outcome.failed
        release_freed_memory()
        if failed == outcome.trials and not study.store.subjects():
            return 1
        examining.remember_all(study)
        if closing:
            _closing(found, device, settings, place)
    if form:
        _numbers(study, console, place, form, to)
    else:
        report(study, place)
    return 1 if failed else 0


def write(
    console: Terminal, models: Sequence[str], asked: Any, *, to: Path, settings: Sequence[str], device: str
) -> None:
    """Write the images that an examination asks, with their keys, for another program to answer."""
    from unseen.cli.rendering import asked_of, write_images
    from unseen.engines import examining

    if models:
        raise UnseenError(
            f"--write {to} writes the images for another program, and asks none itself: leave {models[0]} out."
        )
    with console.status("opening"):
        found = examining.examination((), asked, settings=settings, writing=True)
    world, arguments, rows = asked_of(found.study)
    write_images(console, world, arguments, device=device, out=to, rows=rows)
    console.print(
        "then: write a CSV with the columns key, response and, if there is one, confidence (keys and classes are in "
        "manifest.parquet), and examine it with the same options: unseen examine answers.csv",
        markup=False,
    )  # fmt: skip


def _feeding(found: Any, device: str, place: Terminal) -> None:
    """Say how each model is fed; plainly where something is wrong with it."""
    from unseen.engines.examining import feed

    with place.status("checking the preprocessing") as status:
        made = feed(found, device, status.update)
    for one in made:
        if one.wrong:
            place.print(one.words, markup=False, style="bold red" if one.best else "bold")
        else:
            print_hanging(place, one.words)


def _closing(found: Any, device: str, settings: Sequence[str], place: Terminal) -> None:
    """What would close the gaps: a study of its own beside this one."""
    from unseen.engines import run_watched
    from unseen.engines.closing import close

    own = [text.removeprefix("closing.") for text in settings if text.startswith("closing.")]

    def quietly(study: Any) -> None:
        with place.status("asking what would close its gaps"):
            run_watched(study, device=device, progress=False)

    made = close(found.study, found.models, quietly, own, tell=lambda words: print_hanging(place, f"note: {words}"))
    for one in made:
        print_hanging(place, one.words)
    release_freed_memory()


def _numbers(study: Any, console: Terminal, place: Terminal, form: str, to: Path | None) -> None:
    from unseen.cli.listing import show_results, write_parquet

    if form == "parquet":
        write_parquet(lambda: study, place, form, to)
        return
    if to is not None:
        raise UnseenError(f"--to is for --format parquet; {form} goes to the screen, or into a file with > {to}.")
    show_results(study, console, form, True)
