"""Gaps of one trial: accuracy off the canonical view less accuracy at it, of the same objects. No polars: a machine
that only trains reads them too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from unseen.measures import gap, object_accuracy
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import damaged
from unseen.vocabulary.design_facts import Varied
from unseen.vocabulary.responses import COLUMNS

GAP, OF_CLASS = "gap", "gap of a class"
TRAINED = "trained-"
ENDS = ("-exposed", "-others")  # sets of classes that were seen varying, and of those that were not
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ByObject:
    """Of one set the accuracy of each object, by place in ``objects``, and how many pictures it was asked by."""

    accuracy: Float[np.ndarray, " objects"]
    pictures: Int[np.ndarray, " objects"]


@dataclass(frozen=True, eq=False)
class ObjectAnswers:
    """The answers of one trial by object. ``classes`` are places in ``categories``; objects that a set did not ask are
    NaN there."""

    facts: Varied
    target: str
    categories: tuple[str, ...]
    objects: tuple[str, ...]
    classes: Int[np.ndarray, " objects"]
    sets: dict[str, ByObject]

    def home(self, name: str) -> str:
        """The set that shows the same objects canonical."""
        end = next((end for end in ENDS if name.endswith(end)), "")
        return f"{TRAINED if name.startswith(TRAINED) else ''}canonical{end}"

    @property
    def gaps(self) -> list[str]:
        """Sets that have a gap: those off canonical whose objects were asked canonical too."""
        return [name for name in self.sets if self.facts.asked.get(name) and self.home(name) in self.sets]


def read_trial(record: Record) -> ObjectAnswers:
    from pyarrow import ArrowException

    facts, category = Varied.of(record.split_facts), str(record.facts["factors"][0])
    column = facts.object if facts.object not in COLUMNS else f"factor_{facts.object}"
    try:
        table = read_answers(record.folder, "set", "target", "truth", "response", column)
        asked, targets, truth, response, thing = (
            words(table, name) for name in ("set", "target", "truth", "response", column)
        )
    except (OSError, KeyError, ArrowException) as error:
        raise damaged(record.folder, error) from error
    right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
    of = targets.is_(category)
    # Where ids are counted anew in each category an object is both.
    pairs = truth.places.astype(np.int64) * len(thing.names) + thing.places
    known, number = np.unique(pairs, return_inverse=True)
    names = tuple(f"{truth.names[pair // len(thing.names)]} {thing.names[pair % len(thing.names)]}" for pair in known)
    sets = {
        name: ByObject(*object_accuracy(right[here], number[here], len(known)))
        for name in asked.found()
        if name in facts.asked and (here := of & asked.is_(name)).any()
    }
    return ObjectAnswers(facts, category, truth.names, names, known // len(thing.names), sets)


def gap_numbers(record: Record) -> Iterator[Row]:
    """The gap of every set off canonical; where some classes were seen varying, also of each class (``level``)."""
    one = read_trial(record)
    for name in one.gaps:
        home, away = one.sets[one.home(name)].accuracy, one.sets[name].accuracy
        both = np.isfinite(home) & np.isfinite(away)
        head = {"set": name, "target": one.target}
        yield {"measure": GAP, **head, "value": gap(home, away), "n": int(both.sum())}
        if not one.facts.exposed or name.startswith(TRAINED):
            continue
        for place in np.unique(one.classes[both]).tolist():
            mine = both & (one.classes == place)
            found = gap(home[mine], away[mine])
            yield {"measure": OF_CLASS, **head, "level": one.categories[place], "value": found, "n": int(mine.sum())}
