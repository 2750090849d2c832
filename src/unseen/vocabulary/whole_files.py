"""Files and folders that appear whole or not at all: written aside, synced, renamed into place.

Everybody who keeps something writes through here. What differs between them, which folders may be made and how a full
disk is told, stays with them: only an ``OSError`` leaves this module.

What a killed process was writing stays behind under a name that tells whose it was, so that the next one can remove it
without touching what a living one is writing.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

ASIDE = ".part"  # how every name aside ends
LONGEST = 100  # bytes of a name that are kept aside: file systems allow 255, and the host's name is among them
OLD = 24 * 3600  # seconds after which what has no living owner to ask is nobody's

_SYNCED = "r+b" if sys.platform == "win32" else "rb"  # Windows syncs no handle that only reads


def name_aside(name: str) -> str:
    """A name for what this process writes aside. Its host and number tell the next one whose it was; numbers alone are
    the same on two hosts that share a disk, and the random end keeps threads apart."""
    return f".{_cut(name)}-{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}{ASIDE}"


@contextmanager
def written_aside(place: Path, *, sync: bool = True) -> Iterator[Path]:
    """Where to write a file, or make and fill a folder: what is there when the block ends takes ``place`` in one step.

    A file replaces an older one. A folder does not: one that is in the way raises ``OSError``. If anything fails, what
    was aside is removed and ``place`` is as before. ``sync=False`` is for what can be made again at little cost: after
    a power cut it may be there and empty.
    """
    aside = place.with_name(name_aside(place.name))
    try:
        yield aside
        if sync:
            for file in aside.iterdir() if aside.is_dir() else (aside,):
                with open(file, _SYNCED) as handle:
                    os.fsync(handle.fileno())
        if aside.is_dir():
            os.rename(aside, place)
        else:
            os.replace(aside, place)
    finally:
        with suppress(OSError):
            remove(aside)


def put_whole(path: Path, content: str | bytes, *, sync: bool = True, mode: int = 0o666) -> None:
    """Write a file aside and rename it into place. ``mode``: who may read it, from its first byte on."""
    data = content.encode() if isinstance(content, str) else content
    with written_aside(path, sync=sync) as aside, open(aside, "xb", opener=partial(os.open, mode=mode)) as handle:
        handle.write(data)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def disk_full(error: OSError) -> bool:
    """Whether more room would have helped."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def remove_leftovers(folder: Path, name: str) -> int:
    """Remove what dead processes of this machine left of a name; give the number of leftovers."""
    host = re.escape(socket.gethostname())
    mine = re.compile(rf"\.{re.escape(_cut(name))}-(?:{host}-)?(?P<process>\d+)(?:-\w+)?(?:{re.escape(ASIDE)})?")
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


def _cut(name: str) -> str:
    return os.fsencode(name)[:LONGEST].decode(errors="ignore")


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
    made = home / name_aside(kind)
    made.mkdir(mode=0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
