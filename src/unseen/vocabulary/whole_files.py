"""Files and folders that appear whole or not at all: written aside, synced, renamed into place.

Everybody who keeps something writes through here. What differs between them, which folders may be made and how a full
disk is told, stays with them: only an ``OSError`` leaves this module.

What a killed process was writing stays behind under a name that tells whose it was, so that the next one can remove it
without touching what a living one is writing, here or on another machine that shares the disk.
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

from unseen.vocabulary.whereabouts import lives, realm

ASIDE = ".part"  # how every name aside ends
LONGEST = 100  # bytes of a name that are kept aside: file systems allow 255, and the host's name is among them
OLD = 24 * 3600  # seconds after which what has no living owner to ask is nobody's

_SYNCED = "r+b" if sys.platform == "win32" else "rb"  # Windows syncs no handle that only reads


def name_aside(name: str) -> str:
    """A name for what this process writes aside. Host, number and realm (boot and pid namespace) tell the next one
    whose it was; numbers alone are the same on two hosts that share a disk, and the random end keeps threads apart."""
    return f".{_cut(name)}-{socket.gethostname()}-{os.getpid()}-{realm()}{secrets.token_hex(4)}{ASIDE}"


@contextmanager
def written_aside(place: Path, *, sync: bool = True) -> Iterator[Path]:
    """Where to write a file, or make and fill a folder: what is there when the block ends takes ``place`` in one step.

    A file replaces an older one. A folder does not: one that is in the way raises ``OSError``. If anything fails, what
    was aside is removed and ``place`` is as before. The folder around it is synced too, else a power cut could take the
    name. ``sync=False`` is for what can be made again at little cost: after a power cut it may be there and empty.
    """
    aside = place.with_name(name_aside(place.name))
    try:
        yield aside
        if sync:
            for file in aside.iterdir() if aside.is_dir() else (aside,):
                with open(file, _SYNCED) as handle:
                    os.fsync(handle.fileno())
        if aside.is_dir():
            if sync:
                sync_folder(aside)
            os.rename(aside, place)
        else:
            os.replace(aside, place)
        if sync:
            sync_folder(place.parent)
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


def sync_folder(folder: Path) -> None:
    """Force a folder's names to disk, where its file system can (Windows cannot). What fails is not told: the files
    are there, and what could be lost is the last name in a power cut."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_leftovers(folder: Path, name: str = "") -> int:
    """Remove what dead processes left in a folder, of one name or of all; give the number of leftovers.

    Dead is a process of this boot and pid namespace that is not there. Whether one of another machine lives cannot be
    told from here: what it left goes a day after it was last written.
    """
    count = 0
    for path in leftovers(folder, name):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        count += 1
    return count


def leftovers(folder: Path, name: str = "") -> list[Path]:
    """What dead processes left in a folder, of one name or of all."""
    what, host, end = (re.escape(_cut(name)) if name else ".+"), re.escape(socket.gethostname()), re.escape(ASIDE)
    told = re.compile(rf"\.{what}-{host}-(?P<process>\d+)(?:-(?P<realm>(?:[0-9a-f]{{8}})?)[0-9a-f]{{8}})?(?:{end})?")
    of_others = re.compile(rf"\.{what}-.+-\d+-[0-9a-f]{{8,16}}{end}")
    of_before = re.compile(rf"\.{what if name else '[^-]+'}-(?P<process>\d+)")
    try:
        there = [folder / name for name in os.listdir(folder) if name.startswith(".")]
    except OSError:
        return []
    now: list[float] = []

    def left(path: Path) -> bool:
        found = told.fullmatch(path.name) or of_before.fullmatch(path.name)
        if found is None and not of_others.fullmatch(path.name):
            return False
        if found is not None and (found.groupdict().get("realm") or realm()) == realm() and sys.platform != "win32":
            return not lives(int(found["process"]))
        now[:] = now or [time_there(folder)]
        return now[0] - _written(path) > OLD

    return [path for path in there if left(path)]


def time_there(folder: Path) -> float:
    """What time it is by the clock that stamps files in a folder: a file server's, whose clock no host needs to share.
    This host's own where nothing can be written there."""
    probe = folder / name_aside("clock")
    try:
        probe.touch()
        return probe.stat().st_mtime
    except OSError:
        return time.time()
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _written(path: Path) -> float:
    """When something was last written: of a folder, the newest of its files."""
    newest = time.time()
    with suppress(OSError):
        newest = path.stat().st_mtime
        newest = max([newest, *(file.stat().st_mtime for file in (path.iterdir() if path.is_dir() else ()))])
    return newest


def _cut(name: str) -> str:
    return os.fsencode(name)[:LONGEST].decode(errors="ignore")


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
