"""Which of two cues decides (geirhos2019/decorrelation), from the study's table."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from docs.results.flags import WithTrials
from docs.results.numbers import interval, mean_of, number, table
from docs.results.verdicts import WithFindings, check_holm, pick, told
from unseen.kinds.cues.contents import summary
from unseen.kinds.cues.figures import FIGURES
from unseen.kinds.cues.findings import findings
from unseen.kinds.cues.read import StudyOfCues, model_names, model_of
from unseen.kinds.cues.shown import CuesContents
from unseen.reports.figure import Figure
from unseen.reports.finding import Finding
from unseen.studies.records import Record

BIAS, DECIDED, OF_CATEGORY = "shape bias", "follows a cue", "shape bias by category"
KEY = "design.decorrelated"


def records(rows: pl.DataFrame) -> list[Record]:
    """Trials as the study has them, from the rows that say what each was."""
    own = rows.filter(pl.col("measure") == "trial").select("trial", "detail").rows()
    return [Record({"identity": trial, **json.loads(detail)}, Path()) for trial, detail in own]


class CueStudy(WithFindings, WithTrials):
    """Shape bias by model, share of training images that lost their texture, and draw."""

    def __init__(self, path: Path) -> None:
        self.every = pl.read_parquet(path)
        self.trials = records(self.every)
        self.models = self.every["network.backbone"].drop_nulls().unique(maintain_order=True).to_list()
        self.shares = sorted(self.every[KEY].drop_nulls().unique().to_list())
        self.category = str(self.trials[0].facts["factors"][0])

    @property
    def images(self) -> int:
        own = self.every.filter(pl.col("measure") == "accuracy", pl.col("set") == "conflicting")
        return int(own["n"].max() or 0)  # pyright: ignore[reportArgumentType]

    def values(self, model: str, share: float, measure: str = BIAS, asked: str = "conflicting") -> dict[int, float]:
        of = (pl.col("measure") == measure) & (pl.col("set") == asked) & (pl.col("target") == self.category)
        here = self.every.filter(of, pl.col("network.backbone") == model, pl.col(KEY) == share)
        return dict(sorted(here.select("design.seed", "value").rows()))

    def told(self, model: str, share: float, measure: str = BIAS, asked: str = "conflicting") -> str:
        return interval(self.values(model, share, measure, asked), cut=True)

    def mean(self, model: str, share: float, measure: str = BIAS, asked: str = "conflicting") -> str:
        return number(mean_of(self.values(model, share, measure, asked)).value)

    def table(self, model: str) -> str:
        rows = [
            [f"{100 * share:g} %", self.told(model, share), self.mean(model, share, DECIDED),
             self.told(model, share, "accuracy", "agreeing"), self.told(model, share, "accuracy")]
            for share in self.shares
            if self.values(model, share)
        ]  # fmt: skip
        return table(["decorrelated", "shape bias", "decided", "accuracy, agreeing", "accuracy, conflicting"], rows)

    def by_category(self, share: float) -> str:
        own = self.every.filter(pl.col("measure") == OF_CATEGORY, pl.col(KEY) == share, pl.col("value").is_not_null())
        rows = []
        for level in sorted(own["level"].unique().to_list()):
            each = (own.filter(pl.col("level") == level, pl.col("network.backbone") == m)["value"] for m in self.models)
            rows.append(
                [level.partition(" ")[2], *(f"{number(mean_of(v.to_list()).value, 2)} ({len(v)})" for v in each)]
            )
        return table(["shape", *self.models], rows)

    def findings_table(self) -> str:
        return table(["finding", "here"], [[one.name, told(one)] for one in self.found])

    # the library

    @cached_property
    def _study(self) -> StudyOfCues:
        keys = [
            key for key in ("network.backbone", "network.arguments", "training.epochs") if key in self.every.columns
        ]
        names = model_names(self.trials, keys)
        shares = {one.identity: float(one.facts["facts"]["decorrelated"]) for one in self.trials}
        tidy = self.every.filter(pl.col("target") != "", ~pl.col("measure").str.starts_with("flag: ")).with_columns(
            pl.col("trial").replace_strict(names).alias("series"),
            (100 * pl.col("trial").replace_strict(shares, return_dtype=pl.Float64)).round(4).alias("x"),
            pl.col("design.seed").alias("repeat"),
            pl.lit("").alias("sharing"),
        )
        models = tuple(
            model_of(tidy.filter(pl.col("series") == name), name, self.category)
            for name in dict.fromkeys(names.values())
        )
        cue = str(self.trials[0].facts["facts"]["cue"])
        return StudyOfCues(self.trials, tidy, models, names, self.category, cue, self.chance, "draws of the objects")

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        made = findings(self._study)
        check_holm(made)
        for model in self.models:  # the library's numbers are the table's
            one = pick(made, f"{model}: texture decides")
            assert np.isclose(one.value, mean_of(self.values(model, self.shares[0])).value, atol=2e-6), one
        return made

    def figure(self, name: str) -> Figure:
        empty: Any = pl.DataFrame()
        study = self._study
        made = FIGURES[name](
            CuesContents(
                title="", question="", answer="", shows="", recipe="", splits=(), findings=(), curves=empty,
                flags=empty, x_title=f"images whose {study.cue} tells nothing, %", series_title="network",
                summary=summary(study), models=study.models, category=study.category, cue=study.cue, over=study.over,
            )
        )  # fmt: skip
        assert isinstance(made, Figure), made
        return made
