"""Accuracy in each cell of two factors: where a network is right, seen or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from unseen.reports.answer_pictures import AnswerPictures, CellPicture
from unseen.reports.drawing import Drawing, framed, sheet
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.tables import csv_link, table
from unseen.reports.words import number, plain

MOST_LEVELS = 40  # of a factor in one picture
MOST_SHOWN = 8  # pictures at once; of more, those of the conditions that saw most
MOST_TABLE = 600  # cells in the page; the CSV has them all


def cell_grid(picture: CellPicture) -> Drawing:
    rows, columns = picture.row_levels[:MOST_LEVELS], picture.column_levels[:MOST_LEVELS]
    values = picture.accuracy[: len(rows), : len(columns)]

    def frame(row: int, column: int) -> str:
        return "" if not picture.asked[row, column] else "seen" if picture.seen[row, column] else "asked"

    return heat_grid(
        values, rows, columns, axes=(picture.row_factor, picture.column_factor),
        words=lambda row, column: cell_words(picture, row, column), frame=frame,
        label=f"Accuracy of {picture.target} in each cell of {picture.row_factor} and {picture.column_factor}, "
        f"{titled(picture)}: {mean_words(picture)}",
    )  # fmt: skip


def titled(picture: CellPicture) -> str:
    return ": ".join(part for part in (picture.condition, picture.whose) if part) or "all networks"


def cell_words(picture: CellPicture, row: int, column: int) -> str:
    """
    >>> import numpy as np
    >>> two, yes = np.array([[3, 0]]), np.array([[True, False]])
    >>> one = CellPicture("digit", "place", ("7",), ("left", "right"), "", "digit", two, 2 * two, yes, 2)
    >>> cell_words(one, 0, 0), cell_words(one, 0, 1)
    ('7, left: 3 of 6 right (0.500), seen in training', '7, right: not tested')
    """
    where = f"{picture.row_levels[row]}, {picture.column_levels[column]}"
    asked, right = int(picture.asked[row, column]), int(picture.right[row, column])
    if not asked:
        return f"{where}: not tested"
    state = "seen in training" if picture.seen[row, column] else "never seen"
    return f"{where}: {right:,} of {asked:,} right ({number(right / asked)}), {state}"


def mean_words(picture: CellPicture) -> str:
    """Accuracy over the cells that were seen and over the others, and how many answers stand behind a cell."""
    told = []
    for words, which in (("seen", picture.seen), ("never seen", ~picture.seen)):
        cells = which & (picture.asked > 0)
        if cells.any():
            share = picture.right[cells].sum() / picture.asked[cells].sum()
            told.append(f"{words} {number(float(share))} ({int(cells.sum())} cells)")
    return ", ".join(told)


def count_words(picture: CellPicture) -> str:
    """How many test images of a cell each network was asked.

    >>> import numpy as np
    >>> n = np.array([[6, 0, 10]])
    >>> count_words(CellPicture("digit", "place", ("7",), ("a", "b", "c"), "", "digit", n, n, n > 0, 2))
    '3–5 test images a cell, asked of 2 networks'
    """
    each = sorted({value for value in picture.images.ravel().tolist() if math.isfinite(value)})
    low, high = (plain(round(value, 1)) for value in (each[0], each[-1])) if each else ("no", "no")
    span = low if low == high else f"{low}–{high}"
    several = f"asked of {_networks(picture)}"
    return f"{span} test image{'s' * (span != '1')} a cell, {several}"


def _networks(picture: CellPicture) -> str:
    """How many networks stand behind a cell.

    >>> import numpy as np
    >>> n = np.array([[6, 0, 10]])
    >>> of = np.array([[1, 0, 3]])
    >>> _networks(CellPicture("a", "b", ("7",), ("a", "b", "c"), "", "a", n, n, n > 0, 4, whose="x", asked_of=of))
    '1–3 of 4 networks'
    """
    if picture.asked_of is None or not picture.whose:
        return f"{picture.networks} network{'s' * (picture.networks != 1)}"
    counts = picture.asked_of[picture.asked > 0]
    low, high = int(counts.min()), int(counts.max())
    return f"{low if low == high else f'{low}–{high}'} of {picture.networks} networks"


def cell_body(found: AnswerPictures) -> str:
    main = [picture for picture in found.cells if picture.main or len(found.cells) <= MOST_SHOWN] or list(found.cells)
    others = [picture for picture in found.cells if not any(picture is one for one in main)]
    words = (
        "Per cent of answers that are right, the fuller the colour the more. Blue frames: cells seen in training (new "
        "images of them); orange dashed frames: cells never seen; grey: not tested."
    )
    if any(picture.whose for picture in found.cells):
        words += (
            " Draws of the design hold out different cells, so a cell may be seen by some networks and not by others. "
            "These two groups have a map each, and their answers are never pooled."
        )
    body = _groups(main)
    if others:
        body += f"<details><summary>{len(others)} more: the other conditions</summary>{_groups(others)}</details>"
    body += f'<p class="small">{escape(words)}{_cut(found)}</p>'
    return f'<figure id="figure-cells">{body}</figure>\n{_numbers(found.cells)}'


def _groups(pictures: Sequence[CellPicture]) -> str:
    """A heading for each target where there are several."""
    targets = list(dict.fromkeys(picture.target for picture in pictures))
    made = ""
    for target in targets:
        tiles = "\n".join(_tile(picture) for picture in pictures if picture.target == target)
        made += f"<h3>Is {escape(target)} recognised?</h3>" if len(targets) > 1 else ""
        made += f'<div class="heats">{tiles}</div>'
    return made


def _tile(picture: CellPicture) -> str:
    return heat_tile(cell_grid(picture), titled(picture), mean_words(picture), count_words(picture))


def _cut(found: AnswerPictures) -> str:
    long = {
        name: len(levels)
        for picture in found.cells
        for name, levels in ((picture.row_factor, picture.row_levels), (picture.column_factor, picture.column_levels))
        if len(levels) > MOST_LEVELS
    }
    told = "".join(f" The first {MOST_LEVELS} of {n} levels of {escape(name)} are drawn." for name, n in long.items())
    drawn = len({picture.condition for picture in found.cells})
    return told + (f" {drawn} of {found.conditions} conditions are drawn." if drawn < found.conditions else "")


def _numbers(pictures: Sequence[CellPicture]) -> str:
    """Every cell with its n."""
    import polars as pl

    rows = []
    for picture in pictures:
        of = picture.asked_of
        for row, name in enumerate(picture.row_levels):
            for column, other in enumerate(picture.column_levels):
                if asked := int(picture.asked[row, column]):
                    right = int(picture.right[row, column])
                    rows.append(
                        {
                            "condition": picture.condition or "all networks", "target": picture.target,
                            picture.row_factor: name, picture.column_factor: other,
                            "seen": "yes" if picture.seen[row, column] else "no",
                            "accuracy": right / asked, "right": right, "answers": asked,
                            "images": float(picture.images[row, column]),
                            "networks": picture.networks if of is None else int(of[row, column]),
                        }
                    )  # fmt: skip
    if not rows:
        return ""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    heads = list(frame.columns)
    shown = [[_said(row[head]) for head in heads] for row in frame.head(MOST_TABLE).iter_rows(named=True)]
    right = ("accuracy", "right", "answers", "images", "networks")
    made = table([head if head != "images" else "test images" for head in heads], shown, right=(*right, "test images"))
    words = f"The number of test images and right answers in each of {frame.height:,} cells"
    words += f" (the first {MOST_TABLE:,} here, all in the CSV)" if frame.height > MOST_TABLE else ""
    link = csv_link(frame, "cells.csv")
    return f"<details><summary>{words}</summary>{made}</details>\n<p>{link}</p>"


def _said(value: object) -> str:
    if isinstance(value, float):
        return number(value) if math.isfinite(value) and value < 1 else plain(round(value, 2))
    return "" if value is None else str(value)


def cell_sheet(found: AnswerPictures) -> Drawing:
    """All of them in a file."""
    pictures = [picture for picture in found.cells if picture.main] or list(found.cells)
    titles = [f"{picture.target}: {titled(picture)}\n{mean_words(picture)}" for picture in pictures]
    drawn = [cell_grid(picture) for picture in pictures]
    roomy = [Drawing(max(one.width, 300), one.height, one.body, one.label) for one in drawn]
    return framed(sheet(roomy, titles, columns=2, label="accuracy in each cell"))
