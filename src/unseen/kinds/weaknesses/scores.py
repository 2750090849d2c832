"""How often one model is right: of canonical images, at each level, in pairs of levels, by class and by object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.measures import Interval, calibration_error, mean_interval, over_objects, paired
from unseen.vocabulary.varied_sets import ALL, CANONICAL

FEWEST = 5  # images of a level or a cell that is called a worst one (ours)
OBJECTS, IMAGES = "objects", "images"


@dataclass(frozen=True)
class Score:
    """An accuracy over objects, and how many images are behind it."""

    interval: Interval
    images: int

    @property
    def value(self) -> float:
        return self.interval.value


@dataclass(frozen=True)
class AtLevel:
    """Accuracy at a level of a factor, the others canonical; ``canonical``: it is that of the canonical images."""

    factor: str
    level: str
    score: Score
    canonical: bool = False


@dataclass(frozen=True)
class Gap:
    """What a change costs: accuracy with it minus accuracy without, over the objects that were asked both ways."""

    name: str
    interval: Interval
    values: tuple[float, ...]  # of each object; none where it is not known which images show one

    @property
    def value(self) -> float:
        return self.interval.value


@dataclass(frozen=True)
class PairCell:
    """Accuracy with two factors at given levels, the others canonical."""

    factors: tuple[str, str]
    levels: tuple[str, str]
    score: Score


@dataclass(frozen=True)
class ClassScore:
    """One class: canonical images, changed ones, and what it is most often taken for."""

    name: str
    canonical: Score | None
    changed: Score | None
    taken_for: str
    times: int
    wrong: int
    worst: str  # the factor that costs it most
    worst_gap: float


@dataclass(frozen=True)
class ObjectScore:
    """One object: how many of its images are right; ``row`` shows it canonical."""

    object: int
    truth: str
    right: int
    images: int
    row: int


@dataclass(frozen=True)
class Sureness:
    """Confidence in a set: its mean, the calibration error, and the mean of its wrong answers."""

    name: str
    confidence: float
    accuracy: float
    error: float
    when_wrong: float
    wrong: int
    n: int


def score(one: ExaminedModel, here: np.ndarray) -> Score:
    return Score(over_objects(one.right[here], one.objects[here]), int(here.sum()))


def canonical(one: ExaminedModel) -> Score:
    return score(one, one.of(CANONICAL))


def gap(one: ExaminedModel, name: str) -> Gap:
    """What it costs to change a factor, or two, or all."""
    here, there = one.of(name), one.of(CANONICAL)
    if one.paired:
        _, values = paired(one.right, one.objects, here, there)
        found = mean_interval(values)
        found = found.without_ends() if found.has_no_width else found.cut(-1, 1)
        return Gap(name, found, tuple(values.tolist()))
    a, b = one.right[here].astype(float), one.right[there].astype(float)
    return Gap(name, _unpaired(a, b), ())


def _unpaired(a: np.ndarray, b: np.ndarray) -> Interval:
    """The difference of two means with Welch's interval; ``n`` is that of the smaller sample."""
    n = min(len(a), len(b))
    if n == 0:
        return Interval(float("nan"), float("nan"), float("nan"), 0, "Welch")
    value = float(a.mean() - b.mean())
    if n < 2:
        return Interval(value, float("nan"), float("nan"), n, "Welch")
    from scipy.special import stdtrit

    u, v = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    if u + v == 0:
        return Interval(value, float("nan"), float("nan"), n, "Welch")
    free = (u + v) ** 2 / (u**2 / (len(a) - 1) + v**2 / (len(b) - 1))
    half = float(stdtrit(free, 0.975) * np.sqrt(u + v))
    return Interval(value, value - half, value + half, n, "Welch").cut(-1, 1)


def levels_of(one: ExaminedModel, factor: str) -> list[AtLevel]:
    """Accuracy at each level of a factor that was asked, in the order of levels."""
    made = []
    free = factor not in one.varied  # it has no canonical level: over all that was asked
    own = np.ones(len(one.rows), dtype=bool) if free else one.of(factor)
    for place, level in enumerate(one.levels[factor]):
        standing = not free and one.canonical.get(factor) == place
        here = one.of(CANONICAL) if standing else own & (one.places[factor] == place)
        if here.any():
            made.append(AtLevel(factor, level, score(one, here), standing))
    return made


def cells_of(one: ExaminedModel, name: str) -> list[PairCell]:
    """Accuracy at each two levels of a pair of factors that was asked, canonical and single ones too."""
    a, b = one.pairs[name]
    asked = one.of(name)
    rows, columns = np.unique(one.places[a][asked]), np.unique(one.places[b][asked])
    rows = np.unique([*rows.tolist(), one.canonical[a]])
    columns = np.unique([*columns.tolist(), one.canonical[b]])
    made = []
    for row in rows.tolist():
        for column in columns.tolist():
            still = row == one.canonical[a], column == one.canonical[b]
            own = CANONICAL if all(still) else b if still[0] else a if still[1] else name
            here = one.of(own) & (one.places[a] == row) & (one.places[b] == column)
            if here.any():
                made.append(PairCell((a, b), (one.levels[a][row], one.levels[b][column]), score(one, here)))
    return made


def classes_of(one: ExaminedModel) -> list[ClassScore]:
    """All classes that were asked, those that changed images show worst first."""
    made = []
    for place in np.unique(one.truth).tolist():
        mine = one.truth == place
        wrong = mine & ~one.right
        said = Counter(one.response[wrong].tolist()).most_common(1)
        gaps = {
            name: float(one.right[mine & one.of(name)].mean() - one.right[mine & one.of(CANONICAL)].mean())
            for name in one.alone
            if (mine & one.of(name)).any() and (mine & one.of(CANONICAL)).any()
        }
        worst = min(gaps, key=lambda name: gaps[name], default="")
        made.append(
            ClassScore(
                one.classes[place],
                score(one, here) if (here := mine & one.of(CANONICAL)).any() else None,
                score(one, here) if (here := mine & one.changed).any() else None,
                one.classes[said[0][0]] if said and said[0][0] >= 0 else "no answer" if said else "",
                said[0][1] if said else 0,
                int(wrong.sum()),
                worst,
                gaps.get(worst, float("nan")),
            )
        )
    return sorted(made, key=lambda found: found.changed.value if found.changed else 2.0)


def objects_of(one: ExaminedModel, most: int) -> list[ObjectScore]:
    """The objects that are right in fewest of their images."""
    if not one.paired:
        return []
    every, places = np.unique(one.objects, return_inverse=True)
    asked = np.bincount(places)
    right = np.bincount(places, weights=one.right).astype(int)
    order = np.lexsort((-asked, right / asked))
    made = []
    for place in order[:most].tolist():
        mine = np.flatnonzero(places == place)
        first = mine[np.argsort(one.changed[mine], kind="stable")][0]
        truth = one.classes[one.truth[first]]
        made.append(ObjectScore(int(every[place]), truth, int(right[place]), int(asked[place]), int(one.rows[first])))
    return made


def confusions_of(one: ExaminedModel, most: int) -> list[tuple[str, str, int, int]]:
    """What is most often taken for what: truth, answer, times, images of that truth; of changed images."""
    here = one.changed & ~one.right & (one.response >= 0)
    if not one.changed.any():
        here = ~one.right & (one.response >= 0)
    pairs = Counter(zip(one.truth[here].tolist(), one.response[here].tolist()))
    shown = Counter(one.truth[one.changed].tolist())
    return [
        (one.classes[truth], one.classes[said], times, shown[truth]) for (truth, said), times in pairs.most_common(most)
    ]


def sureness_of(one: ExaminedModel) -> Iterator[Sureness]:
    """Confidence in each set, pairs together; nothing where the model says none."""
    if one.confidence is None:
        return
    groups = {name: one.of(name) for name in (CANONICAL, *one.alone)}
    if one.pairs:
        groups["two at once"] = np.any([one.of(name) for name in one.pairs], axis=0)
    if ALL in one.sets:
        groups["three or more at once"] = one.of(ALL)
    if not one.varied:
        groups = dict.fromkeys(one.sets, np.ones(len(one.rows), dtype=bool))
    for name, here in groups.items():
        known = here & np.isfinite(one.confidence)
        if not known.any():
            continue
        sure, right = one.confidence[known], one.right[known]
        wrong = ~right
        yield Sureness(
            name, float(sure.mean()), float(right.mean()), calibration_error(sure, right),
            float(sure[wrong].mean()) if wrong.any() else float("nan"), int(wrong.sum()), int(known.sum()),
        )  # fmt: skip


def worst_cells(one: ExaminedModel, most: int) -> list[tuple[str, str, Score]]:
    """The levels, and pairs of levels, at which fewest images are right: which factors, which levels, how many."""
    found = [
        (at.factor, at.level, at.score)
        for factor in (*one.alone, *one.by_level)
        for at in levels_of(one, factor)
        if not at.canonical
    ]
    for name, both in one.pairs.items():
        found += [
            (name, " × ".join(cell.levels), cell.score)
            for cell in cells_of(one, name)
            if cell.levels[0] != one.levels[both[0]][one.canonical[both[0]]]
            and cell.levels[1] != one.levels[both[1]][one.canonical[both[1]]]
        ]
    kept = [cell for cell in found if cell[2].images >= FEWEST]
    return sorted(kept, key=lambda cell: (cell[2].value, -cell[2].images))[:most]
