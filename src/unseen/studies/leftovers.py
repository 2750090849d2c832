"""What killed processes left half-written beside a file or folder, told from what a living one is writing."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OLD = 24 * 3600  # seconds after which what has no living owner to ask is nobody's


def aside_name(kind: str) -> str:
    """A name for what this process writes aside; it tells the next one whose it was."""
    return f".{kind}-{socket.gethostname()}-{os.getpid()}"


def remove_leftovers(folder: Path, kind: str) -> int:
    """Remove what dead processes of this machine left of a kind; give their number."""
    host = re.escape(socket.gethostname())
    mine = re.compile(rf"\.{re.escape(kind)}-(?:{host}-)?(?P<process>\d+)(?:-\w+)?")
    count = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        found = mine.fullmatch(path.name)
        if not found or _lives(int(found["process"])):
            continue
        if sys.platform == "win32" and time.time() - path.stat().st_mtime < OLD:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        count += 1
    return count


def _lives(process: int) -> bool:
    """Whether a process is there. On Windows asking would end it, so age tells there."""
    if process == os.getpid() or sys.platform == "win32":
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def folder_aside(place: Path, kind: str) -> Iterator[Path]:
    """A folder on the disk of ``place``, which need not be there yet; gone afterwards, whatever happens."""
    home = next(folder for folder in (place, *place.absolute().parents) if folder.is_dir())
    for folder in {home.absolute(), place.absolute().parent}:  # one that was killed may have found no folder there yet
        with suppress(OSError):
            remove_leftovers(folder, kind)
    made = Path(tempfile.mkdtemp(prefix=f"{aside_name(kind)}-", dir=home))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
