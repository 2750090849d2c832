"""Where worlds keep what they decode, convert or unpack. Alone in its module, since a GPU machine may lack polars."""

from __future__ import annotations

import os
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.paths import given_path


def cache_folder(given: str | Path | None = None) -> Path:
    """The argument, else ``UNSEEN_CACHE``, else ``XDG_CACHE_HOME/unseen``, else ``~/.cache/unseen``."""
    if given is not None:
        return given_path(given, "cache folder")
    if named := os.environ.get("UNSEEN_CACHE"):
        return given_path(named, "cache folder UNSEEN_CACHE")
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "unseen"
    except RuntimeError:
        raise UnseenError(
            "no home folder is known here, so there is no place for decoded images; set UNSEEN_CACHE to a folder."
        ) from None
