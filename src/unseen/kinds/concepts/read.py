"""A study of concepts: networks by how their class is read, and their numbers by repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unseen.kinds.collect import REPEAT, finished_trials
from unseen.kinds.concepts.numbers import concept_numbers
from unseen.kinds.trial_numbers import BOTH, accuracies
from unseen.studies.records import Record
from unseen.studies.study import Study

ALONE, BESIDE, FROM, APART = (
    "class alone", "class beside concepts", "class from concepts", "class from concepts, apart",
)  # fmt: skip
ACCURACY = "accuracy"
ORDER = (ALONE, BESIDE, FROM, APART)


@dataclass(frozen=True, eq=False)
class StudyOfConcepts:
    """``values[how, set, measure, target]``: one number for each repeat, NaN where it has none."""

    trials: Sequence[Record]
    label: str
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    repeats: int
    values: dict[tuple[str, str, str, str], np.ndarray]

    def of(self, how: str, asked: str, measure: str, target: str | None = None) -> np.ndarray:
        target = self.label if target is None else target
        return self.values.get((how, asked, measure, target), np.full(self.repeats, np.nan))


def how_read(record: Record) -> str:
    """How a network comes to its class; networks that differ otherwise are told apart by their label."""
    sharing = record.facts["description"]["network"].get("sharing", "shared")
    if sharing == "concepts":
        return FROM
    if sharing == "concepts-apart":
        return APART
    return ALONE if len(record.facts["targets"]) == 1 else BESIDE


def series_of(trials: Sequence[Record]) -> dict[str, str]:
    """The series of each trial, by its identity: how its class is read, and what else the grid varies."""
    known = {REPEAT, "targets", "network.sharing"}
    varied = {
        key for record in trials for key in record.facts["condition"]
        if key not in known and len({str(one.facts["condition"].get(key)) for one in trials}) > 1
    }  # fmt: skip
    told = {}
    for record in trials:
        own = record.facts["condition"]
        rest = [f"{key.rpartition('.')[2]} {own[key]}" for key in sorted(varied) if key in own]
        told[record.identity] = " · ".join([how_read(record), *rest])
    return told


def repeat_of(record: Record) -> str:
    """A draw of the design; seeds of one draw are one repeat, and averaged."""
    draw = record.facts["condition"].get(REPEAT)
    return f"seed {record.facts['seed']}" if draw is None else f"draw {draw}"


def read(study: Study) -> StudyOfConcepts:
    trials = finished_trials(study)
    repeats = list(dict.fromkeys(map(repeat_of, trials)))
    series = series_of(trials)
    found: dict[tuple[str, str, str, str], list[list[float]]] = {}
    concepts: dict[str, None] = {}
    for record in trials:
        at, how = repeats.index(repeat_of(record)), series[record.identity]
        concepts |= dict.fromkeys(list(record.facts["targets"])[1:])
        rows = [row for row in accuracies(record.facts, record.folder) if row["measure"] == ACCURACY]
        for row in (*rows, *concept_numbers(record)):
            if row["target"] != BOTH:
                key = (how, row["set"], row["measure"], row["target"])
                found.setdefault(key, [[] for _ in repeats])[at].append(row["value"])
    label = next((next(iter(record.facts["targets"])) for record in trials), "")
    kinds = sorted(set(series.values()), key=lambda one: (ORDER.index(one.partition(" · ")[0]), one))
    values = {key: np.array([np.mean(one) if one else np.nan for one in each]) for key, each in found.items()}
    return StudyOfConcepts(trials, label, tuple(concepts), tuple(kinds), len(repeats), values)
