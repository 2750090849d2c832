"""How a study was asked for: its commands, kept beside its recipe, so that a report says how to make it again."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unseen.studies.study import Study
from unseen.version import __version__
from unseen.vocabulary.whole_files import put_whole

FILE = "commands.json"
MOST = 50  # the newest ones
SHORT = 200  # letters of a recipe given as tables


def typed_command() -> str:
    """The command as it was typed."""
    return shlex.join(["unseen", *sys.argv[1:]])


def called(recipe: Any, *, out: str | Path | None, settings: Sequence[str]) -> str:
    """The same for a call from Python.

    >>> called("demo", out=None, settings=["seeds=[0]"])
    "unseen.run('demo', settings=['seeds=[0]'])"
    >>> called({"title": "mine"}, out="runs/mine", settings=())
    "unseen.run(<tables of 'mine'>, out='runs/mine')"
    """
    title = recipe.get("title", "") if isinstance(recipe, dict) else getattr(recipe, "title", "")
    first = repr(str(recipe)) if isinstance(recipe, str | Path) else f"<tables of {str(title)[:SHORT]!r}>"
    rest = [
        *([f"out={str(out)!r}"] if out is not None else []),
        *([f"settings={list(settings)!r}"] if settings else []),
    ]
    return f"unseen.run({', '.join([first, *rest])})"


def note_command(path: Path, command: str) -> None:
    """Keep a command with its time. One that is repeated (to go on) is moved to the end."""
    if not command:
        return
    kept = [one for one in commands(path) if one["command"] != command]
    now = {"command": command, "when": time.strftime("%Y-%m-%dT%H:%M:%S"), "unseen": __version__}
    put_whole(path / FILE, json.dumps([*kept, now][-MOST:], indent=1, ensure_ascii=False))


def commands(path: Path) -> list[dict[str, str]]:
    """The commands of a study, oldest first; none where nobody noted them, or the notes cannot be read."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        found = json.loads((path / FILE).read_text(encoding="utf-8"))
        if isinstance(found, list):
            return [one for one in found if isinstance(one, dict) and isinstance(one.get("command"), str)]
    return []


def made(study: Study) -> dict[str, str]:
    """When the study was run and the report written, and the newest command that ran it, as far as they are known."""
    told, read = commands(study.path), study.store.readable()  # a damaged trial is told elsewhere
    names = (study.find(trial) for trial in study.trials)
    ends = sorted(str(read[name]["finished"]) for name in names if name in read and read[name].get("finished"))
    found = {"command": told[-1]["command"]} if told else {}
    if ends:
        first, last = (end.replace("T", " ")[:16] for end in (ends[0], ends[-1]))
        found["run"] = first if first == last else f"{first} to {last[11:] if first[:10] == last[:10] else last}"
    return {**found, "written": time.strftime("%Y-%m-%d %H:%M")}
