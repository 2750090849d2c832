"""Studies of factors out of range (Schott et al. 2022), from their tables: the unit is a model, its seeds averaged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.flags import flagged
from docs.results.numbers import MARKS, interval, magnitude, mean_of, number, percent, plus_minus, spearman, table
from docs.results.verdicts import WithFindings, check_holm, corrected, pick
from unseen.kinds.in_domain.disentanglement import latent_points
from unseen.kinds.in_domain.findings import regression_findings
from unseen.kinds.in_domain.numbers import Transfer
from unseen.reports.finding import Finding

MEAN, R2, KEPT, ALONE = "mean over factors", "R²", " (answers kept to the range)", "one-out-*"
OUT, OTHERS = "R² of the factor out of range", "R² of the other factors"
TOWARDS, OPPOSITE = "share towards the mean", "share towards the mean: on the other side of it"
DISTANCE = "distance from the mean, 1 at the edge of what was trained"
SPREAD = "variance of the answers, 1 for draws from the trained levels"
WILD, FAR = "share of answers far outside the range", "extrapolation"
SPLITS = ("random", "composition", "interpolation", FAR)
ENCODERS = ("beta-vae", "ada-gvae", "slow-vae", "pcl")


def _read(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path).with_columns(pl.col("value").cast(pl.Float64))


def _run_again(rows: pl.DataFrame, again: Sequence[pl.DataFrame]) -> tuple[pl.DataFrame, int, float]:
    """The rows with those of trials that were run again in place of the first ones, how many trials these are, and the
    largest difference of an R² (relative, where it is beyond one)."""
    if not again:
        return rows, 0, 0.0
    new = pl.concat(again, how="diagonal")
    mine = pl.col("trial").is_in(new["trial"].unique().to_list())
    key, r2 = ["trial", "set", "target"], pl.col("measure") == R2
    both = rows.filter(mine, r2).select(*key, "value").join(new.filter(r2).select(*key, other="value"), on=key)
    left = set(new["trial"].unique()) - set(rows["trial"].unique())
    if left:
        raise AssertionError(f"{len(left)} trials that were run again are none of these")
    far = (pl.col("value") - pl.col("other")).abs() / pl.max_horizontal(1.0, pl.col("value").abs())
    return (
        pl.concat([rows.filter(~mine), new], how="diagonal"),
        len(new["trial"].unique()),
        both.select(far.max()).item(),
    )


class Toys(WithFindings):
    """One world's table. ``protected``: the factors that no split holds out; ``again``: tables of trials that were run
    again, which stand in the place of the same trials (of one identity), with distances and flags."""

    def __init__(self, path: Path, protected: Sequence[str] = ("shape",), again: Sequence[Path] = ()) -> None:
        rows, self.again, self.apart = _run_again(_read(path), [_read(one) for one in again])
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

    def flagged(self) -> str:
        return flagged(self.rows, self.trials)

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

    def pulled(self) -> str:
        """Are answers drawn to the mean: by their distance from it, or of a table that has none the share alone."""
        name = "answers are drawn"
        if pick(self.found, name).why == "the table has no distances":
            return self.verdict(name, share=True)
        far, spread = (self.mean(FAR, measure, ALONE) for measure in (DISTANCE, SPREAD))
        nearer = percent(self.mean(FAR, TOWARDS, ALONE), 1)
        return (
            f"{self.verdict(name)}; answers lie {number(far, 2)} times as far from the mean as the edge of what was "
            f"trained, with {number(spread, 2)} of the variance of draws; {nearer} % are nearer to it than the truth"
        )

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


def told_again(worlds: Sequence[Toys]) -> str:
    """How many trials were run again and how far their R² are apart from the first; "" where none was."""
    n, apart = sum(one.again for one in worlds), max((one.apart for one in worlds), default=0.0)
    if not n:
        return ""
    flags = pl.concat([one.rows.select("trial", "measure", "value") for one in worlds])
    return (
        f". Run again, with distances and flags in their tables: {n} of {sum(one.trials for one in worlds)} trials, of "
        f"which flagged {flagged(flags, n)}; R² differs from the first run by at most {magnitude(apart)}"
    )


def told_longer(first: Toys, tables: Sequence[Toys], split: str = FAR) -> str:
    """A table of networks that were trained longer, beside themselves, paired by seed."""
    rows = []
    for one, model in ((found, name) for found in tables for name in found.models):
        row = [model]
        for measure, asked in ((R2, "validation"), (R2, "test"), (f"{R2}{KEPT}", "test")):
            row += [plus_minus(t.values(model, split, measure, asked)) for t in (first, one)]
        rows.append([*row, interval(one.since(first, model, split, R2, "test"), sign=True)])
    parts = ("validation rows", "test rows", "test rows, kept to the range")
    head = [f"{part}, {epochs} epochs" for part in parts for epochs in (8, 48)]
    flags = "; ".join(flagged(one.rows, one.trials) for one in tables)
    words = (
        f"The other networks trained as long ([table](schott2022/dsprites-long.parquet); flagged: {flags}), not judged:"
    )
    return f"\n\n{words}\n\n" + table([f"mean R², {split}", *head, "test rows, difference paired by seed"], rows)
