"""How often a subject is right: in a set, at a level, in a cell, each with its interval and over what that is.

Of several people every person has an accuracy, and the interval is Student's t over persons: it says what another group
of such people would do on these images. Of one model, or one person, it is the exact binomial interval over images: it
says what this subject would do on other images of the same kind. The two are not the same uncertainty, so each number
says which it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.kinds.trial_answers import ordered_levels
from unseen.measures import chance, mean_interval, proportion_interval
from unseen.studies.answers import WordColumn, words
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.subjects import ANSWER, PERSON, SECONDS, UNASKED, answers_of, extra_column
from unseen.vocabulary.responses import COLUMNS, NO_ANSWER
from unseen.vocabulary.subjects import Subject

OVER_PEOPLE, OVER_IMAGES = "people", "images"
ONE_PERSON, NO_ANSWERS, SPEED = "accuracy of one person", "share without an answer", "median response time"
CELL = "accuracy in a cell"


@dataclass(frozen=True, eq=False)
class SubjectAnswers:
    """The answers of one subject that count, read. ``right`` and ``person`` (a number each; None where there are fewer
    than two) are by answer, ``levels`` the names of each factor's levels in order, ``places`` each answer's level."""

    subject: Subject
    record: Record
    sets: WordColumn
    targets: WordColumn
    right: np.ndarray
    person: np.ndarray | None
    persons: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    places: Mapping[str, np.ndarray]
    silent: np.ndarray
    first: np.ndarray  # an image may be asked in several sets: each answer once
    seconds: np.ndarray | None

    def chance(self, target: str) -> float:
        return chance(len(self.record.facts["targets"][target]))


@dataclass(frozen=True)
class Score:
    """An accuracy with its interval; ``over``: what ``n`` counts, ``asked`` the answers behind it."""

    value: float
    low: float
    high: float
    n: int
    over: str
    asked: int


def read_subject(study: Study, record: Record) -> SubjectAnswers:
    """The answers of a subject. Missing ones are wrong, or not counted, as whoever added them chose."""
    table = answers_of(study, record)
    skip = record.facts["no_answer"] == "skip"
    every = list(record.facts["factors"])
    space = None if study.absent else study.world(study.points[0]).samples.space
    factors = [name for name in every if _column(name) in table.column_names]
    sets, targets, truth, response = (words(table, name) for name in ("set", "target", "truth", "response"))
    silent = response.is_(NO_ANSWER)
    kept = ~sets.is_(UNASKED) & ~(silent & skip)
    right = truth.numbered(order := (*truth.names, *response.names)) == response.numbered(order)
    spelt = {name: words(table, _column(name)) for name in factors}
    levels = {name: ordered_levels(space, record.facts, name, one) for name, one in spelt.items()}
    taken = every if space is None else space.names
    answer, person, seconds = (extra_column(name, taken) for name in (ANSWER, PERSON, SECONDS))
    who = words(table, person) if person in table.column_names else None
    several = who is not None and len(who.found()) > 1
    return SubjectAnswers(
        record.subject,
        record,
        WordColumn(sets.places[kept], sets.names),
        WordColumn(targets.places[kept], targets.names),
        right[kept],
        who.places[kept] if several and who is not None else None,
        who.names if several and who is not None else (),
        levels,
        {name: one.numbered(levels[name])[kept] for name, one in spelt.items()},
        silent[kept],
        _first(np.asarray(table[answer])[kept]),
        np.asarray(table[seconds], dtype=np.float64)[kept] if seconds in table.column_names else None,
    )


def _first(answers: np.ndarray) -> np.ndarray:
    mask = np.zeros(len(answers), dtype=bool)
    mask[np.unique(answers, return_index=True)[1]] = True
    return mask


def _column(factor: str) -> str:
    return factor if factor not in COLUMNS else f"factor_{factor}"


def score(right: np.ndarray, person: np.ndarray | None) -> Score:
    """Mean over persons where there are several, else over images.

    >>> people = score(np.array([1, 1, 0, 1]) > 0, np.array([0, 0, 1, 1])); people.value, people.n, people.over
    (0.75, 2, 'people')
    >>> alone = score(np.array([1, 1, 0, 1]) > 0, None); alone.value, round(alone.low, 2), alone.over
    (0.75, 0.19, 'images')
    """
    if person is not None and len(np.unique(person)) > 1:
        i, over = mean_interval(_by_person(right, person)), OVER_PEOPLE
    else:
        i, over = proportion_interval(int(right.sum()), len(right)), OVER_IMAGES
    low, high = np.clip([i.low, i.high], 0, 1)
    return Score(i.value, float(low), float(high), i.n, over, len(right))


def _by_person(right: np.ndarray, person: np.ndarray) -> np.ndarray:
    asked = np.bincount(person)
    return np.bincount(person, weights=right)[asked > 0] / asked[asked > 0]


def by_set(one: SubjectAnswers) -> Iterator[tuple[str, str, np.ndarray]]:
    """Each set and target, and which answers are about them."""
    for asked in one.sets.found():
        for target in one.targets.found():
            here = one.sets.is_(asked) & one.targets.is_(target)
            if here.any():
                yield asked, target, here


def score_where(one: SubjectAnswers, here: np.ndarray) -> Score:
    return score(one.right[here], None if one.person is None else one.person[here])


def numbers_of(one: SubjectAnswers) -> Iterator[dict[str, Any]]:
    """Rows of the tidy table: accuracy by set, of every person, in every cell of the first two factors."""
    for target in one.targets.found():
        yield {"measure": "chance", "target": target, "value": one.chance(target)}
    for asked, target, here in by_set(one):
        head, found = {"set": asked, "target": target}, score_where(one, here)
        yield {**head, "measure": "accuracy", "value": found.value, "n": found.asked}
        if one.silent[here].any():
            yield {**head, "measure": NO_ANSWERS, "value": float(one.silent[here].mean()), "n": int(here.sum())}
        if one.seconds is not None and np.isfinite(one.seconds[here]).any():
            known = one.seconds[here][np.isfinite(one.seconds[here])]
            yield {**head, "measure": SPEED, "value": float(np.median(known)), "n": len(known)}
        for place, name in enumerate(one.persons):
            mine = one.right[here & (one.person == place)]
            if len(mine):
                yield {**head, "measure": ONE_PERSON, "participant": name, "value": float(mine.mean()), "n": len(mine)}
        for row, column, found in cells(one, here):
            yield {**head, "measure": CELL, "row": row, "column": column, "value": found.value, "n": found.asked}


def cells(one: SubjectAnswers, here: np.ndarray) -> Iterator[tuple[str, str, Score]]:
    """Accuracy in each cell of the first two factors that was asked."""
    if len(one.places) < 2:
        return
    (rows, first), (columns, second) = list(one.places.items())[:2]
    width = len(one.levels[columns])
    numbers = first * width + second
    for cell in np.unique(numbers[here]).tolist():
        yield (
            one.levels[rows][cell // width],
            one.levels[columns][cell % width],
            score_where(one, here & (numbers == cell)),
        )


def by_level(one: SubjectAnswers, factor: str, here: np.ndarray) -> Iterator[tuple[str, Score]]:
    """Accuracy at each level of a factor that was asked."""
    for level in np.unique(one.places[factor][here]).tolist():
        yield one.levels[factor][level], score_where(one, here & (one.places[factor] == level))


def read_subjects(study: Study, records: Sequence[Record]) -> list[SubjectAnswers]:
    return [read_subject(study, record) for record in records]
