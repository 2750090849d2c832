"""The rows of a world: stored instances times computed grids.

A block stores a table of *instances* (a digit's picture, a photo, a mesh), each with the levels it carries by itself
(its category), and multiplies it by a grid of factors that are computed from the row number and never stored. So a
billion rows cost what their instances cost, and row → (instance, cell) → row is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import FactorSpace


@dataclass(frozen=True, eq=False)
class Block:
    """``instances`` stored entries times a grid over the factors named in ``grid`` (the last one fastest).

    The grid is the full product of its factors' levels, or, where ``cells`` is given, those combinations of level
    numbers only, in that order: one factor varying alone, a coarser grid, a thousand random combinations.

    ``stored`` holds one level number per instance for every other factor of the space. ``pool`` may name the pool an
    instance belongs to by its source ("train", "test"), for designs that respect it. ``names`` are the instances' own
    names (a path), and ``content`` a hash of what each one shows, so that an audit finds copies across pools.
    ``attributes`` are further numbers or words about each instance that no design uses and every table of answers
    keeps: the degrees of a view within its bin.
    """

    instances: int
    stored: Mapping[str, Int[np.ndarray, " instances"]]
    grid: tuple[str, ...] = ()
    pool: np.ndarray | None = None  # "" where the source says nothing
    names: Sequence[str] | None = None
    content: np.ndarray | None = None
    cells: Int[np.ndarray, "cells factors"] | None = None  # level numbers of the grid's factors
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.cells is not None and (self.cells.ndim != 2 or self.cells.shape[1] != len(self.grid)):
            raise UnseenError(
                f"a block lists cells of shape {tuple(self.cells.shape)} for a grid of {len(self.grid)} factors; "
                f"give one column of level numbers per factor."
            )
        for name, column in self.stored.items():
            if len(column) != self.instances:
                raise UnseenError(f"factor '{name}' has {len(column)} stored levels for {self.instances} instances.")
        for name, column in self.attributes.items():
            if len(column) != self.instances:
                raise UnseenError(f"attribute '{name}' has {len(column)} values for {self.instances} instances.")
        for what in ("pool", "names", "content"):
            given = getattr(self, what)
            if given is not None and len(given) != self.instances:
                raise UnseenError(f"a block has {len(given)} entries in '{what}' for {self.instances} instances.")

    def __repr__(self) -> str:
        """Short: a notebook shows it, and the columns may have millions of entries."""
        stored = f", stored: {listed(self.stored, 6)}" if self.stored else ""
        grid = f", grid: {' × '.join(self.grid)}" if self.grid else ""
        cells = f" ({len(self.cells):,} cells listed)" if self.cells is not None else ""
        return f"<Block: {self.instances:,} instances{stored}{grid}{cells}>"


@dataclass(frozen=True, eq=False)
class Samples:
    """The rows of a world, in blocks, over one space of factors.

    >>> space = FactorSpace({"category": ("a", "b"), "position": (0, 1, 2)})
    >>> rows = Samples(space, (Block(2, {"category": np.array([1, 0])}, grid=("position",)),))
    >>> len(rows), rows.cells(np.array([4])).tolist(), rows.rows_at(np.array([1]), {"position": 1}).tolist()
    (6, [[0, 1]], [4])
    """

    space: FactorSpace
    blocks: tuple[Block, ...]
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for block in self.blocks:
            covered = [*block.stored, *block.grid]
            for name in covered:
                if name not in self.space:
                    raise unknown("factor", name, self.space.names, where="this space")
            missing = [name for name in self.space.names if name not in covered]
            twice = sorted({name for name in covered if covered.count(name) > 1})
            if missing or twice:
                wrong = f"{listed(missing)} is missing" if missing else f"{listed(twice)} is given twice"
                raise UnseenError(f"a block must give each factor once, stored or as grid; {wrong}.")
            for name, column in block.stored.items():
                if len(column) and (column.min() < 0 or column.max() >= len(self.space[name])):
                    raise UnseenError(
                        f"stored levels of factor '{name}' are numbers from {column.min()} to {column.max()}; "
                        f"it has levels 0 to {len(self.space[name]) - 1}."
                    )
            if block.cells is not None and len(block.cells):
                beyond = (block.cells < 0) | (block.cells >= np.array(self.space.select(block.grid).shape))
                if beyond.any():
                    name = block.grid[int(beyond.any(0).argmax())]
                    raise UnseenError(
                        f"a block lists a level of factor '{name}' that does not exist; "
                        f"it has level numbers 0 to {len(self.space[name]) - 1}."
                    )
            taken = [name for name in block.attributes if name in self.space]
            if taken or set(block.attributes) != set(self.attributes):
                wrong = f"'{taken[0]}' is a factor" if taken else "its blocks have different ones"
                raise UnseenError(f"attributes are what the instances of all blocks have besides factors; {wrong}.")
        sizes = [block.instances * self.grid_size(place) for place, block in enumerate(self.blocks)]
        object.__setattr__(self, "_starts", (0, *itertools.accumulate(sizes)))

    def __len__(self) -> int:
        return self._starts[-1]

    def __repr__(self) -> str:
        blocks = f" in {len(self.blocks)} blocks" if len(self.blocks) != 1 else ""
        return f"<Samples: {len(self):,} rows of {self.instances:,} instances{blocks}; {factor_words(self.space)}>"

    @property
    def instances(self) -> int:
        return sum(block.instances for block in self.blocks)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is known of every instance besides its levels; :meth:`attribute` gives the values."""
        return tuple(self.blocks[0].attributes) if self.blocks else ()

    def attribute(self, name: str, rows: Int[np.ndarray, " n"]) -> np.ndarray:
        """One attribute of each row's instance."""
        if name not in self.attributes:
            raise unknown("attribute", name, self.attributes, where="this world")
        own = np.concatenate([np.asarray(block.attributes[name]) for block in self.blocks])
        return own[self.instance_numbers(rows)]

    def grid_size(self, block: int) -> int:
        """How many rows each instance of a block has."""
        here = self.blocks[block]
        return self.space.select(here.grid).size if here.cells is None else len(here.cells)

    def locate(self, rows: Int[np.ndarray, " n"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Block, instance within the block, and cell of the block's grid (or place in its list) of each row."""
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            wrong = rows[(rows < 0) | (rows >= len(self))][0]
            raise UnseenError(f"row {wrong} asked of a world of {len(self)} rows (0 to {len(self) - 1}).")
        block = np.searchsorted(np.asarray(self._starts[1:]), rows, side="right")
        sizes = np.array([self.grid_size(place) for place in range(len(self.blocks))], dtype=np.int64)
        within = rows - np.asarray(self._starts, dtype=np.int64)[block]
        return block, within // sizes[block], within % sizes[block]

    def instance_numbers(self, rows: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """The number of each row's instance, over all blocks."""
        block, instance, _ = self.locate(rows)
        starts = np.cumsum([0, *(one.instances for one in self.blocks)])
        return starts[block] + instance

    def levels(self, name: str, rows: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """Level number of one factor at each row."""
        self.space[name]
        found = np.empty(len(rows), dtype=np.int64)
        at_block, instance, cell = self.locate(rows)
        for number, block in enumerate(self.blocks):
            here = slice(None) if len(self.blocks) == 1 else at_block == number
            if name in block.stored:
                found[here] = block.stored[name][instance[here]]
            elif block.cells is not None:
                found[here] = block.cells[cell[here], block.grid.index(name)]
            else:
                grid = self.space.select(block.grid)
                found[here] = np.unravel_index(cell[here], grid.shape)[block.grid.index(name)]
        return found

    def cells(self, rows: Int[np.ndarray, " n"], names: Sequence[str] | None = None) -> Int[np.ndarray, "n factors"]:
        """Level numbers of all factors (or those named) at each row."""
        names = self.space.names if names is None else tuple(names)
        return np.stack([self.levels(name, rows) for name in names], axis=1) if names else np.zeros((len(rows), 0), int)

    def rows_at(
        self, instances: Int[np.ndarray, " n"], grid: Mapping[str, int | np.ndarray], block: int = 0
    ) -> np.ndarray:
        """Rows of given instances of a block at given grid levels: the inverse of :meth:`locate`."""
        here = self.blocks[block]
        instances = np.asarray(instances, dtype=np.int64)
        if len(instances) and (instances.min() < 0 or instances.max() >= here.instances):
            wrong = instances[(instances < 0) | (instances >= here.instances)][0]
            raise UnseenError(f"instance {wrong} asked of a block of {here.instances} (0 to {here.instances - 1}).")
        number = np.zeros(len(instances), dtype=np.int64)
        for name in here.grid:
            if name not in grid:
                raise UnseenError(f"a row of this block needs a level of '{name}'; given: {listed(grid)}.")
            level = np.asarray(grid[name], dtype=np.int64)
            if ((level < 0) | (level >= len(self.space[name]))).any():
                raise UnseenError(
                    f"level number {level.max()} of factor '{name}' asked; it has 0 to {len(self.space[name]) - 1}."
                )
            number = number * len(self.space[name]) + level
        if here.cells is not None:
            number = self._listed_place(block, number)
        return self._starts[block] + instances * self.grid_size(block) + number

    def listed(self, block: int, levels: Mapping[str, int]) -> Int[np.ndarray, " n"]:
        """Places in a block's list of cells at given levels of some of its factors."""
        here = self.blocks[block]
        assert here.cells is not None
        match = np.ones(len(here.cells), dtype=bool)
        for name, level in levels.items():
            match &= here.cells[:, here.grid.index(name)] == level
        return np.flatnonzero(match)

    def _listed_place(self, block: int, numbers: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """Where a block's list has these cells; the first place of a cell it has twice."""
        here, grid = self.blocks[block], self.space.select(self.blocks[block].grid)
        assert here.cells is not None
        own = grid.numbers(here.cells)
        order = np.argsort(own, kind="stable")
        place = np.searchsorted(own, numbers, sorter=order)
        found = order[np.minimum(place, len(own) - 1)] if len(own) else np.zeros(len(numbers), dtype=np.int64)
        absent = own[found] != numbers if len(own) else np.ones(len(numbers), dtype=bool)
        if absent.any():
            cell = grid.cells(numbers[absent][:1])[0]
            named = ", ".join(f"{name}={grid[name].levels[level]}" for name, level in zip(here.grid, cell))
            raise UnseenError(f"this block does not show {named}: it lists {len(own)} of its grid's {grid.size} cells.")
        return found

    def groups(self, by: str | None) -> np.ndarray:
        """What must not be torn apart between pools, one number per instance (all blocks in a row).

        ``None``: every instance stands alone. A factor's name: instances that share its level stay together.
        """
        if by is None or (by in ("instance", "image") and by not in self.space):
            return np.arange(self.instances, dtype=np.int64)
        self.space[by]
        if any(by in block.grid for block in self.blocks):
            raise UnseenError(f"pools cannot be disjoint by '{by}': one instance takes all its levels in this world.")
        return np.concatenate([np.asarray(block.stored[by], dtype=np.int64) for block in self.blocks])

    @cached_property
    def pools(self) -> np.ndarray:
        """The pool each instance belongs to by its source, '' where the source says nothing."""
        named = [block.pool if block.pool is not None else np.full(block.instances, "") for block in self.blocks]
        return np.concatenate([np.asarray(names).astype(str) for names in named])

    def own_names(self, rows: Int[np.ndarray, " n"]) -> tuple[Int[np.ndarray, " n"], list[str]] | None:
        """The names of these rows' instances: the place of each row's name, and the names that occur. None where no
        instance has one (a generated world: the row number is its key); "" for rows of a block without names."""
        if all(block.names is None for block in self.blocks):
            return None
        at_block, instance, _ = self.locate(rows)
        places, words = np.zeros(len(instance), dtype=np.int64), []
        for number, block in enumerate(self.blocks):
            here = np.flatnonzero(at_block == number)
            kinds, own = np.unique(instance[here], return_inverse=True)
            if block.names is None:
                kinds, own = kinds[:0], np.zeros(len(here), dtype=np.int64)
            places[here] = own + len(words)
            words += [block.names[int(kind)] for kind in kinds] if block.names is not None else [""]
        return places, words

    def name(self, row: int) -> str:
        """What to call a row in a message: its instance's name, or its number, and its grid levels."""
        block, instance, cell = (int(part[0]) for part in self.locate(np.array([row])))
        here = self.blocks[block]
        own = here.names[instance] if here.names is not None else f"instance {instance}"
        levels = self.space.select(here.grid).cells(np.array([cell]))[0] if here.cells is None else here.cells[cell]
        at = ", ".join(f"{name}={self.space[name].levels[level]}" for name, level in zip(here.grid, levels))
        return f"{own} ({at})" if at else own

    def chunks(self, size: int) -> Iterator[np.ndarray]:
        """All rows, in order, a bounded number at a time."""
        for start in range(0, len(self), size):
            yield np.arange(start, min(start + size, len(self)), dtype=np.int64)


def factor_words(space: FactorSpace, factors: int = 6, levels: int = 3, letters: int = 16) -> str:
    """Factors with their number of levels and the first of these, cut where they are many.

    >>> factor_words(FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90, 180, 270)}))
    'category (2: car, bus), azimuth (4: 0, 90, 180, …)'
    """
    told = []
    for factor in space.factors[:factors]:
        first = [
            f"{text[: letters - 1]}…" if len(text) > letters else text for text in map(str, factor.levels[:levels])
        ]
        told.append(f"{factor.name} ({len(factor)}: {', '.join([*first, *['…'] * (len(factor) > levels)])})")
    more = len(space.factors) - factors
    return ", ".join([*told, *([f"{more} more factors"] if more > 0 else [])])
