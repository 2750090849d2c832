"""The files a table names, wherever they lie, as one root and paths below it.

Paths below the root are a row's name and part of a trial's identity; the root is not. So a set that is moved whole, or
reached by absolute paths on one machine and by relative ones on another, stays the same set.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import polars as pl

from unseen.vocabulary.errors import UnseenError, listed
from unseen.worlds.paths import shown


def image_paths(given: Sequence[str | None], root: Path | None, file: Path) -> tuple[Path, list[str]]:
    """The root and the paths below it, with forward slashes; backslashes are Windows' own.

    Relative paths are relative to the root that was given, or to the folder of the table, ``file``. Without a given
    root, files outside that folder make the root the folder that holds them all.
    """
    said = f"manifest '{shown(file.name)}'"
    missing = [number + 2 for number, path in enumerate(given) if not path]
    if missing:
        raise UnseenError(f"{said} names no file in lines {listed(missing, 10)}.")
    strange = [shown(str(path)) for path in given if "\0" in str(path)]
    if strange:
        raise UnseenError(f"{said} names files with a NUL character, which no file has: {listed(strange, 10)}.")
    base = (file.parent if root is None else root).resolve().as_posix()
    real: Callable[[str], str] = lru_cache(maxsize=None)(lambda folder: os.path.realpath(folder))
    files = [_within(base, str(path).replace("\\", "/"), real) for path in given]
    outside = [path for path in files if not _below(base, path)]
    if outside and root is not None:
        raise UnseenError(
            f"{said} names files outside the folder {shown(str(root))}: {listed(map(shown, outside), 10)}. "
            "Give a root that holds them all, or leave `root` out: then every file is taken from where it lies."
        )
    if outside:
        base = posixpath.commonpath([posixpath.dirname(path) for path in files])
    paths = [path[len(base.rstrip("/")) + 1 :] for path in files]
    frame = pl.DataFrame({"path": paths})
    twice = frame.filter(frame.is_duplicated())["path"].unique(maintain_order=True).to_list()
    if twice:
        raise UnseenError(f"{said} lists {len(twice)} files more than once: {listed(map(shown, twice), 10)}.")
    return Path(base), paths


def _within(base: str, path: str, real: Callable[[str], str]) -> str:
    """An absolute path; one that leads into ``base`` through a link is spelled as lying there."""
    full = posixpath.normpath(posixpath.join(base, path))
    if _below(base, full):
        return full
    led = posixpath.join(real(posixpath.dirname(full)), posixpath.basename(full))
    return led if _below(base, led) else full


def _below(base: str, path: str) -> bool:
    return path.startswith(base.rstrip("/") + "/")
