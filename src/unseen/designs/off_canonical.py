"""Which rows show an object with exactly some factors off their canonical level: none, one, a pair, all.

A world says of each circumstance which level is canonical. Objects are found in any block of the world, and a canonical
picture that a world lists several times counts once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.instances import INSTANCE, instance_factor
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed, stream

MOST_CELLS = 2**20  # of a whole grid with some factors off canonical
STEPS = 201  # places along a random base, whose nearest cells are taken


@dataclass(frozen=True, eq=False)
class Objects:
    """The objects of a world: each a category and its number in the factor ``factor``. ``category`` and ``number`` are
    level numbers, by object; ``circumstances`` the factors that have a canonical level and another one."""

    factor: str
    category: Int[np.ndarray, " objects"]
    number: Int[np.ndarray, " objects"]
    circumstances: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.category)

    def of(self, category: int) -> Int[np.ndarray, " n"]:
        """The objects of a category."""
        return np.flatnonzero(self.category == category)


@lru_cache(maxsize=8)
def objects_of(samples: Samples, category: str) -> Objects:
    """The objects of a world whose circumstances are computed and have canonical levels, or the reason why not."""
    samples.space[category]
    factor = instance_factor(samples, (category,))
    if factor is None:
        raise UnseenError(
            "this design holds whole objects out, and no factor of this world says which object a row shows. Use a "
            "world that does (natural-variation), or give a folder's factor that kind: world.kinds = "
            f'{{ object = "{INSTANCE}" }}.'
        )
    names = tuple(dict.fromkeys(name for block in samples.blocks for name in block.grid))
    bare = [name for name in names if len(samples.space[name]) > 1 and samples.space[name].canonical is None]
    names = tuple(name for name in names if len(samples.space[name]) > 1)
    if not names:
        raise UnseenError(
            "nothing varies in this world: this design needs factors that the world computes for every object, such "
            "as the pose, size, position, light and background of the world natural-variation."
        )
    if bare:
        raise UnseenError(
            f"{listed(bare)} {'have' if len(bare) > 1 else 'has'} no canonical level in this world, so that nothing "
            f"says what is off it; worlds whose factors have one: natural-variation, objects with an odd number of "
            f"levels."
        )
    pairs = [np.stack([np.asarray(block.stored[name]) for name in (category, factor)], 1) for block in samples.blocks]
    found = np.unique(np.concatenate(pairs).astype(np.int64), axis=0)
    return Objects(factor, found[:, 0], found[:, 1], names)


@dataclass(frozen=True, eq=False)
class Views:
    """The rows of every object with exactly ``off`` off canonical: ``rows[object, place]``; ``cells[place]`` are the
    level numbers of the world's circumstances there, the same for every object."""

    off: tuple[str, ...]
    rows: Int[np.ndarray, "objects places"]
    cells: Int[np.ndarray, "places factors"]


@lru_cache(maxsize=64)
def views(samples: Samples, category: str, off: tuple[str, ...]) -> Views:
    """Of the blocks that have such rows, that which has most of them."""
    objects = objects_of(samples, category)
    found = [(places, block) for block, here in enumerate(samples.blocks) if len(places := _places(samples, here, off))]
    if not found:
        what = f"{listed(off)} off {'its' if len(off) == 1 else 'their'} canonical level" if off else "canonical levels"
        raise UnseenError(
            f"this world has no row with {what} and all else canonical; a world natural-variation needs the block "
            f'"{"single" if len(off) < 2 else "pairs" if len(off) == 2 else "all"}" for that (world.blocks).'
        )
    places, block = max(found, key=lambda one: len(one[0]))
    here, size = samples.blocks[block], samples.grid_size(block)
    own = np.asarray(here.stored[category]).astype(np.int64) * len(samples.space[objects.factor])
    own = own + np.asarray(here.stored[objects.factor])
    wanted = objects.category * len(samples.space[objects.factor]) + objects.number
    order = np.argsort(own, kind="stable")
    at = np.minimum(np.searchsorted(own, wanted, sorter=order), len(own) - 1)
    instance = order[at]
    if (own[instance] != wanted).any():
        raise UnseenError(
            f"{int((own[instance] != wanted).sum())} of {len(wanted)} objects of this world have no row with "
            f"{listed(off) or 'nothing'} off canonical; every object must have such rows."
        )
    start = sum(len_of(samples, number) for number in range(block))
    rows = start + instance[:, None] * size + places[None, :]
    return Views(off, rows, _cells(samples, here, objects.circumstances)[places])


def len_of(samples: Samples, block: int) -> int:
    return samples.blocks[block].instances * samples.grid_size(block)


def supports(samples: Samples, category: str) -> tuple[tuple[str, ...], ...]:
    """What this world can show off canonical: each factor alone, each pair, all together, as far as there are rows."""
    names = objects_of(samples, category).circumstances
    wanted = [(name,) for name in names] + list(itertools.combinations(names, 2))
    wanted += [names] if len(names) > 2 else []
    return tuple(off for off in wanted if any(len(_places(samples, block, off)) for block in samples.blocks))


@lru_cache(maxsize=256)
def _places(samples: Samples, block: Block, off: tuple[str, ...]) -> Int[np.ndarray, " places"]:
    """Places in a block's grid, or its list, where exactly ``off`` is off canonical; the first of equal cells."""
    canonical = np.array([samples.space[name].canonical or 0 for name in block.grid])
    wanted = np.array([name in off for name in block.grid])
    if not set(off) <= set(block.grid):
        return np.zeros(0, dtype=np.int64)
    if block.cells is None:
        return _of_grid(samples, block, canonical, wanted)
    there = ((block.cells != canonical) == wanted).all(1)
    places = np.flatnonzero(there)
    _, first = np.unique(block.cells[places], axis=0, return_index=True)
    return places[np.sort(first)]


def _of_grid(samples: Samples, block: Block, canonical: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    grid = samples.space.select(block.grid)
    each = [
        np.array([level for level in range(n) if level != own]) if free else np.array([own])
        for n, own, free in zip(grid.shape, canonical.tolist(), wanted.tolist())
    ]
    if math.prod(map(len, each)) > MOST_CELLS:
        off = listed(name for name, free in zip(block.grid, wanted) if free)
        raise UnseenError(
            f"the grid of this world has {math.prod(map(len, each)):,} cells with {off} off canonical, too many to "
            f"draw from; give these factors fewer levels, or use the world natural-variation, which lists combinations."
        )
    cells = np.stack([axis.ravel() for axis in np.meshgrid(*each, indexing="ij")], 1)
    return np.ravel_multi_index(tuple(cells.T), grid.shape)


def _cells(samples: Samples, block: Block, names: Sequence[str]) -> Int[np.ndarray, "places factors"]:
    grid = samples.space.select(block.grid)
    cells = block.cells if block.cells is not None else grid.cells(np.arange(grid.size))
    return np.asarray(cells)[:, [block.grid.index(name) for name in names]]


@lru_cache(maxsize=64)
def orders(samples: Samples, category: str, off: tuple[str, ...], bases: int, seed: int) -> Int[np.ndarray, "o n"]:
    """For every object its rows with ``off`` off canonical, in a random order of its own. With ``bases``, where three
    or more factors are off, only cells along so many random bases (:func:`along`)."""
    seen = views(samples, category, off)
    rows = seen.rows
    if bases and len(off) > 2:
        rows = rows[:, along(samples, objects_of(samples, category).circumstances, seen.cells, bases, seed)]
    ids = np.arange(rows.size, dtype=np.int64).reshape(rows.shape)
    drawn = np.argsort(keyed(seed, f"varying {' '.join(off)}", ids), axis=1, kind="stable")
    return np.take_along_axis(rows, drawn, axis=1)


def along(
    samples: Samples, names: Sequence[str], cells: Int[np.ndarray, "places factors"], bases: int, seed: int
) -> Int[np.ndarray, " n"]:
    """The cells nearest to lines along random bases of the space of factors (Ibrahim et al. 2022, section 5.3:
    "we selected random bases in the five-dimensional factor space and sampled images with random values along these
    bases"). Ours: a level's coordinate is its number, from the canonical one, in units of the farther end; bases are
    directions drawn evenly, through the canonical point and out to the edge of the box on both sides; backgrounds,
    which have no order, take that of their numbers."""
    home = np.array([samples.space[name].canonical or 0 for name in names], np.float64)
    reach = np.array([max(c, len(samples.space[name]) - 1 - c) for name, c in zip(names, home)])
    points = (cells - home) / reach
    low, high = -home / reach, (np.array([len(samples.space[name]) - 1 for name in names]) - home) / reach
    drawn = stream(seed, "vary_some", "bases").normal(size=(bases, len(names)))
    found: dict[int, None] = {}
    for base in drawn / np.abs(drawn).max(axis=1, keepdims=True):
        for place in _nearest(points, base, low, high):
            found[int(place)] = None
    return np.sort(np.array(list(found), dtype=np.int64))


def _nearest(
    points: Float[np.ndarray, "places factors"], base: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Int[np.ndarray, " n"]:
    """The nearest point to each step along a base, from one edge of the box to the other."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([low / base, high / base])
    ends = ends[:, np.isfinite(ends).all(0)]
    steps = np.linspace(float(ends.min(0).max()), float(ends.max(0).min()), STEPS)
    line = steps[:, None] * base
    return np.unique(((line[:, None, :] - points[None]) ** 2).sum(-1).argmin(1))
