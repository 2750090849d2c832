"""A split as text, for a terminal of 80 columns."""

from __future__ import annotations

import re
import textwrap
import unicodedata

from unseen.reports.contents import SplitPicture
from unseen.reports.drawing import fitting
from unseen.reports.pictures import count_words

WIDTH = 80
MARKS = {(True, False): "■", (False, True): "○", (False, False): "·", (True, True): "◉"}
PART = {"■": "◧", "◉": "◨"}  # of the visits to its images, which other cells show too
MOST_ROWS = 40


def grid_text(picture: SplitPicture) -> str:
    """The grid with one mark per cell; long level names are cut, long grids say what is not shown.

    >>> import numpy as np
    >>> yes = np.eye(2, dtype=bool)
    >>> print(grid_text(SplitPicture("digit", "place", ("0", "1"), ("a", "b"), "k = 1", yes, ~yes, 300 * yes)))
    k = 1: digit (rows) × place (columns)
    2 of 4 cells seen, 300 images each (600 in all); 2 tested only
    <BLANKLINE>
       a b
     0 ■ ○
     1 ○ ■
    <BLANKLINE>
    ■ seen in training   ○ tested only (OOD)   · neither
    """
    columns = len(picture.column_levels)
    label = min(max((_width(name) for name in picture.row_levels), default=1), 18)
    room = WIDTH - label - 2
    longest = max((_width(name) for name in picture.column_levels), default=1)
    each = max(1, min(longest, room // max(columns, 1) - 1, 12))
    shown = min(columns, room // (each + 1))
    heads = fitting(picture.column_levels, each) if longest > each else list(picture.column_levels)
    each = min(each, max(map(_width, heads), default=1))
    head = " ".join(_fitted(name, each) for name in heads[:shown])
    lines = [" " * (label + 2) + head]
    for row, name in enumerate(picture.row_levels[:MOST_ROWS]):
        marks = [mark_of(picture, row, column) for column in range(shown)]
        lines.append(f" {_fitted(name, label)} " + " ".join(mark.ljust(each) for mark in marks))
    more = {"column": columns - shown, "row": len(picture.row_levels) - MOST_ROWS}
    hidden = [f"{number} more {thing}{'s' * (number != 1)}" for thing, number in more.items() if number > 0]
    lines += [f" … {' and '.join(hidden)}"] if hidden else []
    lines += ["", "■ seen in training   ○ tested only (OOD)   · neither" if picture.trains else "○ asked   · not asked"]
    lines[-1] += "   ◉ both" if (picture.seen.astype(bool) & picture.asked.astype(bool)).any() else ""
    if picture.part is not None and picture.part.any():
        lines[-1] = lines[-1].replace("   ○", "   ◧ in a part of the visits   ○")
    top = [f"{picture.title}: {picture.row_factor} (rows) × {picture.column_factor} (columns)", _counts(picture)]
    top += [picture.note] if picture.note else []
    wrapped = [part for line in top for part in textwrap.wrap(line, WIDTH)]
    return "\n".join(line.rstrip() for line in [*wrapped, "", *lines])


def _counts(picture: SplitPicture) -> str:
    """The words of the report, which says "asked" where a terminal has no room to explain it."""
    return re.sub(r"; ([\d,]+) asked$", r"; \1 tested only", count_words(picture))


def mark_of(picture: SplitPicture, row: int, column: int) -> str:
    mark = MARKS[bool(picture.seen[row, column]), bool(picture.asked[row, column])]
    return PART.get(mark, mark) if picture.part is not None and picture.part[row, column] else mark


def _width(words: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def _fitted(words: str, width: int) -> str:
    """Exactly ``width`` columns: cut with an ellipsis, or padded."""
    if _width(words) > width:
        while words and _width(words) > width - (width > 1):
            words = words[:-1]
        words += "…" if width > 1 else ""
    return words + " " * (width - _width(words))
