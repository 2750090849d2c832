"""A little HTML for notebooks: cards and tables that follow a light or dark page, with no script and no style sheet."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

MUTED = "opacity:.7;font-size:.92em"
CELL = "text-align:left;padding:.15em 1em .15em 0;vertical-align:top;white-space:normal"


def card(title: str, *parts: str) -> str:
    """A title and what stands below it, within a readable width."""
    body = "".join(part for part in parts if part)
    return f'<div style="max-width:60em"><div style="font-weight:600">{escape(title)}</div>{body}</div>'


def line(words: str, *, muted: bool = False) -> str:
    """A line of words; none where there are no words."""
    style = f"margin:.25em 0;{MUTED}" if muted else "margin:.25em 0"
    return f'<div style="{style}">{escape(words)}</div>' if words else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table; without a head where no column has one."""
    top = "".join(f'<th style="{CELL}">{escape(head)}</th>' for head in heads)
    top = f"<thead><tr>{top}</tr></thead>" if any(heads) else ""
    body = "".join(
        f'<tr style="background:none">{"".join(f"""<td style="{CELL}">{escape(str(one))}</td>""" for one in row)}</tr>'
        for row in rows
    )
    return f'<table style="border-collapse:collapse;margin:.4em 0">{top}<tbody>{body}</tbody></table>'


def drawing(svg: str) -> str:
    """An SVG as a picture: no wider than its place, its names kept apart from those of the page. Behind it is paper,
    since its ink is dark."""
    source = base64.b64encode(svg.encode()).decode()
    return f'<img style="max-width:100%;margin:.4em 0" src="data:image/svg+xml;base64,{source}">'


def picture(png: bytes, words: str, *, width: float | None = None) -> str:
    """A PNG as a picture, pixel by pixel or shown this wide."""
    source = base64.b64encode(png).decode()
    style = "max-width:100%;margin:.4em 0;" + ("image-rendering:pixelated" if width is None else f"width:{width:g}px")
    return f'<img style="{style}" alt="{escape(words)}" src="data:image/png;base64,{source}">'
