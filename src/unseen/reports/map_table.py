"""Maps over images as a table: an image to a line, a method to a column, under each column whether to believe it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from unseen.reports.drawing import Drawing, cut, data_uri, text
from unseen.reports.legend import HINT
from unseen.reports.palette import role

SIDE = 120  # pixels of a map on the page
MOST_BYTES = 4_000_000  # of all pictures of one table
DOES, DOES_NOT, OPEN = "does", "does not", "open"
MARK = {DOES: "holds", DOES_NOT: "fails", OPEN: "open", "": "told"}  # classes of the style sheet


@dataclass(frozen=True)
class MapColumn:
    """A method: its name, where it is from, its settings in words, and what is to be said of it below: ``verdict`` is
    DOES, DOES_NOT, OPEN, or "" where nothing was checked; ``words`` say it, ``number`` is its number with interval and
    n."""

    name: str
    source: str = ""
    settings: str = ""
    verdict: str = ""
    words: str = ""
    number: str = ""


@dataclass(frozen=True, eq=False)
class MapRow:
    """An image ``[h, w, 3]`` with its words, and for each method its map over the image, or what to say instead.
    ``group``: lines of one group stand together under its title."""

    title: str
    words: str
    picture: np.ndarray
    cells: tuple[np.ndarray | str, ...]
    group: str = ""


def map_table(columns: Sequence[MapColumn], rows: Sequence[MapRow]) -> str:
    """The table as HTML; it scrolls to the side where there is no room, the images stay."""
    heads = "".join(_head(one) for one in columns)
    lines, group, left = [], "", [MOST_BYTES]
    for row in rows:
        if row.group != group:
            group = row.group
            lines.append(f'<tr class="group"><th colspan="{len(columns) + 1}"><span>{escape(group)}</span></th></tr>')
        lines.append(_line(row, columns, left))
    foot = ""
    if any(one.words for one in columns):
        below = "".join(_foot(one) for one in columns)
        foot = f'<tfoot><tr><th scope="row">Is it about the network?</th>{below}</tr></tfoot>'
    gone = "" if left[0] >= 0 else '<p class="small">Some maps were left out, to keep this page small.</p>'
    return (
        f'<div class="picture scrolls" tabindex="0"><table class="maps"><thead><tr><th>image</th>{heads}</tr></thead>'
        f"<tbody>\n{chr(10).join(lines)}\n</tbody>{foot}</table></div>{HINT}{gone}"
    )


def _head(one: MapColumn) -> str:
    told = "<br>".join(escape(words) for words in (one.source, one.settings) if words)
    return f'<th scope="col"><b>{escape(one.name)}</b>{f"<span>{told}</span>" if told else ""}</th>'


def _line(row: MapRow, columns: Sequence[MapColumn], left: list[int]) -> str:
    first = f"<b>{escape(row.title).replace('/', '/<wbr>')}</b>{escape(row.words)}"
    cells = "".join(_cell(one, f"{column.name}: {row.title}", left) for column, one in zip(columns, row.cells))
    return f'<tr><th scope="row">{_picture(row.picture, row.title, left)}<span>{first}</span></th>{cells}</tr>'


def _cell(one: np.ndarray | str, words: str, left: list[int]) -> str:
    return f'<td class="none">{escape(one)}</td>' if isinstance(one, str) else f"<td>{_picture(one, words, left)}</td>"


def _picture(pixels: np.ndarray, words: str, left: list[int]) -> str:
    uri = data_uri(pixels, side=SIDE)
    left[0] -= len(uri)
    return f'<img src="{uri}" alt="{escape(words)}" loading="lazy">' if left[0] >= 0 else "left out"


def _foot(one: MapColumn) -> str:
    if not one.words:
        return "<td></td>"
    return (
        f'<td><span class="mark {MARK[one.verdict]}">{escape(one.words)}</span><span>{escape(one.number)}</span></td>'
    )


def map_sheet(columns: Sequence[MapColumn], rows: Sequence[MapRow], side: int = 112) -> Drawing:
    """The same as one drawing, for a file."""
    gap, left, top = 8, side + 12, 34
    parts = [text(left + number * (side + gap), 12, cut(one.name, 19), size=10.5, bold=True)
             for number, one in enumerate(columns)]  # fmt: skip
    parts += [text(left + number * (side + gap), 26, cut(one.words, 23), size=8.5, colour=role("muted"))
              for number, one in enumerate(columns)]  # fmt: skip
    for line, row in enumerate(rows):
        y = top + line * (side + 34)
        parts.append(_image(row.picture, 0, y, side))
        parts.append(text(0, y + side + 11, cut(row.title, 60), size=9))
        parts.append(text(0, y + side + 22, cut(row.words, 90), size=8.5, colour=role("muted")))
        for number, one in enumerate(row.cells):
            x = left + number * (side + gap)
            if isinstance(one, str):
                words = one.partition(":")[0]
                parts.append(
                    text(x + side / 2, y + side / 2, cut(words, 22), size=9, colour=role("muted"), anchor="middle")
                )
            else:
                parts.append(_image(one, x, y, side))
    return Drawing(
        left + len(columns) * (side + gap), top + len(rows) * (side + 34), "".join(parts), "maps over images"
    )


def _image(pixels: np.ndarray, x: float, y: float, side: int) -> str:
    place = f'x="{x:g}" y="{y:g}" width="{side}" height="{side}"'
    return f'<image {place} href="{data_uri(pixels, side=2 * side)}" preserveAspectRatio="xMidYMid"/>'
