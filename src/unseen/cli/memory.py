"""Freed memory is kept for the next tensor instead of being given back to the system and faulted in again.

glibc maps every large block anew and returns it when it is freed; a renderer or a network on the CPU then spends its
time on page faults (two threads drew 762 images/s of 64 px, and 924 with this; the bits are the same). The price is
that a process holds on to the most it ever needed, so this is for processes that are ours, not for whoever imports us.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3  # <malloc.h>
SETTINGS = {
    M_MMAP_THRESHOLD: ("MALLOC_MMAP_THRESHOLD_", 1 << 30),
    M_TRIM_THRESHOLD: ("MALLOC_TRIM_THRESHOLD_", (1 << 31) - 1),
    M_TOP_PAD: ("MALLOC_TOP_PAD_", 1 << 26),
}


def keep_freed_memory() -> bool:
    """Settle it for this process and those it starts; whether it could be (Linux with glibc).

    What the user set in the environment stays.
    """
    if not sys.platform.startswith("linux") or any(name in os.environ for name, _ in SETTINGS.values()):
        return False
    try:
        settle = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False  # another C library
    os.environ |= {name: str(size) for name, size in SETTINGS.values()}
    return all(settle(option, size) for option, (_, size) in SETTINGS.items())


def release_freed_memory() -> bool:
    """Give back what is kept, between parts of a command that need it in turns; whether it could be."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError):
        return False  # another C library


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Python looks for no garbage meanwhile: among 100,000 trials, which all stay, that is a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
