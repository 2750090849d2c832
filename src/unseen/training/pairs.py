"""Partners for weakly supervised learning: rows of the training set that differ from a row in a few factors.

A world's rows are one whole grid (the last factor fastest). A partner is found factor by factor, in the manner of the
code of Schott et al. 2022: among the levels of a factor at which, all else as it is by now, a training row lies, one is
drawn. So a partner is always a training row, whatever the split, and nothing is tried in vain; where a split leaves no
other level, fewer factors change than were promised, or none, and that is said and can be counted.

Draws are keyed by (seed, row, visit). Everything happens on the device, in fixed shapes, without waiting: a step that
draws pairs can be captured as a CUDA graph. ``PairGrid`` holds the tensors such a step reads, and must outlive it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from unseen.training.augment import uniform
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.seeds import seed_of


@dataclass(frozen=True, eq=False)
class PairGrid:
    """The ``shape`` of a grid and the rows one trains on, in order, with what drawing needs on the device.

    ``steps`` holds the Laplace weight of every distance between levels, in whole numbers of 2⁻¹⁶, so that the same
    level is drawn on every device. ``movable`` are the factors that steps may change: no categories.
    """

    shape: tuple[int, ...]
    training: Int[Tensor, " rows"]
    sizes: Int[Tensor, " factors"]
    strides: Int[Tensor, " factors"]
    steps: Int[Tensor, "factors most"]
    levels: Int[Tensor, " most"]  # 0, 1, …, most − 1
    movable: Int[Tensor, " movable"]

    def places(self, rows: Int[Tensor, "..."]) -> tuple[Int[Tensor, "..."], Bool[Tensor, "..."]]:
        """Where rows lie among those of training, and whether they do."""
        place = torch.searchsorted(self.training, rows).clamp(max=len(self.training) - 1)
        return place, self.training[place] == rows

    def level(self, rows: Int[Tensor, " n"], factor: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """Each row's level of a factor of its own."""
        return rows // self.strides[factor] % self.sizes[factor]

    def differing(self, rows: Int[Tensor, " n"], others: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """In how many factors rows differ."""
        one, other = (each[:, None] // self.strides % self.sizes for each in (rows, others))
        return (one != other).sum(1)


@dataclass(frozen=True, eq=False)
class Partners:
    """The partner of each row, its ``place`` among the training rows in order, how many factors differ, and whether
    these are fewer than were promised (none at all: the row itself, a degenerate pair)."""

    rows: Int[Tensor, " n"]
    places: Int[Tensor, " n"]
    changed: Int[Tensor, " n"]
    short: Bool[Tensor, " n"]


def pair_grid(
    shape: Sequence[int],
    training: np.ndarray,
    *,
    device: torch.device | str,
    categories: Sequence[int] = (),
    rate: float = 1.0,
) -> PairGrid:
    """The grid of a world whose factors have ``shape`` levels, with rows to train on. ``categories`` are the places of
    factors without neighbouring levels (shape), which steps leave alone; ``rate`` is that of Laplace steps, weighted by
    exp(−|step| · rate / ln(levels)) (Klindt et al. 2021, released code; 1 there and in that of Schott et al. 2022)."""
    total = int(np.prod(shape, dtype=np.int64))
    rows = np.unique(np.asarray(training, dtype=np.int64))
    if not len(shape) or min(shape) < 1 or not rate > 0:
        raise UnseenError(f"factors have at least one level, a rate is above zero; given: {listed(shape)} and {rate}.")
    if not len(rows) or rows[0] < 0 or rows[-1] >= total:
        reach = f"rows {rows[0]} to {rows[-1]}" if len(rows) else "no rows"
        raise UnseenError(f"pairs are drawn among training rows of one whole grid of {total}; given: {reach}.")
    movable = [place for place, size in enumerate(shape) if size > 1 and place not in set(categories)]
    if not movable:
        raise UnseenError("no factor has two levels that are not categories: there is nothing to pair by.")
    strides = [int(np.prod(shape[place + 1 :], dtype=np.int64)) for place in range(len(shape))]
    distance = np.arange(max(shape)) / np.log(np.maximum(shape, 2))[:, None]
    weights = np.maximum(1, np.rint(2**16 * np.exp(-rate * distance))).astype(np.int64)
    return PairGrid(
        shape=tuple(shape),
        training=torch.from_numpy(rows).to(device),
        sizes=torch.tensor(list(shape), device=device),
        strides=torch.tensor(strides, device=device),
        steps=torch.from_numpy(weights).to(device),
        levels=torch.arange(max(shape), device=device),
        movable=torch.tensor(movable, device=device),
    )


def few(grid: PairGrid, rows: Int[Tensor, " n"], visit: Tensor, *, seed: int, most: int | None = None) -> Partners:
    """Locatello et al. 2020, k = rnd: k factors change, the others stay; k is drawn from 1 to ``most`` (one less than
    there are factors), which factors at random, and each takes any other level. Categories change too."""
    able = sum(size > 1 for size in grid.shape)
    most = max(1, able - 1) if most is None else min(most, able)
    factors = len(grid.shape)
    u = uniform(rows, visit, seed_of(seed, "pairs", "few"), 2 * factors + 1)
    promised = 1 + (u[:, 0] * most).long()
    order = u[:, 1 : factors + 1].argsort(1)
    found, changed = rows, torch.zeros_like(rows)
    for turn in range(factors):
        factor = order[:, turn]
        weights = _available(grid, found, factor) & ~_own(grid, rows, factor)
        moved, able_to = _moved(grid, found, factor, weights.long(), u[:, factors + 1 + turn])
        take = able_to & (changed < promised)
        found, changed = torch.where(take, moved, found), changed + take
    return Partners(found, grid.places(found)[0], changed, changed < promised)


def laplace(grid: PairGrid, rows: Int[Tensor, " n"], visit: Tensor, *, seed: int) -> Partners:
    """Klindt et al. 2021, Laplace steps on a grid: every factor but categories moves to a level drawn by the weights of
    ``grid.steps``, its own among them; where none moved, one factor must (the first that can, from a random one on)."""
    count = len(grid.movable)
    u = uniform(rows, visit, seed_of(seed, "pairs", "laplace"), 2 * count + 1)
    found = rows
    for turn in range(count):
        factor = grid.movable[turn].expand(len(rows))
        moved, able_to = _moved(grid, found, factor, _stepping(grid, found, factor), u[:, turn])
        found = torch.where(able_to, moved, found)
    first = (u[:, -1] * count).long()
    for turn in range(count):
        factor = grid.movable[(first + turn) % count]
        weights = _stepping(grid, rows, factor) * ~_own(grid, rows, factor)
        moved, able_to = _moved(grid, rows, factor, weights, u[:, count + turn])
        found = torch.where((found == rows) & able_to, moved, found)
    changed = grid.differing(rows, found)
    return Partners(found, grid.places(found)[0], changed, changed == 0)


def _own(grid: PairGrid, rows: Tensor, factor: Tensor) -> Tensor:
    """Which level is a row's own, ``[n, most]``."""
    return grid.levels == grid.level(rows, factor)[:, None]


def _available(grid: PairGrid, rows: Tensor, factor: Tensor) -> Tensor:
    """At which levels of each row's ``factor``, all else as it is, a training row lies, ``[n, most]``."""
    size, stride = grid.sizes[factor][:, None], grid.strides[factor][:, None]
    inside = grid.levels < size
    level = torch.where(inside, grid.levels, 0)
    return grid.places(rows[:, None] + (level - grid.level(rows, factor)[:, None]) * stride)[1] & inside


def _stepping(grid: PairGrid, rows: Tensor, factor: Tensor) -> Tensor:
    """Laplace weights of the levels there are, about a row's own, ``[n, most]``."""
    distance = (grid.levels - grid.level(rows, factor)[:, None]).abs()
    return grid.steps[factor].gather(1, distance) * _available(grid, rows, factor)


def _moved(grid: PairGrid, rows: Tensor, factor: Tensor, weights: Tensor, u: Tensor) -> tuple[Tensor, Tensor]:
    """Rows at a level drawn by whole-number weights, and whether any level had one."""
    sums = weights.cumsum(1)
    total = sums[:, -1]
    pick = torch.minimum((u * total).long(), total - 1)  # a product may round up to the total
    level = (sums <= pick[:, None]).sum(1)
    return rows + (level - grid.level(rows, factor)) * grid.strides[factor], total > 0


PAIRS: Mapping[str, Callable[..., Partners]] = {"few": few, "laplace": laplace}
