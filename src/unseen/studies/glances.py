"""What is known of finished trials without opening them: a file ``glances.json`` beside the trials, for large stores.

A glance tells of a whole trial what lists and `unseen status` say of it: its flags, what it learned.
It holds as long as the trial's folder is the one that was looked at: same inode, and nothing put into it or taken out
since (the folder's own time of change). A file that was changed in its place is not noticed by it; whoever reads
numbers reads the files themselves. What is damaged, or lacks a part, has no glance and is looked at every time.

The file is a memory and no truth: whoever has looked at something new writes it whole, aside, and renames it into
place. With many writers the last one stays, which costs the others' glances a second look; one that is gone, cut short
or of another version costs a look at everything. A full or read-only disk costs the same.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.studies.identities import learned_identity
from unseen.studies.sound import Damaged, check_files, lacks_activity, read_facts
from unseen.vocabulary.whole_files import put_whole

NAME = "glances.json"
FORMAT = 1  # raise it when more is checked of a trial, or told of it
FEWEST = 500  # trials from which on it is kept (ours): fewer are read in a moment
WEIGHTS = "weights.safetensors"


@dataclass(frozen=True)
class Looked:
    """Trials that are ``whole``, each with the identity of what it learned; ``flags`` of those that have any; bytes of
    ``weights`` of those that hold their own, as old ones do; ``others``: names of damaged ones, and of what is none."""

    whole: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    others: tuple[str, ...] = ()


def listed_folders(trials: Path) -> dict[str, tuple[int, int]]:
    """The folders of trials, each with its inode and its time of change: one listing, and what it brings along."""
    found = {}
    try:
        with os.scandir(trials) as listing:
            for one in listing:
                if one.name[0] != ".":
                    with contextlib.suppress(OSError):
                        there = one.stat()
                        found[one.name] = there.st_ino, there.st_mtime_ns
    except OSError:
        return {}
    return found


def remembered(study: Path, there: Mapping[str, tuple[int, int]]) -> Looked:
    """What is remembered of these folders and still holds; nothing of a small store."""
    if len(there) < FEWEST:
        return Looked()
    try:
        told = json.loads((study / NAME).read_bytes())
        if told["format"] != FORMAT:
            return Looked()
        rows = zip(told["names"], told["folders"][::2], told["folders"][1::2], told["learned"], strict=True)
        whole = {name: learned for name, *folder, learned in rows if there.get(name) == tuple(folder)}
        flags, weights = (
            {name: told[key][name] for name in told[key] if name in whole} for key in ("flags", "weights")
        )
        return Looked(whole, flags, weights)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Looked()


def glances(study: Path) -> Looked:
    """What is known of all trials that are whole: of those that are remembered, and of those that are new, which are
    looked at and, in a large store, remembered."""
    there = listed_folders(study / "trials")
    known = remembered(study, there)
    whole, flags, weights = dict(known.whole), dict(known.flags), dict(known.weights)
    for name in there:
        if name not in known.whole and (facts := _whole(study / "trials" / name)) is not None:
            whole[name] = learned_identity(facts["description"])
            flags |= {name: facts["flags"]} if facts["flags"] else {}
            weights |= {name: own} if (own := _weights(study / "trials" / name)) else {}
    found = Looked(whole, flags, weights, tuple(name for name in there if name not in whole))
    if len(whole) > len(known.whole) and len(there) >= FEWEST:
        _remember(study, found, there)
    return found


def _whole(folder: Path) -> dict[str, Any] | None:
    """The facts of a whole trial, or None."""
    try:
        facts = read_facts(folder)
        check_files(facts, folder)
        return None if lacks_activity(facts, folder) else facts
    except (Damaged, OSError):
        return None


def _weights(folder: Path) -> int:
    try:
        return (folder / WEIGHTS).stat().st_size
    except OSError:
        return 0


def _remember(study: Path, found: Looked, there: Mapping[str, tuple[int, int]]) -> None:
    """In columns: they are read several times as fast as rows."""
    told: dict[str, Any] = {
        "format": FORMAT, "names": list(found.whole), "folders": [one for name in found.whole for one in there[name]],
        "learned": list(found.whole.values()), "flags": found.flags, "weights": found.weights,
    }  # fmt: skip
    with contextlib.suppress(OSError):
        put_whole(study / NAME, json.dumps(told, separators=(",", ":")), sync=False)
