"""Studies that show a transformation for some categories only (Zaidi et al. 2020), from tables: a repeat is a draw."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from docs.results.numbers import MARKS, interval, mean_of, number, percent, spearman, table, within_strata
from docs.results.verdicts import WithFindings, check_holm, corrected, pick
from unseen.kinds.exposure.contents import networks
from unseen.kinds.exposure.findings import exposure_findings
from unseen.kinds.exposure.repeats import together
from unseen.kinds.exposure.shown import Exposure
from unseen.kinds.exposure.thresholds import by_layer
from unseen.reports.finding import Finding
from unseen.worlds.transforms import TRANSFORMATIONS

WITHIN, ACROSS, PLAIN, UNSEEN, SEEN = "within", "across", "plain", "unseen-transformed", "seen-transformed"
MEDIAN, TAKEN, TAU = "invariance (median over units)", "taken for a seen-transformed category", "threshold τ"
KEPT, REMOVED, FULL = (
    "accuracy, inactive units ablated", "accuracy, active units ablated", "accuracy, no unit ablated",
)  # fmt: skip
ACTIVE = "share of units active per image"
LEVELS = ("grey-scale", "hue", "thinning", "rotation-90", "rotation-180", "blur", "high-pass", "horizontal", "vertical")
LEVELS += ("inversion", "white-noise", "salt-and-pepper")
ORDER = (*LEVELS[:7], "high-pass-zero-sum", *LEVELS[7:])  # a study has one high-pass or the other
FAMILIES = {level: TRANSFORMATIONS[level].family for level in ORDER}


def near_the_edge(one: Finding) -> bool:
    """Decided, by a corrected p that a little more noise would have left open."""
    return one.holds is not None and one.corrected is not None and one.corrected > 0.04


class Exposed(WithFindings):
    """One study's table. ``categories``: how many there are; ``layer``: the last block."""

    def __init__(self, path: Path, categories: int, layer: str = "layer4") -> None:
        rows = pl.read_parquet(path).with_columns(pl.col("value").cast(pl.Float64))
        draw = "design.seed" in rows.columns and rows["design.seed"].n_unique() > 1
        repeat = pl.col("design.seed").fill_null(0) if draw else pl.col("seed")
        alone = pl.when(pl.col("design.seen") > 0).then(pl.col("design.level")).otherwise(pl.lit(""))
        level = pl.col("level").replace("", None).fill_null(alone)
        self.rows = rows.with_columns(
            repeat.cast(pl.Int64).alias("repeat"), level.alias("level"), pl.col("seen").cast(pl.Float64).alias("x")
        ).with_columns(pl.col("level").alias("series"))
        self.draws, self.categories, self.layer = draw, categories, layer
        targets = self.rows.filter(pl.col("measure") == "accuracy")["target"].unique().to_list()
        (self.category,) = (name for name in targets if name != "geometric mean")

    def at(self, *xs: float) -> Exposed:
        """The same study at some numbers seen only."""
        made = object.__new__(Exposed)
        kept = ("draws", "categories", "layer", "category")
        made.__dict__.update({key: self.__dict__[key] for key in kept})
        made.rows = self.rows.filter(pl.col("x").is_in([float(x) for x in xs]))
        return made

    @property
    def levels(self) -> list[str]:
        found = set(self.rows["level"].drop_nulls())
        return [name for name in ORDER if name in found]

    @property
    def xs(self) -> list[float]:
        return sorted(self.rows["x"].drop_nulls().unique().to_list())

    @property
    def seen(self) -> list[float]:
        """Numbers above none at which there are other categories to ask."""
        return [x for x in self.xs if 0 < x < self.categories]

    @property
    def trials(self) -> int:
        """Trained networks that were asked: a calibration has rows, too."""
        return self.rows.filter(pl.col("measure") == "accuracy")["trial"].n_unique()

    def flagged(self) -> str:
        """How many trials are flagged, and of what."""
        flags = self.rows.filter(pl.col("measure").str.starts_with("flag: "), pl.col("value") > 0)
        each = flags.group_by("measure").agg(pl.col("trial").n_unique()).sort("measure").iter_rows()
        told = [f"{n} {name.removeprefix('flag: ')}" for name, n in each]
        return f"{', '.join(told) or 'none'} of {self.trials}"

    # numbers by repeat

    def values(
        self, measure: str, asked: str, level: str, x: float, layer: str = "", target: str | None = None
    ) -> dict[int, float]:
        own = self._index.get((measure, asked, level, float(x), layer, target or ""), {})
        return {repeat: float(np.mean(each)) for repeat, each in sorted(own.items())}

    @cached_property
    def _index(self) -> dict[tuple[str, str, str, float, str, str], dict[int, list[float]]]:
        found: dict[tuple[str, str, str, float, str, str], dict[int, list[float]]] = {}
        kept = self.rows.filter(pl.col("value").is_finite(), pl.col("x").is_not_null())
        columns = ("measure", "set", "level", "x", "layer", "target", "repeat", "value")
        for measure, asked, level, x, layer, target, repeat, value in kept.select(*columns).iter_rows():
            key = (measure, asked, level or "", x, layer, target)
            found.setdefault(key, {}).setdefault(repeat, []).append(value)
        return found

    def accuracy(self, asked: str, level: str, x: float) -> dict[int, float]:
        return self.values("accuracy", asked, level, x, target=self.category)

    def invariance(self, group: str, level: str, x: float, layer: str = "") -> dict[int, float]:
        return self.values(MEDIAN, group, level, x, layer or self.layer)

    def taken(self, level: str, x: float) -> dict[int, float]:
        return self.values(TAKEN, ACROSS, level, x, target=self.category)

    def over_levels(self, each: Sequence[dict[int, float]]) -> dict[int, float]:
        """By repeat, the mean over transformations that have it."""
        repeats = sorted({repeat for one in each for repeat in one})
        return {r: float(np.mean([one[r] for one in each if r in one])) for r in repeats}

    def mean_accuracy(self, asked: str, x: float, levels: Sequence[str] = ()) -> dict[int, float]:
        return self.over_levels([self.accuracy(asked, level, x) for level in levels or self.levels])

    def mean_invariance(self, group: str, x: float) -> dict[int, float]:
        return self.over_levels([self.invariance(group, level, x) for level in self.levels])

    def mean_taken(self, x: float, levels: Sequence[str] = ()) -> dict[int, float]:
        return self.over_levels([self.taken(level, x) for level in levels or self.levels])

    def family(self, name: str) -> dict[int, float]:
        """Across-category accuracy by repeat, mean over the numbers seen and the transformations of a family."""
        mine = [level for level in self.levels if FAMILIES[level] == name]
        return self.over_levels([self.accuracy(ACROSS, level, x) for level in mine for x in self.seen])

    def gain(self, x: float, levels: Sequence[str] = ()) -> dict[int, float]:
        """Across-category accuracy against a plainly trained network of the same draw, mean over transformations."""
        plain, shown = (self.mean_accuracy(ACROSS, at, levels) for at in (0, x))
        return {r: shown[r] - plain[r] for r in shown if r in plain}

    def more(self, level: str, few: float, many: float) -> dict[int, float]:
        """Across-category accuracy with many seen against few, by repeat."""
        one, two = self.accuracy(ACROSS, level, few), self.accuracy(ACROSS, level, many)
        return {r: two[r] - one[r] for r in two if r in one}

    def rises(self, level: str) -> list[float]:
        """Spearman's of across-category accuracy with the number seen, repeat by repeat."""
        each = [self.accuracy(ACROSS, level, x) for x in self.seen]
        return [spearman(self.seen, [one[r] for one in each]) for r in each[0]]

    def strength(self, level: str) -> float:
        """The strength that calibration chose."""
        (found,) = self.rows.filter(pl.col("measure") == "calibration: strength", pl.col("level") == level)["value"]
        return float(found)

    # correlations of invariance with accuracy, over networks that saw the transformation

    @cached_property
    def points(self) -> list[tuple[str, float, int, float, float, float]]:
        """Level, number seen, repeat, invariance on unseen-transformed categories, across and within accuracy."""
        made = []
        for level in self.levels:
            for x in self.seen:
                inv = self.invariance(UNSEEN, level, x)
                across, within = self.accuracy(ACROSS, level, x), self.accuracy(WITHIN, level, x)
                made += [(level, x, r, inv[r], across[r], within.get(r, np.nan)) for r in inv if r in across]
        return made

    def within_each(self, side: int = 4) -> dict[str, float]:
        """By transformation, Spearman's over all its networks: the number seen alone can make it."""
        found = {}
        for level in self.levels:
            own = [point for point in self.points if point[0] == level]
            found[level] = spearman([p[3] for p in own], [p[side] for p in own])
        return {level: r for level, r in found.items() if np.isfinite(r)}

    def adjusted(self, side: int = 4) -> float:
        """Within one transformation and one number seen: draws are what is left."""
        points = [p for p in self.points if np.isfinite(p[side])]
        return within_strata([p[3] for p in points], [p[side] for p in points], [p[:2] for p in points])

    def partial(self, side: int = 4) -> float:
        """By transformation the partial rank correlation given the number seen, mean over transformations: what the
        audit had (number seen as one rank, not as strata)."""
        found = []
        for level in self.levels:
            own = [p for p in self.points if p[0] == level and np.isfinite(p[side])]
            a, b, c = ([p[k] for p in own] for k in (3, side, 1))
            ab, ac, bc = spearman(a, b), spearman(a, c), spearman(b, c)
            size = np.sqrt((1 - ac**2) * (1 - bc**2))
            if np.isfinite(size) and size > 1e-9:
                found.append((ab - ac * bc) / size)
        return float(np.mean(found))

    # tables

    def accuracy_table(self, first: str, digits: int = 2) -> str:
        """Within / across by transformation and number seen; ± of across is half of its interval over repeats."""
        rows = [[level, *(self._pair(level, x, digits) for x in self.xs)] for level in self.levels]
        mean = [self._both(self.mean_accuracy(WITHIN, x), self.mean_accuracy(ACROSS, x), digits) for x in self.xs]
        return table([first, *(f"{x:g}" for x in self.xs)], [*rows, ["mean", *mean]])

    def _pair(self, level: str, x: float, digits: int) -> str:
        return self._both(self.accuracy(WITHIN, level, x), self.accuracy(ACROSS, level, x), digits)

    @staticmethod
    def _both(within: dict[int, float], across: dict[int, float], digits: int) -> str:
        first = number(mean_of(within).value, digits) if within else "–"
        if not across:
            return f"{first} / –"
        m = mean_of(across)
        wide = f" ± {number((m.high - m.low) / 2, digits)}" if np.isfinite(m.low) else ""
        return f"{first} / {number(m.value, digits)}{wide}"

    def invariance_table(self, first: str, digits: int = 2) -> str:
        """Median invariance after the last block, images of seen- / unseen-transformed categories."""

        def pair(each: tuple[dict[int, float], dict[int, float]]) -> str:
            return " / ".join(number(mean_of(one).value, digits) if one else "–" for one in each)

        rows = [
            [level, *(pair((self.invariance(SEEN, level, x), self.invariance(UNSEEN, level, x))) for x in self.xs)]
            for level in self.levels
        ]
        mean = [pair((self.mean_invariance(SEEN, x), self.mean_invariance(UNSEEN, x))) for x in self.xs]
        return table([first, *(f"{x:g}" for x in self.xs)], [*rows, ["mean", *mean]])

    def widest(self, asked: str = WITHIN) -> str:
        """The widest half of an interval in the table of accuracies."""
        halves = []
        for level in self.levels:
            for x in self.xs:
                m = mean_of(self.accuracy(asked, level, x))
                if np.isfinite(m.low):
                    halves.append((m.high - m.low) / 2)
        return number(max(halves), 2)

    def right_if_other(self, level: str, x: float) -> float:
        """Of the images of unseen-transformed categories that were not taken for a seen-transformed one, the share that
        is right: all draws together, since each asks as many."""
        across, taken = self.accuracy(ACROSS, level, x), self.taken(level, x)
        return sum(across.values()) / max(sum(1 - v for v in taken.values()), 1e-9)

    def plain(self, x: float, level: str = "") -> list[float]:
        """Accuracy of every network on plain images."""
        own = self.rows.filter(pl.col("measure") == "accuracy", pl.col("set") == PLAIN, pl.col("x") == x,
                               pl.col("target") == self.category)  # fmt: skip
        own = own.filter(pl.col("level") == level) if level else own
        return own.unique("trial")["value"].to_list()

    def counted(self, state: str, group: str) -> tuple[int, int]:
        """Units of the last block in a state, and how many there are, over all networks."""
        own = self.rows.filter(pl.col("measure") == f"units {state}", pl.col("set") == group,
                               pl.col("layer") == self.layer)  # fmt: skip
        return int(own["value"].sum()), int(own["n"].sum())

    def single(self, level: str, x: float) -> str:
        """Within / across of each network."""
        both = self.accuracy(WITHIN, level, x), self.accuracy(ACROSS, level, x)
        return ", ".join(f"{number(both[0][r], 2)} / {number(both[1][r], 2)}" for r in both[0] if r in both[1])

    # thresholds

    def at_threshold(self, measure: str, layer: str, x: float | None = None) -> list[float]:
        """Of every network that saw a transformation (for ``x`` categories), a number of a layer at its τ."""
        seen = pl.col("x") > 0 if x is None else pl.col("x") == x
        own = self.rows.filter(pl.col("measure") == measure, pl.col("layer") == layer, seen)
        return own["value"].drop_nulls().to_list()

    # the library

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        series = {level: ("", level, FAMILIES[level]) for level in self.levels}
        tidy = self.rows.filter(pl.col("x").is_not_null())
        points = networks(tidy, self.category, self.layer)
        numbers = {int(x) for x in self.xs} - {0}
        about = Exposure(
            series=series, category=self.category, categories=self.categories, layer=self.layer, points=points,
            correlations={asked: together(points, asked) for asked in (WITHIN, ACROSS)},
            same_categories=not self.draws, one_number=len(numbers) < 2, by_layer=self._by_layer(series),
        )  # fmt: skip
        made = exposure_findings(tidy, about)
        check_holm(made)
        return made

    def _by_layer(self, series: dict[str, tuple[str, str, str]]) -> tuple:
        """τ of every layer, where it was searched for: then networks differ in it."""
        tau = self.rows.filter(pl.col("measure") == TAU)
        if tau["value"].n_unique() < 2:
            return ()
        key = ["trial", "series", "x", "repeat", "layer"]
        frame = tau.select(*key, pl.col("value").alias("tau"))
        for name, measure in (("kept", KEPT), ("removed", REMOVED), ("full", FULL)):
            own = self.rows.filter(pl.col("measure") == measure).select(*key, pl.col("value").alias(name))
            frame = frame.join(own, on=key)
        layers = frame["layer"].unique(maintain_order=True).to_list()
        return by_layer(frame.drop("trial"), series, layers, self.categories)

    def verdict(self, begins: str, *parts: str, share: bool = False, digits: int = 3) -> str:
        one = pick(self.found, begins, *parts)
        shown = (lambda v: percent(v, 1)) if share else (lambda v: number(v, digits))
        ends = f" [{shown(one.low)}, {shown(one.high)}]" if np.isfinite(one.low) else ""
        mark = MARKS[one.holds] if one.judged else "not judged"
        return f"{mark}: {shown(one.value)}{' %' if share else ''}{ends}{corrected(one)}"

    def explained(self) -> str:
        """Invariance and across accuracy: the verdict, beside our own adjusted ρ, which must agree."""
        one = pick(self.found, "invariance goes with across")
        mine = self.adjusted()
        if not np.isclose(one.value, mine, atol=1e-6):
            raise AssertionError(f"the library has ρ = {one.value}, the table {mine}")
        free = list(self.within_each().values())
        partial, left = number(self.partial(), 2), number(float(np.mean(free)), 2)
        beside = f"{partial} with the number seen partialled out, {left} with it left free"
        return f"{self.verdict('invariance goes with across', digits=2)}. Not judged: {beside}"

    def rose(self, measure: str) -> str:
        """From the fewest to the most categories seen transformed, mean over transformations."""
        of = {"across": ACROSS, "within": WITHIN}
        if measure == "invariance":
            ends = [self.mean_invariance(UNSEEN, x) for x in (self.seen[0], self.seen[-1])]
        else:
            xs = self.seen if measure == "across" else [x for x in self.xs if x]
            ends = [self.mean_accuracy(of[measure], x) for x in (xs[0], xs[-1])]
        return " to ".join(number(mean_of(one).value) for one in ends)

    def each(self, x: float, levels: Sequence[str]) -> str:
        return ", ".join(interval(self.gain(x, [level]), 2, sign=True) for level in levels)
