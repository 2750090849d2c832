"""The same trials behind several stems: differences paired by draw (or seed), corrected over all that a page shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from docs.results.numbers import holm, interval, mean_of, number, table

STANDARD = "standard"
LEVEL = 0.05
TEST = "test-geirhos-"
NOISES = (("salt-and-pepper", "uniform-noise"), ("uniform-noise", "salt-and-pepper"))


class Stems:
    """One study's table. ``what``: the transformation of an exposure, or the condition a network was trained on."""

    def __init__(self, path: Path, stems: Sequence[str]) -> None:
        rows = pl.read_parquet(path)
        self.stems, self.every = tuple(stems), rows
        self.matrix = "design.train" in rows.columns
        own = rows.filter(pl.col("measure") == "accuracy", pl.col("target") != "geometric mean")
        self.trials = own["trial"].n_unique()
        self.cells: dict[tuple[str, str, str], dict[int, float]] = {}
        for row in own.to_dicts():
            if row["network.stem"] != row["stem"]:
                raise AssertionError(f"asked for the {row['network.stem']} stem, made with the {row['stem']} one")
            # networks of one condition in these studies
            what = json.loads(row["design.train"])[0].removeprefix("geirhos-") if self.matrix else row["design.level"]
            asked = row["set"].removeprefix(TEST).removesuffix("-released")
            repeat = row["seed"] if self.matrix else row["design.seed"]
            self.cells.setdefault((row["stem"], what, asked), {})[repeat] = row["value"]

    @property
    def whats(self) -> list[str]:
        return list(dict.fromkeys(what for _, what, _ in self.cells))

    @property
    def asked(self) -> list[str]:
        return list(dict.fromkeys(asked for _, _, asked in self.cells))

    def values(self, stem: str, what: str, asked: str) -> dict[int, float]:
        return self.cells[stem, what, asked]

    def others(self, stem: str, what: str) -> dict[int, float]:
        """Of networks of one condition, the mean over the others, by seed."""
        each = [self.cells[stem, what, asked] for asked in self.asked if asked != what]
        return {seed: sum(one[seed] for one in each) / len(each) for seed in each[0]}

    def flags(self) -> dict[str, int]:
        """Trials by stem that have not converged."""
        own = self.every.filter(pl.col("measure") == "flag: unconverged", pl.col("value") > 0)
        return {stem: own.filter(pl.col("stem") == stem)["trial"].n_unique() for stem in self.stems}

    def by_stem(self, first: str, *asked: str) -> str:
        """Accuracy with its interval, a row for each thing and a column for each stem."""
        head = [first, *(f"{one}, {stem}" for one in asked for stem in self.stems)]
        rows = [
            [what, *(interval(self.values(stem, what, one), cut=True) for one in asked for stem in self.stems)]
            for what in self.whats
        ]
        return table(head, rows)


def paired(one: Mapping[int, float], two: Mapping[int, float]) -> dict[int, float]:
    """The first against the second, draw by draw or seed by seed."""
    if set(one) != set(two):
        raise AssertionError(f"pairs of {sorted(one)} and {sorted(two)}")
    return {repeat: one[repeat] - two[repeat] for repeat in one}


def p_text(p: float) -> str:
    return "p < .001" if p < 0.0005 else f"p = {number(p)}"


class Compared:
    """All differences that a page shows, with Holm's correction over them together."""

    def __init__(self, made: Mapping[tuple[str, ...], Mapping[int, float]]) -> None:
        self.made = dict(made)
        self.means = {key: mean_of(each) for key, each in self.made.items()}
        self.p = dict(zip(self.made, holm([one.p for one in self.means.values()]), strict=True))

    def told(self, *key: str) -> str:
        """Difference, interval, p before and after correction; bold where the corrected one is below .05."""
        mark = "**" if self.p[key] < LEVEL else ""
        shown = f"{mark}{interval(self.means[key], sign=True)}{mark}"
        return f"{shown}, {p_text(self.means[key].p)}, corrected {p_text(self.p[key])}"

    def only(self, *keys: tuple[str, ...]) -> str:
        """Nothing, or an error where others than these stay after correction: the page says which do."""
        found = {key for key, p in self.p.items() if p < LEVEL}
        if found != set(keys):
            raise AssertionError(f"the page says that {keys} stay after correction; {found} do")
        return ""

    def same_sign(self, *keys: tuple[str, ...], up: bool = True) -> str:
        """Nothing, or an error where a difference the page calls a rise (or a fall) is none in some draw."""
        for key in keys:
            if not all((value > 0) is up and value != 0 for value in self.made[key].values()):
                raise AssertionError(f"the page says that {key} is {'up' if up else 'down'}: {self.made[key]}")
        return ""


def compared(objects: Stems, cars: Stems, geirhos: Stems) -> Compared:
    """Against the standard stem: across-category accuracy, other conditions, and the two noises."""
    made = {
        (name, stem, what): paired(study.values(stem, what, "across"), study.values(STANDARD, what, "across"))
        for name, study in (("objects", objects), ("cars", cars))
        for stem in study.stems[1:]
        for what in study.whats
    }
    for what in geirhos.whats:
        made["geirhos", what, "others"] = paired(geirhos.others("medium", what), geirhos.others(STANDARD, what))
    for one, two in NOISES:
        made["geirhos", one, two] = paired(geirhos.values("medium", one, two), geirhos.values(STANDARD, one, two))
    return Compared(made)
