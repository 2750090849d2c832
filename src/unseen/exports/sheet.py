"""A contact sheet: what a world shows, and what each of its factors does alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.exports.strips import Strip, spoken, strips
from unseen.vocabulary.world import World

if TYPE_CHECKING:
    from PIL import Image

SMALLEST, LARGEST = 96, 256  # pixels of a shown picture's shorter and longer edge
MARGIN, GAP, BETWEEN = 24, 8, 22
HEAD, CAPTION = 26, 20
MOST_CAPTIONS = 3  # levels below one picture
PAPER, INK, MUTED, FRAME, EMPTY = "#ffffff", "#1b1b1f", "#6b6b76", "#c2410c", "#efeff2"


def contact_sheet(world: World, *, levels: int = 8, seed: int = 0, device: str = "cpu") -> Image.Image:
    """A first strip of random rows, then one strip per factor with that factor varying alone, at most ``levels``
    pictures each. Small pictures are enlarged by a whole number, so that every pixel stays visible."""
    from PIL import Image, ImageDraw

    shown = strips(world.samples, levels, seed)
    tiles = _tiles(world, [row for strip in shown for row in strip.rows if row is not None], device)
    wide, high = _tile_size(world.size)
    columns = max(len(strip.rows) for strip in shown)
    width = max(2 * MARGIN + columns * (wide + GAP) - GAP, 480)
    each = HEAD + high + CAPTION + BETWEEN
    page = Image.new("RGB", (width, MARGIN + 58 + each * len(shown) + 8), PAPER)
    draw = ImageDraw.Draw(page)
    _title(draw, world, shown, width)
    for number, strip in enumerate(shown):
        top = MARGIN + 58 + number * each
        name = _fitting(draw, strip.title, _font(16), width - 2 * MARGIN - 160)
        draw.text((MARGIN, top), name, INK, _font(16))
        after = MARGIN + draw.textlength(name, _font(16)) + 10
        draw.text((after, top + 3), strip.note, MUTED, _font(12))
        for place, (row, caption) in enumerate(zip(strip.rows, strip.captions)):
            left, above = MARGIN + place * (wide + GAP), top + HEAD
            if row is None:
                draw.rectangle((left, above, left + wide - 1, above + high - 1), fill=EMPTY)
                draw.text((left + wide / 2, above + high / 2), "no image", MUTED, _font(12), anchor="mm")
            else:
                page.paste(tiles[row], (left, above))
            if place == strip.held:
                draw.rectangle((left - 3, above - 3, left + wide + 2, above + high + 2), outline=FRAME, width=2)
            words = _fitting(draw, caption, _font(12), wide)
            draw.text((left + wide / 2, above + high + 15), words, MUTED, _font(12), anchor="ms")
    return page


def row_sheet(world: World, rows: np.ndarray, *, columns: int = 8, device: str = "cpu") -> Image.Image:
    """The pictures of some rows in their order, each above its number and its levels; those of factors that have one
    level, or name single instances, are left out."""
    from PIL import Image, ImageDraw

    tiles = _tiles(world, rows.tolist(), device)
    wide, high = _tile_size(world.size)
    told = [f for f in world.samples.space.factors if len(f) > 1 and f.kind != "instance"][:MOST_CAPTIONS]
    levels = {factor.name: world.samples.levels(factor.name, rows) for factor in told}
    across, down = min(columns, len(rows)), -(-len(rows) // columns)
    each = high + 16 * (1 + len(told)) + GAP
    page = Image.new("RGB", (across * (wide + GAP) + GAP, down * each + GAP), PAPER)
    draw = ImageDraw.Draw(page)
    for place, row in enumerate(rows.tolist()):
        left, top = GAP + place % columns * (wide + GAP), GAP + place // columns * each
        page.paste(tiles[row], (left, top))
        lines = [*(spoken(factor, int(levels[factor.name][place])) for factor in told), f"row {row}"]
        for number, words in enumerate(lines):
            ink = INK if number < len(told) else MUTED
            words = _fitting(draw, words, _font(12), wide)
            draw.text((left + wide / 2, top + high + 14 + 16 * number), words, ink, _font(12), anchor="ms")
    return page


def _title(draw: Any, world: World, shown: tuple[Strip, ...], width: int) -> None:
    draw.text((MARGIN, MARGIN - 6), _fitting(draw, world.name, _font(22), width - 2 * MARGIN), INK, _font(22))
    height, across = world.size
    colour = {1: "grey", 3: "colour"}.get(world.channels, f"{world.channels} channels")
    facts = [f"{across} x {height} pixels", colour, f"{len(world.samples):,} images"]
    if world.dtype != "uint8":
        facts.append("numbers beyond 0-255 are shown as black or white")
    if any(strip.held is not None for strip in shown):
        facts.append("framed: the level that the other strips keep")
    words = _fitting(draw, "  |  ".join(facts), _font(12), width - 2 * MARGIN)
    draw.text((MARGIN, MARGIN + 24), words, MUTED, _font(12))


def _tile_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of a shown picture.

    >>> _tile_size((24, 24)), _tile_size((128, 128)), _tile_size((600, 600))
    ((96, 96), (128, 128), (200, 200))
    """
    height, width = size
    up, down = _factors(size)
    return -(-width * up // down), -(-height * up // down)


def _factors(size: tuple[int, int]) -> tuple[int, int]:
    up = -(-SMALLEST // min(size)) if min(size) < SMALLEST else 1
    return (up, 1) if up > 1 else (1, -(-max(size) // LARGEST))


def _tiles(world: World, shown: Iterable[int], device: str) -> dict[int, Image.Image]:
    """The pictures of all rows shown, at the size they are shown in."""
    from PIL import Image

    rows = np.unique(list(shown)).astype(np.int64)
    up, down = _factors(world.size)
    tiles = {}
    for start in range(0, len(rows), 64):
        here = rows[start : start + 64]
        for row, pixels in zip(here.tolist(), world.images(here, device).cpu().numpy()):
            picture = Image.fromarray(_eight_bits(pixels)).convert("RGB")
            if up > 1:
                picture = picture.resize((picture.width * up, picture.height * up), Image.Resampling.NEAREST)
            tiles[row] = picture.reduce(down) if down > 1 else picture
    return tiles


def _eight_bits(pixels: np.ndarray) -> np.ndarray:
    """``[h, w]`` or ``[h, w, 3]``; of two channels the first is shown, of more than three the first three."""
    shown = pixels if pixels.dtype == np.uint8 else np.rint(np.clip(np.nan_to_num(pixels), 0, 255)).astype(np.uint8)
    return shown[0] if len(shown) < 3 else np.ascontiguousarray(shown[:3].transpose(1, 2, 0))


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _fitting(draw: Any, text: str, font: Any, room: float) -> str:
    """The text in letters that Pillow's own font has, cut with dots where it is longer than its room."""
    text = _plain(text)
    if draw.textlength(text, font) <= room:
        return text
    while text and draw.textlength(text + "...", font) > room:
        text = text[:-1]
    return text + "..."


def _plain(text: str) -> str:
    """
    >>> _plain("coupé 3×4, 45°")
    'coupe 3x4, 45°'
    """
    text = text.translate({ord("×"): "x", ord("–"): "-", ord("−"): "-", ord("…"): "...", ord("·"): "|"})
    letters = (letter if letter == "°" else unicodedata.normalize("NFKD", letter) for letter in text)
    return "".join(part for letter in letters for part in letter if not unicodedata.combining(part))
