"""Maps and pictures as colours: a map over its image, sheets of many, PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import put_whole

WHITE = 255
# Evidence for, from nothing: white, amber, red, near black; a diverging scale has blue against (ours, read in grey too)
FOR = np.array([[255, 255, 255], [253, 206, 120], [230, 97, 51], [128, 8, 30]], np.float64)
AGAINST = np.array([[255, 255, 255], [150, 196, 226], [48, 122, 186], [8, 40, 100]], np.float64)


def pictures_of(images: np.ndarray) -> np.ndarray:
    """Pictures ``[n, c, h, w]`` (uint8, floats from 0 to 1, or on the 0–255 scale) as colours ``[n, h, w, 3]``; floats
    beyond either are stretched, each image from its least to its largest value."""
    found = np.asarray(images)
    if found.dtype != np.uint8:
        found = found.astype(np.float64)
        low, high = found.min((1, 2, 3), keepdims=True), found.max((1, 2, 3), keepdims=True)
        unit, wide = (low >= 0) & (high <= 1), (low >= 0) & (high <= 255)
        stretched = (found - low) / np.where(high > low, high - low, 1) * 255
        found = np.where(unit, found * 255, np.where(wide, found, stretched))
        found = found.round().clip(0, 255).astype(np.uint8)
    if found.ndim != 4 or found.shape[1] not in (1, 3):
        raise UnseenError(f"pictures have one channel or three, [n, c, h, w]; given {list(found.shape)}.")
    return np.repeat(found, 3, 1).transpose(0, 2, 3, 1) if found.shape[1] == 1 else found.transpose(0, 2, 3, 1)


def colours_of(maps: np.ndarray, *, cut: float = 99.0) -> np.ndarray:
    """Maps ``[n, h, w]`` as colours ``[n, h, w, 3]``: white is nothing, red for, blue against, full colour at the
    ``cut`` percentile of a map's absolute values (single pixels would leave the rest white); grey is no number."""
    found = np.empty((*maps.shape, 3), np.uint8)
    for number, one in enumerate(maps):
        finite, share = np.isfinite(one), shares_of(one, cut)
        paint = np.where((share >= 0)[..., None], _along(FOR, share), _along(AGAINST, -share))
        paint[~finite] = 128
        found[number] = paint.round().astype(np.uint8)
    return found


def shares_of(one: np.ndarray, cut: float) -> np.ndarray:
    """A map ``[h, w]`` from −1 to 1. One that is above zero everywhere (RISE) starts from its least value."""
    values = np.where(np.isfinite(one), one, 0).astype(np.float64)
    values = values - max(values.min(), 0.0)
    top = np.percentile(abs(values), cut) or abs(values).max() or 1.0
    return np.clip(values / top, -1, 1)


def _along(scale: np.ndarray, share: np.ndarray) -> np.ndarray:
    places = np.linspace(0, 1, len(scale))
    return np.stack([np.interp(share.clip(0, 1), places, scale[:, channel]) for channel in range(3)], -1)


def over(images: np.ndarray, maps: np.ndarray, *, strength: float = 0.75, cut: float = 99.0) -> np.ndarray:
    """Maps over their images in light grey, ``[n, h, w, 3]``: the more evidence, the less of the image."""
    grey = pictures_of(images).mean(-1, keepdims=True) * 0.55 + 255 * 0.4
    paint = colours_of(maps, cut=cut).astype(np.float64)
    share = np.stack([abs(shares_of(one, cut)) for one in maps])[..., None] * strength
    return (grey * (1 - share) + paint * share).round().clip(0, 255).astype(np.uint8)


def sheet(pictures: Sequence[np.ndarray] | np.ndarray, columns: int, *, gap: int = 2, enlarge: int = 1) -> np.ndarray:
    """Pictures ``[h, w, 3]`` in rows of so many columns, on white, ``[H, W, 3]``. Smaller ones stand in the middle of
    their places."""
    if not len(pictures) or columns < 1:
        raise UnseenError("a sheet has pictures and at least one column.")
    grown = [np.kron(one, np.ones((enlarge, enlarge, 1), np.uint8)) if enlarge > 1 else one for one in pictures]
    height, width = max(one.shape[0] for one in grown), max(one.shape[1] for one in grown)
    rows = -(-len(grown) // columns)
    canvas = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), WHITE, np.uint8)
    for number, one in enumerate(grown):
        top = number // columns * (height + gap) + (height - one.shape[0]) // 2
        left = number % columns * (width + gap) + (width - one.shape[1]) // 2
        canvas[top : top + one.shape[0], left : left + one.shape[1]] = one
    return canvas


def png(picture: np.ndarray) -> bytes:
    """A picture ``[h, w, 3]`` as a PNG file's bytes."""
    from io import BytesIO

    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def write_png(path: str | Path, picture: np.ndarray) -> Path:
    """A picture as a file, whole or not at all."""
    file = Path(path)
    put_whole(file, png(picture), sync=False)
    return file
