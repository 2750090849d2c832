"""Python code that a recipe names runs with all rights of whoever runs it, so it is imported once they said so.

What is said counts for the process (``allow``) and, by ``--trust``, from then on: kept by content, as `direnv allow`
keeps it, in the user's own configuration folder. Code that is edited afterwards is asked for again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.locks import NoLocks, in_turn
from unseen.vocabulary.sources import FACTORY, Source, find_source, is_pythons, run_by
from unseen.vocabulary.whole_files import put_whole

KEPT = "trusted.json"
IN_PYTHON = "give trust=True"
_allowed: set[str] = set()


class Untrusted(UnseenError):
    """A recipe names code that nobody has allowed to run."""


class CodeUnknown(UnseenError):
    """What a network's code is cannot be told: its files are not here, or only importing them would tell, and that was
    not allowed."""


def allow(names: Iterable[str]) -> None:
    """Let this process import these: whoever runs it named them."""
    _allowed.update(names)


def allowed() -> frozenset[str]:
    """What this process may import, for processes that it starts."""
    return frozenset(_allowed)


def is_allowed(name: str) -> bool:
    return name in _allowed


def check_place(name: str) -> Source | None:
    """``module:factory`` must be one, and no part of Python: that has no networks, and much that does harm."""
    module = name.partition(":")[0]
    if not FACTORY.fullmatch(name):
        raise UnseenError(f"backbone {name!r} is no name of code; write it as module:factory, e.g. mynet:small.")
    source = find_source(module)
    if is_pythons(module, source):
        raise UnseenError(
            f"backbone '{name}': '{module}' is a part of Python, which holds no networks. A factory is a function in a "
            f"file of yours or of an installed package, e.g. mynet:small for def small() in mynet.py."
        )
    return source


def missing_module(name: str, module: str) -> UnseenError:
    return UnseenError(
        f"backbone '{name}': no module '{module}'. It must be installed, or be a file '{module}.py' in the working "
        f"directory ({Path.cwd()})."
    )


def require(names: Iterable[str], where: str, how: str = IN_PYTHON) -> None:
    """Refuse code that was not trusted as it is now. ``how`` says what to do about it; ``where`` who names it."""
    for name in sorted({*names} - _allowed):
        content, files = _content(name)
        kept = _kept()
        if content in kept:
            allow([name])
            continue
        known = any(entry.get("name") == name for entry in kept.values())
        changed = "It was changed since you trusted it. " if known else ""
        others = f" (and {len(files) - 1} more that it imports)" if len(files) > 1 else ""
        raise Untrusted(
            f"{where} names Python code as its network: '{name}', in {_shown(_main(name, files))}{others}. {changed}"
            f"Code can do whatever you can do, so it is not imported before you say so. Look at it; if you trust it, "
            f"{how}. This is remembered until the code changes."
        )


def remember(names: Iterable[str]) -> str | None:
    """Allow code from now on, as it is now; gives why it could not be kept, if it could not."""
    names = list(names)
    new: dict[str, Any] = {}
    for name in names:
        content, files = _content(name)
        new[content] = {"name": name, "files": list(map(str, files)), "when": time.strftime("%Y-%m-%dT%H:%M:%S")}
    allow(names)
    try:
        with _alone(path := _path()):
            put_whole(path, json.dumps({**_kept(), **new}, indent=1), mode=0o600)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        return f"this cannot be remembered ({getattr(error, 'strerror', None) or error}): give --trust again next time"
    return None


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time, so that none loses what another is about to keep."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(NoLocks):  # at worst somebody is asked again
            stack.enter_context(in_turn(path.with_name(f".{path.name}.lock")))
        yield


def _path() -> Path:
    """The user's own folder, not the cache, which several people may share."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "unseen" / KEPT


def _kept() -> dict[str, dict[str, Any]]:
    """What was trusted before, by content; nothing where that cannot be read."""
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):  # RuntimeError: there is no home, or it is nested too deep
        return {}
    return {k: v for k, v in found.items() if isinstance(v, dict)} if isinstance(found, dict) else {}


def _content(name: str) -> tuple[str, tuple[Path, ...]]:
    """A hash of the name and of all that importing it runs of its own place, and those files."""
    source = check_place(name)
    if source is None:
        raise missing_module(name, name.partition(":")[0])
    files = run_by(source)
    found = hashlib.blake2b(name.encode(), digest_size=16)
    try:
        for part in sorted(hashlib.blake2b(file.read_bytes()).digest() for file in files):
            found.update(part)
    except OSError as error:
        raise UnseenError(f"backbone '{name}': its code cannot be read ({error}).") from None
    return found.hexdigest(), files


def _main(name: str, files: tuple[Path, ...]) -> Path:
    source = find_source(name.partition(":")[0])
    return source.file if source else files[0]


def _shown(file: Path) -> str:
    """A file as seen from here, where that is shorter."""
    here = Path.cwd()
    return f"'{file.relative_to(here) if file.is_relative_to(here) else file}'"


def said_on(words: Iterable[str] = ()) -> str:
    """How to say it on the command line: the same command with --trust."""
    import shlex

    return f"say so: `unseen {shlex.join([*(words or sys.argv[1:]), '--trust'])}`"
