"""A study of sanity checks, gathered for its report."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import polars as pl

from unseen.explanations import METHODS
from unseen.kinds.by_method import frame_of
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected, judged
from unseen.kinds.recipe_words import words_of
from unseen.kinds.sanity.numbers import CASCADE, INDEPENDENT, LAST, NAMES, RANDOM
from unseen.kinds.sanity.read import DEALT, PUBLISHED, StudyOfSanity, read
from unseen.measures import judge_level, mean_interval
from unseen.measures.similarity import ALIKE, DOES, DOES_NOT
from unseen.reports.contents import Contents
from unseen.reports.finding import Finding
from unseen.studies.study import Study
from unseen.vocabulary.errors import listed
from unseen.vocabulary.words import capital

BASELINE = "baseline, no network"
COMPARISONS = (CASCADE, INDEPENDENT, LAST, RANDOM)


@dataclass(frozen=True, eq=False, kw_only=True)
class SanityContents(Contents):
    """A series is a method, a set a comparison; ``verdicts`` by method in words."""

    methods: tuple[str, ...]
    verdicts: dict[str, str]


def summary_of(study: Study) -> pl.DataFrame:
    return summary(read(study))


def summary(found: StudyOfSanity) -> pl.DataFrame:
    """Means over repeats with their intervals."""
    asked = itertools.product(found.methods, COMPARISONS, NAMES.values())
    return frame_of((*one, mean_interval(found.values(*one)).cut(-1, 1)) for one in asked)


def findings_of(study: Study) -> tuple[Finding, ...]:
    return findings(read(study))


def findings(found: StudyOfSanity) -> tuple[Finding, ...]:
    """Of each method whether its maps are alike after the layers that tell classes apart were drawn anew; judged where
    the paper says what is to be expected, on the side that it says."""
    made = []
    for method in found.methods:
        values = found.values(method, CASCADE)
        if not len(values) or METHODS[method].needs == "nothing":
            continue
        changes = PUBLISHED.get(method, True)
        level = mean_interval(values)
        words = "change with the weights" if changes else "stay alike whatever the weights"
        source = "as Adebayo et al. 2018 say" if method in PUBLISHED else "which would be to be wished"
        made.append(judged(
            f"maps of {method} {words}",
            f"Maps of {method} {words}, {source}: rank correlation without sign {level.value:.3f} over the upper "
            f"half of the cascade; the {'lower' if changes else 'upper'} side of {ALIKE} (ours) is expected",
            judge_level(values, -1 if changes else 1, ALIKE, least=-1), over="repeats", key=method,
        ))  # fmt: skip
    return corrected(made)


def verdicts_of(found: StudyOfSanity) -> dict[str, str]:
    """In words: as its finding has it, so that a page says one thing; of those that do not use the network,
    that they are baselines."""
    judged_as = {one.key: one.holds for one in findings(found)}
    told = {}
    for method in found.methods:
        if METHODS[method].needs == "nothing":
            told[method] = BASELINE
            continue
        holds, changes = judged_as.get(method), PUBLISHED.get(method, True)
        told[method] = "open" if holds is None else DOES if holds == changes else DOES_NOT
    return told


def answer(found: StudyOfSanity) -> str:
    verdicts = verdicts_of(found)
    groups = {words: [one for one, told in verdicts.items() if told == words] for words in (DOES, DOES_NOT, "open")}
    said = [
        f"{listed(names)} {words if len(names) == 1 else plural}"
        for words, plural in ((DOES, "depend on the weights"), (DOES_NOT, "do not depend on the weights"))
        if (names := groups[words])
    ]
    said += [f"open for {listed(groups['open'])}"] if groups["open"] else []
    n = max((len(found.values(method, CASCADE)) for method in found.methods), default=0)
    repeats = f"n = {n} repeat{'s' * (n != 1)}"
    return f"Do maps depend on the weights? {capital('; '.join(said))} ({repeats})." if said else ""


def contents_of(study: Study) -> SanityContents:
    found = read(study)
    names = {
        record.identity: RANDOM if record.facts["condition"].get(DEALT) else "true labels" for record in found.trials
    }
    return SanityContents(
        **words_of(study.recipe), answer=answer(found), x_title="", series_title="method", summary=summary(found),
        curves=curves(found.trials, names, lambda record: names[record.identity]),
        flags=flags(study, found.trials, names, lambda record: names[record.identity]), splits=(),
        findings=findings(found), facts=facts_tables(study, found.trials), methods=found.methods,
        verdicts=verdicts_of(found),
    )  # fmt: skip
