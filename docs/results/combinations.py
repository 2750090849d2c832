"""Studies that hold out combinations (Madan et al. 2022), from their tables: a repeat is a choice of held-out cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.numbers import (
    MARKS,
    Mean,
    interval,
    mean_of,
    number,
    spearman,
    table,
    within_strata,
)
from docs.results.verdicts import WithFindings, check_holm, corrected, pick, told
from unseen.kinds.combinations.findings import findings
from unseen.reports.finding import Finding

BOTH, UNSEEN, SEEN = "geometric mean", "unseen", "seen"
CELL = "accuracy of a held-out cell"
NAMES = {"separate": "Separate", "split-1": "Split-1", "split-2": "Split-2", "split-3": "Split-3"}
NAMES |= {"shared-wide": "Shared-Wide", "shared": "Shared"}
COLUMNS = ("trial", "seed", "choice", "combinations", "sharing", "backbone", "set", "target", "layer", "unit_type")
COLUMNS += ("measure", "value", "n")


class Combinations(WithFindings):
    """Tables of one world. ``choice`` is ``design.seed``, 0 in tables from before it was a column."""

    def __init__(self, *paths: Path, category: str, view: str, cells: int, last: str = "layer4") -> None:
        frames = []
        for path in paths:
            one = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
            choice = pl.col("design.seed") if "design.seed" in one.columns else pl.lit(0)
            one = one.with_columns(choice.fill_null(0).cast(pl.Int64).alias("choice"), pl.col("value").cast(pl.Float64))
            if "training.loss_weights" in one.columns:  # of the viewpoint, beside 1 of the category
                weight = pl.col("training.loss_weights").str.json_path_match(f"$.{view}").cast(pl.Float64)
                one = one.with_columns(weight.alias("weight"))
            known = ("images", "weight", "row", "column", "distance", "detail")
            extra = [name for name in known if name in one.columns]
            frames.append(one.select(*COLUMNS, *extra))
        self.rows = pl.concat(frames, how="diagonal").unique(maintain_order=True)
        self.category, self.view, self.cells, self.last = category, view, cells, last
        self.title = f"number of seen combinations (of {cells})"

    def only(self, **where: object) -> Combinations:
        """The same study, of some rows only: ``only(choice=0)``, ``only(backbone="densenet121")``."""
        made = object.__new__(Combinations)
        made.__dict__.update({key: value for key, value in self.__dict__.items() if key != "found"})
        made.rows = self.rows.filter(*(pl.col(key) == value for key, value in where.items()))
        return made

    def at(self, *xs: int) -> Combinations:
        """The same study at some diversities only."""
        made = self.only()
        made.rows = made.rows.filter(pl.col("combinations").is_in(xs))
        return made

    def equal_weights(self) -> Combinations:
        """Without the trials whose losses weigh differently: a weight of 1 is what trials without one have."""
        made = self.only()
        made.rows = made.rows.filter(pl.col("weight").is_null() | (pl.col("weight") == 1))
        return made

    def by_images(self) -> Combinations:
        """Of one diversity: the number of training images in the place of the number of combinations."""
        made = self.only()
        made.rows = made.rows.with_columns(pl.col("images").alias("combinations"))
        made.title = "number of training images"
        return made

    # what was measured

    @property
    def xs(self) -> list[int]:
        return sorted(self.rows["combinations"].drop_nulls().unique().to_list())

    @property
    def series(self) -> list[str]:
        found = self.rows["sharing"].drop_nulls().unique(maintain_order=True).to_list()
        return [name for name in NAMES if name in found]

    @property
    def choices(self) -> list[int]:
        return sorted(self.rows["choice"].unique().to_list())

    @property
    def trials(self) -> int:
        return self.rows.filter(pl.col("measure") == "accuracy")["trial"].n_unique()

    def values(
        self, sharing: str, x: int, target: str = BOTH, asked: str = UNSEEN, by: str = "choice"
    ) -> dict[int, float]:
        """Accuracy by choice, its seeds averaged; ``by="seed"``: of one choice, by seed."""
        where = {"measure": "accuracy", "set": asked, "target": target, "sharing": sharing, "combinations": x}
        own = self.rows.filter(*(pl.col(key) == value for key, value in where.items()))
        means = own.group_by(by).agg(pl.col("value").mean()).sort(by)
        return dict(means.iter_rows())

    def units(self, sharing: str, x: int, unit_type: str, by: str = "choice") -> dict[int, float]:
        """Median specialization after the last block by choice; of branches, those of the units' own task."""
        layer = [self.last, f"{unit_type}.{self.last}"]
        own = self.rows.filter(
            pl.col("measure") == "median specialization", pl.col("unit_type") == unit_type,
            pl.col("layer").is_in(layer), pl.col("sharing") == sharing, pl.col("combinations") == x,
            pl.col("value").is_not_null(),
        )  # fmt: skip
        return dict(own.group_by(by).agg(pl.col("value").mean()).sort(by).iter_rows())

    def share(self, sharing: str, x: int, unit_type: str) -> dict[int, float]:
        """Share of the units of one type after the last block, by choice, where both tasks share it."""
        where = {"measure": "share of units", "unit_type": unit_type, "layer": self.last}
        own = self.rows.filter(*(pl.col(key) == value for key, value in where.items()))
        own = own.filter(pl.col("sharing") == sharing, pl.col("combinations") == x)
        return dict(own.group_by("choice").agg(pl.col("value").mean()).sort("choice").iter_rows())

    def units_by_seed(self, sharing: str, x: int, unit_type: str) -> dict[int, float]:
        """Of one choice of held-out cells."""
        return self.units(sharing, x, unit_type, by="seed")

    def gaps(self, one: str, two: str, target: str = BOTH, asked: str = UNSEEN) -> dict[int, float]:
        """By choice, how far one architecture lies above another, averaged over the diversities first."""
        found = {}
        for choice in self.choices:
            each = []
            for x in self.xs:
                a, b = self.values(one, x, target, asked), self.values(two, x, target, asked)
                if choice in a and choice in b:
                    each.append(a[choice] - b[choice])
            if each:
                found[choice] = float(np.mean(each))
        return found

    def rise(self, sharing: str, target: str = BOTH, asked: str = UNSEEN) -> dict[int, float]:
        """By choice, how much accuracy changes from the fewest to the most combinations."""
        first, last = (self.values(sharing, x, target, asked) for x in (self.xs[0], self.xs[-1]))
        return {choice: last[choice] - first[choice] for choice in first if choice in last}

    # correlations

    def pairs(self, target: str) -> pl.DataFrame:
        """Per trial: median specialization of a target's units after the last block, and OOD accuracy of the target."""
        layer = [self.last, f"{target}.{self.last}"]
        key = ["trial", "choice", "seed", "sharing", "combinations"]
        x = self.rows.filter(
            pl.col("measure") == "median specialization", pl.col("unit_type") == target, pl.col("layer").is_in(layer)
        ).select(*key, pl.col("value").alias("specialization"))
        y = self.rows.filter(
            pl.col("measure") == "accuracy", pl.col("set") == UNSEEN, pl.col("target") == target
        ).select("trial", pl.col("value").alias("accuracy"))
        return x.join(y, on="trial", how="inner").sort("sharing", "combinations", "choice", "seed")

    def correlation(self, target: str, held: Sequence[str] = (), **where: object) -> float:
        """Spearman's of specialization with OOD accuracy; ``held``: within these columns' values. Seeds of a choice are
        averaged first."""
        own = self.pairs(target).filter(*(pl.col(key) == value for key, value in where.items()))
        means = [pl.col("specialization").mean(), pl.col("accuracy").mean()]
        own = own.drop_nulls().group_by("choice", "sharing", "combinations", maintain_order=True).agg(*means)
        x, y = own["specialization"].to_list(), own["accuracy"].to_list()
        if not held:
            return spearman(x, y)
        return within_strata(x, y, list(own.select(*held).iter_rows()))

    def of_trials(self, target: str, held: Sequence[str] = (), **where: object) -> float:
        """The same over single trials: training seeds are no repeats, so it is told and not judged."""
        own = self.pairs(target).filter(*(pl.col(key) == value for key, value in where.items())).drop_nulls()
        x, y = own["specialization"].to_list(), own["accuracy"].to_list()
        return within_strata(x, y, list(own.select(*held).iter_rows())) if held else spearman(x, y)

    # held-out cells

    @property
    def distances(self) -> bool:
        return "distance" in self.rows.columns

    def by_distance(self, target: str) -> dict[int, float]:
        """By choice, Spearman's correlation of a cell's accuracy with its distance over the held-out cells of a trial,
        averaged over the trials in which both differ."""
        if not self.distances:
            return {}
        cells = self.rows.filter(pl.col("measure") == CELL, pl.col("target") == target)
        found: dict[int, list[float]] = {}
        for (choice, _), own in cells.group_by("choice", "trial", maintain_order=True):
            r = spearman(own["distance"].to_list(), own["value"].to_list())
            if np.isfinite(r):
                found.setdefault(int(str(choice)), []).append(r)
        return {choice: float(np.mean(each)) for choice, each in sorted(found.items())}

    def near(self, target: str) -> str:
        """Control D.1 in words; tables from before held-out cells were kept cannot say. Fewer than three choices are
        told one by one."""
        found = self.by_distance(target)
        if 0 < len(found) < 3:
            each = " and ".join(f"{number(r, 2)} in choice {choice}" for choice, r in found.items())
            return f"ρ = {each} (no interval)"
        m = mean_of(found)
        m = replace(m, low=float(np.clip(m.low, -1, 1)), high=float(np.clip(m.high, -1, 1)))
        return f"ρ = {interval(m, 2)} (n = {len(found)} choices)" if found else "not in the tables"

    def at_distance(self, distance: float, x: int, target: str, sharing: str = "") -> dict[int, float]:
        """By choice, accuracy of the held-out cells at one distance from the nearest seen level."""
        cells = self.rows.filter(pl.col("measure") == CELL, pl.col("target") == target, pl.col("combinations") == x)
        cells = cells.filter((pl.col("distance") - distance).abs() < 1e-3, pl.col("sharing").str.starts_with(sharing))
        each = cells.group_by("choice", "trial").agg(pl.col("value").mean())
        return dict(each.group_by("choice").agg(pl.col("value").mean()).sort("choice").iter_rows())

    def differs(self, other: Combinations) -> float:
        """The largest difference of any number, but times, that both have of the same trials."""
        key = ["trial", "set", "target", "layer", "unit_type", "measure"]
        mine, theirs = (
            one.rows.filter(~pl.col("measure").is_in(["device seconds", "trial", CELL])).drop_nulls("value")
            for one in (self, other)
        )
        both = mine.join(theirs, on=key, suffix="_other")
        if not set(both["trial"]) == set(self.rows["trial"]):
            raise AssertionError("some trials are in one of two tables only")
        return float((both["value"] - both["value_other"]).abs().max())  # type: ignore[arg-type]

    # flags

    def flagged(self) -> str:
        """How many trials are flagged, and of what."""
        flags = self.rows.filter(pl.col("measure").str.starts_with("flag: "))
        if self.rows.filter(pl.col("measure") == "trial").is_empty():
            return "not in the tables"
        each = flags.group_by("measure").agg(pl.col("trial").n_unique()).sort("measure").iter_rows()
        told = [f"{n} {name.removeprefix('flag: ')}" for name, n in each]
        return f"{', '.join(told) or 'none'} of {self.trials}"

    # verdicts of the library, checked

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """The library's findings on these tables; their corrected p is computed again."""
        points = self.rows.filter(pl.col("measure") == "accuracy", pl.col("set").is_in([SEEN, UNSEEN])).select(
            "trial", pl.col("choice").alias("repeat"), "seed", pl.col("sharing").alias("series"),
            pl.col("combinations").cast(pl.Float64).alias("x"), "set", "target", "value",
        )  # fmt: skip
        scatter = pl.concat([
            self.pairs(target).select(
                "trial", "seed", pl.col("choice").alias("repeat"), pl.col("sharing").alias("series"),
                pl.col("combinations").cast(pl.Float64).alias("x"), pl.lit(target).alias("target"),
                pl.lit(self.last).alias("layer"), "specialization", "accuracy",
            )
            for target in (self.category, self.view)
        ])  # fmt: skip
        cells = pl.DataFrame()
        if self.distances:
            cells = self.rows.filter(pl.col("measure") == CELL).select(
                "trial", pl.col("choice").alias("repeat"), "target", pl.col("value").alias("accuracy"), "distance", "n"
            )
        made = findings(points, scatter, cells, self.title, self.category, one_choice=len(self.choices) < 2)
        check_holm(made)
        return made

    def verdict(self, begins: str, *parts: str) -> str:
        """The library's verdict on the finding whose statement has these words, with its corrected p."""
        return told(pick(self.found, begins, *parts))

    def judged(self, begins: str, mine: Mean | Sequence[float] | dict[int, float], *parts: str) -> str:
        """The library's verdict beside our own mean and interval, which must agree with the library's."""
        one = pick(self.found, begins, *parts)
        own = mine if isinstance(mine, Mean) else mean_of(mine)
        if not np.isclose(one.value, own.value, atol=2e-6) or (
            np.isfinite(own.low) and np.isfinite(one.low) and not np.isclose(one.low, own.low, atol=2e-6)
        ):
            raise AssertionError(f"{one.name}: the library has {one.value} [{one.low}], the tables give {own}")
        return f"{MARKS[one.holds]}: {interval(own, sign=True)}{corrected(one)}"

    # tables

    def accuracy_table(
        self, asked: str = UNSEEN, target: str = BOTH, spread: bool = True, head: str = "combinations seen"
    ) -> str:
        """Means over choices with intervals, and the lowest and highest choice."""
        rows = []
        for x in self.xs:
            cells = []
            for sharing in self.series:
                values = self.values(sharing, x, target, asked)
                span = f"; {_span(values)}" if spread and len(values) > 1 else ""
                cells.append(interval(values, cut=True) + span if values else "–")
            rows.append([f"{x:,}", *cells])
        return table([head, *(NAMES[s] for s in self.series)], rows)

    def unit_table(self, xs: Sequence[int] = ()) -> str:
        rows = []
        for unit_type in (self.category, self.view):
            for sharing in self.series:
                cells = []
                for x in xs or self.xs:
                    values = self.units(sharing, x, unit_type)
                    cells.append(interval(values, cut=True) + few(values, self.choices) if values else "no such unit")
                rows.append([f"{NAMES[sharing]}, {unit_type} units", *cells])
        return table(["combinations seen", *map(str, xs or self.xs)], rows)

    def spreads(self, sharing: str, x: int) -> tuple[float, float]:
        """Standard deviation over choices, and over the seeds of choices that have several."""
        over = float(np.std(list(self.values(sharing, x).values()), ddof=1))
        each = []
        for choice in self.choices:
            seeds = list(self.only(choice=choice).values(sharing, x, by="seed").values())
            if len(seeds) > 1:
                each.append(np.var(seeds, ddof=1))
        return over, float(np.sqrt(np.mean(each))) if each else float("nan")

    def learned_first(self) -> str:
        """D.6: trials in which the category, the viewpoint or neither is learned first."""
        lead = self.rows.filter(pl.col("measure") == "epochs by which it is learned first")["value"].drop_nulls()
        same, view, category = (lead == 0).sum(), (lead < 0).sum(), (lead > 0).sum()
        together = f"both in the same epoch in {same} of {len(lead)} trials"
        return f"{together}, the viewpoint first in {view}, the category in {category}"


def _span(values: dict[int, float]) -> str:
    low, high = number(min(values.values())), number(max(values.values()))
    return f"{low} in all" if low == high else f"{low} to {high}"


def few(values: dict[int, float], choices: Sequence[int]) -> str:
    return "" if len(values) == len(choices) else f" (n = {len(values)})"
