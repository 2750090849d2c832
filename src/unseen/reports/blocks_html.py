"""Blocks as HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape

from unseen.reports.blocks import Block, Chart, Html, Pictures, Section, Table, Text
from unseen.reports.figure import Figure, Key
from unseen.reports.palette import themed
from unseen.reports.tables import table

SHAPES = {  # of points, in the middle of a key's 26 × 12
    "circle": "M8.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "square": "M9 2H17V10H9z",
    "triangle-up": "M13 1L18 10.5H8z",
    "diamond": "M13 0.5L17.6 6L13 11.5L8.4 6z",
    "cross": "M11.4 1h3.2v3.4H18v3.2h-3.4V11h-3.2V7.6H8V4.4h3.4z",
    "triangle-down": "M13 11L8 1.5H18z",
    "triangle-left": "M8 6L17.5 1V11z",
}


def section_html(section: Section, drawn: Mapping[str, str]) -> str:
    """A section with its title; ``drawn`` are the stills of its charts."""
    body = "\n".join(block_html(block, drawn) for block in section.blocks)
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n'
        f'<h2 id="{section.name}-title">{escape(section.title)}</h2>\n{body}\n</section>'
    )


def block_html(block: Block, drawn: Mapping[str, str]) -> str:
    match block:
        case Text(words, small):
            return f"<p{' class=small' * small}>{escape(words)}</p>"
        case Table(heads, rows, right, wrap, fold):
            made = table(heads, rows, right=right, wrap=wrap)
            return f"<details><summary>{escape(fold)}</summary>{made}</details>" if fold else made
        case Chart(figure):
            return chart(figure, drawn[figure.name])
        case Pictures(body) | Html(body):
            return body


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
