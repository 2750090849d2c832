"""`unseen init`: from a folder of images to a recipe that runs."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.whole_files import put_whole

FIRST_LEVELS = 6


def start_recipe(
    path: Path,
    to: Path | None,
    force: bool,
    console: Console,
    *,
    template: str | None = None,
    root: Path | None = None,
    category: str | None = None,
    across: str | None = None,
    study: str | None = None,
    yes: bool = False,
) -> None:
    from unseen.kinds.checks import proven
    from unseen.studies.first_recipe import recipe_text
    from unseen.studies.first_study import STUDIES
    from unseen.studies.starting import start
    from unseen.worlds.propose import propose

    if study is not None and study not in STUDIES:
        raise unknown("study", study, STUDIES, where="unseen init")
    target = to or Path(f"{_name(path)}.toml")
    if target.exists() and not force:
        raise UnseenError(f"'{target}' is there already; give another name with --to, or --force to replace it.")
    asked = {"root": root, "category": category, "across": across}
    found = propose(path, template=template, **asked)
    if len(found.readings) > 1:
        chosen = _choose(found, console, ask=not yes and console.is_terminal and sys.stdin.isatty())
        if chosen != found.template:
            found = propose(path, template=chosen, **asked)
    _show(found, console)
    with console.status("reading the images") as status:
        made = start(found, study, lambda done, total: status.update(f"reading the images: {done:,} of {total:,}"))
        text = recipe_text(made, str(target))
        fault = "" if made.missing else proven(text, target)
    if fault:
        made = replace(made, missing=fault)
        text = recipe_text(made, str(target))
    for sentence in (*made.guessed, *([made.used] if made.used else [])):
        print_hanging(console, f"  {sentence}")
    for head, sentences in (("left out", made.left_out), ("note", made.notes)):
        for sentence in sentences:
            print_hanging(console, f"  {head}: {sentence}")
    _write(target, text)
    name = shlex.quote(str(target))
    if made.missing:
        print_hanging(console, f"  NOT READY: {made.missing}")
        console.print(f"a beginning is written to {target}", markup=False, soft_wrap=True)
        raise typer.Exit(1)
    console.print(f"recipe written to {target}; it passes `unseen check`.", markup=False, soft_wrap=True)
    console.print(f"Next: unseen plan {name}", markup=False, soft_wrap=True)
    console.print(f"then: unseen run {name}", markup=False, soft_wrap=True)


def _write(target: Path, text: str) -> None:
    """Whole or not at all: a recipe that is replaced may be the only one."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise UnseenError("the folder's name is not UTF-8, which no recipe can hold; give it another name.") from None
    put_whole(target, data)


def _name(path: Path) -> str:
    there = path.expanduser().resolve()
    return (there.stem if there.is_file() else there.name) or "images"


def _show(found: Any, console: Console) -> None:
    where = f"template {found.template}" if found.template else f"manifest {found.manifest}"
    where = where if found.template or found.manifest else "no template fits"
    print_hanging(console, f"{found.images:,} images, {where}")
    if not found.factors:
        return
    table = bare_table("factor", "kind", "levels", "first levels")
    for factor in found.factors:
        first = ", ".join(factor.texts[:FIRST_LEVELS])
        kind = "category" if factor.name == found.rows else factor.kind
        table.add_row(factor.name, kind, str(len(factor)), first if len(first) <= 40 else f"{first[:39]}…")
    print_table(console, table)


def _choose(found: Any, console: Console, *, ask: bool) -> str | None:
    """The template to read by: as a person at the terminal says, else the likeliest, and which others there are."""
    from unseen.worlds.template import Template

    if not ask:
        for other in found.readings[1:]:
            print_hanging(console, f"another reading: {other.why}: --template {shlex.quote(other.template)}")
        return found.template
    console.print("The names can be read in more than one way:")
    for number, reading in enumerate(found.readings, start=1):
        print_hanging(console, f"{number}  {reading.template}: {reading.why}")
        one = Template(reading.template)
        for file in found.examples[:2]:
            values = ", ".join(f"{name} {value}" for name, value in zip(one.fields, one.match(file) or ()))
            print_hanging(console, f"     {file} → {values}")
    answer = typer.prompt("Which one?", default=1, type=int)
    if not 1 <= answer <= len(found.readings):
        raise UnseenError(f"{answer} is none of the readings 1 to {len(found.readings)}.")
    return found.readings[answer - 1].template
