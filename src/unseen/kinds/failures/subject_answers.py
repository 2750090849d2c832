"""Answers of one subject as what rules are found on: which are wrong, the factors of their images, and which answers
are about one object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unseen.kinds.trial_answers import TrialAnswers, ordered_levels, read_trial_answers
from unseen.measures.rules import Column
from unseen.studies.answers import words
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.subjects import ANSWER, UNASKED, answers_of, extra_column, subjects_of
from unseen.vocabulary.design_facts import EachVaried
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.responses import COLUMNS, NO_ANSWER
from unseen.vocabulary.samples import Samples

SEEN, CHANGED = "combination", "factors changed"
MOST_LEVELS = 200  # of a factor; of more, they are most likely names of single images (ours)
ORDERED = {"ordinal": "ordered", "circular": "circular"}


@dataclass(frozen=True, eq=False)
class SubjectAnswers:
    """The answers of ``name`` to one ``target``. ``objects``: a number for what each image shows; ``over``: what these
    are ("objects" or "images")."""

    name: str
    target: str
    wrong: np.ndarray
    columns: tuple[Column, ...]
    objects: np.ndarray
    over: str


def all_answers(study: Study) -> Iterator[SubjectAnswers]:
    """Everyone whose answers the study has, one by one and target by target; repeats of one condition together."""
    by_name: dict[str, list[TrialAnswers]] = {}
    for one in read_trial_answers(study):
        name = one.condition or one.trial.recipe.network.name
        by_name.setdefault(name, []).append(one)
    for name, repeats in by_name.items():
        targets = dict.fromkeys(target for one in repeats for target in one.targets.found())
        for target in targets:
            parts = [part for one in repeats if (part := _of_trial(study, one, name, target)) is not None]
            if parts:
                yield _joined(parts)
    for record in subjects_of(study)[0]:
        yield from _of_subject(study, record)


def _of_trial(study: Study, one: TrialAnswers, name: str, target: str) -> SubjectAnswers | None:
    here = np.flatnonzero(one.tested & one.targets.is_(target))
    if not len(here):
        return None
    space = None if study.absent else study.world(one.trial).samples.space
    columns = columns_of(
        {factor: places[here] for factor, places in one.places.items()}, one.levels, space, one.facts, target
    )
    unseen = one.unseen[here]
    if unseen.any() and not unseen.all():
        columns = (Column(SEEN, ("seen in training", "never seen"), unseen.astype(np.int64)), *columns)
    about = Record(dict(one.facts), study.path).split_facts
    if isinstance(about, EachVaried):
        columns = (*columns, *_changed(one, here, about.canonical))
    objects, over = _objects(study, one, here)
    return SubjectAnswers(name, target, ~one.right[here], columns, objects, over)


def columns_of(
    places: Mapping[str, np.ndarray], levels: Mapping[str, Sequence[str]], space: FactorSpace | None,
    facts: Mapping[str, Any], target: str,
) -> tuple[Column, ...]:  # fmt: skip
    """The factors by which answers may be told apart: not those that name single objects."""
    made = []
    for name, own in places.items():
        if space is not None and space[name].kind == "instance":
            continue
        if len(np.unique(own)) > MOST_LEVELS:
            continue
        kind = kind_of(name, [str(level) for level in levels[name]], space, facts.get("targets", {}))
        made.append(Column(name, short(levels[name], kind), own.astype(np.int64), kind))
    return tuple(made)


def short(levels: Sequence[str], kind: str) -> tuple[str, ...]:
    """Numbers with three digits, if that tells them apart.

    >>> short(("-27.6923", "0.0"), "ordered"), short(("1.001", "1.002"), "ordered")
    (('−27.7', '0'), ('1.001', '1.002'))
    """
    names = tuple(str(level) for level in levels)
    try:
        rounded = tuple(f"{float(name):.3g}".replace("-", "−") for name in names)
    except ValueError:
        return names
    return rounded if kind != "nominal" and len(set(rounded)) == len(names) else names


def kind_of(name: str, levels: Sequence[str], space: FactorSpace | None, named: Any = ()) -> str:
    """What conditions a factor has: as its world says; without it, numbers are ordered unless they are classes.

    >>> kind_of("size", ("0.5", "1"), None), kind_of("digit", ("0", "1"), None, {"digit": ()})
    ('ordered', 'nominal')
    """
    if space is not None:
        factor = space[name]
        if factor.kind in ORDERED:
            return ORDERED[factor.kind]
        if factor.kind == "category" or any(isinstance(level, str) for level in factor.levels):
            return "nominal"
    elif name in named:
        return "nominal"
    try:
        numbers = [float(level) for level in levels]
    except ValueError:
        return "nominal"
    return "ordered" if numbers == sorted(numbers) and len(numbers) > 1 else "nominal"


def _changed(one: TrialAnswers, here: np.ndarray, canonical: Mapping[str, Any]) -> tuple[Column, ...]:
    """How many factors are not at their canonical level."""
    stand = {name: levels.index(str(canonical[name])) for name, levels in one.levels.items()
             if name in one.places and str(canonical.get(name)) in levels}  # fmt: skip
    if len(stand) < 2:
        return ()
    many = np.sum([one.places[name][here] != place for name, place in stand.items()], axis=0)
    return (Column(CHANGED, tuple(map(str, range(len(stand) + 1))), many, "ordered"),)


def _objects(study: Study, one: TrialAnswers, here: np.ndarray) -> tuple[np.ndarray, str]:
    """What an answer is about: its object; without the world what is stored of it, or the image."""
    if one.sample is not None and not study.absent:
        return objects_in(study.world(one.trial).samples, one.sample[here]), "objects"
    about = Record(dict(one.facts), study.path).split_facts
    if isinstance(about, EachVaried) and about.instance in one.places:
        return one.places[about.instance][here] * len(one.truth.names) + one.truth.places[here], "objects"
    if one.image is not None:
        return one.image.places[here].astype(np.int64), "objects"
    if one.sample is not None:
        return one.sample[here], "images"
    return np.arange(len(here)), "answers"


def objects_in(samples: Samples, rows: np.ndarray) -> np.ndarray:
    """A number for the object of each row: a factor that names instances tells them within their category; where there
    is none, what a world varies of one instance is one object."""
    kinds = {factor.name: factor.kind for factor in samples.space.factors}
    named = [name for name, kind in kinds.items() if kind == "instance"]
    if not named:
        return samples.instance_numbers(rows)
    joint = np.zeros(len(rows), np.int64)
    for name in (*named, *(name for name, kind in kinds.items() if kind == "category")):
        joint = joint * len(samples.space[name]) + samples.levels(name, rows)
    return joint


def _joined(parts: Sequence[SubjectAnswers]) -> SubjectAnswers:
    """Repeats as one: their factors have the same levels, and an object is the same in all."""
    first = parts[0]
    kept = [one for one in first.columns if all(_levels(part, one.name) == one.levels for part in parts)]
    columns = tuple(
        replace(one, places=np.concatenate([_column(part, one.name).places for part in parts])) for one in kept
    )
    wrong, objects = (np.concatenate([getattr(part, key) for part in parts]) for key in ("wrong", "objects"))
    return replace(first, wrong=wrong, columns=columns, objects=objects)


def _column(one: SubjectAnswers, name: str) -> Column:
    return next(column for column in one.columns if column.name == name)


def _levels(one: SubjectAnswers, name: str) -> tuple[str, ...]:
    return next((column.levels for column in one.columns if column.name == name), ())


def _of_subject(study: Study, record: Record) -> Iterator[SubjectAnswers]:
    """Answers that were made elsewhere. Those that are missing are wrong, or not there, as whoever added them chose."""
    table = answers_of(study, record)
    space = None if study.absent else study.world(study.points[0]).samples.space
    every = [str(name) for name in record.facts["factors"]]
    sets, targets, truth, response = (words(table, name) for name in ("set", "target", "truth", "response"))
    kept = ~sets.is_(UNASKED)
    if record.facts["no_answer"] == "skip":
        kept &= ~response.is_(NO_ANSWER)
    own = extra_column(ANSWER, every if space is None else space.names)
    if own in table.column_names:  # an image may be asked in several sets: each answer once
        once = np.zeros(len(table), dtype=bool)
        once[np.unique(np.asarray(table[own]), return_index=True)[1]] = True
        kept &= once
    order = (*truth.names, *response.names)
    wrong = truth.numbered(order) != response.numbered(order)
    spelt = {name: words(table, _key(name)) for name in every if _key(name) in table.column_names}
    levels = {name: ordered_levels(space, record.facts, name, one) for name, one in spelt.items()}
    sample = np.asarray(table["sample"], dtype=np.int64)
    for target in targets.found():
        here = np.flatnonzero(kept & targets.is_(target))
        if len(here):
            places = {name: one.numbered(levels[name])[here] for name, one in spelt.items()}
            columns = columns_of(places, levels, space, record.facts, target)
            objects, over = sample[here], "images"
            if space is not None:
                objects, over = objects_in(study.world(study.points[0]).samples, objects), "objects"
            yield SubjectAnswers(record.subject.name, target, wrong[here], columns, objects, over)


def _key(factor: str) -> str:
    return factor if factor not in COLUMNS else f"factor_{factor}"
