"""Where worlds keep what they decode, convert or unpack. Alone in its module, since a GPU machine may lack polars."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(given: str | Path | None = None) -> Path:
    """The argument, else ``UNSEEN_CACHE``, else ``XDG_CACHE_HOME/unseen``, else ``~/.cache/unseen``."""
    if given is not None:
        return Path(given).expanduser()
    if named := os.environ.get("UNSEEN_CACHE"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "unseen"
