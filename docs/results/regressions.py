"""Studies of factors out of range (Schott et al. 2022), from their tables: the unit is a model, its seeds averaged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.numbers import MARKS, interval, mean_of, number, percent, plus_minus, spearman, table
from docs.results.verdicts import WithFindings, check_holm, corrected, pick
from unseen.kinds.in_domain.disentanglement import latent_points
from unseen.kinds.in_domain.findings import regression_findings
from unseen.kinds.in_domain.numbers import Transfer
from unseen.reports.finding import Finding

MEAN, R2, KEPT, ALONE = "mean over factors", "R²", " (answers kept to the range)", "one-out-*"
OUT, OTHERS = "R² of the factor out of range", "R² of the other factors"
TOWARDS, OPPOSITE = "share towards the mean", "share towards the mean: on the other side of it"
WILD, FAR = "share of answers far outside the range", "extrapolation"
SPLITS = ("random", "composition", "interpolation", FAR)
ENCODERS = ("beta-vae", "ada-gvae", "slow-vae", "pcl")


class Toys(WithFindings):
    """One world's table. ``protected``: the factors that no split holds out."""

    def __init__(self, path: Path, protected: Sequence[str] = ("shape",)) -> None:
        rows = pl.read_parquet(path).with_columns(pl.col("value").cast(pl.Float64))
        model = pl.col("backbone")
        if "training.objective" in rows.columns:
            given = pl.col("training.objective").replace("supervised", None)
            model = pl.coalesce(given, pl.col("backbone"))
        if "network.pretrained" in rows.columns:
            words = [pl.when(pl.col(f"network.{w}").fill_null(False)).then(pl.lit(f" {w}")).otherwise(pl.lit(""))
                     for w in ("pretrained", "frozen")]  # fmt: skip
            started = pl.concat_str(model, *words)
        else:
            rows = rows.with_columns(pl.lit(False).alias(f"network.{w}") for w in ("pretrained", "frozen"))
            started = model
        self.rows = rows.with_columns(
            started.alias("series"), model.alias("scratch"), pl.col("design.mode").alias("x"),
            pl.col("seed").alias("repeat"),
        )  # fmt: skip
        self.protected = tuple(protected)

    @property
    def models(self) -> list[str]:
        return self.rows["series"].unique(maintain_order=True).to_list()

    @property
    def trials(self) -> int:
        return self.rows["trial"].n_unique()

    def values(
        self, model: str, split: str, measure: str = R2, asked: str = "test", target: str = MEAN
    ) -> dict[int, float]:
        """By seed."""
        where = {"series": model, "x": split, "measure": measure, "set": asked, "target": target}
        own = self.rows.filter(*(pl.col(key) == value for key, value in where.items()), pl.col("value").is_finite())
        return dict(own.select("seed", "value").iter_rows())

    def over_models(
        self, split: str, measure: str = R2, asked: str = "test", target: str = MEAN, models: Sequence[str] = ()
    ) -> dict[str, float]:
        """By model, the mean of its seeds."""
        found = {name: self.values(name, split, measure, asked, target) for name in models or self.models}
        return {name: float(np.mean(list(each.values()))) for name, each in found.items() if each}

    def value(self, *about: str, digits: int = 3) -> str:
        return number(mean_of(self.values(*about)).value, digits)

    def mean(self, split: str, measure: str = R2, asked: str = "test", target: str = MEAN, **some: object) -> float:
        return float(np.mean(list(self.over_models(split, measure, asked, target, **some).values())))  # type: ignore[arg-type]

    def table(self) -> str:
        """Mean R² by model and split; ± over seeds."""
        head = ["", *SPLITS, "extrapolation, kept to the range", "far outside, %"]
        rows = []
        for model in self.models:
            cells = [plus_minus(self.values(model, split)) for split in SPLITS]
            cells.append(plus_minus(self.values(model, FAR, f"{R2}{KEPT}")))
            rows.append([model, *cells, percent(mean_of(self.values(model, FAR, WILD)).value, 1)])
        return table(head, rows)

    def short(self, title: str) -> list[list[str]]:
        """The same without intervals, for one seed; the world's name in the first row."""
        rows = []
        for place, model in enumerate(self.models):
            cells = [self.value(model, split) for split in SPLITS] + [self.value(model, FAR, f"{R2}{KEPT}")]
            rows.append([title if not place else "", self.named(model), *cells])
        return rows

    @staticmethod
    def named(model: str) -> str:
        if model.endswith("frozen"):
            return "frozen"
        return "finetuned" if model.endswith("pretrained") else {"efficientnet-lite0": "from scratch"}.get(model, model)

    def since(self, than: Toys, model: str, *about: str) -> dict[int, float]:
        """By seed, how far a model lies above itself in another table."""
        mine, theirs = self.values(model, *about), than.values(model, *about)
        return {seed: mine[seed] - theirs[seed] for seed in mine if seed in theirs}

    def gain(self, model: str, than: str, split: str) -> float:
        return mean_of(self.values(model, split)).value - mean_of(self.values(than, split)).value

    def hardest(self, kept: bool = False) -> tuple[str, dict[str, float]]:
        """The hardest split besides extrapolation, and by model how far extrapolation lies above it."""
        measure = f"{R2}{KEPT}" if kept else R2
        each = {split: self.over_models(split, measure) for split in SPLITS}
        other = min(SPLITS[:-1], key=lambda split: np.mean(list(each[split].values())))
        return other, {name: each[FAR][name] - each[other][name] for name in each[FAR]}

    def factor_out(self, factor: str, measure: str = OUT, models: Sequence[str] = ()) -> float:
        """R² of a factor that alone is out of range (or of the others then), mean over models."""
        asked = f"one-out-{factor}"
        return float(np.mean(list(self.over_models(FAR, measure, asked, factor, models).values())))

    def disentangled(self, split: str) -> float:
        """Spearman's of DCI with mean R² over encoders."""
        dci = self.rows.filter(pl.col("measure") == "DCI disentanglement", pl.col("x") == split)
        r2 = self.rows.filter(
            pl.col("measure") == R2, pl.col("set") == "test", pl.col("target") == MEAN, pl.col("x") == split
        )
        both = dci.select("trial", pl.col("value").alias("dci")).join(r2.select("trial", "value"), on="trial")
        return spearman(both["dci"].to_list(), both["value"].to_list())

    # the library

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        series = {name: ("", name) for name in self.models}
        latents = latent_points(self.rows, series, "test")
        own = self.rows.filter("network.pretrained", pl.col("scratch").is_in(self.models))
        own = own.select("series", "scratch", pl.col("network.frozen").fill_null(False)).unique(maintain_order=True)
        starts = {name: Transfer(scratch, frozen) for name, scratch, frozen in own.iter_rows()}
        made = regression_findings(self.rows, series, {"": self.protected}, "test", latents, starts)
        check_holm(made)
        return made

    def verdict(self, begins: str, *parts: str, share: bool = False) -> str:
        one = pick(self.found, begins, *parts)
        shown = (lambda v: percent(float(np.clip(v, 0, 1)), 1)) if share else number
        ends = f" [{shown(one.low)}, {shown(one.high)}]" if np.isfinite(one.low) else ""
        unit = " %" if share else ""
        mark = MARKS[one.holds] if one.judged else "not judged"
        return f"{mark}: {shown(one.value)}{unit}{ends}{corrected(one)}"

    def hard(self) -> str:
        """Is extrapolation the hardest split: the library's verdict, with our own means."""
        other, gaps = self.hardest()
        one = pick(self.found, "extrapolation is hardest")
        if not np.isclose(one.value, np.mean(list(gaps.values())), atol=2e-5):
            raise AssertionError(f"the library has {one.value}, the table {gaps}")
        kept, kept_gaps = self.hardest(kept=True)
        return (
            f"{self.verdict('extrapolation is hardest')}; {number(self.mean(FAR))} against {number(self.mean(other))} "
            f"of {other}. Kept to the range {interval(kept_gaps, sign=True)} against {kept} (not judged)"
        )
