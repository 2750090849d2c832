"""Sizes of files as people say them."""

from __future__ import annotations


def size_text(number: float) -> str:
    """
    >>> size_text(1234567), size_text(12)
    ('1.23 MB', '12 B')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f} B"
