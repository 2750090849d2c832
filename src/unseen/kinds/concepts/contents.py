"""A study of concepts, gathered for its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.concepts.numbers import ALL, ALL_RIGHT, BLAMED, SEEN, TOLD, UNSEEN
from unseen.kinds.concepts.read import ACCURACY, ALONE, APART, FROM, StudyOfConcepts, read, series_of
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected, judged, told
from unseen.kinds.pictures import splits
from unseen.kinds.recipe_words import words_of
from unseen.measures import Interval, judge, mean_interval
from unseen.reports.contents import Contents
from unseen.reports.finding import Finding
from unseen.reports.words import interval, number
from unseen.studies.study import Study


@dataclass(frozen=True, eq=False, kw_only=True)
class ConceptContents(Contents):
    """A series is a way to read the class; ``methods`` are these in order."""

    methods: tuple[str, ...]
    label: str
    concepts: tuple[str, ...]


def summary_of(study: Study) -> pl.DataFrame:
    return summary(read(study))


def summary(found: StudyOfConcepts) -> pl.DataFrame:
    """Means over repeats with their intervals."""
    rows = []
    for (how, asked, measure, target), values in found.values.items():
        one = mean_interval(values).cut(0, 1)
        if one.n:
            rows.append({
                "x": "concepts", "series": how, "set": asked, "target": target, "layer": "", "unit_type": "",
                "measure": measure, "value": one.value, "low": one.low, "high": one.high, "n": one.n, "chance": None,
            })  # fmt: skip
    schema = None if rows else {"x": pl.String, "series": pl.String, "set": pl.String, "measure": pl.String}
    return pl.DataFrame(rows, schema=schema, infer_schema_length=None)


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings(read(study))


def findings(found: StudyOfConcepts) -> tuple[Finding, ...]:
    """Whether a class read from concepts holds on unseen combinations better than one read from the image, by a network
    of the class alone and by one that learned the concepts beside it; what telling the truth adds there; and whether a
    concept is wrong where the class is."""
    made = []
    for how in found.kinds:
        if how.partition(" · ")[0] not in (FROM, APART):
            continue
        for other in (one for one in found.kinds if one.partition(" · ")[0] not in (FROM, APART)):
            if other.partition(" · ")[2] != how.partition(" · ")[2]:
                continue  # they differ in more than how the class is read
            gap = found.of(how, UNSEEN, ACCURACY) - found.of(other, UNSEEN, ACCURACY)
            mean = mean_interval(gap).value
            side = "higher" if mean >= 0 else "lower"
            made.append(judged(
                f"{how}: holds on unseen combinations better than {other}",
                f"{how}: accuracy on unseen combinations is {number(abs(mean))} {side} than that of {other}",
                judge(gap, 1).within(-1, 1), over="repeats", key=f"{how} against {other}",
            ))  # fmt: skip
        gain = found.of(how, UNSEEN, TOLD, ALL) - found.of(how, UNSEEN, ACCURACY)
        if np.isfinite(gain).any():
            made.append(told(
                f"{how}: what the truth about all concepts adds on unseen combinations",
                f"{how}: told the truth about all concepts, accuracy on unseen combinations is "
                f"{number(mean_interval(gain).value)} higher",
                judge(gain, 1).within(-1, 1), over="repeats", key=f"{how} told",
            ))  # fmt: skip
        blamed = found.of(how, UNSEEN, BLAMED) - (1 - found.of(how, UNSEEN, ALL_RIGHT))
        if np.isfinite(blamed).any():
            made.append(judged(
                f"{how}: concepts fail where the class does",
                f"{how}: on unseen combinations a concept is wrong in "
                f"{number(float(np.nanmean(found.of(how, UNSEEN, BLAMED))))} of the images whose class is wrong, and "
                f"in {number(float(np.nanmean(1 - found.of(how, UNSEEN, ALL_RIGHT))))} of all",
                judge(blamed, 1).within(-1, 1), over="repeats", key=f"{how} blamed",
            ))  # fmt: skip
    return corrected(made)


def answer(found: StudyOfConcepts, claims: Sequence[Finding]) -> str:
    """Accuracy on unseen combinations by how the class is read, and what was decided."""
    shown = [f"{_shown(mean_interval(found.of(how, UNSEEN, ACCURACY)))} for {how}" for how in found.kinds]
    if not shown:
        return ""
    said = f"Accuracy on unseen combinations is {', '.join(shown)} (n = {found.repeats} repeats). "
    for claim in claims:
        if " against " not in claim.key or ALONE not in claim.key:
            continue
        how, _, other = claim.key.partition(" against ")
        verdict = {True: "holds better than", False: "holds worse than"}.get(claim.holds)  # pyright: ignore[reportArgumentType]
        said += f"{how} {verdict} {other}. " if verdict else f"Whether {how} holds better than {other} is open. "
    return said.strip()


def _shown(one: Interval) -> str:
    one = one.cut(0, 1)
    return f"{number(one.value)} {interval(one.low, one.high, one.n)}" if np.isfinite(one.low) else number(one.value)


def contents_of(study: Study) -> ConceptContents:
    found = read(study)
    claims = findings(found)
    names = series_of(found.trials)
    return ConceptContents(
        **words_of(study.recipe), answer=answer(found, claims), x_title="", series_title="how the class is read",
        summary=summary(found), curves=curves(found.trials, names, lambda record: names[record.identity]),
        flags=flags(study, found.trials, names, lambda record: names[record.identity]), splits=splits(study),
        findings=claims, facts=facts_tables(study, found.trials), methods=found.kinds, label=found.label,
        concepts=found.concepts, answered=gather_answers(study),
    )  # fmt: skip


__all__ = ["SEEN", "ConceptContents", "contents_of", "findings_of", "summary_of"]
