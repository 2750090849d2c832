"""Sizes of files as people say them."""

from __future__ import annotations

import math
import os

from unseen.vocabulary.errors import UnseenError


def size_text(number: float) -> str:
    """
    >>> size_text(1234567), size_text(12)
    ('1.23 MB', '12 B')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f} B"


def gigabytes_said(variable: str, usual: float, what: str) -> float:
    """GB that kept things may take: as an environment variable says, else as usual."""
    said = os.environ.get(variable, "")
    try:
        number = float(said) if said else usual
    except ValueError:
        number = -1.0
    if not (math.isfinite(number) and number >= 0):
        raise UnseenError(f"{variable} = {said!r} is no number of GB that {what} may take, e.g. {variable}={usual:g}.")
    return number
