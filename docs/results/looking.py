"""Where maps lie on rendered objects: a study of looking, method by method."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from docs.results.numbers import interval, table

ENERGY, AREA = "energy on object", "area of object"
SORTS = ("seen", "unseen", "unseen, right", "unseen, wrong")


class Looking:
    """One study's tidy table; a draw of the design is a repeat."""

    def __init__(self, path: Path) -> None:
        self.every = pl.read_parquet(path)
        self.methods = self.every.filter(pl.col("measure") == ENERGY)["target"].unique(maintain_order=True).to_list()
        self.trials = self.every["trial"].n_unique()

    def values(self, method: str, sort: str, measure: str = ENERGY) -> dict[int, float]:
        """One number for each draw that has one."""
        mine = pl.col("target") == method, pl.col("set") == sort, pl.col("measure") == measure
        return {row["design.seed"]: row["value"] for row in self.every.filter(*mine).iter_rows(named=True)}

    def difference(self, method: str, first: str, second: str) -> dict[int, float]:
        """Paired by draw."""
        one, other = self.values(method, first), self.values(method, second)
        return {draw: one[draw] - other[draw] for draw in one if draw in other}

    def accuracy(self, asked: str) -> dict[int, float]:
        mine = pl.col("measure") == "accuracy", pl.col("target") == "category", pl.col("set") == asked
        return {row["design.seed"]: row["value"] for row in self.every.filter(*mine).iter_rows(named=True)}

    def told(self, values: dict[int, float]) -> str:
        return interval(values) + (f", n = {len(values)}" if len(values) < len(self.accuracy("seen")) else "")

    def table(self) -> str:
        rows = [(method, *(self.told(self.values(method, sort)) for sort in SORTS),
                 self.told(self.difference(method, "seen", "unseen")),
                 self.told(self.difference(method, *SORTS[2:]))) for method in self.methods]  # fmt: skip
        return table(("method", *SORTS, "seen − unseen", "right − wrong, unseen"), rows)
