"""A split over many factors seen two at a time: how much of the world training shows at each pair of levels.

A grid of five factors cannot be drawn; its faces can. What is kept is small, however many rows there are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from unseen.vocabulary.samples import Block, Samples

MOST_LEVELS = 64  # of a factor that are told apart; more are counted in runs of equal length
CHUNK = 2**17


@dataclass(frozen=True, eq=False)
class Pair:
    """Rows at each pair of levels: those ``trained`` on (or kept for choosing the epoch), and all that are ``there``.

    ``each`` says how many levels an entry stands for, in rows and in columns.
    """

    rows: str
    columns: str
    trained: Int[np.ndarray, "rows columns"]
    there: Int[np.ndarray, "rows columns"]
    each: tuple[int, int] = (1, 1)

    @property
    def share(self) -> Float[np.ndarray, "rows columns"]:
        """The part of the rows at each pair of levels that training shows; NaN where the world has none."""
        with np.errstate(invalid="ignore"):
            return self.trained / self.there

    @property
    def seen(self) -> float:
        """The part of the pairs that training shows at all."""
        return float((self.trained > 0).sum() / max((self.there > 0).sum(), 1))

    def coarser(self, rows: int, columns: int) -> Pair:
        """At most so many entries: neighbours are added up, in runs of equal length."""
        steps = tuple(-(-n // most) for n, most in zip(self.there.shape, (rows, columns)))
        trained, there = (_in_runs(table, steps) for table in (self.trained, self.there))
        return Pair(self.rows, self.columns, trained, there, (self.each[0] * steps[0], self.each[1] * steps[1]))

    def turned(self) -> Pair:
        """Rows for columns."""
        return Pair(self.columns, self.rows, self.trained.T, self.there.T, (self.each[1], self.each[0]))


def pairs_of(samples: Samples, factors: Sequence[str], trained: Iterable[np.ndarray]) -> tuple[Pair, ...]:
    """Every pair of ``factors``, in their order; ``trained`` are the training rows, in as many arrays as you like."""
    steps = {name: -(-len(samples.space[name]) // MOST_LEVELS) for name in factors}
    sizes = {name: -(-len(samples.space[name]) // step) for name, step in steps.items()}
    couples = itertools.combinations(factors, 2)
    counts = {(a, b): np.zeros(sizes[a] * sizes[b], dtype=np.int64) for a, b in couples}
    for rows in _pieces(trained):
        levels = {name: column // steps[name] for name, column in zip(factors, levels_at(samples, rows, factors))}
        for (a, b), count in counts.items():
            count += np.bincount(levels[a] * sizes[b] + levels[b], minlength=len(count))
    found = []
    for (a, b), count in counts.items():
        there = _there(samples, a, b, (steps[a], steps[b]))
        found.append(Pair(a, b, count.reshape(there.shape), there, (steps[a], steps[b])))
    return tuple(found)


def shares_of(samples: Samples, factors: Sequence[str], trained: Iterable[np.ndarray]) -> dict[str, np.ndarray]:
    """The part of the rows at each level of each factor that training shows; NaN where the world has none."""
    counts = {name: np.zeros(len(samples.space[name]), dtype=np.int64) for name in factors}
    for rows in _pieces(trained):
        for name, column in zip(factors, levels_at(samples, rows, factors)):
            counts[name] += np.bincount(column, minlength=len(counts[name]))
    shares = {}
    for name, count in counts.items():
        there = np.zeros(len(count), dtype=np.int64)
        for number, block in enumerate(samples.blocks):
            cells = samples.grid_size(number)
            there += _margin(samples, block, name, 1, cells) * (cells if name in block.stored else block.instances)
        with np.errstate(invalid="ignore"):
            shares[name] = count / there
    return shares


def levels_at(samples: Samples, rows: Int[np.ndarray, " n"], factors: Sequence[str]) -> Int[np.ndarray, "factors n"]:
    """Level numbers of several factors at each row, found in one go."""
    found = np.empty((len(factors), len(rows)), dtype=np.int64)
    at_block, instance, cell = samples.locate(rows)
    for number, block in enumerate(samples.blocks):
        here = slice(None) if len(samples.blocks) == 1 else at_block == number
        if block.cells is None:
            grid = samples.space.select(block.grid).shape
            places = np.unravel_index(cell[here], grid) if grid else ()
        else:
            places = tuple(block.cells[cell[here]].T)
        for place, name in enumerate(factors):
            stored = name in block.stored
            found[place, here] = block.stored[name][instance[here]] if stored else places[block.grid.index(name)]
    return found


def _pieces(rows: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    for some in rows:
        for start in range(0, len(some), CHUNK):
            yield some[start : start + CHUNK]


def _there(samples: Samples, a: str, b: str, steps: tuple[int, int]) -> Int[np.ndarray, "rows columns"]:
    """How many rows a world has at each pair of (runs of) levels, without looking at its rows."""
    total = 0
    for number, block in enumerate(samples.blocks):
        cells = samples.grid_size(number)
        left, right = (_margin(samples, block, name, step, cells) for name, step in zip((a, b), steps))
        if (a in block.stored) != (b in block.stored):
            total += np.outer(left, right)  # every instance has every cell
        elif a not in block.stored and block.cells is None:
            total += np.outer(left, right) // max(cells, 1) * block.instances
        else:
            columns = block.stored if a in block.stored else dict(zip(block.grid, np.asarray(block.cells).T))
            numbers = np.asarray(columns[a]) // steps[0] * len(right) + np.asarray(columns[b]) // steps[1]
            together = np.bincount(numbers, minlength=len(left) * len(right)).reshape(len(left), len(right))
            total += together * (cells if a in block.stored else block.instances)
    return np.asarray(total, dtype=np.int64)


def _margin(samples: Samples, block: Block, name: str, step: int, cells: int) -> Int[np.ndarray, " levels"]:
    """Instances (where the block stores a factor) or cells of its grid at each (run of) level."""
    n = len(samples.space[name])
    runs = np.arange(n) // step
    if name in block.stored:
        return np.bincount(runs[np.asarray(block.stored[name])], minlength=runs[-1] + 1)
    if block.cells is None:
        return np.bincount(runs) * (cells // n)
    return np.bincount(runs[block.cells[:, block.grid.index(name)]], minlength=runs[-1] + 1)


def _in_runs(table: Int[np.ndarray, "rows columns"], steps: tuple[int, ...]) -> Int[np.ndarray, "fewer less"]:
    for axis, step in enumerate(steps):
        if step > 1:
            table = np.add.reduceat(table, np.arange(0, table.shape[axis], step), axis=axis)
    return table
