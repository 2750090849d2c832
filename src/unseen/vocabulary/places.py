"""Rows of a table by where they are ("module:ROW"), as entry points say it: a row is imported when it is asked for."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, TypeVar

from unseen.vocabulary.errors import UnseenError

Row = TypeVar("Row")


def added(group: str) -> dict[str, str]:
    """Rows of installed packages and where they are."""
    return _added(group, tuple(sys.path))


@lru_cache(maxsize=16)
def _added(group: str, path: tuple[str, ...]) -> dict[str, str]:
    """Looking them up takes long, and asks the same packages."""
    del path  # other places to look at, other packages
    return {entry.name: entry.value for entry in entry_points(group=group)}


def row_at(name: str, place: str, of: type[Row], what: str) -> Row:
    """The row ``name`` of a table of ``what``s, at its place."""
    found = _imported(name, place, what)
    if not isinstance(found, of):
        raise UnseenError(f"'{place}' is no {what} but {found!r}: give a {of.__module__}.{of.__qualname__}.")
    return found


@lru_cache
def _imported(name: str, place: str, what: str) -> Any:
    module, _, attribute = place.partition(":")
    try:
        return getattr(import_module(module), attribute or what.upper())
    except (ImportError, AttributeError) as error:
        raise UnseenError(f"{what} '{name}' cannot be loaded from '{place}': {error}.") from error
