"""The tables of the page on scale: what looking at large stores, claiming and disturbances were measured to cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.numbers import mean_of, number, table

ANSWERS = 360  # of a trial: two sets, two targets, as `bench.stores` draws them


@dataclass(frozen=True)
class Scale:
    """``stores.csv`` (bench.stores), ``claims.csv`` (bench.claims), ``workers.csv`` (bench.workers, with the commit in
    front) and ``disturbed.csv`` (tests), beside the page."""

    folder: Path

    def _of(self, name: str) -> pl.DataFrame:
        return pl.read_csv(self.folder / f"{name}.csv")

    def seconds(self, what: str, trials: int) -> str:
        """The middle of what was measured, with least and most where there were several."""
        row = self._of("stores").filter((pl.col("what") == what) & (pl.col("trials") == trials)).row(0, named=True)
        middle = number(row["middle"], 2)
        return middle if row["n"] == 1 else f"{middle} ({number(row['least'], 2)} to {number(row['most'], 2)})"

    def stores(self) -> str:
        rows = [
            (
                one["what"], f"{one['trials']:,}", self.seconds(one["what"], one["trials"]), str(one["n"]),
                number(1000 * one["middle"] / one["trials"], 2),
            )
            for one in self._of("stores").iter_rows(named=True)
        ]  # fmt: skip
        return table(("", "trials", "seconds of the processor", "n", "ms per trial"), rows)

    def claims(self) -> str:
        wide = self._of("claims")
        rows = [
            (one["what"], *(number(one[size], 2) for size in wide.columns[1:]))
            for one in wide.iter_rows(named=True)
        ]  # fmt: skip
        return table(("milliseconds", *(f"{int(size):,} trials" for size in wide.columns[1:])), rows)

    def claim(self, what: str, size: int) -> str:
        return number(self._of("claims").filter(pl.col("what") == what)[str(size)][0], 2)

    def disturbed(self) -> str:
        told = self._of("disturbed")
        return table(told.columns, [[str(one) for one in row] for row in told.iter_rows()])

    def workers(self, code: str) -> str:
        """A row per way that was measured of a commit: what it took, the middle with the least and the most."""
        told, rows = self._of("workers").filter(pl.col("code") == code), []
        for way, words in (("run", "`run --workers 1`"), ("work", "`work`, one"), ("two", "`work`, two at once")):
            mine = told.filter(pl.col("way") == way)
            if mine.is_empty():
                continue
            spent = [_middle(mine[what].to_list()) for what in ("processor", "clock", "load")]
            rows.append((words, *spent, str(mine.height)))
        return table(("", "seconds of the processor, in all", "by the clock", "load before", "n"), rows)

    def ratio(self, code: str, way: str, other: str, what: str) -> str:
        """One way over another in the same round: the geometric mean of rounds with its 95 % interval."""
        told = self._of("workers").filter(pl.col("code") == code)
        both = told.filter(pl.col("way") == way).join(told.filter(pl.col("way") == other), on="round")
        found = mean_of(np.log((both[what] / both[f"{what}_right"]).to_numpy()).tolist())
        low, middle, high = (f"{np.exp(one):.3f}" for one in (found.low, found.value, found.high))
        return f"{middle} (95 % interval {low} to {high}, n = {both.height} rounds)"


def _middle(values: list[float]) -> str:
    """The middle of some numbers, with the least and the most.

    >>> _middle([3.0, 1.0, 2.0])
    '2.0 (1.0 to 3.0)'
    """
    there = sorted(values)
    return f"{there[len(there) // 2]:.1f} ({there[0]:.1f} to {there[-1]:.1f})"
