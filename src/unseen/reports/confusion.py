"""Which class is taken for which: a matrix for each target and set of test images, normalised by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import takewhile

import numpy as np

from unseen.reports.answer_pictures import AnswerPictures, ConfusionPicture
from unseen.reports.charts import set_title
from unseen.reports.drawing import Drawing, fitting, framed, sheet
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.words import number

MOST_CLASSES = 40  # in one matrix; of more, those most often confused, and all others as one
MOST_NAMED = 3  # confusions named below a matrix


def folded(picture: ConfusionPicture, most: int = MOST_CLASSES) -> ConfusionPicture:
    """The matrix with at most ``most`` classes: those in most mistakes keep their line, the rest share one.

    >>> counts = np.diag([9, 9, 1, 1]) + np.eye(4, k=1, dtype=int) * np.array([[5], [0], [0], [0]])
    >>> one = folded(ConfusionPicture("", "animal", "unseen", ("cat", "dog", "emu", "yak"), counts, 1), 3)
    >>> one.classes, one.counts.tolist()
    (('cat', 'dog', '2 others'), [[9, 5, 0], [0, 9, 0], [0, 0, 2]])
    """
    if len(picture.classes) <= most:
        return picture
    off = picture.counts - np.diag(np.diag(picture.counts))
    order = np.argsort(-(off.sum(0) + off.sum(1)), kind="stable")
    kept = np.sort(order[: most - 1])
    line = np.full(len(picture.classes), most - 1)
    line[kept] = np.arange(most - 1)
    counts = np.zeros((most, most), dtype=picture.counts.dtype)
    np.add.at(counts, (line[:, None], line[None, :]), picture.counts)
    names = (*(picture.classes[place] for place in kept), f"{len(picture.classes) - most + 1} others")
    return replace(picture, classes=names, counts=counts)


def confusion_grid(picture: ConfusionPicture) -> Drawing:
    """Shares of each row; the row's number of answers stands behind its name."""
    small = folded(picture)
    totals = small.counts.sum(axis=1)
    shares = np.divide(
        small.counts, totals[:, None], where=totals[:, None] > 0, out=np.full(small.counts.shape, np.nan)
    )

    def words(row: int, column: int) -> str:
        asked, given = int(totals[row]), int(small.counts[row, column])
        if not asked:
            return f"{small.classes[row]}: not tested"
        return f"{small.classes[row]} answered as {small.classes[column]}: {given:,} of {asked:,}"

    return heat_grid(
        shares, [f"{name} ({total:,})" for name, total in zip(_short(small.classes), totals)], _short(small.classes),
        axes=("true class (answers)", "answered"), words=words,
        label=f"Confusion matrix of {picture.target}, {titled(picture)}: {worst_words(picture)}",
    )  # fmt: skip


def _short(names: Sequence[str]) -> list[str]:
    """Names without the words that all begin with, and not too long.

    >>> _short(["the digit 0", "the digit 1"]), _short(["cat", "dog"])
    (['0', '1'], ['cat', 'dog'])
    """
    shared = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*names)))
    shared = shared[: shared.rfind(" ") + 1] if len(names) > 1 else ""
    return fitting([name.removeprefix(shared) for name in names], 14)


def titled(picture: ConfusionPicture) -> str:
    return ", ".join(filter(None, [set_title(picture.asked), picture.condition]))


def worst_words(picture: ConfusionPicture) -> str:
    """The most frequent confusions, in words.

    >>> worst_words(ConfusionPicture("", "animal", "unseen", ("cat", "dog"), np.array([[6, 2], [0, 4]]), 1))
    'accuracy 0.833 of 12 answers; most often cat → dog (2 of 8)'
    """
    total, totals = int(picture.counts.sum()), picture.counts.sum(axis=1)
    off = picture.counts - np.diag(np.diag(picture.counts))
    order = np.argsort(-off, axis=None, kind="stable")[:MOST_NAMED]
    places = [(int(place) // len(off), int(place) % len(off)) for place in order]
    named = [
        f"{picture.classes[row]} → {picture.classes[column]} ({off[row, column]:,} of {totals[row]:,})"
        for row, column in places
        if off[row, column]
    ]
    right = f"accuracy {number(float(np.trace(picture.counts) / max(total, 1)))} of {total:,} answers"
    return f"{right}; most often {', '.join(named)}" if named else right


def confusion_body(found: AnswerPictures) -> str:
    main = [picture for picture in found.confusions if picture.main]
    others = [picture for picture in found.confusions if not picture.main]
    words = (
        "Of the test images of each true class (a row; in brackets the number of answers), the per cent that got each "
        "answer (a column); right answers lie on the diagonal. Answers of all networks of a condition are pooled."
    )
    many = max(len(picture.classes) for picture in found.confusions)
    if many > MOST_CLASSES:
        words += f" Of {many} classes those in most mistakes have a line, the others share the last."
    body = f'<div class="heats">{"".join(map(_tile, main))}</div>'
    if others:
        tiles = "".join(map(_tile, others))
        body += f'<details><summary>{len(others)} more: other test images and conditions</summary><div class="heats">'
        body += f"{tiles}</div></details>"
    return f'<figure id="figure-confusion">{body}<p class="small">{escape(words)}</p></figure>'


def _tile(picture: ConfusionPicture) -> str:
    return heat_tile(confusion_grid(picture), f"{picture.target}: {titled(picture)}", worst_words(picture))


def confusion_sheet(found: AnswerPictures) -> Drawing:
    """Those shown at once, in a file."""
    pictures = [picture for picture in found.confusions if picture.main]
    titles = [f"{picture.target}: {titled(picture)}" for picture in pictures]
    drawn = [confusion_grid(picture) for picture in pictures]
    roomy = [Drawing(max(one.width, 300), one.height, one.body, one.label) for one in drawn]
    return framed(sheet(roomy, titles, columns=2, label="confusion matrices"))
