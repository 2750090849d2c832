"""A recipe that `unseen init` could only begin: values that a person must fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unseen.vocabulary.errors import UnseenError, listed

FILL_ME_IN = "FILL-ME-IN"


def check_filled_in(tables: Mapping[str, Any], where: str) -> None:
    """Refuse a recipe that still has such a value: what is missing is told before what follows from it."""
    unfilled = list(_unfilled(tables))
    if unfilled:
        raise UnseenError(
            f"{where}: this recipe is not ready: {listed(unfilled)} {'is' if len(unfilled) == 1 else 'are'} still "
            f"{FILL_ME_IN}. The lines NOT READY at its top say what is missing; once it is there, run `unseen init` "
            "again, or fill in the values."
        )


def _unfilled(tables: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _unfilled(value, f"{before}{key}.")
        elif value == FILL_ME_IN:
            yield f"{before}{key}"
