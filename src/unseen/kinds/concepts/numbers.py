"""Of a network with concepts: how often all are right, whether the class is right where they are, and what it is when
some are told."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unseen.kinds.table import Row
from unseen.studies.answers import read_answers, words
from unseen.studies.concepts import ALL, ANY, NOTHING
from unseen.studies.explained.stored_maps import columns_of
from unseen.studies.records import Record

SEEN, UNSEEN = "seen", "unseen"
TOLD = "accuracy with concepts told"  # target: which; "any 2": of each image two, drawn at random
ALL_RIGHT = "all concepts right"
KNOWN, MISTAKEN = "class right where all concepts are", "class right where a concept is wrong"
BLAMED = "wrong classes with a wrong concept"
MEASURES = (ALL_RIGHT, KNOWN, MISTAKEN, BLAMED)
FEWEST = 3  # images that a share is taken over


def concept_numbers(record: Record) -> Iterator[Row]:
    label, *concepts = record.facts["targets"]
    if concepts:
        yield from _together(record, label, concepts)
    table = columns_of(record.folder, "concepts.parquet")
    for asked, told, count, right, n in zip(*(table.get(name, ()) for name in ("set", "told", "count", "right", "n"))):
        name = f"{ANY} {count}" if told == ANY else str(told)
        yield {"measure": TOLD, "set": str(asked), "target": name, "value": float(right / n), "n": int(n)}


def _together(record: Record, label: str, concepts: list[str]) -> Iterator[Row]:
    """Image by image: the class, and all concepts together."""
    table = read_answers(record.folder, "set", "target", "sample", "truth", "response")
    sets, targets, truth, response = (words(table, name) for name in ("set", "target", "truth", "response"))
    right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
    samples = np.asarray(table["sample"])
    for asked in sets.found():
        of = {name: sets.is_(asked) & targets.is_(name) for name in (label, *concepts)}
        order = {name: np.argsort(samples[here], kind="stable") for name, here in of.items()}
        known = right[of[label]][order[label]]
        each = [right[of[name]][order[name]] for name in concepts]
        if any(len(one) != len(known) for one in each):
            continue  # this set does not ask for all of them
        together = np.all(each, axis=0)
        shares = {
            ALL_RIGHT: together, KNOWN: known[together], MISTAKEN: known[~together], BLAMED: ~together[~known],
        }  # fmt: skip
        for measure, values in shares.items():
            if len(values) >= FEWEST:
                yield {
                    "measure": measure, "set": asked, "target": label, "value": float(values.mean()), "n": len(values),
                }  # fmt: skip


__all__ = ["ALL", "ALL_RIGHT", "BLAMED", "KNOWN", "MEASURES", "MISTAKEN", "NOTHING", "SEEN", "TOLD", "UNSEEN"]
