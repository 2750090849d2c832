"""Sections about subjects, and the page of a study that consists of their answers."""

from __future__ import annotations

import numpy as np

from unseen.kinds.subjects import figures
from unseen.kinds.subjects.scores import Score, SubjectAnswers, by_set, cells
from unseen.kinds.subjects.shown import SubjectContents
from unseen.reports import sections
from unseen.reports.blocks import Html, Page, Pictures, Section, Table, Text
from unseen.reports.charts import set_title
from unseen.reports.drawing import Drawing, framed, sheet
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.tables import csv_link
from unseen.reports.words import interval, number

MOST_GRIDS = 12  # of subjects and sets, in the page
MOST_LEVELS = 40
WORDS = (
    "Accuracy [95 % interval]; n: what the interval is over; answers: how many stand behind it. Subjects from "
    "elsewhere are not repeats of the networks, and no verdict counts them."
)


def page(contents: SubjectContents) -> Page:
    made = figures.accuracy(contents)
    rest = [sections.splits(contents), *parts(contents)[1:]]
    return sections.page_of(contents, sections.figure(made, *_table(contents)), rest)


def parts(contents: SubjectContents) -> list[Section | str]:
    """What a page says of subjects: how often each is right, by level, by cell; and who is left out."""
    made: list[Section | str] = [sections.figure(figures.accuracy(contents), *_table(contents))]
    made += [sections.figure(figures.levels(contents)), *_cells(contents)]
    return [*made, *(f"Answers from elsewhere: {why}" for why in contents.left)]


def _table(contents: SubjectContents) -> tuple[Table, Text]:
    heads = ("subject", "kind", "images", "target", "accuracy", "n", "answers")
    rows = tuple(
        (one.name, one.kind, set_title(one.asked), one.target, one.words, f"{one.n:,} {one.over}", f"{one.answers:,}")
        for one in contents.accuracies
    )
    return Table(heads, rows, right=("answers",), wrap=("subject",)), Text(WORDS, small=True)


def _cells(contents: SubjectContents) -> list[Section]:
    """Accuracy in every cell of the first two factors: a grid for each subject and set, and the numbers as a table."""
    import polars as pl

    tiles, drawn, titles, rows = [], [], [], []
    for one in contents.answers:
        for asked, target, here in by_set(one):
            found = list(cells(one, here))
            if not found:
                continue
            factors = list(one.levels)[:2]
            for row, column, s in found:
                rows.append(
                    {"subject": one.subject.name, "set": asked, "target": target, factors[0]: row, factors[1]: column}
                    | {"accuracy": s.value, "low": s.low, "high": s.high, "n": s.n, "over": s.over, "answers": s.asked}
                )
            if len(tiles) < MOST_GRIDS and all(len(one.levels[name]) <= MOST_LEVELS for name in factors):
                grid = _grid(one, target, found)
                title = f"{one.subject.name}, {set_title(asked)}"
                span = sorted(s.asked for _, _, s in found)
                count = f"{span[0]} answers a cell" if span[0] == span[-1] else f"{span[0]}–{span[-1]} answers a cell"
                tiles.append(heat_tile(grid, title, f"{target}, {len(found)} cells", count))
                drawn.append(grid)
                titles.append(f"{title}: {target}")
    if not rows:
        return []
    words = (
        "Per cent of answers that are right, the fuller the colour the more; grey: not asked. Intervals are in the CSV."
    )
    link = csv_link(pl.DataFrame(rows, infer_schema_length=None), "subject-cells.csv")
    shown = f'<div class="heats">{"".join(tiles)}</div><p class="small">{words}</p>'
    body = f'<figure id="figure-subject-cells">{shown}</figure>'
    blocks = (Pictures(body, "subject-cells", framed(sheet(drawn, titles, columns=2, label=words))),) if tiles else ()
    return [Section("subject-cells", "Where subjects are right", (*blocks, Html(f"<p>{link}</p>")))]


def _grid(one: SubjectAnswers, target: str, found: list[tuple[str, str, Score]]) -> Drawing:
    rows, columns = list(one.levels)[:2]
    values = np.full((len(one.levels[rows]), len(one.levels[columns])), np.nan)
    scores: dict[tuple[int, int], Score] = {}
    for row, column, s in found:
        at = one.levels[rows].index(row), one.levels[columns].index(column)
        values[at], scores[at] = s.value, s

    def words(row: int, column: int) -> str:
        where = f"{one.levels[rows][row]}, {one.levels[columns][column]}"
        if (s := scores.get((row, column))) is None:
            return f"{where}: not asked"
        return f"{where}: {number(s.value)} {interval(s.low, s.high, s.n)}, n = {s.n} {s.over}, {s.asked} answers"

    label = f"Accuracy of {target} in each cell of {rows} and {columns}, {one.subject.name}"
    return heat_grid(values, one.levels[rows], one.levels[columns], axes=(rows, columns), words=words, label=label)
