"""The text of a recipe file, and what to say where there is none to be had."""

from __future__ import annotations

import codecs
import tomllib
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError, listed

LARGEST = 10_000_000  # bytes; recipes have a few thousand
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that cannot be one has none."""
    return is_there(path) and path.is_file()


def is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, in a folder that may not be looked into; a NUL
        return False


def text_of(path: Path) -> str:
    """What stands in a recipe file, without the mark of byte order that editors on Windows set at its beginning."""
    if not is_file(path):
        raise UnseenError(no_recipe(path))
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= LARGEST else b""
    except OSError as error:
        raise UnseenError(f"the recipe '{path}' cannot be read: {error.strerror or error}.") from error
    if size > LARGEST:
        raise UnseenError(f"'{path}' is not a recipe: it has {size / 1e6:,.0f} MB, and a recipe is a page of text.")
    if content.startswith(WIDE):
        raise UnseenError(
            f"'{path}' is written in UTF-16 (Windows calls it \"Unicode\"); save it as UTF-8: recipes are TOML, which "
            "is UTF-8 text."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnseenError(
            f"'{path}' is not a recipe: it is not UTF-8 text (byte {error.start + 1} is {content[error.start]:#x}). "
            "If it is text, save it as UTF-8."
        ) from None


def parse(text: str, where: str = "recipe") -> dict[str, Any]:
    """TOML text to nested tables, with the line named where it does not parse."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnseenError(f"{where} is not valid TOML: {error}. Text needs quotes, lists need brackets.") from None
    except RecursionError:
        raise UnseenError(f"{where} is nested too deeply to be a recipe. Is a bracket missing?") from None
    except ValueError as error:  # a date that does not exist, a number of thousands of digits
        raise UnseenError(f"{where} is not valid TOML: {error}.") from None


def no_recipe(path: Path) -> str:
    """Why a path is no recipe file."""
    if is_there(path) and path.is_dir():
        inside = sorted(one.name for one in path.glob("*.toml"))
        found = f"name a recipe in it: {listed(inside)}" if inside else "it holds no .toml file"
        return f"'{path}' is a folder, not a recipe; {found}."
    if is_there(path):
        return f"'{path}' is not a file but a device or a pipe; a recipe is a TOML file."
    return f"no recipe file '{path}'. `unseen recipes` lists those that ship; `unseen init` writes one."
