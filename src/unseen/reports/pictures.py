"""Splits and units as grids: what was seen, what is asked, and where a unit fires."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from unseen.reports.contents import SplitPicture, UnitPicture
from unseen.reports.drawing import Drawing, cut, data_uri, fitting, framed, sheet, shrunk, stack, text
from unseen.reports.palette import role
from unseen.reports.words import number, plain

if TYPE_CHECKING:
    from PIL import Image

MOST_LEVELS = 24  # of a factor in one picture; the words below it say how many there are
CELL = 44
SMALL_CELL = 11
FACE = 264, 132  # the most that one of a table of grids may take: 24 × 12 small cells
HEAT_CELL = 13


def large_split(picture: SplitPicture) -> Drawing:
    """The grid with an example of each cell: seen cells framed, asked ones ringed, the others faded."""
    rows, columns = min(len(picture.row_levels), MOST_LEVELS), min(len(picture.column_levels), MOST_LEVELS)
    names, heads = fitting(picture.row_levels[:rows], 14), fitting(picture.column_levels[:columns], 8)
    left = 14 + 6.2 * max(map(len, names), default=0)
    slanted = max(map(len, heads), default=0) > 6
    heads = fitting(picture.column_levels[:columns], 15) if slanted else heads
    top = 66 if slanted else 36
    axes = f"{cut(picture.row_factor, 20)} ↓   {cut(picture.column_factor, 20)} →"
    parts = [text(0, 11, axes, size=10.5, colour=role("muted"))]
    for column, name in enumerate(heads):
        x = left + column * CELL + CELL / 2
        turn = f'transform="translate({x - 6:g} {top - 5}) rotate(-30)"' if slanted else ""
        words = text(0, 0, name) if slanted else text(x, top - 6, name, anchor="middle")
        parts.append(f"<g {turn}>{words}</g>")
    for row, name in enumerate(names):
        y = top + row * (CELL + 12)
        parts.append(text(left - 8, y + CELL / 2 + 2, name, anchor="end"))
        parts += [_cell(picture, row, column, left + column * CELL, y) for column in range(columns)]
    right = 34 + 6 * max(0, len(heads[-1]) - 12) if slanted else 4
    return Drawing(left + columns * CELL + right, top + rows * (CELL + 12) + 2, "".join(parts), described(picture))


def _cell(picture: SplitPicture, row: int, column: int, x: float | int, y: float | int) -> str:
    seen, asked = bool(picture.seen[row, column]), bool(picture.asked[row, column])
    side = CELL - 6
    frame = f'x="{x + 3:g}" y="{y:g}" width="{side}" height="{side}" rx="2"'
    body = f"<title>{escape(cell_words(picture, row, column))}</title>"
    gone = picture.missing is not None and bool(picture.missing[row, column])
    faded = "" if seen or asked else ' opacity="0.16"'
    if picture.examples is None or gone:
        fill = role("seen") if seen else role("asked") if asked else role("grid")
        body += f'<rect {frame} fill="{fill}" fill-opacity="{0.35 if seen or asked else 0.5}"/>'
    else:
        uri = data_uri(picture.examples[row, column], side=96 if picture.seen.size <= 150 else 64)
        place = f'x="{x + 3:g}" y="{y:g}" width="{side}" height="{side}"'
        body += (
            f'<image {place} href="{uri}" image-rendering="optimizeSpeed" style="image-rendering:pixelated"{faded}/>'
        )
    under, colour = plain(float(picture.counts[row, column])), role("muted")
    if asked and picture.trains:
        under, colour = "asked", role("asked")
    if picture.labels is not None:
        under = str(picture.labels[row, column])
    if seen:
        body += f'<rect {frame} fill="none" stroke="{role("seen")}" stroke-width="2.5"/>'
    if asked:
        body += f'<rect {frame} fill="none" stroke="{role("asked")}" stroke-width="2" stroke-dasharray="3 2"/>'
    if seen or asked:
        body += text(x + CELL / 2, y + side + 9.5, under, size=9, colour=colour, anchor="middle")
    return f"<g>{body}</g>"


def small_split(picture: SplitPicture) -> Drawing:
    """The same grid without pictures: filled where seen, a ring where asked."""
    rows, columns = min(len(picture.row_levels), MOST_LEVELS), min(len(picture.column_levels), MOST_LEVELS)
    most = max(float(picture.counts.max(initial=0)), 1.0)
    parts = []
    for row in range(rows):
        for column in range(columns):
            x, y = column * SMALL_CELL, row * SMALL_CELL
            box = f'x="{x + 0.5}" y="{y + 0.5}" width="{SMALL_CELL - 1}" height="{SMALL_CELL - 1}" rx="1"'
            if picture.seen[row, column]:
                share = 0.35 + 0.65 * float(picture.counts[row, column]) / most
                mark = f'<rect {box} fill="{role("seen")}" fill-opacity="{share:.2f}"/>'
            else:
                mark = f'<rect {box} fill="{role("grid")}" fill-opacity="0.6"/>'
            if picture.asked[row, column]:
                half = SMALL_CELL / 2
                ring = (
                    f'<circle cx="{x + half}" cy="{y + half}" r="{half - 2.4:g}" fill="none" stroke="{role("asked")}"'
                )
                mark = f'{mark}{ring} stroke-width="1.8"/>'
            parts.append(f"<g><title>{escape(cell_words(picture, row, column))}</title>{mark}</g>")
    return Drawing(columns * SMALL_CELL, rows * SMALL_CELL, "".join(parts), described(picture))


def face(picture: SplitPicture) -> Drawing:
    """The small grid within bounds, so that those of a table have cells of one size unless there are very many."""
    return shrunk(small_split(picture), *FACE)


Faces = dict[str, list[SplitPicture]]


def face_tables(pictures: Sequence[SplitPicture]) -> list[Faces]:
    """Pairs of factors by split, easy splits first (they come hardest first); a table for each choice of pairs."""
    splits: Faces = {name: [] for name in reversed(dict.fromkeys(picture.split for picture in pictures))}
    for picture in pictures:
        splits[picture.split].append(picture)
    found: dict[tuple[tuple[str, str], ...], Faces] = {}
    for name, faces in splits.items():
        pairs = tuple((picture.row_factor, picture.column_factor) for picture in faces)
        found.setdefault(pairs, {})[name] = faces
    return list(found.values())


def face_words(picture: SplitPicture) -> str:
    """How much of a grid is seen, in a few words.

    >>> import numpy as np
    >>> yes = np.eye(2, dtype=bool)
    >>> face_words(SplitPicture("x", "y", ("0", "1"), ("a", "b"), "", yes, ~yes, 300 * yes, reach="lowest 2 levels"))
    '2 of 4 seen, 2 asked (lowest 2 levels)'
    """
    asked = int(picture.asked.sum())
    words = f"{int(picture.seen.sum())} of {picture.seen.size} seen{f', {asked} asked' if asked else ''}"
    words = words if picture.trains else f"{asked} of {picture.asked.size} asked"
    return f"{words} ({picture.reach})" if picture.reach else words


def cell_words(picture: SplitPicture, row: int, column: int) -> str:
    place = f"{picture.row_factor} {picture.row_levels[row]}, {picture.column_factor} {picture.column_levels[column]}"
    number = float(picture.counts[row, column])
    if not picture.trains:
        told = f"asked, {plain(number)} {_plural('image', number)}"
        return f"{place}: {told if picture.asked[row, column] else 'not asked'}"
    kind = _plural("training image", number) if picture.part is None else f"{_plural('visit', number)} per epoch"
    state = [f"seen, {plain(number)} {kind}"] if picture.seen[row, column] else []
    if picture.part is not None and picture.part[row, column]:
        state[0] += f", {visit_share(picture, row, column)} of those to its images"
    state += ["asked (OOD)"] if picture.asked[row, column] else []
    return f"{place}: {' and '.join(state) or 'neither seen nor asked'}"


def _plural(thing: str, number: float) -> str:
    return thing if number == 1 else f"{thing}s"


def visit_share(picture: SplitPicture, row: int, column: int) -> str:
    """The part of the visits to a row's images that a cell takes."""
    return f"{picture.counts[row, column] / picture.counts[row].sum():.0%}"


def count_words(picture: SplitPicture) -> str:
    """How many cells are seen, with how many images.

    >>> import numpy as np
    >>> yes = np.eye(2, dtype=bool)
    >>> count_words(SplitPicture("digit", "place", ("0", "1"), ("a", "b"), "k = 1", yes, ~yes, 300 * yes))
    '2 of 4 cells seen, 300 images each (600 in all); 2 asked'
    """
    if picture.words:
        return picture.words
    shown = picture.seen if picture.trains else picture.asked
    counts = picture.counts[shown.astype(bool)]
    seen, asked = int(shown.sum()), int(picture.asked.sum())
    words = f"{seen} of {shown.size} cells {'seen' if picture.trains else 'asked'}"
    kind = _plural("image" if picture.part is None else "visit", float(counts.max(initial=0)))
    if counts.size:
        low, high = plain(float(counts.min())), plain(float(counts.max()))
        words += f", {low if low == high else f'{low}–{high}'} {kind} each ({plain(float(counts.sum()))} in all)"
    return f"{words}; {asked} asked" if picture.trains and asked else words


def cut_words(picture: SplitPicture) -> str:
    """What a picture of a very long factor leaves out."""
    factors = ((picture.row_factor, picture.row_levels), (picture.column_factor, picture.column_levels))
    return "".join(
        f" The first {MOST_LEVELS} of {len(levels)} levels of {factor} are drawn."
        for factor, levels in factors
        if len(levels) > MOST_LEVELS
    )


def described(picture: SplitPicture) -> str:
    return f"{picture.title}: {picture.row_factor} × {picture.column_factor}, {count_words(picture)}"


def unit_grid(picture: UnitPicture) -> Drawing:
    """Where a unit fires: the fuller the colour, the more. A cell without a value is crossed out."""
    rows, columns = (min(length, MOST_LEVELS) for length in picture.grid.shape)
    names = fitting(picture.row_levels[:rows], 7)
    heads = fitting(picture.column_levels[:columns], 2 if columns > 6 else 3)
    left, top = 6 + 4.6 * max(map(len, names), default=0), 12
    parts = []
    for column, name in enumerate(heads):
        x = left + (column + 0.5) * HEAT_CELL
        parts.append(text(x, top - 4, name, size=7, colour=role("muted"), anchor="middle"))
    for row, name in enumerate(names):
        y = top + row * HEAT_CELL
        parts.append(text(left - 4, y + HEAT_CELL / 2 + 2.5, name, size=7.5, colour=role("muted"), anchor="end"))
        for column in range(columns):
            value, x = float(picture.grid[row, column]), left + column * HEAT_CELL
            box = f'x="{x:g}" y="{y:g}" width="{HEAT_CELL - 0.6}" height="{HEAT_CELL - 0.6}"'
            words = f"{picture.row_levels[row]}, {picture.column_levels[column]}: {number(value)}"
            if math.isfinite(value):
                mark = f'<rect {box} fill="{role("heat")}" fill-opacity="{max(0.03, min(1.0, value)):.2f}"/>'
            else:
                mark = f'<rect {box} fill="none"/>' + text(x + 3.2, y + 9.5, "×", size=10, colour=role("muted"))
            parts.append(f"<g><title>{escape(words)}</title>{mark}</g>")
    label = f"{picture.title}, unit {picture.unit} of {picture.layer}: {score_words(picture)}"
    return Drawing(left + columns * HEAT_CELL + 1, top + rows * HEAT_CELL + 1, "".join(parts), label)


def score_words(picture: UnitPicture) -> str:
    scores = {
        "specialization": picture.specialization,
        "selectivity": picture.selectivity,
        "invariance": picture.invariance,
    }
    return ", ".join(f"{name} {number(score)}" for name, score in scores.items())


def split_sheet(pictures: Sequence[SplitPicture]) -> Drawing:
    """Every condition: the first with its example images, then all of them small."""
    first = pictures[0]
    head, drawn = f"{first.title}\n{count_words(first)}", large_split(first)
    wide = max(drawn.width, *(6.3 * len(line) for line in head.split("\n")))  # a narrow grid must not cut its words
    drawn = Drawing(wide, drawn.height, drawn.body, drawn.label)
    lead = sheet([drawn], [head], columns=1, label=described(first))
    if len(pictures) == 1:
        return framed(lead)
    if all(picture.split for picture in pictures):
        return framed(stack([lead, *map(_face_sheet, face_tables(pictures))], label="the splits"))
    titles = [f"{cut(picture.title, 26)}\n{face_words(picture).partition(', ')[0]}" for picture in pictures]
    drawings = [small_split(picture) for picture in pictures]
    wide = max(drawing.width for drawing in drawings)
    roomy = [Drawing(max(drawing.width, 120), drawing.height, drawing.body, drawing.label) for drawing in drawings]
    columns = max(1, int(max(lead.width, 480) // (max(wide, 120) + 26)))
    return framed(stack([lead, sheet(roomy, titles, columns=columns, label="all conditions")], label="the splits"))


def _face_sheet(table: Faces) -> Drawing:
    """A line for each split, a column for each pair of factors."""
    pictures = [picture for faces in table.values() for picture in faces]
    titles = [
        f"{picture.split}\n{cut(f'{picture.row_factor} × {picture.column_factor}', 36)}\n{face_words(picture)}"
        for picture in pictures
    ]
    roomy = [replace(drawn, width=max(drawn.width, 215)) for drawn in map(face, pictures)]
    columns = max(len(faces) for faces in table.values())
    return sheet(roomy, titles, columns=columns, label="splits by pair of factors")


def unit_sheet(pictures: Sequence[UnitPicture]) -> Drawing:
    titles = [
        f"{textwrap.fill(picture.title, 26)}\n{picture.unit_type} unit {picture.unit}, {cut(picture.layer, 12)}\n"
        f"Γ {number(picture.specialization)}  S {number(picture.selectivity)}  I {number(picture.invariance)}"
        for picture in pictures
    ]
    drawings = [unit_grid(picture) for picture in pictures]
    roomy = [Drawing(max(drawing.width, 150), drawing.height, drawing.body, drawing.label) for drawing in drawings]
    return framed(sheet(roomy, titles, columns=4, label="activation grids of the most specialized units"))


def contact_sheet(picture: SplitPicture) -> Image.Image:
    """A condition's grid with its example images, as a picture to save (``unseen plan`` does)."""
    import vl_convert
    from PIL import Image

    made = vl_convert.svg_to_png(split_sheet([picture]).svg(background=role("paper")), scale=2)
    return Image.open(io.BytesIO(made)).convert("RGB")
