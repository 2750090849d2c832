"""`unseen status` without a name: the studies that are here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from unseen.cli.terminal import Terminal
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    from unseen.studies.overview import Overview

RUNS = Path("runs")


def list_studies(console: Terminal, settings: Sequence[str] | None, out: Path | None) -> None:
    """A line for each study below `runs`, or in the folder we are in."""
    from unseen.studies.overview import overview, studies_below

    if settings:
        raise UnseenError("--set belongs to one study; name it, as in `unseen status runs/demo --set seeds=[0]`.")
    studies = [overview(path) for path in studies_below([out] if out is not None else [RUNS, *_here()])]
    if not studies:
        where = f"'{out}'" if out is not None else f"'{RUNS}' or in this folder ({Path.cwd()})"
        print_hanging(console, f"no study in {where}.")
        print_hanging(console, "`unseen demo` makes one in a few minutes; `unseen status FOLDER` looks elsewhere.")
        return
    table = bare_table("study", "finished", "failed", "now", "last change", "size")
    for column in table.columns[1:]:
        column.no_wrap = True
    for one in studies:
        changed = f"{one.changed:%Y-%m-%d %H:%M}" if one.changed else ""
        done = "unreadable" if one.trouble else f"{one.finished} of {one.trials}"
        now = "running" if one.running else ""
        table.add_row(escape(str(one.path)), done, str(one.failed or ""), now, changed, _size(one.bytes))
    print_table(console, table)
    for one in studies:
        for line in _remarks(one):
            print_hanging(console, f"{one.path}: {line}")
    console.print("\n`unseen status STUDY` tells more of one; `unseen run STUDY` does what is missing.", markup=False)


def _here() -> list[Path]:
    """The folder we are in, where it is a study, and studies right below it."""
    return [path.parent for path in sorted([*Path().glob("recipe.toml"), *Path().glob("[!.]*/recipe.toml")])]


def _remarks(one: Overview) -> list[str]:
    lines = [f"run by {one.running}"] if one.running else []
    lines += [f"answers of {one.subjects} subject{'s' * (one.subjects != 1)} from elsewhere"] if one.subjects else []
    lines += [f"{one.others} more trials of other settings"] if one.others > 0 and not one.trouble else []
    return [*lines, *([one.trouble] if one.trouble else [])]


def _size(count: int) -> str:
    """
    >>> _size(120), _size(34_000_000), _size(2_500_000_000)
    ('0.0 MB', '34.0 MB', '2.5 GB')
    """
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
