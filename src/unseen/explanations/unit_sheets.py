"""Sheets of all units of a layer: a picture that excites each, or the patches of a world that do; a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.explanations.anatomy import Anatomy, still
from unseen.explanations.drawing import pictures_of, sheet, write_png
from unseen.explanations.exciting import count_units, cut_patches, find_peaks
from unseen.explanations.maximised import excite_layer
from unseen.vocabulary.errors import UnseenError

LINE = 12  # pixels above a picture for the number of its unit


def unit_sheets(
    model: Any,
    layer: str,
    folder: str | Path,
    units: Sequence[int] | None = None,
    *,
    columns: int = 8,
    most: int = 64,
    enlarge: int = 1,
    **settings: Any,
) -> list[Path]:
    """Pages of pictures that excite the units of a layer, one for each (or for some), as ``LAYER-001.png``, …: ``most``
    on a page, its number above each. ``settings`` are those of :func:`~unseen.explanations.maximise`, ``size`` among
    them. A page is drawn and written before the next begins, so memory does not grow with the layer."""
    size, anatomy = settings["size"], Anatomy(model)
    blank = torch.zeros(1, settings.get("channels", 3), *size, device=anatomy.device, dtype=anatomy.dtype)
    with still(anatomy), torch.no_grad():
        named = list(count_units(anatomy, blank, layer, units))

    def drawn(some: Sequence[int]) -> list[np.ndarray]:
        return list(pictures_of(excite_layer(model, layer, some, **settings).pictures))

    return _written(folder, layer, named, drawn, columns, most, enlarge)


def patch_sheets(
    model: Any,
    layer: str,
    folder: str | Path,
    fetch: Callable[[np.ndarray, str], Tensor],
    rows: np.ndarray,
    units: Sequence[int] | None = None,
    *,
    top: int = 9,
    size: int = 64,
    columns: int = 8,
    most: int = 64,
    enlarge: int = 1,
) -> list[Path]:
    """The same with the patches that excite each unit most, its ``top`` ones in a square (Zeiler & Fergus 2014). All
    units together need one pass over the rows; patches are cut a page at a time."""
    anatomy = Anatomy(model)
    peaks = find_peaks(anatomy, fetch, rows, layer, units, top=top, size=size)
    side = int(np.ceil(np.sqrt(top)))

    def drawn(some: Sequence[int]) -> list[np.ndarray]:
        made = []
        for unit in some:
            patches = cut_patches(anatomy, fetch, rows, layer, peaks, peaks.units.index(unit))
            made.append(sheet([pictures_of(one.picture[None])[0] for one in patches], side, gap=1))
        return made

    return _written(folder, layer, list(peaks.units), drawn, columns, most, enlarge)


def _written(
    folder: str | Path,
    layer: str,
    units: Sequence[int],
    drawn: Callable[[Sequence[int]], list[np.ndarray]],
    columns: int,
    most: int,
    enlarge: int,
) -> list[Path]:
    if most < 1 or not len(units):
        raise UnseenError(f"a page holds at least one picture of one unit; given most = {most} and {len(units)} units.")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    files = []
    for number, some in enumerate(_pages(units, most), start=1):
        named = [_numbered(one, unit, enlarge) for unit, one in zip(some, drawn(some))]
        page = sheet(named, min(columns, len(named)), gap=4)
        files.append(write_png(place / f"{layer.replace('/', '-')}-{number:03d}.png", page))
    return files


def _pages(units: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(units), most):
        yield units[start : start + most]


def _numbered(picture: np.ndarray, unit: int, enlarge: int) -> np.ndarray:
    """A picture below the number of its unit."""
    from PIL import Image, ImageDraw

    grown = np.kron(picture, np.ones((enlarge, enlarge, 1), np.uint8)) if enlarge > 1 else picture
    width = max(grown.shape[1], 6 * len(str(unit)) + 2)
    made = Image.new("RGB", (width, grown.shape[0] + LINE), "white")
    ImageDraw.Draw(made).text((1, 0), str(unit), fill="black")
    made.paste(Image.fromarray(np.ascontiguousarray(grown)), (0, LINE))
    return np.asarray(made)
