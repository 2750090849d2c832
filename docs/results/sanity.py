"""How alike maps are to those of other weights: a study of sanity checks, method by method."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from docs.results.numbers import interval, mean_of, number, table

WITHOUT_SIGN = "rank correlation without sign"
RANDOM = "random labels"
# What the paper says of a method, as our notes have it.
PUBLISHED = {
    "gradient": "changes", "grad-cam": "changes", "guided-backprop": "stays alike", "guided-grad-cam": "stays alike",
}  # fmt: skip
LINE = 0.5  # of the rule of verdicts (ours)


class Sanity:
    """``path``: the tidy table of a study; ``summary``: its means, which alone hold the comparison of two networks."""

    def __init__(self, path: Path, summary: Path) -> None:
        self.every = pl.read_parquet(path)
        self.trained = self.every.filter(~pl.col("world.dealt"))
        own = pl.read_csv(summary, infer_schema_length=None)
        self.random = {
            (row["series"], row["measure"]): row for row in own.filter(pl.col("set") == RANDOM).iter_rows(named=True)
        }
        rows = self.trained.filter(pl.col("measure") == WITHOUT_SIGN)
        self.methods = rows["target"].unique(maintain_order=True).to_list()
        self.trials = self.every["trial"].n_unique()

    def values(self, method: str, compared: str, measure: str = WITHOUT_SIGN) -> list[float]:
        """One number for each draw."""
        mine = pl.col("target") == method, pl.col("set") == compared, pl.col("measure") == measure
        return self.trained.filter(*mine)["value"].to_list()

    def verdict(self, method: str) -> str:
        one = mean_of(self.values(method, "cascade"))
        low, high = (one.low, one.high) if one.low == one.low else (one.value, one.value)  # all draws coincide
        return "does not depend" if low > LINE else "depends" if high < LINE else "open"

    def of(self, words: str) -> list[str]:
        return [method for method in self.methods if self.verdict(method) == words]

    def accuracy(self, dealt: bool, asked: str) -> list[float]:
        mine = pl.col("measure") == "accuracy", pl.col("target") == "category", pl.col("set") == asked
        return self.every.filter(*mine, pl.col("world.dealt") == dealt)["value"].to_list()

    def methods_table(self) -> str:
        rows = []
        for method in self.methods:
            cells = [
                interval(self.values(method, one)) for one in ("cascade", "single layers", "all layers drawn anew")
            ]
            other = self.random.get((method, WITHOUT_SIGN))
            told = "" if other is None else f"{number(other['value'])}"
            rows.append((method, self.verdict(method), *cells, told, PUBLISHED.get(method, "")))
        heads = ("method", "weights", "cascade", "single layers", "all layers anew", RANDOM, "Adebayo et al. 2018")
        return table(heads, rows)
