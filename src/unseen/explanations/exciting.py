"""The patches of a world that excite a unit most: where in which image, cut out as far as the unit can see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.explanations.anatomy import Anatomy, still
from unseen.explanations.asked import Question, Unit
from unseen.explanations.rectified import reach
from unseen.vocabulary.errors import UnseenError


@dataclass(frozen=True, eq=False)
class Patch:
    """A patch of the image of ``row``: ``box`` is its top, left, bottom and right, ``picture`` ``[c, h, w]`` what is
    there, ``activity`` the unit's at the place in its middle."""

    unit: int
    row: int
    activity: float
    box: tuple[int, int, int, int]
    picture: np.ndarray


@dataclass(frozen=True, eq=False)
class Peaks:
    """Of each unit the images and places where it is most active, best first: ``[top, units]``, numbers among the
    ``rows`` that were asked."""

    units: tuple[int, ...]
    activity: Tensor
    number: Tensor
    place: Tensor


def exciting_patches(
    model: Any,
    fetch: Callable[[np.ndarray, str], Tensor],
    rows: np.ndarray,
    layer: str,
    units: Sequence[int] | None = None,
    *,
    top: int = 9,
    size: int = 64,
) -> list[list[Patch]]:
    """For each unit (of those named, or of all) its ``top`` images, most exciting first, each with its best place only
    (Zeiler & Fergus 2014).

    ``fetch`` gives pictures for rows and a device; ``size`` at a time, so memory does not grow with the rows. A layer
    without places (a vector) excites by the whole image.
    """
    anatomy = Anatomy(model)
    peaks = find_peaks(anatomy, fetch, rows, layer, units, top=top, size=size)
    return [cut_patches(anatomy, fetch, rows, layer, peaks, column) for column in range(len(peaks.units))]


def find_peaks(
    anatomy: Anatomy,
    fetch: Callable[[np.ndarray, str], Tensor],
    rows: np.ndarray,
    layer: str,
    units: Sequence[int] | None,
    *,
    top: int,
    size: int,
) -> Peaks:
    """One pass over the rows for all units together."""
    rows = np.asarray(rows)
    if top < 1 or not len(rows) or (units is not None and not len(units)):
        many = "all" if units is None else len(units)
        raise UnseenError(f"at least one row, one unit and one patch; given {len(rows)}, {many} and {top}.")
    best: Tensor | None = None
    chosen = kept_places = kept_rows = torch.zeros(0)
    with still(anatomy), torch.no_grad():
        for start in range(0, len(rows), size):
            pictures = anatomy.taken(fetch(rows[start : start + size], str(anatomy.device)))
            if start == 0:
                units = count_units(anatomy, pictures[:1], layer, units)
                chosen = torch.as_tensor(list(units), device=anatomy.device)
            values, place = _peaks(anatomy, pictures, layer, chosen)
            number = torch.arange(start, start + len(pictures), device=anatomy.device)[:, None].expand_as(place)
            if best is not None:
                values, place = torch.cat([best, values]), torch.cat([kept_places, place])
                number = torch.cat([kept_rows, number])
            best, order = values.topk(min(top, len(values)), dim=0)
            kept_places, kept_rows = place.gather(0, order), number.gather(0, order)
    assert best is not None
    return Peaks(tuple(map(int, units or ())), best, kept_rows, kept_places)


def count_units(anatomy: Anatomy, pictures: Tensor, layer: str, units: Sequence[int] | None) -> Sequence[int]:
    """The units that are named, each of which exists; none named: all of the layer."""
    if units is None:
        return range(anatomy.units(anatomy.outputs_of(pictures, layer), layer, pictures).shape[1])
    for unit in {min(units), max(units)} if len(units) else ():
        anatomy.check_unit(pictures, layer, int(unit))
    return units


def cut_patches(
    anatomy: Anatomy,
    fetch: Callable[[np.ndarray, str], Tensor],
    rows: np.ndarray,
    layer: str,
    peaks: Peaks,
    column: int,
) -> list[Patch]:
    """The patches of one unit, cut out as far as it can see."""
    rows, unit = np.asarray(rows), peaks.units[column]
    with still(anatomy):
        at = peaks.number[:, column].cpu().numpy()
        images = anatomy.taken(fetch(rows[at], str(anatomy.device)))
        boxes = _boxes(anatomy, images, layer, unit, peaks.place[:, column])
        return [
            Patch(
                unit,
                int(rows[number]),
                float(peaks.activity[place, column]),
                box,
                image[:, box[0] : box[2], box[1] : box[3]].float().cpu().numpy(),
            )
            for place, (number, image, box) in enumerate(zip(at, images, boxes))
        ]


def _flat(anatomy: Anatomy, pictures: Tensor, layer: str) -> Tensor:
    """A layer's output ``[n, units, places]``."""
    output = anatomy.outputs_of(pictures, layer)
    return output[:, :, None] if output.ndim == 2 else anatomy.maps(output, layer, pictures).flatten(2)


def _peaks(anatomy: Anatomy, pictures: Tensor, layer: str, units: Tensor) -> tuple[Tensor, Tensor]:
    values, places = _flat(anatomy, pictures, layer)[:, units].max(2)
    return values, places


@dataclass(frozen=True, eq=False)
class _Place(Question):
    """A unit's activity at one place of each picture."""

    places: Tensor | None = None

    def __call__(self, pictures: Tensor, which: Tensor, *, probability: bool = False) -> Tensor:
        assert isinstance(self.asked, Unit)
        assert self.places is not None
        found = _flat(self.anatomy, pictures, self.asked.layer)[:, self.asked.channel]
        return found.gather(1, self.places[which, None]).squeeze(1)


def _boxes(anatomy: Anatomy, images: Tensor, layer: str, unit: int, places: Tensor) -> list[tuple[int, int, int, int]]:
    """What a unit can see from a place, by the gradient through open ReLUs; all of the image where nothing is found."""
    seen = reach(_Place(anatomy, Unit(layer, unit), places=places), images).cpu().numpy()
    boxes = []
    for one in seen:
        down, across = np.flatnonzero(one.any(1)), np.flatnonzero(one.any(0))
        if not len(down):
            down, across = np.arange(one.shape[0]), np.arange(one.shape[1])
        boxes.append((int(down[0]), int(across[0]), int(down[-1]) + 1, int(across[-1]) + 1))
    return boxes
