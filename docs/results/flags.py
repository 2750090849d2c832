"""How many trials of a study's table are flagged, and of what; and which tables tell flags at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from docs.results.numbers import table

FLAG, FAILED, RECORDED = "flag: ", "flag: failed", "trial"
NO_TRIALS = ("subject", "calibration: ")  # rows of others' answers, and of strengths that were found
SECTION = """
## Flags in the tables

A trial is flagged where it diverged, had not settled, learned nothing or failed ([rules](../guide/measures.md#flags)).
{}

"""
EVERY = "Every table has the flags of all its trials."
SOME = """Tables made before flags were kept have none, which is not the same as no flag. Of such trials some were run
again, with flags in another table, and one that was best before its last epoch is not unconverged by the rule. Of the
rest nothing is known but what is told of the runs above."""
HEAD = ("table", "trials", "flags kept of", "flagged")
MORE = ("of the others, in another table", "of those left, best before the last epoch")


def flagged(rows: pl.DataFrame, trials: int) -> str:
    flags = rows.filter(pl.col("measure").str.starts_with(FLAG), pl.col("value") > 0)
    each = flags.group_by("measure").agg(pl.col("trial").n_unique()).sort("measure").iter_rows()
    told = [f"{n} {name.removeprefix(FLAG)}" for name, n in each]
    return f"{', '.join(told) or 'none'} of {trials}"


@dataclass(frozen=True)
class TableOfTrials:
    """One table beside a page: its trials, those whose flags it has (``told``, failed ones too), those whose best epoch
    was not the last (``settled``), and its flags."""

    file: str
    trials: frozenset[str]
    told: frozenset[str]
    settled: frozenset[str]
    flags: pl.DataFrame

    def among(self, some: frozenset[str]) -> str:
        return flagged(self.flags.filter(pl.col("trial").is_in(list(some))), len(some)) if some else ""


def tables_of_trials(folder: Path) -> list[TableOfTrials]:
    """Every table of trials in a page's folder. A CSV beside a Parquet of the same name is a part of it."""
    parquet = sorted(folder.glob("*.parquet"))
    others = [path for path in sorted(folder.glob("*.csv")) if path.with_suffix(".parquet") not in parquet]
    found = [_read(path) for path in [*parquet, *others]]
    return [one for one in found if one is not None]


def _read(path: Path) -> TableOfTrials | None:
    rows = pl.read_csv(path, infer_schema_length=None) if path.suffix == ".csv" else pl.read_parquet(path)
    if not {"trial", "measure", "value"} <= set(rows.columns):
        return None
    rows = rows.with_columns(pl.col("value").cast(pl.Float64))
    names = pl.col("measure")
    trials = rows.filter(~pl.any_horizontal(names.str.starts_with(name) for name in NO_TRIALS))
    told = rows.filter(names.is_in([RECORDED, FAILED]))
    early = rows.filter(names == "best epoch", pl.col("value") < pl.col("n")) if "n" in rows.columns else rows.clear()
    sets = (frozenset(one["trial"].drop_nulls().to_list()) for one in (trials, told, early))
    return TableOfTrials(path.name, *sets, rows.filter(names.str.starts_with(FLAG)))


def told_of_flags(folder: Path) -> str:
    """The section on flags of a page; "" where no table of trials lies beside it."""
    found = tables_of_trials(folder)
    if not found:
        return ""
    whole = all(one.trials == one.told for one in found)
    rows = [_row(one, found, folder)[: len(HEAD) if whole else None] for one in found]
    return SECTION.format(EVERY if whole else SOME) + table(HEAD if whole else HEAD + MORE, rows) + "\n"


def _row(one: TableOfTrials, every: Sequence[TableOfTrials], folder: Path) -> list[str]:
    elsewhere: list[str] = []
    left = one.trials - one.told
    for other in every:
        if other is not one and (some := left & other.told):
            elsewhere.append(f"{_link(other, folder)}: {other.among(some)}")
            left -= some
    row = [_link(one, folder), str(len(one.trials)), str(len(one.told) or "none"), one.among(one.told)]
    return [*row, "; ".join(elsewhere), f"{len(left & one.settled)} of {len(left)}" if left else ""]


def _link(one: TableOfTrials, folder: Path) -> str:
    return f"[{one.file.partition('.')[0]}]({folder.name}/{one.file})"


class WithTrials:
    """The whole table of a study, and its trials."""

    every: pl.DataFrame
    trials: Any

    @property
    def flagged(self) -> str:
        return flagged(self.every, len(self.trials))

    @property
    def chance(self) -> float:
        return float(self.every.filter(pl.col("measure") == "chance")["value"][0])
