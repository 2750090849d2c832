"""The pictures of a page of weaknesses: wrong answers, objects that are hardly ever known, levels in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from unseen.kinds.stretched import visible
from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.scores import objects_of
from unseen.kinds.weaknesses.shown import Failure, HardObject, Strip
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import EachVaried
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.varied_sets import ALL, CANONICAL
from unseen.vocabulary.world import World

EACH = 6  # wrong answers that are shown of each factor
MODELS = 3  # models whose wrong answers are shown
SAME = 1  # of one true class in a group
HARD = 8  # objects
LEVELS = 9  # of a factor in a row of pictures
PAIRS = "two changed at once"
THREE = "three or more changed at once"


class Pictured:
    """Draws what is to be shown, each picture once; ``pictureless`` says why there are none."""

    def __init__(self, study: Study, every: Sequence[ExaminedModel]) -> None:
        self.study, self.every, self.pictureless = study, every[:MODELS], study.absent
        self._drawn: dict[int, np.ndarray] = {}

    def failures(self, one: ExaminedModel) -> tuple[Failure, ...]:
        """Wrong answers by what was changed, the surest first, no two of one true class in a group."""
        if one not in self.every:
            return ()
        groups = {CANONICAL: one.of(CANONICAL), **{name: one.of(name) for name in one.alone}}
        groups[PAIRS] = np.any([np.zeros(len(one.rows), dtype=bool), *(one.of(name) for name in one.pairs)], axis=0)
        groups[THREE] = one.of(ALL)
        if not one.varied:
            groups = {name: one.of(name) for name in one.sets}
        known = self._canonical(one)
        lost = np.array([known.get(int(each), (0, False))[1] for each in one.objects])  # known where nothing is changed
        chosen = [(group, at) for group, here in groups.items() for at in _surest(one, here, lost)]
        rows = [int(one.rows[at]) for _, at in chosen]
        stands = [known.get(int(one.objects[at]), (-1, False))[0] if one.paired else -1 for _, at in chosen]
        pictures = self._pictures([*rows, *(row for row in stands if row >= 0)])
        names = self._names(one, rows)
        return tuple(
            self._failure(one, group, at, known, names[row], pictures.get(row), pictures.get(stand))
            for (group, at), row, stand in zip(chosen, rows, stands)
        )

    def _failure(
        self, one: ExaminedModel, group: str, at: int, known: dict[int, tuple[int, bool]], name: str,
        picture: np.ndarray | None, canonical: np.ndarray | None,
    ) -> Failure:  # fmt: skip
        said = one.response[at]
        shown = [*one.varied, *one.by_level]
        where = ", ".join(
            f"{factor} {_short(one.levels[factor][one.places[factor][at]])}"
            for factor in shown
            if factor in one.levels and one.places[factor][at] != one.canonical.get(factor, -1)
        )
        sure = None if one.confidence is None or not np.isfinite(one.confidence[at]) else float(one.confidence[at])
        own = known.get(int(one.objects[at])) if one.paired and group != CANONICAL else None
        return Failure(
            group, one.classes[one.truth[at]], one.classes[said] if said >= 0 else "no answer", sure,
            where or "canonical", None if own is None else own[1], name, picture,
            canonical if own is not None else None,
        )  # fmt: skip

    def _canonical(self, one: ExaminedModel) -> dict[int, tuple[int, bool]]:
        """The row of each object's canonical image, and whether it was known."""
        here = np.flatnonzero(one.of(CANONICAL))
        return {int(one.objects[at]): (int(one.rows[at]), bool(one.right[at])) for at in here[::-1].tolist()}

    def hard(self, one: ExaminedModel) -> tuple[HardObject, ...]:
        """Objects with fewest right answers."""
        if one not in self.every:
            return ()
        found = [each for each in objects_of(one, HARD) if each.right < each.images]
        pictures = self._pictures([each.row for each in found])
        names = self._names(one, [each.row for each in found])
        return tuple(
            HardObject(each.truth, names[each.row], each.right, each.images, pictures.get(each.row)) for each in found
        )

    def strips(self) -> tuple[Strip, ...]:
        """One object at some levels of each factor, the others canonical; nothing where the world cannot draw them."""
        if not self.every or self.every[0].trial is None or self.pictureless:
            return ()
        one = self.every[0]
        world, facts = self._world(), None if one.trial is None else self.study.split(one.trial).facts
        if not isinstance(facts, EachVaried) or not facts.objects or not one.varied:
            return ()
        here = np.flatnonzero(one.of(CANONICAL))
        first = here[np.argsort(keyed(0, "strip", one.objects[here]))][:1]
        if not len(first):
            return ()
        made = []
        for factor in one.alone:
            rows = _rows_along(world.samples, int(one.rows[first[0]]), factor, len(one.levels[factor]))
            places = _spread(sorted(rows), one.canonical[factor], LEVELS)
            pictures = self._pictures([rows[place] for place in places])
            if len(pictures) < 2:
                continue
            made.append(
                Strip(
                    factor,
                    one.classes[one.truth[first[0]]],
                    tuple(one.levels[factor][place] for place in places),
                    places.index(one.canonical[factor]) if one.canonical[factor] in places else -1,
                    tuple(pictures[rows[place]] for place in places),
                )
            )
        return tuple(made)

    def circles(self) -> dict[str, float]:
        """Periods of factors that are circles."""
        if not self.every or self.every[0].trial is None:
            return {}
        space, one = self._world().samples.space, self.every[0]
        named = [space[name] for name in (*one.varied, *one.by_level)]
        return {factor.name: float(factor.period) for factor in named if factor.kind == "circular" and factor.period}

    def numbers_at(self) -> dict[str, tuple[float, ...]]:
        """Levels that are numbers, as such."""
        made = {}
        for name, levels in self.every[0].levels.items() if self.every else ():
            try:
                made[name] = tuple(float(level) for level in levels)
            except ValueError:
                continue
        return made

    def _world(self) -> World:
        assert self.every[0].trial is not None
        return self.study.world(self.every[0].trial)

    def _names(self, one: ExaminedModel, rows: Sequence[int]) -> dict[int, str]:
        if one.trial is None or not rows:
            return {row: f"row {row}" for row in rows}
        own = self.study.world(one.trial).samples.own_names(np.array(rows))
        return {row: own[1][own[0][at]] if own is not None else f"row {row}" for at, row in enumerate(rows)}

    def _pictures(self, rows: Sequence[int]) -> dict[int, np.ndarray]:
        """Pictures ``[height, width, channels]`` of rows; none where the images are not at hand."""
        missing = [row for row in dict.fromkeys(rows) if row not in self._drawn]
        if missing and not self.pictureless:
            try:
                images = self._world().images(np.array(missing))
                drawn = visible(images.cpu().numpy()).transpose(0, 2, 3, 1)
                self._drawn |= dict(zip(missing, drawn))
            except (UnseenError, OSError) as error:
                self.pictureless = f"their images cannot be read ({error})"
        return {row: self._drawn[row] for row in rows if row in self._drawn}


def _surest(one: ExaminedModel, here: np.ndarray, lost: np.ndarray) -> list[int]:
    """Places of wrong answers: of objects that are known otherwise first, then the surest."""
    wrong = np.flatnonzero(here & ~one.right)
    sure = np.zeros(len(wrong)) if one.confidence is None else np.nan_to_num(one.confidence[wrong])
    wrong = wrong[np.lexsort((-sure, ~lost[wrong]))]
    seen: Counter[int] = Counter()
    chosen = []
    for at in wrong.tolist():
        if seen[int(one.truth[at])] < SAME:
            seen[int(one.truth[at])] += 1
            chosen.append(at)
        if len(chosen) == EACH:
            break
    return chosen


def _rows_along(samples: Samples, row: int, factor: str, levels: int) -> dict[int, int]:
    """Rows of the same object at each level of a factor, all else as in ``row``; by level number."""
    at_block, instance, _ = (int(part[0]) for part in samples.locate(np.array([row])))
    block = samples.blocks[at_block]
    if factor not in block.grid:
        return {}
    stands = {name: int(samples.levels(name, np.array([row]))[0]) for name in block.grid}
    found = {}
    for level in range(levels):
        try:
            found[level] = int(samples.rows_at(np.array([instance]), {**stands, factor: level}, at_block)[0])
        except UnseenError:  # a block may list no such cell
            continue
    return found


def _spread(places: Sequence[int], canonical: int, most: int) -> list[int]:
    """Some of the levels evenly, the canonical one among them.

    >>> _spread(range(13), 6, 5), _spread(range(3), 0, 9)
    ([0, 3, 6, 9, 12], [0, 1, 2])
    """
    if len(places) <= most:
        return list(places)
    chosen = {places[round(at)] for at in np.linspace(0, len(places) - 1, most)}
    if canonical in places and canonical not in chosen:
        nearest = min(chosen, key=lambda place: abs(place - canonical))
        chosen = chosen - {nearest} | {canonical}
    return sorted(chosen)


def _short(level: str) -> str:
    """
    >>> _short("-27.6923"), _short("sky 1")
    ('−27.7', 'sky 1')
    """
    try:
        return f"{float(level):.3g}".replace("-", "−")
    except ValueError:
        return level
