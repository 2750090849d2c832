"""The most telling images of a trial: right where training showed the combination, wrong where it did not, and the same
object in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unseen.kinds.trial_answers import TrialAnswers, read_trial_answers
from unseen.studies.explained.looked import Looked, answers
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.varied_sets import CANONICAL

TRIED = 12  # seen cells that an object is shown at, to find one where it is known
SAME, RIGHT, WRONG = "The same object, seen and unseen", "Right on what was seen", "Wrong on what was not"


@dataclass(frozen=True)
class Telling:
    """One image: its row, what it shows, what was answered, and under which title it stands."""

    row: int
    truth: str
    response: str
    confidence: float
    where: str
    group: str
    made: bool = False  # not among the test images: drawn for this comparison

    @property
    def right(self) -> bool:
        return self.truth == self.response

    @property
    def words(self) -> str:
        sure = f" ({self.confidence:.2f})" if np.isfinite(self.confidence) else ""
        mark = "✓" if self.right else "✗"
        return (
            f"{mark} {self.truth} → {self.response}{sure}; {self.where}{'; shown for this page' if self.made else ''}"
        )


def told_of(study: Study, trial: Trial) -> TrialAnswers:
    """The stored answers of one trial."""
    for one in read_trial_answers(study, trial):
        return one
    raise UnseenError(f"trial '{trial.label}' has no answers that can be read; `unseen run {study.path}` first.")


def telling(
    study: Study,
    trial: Trial,
    looked: Looked | None,
    images: int,
    target: str | None = None,
    told: TrialAnswers | None = None,
) -> tuple[Telling, ...]:
    """Up to so many images, in three groups: pairs of one object (right at a seen combination, wrong at an unseen
    one), then others that were right on seen and wrong on unseen cells. Surest first, few of one class."""
    told = told_of(study, trial) if told is None else told
    if told.sample is None:
        raise UnseenError("which image an answer is about was not stored by this version; ask the trial again.")
    targets = told.targets.found()
    name = targets[0] if target is None else target
    if name not in targets:
        raise unknown("target", name, targets, where=f"trial '{trial.label}'")
    mine, unseen = told.tested & told.targets.is_(name), told.unseen
    if not study.split(trial).trains:
        canonical = told.sets.is_(CANONICAL)
        unseen = ~canonical if canonical.any() else np.ones(len(told.right), dtype=bool)
    sure = np.zeros(len(mine)) if told.confidence is None else np.nan_to_num(told.confidence)
    order = np.argsort(-sure, kind="stable")
    seen_right = [int(at) for at in order if mine[at] and not unseen[at] and told.right[at]]
    unseen_wrong = [int(at) for at in order if mine[at] and unseen[at] and not told.right[at]]
    pairs = _pairs(study, trial, looked, told, seen_right, unseen_wrong, max(1, images // 4), name)
    used = {one.row for one in pairs}
    rest = max(0, images - len(pairs))
    right = _few(told, [at for at in seen_right if int(told.sample[at]) not in used], rest - rest // 2)
    wrong = _few(told, [at for at in unseen_wrong if int(told.sample[at]) not in used], rest // 2)
    chosen = [*pairs, *(_one(told, at, RIGHT) for at in right), *(_one(told, at, WRONG) for at in wrong)]
    if not chosen:
        first = [int(at) for at in order if mine[at]][:images]
        chosen = [_one(told, at, "Surest answers") for at in first]
    return tuple(chosen)


def _one(told: TrialAnswers, at: int, group: str) -> Telling:
    assert told.sample is not None
    truth, response = (column.names[column.places[at]] for column in (told.truth, told.response))
    where = ", ".join(f"{name} {told.levels[name][told.places[name][at]]}" for name in told.places)
    sure = float(told.confidence[at]) if told.confidence is not None else float("nan")
    return Telling(int(told.sample[at]), truth, response, sure, where, group)


def _few(told: TrialAnswers, order: Sequence[int], most: int) -> list[int]:
    """The first ones, of each class in turn."""
    classes: dict[int, list[int]] = {}
    for at in order:
        classes.setdefault(int(told.truth.places[at]), []).append(at)
    found: list[int] = []
    for turn in range(most):
        for mine in classes.values():
            if len(found) < most and turn < len(mine):
                found.append(mine[turn])
    return found


def _pairs(
    study: Study, trial: Trial, looked: Looked | None, told: TrialAnswers, right: Sequence[int], wrong: Sequence[int],
    most: int, target: str,
) -> list[Telling]:  # fmt: skip
    """Pairs of one object, first those whose both images were test images."""
    samples = study.world(trial).samples
    assert told.sample is not None
    objects = samples.instance_numbers(told.sample)
    by_object: dict[int, int] = {}
    for at in right:
        by_object.setdefault(int(objects[at]), at)
    found: list[Telling] = []
    met: set[int] = set()
    classes: set[int] = set()
    for at in sorted(wrong, key=lambda at: int(objects[at]) not in by_object):
        one, kind = int(objects[at]), int(told.truth.places[at])
        if one in met or kind in classes or len(found) >= 2 * most:
            continue
        beside = by_object.get(one)
        first = (
            _one(told, beside, SAME) if beside is not None
            else _shown_seen(study, trial, looked, told, at, target) if looked is not None else None
        )  # fmt: skip
        if first is None:
            continue
        met.add(one)
        classes.add(kind)
        found += [first, _one(told, at, SAME)]
    return found


def _shown_seen(study: Study, trial: Trial, looked: Looked, told: TrialAnswers, at: int, target: str) -> Telling | None:
    """The object of an answer at a combination that training showed, where the network knows it there."""
    world, split = study.world(trial), study.split(trial)
    samples, space = world.samples, world.samples.space
    assert told.sample is not None
    row = told.sample[at : at + 1]
    block, instance, _ = samples.locate(row)
    grid = samples.blocks[int(block[0])].grid
    if not split.trains or samples.blocks[int(block[0])].cells is not None or not set(split.factors) & set(grid):
        return None
    seen = split.mask(samples, "train")
    now = {name: int(samples.levels(name, row)[0]) for name in space.names}
    free = [name for name in split.factors if name in grid]
    here = seen[tuple(slice(None) if name in free else now[name] for name in split.factors)]
    cells = np.argwhere(here)
    if not len(cells):
        return None
    rng = stream(0, "telling", int(row[0]))
    cells = cells[rng.permutation(len(cells))[:TRIED]]
    levels = {name: np.full(len(cells), now[name]) for name in grid} | {
        name: cells[:, i] for i, name in enumerate(free)
    }
    rows = samples.rows_at(np.repeat(instance, len(cells)), levels, int(block[0]))
    labels, sure = answers(looked, world.images(rows))
    truth = told.truth.names[told.truth.places[at]]
    known = [(float(sure[i]), i) for i in range(len(rows)) if looked.class_name(int(labels[i])) == truth]
    if not known or looked.target != target:
        return None
    best = max(known)[1]
    words = ", ".join(f"{name} {space[name].levels[int(samples.levels(name, rows[best : best + 1])[0])]}"
                      for name in split.factors)  # fmt: skip
    return Telling(int(rows[best]), truth, truth, float(sure[best]), words, SAME, made=True)
