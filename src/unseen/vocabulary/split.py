"""A split: named row sets, each a rule with its reason in words, enumerated only when asked.

A rule says *cells × instance pool × quota*. Instances are put into one random order (a named stream over their own
numbers); a part of a row set takes ``take`` instances of its cell and pool after skipping ``skip``. Where the viewpoint
is computed (a digit placed anywhere) the cells of one category draw on the same instances, and ``skip`` is what keeps
a source image from being used in two cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.design_facts import facts_of
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.facts import Facts
from unseen.vocabulary.pools import ORDER, POOLS, Pools, first_of, members_of, own_cells
from unseen.vocabulary.rules import Rule
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed


@dataclass(frozen=True)
class Part:
    """``take`` instances of one cell (None: all), after ``skip``."""

    cell: tuple[int, ...]
    take: int | None = None
    skip: int = 0


@dataclass(frozen=True, eq=False)
class RowSet:
    """A rule for rows, and why they are asked. ``listed`` gives the rows themselves where a file lists them; ``rule``
    says them by their levels, of all instances, whatever their pool. With ``again`` a row that is listed several times
    comes as often.

    ``asks`` names the factors that are asked of these rows (None: all targets). A viewpoint that was never trained has
    no right answer among the outputs, but the category of such an image does.
    """

    reason: str
    pool: str = "train"
    parts: tuple[Part, ...] = ()
    listed: np.ndarray | None = None
    asks: tuple[str, ...] | None = None
    rule: Rule | None = None
    again: bool = False

    def __repr__(self) -> str:
        what = "by a rule" if self.rule is not None else f"{len(self.parts)} parts"
        what = f"{len(self.listed):,} rows listed" if self.listed is not None else what
        asks = "" if self.asks is None else f", asks {listed(self.asks)}"
        return f"<RowSet of pool '{self.pool}', {what}{asks}: {self.reason[:80]}>"


@dataclass(frozen=True, eq=False, init=False)
class Split:
    """Named row sets over the cells of ``factors``; ``facts`` say what the design chose, for audits and reports, and
    may be given as a dict."""

    factors: tuple[str, ...]
    sets: Mapping[str, RowSet]
    pools: Pools
    facts: Facts

    def __init__(
        self, factors: tuple[str, ...], sets: Mapping[str, RowSet], pools: Pools, facts: Mapping[str, Any] | None = None
    ) -> None:
        given = {"factors": factors, "sets": sets, "pools": pools, "facts": facts_of(facts or {})}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<Split over {' × '.join(self.factors)}: row sets {listed(self.sets, 8)}>"

    def __getitem__(self, name: str) -> RowSet:
        if name not in self.sets:
            raise unknown("row set", name, self.sets, where="this split")
        return self.sets[name]

    @property
    def trains(self) -> bool:
        """Whether there is something to train on; else all is asked, of models as they are and of people."""
        return "train" in self.sets

    @property
    def by_rules(self) -> bool:
        """Whether rows are said by their levels, of many factors: those to train on or, without such, any."""
        told = [self.sets["train"]] if self.trains else self.sets.values()
        return len(self.factors) > 2 or any(one.rule is not None for one in told)

    def rows(self, samples: Samples, name: str) -> Int[np.ndarray, " n"]:
        """All rows of a set, sorted; one that two parts list comes twice. Free grid factors take one level for each
        instance, drawn by its number."""
        wanted = self[name]
        if wanted.rule is not None:
            return wanted.rule.rows(samples)
        if wanted.listed is not None:
            found = np.asarray(wanted.listed, dtype=np.int64)
            return np.sort(found) if wanted.again else np.unique(found)
        if not wanted.parts:
            return np.zeros(0, dtype=np.int64)
        if len(samples.blocks) == 1 and samples.blocks[0].cells is None:
            return np.sort(_rows_of_parts(samples, self, wanted.pool, wanted.parts))
        return np.sort(np.concatenate([part_rows(samples, self, wanted.pool, part) for part in wanted.parts]))

    def count(self, samples: Samples, name: str) -> int:
        """Number of rows of a set, without enumerating those that have a quota."""
        wanted = self[name]
        if wanted.rule is not None:
            return wanted.rule.count(samples)
        if wanted.listed is not None:
            return len(wanted.listed) if wanted.again else len(np.unique(wanted.listed))
        if all(part.take is not None for part in wanted.parts):
            return sum(part.take or 0 for part in wanted.parts)
        return len(self.rows(samples, name))

    def mask(self, samples: Samples, name: str) -> Bool[np.ndarray, "..."]:
        """Which cells of ``factors`` a set touches, as an array over their levels."""
        wanted, shape = self[name], samples.space.select(self.factors).shape
        mask = np.zeros(shape, dtype=bool)
        if wanted.rule is not None:
            for rows in wanted.rule.chunks(samples):
                mask[tuple(samples.cells(rows, self.factors).T)] = True
        elif wanted.listed is not None:
            mask[tuple(samples.cells(wanted.listed, self.factors).T)] = True
        else:
            for part in wanted.parts:
                mask[part.cell] |= part.take != 0
        return mask


@lru_cache(maxsize=64)
def _sorted(samples: Samples, pools: Pools, factors: tuple[str, ...], block: int) -> tuple[np.ndarray, np.ndarray]:
    """Instances of a block, those of one stored cell and pool together and in their random order, from which quotas are
    taken, and where each of these runs begins."""
    numbers, _, space = own_cells(samples, factors, block)
    member = members_of(samples, pools, block)
    kinds = 1 if pools.by == "nothing" else len(POOLS)
    numbers = numbers * kinds + np.maximum(member, 0)
    ends = np.cumsum(np.bincount(numbers, minlength=space.size * kinds))
    drawn = np.argsort(keyed(pools.seed, ORDER, np.arange(len(numbers)) + first_of(samples, block)))
    numbers = numbers[drawn]
    places = drawn[np.argsort(numbers.astype(np.uint16) if len(ends) < 2**16 else numbers, kind="stable")]
    return places.astype(np.int32 if len(places) < 2**31 else np.int64), np.concatenate([[0], ends])


def _run(pools: Pools, pool: str, number: Any) -> Any:
    """The place of a stored cell (or of many) and a pool among the runs of :func:`_sorted`."""
    if pool not in POOLS:
        raise unknown("pool", pool, POOLS)
    return number if pools.by == "nothing" else number * len(POOLS) + POOLS.index(pool)


def instances_in(
    samples: Samples, split_pools: Pools, pool: str, factors: Sequence[str], cell: Sequence[int]
) -> list[np.ndarray]:
    """The instances (block by block, in random order) of a pool that can show a cell."""
    found = []
    for block, here in enumerate(samples.blocks):
        number = 0
        for name, level in zip(factors, cell):
            number = number * len(samples.space[name]) + level if name in here.stored else number
        places, starts = _sorted(samples, split_pools, tuple(factors), block)
        run = _run(split_pools, pool, int(number))
        found.append(places[starts[run] : starts[run + 1]].astype(np.int64))
    return found


def part_rows(samples: Samples, split: Split, pool: str, part: Part) -> Int[np.ndarray, " n"]:
    """The rows of one part."""
    rows, keys, ranks = [], [], []
    reach = _reach(samples, split.factors)
    for block, instances in enumerate(instances_in(samples, split.pools, pool, split.factors, part.cell)):
        here = samples.blocks[block]
        fixed = {name: part.cell[split.factors.index(name)] for name in here.grid if name in split.factors}
        levels = _free_levels(samples, block, instances, fixed, split.pools.seed)
        if levels is None:
            continue
        rows.append(samples.rows_at(instances, levels, block))
        keys.append(keyed(split.pools.seed, ORDER, instances + first_of(samples, block)))
        ranks.append(np.full(len(instances), reach[block]))
    found = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    if len(rows) > 1:
        # Blocks are mixed by the instances' own order, the same in every cell, or `skip` would skip other instances
        # in each. Those that can show more cells come first for the same reason.
        found = found[np.lexsort((np.concatenate(keys), np.concatenate(ranks)))]
    stop = None if part.take is None else part.skip + part.take
    chosen = found[part.skip : stop]
    if part.take is not None and len(chosen) < part.take:
        where = cell_name(samples.space.select(split.factors), part.cell)
        raise UnseenError(
            f"cell {where} has {len(found)} images in pool '{pool}', but {part.skip + part.take} are asked for."
        )
    return chosen


def _rows_of_parts(samples: Samples, split: Split, pool: str, parts: Sequence[Part]) -> Int[np.ndarray, " n"]:
    """The rows of all parts, one after the other, of a world of one block that shows its whole grid: hundreds of
    categories are thousands of parts, which :func:`part_rows` would visit one by one."""
    here, factors = samples.blocks[0], split.factors
    places, starts = _sorted(samples, split.pools, factors, 0)
    levels = dict(zip(factors, np.array([part.cell for part in parts]).T))
    number = np.zeros(len(parts), dtype=np.int64)
    for name in factors:
        if name in here.stored:
            number = number * len(samples.space[name]) + levels[name]
    run = _run(split.pools, pool, number)
    there = starts[run + 1] - starts[run]
    skip = np.array([part.skip for part in parts])
    most = np.maximum(there - skip, 0)
    take = np.array([left if part.take is None else part.take for part, left in zip(parts, most.tolist())])
    if (take > most).any():
        part_rows(samples, split, pool, parts[int((take > most).argmax())])  # says which, and how many there are
    of = np.repeat(np.arange(len(parts)), take)
    instances = places[np.arange(len(of)) + np.repeat(starts[run] + skip - (np.cumsum(take) - take), take)]
    fixed = {name: levels[name][of] for name in here.grid if name in levels}
    grid = _free_levels(samples, 0, instances.astype(np.int64), fixed, split.pools.seed)
    assert grid is not None
    return samples.rows_at(instances, grid)


@lru_cache(maxsize=32)
def _reach(samples: Samples, factors: tuple[str, ...]) -> tuple[int, ...]:
    """Of each block: 0, its instances can show every level of their grid's factors; 1, those it lists; 2, only what
    they store. Blocks that list different ones cannot be mixed: `skip` would skip other instances in each cell."""
    reach, lists = [], {}
    for block, here in enumerate(samples.blocks):
        shown = _shown(samples, block, factors)
        if not shown.all():
            lists[shown.shape, shown.tobytes()] = block
        reach.append(2 if not any(name in factors for name in here.grid) else int(not shown.all()))
    if len(lists) > 1:
        raise UnseenError(
            f"blocks {listed(lists.values())} of this world show different combinations of {listed(factors)}, so no "
            f"instance can be kept in one cell; make the world with one of them (its argument `blocks`)."
        )
    return tuple(reach)


def _free_levels(
    samples: Samples, block: int, instances: Int[np.ndarray, " n"], fixed: Mapping[str, Any], seed: int
) -> dict[str, Any] | None:
    """Grid levels of instances at some fixed ones: the others are drawn by each instance's own number, from the whole
    grid, or from the cells that the block lists; none where it lists no such cell."""
    here, ids = samples.blocks[block], instances + first_of(samples, block)
    free = [name for name in here.grid if name not in fixed]
    if here.cells is None:
        draws = {name: keyed(seed, f"free {name}", ids) % np.uint64(len(samples.space[name])) for name in free}
        return {**fixed, **{name: draw.astype(np.int64) for name, draw in draws.items()}}
    places = samples.listed(block, fixed)
    if not len(places):
        return None
    chosen = here.cells[places[(keyed(seed, "free cells", ids) % np.uint64(len(places))).astype(np.int64)]]
    return {**fixed, **{name: chosen[:, here.grid.index(name)] for name in free}}


def available(samples: Samples, pools: Pools, pool: str, factors: Sequence[str]) -> Int[np.ndarray, "..."]:
    """How many instances of a pool can show each cell of ``factors``."""
    if pool not in POOLS:
        raise unknown("pool", pool, POOLS)
    return _supply(samples, pools, tuple(factors))[..., POOLS.index(pool)].copy()


@lru_cache(maxsize=32)
def _supply(samples: Samples, pools: Pools, factors: tuple[str, ...]) -> Int[np.ndarray, "..."]:
    """Instances by cell and pool (the last axis)."""
    counts = np.zeros((*samples.space.select(factors).shape, len(POOLS)), dtype=np.int64)
    for block in range(len(samples.blocks)):
        numbers, stored, own = own_cells(samples, factors, block)
        shape = tuple(len(samples.space[name]) if name in stored else 1 for name in factors)
        shown = _shown(samples, block, factors)
        if pools.by == "nothing":
            counts += np.bincount(numbers, minlength=own.size).reshape(*shape, 1) * shown[..., None]
            continue
        numbers *= len(POOLS)
        numbers += members_of(samples, pools, block)
        counts += np.bincount(numbers, minlength=own.size * len(POOLS)).reshape(*shape, len(POOLS)) * shown[..., None]
    return counts


def _shown(samples: Samples, block: int, factors: tuple[str, ...]) -> np.ndarray:
    """Which levels of a block's grid can be had, 0 or 1; one axis per factor, of length one where none is refused."""
    here = samples.blocks[block]
    among = [name for name in factors if name in here.grid]
    if here.cells is None or not among:
        return np.ones((1,) * len(factors), dtype=np.int64)
    shape = tuple(len(samples.space[name]) if name in among else 1 for name in factors)
    columns = [here.cells[:, here.grid.index(name)] if name in among else 0 for name in factors]
    shown = np.zeros(shape, dtype=np.int64)
    shown[tuple(columns)] = 1
    return shown


def cell_name(space: FactorSpace, cell: Sequence[int]) -> str:
    """A cell in words.

    >>> cell_name(FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90)}), (1, 0))
    'category=bus azimuth=0'
    """
    return " ".join(f"{factor.name}={factor.levels[level]}" for factor, level in zip(space.factors, cell))
