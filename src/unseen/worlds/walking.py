"""The image files below a folder, whatever else lies there: links that lead nowhere or back, locked folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.decode import SUFFIXES
from unseen.worlds.paths import is_text, shown

Oddities = list[tuple[str, str]]  # (name, reason) of what would be an image if it could be read
_REASONS = {errno.ELOOP: "a link that leads to itself", errno.ENOENT: "a link to a file that is not there"}


def walk(root: Path, odd: Oddities | None = None) -> Iterator[tuple[str, os.stat_result]]:
    """Image files by suffix: relative paths with forward slashes. Hidden names are passed over; what cannot be read,
    or has a name that is not UTF-8, is noted in ``odd``. Pipes and devices are left to the reader of the file."""
    odd = [] if odd is None else odd
    visited: set[tuple[int, int]] = set()
    stack = [("", str(root))]
    while stack:
        prefix, folder = stack.pop()
        try:
            here = os.stat(folder)
            if (here.st_dev, here.st_ino) in visited:  # a link that leads back
                continue
            visited.add((here.st_dev, here.st_ino))
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError as fault:
            if not prefix:
                raise UnseenError(f"the folder {shown(str(root))} cannot be read: {fault.strerror}.") from None
            odd.append((shown(prefix), f"a folder that cannot be read: {fault.strerror}"))
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__MACOSX":
                continue
            image = os.path.splitext(entry.name)[1].lower() in SUFFIXES
            try:
                if entry.is_dir():
                    stack.append((f"{prefix}{entry.name}/", entry.path))
                elif image and not is_text(prefix + entry.name):
                    odd.append((shown(prefix + entry.name), "its name is not UTF-8; rename it"))
                elif image:
                    yield prefix + entry.name, entry.stat()
            except OSError as fault:
                if image:
                    reason = _REASONS.get(fault.errno or 0, f"cannot be read: {fault.strerror}")
                    odd.append((shown(prefix + entry.name), reason))
