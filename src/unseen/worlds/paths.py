"""Paths as people and recipes give them, and names of files as they may be printed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from unseen.vocabulary.errors import UnseenError

MOST_BYTES = 2**31  # of one image file: a larger one is no photo, and would be read into memory whole


class Unreadable(Exception):
    """This file shows no picture; the message says why."""


def given_path(path: str | os.PathLike[str], what: str) -> Path:
    """A path that may begin with ``~``; what no file system takes is an error in words."""
    text = os.fspath(path)
    if "\0" in text:
        raise UnseenError(f"the {what} {shown(text)!r} has a NUL character in it, which no path can have.")
    try:
        return Path(text).expanduser()
    except RuntimeError:  # an unknown user's home, or none at all
        raise UnseenError(
            f"the {what} '{shown(text)}' begins with ~, and that home folder is not known here; write the path in full."
        ) from None


def shown(name: str) -> str:
    r"""A file's name for people: what is no text, or would steer a terminal, as its code.

    >>> print(shown("caf\udce9.png"), shown("a\x1b[31m.png"), shown("café.png"))
    caf\xe9.png a\x1b[31m.png café.png
    """
    if name.isprintable():
        return name
    return "".join(letter if letter.isprintable() else _code(letter) for letter in name)


def _code(letter: str) -> str:
    if "\udc80" <= letter <= "\udcff":  # how Python reads a byte that is not UTF-8
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter.encode("unicode_escape").decode()


def is_text(name: str) -> bool:
    """Whether a file's name is UTF-8, so that tables can hold it.

    >>> is_text("café"), is_text("caf\\udce9")
    (True, False)
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def bytes_of(path: Path) -> bytes:
    """The bytes of a plain file. A pipe or a device of that name is :class:`Unreadable` at once: reading it might never
    end."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(f"{_sort(found.st_mode)}, not a file")
        if found.st_size > MOST_BYTES:
            raise Unreadable(f"{found.st_size / 2**30:.1f} GB, too large for an image file")
        return file.read()


def _sort(mode: int) -> str:
    sorts = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((word for test, word in sorts if test(mode)), "a device")
