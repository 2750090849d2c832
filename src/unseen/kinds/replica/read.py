"""Accuracies of many models on the original test set and on new ones, some of them chosen by what other models know.

Which images of the replica are hard is told by models, never by the one that is asked: the models of a draw are parted
in two halves that are alike, and each half is asked the images that the other found hard, or easy. As frequencies of
annotators do for Recht et al., frequencies of models select, class by class; half of the images are kept (ours).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.designs.replicate import ORIGINAL, REPLICA, SHIFTED
from unseen.kinds.collect import REPEAT, finished_trials, nothing_finished, varied
from unseen.measures.selection import chosen, two_halves
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import damaged
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Replicated
from unseen.vocabulary.seeds import keyed

HARDER, EASIER = "harder", "easier"
COLLECTIONS = (REPLICA, EASIER, HARDER, SHIFTED)
FEWEST_MODELS = 4  # of a draw: two halves of two
SEEDS, DRAWS = "seeds", "draws of the objects"


@dataclass(frozen=True, eq=False)
class Replicas:
    """``accuracy`` of each collection is ``[repeats, models]``, NaN where there is no such trial; ``images`` is how
    many each model was asked (their mean)."""

    trials: Sequence[Record]
    names: dict[str, str]  # the model of each trial
    models: tuple[str, ...]
    accuracy: dict[str, np.ndarray]
    images: dict[str, float]
    shift: Replicated
    chance: float
    over: str

    @property
    def collections(self) -> tuple[str, ...]:
        return tuple(name for name in COLLECTIONS if name in self.accuracy)

    def drop(self, name: str) -> np.ndarray:
        """Original minus new accuracy, ``[repeats, models]``."""
        return self.accuracy[ORIGINAL] - self.accuracy[name]


def read(study: Study) -> Replicas:
    trials, keys = finished_trials(study), varied(study)
    if not trials:
        raise nothing_finished(study)
    drawn = REPEAT in keys
    told = [key for key in keys if key != REPEAT and not key.endswith(".arguments")]
    names = {one.identity: named(one, told) for one in trials}
    repeat = {one.identity: repeat_of(one, drawn) for one in trials}
    models, repeats = tuple(dict.fromkeys(names.values())), sorted(set(repeat.values()))
    category = str(trials[0].facts["factors"][0])
    shape = (len(repeats), len(models))
    total = {name: np.zeros(shape) for name in (ORIGINAL, *COLLECTIONS)}
    count = {name: np.zeros(shape) for name in total}
    images: dict[str, list[int]] = {name: [] for name in total}
    for place, one in enumerate(repeats):
        mine = [record for record in trials if repeat[record.identity] == one]
        for identity, name, right in of_draw(mine, category):
            at = place, models.index(names[identity])
            total[name][at] += right.mean()
            count[name][at] += 1
            images[name].append(len(right))
    accuracy = {
        name: np.divide(total[name], count[name], where=count[name] > 0, out=np.full(shape, np.nan))
        for name in total
        if images[name]
    }
    return Replicas(
        trials, names, models, accuracy, {name: float(np.mean(n)) for name, n in images.items() if n},
        Replicated.of(trials[0].split_facts), 1 / len(trials[0].facts["targets"][category]),
        DRAWS if drawn else SEEDS,
    )  # fmt: skip


def named(record: Record, keys: Sequence[str]) -> str:
    condition = record.facts["condition"]
    parts = []
    for key in keys:
        value = condition.get(key)
        if value is not None:
            parts.append(f"{value} epoch{'s' * (value != 1)}" if key == "training.epochs" else str(value))
    return " ".join(parts) or "network"


def repeat_of(record: Record, drawn: bool) -> int:
    return int(record.facts["description"].get("design", {}).get("seed", 0) if drawn else record.facts["seed"])


def of_draw(trials: Sequence[Record], category: str) -> Iterator[tuple[str, str, np.ndarray]]:
    """For each trial and collection which images were known; those of one draw were asked the same images."""
    answers = {one.identity: _answers(one, category) for one in trials}
    for identity, found in answers.items():
        for name, (_, right, _) in found.items():
            yield identity, name, right
    whole = {identity: found for identity, found in answers.items() if {ORIGINAL, REPLICA} <= set(found)}
    if len(whole) < FEWEST_MODELS:
        return
    samples = [found[REPLICA][0] for found in whole.values()]
    if any(not np.array_equal(samples[0], one) for one in samples):
        return
    known = np.array([found[REPLICA][1] for found in whole.values()])
    category_of = next(iter(whole.values()))[REPLICA][2]
    order = np.argsort(keyed(0, "equally often known", samples[0]))  # which of equals comes first means nothing
    halves = two_halves(np.array([found[ORIGINAL][1].mean() for found in whole.values()]))
    for half in (0, 1):
        references = known[halves != half][:, order]
        for name in (HARDER, EASIER):
            kept = order[chosen(references, category_of[order], harder=name == HARDER)]
            for identity, mine, right in zip(whole, halves, known):
                if mine == half:
                    yield identity, name, right[kept]


def _answers(record: Record, category: str) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """By set: the images asked, in the order of their numbers, whether each was known, and its category."""
    from pyarrow import ArrowException

    try:
        table = read_answers(record.folder, "set", "target", "truth", "response", "sample")
        asked, targets, truth, response = (words(table, name) for name in table.column_names[:4])
        sample = np.asarray(table["sample"].combine_chunks())
    except (OSError, KeyError, ArrowException) as error:
        raise damaged(record.folder, error) from error
    every = (*truth.names, *response.names)
    right, place = truth.numbered(every) == response.numbered(every), truth.numbered(every)
    found = {}
    for name in (ORIGINAL, REPLICA, SHIFTED):
        kept = np.flatnonzero(asked.is_(name) & targets.is_(category))
        if len(kept):
            kept = kept[np.argsort(sample[kept], kind="stable")]
            found[name] = sample[kept], right[kept], place[kept].astype(np.int64)
    return found
