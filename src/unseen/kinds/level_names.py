"""What a page calls the levels of a factor."""

from __future__ import annotations

from typing import Any

NONE, PLAIN = "none", "plain"  # of a world's transformations: the level that shows the picture as it is


def shown_name(level: Any) -> str:
    """
    >>> shown_name("none"), shown_name("blur")
    ('plain', 'blur')
    """
    return PLAIN if level == NONE else str(level)


def shown_names(words: str) -> str:
    """Levels that a design names together.

    >>> shown_names("none + blur"), shown_names("all but none"), shown_names("all")
    ('plain + blur', 'all but plain', 'all')
    """
    but = "all but "
    if words.startswith(but):
        return but + shown_name(words.removeprefix(but))
    return " + ".join(map(shown_name, words.split(" + ")))
