"""Any world with its pictures assigned to other rows at random: a null control, in which there is nothing to find.

Random labels are an old control of what a network can learn (Zhang et al. 2017, Understanding deep learning requires
rethinking generalization); here they control what a *study* says. Dealing all factors at once is ours: where the
category alone is shuffled, a network can still tell a viewpoint, a transformation or a domain, and if these go with the
category in training, they are a cue that a study rightly finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.wrapped import SamePictures, hash_of

if TYPE_CHECKING:
    from torch import Tensor

VERSION = 1  # raise it when anything is dealt otherwise
ROUNDS = 8  # of the permutation of an instance's cells


@dataclass(frozen=True, eq=False, repr=False)
class ShuffledWorld(SamePictures):
    """``inner`` with the same rows, levels and numbers in every cell, and with pictures that do not belong to them.

    What an instance carries by itself (its category, its domain) is dealt among the instances of its block, all of it
    together and within the pool that the source names. What is computed (a position, a transformation) is dealt among
    the cells of each instance. So an instance stays what it is: its picture, name and content are never in two pools.
    """

    done = "shuffled"
    seed: int

    @cached_property
    def samples(self) -> Samples:
        inner = self.inner.samples
        blocks = [replace(block, stored=self._levels(place, block)) for place, block in enumerate(inner.blocks)]
        return Samples(inner.space, tuple(blocks))

    @cached_property
    def fingerprint(self) -> str:
        said = ["shuffled", VERSION, self.inner.fingerprint, self.seed]
        return hash_of(said)

    @property
    def provenance(self) -> Mapping[str, str]:
        return {**self.inner.provenance, "shuffled": "pictures are assigned to rows at random: a null control"}

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        return self.inner.images(self.shown(rows), device, draw)

    def fresh(self, rows: np.ndarray) -> np.ndarray:
        """Which rows are decided by chance, as the inner world tells it of what they show."""
        inside = getattr(self.inner, "fresh", None)
        return np.zeros(len(rows), dtype=bool) if inside is None else inside(self.shown(rows))

    def again(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """The same pictures under other noise, where the inner world has any."""
        inside = getattr(self.inner, "again", None)
        return self.inner.images(self.shown(rows), device) if inside is None else inside(self.shown(rows), device, draw)

    def shown(self, rows: np.ndarray) -> Int[np.ndarray, " n"]:
        """The inner row that each row shows: one of the same instance, and no other row shows it."""
        rows = np.asarray(rows, dtype=np.int64)
        block, instance, cell = self.inner.samples.locate(rows)
        sizes = np.array([self.inner.samples.grid_size(place) for place in range(len(self.inner.samples.blocks))])
        there = np.empty_like(cell)
        for place in np.unique(block):
            here = block == place
            there[here] = permuted(cell[here], int(sizes[place]), self.seed, f"cells {place}", instance[here])
        return rows - cell + there

    def _levels(self, place: int, block: Block) -> dict[str, np.ndarray]:
        pool = np.full(block.instances, "") if block.pool is None else np.asarray(block.pool)
        dealt = np.arange(block.instances)
        order = keyed(self.seed, f"levels {place}", dealt)
        for name in np.unique(pool):
            mine = np.flatnonzero(pool == name)
            dealt[mine] = mine[np.argsort(order[mine])]
        return {factor: np.asarray(column)[dealt] for factor, column in block.stored.items()}


def shuffled(of: World | Mapping[str, Any], *, seed: int = 0, dealt: bool = True) -> Any:
    """Any world with its pictures assigned to its rows at random, so that no factor can be told from a picture.

    ``of`` is a world, or its table in a recipe (``name`` and its arguments); ``seed`` chooses among ways to deal.
    ``dealt`` off leaves the world as it is, for a grid that sets the control beside it. A
    study of it has the same splits, with as many images of every cell, and nothing to find: a claim that still "holds"
    there is not about what networks learned.

    >>> world = shuffled({"name": "digits"}, seed=1)
    >>> category = [one.samples.levels("category", np.arange(len(one.samples))) for one in (world, world.inner)]
    >>> [np.bincount(one)[:3].tolist() for one in category], round(float(np.mean(category[0] == category[1])), 2)
    ([[1602, 1638, 1593], [1602, 1638, 1593]], 0.11)
    """
    if not is_whole(seed):
        raise UnseenError(f"`seed` of a shuffled world is a whole number; {seed!r} was given.")
    inside = inner_world(of, "shuffle")
    return ShuffledWorld(inside, int(seed)) if dealt else inside


def permuted(
    numbers: Int[np.ndarray, " n"], size: int, seed: int, name: str, ids: Int[np.ndarray, " n"]
) -> Int[np.ndarray, " n"]:
    """Each number below ``size`` under the permutation that its id has: for one id, different numbers stay different.

    A Feistel network on the bits of a number, walked on until the result is below ``size`` (Black & Rogaway 2002,
    Ciphers with arbitrary finite domains): a grid of a million cells is never written down.

    >>> sorted(permuted(np.arange(9), 9, 0, "cells", np.full(9, 4)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8]
    """
    half = max(1, (max(size - 1, 1).bit_length() + 1) // 2)
    mask = np.int64((1 << half) - 1)
    found, keys = np.array(numbers, dtype=np.int64), keyed(seed, name, ids).astype(np.int64)
    left = np.arange(len(found))
    while size > 1 and len(left):
        high, low = found[left] >> half, found[left] & mask
        for turn in range(ROUNDS):
            mixed = keyed(seed, f"{name} {turn}", keys[left] ^ low).astype(np.int64)
            high, low = low, high ^ (mixed >> np.int64(20)) & mask
        found[left] = (high << half) | low
        left = left[found[left] >= size]
    return found
