"""The files of a report, which appear whole or not at all; what stands in their way is told in words."""

from __future__ import annotations

import contextlib
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import disk_full, put_whole


def put(path: Path, data: str | bytes) -> Path:
    """Write a file of the report, in a folder that is made if needed."""
    content = data.encode() if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, content)
    except OSError as error:
        raise UnseenError(_explained(error, path, len(content))) from error
    return path


def removed(*paths: Path) -> None:
    """Remove what is there, as far as it can be removed."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def _explained(error: OSError, path: Path, size: int) -> str:
    if disk_full(error):
        return (
            f"no space left for {path} ({size / 1e6:.1f} MB); what was there before is untouched. "
            "Free some space, or write the report into another folder."
        )
    return f"cannot write {path}: {error.strerror or error}. Is {path.parent} a folder you may write to?"
