"""Sections that pages of many kinds of study have, each made from the contents; or, where there is nothing to show, the
reason in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from unseen.reports import answered, tables
from unseen.reports.accuracy_table import accuracy_table
from unseen.reports.blocks import Block, Chart, Html, Page, Pictures, Section
from unseen.reports.contents import Contents, SplitPicture, UnitPicture
from unseen.reports.figure import Figure
from unseen.reports.legend import HINT, MARKS, POINT
from unseen.reports.palette import themed
from unseen.reports.pictures import (
    Faces,
    count_words,
    cut_words,
    face,
    face_tables,
    face_words,
    large_split,
    score_words,
    small_split,
    split_sheet,
    unit_grid,
    unit_sheet,
)
from unseen.vocabulary.words import capital

BESIDE = 540  # pixels of a grid that has others beside it: what the page leaves at 1280
MOST_PUBLISHED = 60  # numbers shown at once; more are folded away
EVERY, ONE_OF_EACH = "Every condition", "One condition of each kind"
Part = Section | str


def page_of(contents: Contents, first: Part, sections: Sequence[Part]) -> Page:
    """A page about a study. Below its answer stands the ``first`` figure, which shows it, then the verdicts; then the
    sections that its kind chose; what was run and how it was made comes last."""
    closing = (flags(contents), numbers(contents), facts(contents), recipe(contents), citation(contents))
    return Page(
        contents.title,
        contents.question,
        contents.answer,
        contents.shows,
        (first, findings(contents), *contents.added_sections, *sections, *closing),
        contents.made,
    )


def figure(made: Figure | str, *below: Block) -> Part:
    """A figure as a section of its own."""
    return made if isinstance(made, str) else Section(made.name, made.title, (Chart(made), *below))


def figures(made: Mapping[str, Figure | str], first: str) -> tuple[Part, list[Part], Part]:
    """Figures by name as sections: the one that shows the answer, the others in their order, and how losses fell."""
    others = [figure(one) for name, one in made.items() if name not in (first, "losses")]
    return figure(made[first]), others, figure(made["losses"])


def accuracies(contents: Contents) -> list[Section]:
    """Accuracies as a table, where test images were counted."""
    made = accuracy_table(contents)
    return [Section("accuracies", "Accuracy in numbers", (Html(made),))] if made else []


def answers(contents: Contents) -> Iterator[Part]:
    """What single answers tell."""
    if contents.answered is not None:
        yield from answered.parts(contents.answered)


def findings(contents: Contents) -> Part:
    """Verdicts at a glance; folded below them every finding in a sentence, and the rules."""
    if not contents.findings:
        return "Findings: nothing was tested, because too few trials have finished or the recipe asks for no test."
    rules = "".join(f"<dt>{escape(word)}</dt><dd>{escape(meaning)}</dd>" for word, meaning in MARKS.items())
    told = tables.findings(contents.findings)
    words = f"All {len(contents.findings)} in sentences, with p and the reasons for those that are open"
    details = f'<details id="findings-told"><summary>{words}</summary>{told}</details>'
    head = "How findings are judged"
    marks = f'<details class="legend"><summary>{head}</summary><dl id="verdict-rules">{rules}</dl></details>'
    blocks = (Html(tables.verdicts(contents.findings)), Html(details), Html(marks))
    return Section("findings", "Findings", blocks)


def splits(contents: Contents, every: str = EVERY) -> Part:
    """What was seen and what was asked; ``every`` says which of its conditions are drawn."""
    if not contents.splits:
        why = "the study has no grid of two factors to draw"
        return f"Splits: {f'{contents.absent}, so they are not drawn' if contents.absent else why}."
    first = contents.splits[0]
    lead = large_split(first)
    # Words stay readable: a grid wider than the screen scrolls in its own box. A narrow one is not blown up.
    least = f' style="--least:{lead.width:.0f}px;--most:{lead.width * 1.7:.0f}px"'
    below = "the number of training images" if first.part is None else "the number of visits per epoch"
    below = below if first.labels is None else "the part of the visits, where not the whole,"
    title = capital(first.title)
    key = (
        f"Blue frames are seen in training, with {below} below; orange dashed frames are asked at test, and never seen "
        f"(OOD); faded cells neither."
    )
    key = key if first.trains else "Framed cells are asked, with the number of images below; faded cells are not."
    caption = f"{title}: {count_words(first)}.{cut_words(first)} {key} {first.note}"
    body = (
        f'<figure id="figure-splits"><div class="picture large scrolls" tabindex="0"{least}>'
        f"{themed(lead.svg())}</div>{HINT}"
        f"<figcaption>{escape(caption.strip())}</figcaption></figure>"
    )
    if len(contents.splits) > 1 and all(picture.split for picture in contents.splits):
        body += "\n".join(map(_faces, face_tables(contents.splits)))
        words = (
            "Every split, two factors at a time (↓ down, → across): filled cells are seen, the fuller the more images; "
            "ringed cells are asked."
        )
        body += f'<p class="small">{words}{POINT}</p>'
    elif len(contents.splits) > 1:
        tiles = "\n".join(_split_tile(picture) for picture in contents.splits)
        words = f"{every}: filled cells are seen, ringed cells are asked."
        # Beside the large grid where both are about as tall and it is not cut off there, else below it.
        tall = 3 * math.ceil(len(contents.splits) / 2) <= len(first.row_levels) + 1
        place = "beside" if tall and lead.width <= BESIDE else "below"
        tiles = f'<div><div class="tiles">{tiles}</div><p class="small">{words}{POINT}</p></div>'
        body = f'<div class="{place}">{body}\n{tiles}</div>'
    pictures = Pictures(body, "splits", split_sheet(contents.splits))
    return Section("splits", "What was seen and what was asked", (pictures,))


def _split_tile(picture: SplitPicture) -> str:
    return (
        f'<figure><div class="picture small">{themed(small_split(picture).svg())}</div>'
        f"<figcaption><b>{escape(picture.title)}</b>{escape(count_words(picture))}</figcaption></figure>"
    )


def _faces(found: Faces) -> str:
    """A line for each split, a column for each pair of factors."""
    pairs = [(picture.row_factor, picture.column_factor) for picture in next(iter(found.values()))]
    named = [[escape(name).replace("_", "_<wbr>") for name in pair] for pair in pairs]
    heads = "".join(f'<th scope="col">↓&nbsp;{rows}<br>→&nbsp;{columns}</th>' for rows, columns in named)
    lines = "\n".join(
        f'<tr><th scope="row">{escape(split)}</th>{"".join(map(_face, faces))}</tr>' for split, faces in found.items()
    )
    return (
        f'<table class="faces" style="--pairs:{len(pairs)}"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>\n{lines}\n</tbody></table>"
    )


def _face(picture: SplitPicture) -> str:
    return f'<td><div class="picture">{themed(face(picture).svg())}</div>{escape(face_words(picture))}</td>'


def units(pictures: Sequence[UnitPicture]) -> Part:
    """Activation grids of single units."""
    if not pictures:
        return "Activation grids: no activity of units was recorded."
    tiles = "\n".join(_unit_tile(picture) for picture in pictures)
    caption = (
        "Mean activity of single units in every cell of the grid, scaled to [0, 1]: the fuller the colour, the more a "
        "unit fires. A specialized unit fills one line of the grid evenly and leaves the rest empty."
    )
    axes = {(picture.row_factor, picture.column_factor) for picture in pictures}
    if len(axes) == 1 and all(named := next(iter(axes))):
        caption += f" Rows are {named[0]}, columns {named[1]}."
    body = (
        f'<figure id="figure-units"><div class="tiles">{tiles}</div><figcaption>{escape(caption)}</figcaption></figure>'
    )
    return Section("units", "The most specialized units", (Pictures(body, "units", unit_sheet(tuple(pictures))),))


def _unit_tile(picture: UnitPicture) -> str:
    kind = f"{picture.unit_type} unit {picture.unit}, {picture.layer}"
    return (
        f'<figure><div class="picture small">{themed(unit_grid(picture).svg())}</div>'
        f"<figcaption><b>{escape(picture.title)}</b>{escape(kind)}<br>"
        f"{escape(score_words(picture)).replace(', ', '<br>')}</figcaption></figure>"
    )


def published(contents: Contents, measure: str = "accuracy", target: str = "") -> Part:
    """Published numbers beside ours of a measure and a target (default: the one that is told of first)."""
    if contents.published is None or not contents.published.height:
        return "Published numbers: none are known for this study."
    source = f'<p class="small">Source: {escape(contents.published_source)}.</p>' if contents.published_source else ""
    made = tables.published(contents, measure, target)
    if contents.published.height > MOST_PUBLISHED:
        made = f"<details><summary>All {contents.published.height} published numbers</summary>{made}</details>"
    return Section("published", "Published numbers beside ours", (Html(source + made),))


def flags(contents: Contents) -> Section:
    return Section("flags", "Flags", (Html(tables.flags(contents)),))


def numbers(contents: Contents) -> Part:
    if not contents.summary.height:
        return "Numbers: no trial has finished, so there are none."
    many = contents.summary.height
    words = f"All {many:,} numbers behind the figures, each" if many > 1 else "The number behind the figures,"
    words = f"{words} with its interval and n"
    body = f"<details><summary>{words}</summary>{tables.summary(contents)}</details>"
    return Section("numbers", "Numbers", (Html(f"{body}\n<p>{tables.csv_link(contents.summary, 'summary.csv')}</p>"),))


def facts(contents: Contents) -> Part:
    if not contents.facts:
        return "World, network and machine: nothing was noted."
    return Section("facts", "How it was made", (Html(tables.facts(contents.facts)),))


def recipe(contents: Contents) -> Part:
    if not contents.recipe:
        return "Recipe: none was given."
    words = "The resolved recipe: every setting, also those left at their default"
    body = f"<details><summary>{words}</summary><pre>{escape(contents.recipe)}</pre></details>"
    return Section("recipe", "Recipe", (Html(body),))


def citation(contents: Contents) -> Part:
    if not contents.citation:
        return "Citation: none was given."
    return Section("citation", "Citation", (Html(f'<pre class="wrap">{escape(contents.citation)}</pre>'),))
