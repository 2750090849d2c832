"""A lock on an open file that the system frees with the process that holds it, however that ends.

The only module that knows how a system locks: Windows has no ``fcntl``, and its locks are of bytes and never shared.
"""

from __future__ import annotations

import errno
import time
from typing import IO, Any

FAR = 2**30  # a byte that no text reaches: what is locked on Windows cannot be read by others
PAUSE = 0.05  # seconds between two tries on Windows, whose own wait gives up after ten


_NONE = {getattr(errno, name) for name in ("ENOSYS", "ENOTSUP", "EOPNOTSUPP", "ENOLCK") if hasattr(errno, name)}


class NoLocks(OSError):
    """The file system has no locks at all: whoever goes on does so unprotected."""


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
