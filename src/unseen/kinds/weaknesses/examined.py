"""The answers of one model to canonical and to changed images, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unseen.studies.answers import words
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.subjects import UNASKED, answers_of
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import EachVaried
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.responses import COLUMNS, NO_ANSWER
from unseen.vocabulary.varied_sets import ALL, ASKED, CANONICAL, pair_of

if TYPE_CHECKING:
    import pyarrow as pa

OBJECT = "image"  # the column with an instance's own name


@dataclass(frozen=True, eq=False)
class ExaminedModel:
    """One model. Arrays have an entry per answer: its row in the world, the number of its object, the true class and
    the answer (−1: none), its confidence (None: the model said none), its place among ``sets`` and, by factor, its
    place among ``levels``. ``canonical`` is the place of each factor's canonical level."""

    name: str
    record: Record
    classes: tuple[str, ...]
    target: str
    sets: tuple[str, ...]
    asked: np.ndarray
    rows: np.ndarray
    objects: np.ndarray
    truth: np.ndarray
    response: np.ndarray
    confidence: np.ndarray | None
    levels: Mapping[str, tuple[str, ...]]
    places: Mapping[str, np.ndarray]
    canonical: Mapping[str, int]
    varied: tuple[str, ...]
    by_level: tuple[str, ...]
    paired: bool  # whether it is known which images show one object
    trial: Trial | None = None

    @cached_property
    def right(self) -> np.ndarray:
        return self.truth == self.response

    def of(self, name: str) -> np.ndarray:
        """Which answers are about a set."""
        return self.asked == (self.sets.index(name) if name in self.sets else -1)

    @cached_property
    def changed(self) -> np.ndarray:
        """Which answers are about images that are not canonical."""
        return ~self.of(CANONICAL)

    @cached_property
    def pairs(self) -> dict[str, tuple[str, str]]:
        """Sets in which two factors vary, and these."""
        return {name: both for name in self.sets if (both := pair_of(name, self.varied)) is not None}

    @property
    def alone(self) -> tuple[str, ...]:
        """Factors that were asked alone."""
        return tuple(name for name in self.varied if self.of(name).any())

    @property
    def has_canonical(self) -> bool:
        return bool(self.of(CANONICAL).any())

    @property
    def together(self) -> str:
        """The set with most changed at once: all factors; of two factors both; "" where there is none."""
        if ALL in self.sets:
            return ALL
        return next(iter(self.pairs), "") if len(self.varied) == 2 else ""


def of_subject(study: Study, record: Record) -> ExaminedModel:
    """The answers of a model or of people that were made elsewhere."""
    table = answers_of(study, record)
    if record.facts["no_answer"] == "skip":
        import pyarrow as pa

        table = table.filter(pa.array(~words(table, "response").is_(NO_ANSWER)))
    trial = None if study.absent else study.points[0]
    return settled(study, trial, read(record, table, _facts(study, trial)), record.subject.name)


def of_trial(study: Study, trial: Trial, record: Record, name: str) -> ExaminedModel:
    """The answers of a model that a protocol brought."""
    found = read(record, _stored(record), _facts(study, trial))
    return settled(study, None if study.absent else trial, found, name)


def alone(record: Record) -> ExaminedModel:
    """The answers in a record, from its files alone; levels are in the order of their names."""
    facts = record.split_facts
    return read(record, _stored(record), facts if isinstance(facts, EachVaried) else None)


def _stored(record: Record) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.read_table(record.folder / "responses.parquet")


def _facts(study: Study, trial: Trial | None) -> EachVaried | None:
    facts = None if trial is None else study.split(trial).facts
    return facts if isinstance(facts, EachVaried) else None


def read(record: Record, table: pa.Table, facts: EachVaried | None) -> ExaminedModel:
    """A table of answers about the first target. Without the design's facts (answers from elsewhere, read where the
    images are not at hand) sets and canonical images tell what varied."""
    import pyarrow as pa

    targets = words(table, "target")
    target = targets.found()[0] if len(table) else ""
    kept = targets.is_(target) & ~words(table, "set").is_(UNASKED)
    table = table.filter(pa.array(kept))
    if not len(table):
        raise UnseenError(f"'{record.facts['label']}' has no answer about an image that this study asks.")
    sets, truth, response = (words(table, name) for name in ("set", "truth", "response"))
    classes = tuple(str(one) for one in record.facts["targets"][target])
    spelt = {
        name: words(table, _column(name))
        for name in _factors(record, facts, sets.found())
        if _column(name) in table.column_names
    }
    levels = {name: tuple(in_order(one.found())) for name, one in spelt.items()}
    places = {name: one.numbered(levels[name]) for name, one in spelt.items()}
    order = [*classes, NO_ANSWER]
    answered = response.numbered(order)
    names = tuple(sets.found())
    confidence = np.asarray(table["confidence"], dtype=np.float64) if "confidence" in table.column_names else None
    known = confidence is not None and np.isfinite(confidence).any()
    objects, paired = _objects(table, facts)
    asked = sets.numbered(names)
    varied = facts.varied if facts is not None else _varied(names, levels)
    stand = _canonical(facts, levels, places, asked == (names.index(CANONICAL) if CANONICAL in names else -1))
    by_level = facts.by_level if facts is not None else ()
    said, rows = np.where(answered == len(classes), -1, answered), np.asarray(table["sample"], dtype=np.int64)
    return ExaminedModel(
        record.subject.name, record, classes, target, names, asked, rows, objects, truth.numbered(classes), said,
        confidence if known else None, levels, places, stand, tuple(varied), tuple(by_level), paired,
    )  # fmt: skip


def settled(study: Study, trial: Trial | None, one: ExaminedModel, name: str) -> ExaminedModel:
    """With the levels in the world's order, its canonical ones, and objects as the world tells them apart."""
    one = replace(one, name=name)
    if trial is None:
        return one
    world = study.world(trial)
    levels, places = {}, {}
    for factor, own in one.levels.items():
        levels[factor] = tuple(str(level) for level in world.samples.space[factor].levels)
        places[factor] = np.array([levels[factor].index(level) for level in own], np.int64)[one.places[factor]]
    canonical = {
        factor: levels[factor].index(one.levels[factor][place])
        for factor, place in one.canonical.items()
        if factor in levels
    }
    facts = study.split(trial).facts
    target = next((each for each in study.targets(trial) if each.name == one.target), None)
    space = world.samples.space
    if target is not None and target.class_map is None and len(space[target.factor]) == len(one.classes):
        one = replace(one, classes=tuple(str(level) for level in space[target.factor].levels))  # "bed", not "a bed"
    objects = one.objects
    if isinstance(facts, EachVaried) and facts.objects and not facts.instance:
        objects = world.samples.instance_numbers(one.rows)
    paired = bool(isinstance(facts, EachVaried) and facts.objects)
    return replace(one, levels=levels, places=places, canonical=canonical, objects=objects, paired=paired, trial=trial)


def in_order(levels: Sequence[str]) -> list[str]:
    """Levels as their names order them, numbers by size.

    >>> in_order(["10", "-9.5", "2"]), in_order(["b", "a"])
    (['-9.5', '2', '10'], ['a', 'b'])
    """
    try:
        return sorted(levels, key=float)
    except ValueError:
        return sorted(levels)


def _column(factor: str) -> str:
    return factor if factor not in COLUMNS else f"factor_{factor}"


def _factors(record: Record, facts: EachVaried | None, sets: list[str]) -> list[str]:
    known = dict.fromkeys([*record.facts["factors"], *(facts.canonical if facts is not None else ()), *sets])
    return [name for name in known if name not in (CANONICAL, ALL, ASKED)]


def _varied(sets: tuple[str, ...], levels: Mapping[str, object]) -> list[str]:
    return [name for name in sets if name in levels]


def _canonical(
    facts: EachVaried | None, levels: Mapping[str, tuple[str, ...]], places: Mapping[str, np.ndarray], here: np.ndarray
) -> dict[str, int]:
    """The canonical level of each factor: as the design says, else the one that canonical images have."""
    if facts is not None:
        told = {name: str(level) for name, level in facts.canonical.items()}
        return {name: levels[name].index(one) for name, one in told.items() if one in levels.get(name, ())}
    found = {}
    for name, own in places.items():
        there = np.unique(own[here])
        if len(there) == 1:
            found[name] = int(there[0])
    return found


def _objects(table: pa.Table, facts: EachVaried | None) -> tuple[np.ndarray, bool]:
    """A number for the object of each answer; without a column that tells, each image is one."""
    column = _column(facts.instance) if facts is not None and facts.instance else OBJECT
    if column not in table.column_names or (facts is not None and not facts.objects):
        return np.asarray(table["sample"], dtype=np.int64), False
    named = words(table, column)
    truth = words(table, "truth")
    joint = named.places.astype(np.int64) * (len(truth.names) + 1) + truth.places
    return np.unique(joint, return_inverse=True)[1].reshape(-1), True
