"""What a grid of combinations has room for, so that an error's advice, once followed, is not refused in its turn.

A number of images must suit every ``seen_per_level`` of a study: the largest needs one image for each of its cells, the
smallest must find all of them in few cells. Each alone would advise what the other refuses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from unseen.designs.apart import THIRDS, keeps_groups, things_told, ways_apart
from unseen.designs.balance import combinations
from unseen.designs.quotas import KEYS, fitting_total
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import RowSet, available, cell_name
from unseen.vocabulary.words import capital

Cell = tuple[int, int]
SPARSE = 0.4  # of all cells: with fewer usable ones the levels with most gaps are dropped before anything is tried
EVERY_POOL = 3  # images that a cell needs to have one in each pool


@dataclass(frozen=True, eq=False)
class Room:
    """The cells that each step adds to the seen ones, those that are asked, and the images of one pool in each."""

    samples: Samples
    factors: tuple[str, str]
    steps: Sequence[Sequence[Cell]]
    asked: Sequence[Cell]  # of the test pool; of the others none
    supply: Int[np.ndarray, "rows columns"]
    pool: str

    @property
    def key(self) -> str:
        return KEYS[self.pool]

    def span(self, seen_per_level: int) -> tuple[int, int]:
        """The fewest images that fill every cell, and the most that these cells can give evenly."""
        cells = [cell for step in self.steps[:seen_per_level] for cell in step]
        sets = [cells, self.asked] if self.asked else [cells]
        most = min(fitting_total(self.samples, self.factors, one, self.supply) for one in sets)
        return max(map(len, sets)), most

    def suited(self, images: int) -> list[int]:
        """Which ``seen_per_level`` a number of images suits."""
        return [k for k in range(1, len(self.steps) + 1) if self.span(k)[0] <= images <= self.span(k)[1]]

    def advice(self, seen_per_level: int) -> str:
        """What can be set so that this number of seen combinations, or else a smaller one, has its images."""
        spans = {k: self.span(k) for k in range(1, len(self.steps) + 1)}
        tried = {n: self.suited(n) for n in sorted({n for least, most in spans.values() for n in (least, most)})}
        own = {n: ks for n, ks in tried.items() if seen_per_level in ks}
        if not own:
            possible = [k for k, (least, most) in spans.items() if least <= most]
            fewer = f"set design.seen_per_level to {max(possible)} or less, " if possible else ""
            return f"{fewer}add images, or give pool '{self.pool}' a larger share (design.shares)."
        least, most = spans[seen_per_level]
        best = max(own, key=lambda n: (len(own[n]), n))
        here = f"design.{self.key} may be {_range(least, most)} with seen_per_level = {seen_per_level}"
        if len(own[best]) == len(self.steps):
            return f"{here}; {best} images suit seen_per_level {_levels(own[best])}, which is all there are."
        return (
            f"{here}. One number has to suit every seen_per_level of a study: {best} images suit seen_per_level "
            f"{_levels(own[best])}{self._other(tried, own[best])}."
        )

    def _other(self, tried: Mapping[int, list[int]], told: list[int]) -> str:
        """Another number, for those that the first does not suit."""
        left = {n: ks for n, ks in tried.items() if set(ks) - set(told)}
        if not left:
            return ""
        best = max(left, key=lambda n: (len(left[n]), n))
        return f"; {best} images suit seen_per_level {_levels(left[best])}"


def check_total(total: object, seen_per_level: int, room: Room) -> None:
    """A number of images is whole, and one for each cell at least."""
    least, _ = room.span(seen_per_level)
    if total is None or (is_whole(total) and total >= least):
        return
    told = f"design.{room.key} = {total!r}; {least} cells need at least one image each"
    raise UnseenError(f"{told}: {room.advice(seen_per_level)}")


def check_not_empty(
    room: Room, needed: Sequence[Cell], kept: tuple[np.ndarray, np.ndarray], pools: Pools, seed: int
) -> None:
    space = room.samples.space.select(room.factors)
    cells = sorted(set(needed))
    bare = [cell for cell in cells if not room.supply[cell]]
    if not bare:
        return
    names = listed([cell_name(space, cell) for cell in bare], most=10)
    raise UnseenError(
        f"{len(bare)} of the {len(cells)} cells this design needs have no image in pool '{room.pool}': {names}. "
        f"{_mend_empty(room, cells, bare, kept, pools, seed)}"
    )


def _mend_empty(
    room: Room,
    needed: Sequence[Cell],
    bare: Sequence[Cell],
    kept: tuple[np.ndarray, np.ndarray],
    pools: Pools,
    seed: int,
) -> str:
    """Only what helps is offered: each is tried."""
    whole = available(room.samples, Pools(by="nothing"), "train", room.factors)
    ways = ["add images"]
    thirds = Pools(THIRDS, pools.by, pools.within, pools.respect_source, pools.seed)
    grouped = keeps_groups(room.samples, pools)
    if grouped:
        ways += ways_apart(
            room.samples, pools, room.factors, lambda one: all(_in_every_pool(room, one)[cell] for cell in needed)
        )
    elif pools.by != "nothing" and all(_in_every_pool(room, thirds)[cell] for cell in needed):
        ways.append(f"share the images out more evenly (design.shares = {list(THIRDS)})")
    usable = _in_every_pool(room, pools)[np.ix_(*kept)]
    if seen := longest_chain(usable, seed):
        ways.append(f'set design.empty = "avoid" to build the grid around them (seen_per_level up to {seen})')
    scarce = [cell for cell in needed if whole[cell] < EVERY_POOL]
    if pools.by != "nothing" and scarce and all(whole[cell] for cell in needed):
        ways.append(
            f"since {len(scarce)} of these cells have fewer than {EVERY_POOL} images, set design.disjoint_by = "
            '"nothing" (training and testing then share images)'
        )
    told = f"{things_told(room.samples, pools)} ".lstrip()
    return f"{told}{_sentence(ways)}."


def _in_every_pool(room: Room, pools: Pools) -> Bool[np.ndarray, "rows columns"]:
    return np.logical_and.reduce([available(room.samples, pools, pool, room.factors) > 0 for pool in POOLS])


def check_filled(rooms: Mapping[str, Room], seen_per_level: int, sets: Mapping[str, RowSet]) -> None:
    for name in ("train", "validation", "seen", "unseen"):
        parts, room = sets[name].parts, rooms[sets[name].pool]
        space = room.samples.space.select(room.factors)
        bare = [cell_name(space, part.cell) for part in parts if not part.take]
        if bare:
            total = sum(part.take or 0 for part in parts)
            raise UnseenError(
                f"row set '{name}' would have {total} images for {len(parts)} cells, and be empty in {len(bare)}: "
                f"{listed(bare, most=10)}. By default the total is what every number of combinations can give from "
                f"pool '{room.pool}'. Set another: {room.advice(seen_per_level)}"
            )


def too_many_seen(
    given: int, usable: Bool[np.ndarray, "rows columns"], most: int, rows: str, columns: str
) -> UnseenError:
    left_out = "" if usable.all() else f" and {int((~usable).sum())} empty cells left out"
    return UnseenError(
        f"design.seen_per_level = {given}, but with the OOD cells held out{left_out} at most {most} of the "
        f"{usable.shape[1]} levels of '{columns}' can be seen with each level of '{rows}': set it to {most} or less."
    )


def without_gaps(usable: Bool[np.ndarray, "rows columns"], seed: int) -> tuple[list[int], list[int]] | None:
    """The rows and columns that are left once those with most gaps are dropped, one by one, until the rest has a
    balanced choice of cells; None where fewer than two of each would be left.

    >>> gaps = np.ones((4, 4), dtype=bool)
    >>> gaps[2] = False
    >>> without_gaps(gaps, seed=0)
    ([0, 1, 3], [0, 1, 2, 3])
    """
    rows, columns = list(range(usable.shape[0])), list(range(usable.shape[1]))
    while len(rows) >= 2 and len(columns) >= 2:
        rest = usable[np.ix_(rows, columns)]
        possible = rest.sum(1).min() >= 2 and rest.sum(0).min() >= 1 and rest.mean() >= SPARSE
        if possible and longest_chain(rest, seed):
            return rows, columns
        full_rows, full_columns = rest.mean(1), rest.mean(0)
        if full_rows.min() <= full_columns.min():
            rows.pop(int(full_rows.argmin()))
        else:
            columns.pop(int(full_columns.argmin()))
    return None


def longest_chain(usable: Bool[np.ndarray, "rows columns"], seed: int) -> int:
    """The largest ``seen_per_level`` on a grid with gaps; 0 where there is no balanced choice of cells."""
    try:
        return len(combinations(usable.tobytes(), usable.shape, seed)[1])
    except UnseenError:
        return 0


def no_choice(
    factors: tuple[Factor, Factor],
    kept: tuple[np.ndarray, np.ndarray],
    usable: Bool[np.ndarray, "rows columns"],
    seed: int,
    apart: str = "",
) -> UnseenError:
    """No balanced choice exists: which levels stand in its way; ``apart`` tells of pools that have whole objects."""
    shape, gaps = "×".join(map(str, usable.shape)), int((~usable).sum())
    told = f"no balanced choice of cells on this {shape} grid with {gaps} empty cells"
    rest = without_gaps(usable, seed)
    if rest is None:
        few = f"{told}: too few combinations of {factors[0].name} and {factors[1].name} have images in every pool."
        return UnseenError(f"{few} {apart}".rstrip())
    ways = []
    for factor, own, left in zip(factors, kept, rest):
        out = [factor.levels[int(own[place])] for place in range(len(own)) if place not in left]
        if out:
            ways.append(f"leave out {factor.name} {listed(out)}: name the others in world.levels.{factor.name}")
    return UnseenError(f"{told}. {_sentence(ways, ', and ')}; or add images.")


def _sentence(ways: Sequence[str], between: str = ", or ") -> str:
    return capital(between.join(ways))


def _range(least: int, most: int) -> str:
    return f"{least} to {most}" if least < most else f"{least}"


def _levels(suited: Sequence[int]) -> str:
    """Numbers in a row, as a span where they are one.

    >>> _levels([1, 2, 3]), _levels([2, 5])
    ('1 to 3', '2, 5')
    """
    if len(suited) > 2 and suited[-1] - suited[0] == len(suited) - 1:
        return f"{suited[0]} to {suited[-1]}"
    return listed(suited)
