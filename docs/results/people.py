"""People and networks of released trials, and lines of new against original accuracy, as the pages tell them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

from docs.results.numbers import Mean, interval, number, table
from unseen.vocabulary.words import capital

NAMES = {
    "vgg": "VGG-16", "alexnet": "AlexNet", "googlenet": "GoogLeNet", "resnet50": "ResNet-50",
    "resnet50-train-60-epochs": "ResNet-50, stylised ImageNet", "people": "people",
}  # fmt: skip


class Biases:
    """Shape bias by subject and shape category: counts of decisions, with the library's interval beside them."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_parquet(path)
        pooled = self.rows.filter(pl.col("category") == "")
        counts = pooled.select((pl.col("shape") / (pl.col("shape") + pl.col("texture")) - pl.col("bias")).abs().max())
        if counts.item() > 1e-12:
            raise AssertionError("a shape bias is not shape / (shape + texture)")
        alone = pooled.filter(pl.col("persons") == 0)  # Clopper and Pearson by scipy
        for row in alone.to_dicts():
            exact = stats.binomtest(row["shape"], row["n"]).proportion_ci(method="exact")
            if not np.allclose([exact.low, exact.high], [row["low"], row["high"]]):
                raise AssertionError(f"{row['subject']}: another interval than scipy's")

    def one(self, source: str, subject: str, category: str = "") -> dict:
        of = (pl.col("source") == source) & (pl.col("subject") == subject) & (pl.col("category") == category)
        (row,) = self.rows.filter(of).to_dicts()
        return row

    def told(self, source: str, subject: str, category: str = "", digits: int = 3) -> str:
        row = self.one(source, subject, category)
        return interval(Mean(row["bias"], row["low"], row["high"], row["n"], np.nan), digits)

    def pooled(self, source: str) -> str:
        rows = []
        for row in self.rows.filter(pl.col("source") == source, pl.col("category") == "").sort("bias").to_dicts():
            n = f"{row['n']} people" if row["persons"] else f"{row['n']:,} decisions"
            cells = (row["shape"], row["texture"], row["neither"], row["agreeing"])
            rows.append([row["subject"], self.told(source, row["subject"]), n, *(f"{one:,}" for one in cells)])
        return table(["subject", "shape bias", "n", "shape", "texture", "neither", "agreeing, left out"], rows)

    def by_category(self, *who: tuple[str, str]) -> str:
        """Shape bias, its interval, and how many decisions (of people: how many people) it is of; five to a table."""
        names = sorted(name for name in self.rows["category"].unique().to_list() if name)
        told = []
        for start in range(0, len(who), 5):
            some = who[start : start + 5]
            rows = [[name, *(self.cell(*one, name) for one in some)] for name in names]
            told.append(table(["shape", *(subject for _, subject in some)], rows))
        return "\n\n".join(told)

    def cell(self, source: str, subject: str, category: str) -> str:
        row = self.one(source, subject, category)
        return f"{self.told(source, subject, category, 2)} {row['n']}" if row["n"] else "– 0"

    def others(self, source: str, *but: str) -> tuple[tuple[str, str], ...]:
        """Every subject of a source, but those that are told elsewhere."""
        own = self.rows.filter(pl.col("source") == source, pl.col("category") == "").sort("bias")["subject"].to_list()
        return tuple((source, subject) for subject in own if subject not in but)


class DataSets:
    """Accuracy and error consistency of each subject on each of the 17 data sets."""

    def __init__(self, path: Path) -> None:
        self.every = pl.read_parquet(path)
        self.rows = self.every.filter(pl.col("kind") != "here")
        self.names = self.rows["data set"].unique(maintain_order=True).to_list()
        self.subjects = ["people", *sorted(set(self.rows["subject"].to_list()) - {"people"})]

    def mean(self, subject: str, what: str) -> float:
        own = self.rows.filter(pl.col("subject") == subject)[what]
        assert len(own) == len(self.names)
        return float(own.mean())  # type: ignore[arg-type]

    def means(self) -> str:
        rows = []
        for one in sorted(self.subjects, key=lambda s: -self.mean(s, "benchmark accuracy")):
            what = ("benchmark accuracy", "kappa", "observed consistency", "accuracy")
            own = self.rows.filter(pl.col("subject") == one)
            rows.append([one, *(interval(own[name].to_list()) for name in what)])
        return table(
            ["subject", "accuracy", "κ with people", "observed consistency", "accuracy, every condition"], rows
        )

    def each(self, subject: str) -> str:
        rows = []
        for row in self.rows.filter(pl.col("subject") == subject).to_dicts():
            parts = (("benchmark accuracy", "benchmark low", "benchmark high"), ("kappa", "kappa low", "kappa high"))
            told = [interval(Mean(row[a], row[b], row[c], row["people"], np.nan), cut=False) for a, b, c in parts]
            rows.append(
                [row["data set"], *told, f"{row['people']}", f"{row['benchmark images']:,} of {row['images']:,}"]
            )
        return table(["data set", "accuracy", "κ with people", "people", "images counted"], rows)

    def every_one(self) -> str:
        """Each subject on each data set, with its intervals."""
        rows = []
        for one in self.subjects:
            for row in self.rows.filter(pl.col("subject") == one).to_dicts():
                parts = [("accuracy", "low", "high"), ("benchmark accuracy", "benchmark low", "benchmark high"),
                         ("kappa", "kappa low", "kappa high")]  # fmt: skip
                told = [interval(Mean(row[a], row[b], row[c], row["people"], np.nan)) for a, b, c in parts]
                images = f"{row['images']:,}", f"{row['benchmark images']:,}"
                rows.append([one, row["data set"], *told, *images, f"{row['people']}"])
        head = ["subject", "data set", "accuracy, every condition", "accuracy", "κ with people"]
        return table([*head, "images", "of them counted", "people"], rows)

    def here(self, names: tuple[str, ...]) -> str:
        """Released subjects and those asked here on small data sets, the best first."""
        rows = []
        for name in names:
            for row in self.every.filter(pl.col("data set") == name).sort("accuracy", descending=True).to_dicts():
                parts = (("accuracy", "low", "high"), ("kappa", "kappa low", "kappa high"))
                told = [interval(Mean(row[a], row[b], row[c], row["people"], np.nan), cut=False) for a, b, c in parts]
                rows.append([name, row["subject"] + (", asked here" if row["kind"] == "here" else ""), *told])
        return table(["data set", "subject", "accuracy", "κ with people"], rows)

    def people_above(self, names: tuple[str, ...]) -> str:
        """In words whether people are above every network asked here, with intervals that do not meet."""
        told = []
        for name in names:
            own = self.every.filter(pl.col("data set") == name)
            (people,) = own.filter(pl.col("subject") == "people").to_dicts()
            best = float(own.filter(pl.col("kind") == "here")["high"].max())  # type: ignore[arg-type]
            told.append(
                f"on {name}s people are {'far above' if people['low'] > best else 'not surely above'} all three"
            )
        return capital(f"{'; '.join(told)}.")

    def grid(self, what: str) -> str:
        rows = []
        for name in self.names:
            own = {row["subject"]: row[what] for row in self.rows.filter(pl.col("data set") == name).to_dicts()}
            rows.append([name, *(number(own[one], 2) for one in self.subjects)])
        return table(["data set", *self.subjects], rows)


class Lines:
    """Lines that were fitted over models of the testbed."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_parquet(path)

    def one(self, new: str, models: str, scale: str) -> dict:
        of = (pl.col("new") == new) & (pl.col("models") == models) & (pl.col("scale") == scale)
        (row,) = self.rows.filter(of).to_dicts()
        return row

    def told(self, new: str, models: str, scale: str, what: str = "slope") -> str:
        row = self.one(new, models, scale)
        return interval(Mean(row[what], row[f"{what} low"], row[f"{what} high"], row["n"], np.nan))

    def table(self, scale: str) -> str:
        rows = []
        for row in self.rows.filter(pl.col("scale") == scale).to_dicts():
            at = row["new"], row["models"], scale
            rows.append([
                row["new"], row["models"], f"{row['n']}", self.told(*at), self.told(*at, "intercept"),
                number(row["r2"]),
                self.told(*at, "drop"),
            ])  # fmt: skip
        return table(["new test set", "models", "n", "slope", "intercept", "R²", "mean drop"], rows)
