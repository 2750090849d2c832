"""The command line. Heavy things are imported by the command that needs them, so that `unseen --help` is quick."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Run the command line; what a user can mend is a sentence, never a traceback."""
    from unseen.cli.interrupts import INTERRUPTED, hear_once, say_stopped

    try:
        hear_once()
        from unseen.cli.terminal import leave, settle_streams

        settle_streams()
        code = _code()
        if code != INTERRUPTED:
            leave(code)
    except KeyboardInterrupt:
        pass
    sys.exit(say_stopped())


def _code() -> int:
    """Do what the words of the command line say; the exit code."""
    from unseen.cli.app import app
    from unseen.cli.faults import CODE, debugging, in_words
    from unseen.cli.memory import keep_freed_memory
    from unseen.cli.terminal import is_output, lost
    from unseen.vocabulary.errors import UnseenError

    keep_freed_memory()
    try:
        left = app(standalone_mode=False)
        return left if isinstance(left, int) else 0
    except UnseenError as error:
        if debugging():
            raise
        _complain(str(error))
        return 2
    except OSError as error:
        if is_output(error) or isinstance(error, BrokenPipeError):
            return lost(error)
        if debugging():
            raise
        where = f" '{error.filename}'" if error.filename else ""
        _complain(f"cannot read or write{where}: {error.strerror or error}.")
        return 2
    except Exception as error:
        if hasattr(error, "format_message"):  # a word of the command line that does not exist
            return _misused(error)
        if type(error).__name__ == "Abort":  # a question that nobody answered
            _complain("not answered, so nothing was done.")
            return 1
        if debugging():
            raise
        first, *rest = in_words(error)
        _complain(first, *rest)
        return CODE


def _complain(first: str, *rest: str) -> None:
    """An error in words; paths stay whole, so that they can be copied."""
    import textwrap

    from rich.markup import escape

    from unseen.cli.terminal import Terminal, heard

    console = Terminal(stderr=True)
    fold = textwrap.TextWrapper(
        console.width, break_long_words=False, break_on_hyphens=False, expand_tabs=False, replace_whitespace=False
    )
    lines = [line for part in f"error: {first}".split("\n") for line in fold.wrap(part) or [""]]
    told = "\n".join(lines).removeprefix("error:")
    with heard():
        console.print(f"[bold red]error:[/]{escape(told)}", soft_wrap=True)
        for line in rest:
            console.print(line, markup=False, soft_wrap=True)


def _misused(error: Any) -> int:
    """Say as typer does which word is wrong; the word itself may hold anything."""
    from typer.rich_utils import rich_format_error

    from unseen.cli.printable import printable
    from unseen.cli.terminal import heard

    told = printable(error.format_message())
    error.format_message = lambda: told
    with heard():
        rich_format_error(error)
    return getattr(error, "exit_code", 2)
