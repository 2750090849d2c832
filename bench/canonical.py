"""Rows of a world that are canonical but for one factor, object by object."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed


def category_of(samples: Samples) -> Factor:
    """The factor that a world's objects are classified by."""
    found = [factor for factor in samples.space.factors if factor.kind == "category"]
    if not found:
        names = listed(samples.space.names, 10)
        raise UnseenError(f"this world has no factor of kind 'category' to be named; its factors: {names}.")
    return found[0]


def varying(samples: Samples) -> list[Factor]:
    """Factors that have a canonical level and other levels. What is neither category nor object must have one."""
    around = [factor for factor in samples.space.factors if factor.kind not in ("category", "instance")]
    without = [factor.name for factor in around if factor.canonical is None]
    if without:
        raise UnseenError(
            f"{listed(without, 10)}: no canonical level, so nothing says where it stays while another factor varies. "
            f"Leave it out of the world (as in --set textures=0), or take a world whose factors have one, such as "
            f"natural-variation, objects or meshes."
        )
    return [factor for factor in around if len(factor) > 1]


def objects_of(samples: Samples, rows: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """The number of each row's object: its level of the factor of kind "instance", or its stored instance."""
    named = [factor.name for factor in samples.space.factors if factor.kind == "instance"]
    return samples.levels(named[0], rows) if named else samples.instance_numbers(rows)


def rows_with(samples: Samples, free: str | None = None) -> Int[np.ndarray, " n"]:
    """All rows that are canonical in every factor; with ``free``, those that differ in this one alone."""
    around = {factor.name: factor.canonical for factor in varying(samples)}
    parts, start = [], 0
    for number, block in enumerate(samples.blocks):
        size = samples.grid_size(number)
        own = np.ones(block.instances, bool)
        for name, column in block.stored.items():
            if name in around:
                own &= (column == around[name]) != (name == free)
        parts.append((start + np.flatnonzero(own)[:, None] * size + _places(samples, number, around, free)).ravel())
        start += block.instances * size
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _places(samples: Samples, number: int, around: dict[str, int | None], free: str | None) -> np.ndarray:
    """Cells of a block's grid, or places in its list, that are canonical but for ``free``."""
    block = samples.blocks[number]
    if block.cells is not None:
        match = np.ones(len(block.cells), bool)
        for name, level in around.items():
            if name in block.grid:
                match &= (block.cells[:, block.grid.index(name)] == level) != (name == free)
        return np.flatnonzero(match)
    place = np.zeros(1, np.int64)
    for name in block.grid:
        factor = samples.space[name]
        levels = np.arange(len(factor)) if name == free else np.array([factor.canonical or 0])
        if name == free:
            levels = np.delete(levels, factor.canonical or 0)
        place = (place[:, None] * len(factor) + levels).ravel()
    return place


def some_of_each(
    groups: Int[np.ndarray, " n"], rows: Int[np.ndarray, " n"], most: int, seed: int, name: str
) -> Int[np.ndarray, " m"]:
    """Up to ``most`` rows of each group, by chance, the same whatever other groups there are."""
    order = np.lexsort((keyed(seed, name, rows), groups))
    first = np.searchsorted(groups[order], groups[order], side="left")
    return np.sort(rows[order[np.arange(len(rows)) - first < most]])
