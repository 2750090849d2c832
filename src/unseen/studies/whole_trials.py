"""Folders of a study are whole or not there: filled aside and renamed. What is damaged is moved away, never removed."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from unseen.vocabulary.whole_files import written_aside


def write_folder(place: Path, write: Callable[[Path], None], last: str) -> None:
    """Let ``write`` fill a folder aside, then rename it into place; one that is there with its ``last`` file stays."""
    try:
        with written_aside(place) as aside:
            aside.mkdir(parents=True)
            write(aside)
            if place.is_dir() and not _whole(place, last):  # it would be in the way for ever
                set_aside(place, last)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not _whole(place, last):
            raise


def _whole(place: Path, last: str) -> bool:
    """Whether a folder has the file that is written last. It is looked for in two ways: a network file system may
    remember that a name was not there, and the names of a folder are asked for again."""
    try:
        return (place / last).is_file() or last in os.listdir(place)
    except OSError:
        return False


def set_aside(place: Path, last: str = "") -> Path | None:
    """Move what is damaged into the study's folder ``damaged``, by one rename; gives where it is now. One that turns
    out there to have its ``last`` file was whole, and only looked otherwise from here: it goes back."""
    now = f"{place.name}-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}-{secrets.token_hex(2)}"
    moved = place.parent.parent / "damaged" / now
    moved.parent.mkdir(exist_ok=True)
    try:
        os.rename(place, moved)
    except FileNotFoundError:  # another one was quicker
        return None
    if last and _whole(moved, last):
        with contextlib.suppress(OSError):  # one that is there by now is whole too, and this one is kept beside
            os.rename(moved, place)
            return None
    return moved


def bytes_in(folder: Path) -> int:
    """What the files of a folder take; nothing where it is gone."""
    try:
        return sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        return 0
