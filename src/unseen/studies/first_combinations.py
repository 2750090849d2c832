"""The sizes of a first study of held-out combinations: found by laying out the design itself on the images there are.

A first study should use what there is and be refused nowhere. So the design's own grid is asked which combinations it
would show, how many images each number of them can give, and which levels stand in its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unseen.designs.balance import combinations
from unseen.designs.room import Room, longest_chain, without_gaps
from unseen.vocabulary.factors import Level
from unseen.vocabulary.instances import IMAGE, INSTANCE, NOTHING, alone
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import available

SHARES = ((0.7, 0.1, 0.2), (0.6, 0.2, 0.2), (0.5, 0.25, 0.25), (0.34, 0.33, 0.33))
USUAL = SHARES[0]
MOST_DIVERSITIES = 4
WANTED, PER_LEVEL = 200, 10  # training images in all, and of each level of the rows, that a first study would like
KEPT = 0.5  # of all images: where fewer lie in combinations that fill three pools, pools are shared instead
SPARED = 4  # one in so many levels may be left out for the others' sake
FEW_LEVELS = 3  # of which none is left out
GAIN = 2  # times as many training images, for leaving out one level
TRAINED = 0.6  # of a cell's images where pools are shared: the rest is for validation and testing


@dataclass(frozen=True)
class Combinations:
    """Arguments of ``hold_out_combinations`` and the numbers of seen combinations to compare; ``levels`` are those to
    keep where some must be left out."""

    arguments: Mapping[str, Any]
    seen_per_level: tuple[int, ...]
    levels: Mapping[str, list[Level]]
    never_seen: tuple[Level, ...] = ()  # of the columns left out, those that no choice of cells could train on
    avoided: int = 0  # cells that cannot fill three pools
    more: int = 0  # training images that there could be without the smallest number of seen combinations

    @property
    def images(self) -> int:
        return self.arguments["images"]


@dataclass(frozen=True, eq=False)
class _Layout:
    """How the images could be shared out: by what pools are disjoint, their shares, and which rows and columns stay."""

    by: str
    shares: tuple[float, ...]
    usable: np.ndarray
    kept: tuple[list[int], list[int]]
    share_kept: float  # of all images, those in usable cells of the rows and columns that stay
    never_seen: tuple[int, ...] = ()  # columns that go since no choice of cells could train on all of them


def plan_combinations(
    samples: Samples, rows: str, columns: str, objects: str | None = None, seed: int = 0
) -> Combinations | None:
    """A study of combinations on these samples, or None where there can be none. ``objects``: the factor whose photos
    belong together."""
    factors = (rows, columns)
    best = _best(samples, factors, objects, seed)
    if best is None:
        return None
    best = _without_scarce(samples, factors, best, seed)
    if not all(len(kept) == len(samples.space[name]) for name, kept in zip(factors, best.kept)):
        levels = {
            name: [samples.space[name].levels[place] for place in kept]
            for name, kept in zip(factors, best.kept)
            if len(kept) < len(samples.space[name])
        }
        never_seen = tuple(samples.space[columns].levels[place] for place in best.never_seen)
        return Combinations({"images": 0}, (), levels, never_seen)  # to be planned anew without them
    return _sized(samples, factors, best, seed)


def _best(samples: Samples, factors: tuple[str, str], objects: str | None, seed: int) -> _Layout | None:
    """Pools that are disjoint by object, else by image, else by nothing: the first that keeps most images in use."""
    best = None
    for by in (*([objects, IMAGE] if objects else [INSTANCE]), NOTHING):
        tried = [_layout(samples, factors, by, shares, seed) for shares in (SHARES if by != "nothing" else (USUAL,))]
        own = max(filter(None, tried), key=_preferred, default=None)
        if own is not None and (best is None or own.share_kept > best.share_kept):
            best = own
        if best is not None and best.share_kept >= KEPT:
            break
    return best


def _preferred(layout: _Layout) -> tuple[float, int]:
    return round(layout.share_kept, 2), -SHARES.index(layout.shares)


def _without_scarce(samples: Samples, factors: tuple[str, str], layout: _Layout, seed: int) -> _Layout:
    """Leave out levels, one by one, that limit all others to far fewer training images than they could have."""
    pools = _pools(samples, factors, layout.by, layout.shares, seed)
    supply = available(samples, pools, "train", factors)
    spare = [len(samples.space[name]) // SPARED for name in factors]

    def limit(kept: tuple[list[int], list[int]], least: int = 0) -> int:
        own, there = supply[np.ix_(*kept)], layout.usable[np.ix_(*kept)]
        images = int(own[there].min()) * len(kept[0]) if there.any() else 0
        return images if images >= least and _shows_all(there, seed) else 0

    kept, now = layout.kept, limit(layout.kept)
    while now < WANTED:
        tries = []
        for axis, levels in enumerate(kept):
            if len(samples.space[factors[axis]]) - len(levels) >= spare[axis] or len(levels) <= FEW_LEVELS:
                continue
            for level in levels:
                rest = [one for one in levels if one != level]
                pair = (rest, kept[1]) if axis == 0 else (kept[0], rest)
                tries.append((limit(pair, GAIN * now), pair))
        best = max(tries, key=lambda one: one[0], default=(0, kept))
        if best[0] < GAIN * now:
            break
        now, kept = best
    return replace(layout, kept=kept)


def _pools(samples: Samples, factors: tuple[str, str], by: str, shares: tuple[float, ...], seed: int) -> Pools:
    return Pools(shares, by=by, within=factors if alone(samples, by) else factors[:1], seed=seed)


def _layout(
    samples: Samples, factors: tuple[str, str], by: str, shares: tuple[float, ...], seed: int
) -> _Layout | None:
    pools = _pools(samples, factors, by, shares, seed)
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    usable = np.logical_and.reduce([own > 0 for own in supply.values()])
    rest = without_gaps(usable, seed)
    if rest is None:
        return None
    whole = available(samples, Pools(by="nothing"), "train", factors)
    kept = _with_all_seen(usable, rest, whole, seed)
    if kept is None:
        return None
    never_seen = tuple(column for column in rest[1] if column not in kept[1])
    share = float((whole * usable)[np.ix_(*kept)].sum() / max(whole.sum(), 1))
    return _Layout(by, shares, usable, kept, share, never_seen)


def _shows_all(usable: np.ndarray, seed: int) -> bool:
    """Whether some number of seen combinations shows every column: counts of columns are within one of each other."""
    return len(usable) * longest_chain(usable, seed) >= usable.shape[1]


def _with_all_seen(
    usable: np.ndarray, kept: tuple[list[int], list[int]], whole: np.ndarray, seed: int
) -> tuple[list[int], list[int]] | None:
    """Rows, and columns that training can all show: of two rows and three columns one cell each is held out, and two
    of three columns can be seen with one cell per row. The column with the fewest images goes first."""
    rows, columns = kept
    while len(columns) >= 2:
        if _shows_all(usable[np.ix_(rows, columns)], seed):
            return rows, columns
        fewest = int(whole[np.ix_(rows, columns)].sum(0).argmin())
        columns = [column for place, column in enumerate(columns) if place != fewest]
    return None


def _sized(samples: Samples, factors: tuple[str, str], layout: _Layout, seed: int) -> Combinations:
    pools = _pools(samples, factors, layout.by, layout.shares, seed)
    supply = available(samples, pools, "train", factors)
    if layout.by == "nothing":
        supply = np.where(supply > 0, np.maximum(1, (TRAINED * supply).astype(np.int64)), 0)
    chain = combinations(layout.usable.tobytes(), layout.usable.shape, seed)[1]
    steps = [[(row, int(column)) for row, column in enumerate(step.tolist())] for step in chain]
    room = Room(samples, factors, steps, (), supply, "train")
    seen = diversities(room)
    shape = layout.usable.shape
    uneven = any(shape[0] * k % shape[1] for k in seen)
    return Combinations(
        {
            "rows": factors[0],
            "columns": factors[1],
            "images": min(room.span(k)[1] for k in seen),
            **({"balance": "nearly_balanced"} if uneven else {}),
            **({"empty": "avoid"} if not layout.usable.all() else {}),
            **({"shares": list(layout.shares)} if layout.shares != USUAL else {}),
            **({"disjoint_by": layout.by} if layout.by != "instance" else {}),
        },
        seen,
        {},
        (),
        int((~layout.usable).sum()),
        min((room.span(k)[1] for k in seen[1:]), default=0),
    )


def diversities(room: Room) -> tuple[int, ...]:
    """Numbers of seen combinations to compare, a few from small to large.

    The smallest decides how many images all may have, so it is no smaller than needed for a number that a network can
    learn from, and never so large that less than half of the range is left. With every number all columns are trained
    on: else a new level would be compared with a new combination.
    """
    most = len(room.steps)
    shown = [{column for step in room.steps[:k] for _, column in step} for k in range(1, most + 1)]
    least = next((k for k, columns in enumerate(shown, start=1) if len(columns) == room.supply.shape[1]), most)
    spans = {k: room.span(k) for k in range(1, most + 1)}
    wanted = max(WANTED, PER_LEVEL * len(room.steps[0]))
    upper = max(least, most // 2)
    first = next((k for k in range(least, upper + 1) if spans[k][1] >= wanted), upper)
    while True:
        seen = _spread(first, most)
        images = min(spans[k][1] for k in seen)
        seen = tuple(k for k in seen if spans[k][0] <= images)
        if len(seen) > 1 or first >= most:
            return seen or (most,)
        first += 1


def _spread(first: int, last: int) -> Sequence[int]:
    """A few whole numbers from the first to the last.

    >>> _spread(1, 3), _spread(2, 7)
    ((1, 2, 3), (2, 4, 5, 7))
    """
    count = min(MOST_DIVERSITIES, last - first + 1)
    if count == 1:
        return (last,)
    return tuple(sorted({first + round(step * (last - first) / (count - 1)) for step in range(count)}))
