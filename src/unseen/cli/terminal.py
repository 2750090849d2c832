"""The console that every command prints through, and streams that take what it prints.

A terminal may speak ASCII, be 0 columns wide, be closed, or be a file on a full disk. None of it may end a study.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console, ConsoleDimensions
from rich.text import Text

from unseen.cli.printable import SPELLING, printable, shown

NARROWEST = 20  # columns: a word and its indent
USUAL = 80


class Terminal(Console):
    """A console whose text is always fit to be shown: no hidden character, no sign that the stream lacks.

    All strings pass through ``render_str``, those in cells of tables too, before anything is laid out.
    """

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, stderr=stderr, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text, self.encoding), **options)

    @property
    def size(self) -> ConsoleDimensions:
        width, height = super().size
        return ConsoleDimensions(max(NARROWEST, width) if width > 0 else USUAL, height)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size

    def data(self, text: str) -> None:
        """Numbers or a file's text for a program to read: exactly as they are, unless a person is looking."""
        said = printable(text) if self.is_terminal else text
        self.file.write(said if said.endswith("\n") else f"{said}\n")


def settle_streams() -> None:
    """Before anything is printed: closed streams lead nowhere, others spell what their encoding lacks, and a width that
    is none is forgotten. Processes that are started from here inherit it."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(OSError, ValueError):
                stream.reconfigure(errors=SPELLING)  # type: ignore[union-attr]
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if not encoding.lower().startswith("utf"):  # a network of one's own may print in a worker
        os.environ["PYTHONIOENCODING"] = f"{encoding}:backslashreplace"
    columns = os.environ.get("COLUMNS")
    if columns is not None and not (columns.isascii() and columns.isdigit() and int(columns) > 0):
        del os.environ["COLUMNS"]
    elif columns is not None and int(columns) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)


def _open_closed() -> None:
    """A closed stream's number is given to the next file that is opened, and what is printed would go into it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def leave(code: int) -> None:
    """End with this code once all is written; where it cannot be (a full disk, a reader that left), say so and not
    with the traceback that Python prints at its very end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        code = lost(error)
    sys.exit(code)


def is_output(error: OSError) -> bool:
    """Whether it was the output that could not be written, and not a file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    return error.filename is None and name.startswith(("rich.", "typer.", "click.", __name__))


def lost(error: Exception) -> int:
    """Nothing more goes to an output that takes nothing; the exit code that says so."""
    _lead_nowhere(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return 0  # `unseen results … | head` has what it wanted
    why = getattr(error, "strerror", None) or error
    with heard():
        sys.stderr.write(f"error: cannot write the output: {why}. What was finished is kept.\n")
    return 74  # EX_IOERR of sysexits.h


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """A complaint; where nobody can hear it, the exit code is left to tell."""
    try:
        yield
        sys.stderr.flush()
    except (OSError, ValueError):
        _lead_nowhere(sys.stderr)


def _lead_nowhere(stream: Any) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
