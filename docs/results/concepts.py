"""Classes that are read from concepts: a study of `koh2020/small`, by how the class is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from docs.results.contrasts import Judged, above, family
from docs.results.numbers import interval, table

ALONE, BESIDE, FROM, APART = "class alone", "class beside concepts", "class from concepts", "class from concepts, apart"
TOLD = "accuracy with concepts told"
ByDraw = dict[Any, float]


class Concepts:
    """One study's tidy table; a draw of the design is a repeat."""

    def __init__(self, path: Path, concepts: tuple[str, ...]) -> None:
        self.every, self.concepts = pl.read_parquet(path), concepts
        asked = self.every.filter(pl.col("target").is_in(list(concepts)))["trial"].unique().to_list()
        self.kinds = (ALONE, BESIDE, FROM, APART)
        how = {"concepts": FROM, "concepts-apart": APART}
        self.of = {
            row["trial"]: how.get(row["sharing"], BESIDE if row["trial"] in asked else ALONE)
            for row in self.every.select("trial", "sharing").unique().iter_rows(named=True)
        }
        self.trials = len(self.of)

    def values(self, how: str, side: str, measure: str = "accuracy", target: str = "category") -> ByDraw:
        """One number for each draw."""
        mine = pl.col("set") == side, pl.col("measure") == measure, pl.col("target") == target
        rows = self.every.filter(*mine).iter_rows(named=True)
        return {row["design.seed"]: row["value"] for row in rows if self.of[row["trial"]] == how}

    def less(self, one: ByDraw, other: ByDraw) -> ByDraw:
        """Paired by draw."""
        return {draw: one[draw] - other[draw] for draw in one if draw in other}

    def claims(self) -> dict[str, Judged]:
        """What the page judges, corrected together as the study's own report does."""
        made = {}
        for how in (FROM, APART):
            own = self.values(how, "unseen")
            for other in (ALONE, BESIDE):
                made[f"{how} against {other}"] = above(self.less(own, self.values(other, "unseen")))
            made[f"{how} told"] = above(self.less(self.values(how, "unseen", TOLD, "all"), own))
            wrong = {draw: 1 - value for draw, value in self.values(how, "unseen", "all concepts right").items()}
            blamed = self.values(how, "unseen", "wrong classes with a wrong concept")
            made[f"{how} blamed"] = above(self.less(blamed, wrong))
        return family(**made)

    def mistaken(self, how: str, side: str = "unseen") -> ByDraw:
        """How often some concept is wrong."""
        return {draw: 1 - value for draw, value in self.values(how, side, "all concepts right").items()}

    def accuracy_table(self) -> str:
        rows = []
        for how in self.kinds:
            told = self.values(how, "unseen", TOLD, "all")
            cells = [interval(self.values(how, side), cut=True) for side in ("seen", "unseen")]
            each = self.values(how, "unseen", "all concepts right")
            rows.append(
                (how, *cells, interval(each, cut=True) if each else "", interval(told, cut=True) if told else "")
            )
        return table(
            ("how the class is read", "seen", "unseen", "all concepts right, unseen", "told all, unseen"), rows
        )

    def concepts_table(self) -> str:
        kinds = (BESIDE, FROM, APART)
        rows = [
            (name, *(interval(self.values(how, "unseen", target=name), cut=True) for how in kinds))
            for name in self.concepts
        ]
        return table(("concept, on unseen combinations", *kinds), rows)

    def told_table(self) -> str:
        kinds = (FROM, APART)
        names = ("nothing", *(f"any {count}" for count in range(1, len(self.concepts))), "all")
        rows = [
            (
                name,
                *(
                    interval(self.values(how, side, TOLD, name), cut=True)
                    for how in kinds
                    for side in ("seen", "unseen")
                ),
            )
            for name in names
        ]
        return table(("told", *(f"{how}, {side}" for how in kinds for side in ("seen", "unseen"))), rows)

    def claims_table(self) -> str:
        words = {
            "told": "told all concepts less told nothing, accuracy on unseen combinations",
            "blamed": "a concept is wrong: among wrong classes less among all, unseen combinations",
        }
        rows = []
        for key, found in self.claims().items():
            how, _, other = key.partition(" against ")
            if other:
                rows.append((f"{how} less {other}, accuracy on unseen combinations", str(found)))
            else:
                end = key.rpartition(" ")[2]
                rows.append((f"{key.removesuffix(' ' + end)}: {words[end]}", str(found)))
        return table(("comparison, paired by draw", "verdict"), rows)
