"""The sections of the page, in the order a colleague would want them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from unseen.kinds.domains.tables import domain_sections
from unseen.reports import answered, tables
from unseen.reports.accuracy_table import accuracy_table
from unseen.reports.contents import Contents, SplitPicture, UnitPicture
from unseen.reports.figures import Figure, Key
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
    unit_grid,
)
from unseen.version import __version__

BESIDE = 540  # pixels of a grid that has others beside it: what the page leaves at 1280
MOST_PUBLISHED = 60  # numbers shown at once; more are folded away
SHAPES = {  # of points, in the middle of a key's 26 × 12
    "circle": "M8.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "square": "M9 2H17V10H9z",
    "triangle-up": "M13 1L18 10.5H8z",
    "diamond": "M13 0.5L17.6 6L13 11.5L8.4 6z",
    "cross": "M11.4 1h3.2v3.4H18v3.2h-3.4V11h-3.2V7.6H8V4.4h3.4z",
    "triangle-down": "M13 11L8 1.5H18z",
    "triangle-left": "M8 6L17.5 1V11z",
}


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    body: str


def header(contents: Contents, legend: str = "") -> str:
    shows = f'<p class="small">{escape(contents.shows)}</p>' if contents.shows else ""
    run, command = contents.made.get("run", ""), contents.made.get("command", "")
    how = f"Run {escape(run)}" if run else ""
    how += f"{' by' if how else 'Run by'} <code>{escape(command)}</code>" if command else ""
    return (
        f"<header>\n<h1>{escape(contents.title)}</h1>\n"
        f'<p class="question">{escape(contents.question)}</p>\n'
        f'<p class="answer">{escape(contents.answer)}</p>\n{shows}'
        f"{f'<p class=small>{how}.</p>' if how else ''}{legend}\n</header>"
    )


def written(contents: Contents) -> str:
    """Who made the page, and when."""
    when = contents.made.get("written", "")
    return f"Written by unseen {__version__}{f' on {escape(when)}' if when else ''}."


def sections(contents: Contents, made: dict[str, Figure | str], drawn: dict[str, str]) -> list[Section]:
    """All sections that have something to show, then one that says what was left out and why."""
    found: list[Section | str] = [_findings(contents), *_trends(contents), *domain_sections(contents.domains)]
    found += [_splits(contents)]
    for name, figure in made.items():
        if name == "losses":  # training comes after what it led to
            own = (
                contents.regression is not None
                or contents.exposure is not None
                or contents.matrices
                or contents.domains
            )
            found += [] if own else [_units(contents)]
            found += [_published(contents)]
        below = accuracy_table(contents) if name == "accuracy" else ""
        drawing = figure if isinstance(figure, str) else Section(name, figure.title, chart(figure, drawn[name]) + below)
        found.append(drawing)
        if name == next(iter(made)):  # what lies behind the first figure follows it
            found += [part if isinstance(part, str) else Section(*part) for part in answered.parts(contents)]
    found += [Section("flags", "Flags", tables.flags(contents))]
    found += [_numbers(contents), _facts(contents), _recipe(contents), _citation(contents)]
    whole = [part for part in found if isinstance(part, Section)]
    reasons = [part for part in found if isinstance(part, str)]
    if reasons:
        items = "\n".join(f"<li>{escape(reason)}</li>" for reason in reasons)
        place = 1 + next(index for index, part in enumerate(whole) if part.name == "flags")
        whole.insert(place, Section("left-out", "Left out", f'<ul class="left-out">\n{items}\n</ul>'))
    return whole


def chart(figure: Figure, still: str) -> str:
    """Panels drawn by the browser; without JavaScript, the same figure as a still picture."""
    large = any(panel.large for panel in figure.panels)
    layout = (
        "lead" if large and len(figure.panels) > 1 else "many" if len(figure.panels) > 3 and not figure.wide else ""
    )
    place = f"--rest:{max(1, len(figure.panels) - 1)}"
    if figure.columns:
        layout, place = f"{layout} lines", f"{place};--columns:{figure.columns}"
    parts = []
    for panel in figure.panels:
        # "<" cannot end the script early, nor an odd title break the page.
        words = json.dumps(figure.specification(panel), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        words = themed(words).replace("<", "\\u003c")
        parts.append(
            f'<div class="panel{" large" if panel.large else ""}">'
            f'<p class="panel-title">{escape(panel.title)}</p>'
            f'<div class="chart" role="figure" aria-label="{escape(f"{figure.title}: {panel.title}")}"></div>'
            f'<script type="application/json" class="specification">{words}</script></div>'
        )
    return (
        f'<figure id="figure-{figure.name}">{key(figure.keys)}\n'
        f'<div class="panels {layout}" style="{place}">\n{"".join(parts)}\n</div>\n'
        f'<noscript class="fallback"><div class="fallback">{themed(_quiet(still, figure.caption))}</div></noscript>\n'
        f"<figcaption>{escape(figure.caption)}</figcaption></figure>"
    )


def _quiet(svg: str, words: str) -> str:
    """The picture with one description instead of one for each mark, which would be most of its size."""
    bare = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
    return bare.replace("<svg", f'<svg role="img" aria-label="{escape(words)}"', 1)


def key(entries: Sequence[Key]) -> str:
    made = []
    for entry in entries:
        if entry.tick:
            mark = '<path d="M13 0V12" stroke="currentColor" stroke-width="2.4"/>'
        elif entry.shape:
            colour = themed(entry.colour) if entry.colour else "currentColor"
            mark = f'<path d="{SHAPES[entry.shape]}" fill="{colour}"/>'
        elif entry.hollow:
            mark = '<circle cx="13" cy="6" r="5" fill="none" stroke="currentColor" stroke-width="1.6"/>'
        else:
            colour = themed(entry.colour) if entry.colour else "currentColor"
            pattern = f' stroke-dasharray="{" ".join(map(str, entry.dash))}"' if entry.dash not in ((), (1, 0)) else ""
            thick = 4 if entry.colour else 2
            mark = f'<path d="M0 6H26" stroke="{colour}" stroke-width="{thick}"{pattern}/>'
        drawing = f'<svg width="26" height="12" viewBox="0 0 26 12" aria-hidden="true">{mark}</svg>'
        made.append(f"<li>{drawing}{escape(entry.label)}</li>")
    return f'<ul class="key" aria-label="Key">{"".join(made)}</ul>'


def _findings(contents: Contents) -> Section | str:
    if not contents.findings:
        return "Findings: nothing was tested, because too few trials have finished or the recipe asks for no test."
    rules = "".join(f"<dt>{escape(word)}</dt><dd>{escape(meaning)}</dd>" for word, meaning in MARKS.items())
    head = "How findings are judged"
    marks = f'<details class="legend" id="verdict-rules" open><summary>{head}</summary><dl>{rules}</dl></details>'
    return Section("findings", "Findings", tables.findings(contents.findings) + marks)


def _trends(contents: Contents) -> list[Section]:
    if contents.exposure is None:
        return []
    found = [Section("trends", "By transformation", tables.trends(contents))] if contents.exposure.trends else []
    if contents.exposure.by_layer:
        found.append(Section("activity", "By layer", tables.layer_thresholds(contents.exposure)))
    return found


def _splits(contents: Contents) -> Section | str:
    if not contents.splits:
        why = "the study has no grid of two factors to draw"
        return f"Splits: {f'{contents.absent}, so they are not drawn' if contents.absent else why}."
    first = contents.splits[0]
    lead = large_split(first)
    # Words stay readable: a grid wider than the screen scrolls in its own box. A narrow one is not blown up.
    least = f' style="--least:{lead.width:.0f}px;--most:{lead.width * 1.7:.0f}px"'
    below = "the number of training images" if first.part is None else "the number of visits per epoch"
    below = below if first.labels is None else "the part of the visits, where not the whole,"
    title = first.title[:1].upper() + first.title[1:]
    caption = (
        f"{title}: {count_words(first)}.{cut_words(first)} Blue frames are seen in training, with {below} "
        f"below; orange dashed frames are asked at test, and never seen (OOD); faded cells neither. {first.note}"
    )
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
        words = "Every condition: filled cells are seen, ringed cells are asked."
        if contents.matrices or contents.exposure is not None:
            words = words.replace("Every condition", "One condition of each kind")
        # Beside the large grid where both are about as tall and it is not cut off there, else below it.
        tall = 3 * math.ceil(len(contents.splits) / 2) <= len(first.row_levels) + 1
        place = "beside" if tall and lead.width <= BESIDE else "below"
        tiles = f'<div><div class="tiles">{tiles}</div><p class="small">{words}{POINT}</p></div>'
        body = f'<div class="{place}">{body}\n{tiles}</div>'
    return Section("splits", "What was seen and what was asked", body)


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


def _units(contents: Contents) -> Section | str:
    if not contents.units:
        return "Activation grids: no activity of units was recorded."
    tiles = "\n".join(_unit_tile(picture) for picture in contents.units)
    caption = (
        "Mean activity of single units in every cell of the grid, scaled to [0, 1]: the fuller the colour, the more a "
        "unit fires. A specialized unit fills one line of the grid evenly and leaves the rest empty."
    )
    axes = {(picture.row_factor, picture.column_factor) for picture in contents.units}
    if len(axes) == 1 and all(named := next(iter(axes))):
        caption += f" Rows are {named[0]}, columns {named[1]}."
    body = (
        f'<figure id="figure-units"><div class="tiles">{tiles}</div><figcaption>{escape(caption)}</figcaption></figure>'
    )
    return Section("units", "The most specialized units", body)


def _unit_tile(picture: UnitPicture) -> str:
    kind = f"{picture.unit_type} unit {picture.unit}, {picture.layer}"
    return (
        f'<figure><div class="picture small">{themed(unit_grid(picture).svg())}</div>'
        f"<figcaption><b>{escape(picture.title)}</b>{escape(kind)}<br>"
        f"{escape(score_words(picture)).replace(', ', '<br>')}</figcaption></figure>"
    )


def _published(contents: Contents) -> Section | str:
    if contents.published is None or not contents.published.height:
        return "Published numbers: none are known for this study."
    source = f'<p class="small">Source: {escape(contents.published_source)}.</p>' if contents.published_source else ""
    made = tables.published(contents)
    if contents.published.height > MOST_PUBLISHED:
        made = f"<details><summary>All {contents.published.height} published numbers</summary>{made}</details>"
    return Section("published", "Published numbers beside ours", source + made)


def _numbers(contents: Contents) -> Section | str:
    if not contents.summary.height:
        return "Numbers: no trial has finished, so there are none."
    words = f"All {contents.summary.height:,} numbers behind the figures, each with its interval and n"
    body = f"<details><summary>{words}</summary>{tables.summary(contents)}</details>"
    return Section("numbers", "Numbers", f"{body}\n<p>{tables.csv_link(contents.summary, 'summary.csv')}</p>")


def _facts(contents: Contents) -> Section | str:
    if not contents.facts:
        return "World, network and machine: nothing was noted."
    return Section("facts", "How it was made", tables.facts(contents.facts))


def _recipe(contents: Contents) -> Section | str:
    if not contents.recipe:
        return "Recipe: none was given."
    words = "The resolved recipe: every setting, also those left at their default"
    body = f"<details><summary>{words}</summary><pre>{escape(contents.recipe)}</pre></details>"
    return Section("recipe", "Recipe", body)


def _citation(contents: Contents) -> Section | str:
    if not contents.citation:
        return "Citation: none was given."
    return Section("citation", "Citation", f'<pre class="wrap">{escape(contents.citation)}</pre>')
