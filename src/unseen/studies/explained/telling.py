"""The most telling images of a network: right where training showed the combination, wrong where it did not, and the
same object in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unseen.studies.explained.answered import AskedImages
from unseen.studies.explained.looked import Looked, answers
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream

TRIED = 12  # seen cells that an object is shown at, to find one where it is known
SAME, RIGHT, WRONG = "The same object, seen and unseen", "Right on what was seen", "Wrong on what was not"
SUREST = "Surest answers"


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
            f"{mark} {self.truth} → {self.response}{sure}; {self.where}{'; drawn for this page' if self.made else ''}"
        )


def telling(study: Study, trial: Trial, looked: Looked | None, asked: AskedImages, images: int) -> tuple[Telling, ...]:
    """Up to so many images, in three groups: pairs of one object (right at a seen combination, wrong at an unseen
    one), then others that were right on seen and wrong on unseen ones. Surest first, few of one class."""
    samples = study.world(trial).samples
    order = np.argsort(-np.nan_to_num(asked.confidence), kind="stable")
    right = [int(at) for at in order if not asked.unseen[at] and asked.right[at]]
    wrong = [int(at) for at in order if asked.unseen[at] and not asked.right[at]]
    pairs = _pairs(study, trial, looked, asked, right, wrong, max(1, images // 4)) if images >= 2 else []
    used = {one.row for one in pairs}
    rest = max(0, images - len(pairs))
    known = _few(asked, [at for at in right if int(asked.rows[at]) not in used], rest - rest // 2)
    failed = _few(asked, [at for at in wrong if int(asked.rows[at]) not in used], rest // 2)
    chosen = [*pairs, *(_one(samples, asked, at, RIGHT) for at in known)]
    chosen += [_one(samples, asked, at, WRONG) for at in failed]
    return tuple(chosen or [_one(samples, asked, int(at), SUREST) for at in order[:images]])


def _one(samples: Samples, asked: AskedImages, at: int, group: str) -> Telling:
    row = int(asked.rows[at])
    sure = float(asked.confidence[at])
    return Telling(row, str(asked.truth[at]), str(asked.response[at]), sure, where(samples, row, asked.factors), group)


def where(samples: Samples, row: int, factors: Sequence[str]) -> str:
    """A row's levels of some factors in words."""
    at = np.array([row])
    named = ((name, samples.space[name].levels[int(samples.levels(name, at)[0])]) for name in factors)
    return ", ".join(f"{name} {level:.3g}" if isinstance(level, float) else f"{name} {level}" for name, level in named)


def _few(asked: AskedImages, order: Sequence[int], most: int) -> list[int]:
    """The first ones, of each class in turn."""
    classes: dict[str, list[int]] = {}
    for at in order:
        classes.setdefault(str(asked.truth[at]), []).append(at)
    found: list[int] = []
    for turn in range(most):
        for mine in classes.values():
            if len(found) < most and turn < len(mine):
                found.append(mine[turn])
    return found


def _pairs(
    study: Study, trial: Trial, looked: Looked | None, asked: AskedImages, right: Sequence[int], wrong: Sequence[int],
    most: int,
) -> list[Telling]:  # fmt: skip
    """Pairs of one object, first those whose both images were test images."""
    samples = study.world(trial).samples
    objects = samples.instance_numbers(asked.rows)
    by_object: dict[int, int] = {}
    for at in right:
        by_object.setdefault(int(objects[at]), at)
    found: list[Telling] = []
    met: set[int] = set()
    classes: set[str] = set()
    for at in sorted(wrong, key=lambda at: int(objects[at]) not in by_object):
        one, kind = int(objects[at]), str(asked.truth[at])
        if len(found) >= 2 * most:
            break
        if one in met or kind in classes:
            continue
        beside = by_object.get(one)
        if beside is not None:
            first = _one(samples, asked, beside, SAME)
        else:
            first = None if looked is None else _drawn_seen(study, trial, looked, int(asked.rows[at]), kind)
        if first is None:
            continue
        met.add(one)
        classes.add(kind)
        found += [first, _one(samples, asked, at, SAME)]
    return found


def _drawn_seen(study: Study, trial: Trial, looked: Looked, row: int, truth: str) -> Telling | None:
    """The object of an answer at a combination that training showed, where the network knows it there."""
    world, split = study.world(trial), study.split(trial)
    samples, space, at = world.samples, world.samples.space, np.array([row])
    block, instance, _ = samples.locate(at)
    grid = samples.blocks[int(block[0])].grid
    free = [name for name in split.factors if name in grid]
    if not split.trains or samples.blocks[int(block[0])].cells is not None or not free:
        return None
    now = {name: int(samples.levels(name, at)[0]) for name in space.names}
    seen = split.mask(samples, "train")
    cells = np.argwhere(seen[tuple(slice(None) if name in free else now[name] for name in split.factors)])
    if not len(cells):
        return None
    cells = cells[stream(0, "telling", row).permutation(len(cells))[:TRIED]]
    levels = {name: np.full(len(cells), now[name]) for name in grid}
    levels |= {name: cells[:, place] for place, name in enumerate(free)}
    rows = samples.rows_at(np.repeat(instance, len(cells)), levels, int(block[0]))
    labels, sure = answers(looked, looked.frame(world.images(rows)))
    known = [(float(sure[i]), i) for i in range(len(rows)) if looked.class_name(int(labels[i])) == truth]
    if not known:
        return None
    best = max(known)[1]
    told = where(samples, int(rows[best]), split.factors)
    return Telling(int(rows[best]), truth, truth, float(sure[best]), told, SAME, made=True)
