"""A little SVG: a drawing knows its size, so that drawings can be set beside each other."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import takewhile

import numpy as np

from unseen.reports.palette import role

FONT = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif"


@dataclass(frozen=True)
class Drawing:
    width: float | int
    height: float | int
    body: str
    label: str

    def svg(self, *, background: str = "") -> str:
        """The drawing as a document, as wide as its place allows."""
        paper = f'<rect width="100%" height="100%" fill="{background}"/>' if background else ""
        size = f'width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(self.label)}" '
            f'font-family="{FONT}">{paper}{self.body}</svg>'
        )


def text(
    x: float | int,
    y: float | int,
    words: str,
    *,
    size: float | int = 11,
    colour: str = "",
    anchor: str = "start",
    bold: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    style = f'font-size="{size:g}" fill="{colour or role("ink")}"{place}{weight}'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(words)}</text>'


def cut(words: str, most: int) -> str:
    """
    >>> cut("helicopter", 6), cut("car", 6)
    ('helic…', 'car')
    """
    return words if len(words) <= most else f"{words[: max(1, most - 1)]}…"


def fitting(names: Sequence[str], most: int) -> list[str]:
    """Names of at most ``most`` letters: what all have in common goes first, then the ends.

    >>> fitting(["azimuth 0°", "azimuth 40°"], 6), fitting(["car", "helicopter"], 6)
    (['0°', '40°'], ['car', 'helic…'])
    >>> fitting(["top left", "top right", "bottom left", "bottom right"], 2), fitting(["plane", "place"], 2)
    (['tl', 'tr', 'bl', 'br'], ['0', '1'])
    """
    shared = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*names)))
    shared = shared[: 1 + max((shared.rfind(mark) for mark in " _-=/"), default=-1)]
    if max(map(len, names), default=0) > most and all(len(name) > len(shared) for name in names):
        names = [name[len(shared) :] for name in names]
    short = [cut(name, most) for name in names]
    if len(set(short)) == len(set(names)):
        return short
    initials = ["".join(word[0] for word in name.split()) for name in names]
    fit = max(map(len, initials)) <= most and len(set(initials)) == len(initials)
    return initials if fit else [str(index) for index in range(len(names))] if most < 4 else short


def data_uri(pixels: np.ndarray, *, side: int) -> str:
    """A small picture inside the page: PNG where pixels are few or grey, JPEG for photographs.

    Small pictures grow by whole factors and without smoothing, so that a digit of 8 pixels stays one.
    """
    from PIL import Image

    height, width = pixels.shape[:2]
    image = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    if max(height, width) > side:
        share = side / max(height, width)
        image = image.resize((max(1, round(width * share)), max(1, round(height * share))), Image.Resampling.LANCZOS)
    elif (factor := side // max(height, width)) > 1:
        image = image.resize((width * factor, height * factor), Image.Resampling.NEAREST)
    photograph = image.mode == "RGB" and max(height, width) > 40
    file = io.BytesIO()
    image.save(file, format="JPEG", quality=88) if photograph else image.save(file, format="PNG", optimize=True)
    kind = "jpeg" if photograph else "png"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


def sheet(
    drawings: Sequence[Drawing], titles: Sequence[str], *, columns: int, label: str, gap: float | int = 26
) -> Drawing:
    """Drawings in rows and columns, each with lines of words above it."""
    head = 15 * max(title.count("\n") + 1 for title in titles) + 4
    width = max(drawing.width for drawing in drawings) + gap
    parts, bottom = [], 0.0
    for start in range(0, len(drawings), columns):
        row = list(zip(drawings, titles))[start : start + columns]
        for column, (drawing, title) in enumerate(row):
            lines = [
                text(0, 11 + 15 * index, line, colour="" if index == 0 else role("muted"), bold=index == 0)
                for index, line in enumerate(title.split("\n"))
            ]
            moved = f'<g transform="translate(0 {head})">{drawing.body}</g>'
            parts.append(f'<g transform="translate({column * width:g} {bottom:g})">{"".join(lines)}{moved}</g>')
        bottom += head + max(drawing.height for drawing, _ in row) + gap
    across = min(columns, len(drawings))
    return Drawing(across * width - gap, math.ceil(bottom - gap), "".join(parts), label)


def stack(drawings: Sequence[Drawing], *, label: str, gap: float | int = 30) -> Drawing:
    """Drawings below each other."""
    parts, bottom = [], 0.0
    for drawing in drawings:
        parts.append(f'<g transform="translate(0 {bottom:g})">{drawing.body}</g>')
        bottom += drawing.height + gap
    return Drawing(max(drawing.width for drawing in drawings), bottom - gap, "".join(parts), label)


def shrunk(drawing: Drawing, width: float | int, height: float | int) -> Drawing:
    """The drawing, made smaller where it would not fit.

    >>> shrunk(Drawing(200, 50, "", ""), 100, 100).height, shrunk(Drawing(20, 50, "", ""), 100, 100).height
    (25.0, 50.0)
    """
    share = min(1.0, width / drawing.width, height / drawing.height)
    body = drawing.body if share == 1 else f'<g transform="scale({share:.4f})">{drawing.body}</g>'
    return Drawing(share * drawing.width, share * drawing.height, body, drawing.label)


def framed(drawing: Drawing, margin: float | int = 20) -> Drawing:
    """The drawing with room around it, for a file."""
    body = f'<g transform="translate({margin:g} {margin:g})">{drawing.body}</g>'
    return Drawing(drawing.width + 2 * margin, drawing.height + 2 * margin, body, drawing.label)
