"""A fault of our own: one line for the user, the whole traceback in a file to send."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from unseen.version import __version__

CODE = 70  # EX_SOFTWARE of sysexits.h
place: list[Path] = []  # the folder of the study that a command opened, the last one last


def debugging() -> bool:
    """Whether tracebacks are wanted on the terminal: UNSEEN_DEBUG=1."""
    return os.environ.get("UNSEEN_DEBUG", "") not in ("", "0")


def account(error: BaseException) -> str:
    """What whoever mends it needs: the command, versions, the traceback."""
    versions = f"unseen {__version__}, Python {platform.python_version()}, {platform.platform()}"
    loaded = {name: getattr(sys.modules.get(name), "__version__", "") for name in ("torch", "numpy", "polars", "rich")}
    versions += "".join(f", {name} {version}" for name, version in loaded.items() if version)
    return f"command: {sys.argv}\n{versions}\n\n{''.join(traceback.format_exception(error))}"


def keep(error: BaseException) -> Path | None:
    """Write the account into the study's folder, else into the temporary one; where it is, if anywhere."""
    name = f"unseen-error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (*reversed(place), Path(tempfile.gettempdir())):
        try:
            if not folder.is_dir():
                continue
            (folder / name).write_text(account(error), encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return folder / name
    return None


def in_words(error: BaseException) -> list[str]:
    """The lines that a user reads."""
    what = traceback.format_exception_only(error)[-1].strip().splitlines()
    lines = [f"unseen has a fault and stopped: {what[0][:300] if what else type(error).__name__}"]
    kept = keep(error)
    if kept is not None:
        lines += [f"The details are in {kept}.", "Please report it with that file. Finished trials are kept."]
    else:
        lines += ["UNSEEN_DEBUG=1 before the same command shows the details.", "Please report it with them."]
    return lines
