"""One run at a time in a folder."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from unseen.vocabulary.errors import StoreBusy, UnseenError
from unseen.vocabulary.locks import NoLocks, take_lock

LOCK = ".lock"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Only one run at a time. The lock goes with its process, however that ends; its file stays, empty."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = open(out / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise UnseenError(f"cannot write to '{out}': {error.strerror or error}. Choose another --out.") from error
    with handle:
        try:
            free = take_lock(handle)
        except NoLocks:
            raise UnseenError(
                f"the file system of '{out}' has no locks, which keep two exports from writing over each other. Choose "
                f"another --out, on a disk of this machine."
            ) from None
        if not free:
            handle.seek(0)
            raise StoreBusy(
                f"'{out}' is being written by {handle.read().strip() or 'another process'}; wait for it, or give this "
                f"export another folder with --out."
            )
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        _say(handle, f"process {os.getpid()} on {socket.gethostname()} since {since}")
        try:
            yield
        finally:
            _say(handle, "")


def _say(handle: IO[str], text: str) -> None:
    """Who holds the lock: a courtesy, for which a full disk is no obstacle."""
    try:
        handle.seek(0)
        handle.truncate()
        handle.write(text)
        handle.flush()
    except OSError:
        pass
