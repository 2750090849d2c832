"""Shares as a grid of colours: the fuller, the larger; with the number in each cell where there is room."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from unseen.reports.drawing import Drawing, fitting, text
from unseen.reports.legend import HINT
from unseen.reports.palette import role, themed
from unseen.reports.words import whole_percent

ROOMY = 12  # columns that leave room for numbers
NUMBERED = 0.5  # of the full colour, so that numbers on it can be read (contrast 4.5 and more, in the dark too)
STEPS = 12  # shades of a crowded grid, each drawn as one path: forty classes are 1,600 cells


def heat_grid(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    axes: tuple[str, str],
    words: Callable[[int, int], str],
    frame: Callable[[int, int], str] = lambda row, column: "",
    label: str,
) -> Drawing:
    """``values`` in [0, 1] ``[rows, columns]``, NaN where there is none. ``words`` say a cell to who points at it,
    ``frame`` gives a cell's outline: "seen", "asked" or none. ``axes``: what rows and columns are."""
    roomy = len(columns) <= ROOMY
    wide, high = (34, 22) if roomy else (12, 12)
    names, heads = fitting(rows, 24), fitting(columns, 16)
    left = 10 + 5.8 * max(map(len, names), default=0)
    slanted = max(map(len, heads), default=0) * 5.8 > wide - 2
    top = 22 + (8 + 3.4 * max(map(len, heads), default=0) if slanted else 12)
    parts = [text(0, 10, f"{axes[0]} ↓   {axes[1]} →", size=10, colour=role("muted"))]
    for column, name in enumerate(heads):
        x = left + (column + 0.5) * wide
        turn = f'transform="translate({x - 2:g} {top - 4:g}) rotate(-38)"'
        told = text(0, 0, name, size=10) if slanted else text(x, top - 5, name, size=10, anchor="middle")
        parts.append(f"<g {turn}>{told}</g>" if slanted else told)
    for row, name in enumerate(names):
        parts.append(text(left - 6, top + (row + 0.5) * high + 3.5, name, size=10, anchor="end"))
    place = left, top, wide, high
    parts += _roomy(values, place, words, frame) if roomy else _crowded(values, place, frame)
    beyond = max(6, 4.3 * len(heads[-1]) - wide / 2) if slanted and heads else 6
    return Drawing(left + len(columns) * wide + beyond, top + len(rows) * high + 3, "".join(parts), label)


def _roomy(
    values: np.ndarray, place: tuple[float, float, float, float], words: Callable[[int, int], str],
    frame: Callable[[int, int], str],
) -> list[str]:  # fmt: skip
    """A box and a number for each cell; what cells share stands once, or a page of such grids would be megabytes."""
    left, top, wide, high = place
    boxes, blank, numbers = [], [], []
    outlines: dict[str, list[str]] = {}
    for (row, column), value in np.ndenumerate(values):
        x, y = left + column * wide, top + row * high
        box = f"M{x + 1:g} {y + 1:g}h{wide - 2:g}v{high - 2:g}h{2 - wide:g}z"
        told = f"<title>{escape(words(row, column))}</title>"
        if not math.isfinite(value):
            blank.append(f'<path d="{box}">{told}</path>')
        else:
            boxes.append(f'<path d="{box}" fill-opacity="{NUMBERED * shade(value):.2f}">{told}</path>')
            numbers.append(f'<text x="{x + wide / 2:g}" y="{y + high / 2 + 3.5:g}">{whole_percent(value)}</text>')
        if kind := frame(row, column):
            outlines.setdefault(kind, []).append(box)
    made = [f'<g fill="{role("heat")}">{"".join(boxes)}</g>', f'<g fill="{role("grid")}" fill-opacity="0.4">']
    made[1] += f"{''.join(blank)}</g>"
    for kind, found in outlines.items():
        dash = ' stroke-dasharray="3 2"' if kind == "asked" else ""
        made.append(f'<path d="{"".join(found)}" fill="none" stroke="{role(kind)}" stroke-width="1.8"{dash}/>')
    style = f'font-size="10" text-anchor="middle" fill="{role("ink")}" pointer-events="none"'
    return [*made, f"<g {style}>{''.join(numbers)}</g>"]


def _crowded(
    values: np.ndarray, place: tuple[float, float, float, float], frame: Callable[[int, int], str]
) -> list[str]:
    """One path for each shade and each kind of outline."""
    left, top, wide, high = place
    paths: dict[tuple[str, float], list[str]] = {}
    for (row, column), value in np.ndenumerate(values):
        x, y = left + column * wide, top + row * high
        if math.isfinite(value):
            full = round(STEPS * float(value)) / STEPS
            key = (role("heat"), shade(full)) if value > 0 else (role("grid"), 0.5)
            paths.setdefault(key, []).append(f"M{x + 0.5:g} {y + 0.5:g}h{wide - 1:g}v{high - 1:g}h{1 - wide:g}z")
        if kind := frame(row, column):
            outline = f"M{x + 1:g} {y + 1:g}h{wide - 2:g}v{high - 2:g}h{2 - wide:g}z"
            paths.setdefault((kind, 0), []).append(outline)
    made = []
    for (colour, strength), found in paths.items():
        fill = f'fill="{colour}" fill-opacity="{strength:.2f}"'
        if not strength:
            dash = ' stroke-dasharray="2 1.5"' if colour == "asked" else ""
            fill = f'fill="none" stroke="{role(colour)}" stroke-width="1.3"{dash}'
        made.append(f'<path d="{"".join(found)}" {fill}/>')
    return made


def shade(value: float) -> float:
    """How full a colour is: a trace at zero, lest a cell of wrong answers look like one that was not asked."""
    return 0.06 + 0.9 * min(max(value, 0.0), 1.0)


def heat_tile(drawn: Drawing, title: str, *lines: str) -> str:
    """A grid on the page: wide ones scroll, and the words stand below it."""
    return (
        f'<figure><div class="picture scrolls" tabindex="0" style="--least:{drawn.width:.0f}px">'
        f"{themed(drawn.svg())}</div>{HINT}<figcaption><b>{escape(title)}</b>{'<br>'.join(map(escape, lines))}"
        f"</figcaption></figure>"
    )
