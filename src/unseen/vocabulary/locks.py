"""A lock on a file that the system frees with the process that holds it, however that ends.

Two ways to hold one: :func:`held_alone` turns others away and tells them who holds it (a run of a study, an export),
:func:`in_turn` lets them wait (a cache, the list of trusted code). What is said to a user stays with the caller.

The only module that knows how a system locks: Windows has no ``fcntl``, and its locks are of bytes and never shared.
Ours and not the package ``filelock``, whose source (4.2.10) and issues were read for this. Its lock of the system is
exclusive only; its shared one is an SQLite database, or marker files with a heartbeat (tox-dev/filelock, issues 58 and
421). `unseen status` asks who holds a lock by a shared one, so as to turn no run away. On Windows it locks the first
byte of the file, where the name of the holder then could not be read. Where a file system has no locks it takes a mere
file for one, which outlives a killed process; it can be told not to (``fallback_to_soft``, pull request 622), since
July 2026. Here that is an error that can be told.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

FAR = 2**30  # a byte that no text reaches: what is locked on Windows cannot be read by others
PAUSE = 0.05  # seconds between two tries on Windows, whose own wait gives up after ten
GLANCE = 0.1  # seconds between two tries of whoever is patient: who asks for the holder has the lock for an instant
_NONE = {getattr(errno, name) for name in ("ENOSYS", "ENOTSUP", "EOPNOTSUPP", "ENOLCK") if hasattr(errno, name)}


class NoLocks(OSError):
    """The file system has no locks at all: whoever goes on does so unprotected."""


class Held(Exception):
    """Another process holds the lock; ``who`` in words."""

    def __init__(self, who: str) -> None:
        super().__init__(who)
        self.who = who


@contextmanager
def held_alone(file: Path, *, tries: int = 1) -> Iterator[None]:
    """Hold the lock of a file, in which it is noted who does. Raises `Held` where another does after some tries,
    `NoLocks`, or the ``OSError`` of a file that cannot be opened. The file stays, empty."""
    with open(file, "a+b", buffering=0) as handle:  # nothing is kept back for closing, where a full disk would tell
        for attempt in range(tries):
            if take_lock(handle):
                break
            time.sleep(GLANCE if attempt < tries - 1 else 0)
        else:
            raise Held(_who(handle))
        _note(handle, f"process {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        try:
            yield
        finally:
            _note(handle, "")


@contextmanager
def in_turn(file: Path) -> Iterator[None]:
    """Wait for all others who hold the lock of a file, then hold it. Raises `NoLocks` where there are none."""
    with open(file, "ab") as handle:
        take_lock(handle, wait=True)
        yield


def holder(file: Path) -> str | None:
    """Who holds the lock of a file now, if anybody. Where there are no locks nobody could."""
    if not file.is_file():
        return None
    with open(file, "rb") as handle:
        try:
            return None if take_lock(handle, shared=True) else _who(handle)
        except NoLocks:
            return None


def _who(handle: IO[bytes]) -> str:
    handle.seek(0)
    return handle.read().decode(errors="replace").strip() or "another process"


def _note(handle: IO[bytes], text: str) -> None:
    """Who holds the lock: a courtesy, for which a full disk is no obstacle."""
    with suppress(OSError):
        handle.seek(0)
        handle.truncate()
        handle.write(text.encode())


def take_lock(handle: IO[Any], *, shared: bool = False, wait: bool = False) -> bool:
    """Whether the lock could be had. With ``wait``, others are waited for as long as it takes. Raises `NoLocks` where
    there are none to be had."""
    try:
        import fcntl
    except ImportError:
        return _take_byte(handle, wait=wait)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        return True
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NONE:
            raise NoLocks(error.errno, "its file system has no locks") from None
        if wait:
            raise
        return False


def _take_byte(handle: IO[Any], *, wait: bool) -> bool:
    """Windows: one byte, far behind the text."""
    import msvcrt

    system: Any = msvcrt
    while True:
        place = handle.tell()
        handle.seek(FAR)
        try:
            system.locking(handle.fileno(), system.LK_NBLCK, 1)
            return True
        except OSError:
            if not wait:
                return False
        finally:
            handle.seek(place)
        time.sleep(PAUSE)
