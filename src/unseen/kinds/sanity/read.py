"""What a study of sanity checks has recorded, by method and comparison, one number for each repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unseen.kinds.collect import REPEAT, finished_trials
from unseen.kinds.sanity.numbers import CASCADE, NAMES, RANDOM, similarity_numbers
from unseen.measures import map_similarity
from unseen.studies.explained.stored_maps import arrays_of, has_maps
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.trials import DEALT

WITHOUT_SIGN = NAMES["spearman_absolute"]
# What the paper says, as our notes have it (shared facts, section E): does a map change with the weights?
PUBLISHED = {"gradient": True, "grad-cam": True, "guided-backprop": False, "guided-grad-cam": False}


@dataclass(frozen=True)
class Alike:
    """One number: a method's maps under a comparison, in one repeat, mean over its images."""

    method: str
    comparison: str
    measure: str
    repeat: str
    value: float
    images: int


@dataclass(frozen=True, eq=False)
class StudyOfSanity:
    trials: Sequence[Record]
    numbers: tuple[Alike, ...]
    methods: tuple[str, ...]

    def values(self, method: str, comparison: str, measure: str = WITHOUT_SIGN) -> np.ndarray:
        """One number for each repeat."""
        return np.array([
            one.value for one in self.numbers
            if (one.method, one.comparison, one.measure) == (method, comparison, measure)
        ])  # fmt: skip


def repeat_of(record: Record) -> str:
    """A draw of the design and a seed: what is repeated."""
    return f"draw {record.facts['condition'].get(REPEAT, 0)}, seed {record.facts['seed']}"


def read(study: Study) -> StudyOfSanity:
    trials = [record for record in finished_trials(study) if has_maps(record)]
    numbers: list[Alike] = []
    true: dict[str, Record] = {}
    random: dict[str, Record] = {}
    for record in trials:
        repeat = repeat_of(record)
        (random if record.facts["condition"].get(DEALT) else true)[repeat] = record
    for repeat, record in true.items():
        for row in similarity_numbers(record):
            numbers.append(Alike(row["target"], row["set"], row["measure"], repeat, row["value"], row["n"]))  # noqa: PERF401
        if repeat in random:
            numbers += _random_labels(record, random[repeat], repeat)
    methods = tuple(dict.fromkeys(one.method for one in numbers if one.comparison == CASCADE))
    return StudyOfSanity(trials, tuple(numbers), methods)


def _random_labels(record: Record, other: Record, repeat: str) -> list[Alike]:
    """Maps of a network against those of one that was trained on random labels, on the same pictures."""
    mine, its = arrays_of(record.folder), arrays_of(other.folder)
    if not np.array_equal(mine.get("checked rows", np.zeros(0)), its.get("checked rows", np.ones(1))):
        return []
    found = []
    for key in mine:
        if not key.startswith("checked.") or key not in its:
            continue
        alike = map_similarity(mine[key].astype(np.float64), its[key].astype(np.float64))
        for name, measure in NAMES.items():
            values = getattr(alike, name)
            kept = values[np.isfinite(values)]
            mean = float(kept.mean()) if len(kept) else float("nan")
            found.append(Alike(key.removeprefix("checked."), RANDOM, measure, repeat, mean, len(values)))
    return found
