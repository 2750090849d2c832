"""How many images each cell gives, so that totals are constant and no source image is used twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, available, cell_name

KEYS = {"train": "images", "validation": "validation_images", "test": "test_images"}  # what sets a pool's total


def plain_sizes(*, of: str = "images", least: int = 1, **sizes: object) -> list[int | None]:
    """Numbers of images, which start at one (``least``), as plain numbers in the order given."""
    found: list[int | None] = []
    for name, size in sizes.items():
        if size is not None and (not is_whole(size) or size < least):
            raise UnseenError(
                f"design.{name} = {size!r} is a number of {of}, from {least}; leave it out for the default."
            )
        found.append(None if size is None else int(size))
    return found


def computed(samples: Samples, factors: Sequence[str]) -> tuple[bool, ...]:
    """Which of the factors are computed by the world: cells that differ only there draw on the same instances."""
    return tuple(any(name in block.grid for block in samples.blocks) for name in factors)


def source_of(cell: Sequence[int], shared: Sequence[bool]) -> tuple[int, ...]:
    """The part of a cell that decides which instances can show it."""
    return tuple(-1 if free else level for level, free in zip(cell, shared))


def even(total: int, cells: int) -> Int[np.ndarray, " cells"]:
    """``total`` images over cells, differing by at most one, the earlier cells first.

    >>> even(7, 3).tolist()
    [3, 2, 2]
    """
    return total // cells + (np.arange(cells) < total % cells).astype(np.int64)


def take_even(
    samples: Samples,
    pools: Pools,
    pool: str,
    factors: Sequence[str],
    cells: Sequence[tuple[int, ...]],
    total: int,
    after: Sequence[Part] = (),
    advice: Callable[[], str] | None = None,
) -> tuple[Part, ...]:
    """``total`` images spread evenly over ``cells``; each instance is used in one cell only.

    Instances that ``after`` takes are passed over as far as the others suffice. An error lists the cells that have too
    few images, with what they have and what they would need, and ends with the ``advice`` of who asks.
    """
    supply = available(samples, pools, pool, factors)
    shared = computed(samples, factors)
    quotas = list(zip(cells, even(total, len(cells)).tolist()))
    earlier, own, used = Counter(), Counter(), Counter()
    for part in after:
        earlier[source_of(part.cell, shared)] += part.take or 0
    for cell, take in quotas:
        own[source_of(cell, shared)] += take
    parts, short = [], []
    for cell, take in quotas:
        source = source_of(cell, shared)
        passed = max(0, min(earlier[source], int(supply[cell]) - own[source]))
        parts.append(Part(tuple(cell), take, passed + used[source]))
        used[source] += take
        if used[source] > supply[cell]:
            short.append((cell, used[source], int(supply[cell])))
    if short:
        space = samples.space.select(factors)
        words = [f"{cell_name(space, cell)} (has {has}, needs {need})" for cell, need, has in short]
        most = fitting_total(samples, factors, cells, supply)
        fits = f"design.{KEYS[pool]} = {most} fits." if most >= len(cells) else "or add some."
        raise UnseenError(
            f"too few images in pool '{pool}' for {total} over {len(cells)} cells: {listed(words, most=10)}. "
            f"Ask for fewer images: {fits if advice is None else advice()}"
        )
    return tuple(parts)


def take_each(cells: Sequence[tuple[int, ...]], supply: np.ndarray, most: int | None) -> tuple[Part, ...]:
    """Up to ``most`` instances in every cell, the same instances in all cells of one source (for probes)."""
    return tuple(Part(tuple(cell), int(supply[cell] if most is None else min(supply[cell], most))) for cell in cells)


def constant_total(
    samples: Samples,
    factors: Sequence[str],
    steps: Sequence[Sequence[tuple[int, ...]]],
    supply: np.ndarray,
) -> int:
    """The largest total that the first one, two, … of the nested ``steps`` can all give.

    One cell for each row can give it where the rows have instances of their own. Where the world computes the rows as
    well, more cells share one source, and the fullest source decides.
    """
    least = min(int(supply[cell]) for step in steps for cell in step)
    shared = computed(samples, factors)
    if not shared[0]:
        return least * len(steps[0])
    users: Counter[tuple[int, ...]] = Counter()
    totals, cells = [], 0
    for step in steps:
        users.update(source_of(cell, shared) for cell in step)
        cells += len(step)
        totals.append(least // max(users.values()) * cells)
    return min(totals)


def fitting_total(
    samples: Samples, factors: Sequence[str], cells: Sequence[tuple[int, ...]], supply: np.ndarray
) -> int:
    """The largest total that these cells can give evenly; cells of one source share its instances."""
    shared = computed(samples, factors)
    users = Counter(source_of(cell, shared) for cell in cells)
    return min(int(supply[cell]) // users[source_of(cell, shared)] for cell in cells) * len(cells)
