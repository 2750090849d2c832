"""How alike maps are to those of other weights: a study of sanity checks, method by method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

from docs.results.numbers import holm, interval, mean_of, number, table

WITHOUT_SIGN = "rank correlation without sign"
RANDOM = "random labels"
# What the paper says of a method, as our notes have it.
PUBLISHED = {
    "gradient": "changes", "grad-cam": "changes", "guided-backprop": "stays alike", "guided-grad-cam": "stays alike",
}  # fmt: skip
LINE = 0.5  # of the rule of verdicts (ours)
SPREAD = 0.03  # of a level between repeats, added to what they show (docs/guide/verdicts.md)
BASELINES = ("edges", "centre")  # look at no network


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

    def _p(self, method: str) -> float:
        """Whether the mean lies on the line, as `unseen report` judges a level."""
        values = self.values(method, "cascade")
        error = np.sqrt((np.var(values, ddof=1) + SPREAD**2) / len(values))
        return float(2 * stats.t.sf(abs(np.mean(values) - LINE) / error, len(values) - 1))

    def corrected(self) -> dict[str, float]:
        """p of every method that looks at the network, by Holm's method over all of them."""
        judged = [method for method in self.methods if method not in BASELINES]
        return dict(zip(judged, holm([self._p(method) for method in judged])))

    def verdict(self, method: str) -> str:
        if method in BASELINES:
            return "baseline"
        if self.corrected()[method] > 0.05:
            return "open"
        return "does not depend" if mean_of(self.values(method, "cascade")).value > LINE else "depends"

    def of(self, words: str) -> list[str]:
        return [method for method in self.methods if self.verdict(method) == words]

    def accuracy(self, dealt: bool, asked: str) -> list[float]:
        mine = pl.col("measure") == "accuracy", pl.col("target") == "category", pl.col("set") == asked
        return self.every.filter(*mine, pl.col("world.dealt") == dealt)["value"].to_list()

    def methods_table(self) -> str:
        rows, corrected = [], self.corrected()
        for method in self.methods:
            cells = [
                interval(self.values(method, one)) for one in ("cascade", "single layers", "all layers drawn anew")
            ]
            other = self.random.get((method, WITHOUT_SIGN))
            told = "" if other is None else f"{number(other['value'])}"
            p = _p_words(corrected[method]) if method in corrected else ""
            rows.append((method, self.verdict(method), p, *cells, told, PUBLISHED.get(method, "")))
        heads = (
            "method",
            "weights",
            "p, corrected",
            "cascade",
            "single layers",
            "all layers anew",
            RANDOM,
            "Adebayo et al. 2018",
        )
        return table(heads, rows)


def _p_words(p: float) -> str:
    return "< .001" if p < 0.0005 else number(p)
