"""A lock on an open file that the system frees with the process that holds it, however that ends."""

from __future__ import annotations

from typing import IO, Any


def take_lock(handle: IO[Any], *, shared: bool = False) -> bool:
    """Whether the lock could be had; nobody is waited for."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            return True
        except OSError:
            return False
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
