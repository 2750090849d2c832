"""`unseen compare`: subjects side by side on the same images."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.cli.terminal import Terminal
from unseen.reports.console import print_hanging
from unseen.vocabulary.errors import UnseenError, unknown

FORMS = ("page", "table", "md", "csv", "json", "parquet")


def compare(
    console: Terminal,
    given: Sequence[str],
    how: Any,
    open_study: Callable[[str], Any],
    *,
    out: Path | None = None,
    images: Path | None = None,
    form: str = "page",
    to: Path | None = None,
) -> None:
    """Compare, tell the numbers, and write the page or a table."""
    if form not in FORMS:
        raise unknown("format", form, FORMS, where="--format")
    if (form == "parquet") != (to is not None):
        raise UnseenError(
            "--format parquet writes a file, and --to says which: --format parquet --to comparison.parquet."
        )
    from unseen.kinds.comparison.parting import partings
    from unseen.kinds.comparison.sources import gathered
    from unseen.kinds.comparison.tables import numbers_of, tidy

    place: Console = console if form in ("page", "table") else Terminal(stderr=True)
    with place.status("reading answers"):
        compared = gathered(given, open_study, how)
    for note in compared.answers.notes:
        print_hanging(place, f"note: {note}")
    with place.status("comparing"):
        found = numbers_of(compared.answers)
    if form in ("page", "table"):
        from unseen.kinds.comparison.terminal import show

        show(place, found)
    else:
        _write(console, tidy(found), form, to)
    if form == "page":
        folder = out or Path("runs") / "compare" / _name([group.name for group in compared.answers.groups])
        with place.status("writing the page"):
            path = _page(found, partings(compared, found, images), folder)
        place.print(f"page: {path.resolve()}", markup=False, soft_wrap=True)


def _page(found: Any, parting: Any, folder: Path) -> Path:
    from unseen.kinds.comparison.page import page
    from unseen.reports.page import write_report

    names = [group.name for group in found.answers.groups]
    title = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{len(names)} subjects side by side"
    command = shlex.join(["unseen", *sys.argv[1:]]) if Path(sys.argv[0]).name == "unseen" else ""
    return write_report(page(found, parting, title=title, command=command, written=time.strftime("%Y-%m-%d")), folder)


def _name(names: Sequence[str]) -> str:
    """A folder's name for a comparison.

    >>> _name(["people", "resnet50"]), _name(list("abcdef"))
    ('people-resnet50', 'a-b-and-4-more')
    """
    kept = list(names) if len(names) <= 3 else [*names[:2], f"and-{len(names) - 2}-more"]
    return re.sub(r"[^\w.-]+", "-", "-".join(kept)).strip("-.")[:80] or "comparison"


def _write(console: Terminal, frame: Any, form: str, to: Path | None) -> None:
    from unseen.cli.listing import markdown

    if to is not None:
        if to.is_dir() or not to.parent.is_dir():
            raise UnseenError(f"'{to}' cannot be written: name a file in a folder that is there.")
        from unseen.vocabulary.whole_files import remove_leftovers, written_aside

        remove_leftovers(to.parent, to.name)
        with written_aside(to) as aside:
            frame.write_parquet(aside)
        console.print(f"{frame.height:,} numbers in {to}", markup=False, soft_wrap=True)
    elif form == "csv":
        console.data(frame.write_csv())
    elif form == "json":
        console.data(frame.write_json())
    else:
        console.data(markdown(frame))
