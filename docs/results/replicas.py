"""A test set made anew under control (recht2019/objects-everyday), from the study's table."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from docs.results.cue_studies import records
from docs.results.flags import WithTrials
from docs.results.numbers import interval, mean_of, number, table
from docs.results.verdicts import WithFindings, check_holm, pick
from unseen.kinds.replica.contents import ReplicaContents, lines_of, summary
from unseen.kinds.replica.findings import findings
from unseen.kinds.replica.page import scatter
from unseen.kinds.replica.read import Replicas, named
from unseen.reports.figure import Figure
from unseen.reports.finding import Finding
from unseen.vocabulary.design_facts import Replicated

NEW = ("replica", "easier", "harder", "shifted")
ORIGINAL = "original"
ByDraw = dict[int, float]


class ReplicaStudy(WithFindings, WithTrials):
    """Accuracy of each model on the original and on each new collection, by draw of the objects."""

    def __init__(self, path: Path) -> None:
        self.every = pl.read_parquet(path)
        self.trials = records(self.every)
        keys = [key for key in ("network.backbone", "training.epochs") if key in self.every.columns]
        self.names = {one.identity: named(one, keys) for one in self.trials}
        self.models = list(dict.fromkeys(self.names.values()))
        self.category = str(self.trials[0].facts["factors"][0])
        own = self.every.filter(pl.col("measure") == "accuracy", pl.col("target") == self.category)
        self.draws = sorted(own["design.seed"].unique().to_list())
        self.images = dict(own.group_by("set").agg(pl.col("n").mean()).rows())
        self.cells = {
            (self.names[trial], name, draw): value
            for trial, name, draw, value in own.select("trial", "set", "design.seed", "value").iter_rows()
        }
        assert len(self.cells) == len(self.models) * len(self.draws) * (1 + len(NEW))

    def asked(self, name: str) -> str:
        return f"{self.images[name]:,.0f}"

    def strong(self, least: float) -> list[str]:
        """Models that know at least this share of the original images, by their mean over draws."""
        return [m for m in self.models if mean_of([self.cells[m, ORIGINAL, d] for d in self.draws]).value >= least]

    def accuracy(self, name: str, draw: int, models: list[str] | None = None) -> np.ndarray:
        return np.array([self.cells[model, name, draw] for model in models or self.models])

    def drops(self, name: str) -> ByDraw:
        return {d: float((self.accuracy(ORIGINAL, d) - self.accuracy(name, d)).mean()) for d in self.draws}

    def slopes(self, name: str, *, probit: bool = False, models: list[str] | None = None) -> ByDraw:
        """Of the line of least squares through the models, by numpy; probits by scipy."""
        found = {}
        for draw in self.draws:
            x, y = (self.accuracy(one, draw, models) for one in (ORIGINAL, name))
            x, y = (stats.norm.ppf(v) if probit else v for v in (x, y))
            found[draw] = float(np.polyfit(x, y, 1)[0])
        return found

    def mean(self, model: str, name: str) -> str:
        return number(mean_of([self.cells[model, name, draw] for draw in self.draws]).value)

    def worse(self, name: str) -> str:
        means = [mean_of([self.cells[m, ORIGINAL, d] - self.cells[m, name, d] for d in self.draws]).value
                 for m in self.models]  # fmt: skip
        return f"{sum(one > 0 for one in means)} of {len(means)}"

    def table(self) -> str:
        rows = [
            [name, interval(self.drops(name)), interval(self.slopes(name)), interval(self.slopes(name, probit=True)),
             self.worse(name)]
            for name in NEW
        ]  # fmt: skip
        return table(["new test set", "drop", "slope", "probit slope", "models worse"], rows)

    def slopes_table(self, **groups: list[str]) -> str:
        """Slopes through some of the models only."""
        rows = [
            [name, words.replace("_", " "), f"{len(own)}", interval(self.slopes(name, models=own)),
             interval(self.slopes(name, probit=True, models=own))]
            for name in NEW for words, own in groups.items()
        ]  # fmt: skip
        return table(["new test set", "models", "n", "slope", "probit slope"], rows)

    def lost(self, model: str, name: str) -> str:
        return number(mean_of([self.cells[model, ORIGINAL, d] - self.cells[model, name, d] for d in self.draws]).value)

    def models_table(self) -> str:
        rows = [[model, *(self.mean(model, name) for name in (ORIGINAL, *NEW))] for model in self.models]
        return table(["model", ORIGINAL, *NEW], rows)

    # the library

    @cached_property
    def _study(self) -> Replicas:
        accuracy = {
            name: np.array([[self.cells[model, name, draw] for model in self.models] for draw in self.draws])
            for name in (ORIGINAL, *NEW)
        }
        shift = Replicated.of(self.trials[0].facts["facts"])
        return Replicas(
            self.trials, self.names, tuple(self.models), accuracy, self.images, shift, self.chance,
            "draws of the objects",
        )  # fmt: skip

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        made = findings(self._study)
        check_holm(made)
        for name in NEW:  # the library's numbers are the table's
            one, own = pick(made, f"'{name}' "), mean_of(self.drops(name))
            assert np.allclose([one.value, one.low, one.high], [own.value, own.low, own.high], atol=2e-6), one
            one, own = pick(made, f"the slope on '{name}'"), mean_of(self.slopes(name))
            assert np.allclose([one.value, one.low, one.high], [own.value, own.low, own.high], atol=2e-5), one
        return made

    def figure(self) -> Figure:
        empty: Any = pl.DataFrame()
        made = scatter(
            ReplicaContents(
                title="", question="", answer="", shows="", recipe="", splits=(), findings=(), curves=empty,
                flags=empty, x_title="", series_title="model", summary=summary(self._study), found=self._study,
                lines=lines_of(self._study),
            )
        )  # fmt: skip
        assert isinstance(made, Figure), made
        return made
