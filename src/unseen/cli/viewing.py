"""`unseen view`: the page over studies, from a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unseen.cli.interrupts import stopped_with
from unseen.cli.terminal import Terminal

RUNS = Path("runs")


def serve(console: Terminal, path: Path | None, *, host: str, port: int | None, browser: bool) -> None:
    """Serve the studies of a folder until Ctrl-C, and say where."""
    from unseen.viewer.serving import served

    folder = path if path is not None else RUNS if RUNS.is_dir() else Path()
    page = served(folder, host=host, port=port)
    count = len(page.shelf.names())

    what = [f"{count} stud{'ies' if count != 1 else 'y'} in {folder}: {page.address}"]
    if not count:
        what.append("`unseen demo` makes a study in a few minutes; it will appear here.")
    known = "whoever has this address can look; nobody can change anything"
    with stopped_with("the page is closed; runs go on."):
        page.run(lambda: say_started(console, page, what, known, "Ctrl-C ends it; runs go on.", browser))


def say_started(console: Terminal, page: Any, what: Sequence[str], known: str, end: str, browser: bool) -> None:
    """Say where a page is and, where a token guards it, what whoever ``known`` it can do."""
    for line in what:
        console.print(line, markup=False, soft_wrap=True)
    if page.token:
        console.print(known, markup=False)
    console.print(end, markup=False)
    if browser:
        open_browser(page.address)


def open_browser(address: str) -> None:
    """Open a browser, where there is a screen; without one a text browser would take the terminal."""
    import threading
    import webbrowser

    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    threading.Timer(0.3, lambda: webbrowser.open(address)).start()
