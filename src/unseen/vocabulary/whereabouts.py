"""Where a process runs, so that others can tell whether it is gone: machine, boot, pid namespace, number.

A number alone says little. Two hosts that share a disk give out the same ones, so do containers of one host, and a
machine that was started again gives them to others.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

BOOT = Path("/proc/sys/kernel/random/boot_id")
NAMESPACE = Path("/proc/self/ns/pid")


@dataclass(frozen=True)
class Whereabouts:
    """A process. ``realm``: a hash of the boot and the pid namespace in which ``pid`` means anything ("": not known,
    as outside Linux); ``born``: when the kernel started it, in its own ticks since boot ("": not known)."""

    host: str
    pid: int
    realm: str = ""
    born: str = ""


@lru_cache(maxsize=1)
def realm() -> str:
    """Eight hexadecimal digits of this boot and pid namespace; "" where the system does not tell."""
    try:
        told = BOOT.read_text(encoding="ascii").strip() + os.readlink(NAMESPACE)
    except OSError:
        return ""
    return hashlib.blake2b(told.encode(), digest_size=4).hexdigest()


def here() -> Whereabouts:
    """This process."""
    return Whereabouts(socket.gethostname(), os.getpid(), realm(), _born(os.getpid()))


def lives(process: int) -> bool:
    """Whether a process of this realm is there. On Windows asking would end it: there only one's own is known."""
    if process == os.getpid() or sys.platform == "win32":
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return not _zombie(process)


def surely_gone(one: Whereabouts) -> bool:
    """Whether a process has certainly ended: it was of this boot and this pid namespace, and is not there any more, or
    its number is another's by now. Of any other process that cannot be told from here."""
    if not realm() or one.realm != realm():
        return False
    if not lives(one.pid):
        return True
    born = _born(one.pid)
    return bool(one.born and born) and born != one.born


def _stat(process: int) -> list[str]:
    """What Linux tells of a process, from its state on (proc(5), the third field is the first here)."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _zombie(process: int) -> bool:
    """Ended, and not yet buried by its parent."""
    return _stat(process)[:1] == ["Z"]


def _born(process: int) -> str:
    told = _stat(process)
    return told[19] if len(told) > 19 else ""
