"""Text that came from a file, made fit to be shown: nothing in it moves a cursor, hides or turns around."""

from __future__ import annotations

import unicodedata

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control characters, marks that have no shape, halves of a pair, line ends


def visible(given: object, most: int = 2000) -> str:
    """Text with its control characters spelt out, cut where it is very long. Lines stay lines.

    >>> visible("red \\x1b[31m, two\\nlines, turned \\u202e")
    'red \\\\x1b[31m, two\\nlines, turned \\\\u202e'
    """
    text = str(given)
    cut = text if len(text) <= most else f"{text[:most]} … ({len(text):,} characters)"
    if cut.isprintable():
        return cut
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in HIDDEN else _spelt(c) for c in cut)


def _spelt(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
