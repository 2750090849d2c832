"""The two yardsticks of rendered worlds, as their page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from docs.results.numbers import number, table

CANONICAL = "canonical"
GAPS = ("pose", "background", "size", "position", "light")
PLAIN, BEFORE = "plain floor", "backgrounds"
MET, MISSED = "met", "**missed**"


class Yardsticks:
    """What `python -m bench.yardsticks` wrote: values with bootstrap intervals over whole objects."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_parquet(path)

    def _row(
        self, run: str, condition: str, measure: str, own: str = "all", features: str = "ImageNet"
    ) -> dict[str, object]:
        keys = {"run": run, "condition": condition, "measure": measure, "class": own, "features": features}
        found = self.rows.filter(*(pl.col(name) == value for name, value in keys.items())).to_dicts()
        if len(found) != 1:
            raise AssertionError(f"{len(found)} rows of {keys}")
        return found[0]

    def value(
        self, run: str, condition: str, measure: str = "accuracy", own: str = "all", features: str = "ImageNet"
    ) -> float:
        return float(str(self._row(run, condition, measure, own, features)["value"]))

    def shown(
        self, run: str, condition: str, measure: str = "accuracy", own: str = "all", features: str = "ImageNet"
    ) -> str:
        """`.812 [.790, .834]`."""
        row = self._row(run, condition, measure, own, features)
        value, low, high = (number(float(str(row[name]))) for name in ("value", "low", "high"))
        return f"{value} [{low}, {high}]"

    def told(self, run: str, name: str) -> str:
        """What a run was made by: its command, machine, date."""
        (found,) = self.rows.filter(pl.col("run") == run)[name].unique().to_list()
        return f"{found:,.0f}" if isinstance(found, float) else str(found)

    def pictures(self, run: str) -> int:
        """Of all conditions, each measure counted once."""
        own = self.rows.filter(pl.col("run") == run, pl.col("class") == "all", pl.col("features") == "ImageNet")
        return int(own.group_by("condition").agg(pl.col("pictures").first())["pictures"].sum())

    def objects(self, run: str) -> int:
        own = self.rows.filter(pl.col("run") == run, pl.col("class") == "all")
        return int(own["objects"].max())  # pyright: ignore[reportArgumentType]

    def classes(self, run: str) -> list[str]:
        names = self.rows.filter(pl.col("run") == run)["class"].unique(maintain_order=True).to_list()
        return [name for name in names if name != "all"]

    def ordered(self, run: str, condition: str, measure: str, features: str = "ImageNet") -> list[tuple[str, float]]:
        """Classes with their values, the least first."""
        found = [(name, self.value(run, condition, measure, name, features)) for name in self.classes(run)]
        return sorted(found, key=lambda one: (one[1], one[0]))

    def without(self, run: str, condition: str, measure: str, own: str) -> float:
        """The mean over all classes but one, each counting the same."""
        kept = [value for name, value in self.ordered(run, condition, measure) if name != own]
        if len(kept) != len(self.classes(run)) - 1:
            raise AssertionError(f"'{own}' is no class of '{run}'")
        return sum(kept) / len(kept)

    def both(self, run: str, other: str) -> list[str]:
        """The classes that two runs share, by name."""
        return sorted(set(self.classes(run)) & set(self.classes(other)))

    def over(self, run: str, classes: Sequence[str], condition: str, measure: str) -> float:
        """The mean over some classes, each counting the same."""
        return sum(self.value(run, condition, measure, name) for name in classes) / len(classes)

    def worst(self, run: str, condition: str, measure: str, n: int = 5) -> str:
        """`bear .00, book .02`: the least first."""
        return ", ".join(f"{name} {number(value, 2)}" for name, value in self.ordered(run, condition, measure)[:n])

    def never(self, run: str, condition: str, measure: str) -> list[str]:
        return [name for name, value in self.ordered(run, condition, measure) if value == 0]

    def difficulty(self, *runs: str) -> str:
        """Canonical accuracy and the gaps of runs, ImageNet and random features side by side."""
        head = ["", *(f"{run.split(', ')[1]}, {kind}" for run in runs for kind in ("ImageNet", "random"))]
        both = [(run, kind) for run in runs for kind in ("ImageNet", "random")]
        rows = [["held-out canonical", *(self.shown(run, CANONICAL, features=kind) for run, kind in both)]]
        rows += [[f"gap {one}", *(self.shown(run, one, "gap", features=kind) for run, kind in both)] for one in GAPS]
        return table(head, rows)

    def realism(self, *runs: str) -> str:
        measures = ("top-1", "top-5", "choice")
        rows = [
            [f"{run.split(', ')[1]}, {where}", *(self.shown(run, where, one) for one in measures)]
            for run in runs for where in (PLAIN, BEFORE)
        ]  # fmt: skip
        return table(["", *measures], rows)

    def least(self, run: str) -> tuple[str, ...]:
        """The two factors whose gap is smallest."""
        return tuple(sorted(GAPS, key=lambda one: -self.value(run, one, "gap"))[:2])


def verdict(met: bool) -> str:
    return MET if met else MISSED


def within(value: float, low: float, high: float) -> str:
    return verdict(low <= value <= high)


class Rates:
    """Images per second of two trees in turns."""

    def __init__(self, path: Path) -> None:
        self.rows = pl.read_csv(path)

    def _of(self, what: str, tree: str) -> list[float]:
        own = self.rows.filter(pl.col("what") == what, pl.col("tree") == tree).sort("round")
        return own["images/s"].to_list()

    def _times(self, what: str) -> list[float]:
        return [b / a for a, b in zip(self._of(what, "before"), self._of(what, "now"), strict=True)]

    def before_and_now(self) -> str:
        rows = [
            [what, *(f"{median(self._of(what, tree)):,.0f}" for tree in ("before", "now")),
             ranged(median(self._times(what)), self._times(what))]
            for what in self.rows["what"].unique(maintain_order=True)
        ]  # fmt: skip
        return table(["", "before", "now", "now / before (range of rounds)"], rows)

    def worst(self) -> float:
        """The least of the median ratios."""
        return min(median(self._times(what)) for what in self.rows["what"].unique())


class Priced:
    """Processor time of drawing: before against now, in turns; and what each feature costs."""

    def __init__(self, turns: Path, features: Path) -> None:
        self.turns, self.features = pl.read_csv(turns), pl.read_csv(features)

    def before_and_now(self) -> str:
        rows = []
        for what in self.turns["what"].unique(maintain_order=True):
            own = {tree: self._of(what, tree) for tree in ("before", "now")}
            times = [b / a for a, b in zip(own["before"], own["now"], strict=True)]
            rows.append([what, *(number(median(own[tree]), 2) for tree in own), ranged(median(times), times)])
        return table(["", "before, ms a picture", "now", "now / before (range of rounds)"], rows)

    def _of(self, what: str, tree: str) -> list[float]:
        return self.turns.filter(pl.col("what") == what, pl.col("tree") == tree).sort("round")["ms"].to_list()

    def ratio(self, what: str) -> float:
        return median([b / a for a, b in zip(self._of(what, "before"), self._of(what, "now"), strict=True)])

    def rounds(self) -> int:
        return int(self.turns["round"].n_unique())

    def each(self) -> str:
        rows = [
            [row["row"], row["adds to"] or "", number(row["ms a picture"], 2),
             ranged(row["times"], (row["lowest"], row["highest"])) if row["adds to"] else "",
             number(row["once, s"], 1), f"{row['faces']:.0f}"]
            for row in self.features.to_dicts()
        ]  # fmt: skip
        return table(["", "beside", "ms a picture", "times (range of rounds)", "once, s", "faces"], rows)


def ranged(value: float, values: Sequence[float]) -> str:
    """`1.02 (.97 to 1.08)`."""
    return f"{number(value, 2)} ({number(min(values), 2)} to {number(max(values), 2)})"


def median(values: Sequence[float]) -> float:
    return float(pl.Series(values).median())  # pyright: ignore[reportArgumentType]
