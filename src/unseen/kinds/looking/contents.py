"""A study of where networks look, gathered for its report."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unseen.explanations import METHODS
from unseen.kinds.answered import gather_answers
from unseen.kinds.by_method import frame_of
from unseen.kinds.collect import REPEAT, finished_trials
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected, judged, told
from unseen.kinds.looking.numbers import AREA, MEASURES, SEEN, UNSEEN, truth_numbers
from unseen.kinds.pictures import splits
from unseen.kinds.recipe_words import words_of
from unseen.kinds.trial_numbers import accuracies
from unseen.measures import judge, mean_interval
from unseen.reports.contents import Contents
from unseen.reports.finding import Finding
from unseen.reports.words import number
from unseen.studies.records import Record
from unseen.studies.study import Study

SETS = (SEEN, UNSEEN, f"{SEEN}, right", f"{SEEN}, wrong", f"{UNSEEN}, right", f"{UNSEEN}, wrong")
ENERGY, RATIO = MEASURES[:2]


@dataclass(frozen=True, eq=False)
class StudyOfLooking:
    """``values[method, set, measure]``: one number for each repeat (NaN where it has none)."""

    trials: Sequence[Record]
    methods: tuple[str, ...]
    values: dict[tuple[str, str, str], np.ndarray]
    accuracy: dict[str, np.ndarray]

    def of(self, method: str, side: str, measure: str) -> np.ndarray:
        n = len(next(iter(self.values.values()), np.zeros(0)))
        return self.values.get((method, side, measure), np.full(n, np.nan))


@dataclass(frozen=True, eq=False, kw_only=True)
class LookingContents(Contents):
    """A series is a method, a set a sort of image."""

    methods: tuple[str, ...]


def read(study: Study) -> StudyOfLooking:
    trials = finished_trials(study)
    repeats = list(dict.fromkeys(map(_repeat, trials)))
    sums: dict[tuple[str, str, str], list[list[float]]] = {}
    right: dict[str, list[list[float]]] = {}
    for record in trials:
        at = repeats.index(_repeat(record))
        for row in truth_numbers(record):
            key = (row["target"], row["set"], row["measure"])
            sums.setdefault(key, [[] for _ in repeats])[at].append(row["value"])
        for row in accuracies(record.facts, record.folder):
            if row["measure"] == "accuracy" and row["target"] == record.facts["factors"][0]:
                right.setdefault(row["set"], [[] for _ in repeats])[at].append(row["value"])
    values = {key: _means(found) for key, found in sums.items()}
    methods = tuple(dict.fromkeys(key[0] for key in values))
    return StudyOfLooking(trials, methods, values, {key: _means(found) for key, found in right.items()})


def _repeat(record: Record) -> str:
    """A draw of the design; seeds of one draw are one repeat, and averaged."""
    draw = record.facts["condition"].get(REPEAT)
    return f"seed {record.facts['seed']}" if draw is None else f"draw {draw}"


def _means(found: Sequence[Sequence[float]]) -> np.ndarray:
    return np.array([np.mean(one) if one else np.nan for one in found])


def summary_of(study: Study) -> pl.DataFrame:
    return summary(read(study))


def summary(found: StudyOfLooking) -> pl.DataFrame:
    """Means over repeats with their intervals."""
    asked = itertools.product(found.methods, SETS, (*MEASURES, AREA))
    return frame_of((*one, mean_interval(found.of(*one)).cut(0, np.inf if one[2] == RATIO else 1)) for one in asked)


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings(read(study))


def findings(found: StudyOfLooking) -> tuple[Finding, ...]:
    """Of each method that looks at the network: whether its evidence leaves the object on unseen combinations, and
    where answers there are wrong. The share is compared within a repeat; where images differ in the object's size
    the ratio to its area says the same."""
    made = []
    for method in found.methods:
        if METHODS[method].needs == "nothing":
            continue
        seen, unseen, right, wrong = (found.of(method, one, ENERGY) for one in (SEEN, UNSEEN, SETS[4], SETS[5]))
        fall = seen - unseen
        less = mean_interval(fall).value
        made.append(judged(
            f"{method}: evidence leaves the object where the combination was not seen",
            f"{method}: the share of evidence on the object is {number(float(np.nanmean(seen)))} on seen "
            "combinations and "
            f"{number(float(np.nanmean(unseen)))} on unseen ones, "
            f"{number(abs(less))} {'more' if less < 0 else 'less'}",
            judge(fall, 1).within(-1, 1), over="repeats", key=f"{method} unseen",
        ))  # fmt: skip
        if np.isfinite(right - wrong).any():
            gap = mean_interval(right - wrong).value
            made.append(told(
                f"{method}: on unseen combinations, right less wrong answers",
                f"{method}: on unseen combinations the share of evidence on the object is "
                f"{number(abs(gap))} {'smaller' if gap < 0 else 'larger'} where the answer is right than where it is "
                "wrong",
                judge(right - wrong, 1).within(-1, 1), over="repeats", key=f"{method} wrong",
            ))  # fmt: skip
    return corrected(made)


def answer(found: StudyOfLooking, claims: Sequence[Finding]) -> str:
    """The first network method's numbers, and what was decided of all."""
    mine = [one for one in claims if one.key.endswith("unseen")]
    held = [one.key.removesuffix(" unseen") for one in mine if one.holds]
    failed = [one.key.removesuffix(" unseen") for one in mine if one.holds is False]
    known = {side: float(np.nanmean(values)) for side, values in found.accuracy.items() if side in (SEEN, UNSEEN)}
    said = [f"{number(value)} on {side}" for side, value in known.items()]
    words = f"Accuracy is {' and '.join(said)} combinations. " if said else ""
    if held:
        return words + f"By {', '.join(held)}, evidence leaves the object where the combination was not seen."
    if failed:
        return words + f"By {', '.join(failed)}, evidence lies on the object more where the combination was not seen."
    return words + "Whether evidence leaves the object where the combination was not seen is open by every method."


def contents_of(study: Study) -> LookingContents:
    found = read(study)
    claims = findings(found)
    names = {record.identity: "networks" for record in found.trials}
    return LookingContents(
        **words_of(study.recipe), answer=answer(found, claims), x_title="", series_title="method",
        summary=summary(found), curves=curves(found.trials, names, lambda record: "networks"),
        flags=flags(study, found.trials, names, lambda record: "networks"), splits=splits(study), findings=claims,
        facts=facts_tables(study, found.trials), methods=found.methods, answered=gather_answers(study),
    )  # fmt: skip
