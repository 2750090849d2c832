"""The command line. Heavy things are imported by the command that needs them, so that `unseen --help` is quick."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; what a user can mend is a sentence, never a traceback."""
    from unseen.cli.app import app
    from unseen.cli.memory import keep_freed_memory
    from unseen.vocabulary.errors import UnseenError

    keep_freed_memory()
    try:
        app()
    except UnseenError as error:
        from rich.console import Console

        Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {_escaped(str(error))}")
        sys.exit(2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        where = f" '{error.filename}'" if error.filename else ""
        sys.stderr.write(f"error: cannot read or write{where}: {error.strerror or error}.\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped. Finished trials are kept; the same command goes on from here.\n")
        sys.exit(130)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
