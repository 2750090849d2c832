"""The images beside an image: the same thing at every other level of one factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.samples import Samples

MOST = 101  # levels of a factor, or instances, among which one can drag
INSTANCE = "instance"


@dataclass(frozen=True)
class Along:
    """A factor and the row at each of its levels (None: no such image); ``here`` is the place of the image itself."""

    name: str
    levels: tuple[str, ...]
    rows: tuple[int | None, ...]
    here: int


def along_each(samples: Samples, row: int) -> list[Along]:
    """The neighbours of a row along every factor, and among the instances that are alike in all their own levels.

    A factor that is computed (a position) changes alone. Of one that instances carry (a category) another level means
    another instance: the one that has the same place among those of its level.
    """
    (block,), (instance,), (cell,) = (part.tolist() for part in samples.locate(np.array([row])))
    grid = _grid_of(samples, block, cell)
    found = []
    for factor in samples.space.factors:
        here = int(samples.levels(factor.name, np.array([row]))[0])
        places = _window(here, len(factor))
        if factor.name in samples.blocks[block].grid:
            rows = [_row(samples, block, instance, {**grid, factor.name: place}) for place in places]
        else:
            rows = [
                row if place == here else _other(samples, block, instance, grid, factor.name, place) for place in places
            ]
        if any(one is not None and one != row for one in rows):
            texts = tuple(factor.texts[place] for place in places)
            found.append(Along(factor.name, texts, tuple(rows), places.index(here)))
    alike = _alike(samples, block, instance, "", 0)
    if len(alike) > 1:
        at = int(np.flatnonzero(alike == instance)[0])
        places = _window(at, len(alike))
        rows = [_row(samples, block, int(alike[place]), grid) for place in places]
        found.append(
            Along(_free_name(samples), tuple(str(place + 1) for place in places), tuple(rows), places.index(at))
        )
    return found


def _free_name(samples: Samples) -> str:
    return INSTANCE if INSTANCE not in samples.space else "of its kind"


def _window(here: int, count: int) -> list[int]:
    """Places to drag among: all, or so many around the one that is shown.

    >>> _window(1, 3), len(_window(500, 1000)), 500 in _window(500, 1000)
    ([0, 1, 2], 101, True)
    """
    first = max(0, min(here - MOST // 2, count - MOST))
    return list(range(first, min(count, first + MOST)))


def _grid_of(samples: Samples, block: int, cell: int) -> dict[str, int]:
    here = samples.blocks[block]
    numbers = samples.space.select(here.grid).cells(np.array([cell]))[0] if here.cells is None else here.cells[cell]
    return {name: int(level) for name, level in zip(here.grid, numbers)}


def _row(samples: Samples, block: int, instance: int, grid: Mapping[str, int]) -> int | None:
    """The row of an instance at a cell, or None where the block does not show it."""
    here = samples.blocks[block]
    if here.cells is not None and not len(samples.listed(block, {name: grid[name] for name in here.grid})):
        return None
    return int(samples.rows_at(np.array([instance]), {name: grid[name] for name in here.grid}, block)[0])


def _alike(samples: Samples, block: int, instance: int, name: str, level: int) -> np.ndarray:
    """The instances of a block that carry the same levels as one of it, but for one factor, of which they have this."""
    here = samples.blocks[block]
    same = np.ones(here.instances, dtype=bool)
    for factor, column in here.stored.items():
        same &= column == (level if factor == name else column[instance])
    return np.flatnonzero(same)


def _other(samples: Samples, block: int, instance: int, grid: Mapping[str, int], name: str, level: int) -> int | None:
    """The image of another instance, which has another level of one factor and else the same."""
    own = samples.blocks[block]
    mine = _alike(samples, block, instance, name, int(own.stored[name][instance]))
    place = int(np.searchsorted(mine, instance))
    wanted = {factor: int(column[instance]) for factor, column in own.stored.items()} | {name: level}
    for number, there in enumerate(samples.blocks):
        if set(there.grid) != set(own.grid):
            continue
        match = np.ones(there.instances, dtype=bool)
        for factor, column in there.stored.items():
            match &= column == wanted[factor]
        if len(found := np.flatnonzero(match)):
            return _row(samples, number, int(found[place % len(found)]), grid)
    return None
