"""Studies that train on some conditions and ask all (Geirhos et al. 2018; Zaidi et al. 2020, Fig. 2a), from tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from docs.results.flags import flagged
from docs.results.numbers import interval, mean_of, number, spearman, table
from docs.results.verdicts import WithFindings, check_holm, pick
from unseen.kinds.conditions.asked import AskedMatrix, asked, conditions
from unseen.kinds.conditions.contents import pictured
from unseen.kinds.conditions.figures import FIGURES
from unseen.kinds.conditions.findings import matrix_findings
from unseen.kinds.conditions.shown import ConditionContents
from unseen.kinds.judged import corrected as page_corrected
from unseen.kinds.published import published_beside
from unseen.reports.figure import Figure
from unseen.reports.finding import Finding
from unseen.studies.records import Record

TEST = "test-"


class Conditions(WithFindings):
    """One study's table. ``names``: the conditions in the order of the page, or of the table; ``head``: what all names
    begin with; ``repeat``: the column that tells repeats apart."""

    def __init__(
        self, path: Path, names: Sequence[str] = (), head: str = "", published: str = "", repeat: str = "seed"
    ) -> None:
        rows = pl.read_parquet(path)
        self.every, self.repeat = rows, repeat
        self.rows = rows.filter(pl.col("measure") == "accuracy", pl.col("target") == "category")
        self.chance = float(rows.filter(pl.col("measure") == "chance", pl.col("target") == "category")["value"][0])
        asked = self.rows["set"].unique(maintain_order=True).to_list()
        self.names, self.head = tuple(names or (name.removeprefix(TEST).removeprefix(head) for name in asked)), head
        names = self.names
        self.published = published_beside(published, [f"{head}{name}" for name in names])[0]
        self.trained = {row["trial"]: self._trained(row) for row in self.rows.unique("trial").to_dicts()}
        self.cells = {
            (self.named(row["trial"]), row["set"].removeprefix(TEST).removeprefix(head), row[repeat]): row["value"]
            for row in self.rows.to_dicts()
        }

    def flagged(self) -> str:
        """How many trials are flagged, and of what; only tables of the later form tell."""
        if "detail" not in self.every.columns:
            raise AssertionError("this table tells no flags")
        return flagged(self.every, len(self.trained))

    def _trained(self, row: dict[str, Any]) -> tuple[tuple[str, ...], int]:
        left = row.get("design.train_all_but")
        names = json.loads(row["design.train"]) if row.get("design.train") else []
        plain = [name.removeprefix(self.head) for name in names]
        if left:
            plain = [name for name in self.names if name != left.removeprefix(self.head)]
        return tuple(name for name in self.names if name in plain), row.get("design.visits_per_image") or len(plain)

    def named(self, trial: str) -> str:
        """What a network was trained on: ``colour``, ``colour + uniform-noise``, ``all but grey``, ``…, twice``."""
        levels, visits = self.trained[trial]
        left = [name for name in self.names if name not in levels]
        words = f"all but {left[0]}" if len(left) == 1 else " + ".join(levels)
        return f"{words}, twice" if visits > len(levels) and len(levels) == 1 else words

    def strength(self, level: str) -> str:
        """The strength that calibration chose."""
        own = self.every.filter(pl.col("measure") == "calibration: strength", pl.col("level") == level)
        (found,) = own["value"]
        return f"{found:g}"

    # numbers by seed

    def by_seed(self, trained: str, what: str) -> dict[int, float]:
        return {seed: value for (one, two, seed), value in self.cells.items() if (one, two) == (trained, what)}

    def mean(self, where: Callable[[str, str], bool]) -> dict[int, float]:
        """By seed, the mean over the cells that ``where(trained, asked)`` picks."""
        found: dict[int, list[float]] = {}
        for (one, two, seed), value in self.cells.items():
            if where(one, two):
                found.setdefault(seed, []).append(value)
        return {seed: float(np.mean(values)) for seed, values in sorted(found.items())}

    def gap(self, one: dict[int, float], two: dict[int, float]) -> dict[int, float]:
        return {seed: one[seed] - two[seed] for seed in one if seed in two}

    def knows(self, trained: str, what: str) -> bool:
        """Whether networks of this name were trained on a condition."""
        return any(what in levels for trial, (levels, _) in self.trained.items() if self.named(trial) == trained)

    @property
    def single(self) -> list[str]:
        return [name for name in self.names if (name, name) in {key[:2] for key in self.cells}]

    def cell(self, trained: str, what: str) -> str:
        return interval(self.by_seed(trained, what), cut=True)

    def value(self, trained: str, what: str, digits: int = 3) -> str:
        return number(mean_of(self.by_seed(trained, what)).value, digits)

    def known(self, trained: str, what: str) -> str:
        """The published number of the same cell."""
        names = {name: name for name in self.names} | {f"{n}, twice": f"{n}, 2 visits per image" for n in self.names}
        assert self.published is not None
        own = self.published.filter(
            pl.col("series") == names.get(trained, trained), pl.col("set") == f"{TEST}{self.head}{what}"
        )
        return number(float(own["value"][0])) if own.height else "–"

    def against_published(self, trained: Sequence[str]) -> tuple[float, float, float, int]:
        """Spearman's ρ of ours with the published cells of conditions not trained on, both means, and how many."""
        ours, theirs = [], []
        for one in trained:
            for what in self.names:
                told = self.known(one, what)
                if not self.knows(one, what) and told != "–":
                    ours.append(mean_of(self.by_seed(one, what)).value)
                    theirs.append(float(told))
        return spearman(ours, theirs), float(np.mean(ours)), float(np.mean(theirs)), len(ours)

    def n_trials(self) -> int:
        return len(self.trained)

    def found_name(self, level: str) -> str:
        """What networks of one level alone are called: with two levels each is all but the other."""
        (name,) = {self.named(trial) for trial, (levels, _) in self.trained.items() if levels == (level,)}
        return name

    def origins(self, trained: Sequence[tuple[str, str]], asked: Sequence[str]) -> str:
        """Accuracy of networks trained on one origin, or several, asked each."""
        names = {self.named(trial): levels for trial, (levels, _) in self.trained.items()}
        found = {" + ".join(levels): name for name, levels in names.items()}
        rows = [[words, *(self.cell(found[level], what) for what in asked)] for words, level in trained]
        return table(["trained on", *(f"asked {what}" for what in asked)], rows)

    def missing(self) -> str:
        """Conditions whose networks are fewer than the others' seeds, in words."""
        seeds = sorted({seed for _, _, seed in self.cells})
        short = [name for name in self.names if name not in self.single or len(self.by_seed(name, name)) < len(seeds)]
        return f": not yet all seeds of {', '.join(short)}" if short else ""

    def spread(self, *, to: str = "", of: str = "") -> str:
        """Of networks of other conditions asked one, or of one asked the others: mean, least and most of the means."""
        pairs = [(one, two) for one in self.single for two in self.names if one != two and (one == of or two == to)]
        each = [mean_of(self.by_seed(*pair)).value for pair in pairs]
        return f"{number(float(np.mean(each)))} ({number(min(each), 2)} – {number(max(each), 2)})"

    def ordered(self, more: str, less: str) -> str:
        """Nothing, or an error where other networks do not know one condition better than another, in every seed."""

        def known(what: str) -> dict[int, float]:
            return self.mean(lambda one, two: one not in (more, less) and two == what)

        one, two = known(more), known(less)
        if not all(one[seed] > two[seed] for seed in one):
            raise AssertionError(f"the page says {more} is better known than {less}: {one}, {two}")
        return ""

    def at_chance(self) -> int:
        """Cells (by network) whose accuracy is chance exactly: one answer for all images of balanced categories."""
        return sum(abs(value - self.chance) < 1e-6 for value in self.cells.values())

    def figure(self, name: str = "matrix") -> Figure:
        """What was trained on and what was asked, or accuracy against strength, as the report draws it."""
        picture = pictured(self._asked(), "", "transformation", self.published)
        empty: Any = pl.DataFrame()
        made = FIGURES[name](
            ConditionContents(
                title="", question="", answer="", shows="", recipe="", splits=(), findings=(), curves=empty,
                flags=empty, x_title="", series_title="", summary=empty, matrices=(picture,),
            )
        )  # fmt: skip
        assert isinstance(made, Figure), made
        return made

    # the library

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        made = page_corrected(matrix_findings(self._asked(), "", self.published))
        check_holm(made)
        return made

    def _asked(self) -> AskedMatrix:
        tests = {f"{TEST}{self.head}{name}": 1 for name in self.names}
        trials = [
            Record(
                {
                    "identity": trial, "sets": tests, "condition": {}, "factors": ["category"],
                    "facts": {"trained_levels": [f"{self.head}{n}" for n in levels], "visits_per_image": visits},
                },
                Path(),
            )
            for trial, (levels, visits) in self.trained.items()
        ]  # fmt: skip
        names = [f"{self.head}{name}" for name in self.names]
        own = self.every.filter(pl.col(self.repeat).is_not_null())  # rows of a calibration have none
        return asked(own, trials, conditions(trials, names), "category", self.repeat)

    def same(self, mine: dict[int, float], begins: str, *parts: str) -> str:
        """Nothing, or an error where the library's number is not ours."""
        one, own = pick(self.found, begins, *parts), mean_of(mine)
        if not (np.isclose(one.value, own.value, atol=2e-6) and np.isclose(one.low, own.low, atol=2e-6)):
            raise AssertionError(f"{one.name}: the library has {one.value} [{one.low}], the table gives {own}")
        return ""
