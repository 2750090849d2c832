"""Answers of one network as columns, wherever they come from: the table that is about to be stored, or a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.studies.answers import words
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.varied_sets import CANONICAL

if TYPE_CHECKING:
    import pyarrow as pa

NOT_TESTED = ("train", "validation", "probe")


@dataclass(frozen=True, eq=False)
class AskedImages:
    """Of test images, ``[n]`` each: the row, the set, what it shows, what was answered and how surely; ``unseen``:
    whether training did not show its combination. ``where`` says its levels in words."""

    rows: np.ndarray
    sets: np.ndarray
    truth: np.ndarray
    response: np.ndarray
    confidence: np.ndarray
    unseen: np.ndarray
    factors: tuple[str, ...]

    @property
    def right(self) -> np.ndarray:
        return self.truth == self.response

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, places: Sequence[int] | np.ndarray) -> AskedImages:
        at = np.asarray(places)
        return AskedImages(
            self.rows[at], self.sets[at], self.truth[at], self.response[at], self.confidence[at], self.unseen[at],
            self.factors,
        )  # fmt: skip


def asked_images(study: Study, trial: Trial, table: pa.Table, target: str) -> AskedImages:
    """What a table of answers says about one target, of test images alone."""
    names = {name: words(table, name) for name in ("set", "target", "truth", "response")}
    spelt = {name: np.array(one.names, dtype=object)[one.places] for name, one in names.items()}
    mine = (spelt["target"] == target) & ~np.isin(spelt["set"].astype(str), NOT_TESTED)
    sure = (
        np.asarray(table["confidence"], dtype=np.float64)
        if "confidence" in table.column_names
        else np.full(len(mine), np.nan)
    )
    rows = np.asarray(table["sample"], dtype=np.int64)
    split, samples = study.split(trial), study.world(trial).samples
    if split.trains:
        seen = split.mask(samples, "train")
        unseen = ~seen[tuple(samples.levels(name, rows[mine]) for name in split.factors)]
    else:
        canonical = spelt["set"][mine] == CANONICAL
        unseen = ~canonical if canonical.any() else np.ones(int(mine.sum()), dtype=bool)
    return AskedImages(
        rows[mine], spelt["set"][mine], spelt["truth"][mine], spelt["response"][mine], sure[mine], unseen, split.factors
    )
