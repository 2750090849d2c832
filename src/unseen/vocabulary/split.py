"""A split: named row sets, each a rule with its reason in words, enumerated only when asked.

A rule says *cells × instance pool × quota*. Instances are put into one random order (a named stream over their own
numbers); a part of a row set takes ``take`` instances of its cell and pool after skipping ``skip``. Where the viewpoint
is computed (a digit placed anywhere) the cells of one category draw on the same instances, and ``skip`` is what keeps
a source image from being used in two cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed

POOLS = ("train", "validation", "test")


@dataclass(frozen=True)
class Pools:
    """How instances are divided into disjoint pools, the same share of every level of ``within``.

    ``by``: "instance" (each image of its own), another factor (the photos of one object stay together), or "nothing"
    (every pool is everything: for sets such as COIL, where the category *is* the instance). Where the source names
    pools ("train", "test"), ``respect_source`` keeps its test images for the test pool.
    """

    shares: tuple[float, float, float] = (0.7, 0.1, 0.2)
    by: str = "instance"
    within: str | None = None
    respect_source: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if (
            len(self.shares) != 3
            or any(not 0 <= share <= 1 for share in self.shares)
            or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise UnseenError(f"pool shares {self.shares} must be three numbers for {POOLS} that add up to 1.")


@dataclass(frozen=True)
class Part:
    """``take`` instances of one cell (None: all), after ``skip``."""

    cell: tuple[int, ...]
    take: int | None = None
    skip: int = 0


@dataclass(frozen=True, eq=False)
class RowSet:
    """A rule for rows, and why they are asked. ``listed`` gives the rows themselves where a file lists them.

    ``asks`` names the factors that are asked of these rows (None: all targets). A viewpoint that was never trained has
    no right answer among the outputs, but the category of such an image does.
    """

    reason: str
    pool: str = "train"
    parts: tuple[Part, ...] = ()
    listed: np.ndarray | None = None
    asks: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Split:
    """Named row sets over the cells of ``factors``; ``facts`` says what the design chose, for audits and reports."""

    factors: tuple[str, ...]
    sets: Mapping[str, RowSet]
    pools: Pools
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> RowSet:
        if name not in self.sets:
            raise unknown("row set", name, self.sets, where="this split")
        return self.sets[name]

    def rows(self, samples: Samples, name: str) -> Int[np.ndarray, " n"]:
        """All rows of a set, sorted. Unlisted grid factors take one level per instance, drawn by its number."""
        wanted = self[name]
        if wanted.listed is not None:
            return np.sort(np.asarray(wanted.listed, dtype=np.int64))
        found = [part_rows(samples, self, wanted.pool, part) for part in wanted.parts]
        return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def count(self, samples: Samples, name: str) -> int:
        """Number of rows of a set, without enumerating those that have a quota."""
        wanted = self[name]
        if wanted.listed is not None:
            return len(wanted.listed)
        if all(part.take is not None for part in wanted.parts):
            return sum(part.take or 0 for part in wanted.parts)
        return len(self.rows(samples, name))

    def mask(self, samples: Samples, name: str) -> Bool[np.ndarray, "..."]:
        """Which cells of ``factors`` a set touches, as an array over their levels."""
        wanted, shape = self[name], samples.space.select(self.factors).shape
        mask = np.zeros(shape, dtype=bool)
        if wanted.listed is not None:
            mask[tuple(samples.cells(wanted.listed, self.factors).T)] = True
        else:
            for part in wanted.parts:
                mask[part.cell] = part.take != 0
        return mask


@lru_cache(maxsize=4)
def order(samples: Samples, seed: int) -> Int[np.ndarray, " instances"]:
    """All instances in the random order from which quotas are taken."""
    return np.argsort(keyed(seed, "instance order", np.arange(samples.instances)), kind="stable")


@lru_cache(maxsize=4)
def membership(samples: Samples, pools: Pools) -> Int[np.ndarray, " instances"]:
    """The pool number (in ``POOLS``) of each instance; -1 for all where pools are disjoint by nothing.

    Exact shares: within each level of ``within`` the groups are put in random order and cut.
    """
    if pools.by == "nothing":
        return np.full(samples.instances, -1, dtype=np.int8)
    if pools.by == "instance":
        places = order(samples, pools.seed)
        strata = _stratum(samples, pools.within)[places]
        member = np.empty(samples.instances, dtype=np.int8)
        member[places] = _cut(strata, samples.pools[places], pools)
        return member
    groups = samples.groups(pools.by)
    kept, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    places = np.argsort(keyed(pools.seed, "group order", kept), kind="stable")
    member = np.empty(len(kept), dtype=np.int8)
    member[places] = _cut(_stratum(samples, pools.within)[first][places], samples.pools[first][places], pools)
    return member[inverse]


def _stratum(samples: Samples, within: str | None) -> np.ndarray:
    stored = within is not None and all(within in block.stored for block in samples.blocks)
    if within is None or not stored:
        return np.zeros(samples.instances, dtype=np.int64)
    return np.concatenate([np.asarray(block.stored[within], dtype=np.int64) for block in samples.blocks])


def _cut(strata: np.ndarray, source: np.ndarray, pools: Pools) -> np.ndarray:
    """Pool numbers for things already in random order, by shares within each stratum."""
    member = np.empty(len(strata), dtype=np.int8)
    train, validation, _ = pools.shares
    for kind in np.unique(source):
        here = np.flatnonzero(source == kind)
        if pools.respect_source and kind in ("test", "validation"):
            member[here] = POOLS.index(str(kind))
            continue
        edges = np.cumsum(pools.shares)
        if pools.respect_source and kind == "train" and (source == "test").any():
            kept_validation = 0.0 if (source == "validation").any() else validation
            edges = np.array([train / (train + kept_validation) if train + kept_validation else 0.0, 1.0, 1.0])
        sorted_places = here[np.argsort(strata[here], kind="stable")]
        levels = strata[sorted_places]
        counts = np.bincount(levels)
        rank = np.arange(len(levels)) - (np.cumsum(counts) - counts)[levels]
        position = (rank + 0.5) / counts[levels]
        member[sorted_places] = np.minimum(np.searchsorted(edges, position), 2)
    return member


@lru_cache(maxsize=16)
def _ordered(samples: Samples, pools: Pools, pool: str, factors: tuple[str, ...], block: int) -> tuple[Any, ...]:
    """Instances of a block and pool, sorted by their stored cell, in random order within a cell."""
    if pool not in POOLS:
        raise unknown("pool", pool, POOLS)
    start = sum(b.instances for b in samples.blocks[:block])
    here = samples.blocks[block]
    places = order(samples, pools.seed)
    member = membership(samples, pools)[places]
    places = places[(member == POOLS.index(pool)) | (member == -1)]
    places = places[(places >= start) & (places < start + here.instances)] - start
    stored = [name for name in factors if name in here.stored]
    space = FactorSpace([samples.space[name] for name in stored])
    if stored:
        numbers = np.ravel_multi_index(tuple(here.stored[name][places] for name in stored), space.shape)
    else:
        numbers = np.zeros(len(places), dtype=np.int64)
    by_cell = np.argsort(numbers.astype(np.uint16) if space.size < 2**16 else numbers, kind="stable")
    return places[by_cell], numbers[by_cell], tuple(stored), space


def instances_in(
    samples: Samples, split_pools: Pools, pool: str, factors: Sequence[str], cell: Sequence[int]
) -> list[np.ndarray]:
    """The instances (block by block, in random order) of a pool that can show a cell."""
    found = []
    for block in range(len(samples.blocks)):
        places, numbers, stored, space = _ordered(samples, split_pools, pool, tuple(factors), block)
        own = [level for name, level in zip(factors, cell) if name in stored]
        number = int(np.ravel_multi_index(tuple(own), space.shape)) if stored else 0
        low, high = np.searchsorted(numbers, [number, number + 1])
        found.append(places[low:high])
    return found


def part_rows(samples: Samples, split: Split, pool: str, part: Part) -> Int[np.ndarray, " n"]:
    """The rows of one part."""
    rows = []
    for block, instances in enumerate(instances_in(samples, split.pools, pool, split.factors, part.cell)):
        here = samples.blocks[block]
        levels: dict[str, int | np.ndarray] = {}
        start = sum(b.instances for b in samples.blocks[:block])
        for name in here.grid:
            if name in split.factors:
                levels[name] = part.cell[split.factors.index(name)]
            else:
                draw = keyed(split.pools.seed, f"free {name}", instances + start)
                levels[name] = (draw % np.uint64(len(samples.space[name]))).astype(np.int64)
        rows.append(samples.rows_at(instances, levels, block))
    found = np.concatenate(rows)
    if len(rows) > 1:
        found = found[np.argsort(keyed(split.pools.seed, "block order", found), kind="stable")]
    stop = None if part.take is None else part.skip + part.take
    chosen = found[part.skip : stop]
    if part.take is not None and len(chosen) < part.take:
        where = cell_name(samples.space.select(split.factors), part.cell)
        raise UnseenError(
            f"cell {where} has {len(found)} images in pool '{pool}', but {part.skip + part.take} are asked for."
        )
    return chosen


def available(samples: Samples, pools: Pools, pool: str, factors: Sequence[str]) -> Int[np.ndarray, "..."]:
    """How many instances of a pool can show each cell of ``factors``."""
    space = samples.space.select(factors)
    counts = np.zeros(space.shape, dtype=np.int64)
    for block in range(len(samples.blocks)):
        _, numbers, stored, own = _ordered(samples, pools, pool, tuple(factors), block)
        found = np.bincount(numbers, minlength=own.size).reshape(own.shape)
        shape = tuple(len(samples.space[name]) if name in stored else 1 for name in factors)
        counts += found.reshape(shape)
    return counts


def cell_name(space: FactorSpace, cell: Sequence[int]) -> str:
    """A cell in words.

    >>> cell_name(FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90)}), (1, 0))
    'category=bus azimuth=0'
    """
    return " ".join(f"{factor.name}={factor.levels[level]}" for factor, level in zip(space.factors, cell))
