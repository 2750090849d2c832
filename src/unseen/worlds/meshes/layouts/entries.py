"""One mesh of a collection, and what a collection offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One mesh file; ``path`` is relative to the root, with forward slashes. ``rotation`` are nine numbers, row by row,
    that turn the file's points before all else."""

    category: str
    path: str
    name: str = ""
    licence: str = ""
    creator: str = ""
    source: str = ""
    up: str = ""
    front: str = ""
    yaw: float = 0.0
    rotation: str = ""


@dataclass(frozen=True)
class Listing:
    """What lies below ``base`` (the folder that was given, or that into which an archive was unpacked), the axes that
    its maker says all files have, and lines on what is listed there and not offered."""

    base: Path
    entries: Sequence[Entry]
    told: tuple[str, ...] = ()
    up: str = ""
    front: str = ""
    layout: str = ""
