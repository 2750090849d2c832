"""Pictures on the page of weaknesses: wrong answers by what was changed, hard objects, levels in a row."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from unseen.kinds.weaknesses.shown import Failure, HardObject, Strip
from unseen.reports.drawing import data_uri
from unseen.vocabulary.varied_sets import CANONICAL
from unseen.vocabulary.words import capital

SIDE, SMALL = 112, 84  # pixels of the longer side
MOST_BYTES = 900_000  # of all pictures of one section
WORDS = (
    "Wrong answers: of objects whose canonical image was known first, then the surest, no two of one class in a group. "
    "Truth → answer; the confidence is the model's own; the small picture is the same object's canonical image."
)


class PictureBudget:
    """Bytes that are left for pictures."""

    def __init__(self) -> None:
        self.left, self.gone = MOST_BYTES, 0

    def uri(self, picture: np.ndarray | None, side: int) -> str:
        made = data_uri(picture, side=side) if picture is not None else ""
        if len(made) > self.left:
            self.gone += 1
            return ""
        self.left -= len(made)
        return made


def gallery(failures: Sequence[Failure], pictureless: str) -> str:
    """Groups in their order, each a row of tiles."""
    room, made = PictureBudget(), []
    for group in dict.fromkeys(one.group for one in failures):
        tiles = "".join(_tile(one, room) for one in failures if one.group == group)
        title = "Canonical images" if group == CANONICAL else capital(f"{group} alone" if " " not in group else group)
        made.append(f'<h3>{escape(title)}</h3><ul class="gallery">{tiles}</ul>')
    words = WORDS + (f" Without pictures: {pictureless}." if pictureless else "")
    words += f" {room.gone} pictures were left out, to keep this page small." if room.gone else ""
    return f'{"".join(made)}\n<p class="small">{escape(words)}</p>'


def at_two_places(confidence: float) -> str:
    """A confidence that is not zero is not told as zero.

    >>> at_two_places(0.004), at_two_places(0.5)
    ('below 0.01', '0.50')
    """
    return "below 0.01" if 0 < confidence < 0.005 else f"{confidence:.2f}"


def _tile(one: Failure, room: PictureBudget) -> str:
    said = f"{one.truth}, taken for {one.response}"
    picture = _picture(room.uri(one.picture, SIDE), said)
    beside = ""
    if one.canonical_right is not None:
        mark = "✓ known" if one.canonical_right else "✗ not known"
        uri = room.uri(one.canonical, 44)
        style = "width:44px;height:44px;flex:none"
        small = f'<img src="{uri}" alt="its canonical image" loading="lazy" style="{style}">' if uri else ""
        beside = (
            f'<span style="display:flex;gap:7px;align-items:center;margin-top:5px">{small}<span>canonical<br>{mark}'
            f"</span></span>"
        )
    sure = "no confidence given" if one.confidence is None else f"confidence {at_two_places(one.confidence)}"
    name = escape(one.name).replace("/", "/<wbr>")
    return (
        f"<li><figure>{picture}<figcaption><b>{escape(one.truth)} → {escape(one.response)}</b>{escape(sure)}"
        f"<br>{escape(one.where)}<br><code>{name}</code>{beside}</figcaption></figure></li>"
    )


def _picture(uri: str, words: str) -> str:
    if uri:
        return f'<img src="{uri}" alt="{escape(words)}" loading="lazy">'
    return '<div class="no-picture" aria-hidden="true">no picture</div>'


def objects(hard: Sequence[HardObject]) -> str:
    """Objects that are known in fewest of their images."""
    room = PictureBudget()
    tiles = "".join(
        f"<li><figure>{_picture(room.uri(one.picture, SIDE), f'{one.truth}, canonical')}<figcaption>"
        f"<b>{escape(one.truth)}</b>known in {one.right} of {one.images} images<br><code>{escape(one.name)}</code>"
        f"</figcaption></figure></li>"
        for one in hard
    )
    return f'<ul class="gallery">{tiles}</ul><p class="small">Each object is shown by its canonical image.</p>'


def strips(found: Sequence[Strip]) -> str:
    """A row of pictures for each factor, the canonical one framed."""
    room, made = PictureBudget(), []
    for one in found:
        cells = []
        for place, (level, picture) in enumerate(zip(one.levels, one.pictures)):
            uri = room.uri(picture, SMALL)
            frame = "outline:2px solid var(--seen);outline-offset:2px;" if place == one.canonical else ""
            style = f"width:100%;height:auto;display:block;border-radius:3px;{frame}"
            shown = (
                f'<img src="{uri}" alt="{escape(f"{one.truth}, {one.factor} {level}")}" loading="lazy" style="{style}">'
            )
            cells.append(
                f'<div style="min-width:0">{shown}<div class="small" style="font-size:11px;margin-top:4px;'
                f'overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{escape(_short(level))}</div></div>'
            )
        grid = f"display:grid;grid-template-columns:repeat(auto-fill,minmax(60px,{SMALL}px));gap:8px;margin:4px 0 16px"
        made.append(f'<h3>{escape(one.factor)}</h3><div style="{grid}">{"".join(cells)}</div>')
    truth = found[0].truth if found else ""
    words = f"One object ({truth}) with each factor changed alone; its canonical image is framed."
    return f'{"".join(made)}<p class="small">{escape(words)}</p>'


def _short(level: str) -> str:
    try:
        return f"{float(level):.3g}".replace("-", "−")
    except ValueError:
        return level
