"""Hold out combinations of two factors (Madan et al. 2022, Fig. 1): every level is seen, some combinations are not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from unseen.designs.apart import things_told
from unseen.designs.balance import check_balance, combinations
from unseen.designs.quotas import computed, constant_total, fitting_total, plain_sizes, take_each, take_even
from unseen.designs.room import (
    Room,
    check_filled,
    check_not_empty,
    check_total,
    longest_chain,
    no_choice,
    too_many_seen,
)
from unseen.vocabulary.design_facts import Combinations
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, Level
from unseen.vocabulary.instances import IMAGE, alone, kept_together
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available

VERSION = 1


def hold_out_combinations(
    samples: Samples,
    *,
    rows: str = "category",
    columns: str,
    seen_per_level: int,
    images: int | None = None,
    balance: str = "exact",
    empty: str = "error",
    withhold_rows: Sequence[Level] = (),
    withhold_columns: Sequence[Level] = (),
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    validation_images: int | None = None,
    test_images: int | None = None,
    probe_per_cell: int = 100,
    seed: int,
) -> Split:
    """Show every level of both factors with ``seen_per_level`` levels of the other (Madan et al. 2022, Fig. 1).

    The out-of-distribution (OOD) cells are fixed by ``seed`` for the whole study: on a square grid a permutation, on
    others one cell for each level of the longer factor. The in-distribution sets are nested as ``seen_per_level``
    grows, with equal counts per row and per column, and the number of training images stays the same.

    ``balance="nearly_balanced"`` allows any ``seen_per_level`` on a grid that is not square: counts then differ by at
    most one. ``images=None`` takes the largest total that one cell per row can give, so that it is the same for every
    ``seen_per_level``. ``withhold_rows`` and ``withhold_columns`` keep levels out of training altogether and ask the
    other factor of them (supplement D.5). ``empty="avoid"`` builds the grid around cells that have no images.
    """
    every_row, every_column = two_factors(samples, rows, columns)
    kept_rows, kept_columns = _kept(every_row, withhold_rows), _kept(every_column, withhold_columns)
    _check_choice("balance", balance, ("exact", "nearly_balanced"))
    _check_choice("empty", empty, ("error", "avoid"))
    factors = (rows, columns)
    disjoint_by = kept_together(samples, disjoint_by, factors)
    within = factors if alone(samples, disjoint_by) else (rows,)  # groups have no one column of their own
    pools = Pools(tuple(float(share) for share in shares), by=disjoint_by, within=within, seed=seed)
    supply = {pool: available(samples, pools, pool, factors) for pool in ("train", "validation", "test")}
    usable = np.ones((len(kept_rows), len(kept_columns)), dtype=bool)
    if empty == "avoid":
        usable = np.logical_and.reduce([(s > 0)[np.ix_(kept_rows, kept_columns)] for s in supply.values()])
    check_balance(usable.shape, seen_per_level, balance, rows=rows, columns=columns)
    seen_per_level = int(seen_per_level)
    if not longest_chain(usable, seed):
        apart = things_told(samples, pools)
        apart += f' Or set design.disjoint_by = "{IMAGE}": sets then share every {pools.by}.' if apart else ""
        raise no_choice((every_row, every_column), (kept_rows, kept_columns), usable, seed, apart)
    asked, chain = combinations(usable.tobytes(), usable.shape, seed)
    if seen_per_level > len(chain):
        raise too_many_seen(seen_per_level, usable, len(chain), rows, columns)

    def cell(i: int, j: int) -> tuple[int, int]:
        return int(kept_rows[i]), int(kept_columns[j])

    steps = [[cell(i, j) for i, j in enumerate(step.tolist())] for step in chain]
    seen_cells = [c for step in steps[:seen_per_level] for c in step]
    asked_cells = [cell(i, j) for i, j in np.argwhere(asked).tolist()]
    totals = {"images": images, "validation_images": validation_images, "test_images": test_images}
    ever_seen = [c for step in steps for c in step]
    rooms = {
        pool: Room(samples, factors, steps, asked_cells if pool == "test" else (), own, pool)
        for pool, own in supply.items()
    }
    for total, room in zip(totals.values(), rooms.values()):
        needed = [*(ever_seen if total is None else seen_cells), *room.asked]
        check_not_empty(room, needed, (kept_rows, kept_columns), pools, seed)
        check_total(total, seen_per_level, room)
    images, validation_images, test_images = (None if n is None else int(n) for n in totals.values())

    taken: list[Part] = []  # where pools are one, a set takes other images than those before it while there are some

    def seen(reason: str, pool: str, total: int | None) -> RowSet:
        """The seen cells, with the same total for every ``seen_per_level``; a small test set may grow to fill them."""
        most = constant_total(samples, factors, steps, supply[pool]) if total is None else total
        if total is None and pool != "train":
            most = max(most, min(len(seen_cells), fitting_total(samples, factors, seen_cells, supply[pool])))
        advice = partial(rooms[pool].advice, seen_per_level)
        parts = take_even(samples, pools, pool, factors, seen_cells, most, after=taken, advice=advice)
        taken.extend(parts if disjoint_by == "nothing" else ())
        return RowSet(reason, pool, parts)

    shown = f"{seen_per_level} of {len(kept_columns)} levels of {columns} with each level of {rows}"
    asked_total = fitting_total(samples, factors, asked_cells, supply["test"]) if test_images is None else test_images
    sets = {
        "train": seen(f"{shown}; the total is the same for every number of combinations", "train", images),
        "validation": seen("new images of the seen combinations, to choose the epoch", "validation", validation_images),
        "seen": seen("new images of the seen combinations (in-distribution)", "test", test_images),
        "unseen": RowSet(
            "the held-out combinations (OOD), the same for every number of seen ones",
            "test",
            take_even(
                samples,
                pools,
                "test",
                factors,
                asked_cells,
                asked_total,
                advice=partial(rooms["test"].advice, seen_per_level),
            ),
        ),
    }
    sets |= _new_levels(samples, factors, kept_rows, kept_columns, supply["test"])
    every = [cell(i, j) for i in range(len(kept_rows)) for j in range(len(kept_columns))]
    (probed,) = plain_sizes(probe_per_cell=probe_per_cell, least=0)
    probe = take_each(every, supply["test"], probed)
    sets["probe"] = RowSet("all combinations, for the activity of units", "test", probe)
    check_filled(rooms, seen_per_level, sets)
    return Split(
        factors,
        sets,
        pools,
        Combinations(
            combinations=len(seen_cells),
            seen_per_level=seen_per_level,
            grid=usable.shape,
            balance=balance,
            disjoint_by=disjoint_by,
            withheld={
                factor.name: tuple(level for level in range(len(factor)) if level not in kept)
                for factor, kept in ((every_row, kept_rows), (every_column, kept_columns))
            },
            one_image_one_cell=any(computed(samples, factors)),
        ),
    )


def two_factors(samples: Samples, rows: str, columns: str) -> tuple[Factor, Factor]:
    """The factors of a design's grid, which must be two."""
    if rows == columns:
        raise UnseenError(
            f"design.rows and design.columns are both '{rows}'; name two of {listed(samples.space.names)}."
        )
    return samples.space[rows], samples.space[columns]


def _kept(factor: Factor, withheld: Sequence[Level]) -> np.ndarray:
    out = {factor.index(level) for level in withheld}
    kept = np.array([level for level in range(len(factor)) if level not in out])
    if len(kept) < 2:
        raise UnseenError(
            f"factor '{factor.name}' has {len(kept)} levels left to train on; combinations need at least 2."
        )
    return kept


def _new_levels(
    samples: Samples, factors: tuple[str, str], kept_rows: np.ndarray, kept_columns: np.ndarray, supply: np.ndarray
) -> dict[str, RowSet]:
    """Test sets of levels that training never shows: the *other* factor is asked of them (supplement D.5)."""
    rows, columns = factors
    new_rows = [r for r in range(len(samples.space[rows])) if r not in kept_rows]
    new_columns = [c for c in range(len(samples.space[columns])) if c not in kept_columns]
    sets = {}
    if new_rows:
        cells = [(r, int(c)) for r in new_rows for c in kept_columns]
        reason = f"levels of {rows} never seen in training: {columns} is asked"
        sets["new-rows"] = RowSet(reason, "test", take_each(cells, supply, None), asks=(columns,))
    if new_columns:
        cells = [(int(r), c) for r in kept_rows for c in new_columns]
        reason = f"levels of {columns} never seen in training: {rows} is asked"
        sets["new-columns"] = RowSet(reason, "test", take_each(cells, supply, None), asks=(rows,))
    return sets


def _check_choice(key: str, given: str, possible: tuple[str, ...]) -> None:
    if given not in possible:
        raise unknown(f"value for design.{key}", given, possible)
