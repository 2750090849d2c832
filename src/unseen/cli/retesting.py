"""`unseen retest`: accuracy on an original against a new test set."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.markup import escape

from unseen.cli.terminal import Terminal
from unseen.reports.console import bare_table, print_hanging, print_table
from unseen.vocabulary.errors import UnseenError, unknown

FORMS = ("page", "table", "md", "csv", "json")


def retest(
    console: Terminal,
    what: str,
    original: str,
    new: str,
    open_study: Callable[[str], Any],
    *,
    images: tuple[int, int],
    target: str = "",
    out: Path | None = None,
    form: str = "page",
) -> None:
    if form not in FORMS:
        raise unknown("format", form, FORMS, where="--format")
    if original == new:
        raise UnseenError(f"--original and --new are both '{new}'; name two sets.")
    from unseen.kinds.retest.models import is_table, of_study, of_table, tidy
    from unseen.kinds.retest.page import answer, page, shown

    if is_table(what):
        found = of_table(Path(what), original, new, images=images)
    else:
        found = of_study(open_study(what), original, new, target)
    place = console if form in ("page", "table") else Terminal(stderr=True)
    for note in found.notes:
        print_hanging(place, f"note: {note}")
    print_hanging(place, answer(found))
    if form not in ("page", "table"):
        _write(console, tidy(found), form)
        return
    table = bare_table("scale", "slope", "intercept", "R²", "models")
    for scale, line in found.lines.items():
        table.add_row(scale, escape(shown(line.slope)), escape(shown(line.intercept)), f"{line.r2:.3f}", f"{line.n}")
    print_table(console, table)
    if form == "page":
        from unseen.reports.page import write_report

        command = shlex.join(["unseen", *sys.argv[1:]]) if Path(sys.argv[0]).name == "unseen" else ""
        folder = out or Path("runs") / "retest" / Path(what).stem
        path = write_report(page(found, command=command, written=time.strftime("%Y-%m-%d")), folder)
        console.print(f"page: {path.resolve()}", markup=False, soft_wrap=True)


def _write(console: Terminal, frame: Any, form: str) -> None:
    from unseen.cli.listing import markdown

    console.data(frame.write_csv() if form == "csv" else frame.write_json() if form == "json" else markdown(frame))
