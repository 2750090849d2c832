"""Which cells of a grid are held out and which are seen, balanced over rows and columns, nested as diversity grows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.seeds import stream

TRIES = 400


def check_balance(shape: tuple[int, int], seen_per_level: object, balance: str, *, rows: str, columns: str) -> None:
    """Equal counts per row *and* column exist only where the columns divide rows × seen_per_level."""
    n_rows, n_columns = shape
    if not is_whole(seen_per_level) or seen_per_level < 1:
        raise UnseenError(f"design.seen_per_level = {seen_per_level!r}; give a whole number from 1 to {n_columns - 1}.")
    exact = [k for k in range(1, n_columns) if (n_rows * k) % n_columns == 0]
    if balance == "exact" and seen_per_level not in exact and seen_per_level < n_columns:
        offer = f"exactly balanced sizes are {listed(exact)}" if exact else "no size is exactly balanced"
        raise UnseenError(
            f"design.seen_per_level = {seen_per_level} cannot be balanced on a {n_rows}×{n_columns} grid of {rows} × "
            f"{columns}: {n_rows * seen_per_level} cells do not share out evenly over {n_columns} columns; {offer}. "
            f'Or set balance = "nearly_balanced" (counts differ by at most one).'
        )


@lru_cache(maxsize=32)
def combinations(usable: bytes, shape: tuple[int, int], seed: int) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The OOD cells (a mask), and for each step the column that every row adds to the seen ones.

    Step after step, a random matching of rows to unused columns keeps the columns' counts within one of each other
    (equal where they can be). On a square grid without gaps each step is a perfect matching, which exists because what
    remains is a regular bipartite graph (König); elsewhere a dead end is possible and another start is tried.
    """
    mask = np.frombuffer(usable, dtype=bool).reshape(shape)
    asked, chain = np.zeros(shape, dtype=bool), ()
    for attempt in range(TRIES):
        rng = stream(seed, "design", "combinations", attempt)
        found = _held_out(mask, rng)
        if found is None:
            continue
        steps = _chain(mask & ~found, rng)
        if len(steps) > len(chain) or attempt == 0:
            asked, chain = found, steps
        if len(chain) == _longest(mask & ~found):
            return asked, chain
    if not chain:
        empty = int((~mask).sum())
        raise UnseenError(f"no balanced choice of cells on this {shape[0]}×{shape[1]} grid with {empty} empty cells.")
    return asked, chain


def _longest(free: Bool[np.ndarray, "rows columns"]) -> int:
    """No chain can be longer: every row and column must have room (a bound, not a promise)."""
    n_rows, n_columns = free.shape
    return min(
        int(free.sum(1).min()), int(free.sum(0).min() * n_columns // n_rows) if n_rows <= n_columns else n_columns
    )


def _held_out(usable: Bool[np.ndarray, "rows columns"], rng: np.random.Generator) -> np.ndarray | None:
    """One cell for each level of the longer factor, levels of the shorter as evenly as can be."""
    transposed = usable.shape[0] < usable.shape[1]
    free = usable.T if transposed else usable
    column = _add_one_per_row(free, np.zeros(free.shape[1], dtype=np.int64), rng)
    if column is None:
        return None
    asked = np.zeros(free.shape, dtype=bool)
    asked[np.arange(len(column)), column] = True
    return asked.T if transposed else asked


def _chain(free: Bool[np.ndarray, "rows columns"], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    free, counts, steps = free.copy(), np.zeros(free.shape[1], dtype=np.int64), []
    while True:
        column = _add_one_per_row(free, counts, rng)
        if column is None:
            return tuple(steps)
        free[np.arange(len(column)), column] = False
        counts += np.bincount(column, minlength=len(counts))
        steps.append(column)


def _add_one_per_row(
    free: Bool[np.ndarray, "rows columns"], counts: Int[np.ndarray, " columns"], rng: np.random.Generator
) -> Int[np.ndarray, " rows"] | None:
    """A new column for every row so that the columns' counts end within one of each other, or None."""
    from scipy.optimize import linear_sum_assignment

    after = counts.sum() + len(free)
    low, high = after // len(counts), -(-after // len(counts))
    must, may = np.maximum(low - counts, 0), np.maximum(high - np.maximum(counts, low), 0)
    slots = np.concatenate([np.repeat(np.arange(len(counts)), must), np.repeat(np.arange(len(counts)), may)])
    if len(slots) < len(free):
        return None
    forbidden = 1e6
    cost = np.where(free[:, slots], rng.random((len(free), len(slots))), forbidden)
    cost[:, : must.sum()] -= np.where(free[:, slots[: must.sum()]], 1e3, 0)
    row, slot = linear_sum_assignment(cost)
    chosen = slots[slot]
    if not free[row, chosen].all() or (np.bincount(chosen, minlength=len(counts)) < must).any():
        return None
    return chosen[np.argsort(row)]
