"""Places given on the command line: an empty one would mean the working directory, which nobody means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer


def given_text(text: str) -> str:
    """A name of a study or a recipe."""
    if not text.strip():
        raise typer.BadParameter("it is empty; name a file or a folder ('.' is the working directory).")
    if "\0" in text:
        raise typer.BadParameter("a name cannot hold the character 0.")
    return text


def given_path(text: str) -> Path:
    """A file or folder."""
    return Path(given_text(text))


def path_option(flag: str, metavar: str, help: str) -> Any:  # as typer.Option says of itself
    """An option that names a file or folder."""
    return typer.Option(flag, parser=given_path, metavar=metavar, help=help)
