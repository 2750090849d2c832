"""Which rows of a world show an object with given factors away from canonical and all others at it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import stream

WHOLE = 300_000  # cells of a computed grid that are listed; of a larger one those with one or two factors changed …
SOME = 4096  # … and so many random ones with more
THREE = -1  # in place of a set's factors: any three or more


@dataclass(frozen=True, eq=False)
class OfSet:
    """The rows of one set, an array for each object, with a number for the levels each shows."""

    rows: tuple[np.ndarray, ...]
    keys: tuple[np.ndarray, ...]
    levels: int

    @property
    def size(self) -> int:
        return sum(map(len, self.rows))


@dataclass(frozen=True, eq=False)
class _Place:
    """A block: of each instance its object, of each instance and each cell which factors are away from canonical (as
    bits) and whether the held ones are at it."""

    block: int
    owner: np.ndarray
    changed: np.ndarray
    kept: np.ndarray
    cells: np.ndarray  # level numbers of the grid's factors
    numbers: np.ndarray  # of these cells in the block's grid
    cell_changed: np.ndarray
    cell_kept: np.ndarray


@dataclass(frozen=True, eq=False)
class Candidates:
    """All objects of a world with their categories. Where a world does not tell which images show one object
    (``paired`` is False), all of a category are one."""

    samples: Samples
    varied: tuple[str, ...]
    category: str
    instance: str
    paired: bool
    categories: np.ndarray
    places: tuple[_Place, ...]
    told_by: tuple[str, ...]  # factors whose levels take turns where nothing has a canonical level

    @property
    def count(self) -> int:
        return len(self.categories)

    @property
    def kinds(self) -> int:
        return len(self.samples.space[self.category])

    @property
    def names(self) -> tuple[str, ...]:
        return self.samples.space[self.category].texts

    def with_canonical(self) -> np.ndarray:
        """Objects that are shown with every factor canonical."""
        there = np.zeros(self.count, dtype=bool)
        for place in self.places:
            codes = np.unique(place.cell_changed[place.cell_kept])
            able = place.kept & np.isin(place.changed, codes)  # bits never cancel: canonical is 0 of both
            there[place.owner[able & (place.changed == 0)]] |= bool((codes == 0).any())
        return np.flatnonzero(there)

    def of_set(self, objects: Sequence[int], code: int) -> OfSet:
        """The rows of these objects in which the factors of ``code`` are away from canonical and no others."""
        number = {one: place for place, one in enumerate(objects)}
        rows: list[list[np.ndarray]] = [[] for _ in objects]
        for place in self.places:
            mine = np.flatnonzero(place.kept & np.isin(place.owner, np.asarray(objects)))
            for own in np.unique(place.changed[mine]).tolist():
                cells = np.flatnonzero(place.cell_kept & _fits(place.cell_changed | own, code))
                if not len(cells):
                    continue
                for instance in mine[place.changed[mine] == own].tolist():
                    found = self._rows(place, instance, place.numbers[cells])
                    rows[number[int(place.owner[instance])]].append(found)
        return self._numbered([np.concatenate([np.zeros(0, np.int64), *own]) for own in rows], code)

    def _rows(self, place: _Place, instance: int, numbers: np.ndarray) -> np.ndarray:
        blocks = self.samples.blocks
        start = sum(one.instances * self.samples.grid_size(at) for at, one in enumerate(blocks[: place.block]))
        return start + instance * self.samples.grid_size(place.block) + numbers

    def _numbered(self, rows: list[np.ndarray], code: int) -> OfSet:
        """Each row once, with its levels as one number."""
        every = np.concatenate([np.zeros(0, np.int64), *rows])
        if not len(every):
            return OfSet(tuple(rows), tuple(rows), 1)
        asked = [name for place, name in enumerate(self.varied) if code > 0 and code >> place & 1]
        asked = asked or (list(self.told_by) if not self.varied else [])
        cells = self.samples.cells(every, asked)
        keys = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1) if asked else np.zeros(len(every), np.int64)
        ends = np.cumsum([len(own) for own in rows])[:-1]
        kept_rows, kept_keys = [], []
        for own, key in zip(np.split(every, ends), np.split(keys, ends)):
            first = self._distinct(own)
            kept_rows.append(own[first])
            kept_keys.append(key[first])
        return OfSet(tuple(kept_rows), tuple(kept_keys), int(keys.max()) + 1)

    def _distinct(self, rows: np.ndarray) -> np.ndarray:
        """A drawn picture that the world lists several times counts once; two photos alike in all factors are two."""
        if not self.paired or not len(rows) or not all(block.grid for block in self.samples.blocks):
            return np.arange(len(rows))
        names = [one.name for one in self.samples.space.factors]
        return np.sort(np.unique(self.samples.cells(rows, names), axis=0, return_index=True)[1])


def candidates_of(
    samples: Samples, category: str, varied: Sequence[str], held: Mapping[str, int], stand: Mapping[str, int],
    instance: str, seed: int,
) -> Candidates:  # fmt: skip
    """All rows by what is canonical in them; ``held`` factors must be."""
    space = samples.space
    if any(category in block.grid for block in samples.blocks):
        raise UnseenError(
            f"'{category}' is computed in this world, so that every object is of every category; this design asks what "
            f"an object is."
        )
    named = _instance(samples, instance)
    drawn = len(samples.blocks) == 1 and all(name in samples.blocks[0].grid for name in (*varied, *held))
    paired = bool(named) or (drawn and bool(varied) and bool(samples.blocks[0].grid))
    owners, categories = _owners(samples, category, named, paired)
    places = tuple(
        _place(samples, number, block, owner, varied, held, stand, seed)
        for number, (block, owner) in enumerate(zip(samples.blocks, owners))
    )
    told_by = tuple(
        one.name for one in space.factors if one.name != category and one.kind not in ("category", "instance")
    )
    return Candidates(samples, tuple(varied), category, named, paired, categories, places, told_by)


def _instance(samples: Samples, given: str) -> str:
    """The factor that tells objects apart; "" where none does."""
    if given:
        if any(given in block.grid for block in samples.blocks):
            raise UnseenError(f"design.instance = '{given}' is computed in this world and names no objects.")
        return samples.space[given].name
    names = [
        one.name
        for one in samples.space.factors
        if one.kind == "instance" and not any(one.name in block.grid for block in samples.blocks)
    ]
    if len(names) > 1:
        raise UnseenError(f"{listed(names)} all name instances; say which tells objects apart: design.instance.")
    return names[0] if names else ""


def _owners(samples: Samples, category: str, named: str, paired: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """The object of each instance of each block, and the category of each object."""
    kinds = [np.asarray(block.stored[category], dtype=np.int64) for block in samples.blocks]
    if not paired:
        return kinds, np.arange(len(samples.space[category]))
    if named:
        width = len(samples.space[named])
        joint = [kind * width + np.asarray(block.stored[named]) for kind, block in zip(kinds, samples.blocks)]
    else:
        joint = [np.arange(samples.blocks[0].instances)]
    every, numbers = np.unique(np.concatenate(joint), return_inverse=True)
    ends = np.cumsum([block.instances for block in samples.blocks])[:-1]
    categories = np.zeros(len(every), dtype=np.int64)
    categories[numbers.reshape(-1)] = np.concatenate(kinds)
    return np.split(numbers.reshape(-1), ends), categories


def _place(
    samples: Samples, number: int, block: Block, owner: np.ndarray, varied: Sequence[str], held: Mapping[str, int],
    stand: Mapping[str, int], seed: int,
) -> _Place:  # fmt: skip
    changed, kept = np.zeros(block.instances, np.int64), np.ones(block.instances, dtype=bool)
    for place, name in enumerate(varied):
        if name in block.stored:
            changed |= (np.asarray(block.stored[name]) != stand[name]).astype(np.int64) << place
    for name, level in held.items():
        if name in block.stored:
            kept &= np.asarray(block.stored[name]) == level
    cells, numbers = _cells(samples, block, varied, stand, stream(seed, "design", "vary_each", "cells", number))
    cell_changed, cell_kept = np.zeros(len(cells), np.int64), np.ones(len(cells), dtype=bool)
    for place, name in enumerate(varied):
        if name in block.grid:
            cell_changed |= (cells[:, block.grid.index(name)] != stand[name]).astype(np.int64) << place
    for name, level in held.items():
        if name in block.grid:
            cell_kept &= cells[:, block.grid.index(name)] == level
    return _Place(number, owner, changed, kept, cells, numbers, cell_changed, cell_kept)


def _cells(
    samples: Samples, block: Block, varied: Sequence[str], stand: Mapping[str, int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Cells of a block's grid and their numbers: all of a small one; of a large one those with one or two factors
    changed, and some with more. A factor that is neither varied nor held takes a level by chance."""
    if block.cells is not None:
        return block.cells, np.arange(len(block.cells))
    grid = samples.space.select(block.grid)
    if grid.size <= WHOLE:
        numbers = np.arange(grid.size)
        return grid.cells(numbers), numbers
    own = [name for name in block.grid if name in varied]
    found = []
    for many in range(3):
        for names in itertools.combinations(own, many):
            sizes = [len(grid[name]) for name in names]
            part = rng.integers(0, grid.shape, size=(int(np.prod(sizes, dtype=np.int64)), len(grid.shape)))
            for name in stand:
                if name in block.grid:
                    part[:, block.grid.index(name)] = stand[name]
            levels = np.meshgrid(*(np.arange(size) for size in sizes), indexing="ij")
            for name, level in zip(names, levels):
                part[:, block.grid.index(name)] = level.ravel()
            found.append(part)
    more = rng.integers(0, grid.shape, size=(SOME, len(grid.shape)))
    for name in stand:
        if name in block.grid and name not in varied:
            more[:, block.grid.index(name)] = stand[name]
    cells = np.unique(np.concatenate([*found, more]), axis=0)
    return cells, grid.numbers(cells)


def _fits(changed: np.ndarray, code: int) -> np.ndarray:
    """Whether exactly the factors of a code are away from canonical, or any three and more.

    >>> _fits(np.array([0, 1, 3, 7]), 3).tolist(), _fits(np.array([0, 1, 3, 7]), THREE).tolist()
    ([False, False, True, False], [False, False, False, True])
    """
    if code != THREE:
        return changed == code
    return np.bitwise_count(changed.astype(np.uint64)) >= 3
