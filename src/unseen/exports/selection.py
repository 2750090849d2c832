"""Which rows of a world: all, a range, a random sample or a list. A range of a billion rows costs nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

RowsLike = str | slice | Sequence[int] | np.ndarray | None


@dataclass(frozen=True, eq=False)
class Selection:
    """Rows in ascending order: ``start`` and onwards, or those ``listed``. ``words`` tell two selections apart."""

    count: int
    start: int
    words: str
    listed: Int[np.ndarray, " count"] | None = None

    def __len__(self) -> int:
        return self.count

    def part(self, start: int, stop: int) -> Int[np.ndarray, " n"]:
        """Rows at places ``start`` to ``stop`` of the selection."""
        stop = min(stop, self.count)
        if self.listed is not None:
            return self.listed[start:stop]
        return np.arange(self.start + start, self.start + stop, dtype=np.int64)


def select(total: int, rows: RowsLike = None, sample: int | None = None, seed: int = 0) -> Selection:
    """``rows`` as "all", "100:200", a slice or a list of numbers; or ``sample`` rows drawn at random, each once.

    >>> select(10, "7:").part(0, 5).tolist(), select(10, [4, 2]).part(0, 5).tolist(), select(10, sample=3).count
    ([7, 8, 9], [2, 4], 3)
    """
    if sample is not None:
        if rows is not None and not (isinstance(rows, str) and rows == "all"):
            raise UnseenError("rows and a sample were both asked for; give one of them.")
        return _sampled(total, sample, seed)
    if rows is None or isinstance(rows, str | slice):
        start, stop = _range(total, rows)
        whole = (start, stop) == (0, total)
        return Selection(stop - start, start, "all" if whole else f"{start}:{stop}")
    return _listed(total, rows)


def _sampled(total: int, sample: int, seed: int) -> Selection:
    if not 1 <= sample <= total:
        raise UnseenError(f"a sample of {sample:,} rows was asked for; possible: 1 to {total:,}, each row once.")
    found = np.sort(stream(seed, "exports", "sample").choice(total, sample, replace=False))
    return Selection(sample, 0, f"sample of {sample}, seed {seed}", found.astype(np.int64))


def _range(total: int, rows: str | slice | None) -> tuple[int, int]:
    if rows is None or rows == "all":
        start, stop = 0, total
    elif isinstance(rows, slice):
        if rows.step not in (None, 1):
            raise UnseenError(f"rows with a step of {rows.step}; give a list of numbers instead.")
        start, stop = rows.start or 0, total if rows.stop is None else rows.stop
    else:
        found = re.fullmatch(r"\s*(\d*)\s*:\s*(\d*)\s*", rows)
        if found is None:
            raise UnseenError(f"rows '{rows}'; write them as 0:1000 (the second is not included), 500:, or all.")
        start, stop = int(found[1] or 0), int(found[2]) if found[2] else total
    if total == 0:
        raise UnseenError("this world has no rows, so there is nothing to write.")
    if start < 0 or stop > total or start >= total:
        raise UnseenError(f"rows {start}:{stop} asked of a world of {total:,} rows; possible: 0:{total}.")
    if stop <= start:
        raise UnseenError(f"rows {start}:{stop} hold no row; the first must be below the second, as in 0:{total}.")
    return start, stop


def _listed(total: int, rows: Sequence[int] | np.ndarray) -> Selection:
    given = np.asarray(rows)
    if given.size == 0:
        raise UnseenError("an empty list of rows: there is nothing to write.")
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise UnseenError(f"rows must be a list of whole numbers; given: {given.dtype} of shape {given.shape}.")
    found = np.sort(given.astype(np.int64))
    if found[0] < 0 or found[-1] >= total:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise UnseenError(f"row {wrong} asked of a world of {total:,} rows (0 to {total - 1}).")
    if (twice := found[1:][np.diff(found) == 0]).size:
        raise UnseenError(f"row {twice[0]} is listed more than once; a file can show it only once.")
    digest = hashlib.blake2b(found.astype("<i8").tobytes(), digest_size=8).hexdigest()
    return Selection(len(found), 0, f"{len(found)} listed rows, {digest}", found)
