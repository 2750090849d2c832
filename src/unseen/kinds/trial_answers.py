"""The answers of finished trials, one trial at a time, with what tells conditions apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unseen.studies.answers import WordColumn, answered_columns, read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import Damaged
from unseen.studies.study import Study
from unseen.studies.trials import Trial, setting_text
from unseen.vocabulary.design_facts import Decorrelated, Replicated
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.facts import Facts
from unseen.vocabulary.responses import COLUMNS, image_column

NOT_TESTED = ("train", "validation", "probe")  # row sets that a recipe may ask, but that test nothing
UNSEEN = ("unseen", "across", "new-", "one-out-", "two-out", "many-out")  # how sets of cells never seen begin
MORE = ("design.seen_per_level", "design.images", "design.seen")  # the more, the easier: the most are shown first
REPEAT = "design.seed"


@dataclass(frozen=True, eq=False)
class TrialAnswers:
    """The answers of one trial. ``levels`` are those of each factor of the design, ``places`` each answer's level of
    them; ``unseen`` marks answers about cells that training did not show. Columns that were not stored are None."""

    condition: str
    main: bool
    facts: Mapping[str, Any]
    trial: Trial
    sets: WordColumn
    targets: WordColumn
    truth: WordColumn
    response: WordColumn
    levels: Mapping[str, tuple[str, ...]]
    places: Mapping[str, np.ndarray]
    unseen: np.ndarray
    confidence: np.ndarray | None
    sample: np.ndarray | None
    image: WordColumn | None

    @property
    def world(self) -> str:
        """Which world its row numbers are of."""
        return repr(self.facts["description"].get("world"))

    @cached_property
    def right(self) -> np.ndarray:
        """Which answers are."""
        every = (*self.truth.names, *self.response.names)
        return self.truth.numbered(every) == self.response.numbered(every)

    @cached_property
    def tested(self) -> np.ndarray:
        """Which answers are about test images."""
        return ~np.isin(self.sets.places, [p for p, name in enumerate(self.sets.names) if name in NOT_TESTED])


def read_trial_answers(study: Study) -> Iterator[TrialAnswers]:
    """The answers of every finished trial. One whose files cannot be read is left to the tables, which say so."""
    from pyarrow import ArrowException

    found = [(trial, name) for trial in study.trials if (name := study.find(trial)) is not None]
    varied = keys_that_differ([trial for trial, _ in found])
    most = {key: max(values) for key in MORE if (values := _numbers([trial for trial, _ in found], key))}
    for trial, name in found:
        main = all(trial.condition.get(key) in (value, None) for key, value in most.items())
        try:
            record = Record(study.store.read(name), study.store.trials / name)
            one = _read(study, trial, record, condition_of(trial, record.split_facts, varied), main)
        except (OSError, KeyError, ValueError, ArrowException, Damaged):
            continue
        yield one


def keys_that_differ(trials: Sequence[Trial]) -> list[str]:
    """The grid's keys that tell conditions apart; repeats do not."""
    keys = dict.fromkeys(key for trial in trials for key in trial.condition if key != REPEAT)
    return [key for key in keys if len({repr(trial.condition.get(key)) for trial in trials}) > 1]


def _numbers(trials: Sequence[Trial], key: str) -> set[float]:
    """The values of a key of the grid, if they are numbers and more than one."""
    values = {trial.condition.get(key) for trial in trials if not isinstance(trial.condition.get(key), list | dict)}
    plain = {value for value in values if isinstance(value, int | float) and not isinstance(value, bool)}
    return {float(value) for value in plain} if len(plain) > 1 else set()


def condition_of(trial: Trial, about: Facts, keys: Sequence[str]) -> str:
    """What tells a condition from the others, in words; "" where there is one."""
    parts = []
    for key in keys:
        value = trial.condition.get(key)
        if value is None:
            continue
        if key == "design.seen_per_level" and about.combinations is not None:
            parts.append(f"{about.combinations} seen combinations")
        elif isinstance(value, str) and not key.startswith("design."):
            parts.append(value)
        else:
            name = key.rpartition(".")[2]  # levels keep their spelling
            parts.append(setting_text(key, value).replace(name, name.replace("_", " "), 1))
    return ", ".join(parts)


def _read(study: Study, trial: Trial, record: Record, condition: str, main: bool) -> TrialAnswers:
    facts, stored = record.facts, answered_columns(record.folder)
    factors = list(facts["factors"])
    columns = {name: name if name not in COLUMNS else f"factor_{name}" for name in factors}
    named = _names_column(study, trial, factors, stored)
    wanted = ["set", "target", "truth", "response", *(c for c in columns.values() if c in stored)]
    wanted += [name for name in ("confidence", "sample", named) if name and name in stored]
    table = read_answers(record.folder, *dict.fromkeys(wanted))
    there = [name for name in factors if columns[name] in stored]
    spelt = {name: words(table, columns[name]) for name in there}
    space = None if study.absent else study.world(trial).samples.space
    levels = {name: ordered_levels(space, facts, name, spelt[name]) for name in there}
    places = {name: spelt[name].numbered(levels[name]) for name in there}
    sets = words(table, "set")
    return TrialAnswers(
        condition, main, facts, trial, sets, words(table, "target"), words(table, "truth"), words(table, "response"),
        levels, places, _unseen(study, trial, record, sets, levels, places),
        np.asarray(table["confidence"], dtype=np.float64) if "confidence" in table.column_names else None,
        np.asarray(table["sample"], dtype=np.int64) if "sample" in table.column_names else None,
        words(table, named) if named else None,
    )  # fmt: skip


def _names_column(study: Study, trial: Trial, factors: Sequence[str], stored: Sequence[str]) -> str:
    """Where the images' names stand, if they are stored; a factor may be called "image" too."""
    space = factors if study.absent else study.world(trial).samples.space.names
    named = image_column(space)
    return named if named in stored else ""


def never_shown(name: str, about: Facts) -> bool:
    """Whether a set is known to ask about cells that training did not show.

    >>> always, half = Decorrelated(decorrelated=0.0), Decorrelated(decorrelated=0.5)
    >>> never_shown("conflicting", always), never_shown("conflicting", half)
    (True, False)
    """
    if isinstance(about, Decorrelated):
        return name == "conflicting" and about.decorrelated == 0
    return name.startswith(UNSEEN)


def ordered_levels(
    space: FactorSpace | None, facts: Mapping[str, Any], factor: str, found: WordColumn
) -> tuple[str, ...]:
    """The levels of a factor in their order; without the world, numbers by size and words as a target has them."""
    if space is not None:
        return tuple(str(level) for level in space[factor].levels)
    names = found.found()
    classes = [str(name) for name in facts["targets"].get(factor, ())]
    if set(names) <= set(classes):
        return tuple(classes)
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(sorted(names))


def _unseen(
    study: Study, trial: Trial, record: Record, sets: WordColumn, levels: Mapping[str, Sequence[str]],
    places: Mapping[str, np.ndarray],
) -> np.ndarray:  # fmt: skip
    """Which answers are about cells that training did not show; without the world, by what was noted or by the set."""
    factors = record.facts["factors"]
    if not study.absent and len(places) == len(factors):
        split = study.split(trial)
        if not split.trains:
            return np.ones(len(sets.places), dtype=bool)
        seen = split.mask(study.world(trial).samples, "train")
        return ~seen[tuple(places[name] for name in factors)]
    about = record.split_facts
    by_set = np.array([never_shown(name, about) for name in sets.names], dtype=bool)[sets.places]
    if isinstance(about, Replicated) and about.factor in places:
        return np.array([level in about.shifted for level in levels[about.factor]], dtype=bool)[places[about.factor]]
    noted = {str(level) for level in about.trained_levels}
    last = factors[-1]
    if noted and last in places:
        return ~np.array([level in noted for level in levels[last]], dtype=bool)[places[last]]
    return by_set
