"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from unseen.vocabulary.errors import UnseenError

FULL = (errno.ENOSPC, errno.EDQUOT)


def put(path: Path, data: str | bytes) -> Path:
    """Write aside, then rename into place, so that a reader never meets half a file."""
    content = data.encode() if isinstance(data, str) else data
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(aside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        removed(aside)
        raise UnseenError(_explained(error, path, len(content))) from error
    return path


def removed(*paths: Path) -> None:
    """Remove what is there, as far as it can be removed."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def _explained(error: OSError, path: Path, size: int) -> str:
    if error.errno in FULL:
        return (
            f"no space left for {path} ({size / 1e6:.1f} MB); what was there before is untouched. "
            "Free some space, or write the report into another folder."
        )
    return f"cannot write {path}: {error.strerror or error}. Is {path.parent} a folder you may write to?"
