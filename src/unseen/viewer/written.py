"""Pages that other commands wrote below the served folder: reports, maps, comparisons, retests."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from unseen.studies.overview import DEEPEST, folders_below
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import NotServed, Shelf

FILE = "report.html"
OF_A_STUDY = {"report": "unseen report", "explained": "unseen explain"}  # folders in a study's, and who writes them
HEAD = 4096  # bytes of a page in which its title stands
MOST = 200  # pages that are listed, the latest first
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


def pages(shelf: Shelf) -> list[dict[str, Any]]:
    """The pages that belong to no single study, the latest first: their name is their folder below the served one."""
    found = []
    for path in _below(shelf):
        try:
            changed = path.stat().st_mtime
        except OSError:
            continue
        name = path.parent.relative_to(shelf.folder).as_posix()
        if _is_inside(path, shelf.folder):
            found.append((changed, {"name": name, "title": title_of(path) or name}))
    found.sort(key=lambda one: one[0], reverse=True)
    return [{**one, "changed": datetime.fromtimestamp(changed).replace(microsecond=0)} for changed, one in found[:MOST]]


def of_study(path: Path) -> dict[str, bool]:
    """Which pages a study has."""
    return {name: (path / name / FILE).is_file() for name in OF_A_STUDY}


def page_file(shelf: Shelf, asked: Asked) -> Path:
    """The file of a page: a study's own (``study``, and ``page`` where it is not the report), or another (``page``)."""
    study, name = asked.text("study"), asked.text("page")
    if study:
        name = name or "report"
        if name not in OF_A_STUDY:
            raise NotServed(f"a study has no page '{name[:40]}'; it has {' and '.join(OF_A_STUDY)}.")
        on_shelf = shelf[study]
        path = on_shelf.path / name / FILE
        if not path.is_file() or not _is_inside(path, shelf.folder):
            raise NotServed(f"this page is not written yet; `{OF_A_STUDY[name]} {on_shelf.path}` writes it.")
        return path
    for path in _below(shelf):
        if path.parent.relative_to(shelf.folder).as_posix() == name and _is_inside(path, shelf.folder):
            return path
    raise NotServed(f"no page '{name[:80]}' below '{shelf.folder}', the folder that is served.")


def title_of(path: Path) -> str:
    """What a page is called; "" where its head does not say."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return ""
    found = TITLE.search(head)
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _below(shelf: Shelf) -> Iterator[Path]:
    """Pages in the served folder and below it, but for those of studies."""
    studies = {path.resolve() for path in shelf.places().values()}

    def ends(folder: Path) -> bool:
        return folder.resolve() in studies or (folder / FILE).is_file()

    for folder in folders_below(shelf.folder, ends, DEEPEST):
        if folder.resolve() not in studies:
            yield folder / FILE


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
