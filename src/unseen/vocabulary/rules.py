"""Row sets as rules over levels: who belongs is said in a line, counted in closed form, and listed only when asked.

A table of rows would cost what a world of a million rows has; a rule costs nothing until its rows are wanted, and then
looks at a bounded number of them at a time. Rules over levels know nothing of pools: they are for worlds that compute
their factors (a whole grid), and hold for any other. :class:`InPool` is what keeps the objects of a stored world apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import cast

import numpy as np
from jaxtyping import Bool, Int, UInt8

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import POOLS, Pools, membership
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed

CHUNK = 2**17  # rows looked at together
TABLE = 2**20  # cells of a grid whose weights are kept, a byte each
ALSO = 128  # a row's weight is its number of marked factors, and this more where the factor that must be is marked
Marks = tuple[tuple[str, tuple[int, ...]], ...]
DIGITS = 16  # bits by which random numbers are sorted into heaps, to find the one of a given rank


@dataclass(frozen=True)
class Marked:
    """Rows by how many of their factors stand at a marked level: from ``least`` to ``most`` (None: any number).

    ``marks`` are factors and their marked level numbers (:func:`marked` takes them as a mapping); ``also`` is one of
    these factors that must stand at a marked level itself.
    """

    marks: Marks = ()
    least: int = 0
    most: int | None = None
    also: str | None = None

    def __post_init__(self) -> None:
        names = [name for name, _ in self.marks]
        assert len(set(names)) == len(names) < ALSO
        assert self.also is None or self.also in names

    def holds(self, samples: Samples, rows: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Which of these rows belong."""
        at_block, instance, cell = samples.locate(rows)
        weights = np.zeros(len(rows), dtype=np.uint8)
        for number, (own, grid) in enumerate(_weights(samples, self.marks, self.also)):
            here = slice(None) if len(samples.blocks) == 1 else at_block == number
            weights[here] = own[instance[here]] + _at(grid, cell[here])
        return self._admitted[weights]

    def count(self, samples: Samples) -> int:
        """Number of rows, in closed form: how often each weight occurs is the convolution of what factors give."""
        total = 0
        for block in samples.blocks:
            often = np.bincount(_own(samples, block, self.marks, self.also), minlength=1)
            for column in _columns(samples, block, self.marks, self.also):
                often = np.convolve(often, np.bincount(column, minlength=1))
            total += int(often[self._admitted[: len(often)]].sum())
        return total

    def chunks(self, samples: Samples) -> Iterator[Int[np.ndarray, " n"]]:
        """All rows in order, a bounded number at a time: some instances with all their cells, or cells of one."""
        start, admitted = 0, self._admitted
        for number, (own, grid) in enumerate(_weights(samples, self.marks, self.also)):
            size = samples.grid_size(number)
            each = max(1, CHUNK // max(size, 1))
            for instance in range(0, len(own), each):
                for low in range(0, size, CHUNK):
                    cells = np.arange(low, min(low + CHUNK, size), dtype=np.int64)
                    weights = own[instance : instance + each, None] + _at(grid, cells)
                    yield np.flatnonzero(admitted[weights]) + (start + instance * size + low)
            start += len(own) * size

    def rows(self, samples: Samples) -> Int[np.ndarray, " n"]:
        """All rows, in order."""
        return _joined(self.chunks(samples), self.count(samples))

    @property
    def _admitted(self) -> Bool[np.ndarray, " 256"]:
        """Whether a row of each possible weight belongs."""
        number = np.arange(2 * ALSO) % ALSO
        fits = (number >= self.least) & (number <= (ALSO if self.most is None else self.most))
        return fits if self.also is None else fits & (np.arange(2 * ALSO) >= ALSO)


class Narrowed(ABC):
    """The rows of another rule that are kept, each by itself."""

    of: Rule

    @abstractmethod
    def _kept(self, samples: Samples, rows: np.ndarray) -> np.ndarray:
        """Which rows are, of those that belong to ``of``."""

    @abstractmethod
    def count(self, samples: Samples) -> int:
        """Number of rows."""

    def holds(self, samples: Samples, rows: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Which of these rows belong."""
        return self._kept(samples, rows) & self.of.holds(samples, rows)

    def chunks(self, samples: Samples) -> Iterator[Int[np.ndarray, " n"]]:
        """All rows in order, a bounded number at a time."""
        for rows in self.of.chunks(samples):
            yield rows[self._kept(samples, rows)]

    def rows(self, samples: Samples) -> Int[np.ndarray, " n"]:
        """All rows, in order of their numbers."""
        return _joined(self.chunks(samples), self.count(samples))


@dataclass(frozen=True)
class Drawn(Narrowed):
    """Some rows of another rule, by chance and yet an exact number: all its rows are put in a random order, ``skip`` of
    them passed over and ``take`` taken (None: all the rest).

    The order is that of ``keyed(seed, name, row)``, so that a row's place depends on no other row, and draws of
    different names have nothing to do with each other.
    """

    of: Rule
    name: str
    seed: int
    skip: int = 0
    take: int | None = None

    def __post_init__(self) -> None:
        assert self.skip >= 0
        assert self.take is None or self.take >= 0

    def count(self, samples: Samples) -> int:
        """Number of rows; nothing is drawn for it."""
        left = max(self.of.count(samples) - self.skip, 0)
        return left if self.take is None else min(left, self.take)

    def _kept(self, samples: Samples, rows: np.ndarray) -> np.ndarray:
        first, end = _bounds(self, samples)
        key = keyed(self.seed, self.name, rows)
        inside = key >= np.uint64(first) if first < 2**64 else np.zeros(len(key), dtype=bool)
        return inside & (key < np.uint64(end)) if end < 2**64 else inside


@dataclass(frozen=True)
class InPool(Narrowed):
    """Rows of another rule whose instances are in one pool, so that no two sets show the same object."""

    of: Rule
    pools: Pools
    pool: str

    def count(self, samples: Samples) -> int:
        """Number of rows; they are looked at once."""
        return _in_pool(self, samples)

    def _kept(self, samples: Samples, rows: np.ndarray) -> np.ndarray:
        return membership(samples, self.pools)[samples.instance_numbers(rows)] == POOLS.index(self.pool)


@lru_cache(maxsize=64)
def _in_pool(rule: InPool, samples: Samples) -> int:
    return sum(map(len, rule.chunks(samples)))


Rule = Marked | Drawn | InPool
EVERY_ROW = Marked()


def marked(
    marks: Mapping[str, Collection[int]], *, least: int = 0, most: int | None = None, also: str | None = None
) -> Marked:
    """The rule over a mapping of factors to their marked level numbers.

    >>> from unseen.vocabulary.factors import FactorSpace
    >>> grid = Samples(FactorSpace({"x": range(5), "y": range(4)}), (Block(1, {}, grid=("x", "y")),))
    >>> corner = marked({"x": [3, 4], "y": [3]}, least=2)
    >>> corner.count(grid), corner.rows(grid).tolist()
    (2, [15, 19])
    """
    plain = tuple((name, tuple(sorted({int(level) for level in levels}))) for name, levels in marks.items())
    return Marked(plain, least, most, also)


def at_most(rule: Rule, take: int | None, *, name: str, seed: int) -> Rule:
    """The rule itself, or so many of its rows by chance."""
    return rule if take is None else Drawn(rule, name, seed, take=take)


def _joined(chunks: Iterator[np.ndarray], count: int) -> Int[np.ndarray, " n"]:
    """Chunks in one array of known length, so that no second copy is made."""
    found, start = np.empty(count, dtype=np.int64), 0
    for rows in chunks:
        found[start : start + len(rows)] = rows
        start += len(rows)
    assert start == count
    return found


@lru_cache(maxsize=16)
def _weights(
    samples: Samples, marks: Marks, also: str | None
) -> tuple[tuple[UInt8[np.ndarray, " instances"], tuple[np.ndarray, ...]], ...]:
    """For each block the weight that each of its instances has by itself, and tables of what the grid adds.

    A table is over the cells of consecutive factors of the grid, as many as fit in ``TABLE``: a large grid has
    several, the outermost factors' first.
    """
    found = []
    for block in samples.blocks:
        grid: list[np.ndarray] = []
        for column in reversed(_columns(samples, block, marks, also)):
            if grid and len(grid[0]) * len(column) <= TABLE:
                grid[0] = (column[:, None] + grid[0]).ravel()
            else:
                grid.insert(0, column)
        found.append((_own(samples, block, marks, also), tuple(grid)))
    return tuple(found)


def _own(samples: Samples, block: Block, marks: Marks, also: str | None) -> UInt8[np.ndarray, " instances"]:
    """The weight that each instance of a block has by the levels it stores."""
    own = np.broadcast_to(np.uint8(0), (block.instances,))  # takes no memory
    for name, levels in marks:
        if name in block.stored:
            own = own + _column(samples, name, levels, also)[np.asarray(block.stored[name])]
    return own


def _columns(samples: Samples, block: Block, marks: Marks, also: str | None) -> list[np.ndarray]:
    """What each factor of a block's grid adds at each of its levels; of listed cells, one column for the list."""
    levels = dict(marks)
    columns = [_column(samples, name, levels.get(name, ()), also) for name in block.grid]
    if block.cells is None:
        return columns
    listed = (column[block.cells[:, place]] for place, column in enumerate(columns))
    return [reduce(np.add, listed, np.zeros(len(block.cells), dtype=np.uint8))]


def _column(samples: Samples, name: str, levels: tuple[int, ...], also: str | None) -> UInt8[np.ndarray, " levels"]:
    """What a factor adds to a row's weight, by its level."""
    n = len(samples.space[name])
    if levels and not 0 <= min(levels) <= max(levels) < n:
        raise UnseenError(f"a rule marks level {max(levels)} of factor '{name}'; it has level numbers 0 to {n - 1}.")
    column = np.zeros(n, dtype=np.uint8)
    column[list(levels)] = 1 + ALSO * (name == also)
    return column


def _at(tables: tuple[np.ndarray, ...], cells: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, " n"]:
    """What the grid adds at cells given by number."""
    total = np.zeros(len(cells), dtype=np.uint8)
    for table in reversed(tables[1:]):
        cells, place = np.divmod(cells, len(table))
        total += table[place]
    return total + tables[0][cells] if tables else total


@lru_cache(maxsize=256)
def _bounds(rule: Drawn, samples: Samples) -> tuple[int, int]:
    """The random numbers from which (included) to which (not) rows are drawn; 2**64 where there are too few rows."""
    size = rule.of.count(samples)
    wanted = {rank for rank in (rule.skip, rule.skip + (rule.take or 0)) if 0 < rank < size}
    found = {0: 0, **_ranked(rule, samples, sorted(wanted))} if wanted else {0: 0}
    end = 2**64 if rule.take is None else found.get(rule.skip + rule.take, 2**64)
    return found.get(rule.skip, 2**64), end


def _ranked(rule: Drawn, samples: Samples, ranks: list[int]) -> dict[int, int]:
    """The random numbers of given ranks among a rule's rows. Numbers are counted into heaps by their first bits, and
    then only the heaps that hold a rank are sorted: memory is bounded, however many rows there are."""
    shift = np.uint64(64 - DIGITS)
    often = np.zeros(2**DIGITS, dtype=np.int64)
    for rows in rule.of.chunks(samples):
        often += np.bincount((keyed(rule.seed, rule.name, rows) >> shift).astype(np.int64), minlength=2**DIGITS)
    ends = np.cumsum(often)
    heaps = {rank: int(np.searchsorted(ends, rank, side="right")) for rank in ranks}
    kept: dict[int, list[np.ndarray]] = {heap: [] for heap in heaps.values()}
    for rows in rule.of.chunks(samples):
        key = keyed(rule.seed, rule.name, rows)
        for heap, some in kept.items():
            some.append(key[key >> shift == np.uint64(heap)])
    return {
        rank: int(cast(np.ndarray, np.sort(np.concatenate(kept[heap])))[rank - int(ends[heap] - often[heap])])
        for rank, heap in heaps.items()
    }
