"""`unseen view`: the page over studies, from a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unseen.cli.interrupts import stopped_with
from unseen.cli.terminal import Terminal

RUNS = Path("runs")


def serve(console: Terminal, path: Path | None, *, host: str, port: int | None, browser: bool) -> None:
    """Serve the studies of a folder until Ctrl-C, and say where."""
    from unseen.viewer.serving import served

    folder = path if path is not None else RUNS if RUNS.is_dir() else Path()
    page = served(folder, host=host, port=port)
    count = len(page.shelf.names())

    def started() -> None:
        studies = f"{count} stud{'ies' if count != 1 else 'y'} in {folder}"
        console.print(f"{studies}: {page.address}", markup=False, soft_wrap=True)
        if not count:
            console.print("`unseen demo` makes a study in a few minutes; it will appear here.", markup=False)
        if page.token:
            console.print("whoever has this address can look; nobody can change anything", markup=False)
        console.print("Ctrl-C ends it; runs go on.", markup=False)
        if browser:
            open_browser(page.address)

    with stopped_with("the page is closed; runs go on."):
        page.run(started)


def open_browser(address: str) -> None:
    """Open a browser, where there is a screen; without one a text browser would take the terminal."""
    import threading
    import webbrowser

    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    threading.Timer(0.3, lambda: webbrowser.open(address)).start()
