"""What a study of two cues has recorded: for each model, repeat and share one number of each sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unseen.designs.decorrelate import AGREEING, CONFLICTING
from unseen.kinds.collect import REPEAT, collect, finished_trials, varied
from unseen.kinds.cues.numbers import BIAS, FOLLOWED, OF_CATEGORY
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Decorrelated

if TYPE_CHECKING:
    import polars as pl

SHARE = "design.decorrelated"
SEEDS, DRAWS = "seeds", "draws of the objects"
BACKBONE, ONE_MODEL = "network.backbone", "network"


@dataclass(frozen=True, eq=False)
class Cues:
    """One model: every array is ``[repeats, shares]``, NaN where there is no such trial or nothing to tell.
    ``by_category``: shape bias of each."""

    model: str
    shares: tuple[float, ...]
    bias: np.ndarray
    followed: np.ndarray
    agreeing: np.ndarray
    conflicting: np.ndarray
    by_category: dict[str, np.ndarray] = field(default_factory=dict)

    def at(self, share: float, values: np.ndarray) -> np.ndarray:
        """One number for each repeat; none where this share was not trained."""
        return values[:, self.shares.index(share)] if share in self.shares else np.zeros(0)


@dataclass(frozen=True, eq=False)
class StudyOfCues:
    trials: Sequence[Record]
    tidy: pl.DataFrame
    models: tuple[Cues, ...]
    names: dict[str, str]  # the model of each trial
    category: str
    cue: str
    chance: float
    over: str


def share_of(record: Record) -> float:
    return Decorrelated.of(record.split_facts).decorrelated


def model_names(trials: Sequence[Record], keys: Sequence[str]) -> dict[str, str]:
    """The model of each trial: its backbone, and all else that the grid varies where one backbone comes in several
    forms."""
    conditions = {one.identity: one.facts["condition"] for one in trials}
    forms: dict[str, set[str]] = {}
    for one in conditions.values():
        forms.setdefault(str(one.get(BACKBONE, "")), set()).add(str([one.get(key) for key in keys]))
    names = {}
    for identity, one in conditions.items():
        told = keys if len(forms[str(one.get(BACKBONE, ""))]) > 1 else [BACKBONE]
        names[identity] = " ".join(str(v) for key in told if (v := one.get(key)) is not None) or ONE_MODEL
    return names


def read(study: Study) -> StudyOfCues:
    import polars as pl

    trials, keys = finished_trials(study), varied(study)
    tidy = collect(study)
    about = Decorrelated.of(trials[0].split_facts)
    names = model_names(trials, [key for key in keys if key not in (SHARE, REPEAT)])
    shares = {one.identity: share_of(one) for one in trials}
    repeat = REPEAT if REPEAT in keys else "seed"
    tidy = tidy.with_columns(
        pl.col("trial").replace_strict(names).alias("series"),
        (100 * pl.col("trial").replace_strict(shares, return_dtype=pl.Float64)).round(4).alias("x"),
        pl.col(repeat).alias("repeat"),
    )
    if "level" not in tidy.columns:
        tidy = tidy.with_columns(pl.lit(None, dtype=pl.String).alias("level"))
    category = str(trials[0].facts["factors"][0])
    guess = tidy.filter(pl.col("measure") == "chance", pl.col("target") == category)["value"]
    models = tuple(
        model_of(tidy.filter(pl.col("series") == name), name, category) for name in dict.fromkeys(names.values())
    )
    over = DRAWS if repeat == REPEAT else SEEDS
    return StudyOfCues(trials, tidy, models, names, category, about.cue, float(guess[0]), over)


def model_of(tidy: pl.DataFrame, name: str, category: str) -> Cues:
    import polars as pl

    mine = tidy.filter(pl.col("target") == category)
    xs, repeats = (sorted(set(mine[key].to_list())) for key in ("x", "repeat"))
    kinds = {
        "bias": (BIAS, CONFLICTING), "followed": (FOLLOWED, CONFLICTING), "agreeing": ("accuracy", AGREEING),
        "conflicting": ("accuracy", CONFLICTING),
    }  # fmt: skip
    arrays = {key: _table(mine, xs, repeats, *kind) for key, kind in kinds.items()}
    every = mine.filter(pl.col("measure") == OF_CATEGORY)
    levels = list(dict.fromkeys(every["level"].to_list()))
    own = {one: _table(every.filter(pl.col("level") == one), xs, repeats, OF_CATEGORY, CONFLICTING) for one in levels}
    return Cues(name, tuple(x / 100 for x in xs), **arrays, by_category=own)


def _table(tidy: pl.DataFrame, xs: list[float], repeats: list[int], measure: str, asked: str) -> np.ndarray:
    """Means over trials of one repeat (training seeds of one draw)."""
    total, count = (np.zeros((len(repeats), len(xs))) for _ in range(2))
    for row in tidy.iter_rows(named=True):
        if row["measure"] == measure and row["set"] == asked and row["value"] is not None:
            at = repeats.index(row["repeat"]), xs.index(row["x"])
            total[at] += row["value"]
            count[at] += 1
    return np.divide(total, count, where=count > 0, out=np.full_like(total, np.nan))
