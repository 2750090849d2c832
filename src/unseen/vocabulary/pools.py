"""Disjoint pools of instances: which may be trained on, chosen by, and asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.instances import alone
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed

POOLS = ("train", "validation", "test")
SOURCES = ("", *POOLS)  # a source may say nothing of an image; a later one here outweighs an earlier one
ORDER = "instance order"


@dataclass(frozen=True)
class Pools:
    """How instances are divided into disjoint pools, the same share of every level (or cell) of ``within``.

    ``by``: "image" (each of its own), a factor (the photos of one object stay together), or "nothing" (every pool is
    everything: for sets such as COIL, where the category *is* the instance); "instance" is the factor called so, else
    each image. Designs say which factor holds the instances (:func:`unseen.vocabulary.instances.kept_together`). Where
    the source names pools ("train", "test"), ``respect_source`` keeps its test images for the test pool.
    """

    shares: tuple[float, ...] = (0.7, 0.1, 0.2)
    by: str = "instance"
    within: str | tuple[str, ...] | None = None
    respect_source: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if (
            len(self.shares) != 3
            or any(not 0 <= share <= 1 for share in self.shares)
            or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise UnseenError(f"pool shares {self.shares} must be three numbers for {POOLS} that add up to 1.")


@lru_cache(maxsize=4)
def membership(samples: Samples, pools: Pools) -> Int[np.ndarray, " instances"]:
    """The pool number (in ``POOLS``) of each instance; -1 for all where pools are disjoint by nothing.

    Exact shares: within each cell of ``within`` the groups are put in random order and cut. A group that the source
    itself divides goes with its test images, so that none of those is ever trained on.
    """
    if pools.by == "nothing":
        return np.full(samples.instances, -1, dtype=np.int8)
    strata, source = _strata(samples, pools.within), _source(samples)
    if alone(samples, pools.by):
        return _cut(strata, source, keyed(pools.seed, ORDER, np.arange(samples.instances)), pools)
    kept, first, inverse = np.unique(things(samples, pools.by, pools.within), return_index=True, return_inverse=True)
    if source is not None:
        whole = np.zeros(len(kept), dtype=np.int8)
        np.maximum.at(whole, inverse, source)
        source = whole
    return _cut(strata[first], source, keyed(pools.seed, "group order", kept), pools)[inverse]


def things(samples: Samples, by: str, within: str | tuple[str, ...] | None) -> Int[np.ndarray, " instances"]:
    """What stays together, a number for each image. Where the objects of each category are counted anew (object 1 of
    the cars, object 1 of the buses), an object is its category and its number. Only ids (a factor of kind "instance")
    are read so, and only by the category they are shared out within: an object seen from many sides, or a background
    behind many things, is one.
    """
    groups = samples.groups(by)
    row = within if isinstance(within, str) else next(iter(within or ()), None)
    if row is None or alone(samples, by) or not _is(samples, row, "category") or not _is(samples, by, "instance"):
        return groups
    objects = _strata(samples, row).astype(np.int64) * len(samples.space[by]) + groups
    return objects if len(np.unique(objects)) > len(np.unique(groups)) else groups


def _is(samples: Samples, factor: str, kind: str) -> bool:
    return kind in (factor, samples.space[factor].kind)


def _strata(samples: Samples, within: str | tuple[str, ...] | None) -> np.ndarray:
    """The cell of each instance among the factors of ``within`` that all blocks store."""
    names = (within,) if isinstance(within, str) else within or ()
    known = samples.space.select(names)
    space = known.select([name for name in known.names if all(name in block.stored for block in samples.blocks)])
    numbers = [own_cells(samples, space.names, block)[0] for block in range(len(samples.blocks))]
    return np.concatenate(numbers).astype(np.int16 if space.size < 2**15 else np.int64)


def _source(samples: Samples) -> Int[np.ndarray, " instances"] | None:
    """The pool each instance has by its source, as a place in ``SOURCES``; None where no source says anything."""
    if all(block.pool is None for block in samples.blocks):
        return None
    numbers = []
    for block in samples.blocks:
        number = np.full(block.instances, 0 if block.pool is None else -1, dtype=np.int8)
        for place, name in enumerate(SOURCES if block.pool is not None else ()):
            number[np.asarray(block.pool) == name] = place
        if block.pool is not None and (number < 0).any():
            raise unknown("pool", block.pool[number < 0][0], POOLS, where="what the source says of its images")
        numbers.append(number)
    return np.concatenate(numbers)


def _cut(strata: np.ndarray, source: np.ndarray | None, key: np.ndarray, pools: Pools) -> np.ndarray:
    """Pool numbers by shares within each stratum: the smallest keys are trained on, the largest are tested on."""
    member = np.empty(len(strata), dtype=np.int8)
    if source is None or not pools.respect_source:
        _share_out(member, strata, key, pools.shares)
        return member
    train, validation, test = (SOURCES.index(pool) for pool in POOLS)
    for kind in np.flatnonzero(np.bincount(source)):
        here = np.flatnonzero(source == kind)
        shares = pools.shares
        if kind in (validation, test):
            member[here] = POOLS.index(SOURCES[kind])
            continue
        if kind == train and (source == test).any():  # what was to be tested on is there already: train and validate
            kept = 0.0 if (source == validation).any() else pools.shares[1]
            whole = pools.shares[0] + kept
            shares = (pools.shares[0] / whole, kept / whole, 0.0) if whole else (0.0, 1.0, 0.0)
        some = np.empty(len(here), dtype=np.int8)
        _share_out(some, strata[here], key[here], shares)
        member[here] = some
    return member


def _share_out(member: np.ndarray, strata: np.ndarray, key: np.ndarray, shares: Sequence[float]) -> None:
    """Write the pool numbers: where a share ends is rounded to the nearest whole number."""
    by_stratum = np.argsort(strata, kind="stable")  # 16-bit numbers are sorted by radix
    counts = np.bincount(strata)
    start = 0
    for count in counts[counts > 0].tolist():
        places = by_stratum[start : start + count]
        own, pool = key[places], np.full(count, 2, dtype=np.int8)
        ends = [int(np.floor(end * count + 0.5 + 1e-9)) for end in np.cumsum(shares)[:2]]
        inner = [end for end in ends if end < count]
        ranked = np.partition(own, inner) if inner else own
        for number in (1, 0):
            pool[own < ranked[ends[number]] if ends[number] < count else slice(None)] = number
        member[places] = pool
        start += count


def own_cells(
    samples: Samples, factors: tuple[str, ...], block: int
) -> tuple[np.ndarray, tuple[str, ...], FactorSpace]:
    """Cell number of each instance among those factors that the block stores, their names and their space."""
    here = samples.blocks[block]
    stored = tuple(name for name in factors if name in here.stored)
    space = samples.space.select(stored)
    numbers = np.zeros(here.instances, dtype=np.int32 if 3 * space.size < 2**31 else np.int64)
    for name in stored:
        numbers *= len(samples.space[name])
        numbers += np.asarray(here.stored[name]).astype(numbers.dtype, copy=False)
    return numbers, stored, space


def members_of(samples: Samples, pools: Pools, block: int) -> np.ndarray:
    start = first_of(samples, block)
    return membership(samples, pools)[start : start + samples.blocks[block].instances]


def first_of(samples: Samples, block: int) -> int:
    """Number of the block's first instance among all instances."""
    return sum(earlier.instances for earlier in samples.blocks[:block])
