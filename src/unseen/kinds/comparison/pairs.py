"""How two subjects compare: the difference of their accuracies, whether they err on the same images, by level.

Of two models, numbers come from their images. Where a subject has several members (people, repeats of a network) each
pair of members gives a number, their mean is told, and its interval is over members: it says what other such people, or
other seeds, would give on these images. Two-way random effects without interaction (ours): with :math:`a_i` the means
of one side's members and :math:`b_j` of the other's, :math:`var = s_a^2/k_a + s_b^2/k_b`, and Student's t with the
smaller side's :math:`k - 1`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unseen.kinds.comparison.answers import NONE, Answers, Group
from unseen.measures import (
    Interval,
    PairCounts,
    difference_p,
    error_consistency,
    expected_consistency,
    holm,
    kappa,
    kappa_bounds,
    mean_interval,
    paired_difference,
    proportion_interval,
    tie_groups,
)
from unseen.vocabulary.subjects import PEOPLE

NAN = float("nan")
ALPHA = 0.05
SAME = 2  # images of one class among those shown


@dataclass(frozen=True)
class Own:
    """A subject's accuracy: over its members where it has several, else over images."""

    group: Group
    accuracy: Interval
    over: str
    answers: int
    silent: int


@dataclass(frozen=True)
class Pair:
    """Two subjects on the ``images`` that both were asked. ``difference`` is first minus second, ``p`` of it by
    McNemar's exact test (over objects where these have several images) or Student's t over members, ``adjusted`` by
    Holm over all pairs. ``undefined`` of ``pairs`` of members have no κ, since both were right on all images or wrong
    on all."""

    first: str
    second: str
    images: int
    difference: Interval
    p: float
    adjusted: float
    kappa: Interval
    observed: float
    expected: float
    least: float
    most: float
    same: float
    only_first: float
    only_second: float
    pairs: int
    undefined: int
    over: str


def own_accuracy(one: Answers, group: Group, here: np.ndarray | None = None) -> Own:
    """Of all images that a subject was asked, or of those ``here``."""
    places = list(group.members)
    asked, right, silence = one.asked[places], one.right[places], one.response[places] == NONE
    if here is not None:
        asked, right, silence = asked[:, here], right[:, here], silence[:, here]
    counts = asked.sum(1)
    shares = right.sum(1)[counts > 0] / counts[counts > 0]
    silent = int(silence.sum())
    if len(shares) > 1:
        found, over = mean_interval(shares).cut(0, 1), over_words([group])
    else:
        found, over = proportion_interval(int(right.sum()), int(asked.sum())), "images"
    return Own(group, found, over, int(asked.sum()), silent)


def over_words(groups: Sequence[Group]) -> str:
    several = [one for one in groups if len(one.members) > 1]
    if not several:
        return "images"
    return " and ".join(dict.fromkeys("people" if one.kind == PEOPLE else "repeats" for one in several))


class Counted:
    """The four counts of every two members, over all images or some of them."""

    def __init__(self, one: Answers, here: np.ndarray | None = None) -> None:
        right, asked = one.right, one.asked
        if here is not None:
            right, asked = right[:, here], asked[:, here]
        r, w = right.astype(np.float32), (asked & ~right).astype(np.float32)
        self.both, self.only_first, self.only_second, self.neither = r @ r.T, r @ w.T, w @ r.T, w @ w.T

    def of(self, i: int, j: int) -> PairCounts:
        parts = (self.both, self.only_first, self.only_second, self.neither)
        return PairCounts(*(int(part[i, j]) for part in parts))


def every_pair(one: Answers, groups: Sequence[Group] | None = None) -> tuple[Pair, ...]:
    """Every two subjects, with p corrected for their number; pairs without an image in common are left out."""
    counted = Counted(one)
    found = [
        pair for a, b in combinations(groups or one.groups, 2) if (pair := compare(one, a, b, counted)) is not None
    ]
    adjusted = holm([pair.p for pair in found])
    return tuple(_with(pair, p) for pair, p in zip(found, adjusted))


def _with(pair: Pair, adjusted: float) -> Pair:
    from dataclasses import replace

    return replace(pair, adjusted=adjusted)


def compare(one: Answers, a: Group, b: Group, counted: Counted, here: np.ndarray | None = None) -> Pair | None:
    """Two subjects, on all images or on those ``here``."""
    if len(a.members) == len(b.members) == 1:
        return _of_models(one, a, b, here)
    grid = [[counted.of(i, j) for j in b.members] for i in a.members]
    if not any(cell.n for row in grid for cell in row):
        return None
    differences = np.array([[cell.difference for cell in row] for row in grid])
    kappas = np.array([[_kappa(cell) for cell in row] for row in grid])
    difference, p = over_members(differences)
    consistency, _ = over_members(kappas)
    cells = [cell for row in grid for cell in row if cell.n]
    mean = np.array([[*cell.accuracies, (cell.both + cell.neither) / cell.n] for cell in cells]).mean(0)
    least, most = kappa_bounds(float(mean[0]), float(mean[1]))
    expected = float(np.mean([expected_consistency(*cell.accuracies) for cell in cells]))
    share = np.array([[cell.only_first / cell.n, cell.only_second / cell.n] for cell in cells]).mean(0)
    images = _common(one, a, b, here)
    return Pair(
        a.name, b.name, images, difference, p, NAN, consistency, float(mean[2]), expected, least, most,
        _same(one, a, b, here), float(share[0]), float(share[1]), len(cells), int(np.isnan(kappas).sum()),
        over_words([a, b]),
    )  # fmt: skip


def _kappa(cell: PairCounts) -> float:
    if not cell.n:
        return NAN
    return kappa((cell.both + cell.neither) / cell.n, expected_consistency(*cell.accuracies))


def over_members(values: np.ndarray, level: float = 0.95) -> tuple[Interval, float]:
    """The mean over pairs of members with its interval over members, and p that it is zero. Pairs without a number are
    ``dropped``.

    >>> found, p = over_members(np.array([[0.1, 0.2], [0.2, 0.3]]))
    >>> round(found.value, 3), found.n, found.method
    (0.2, 2, 't over members')
    """
    dropped = int(np.isnan(values).sum())
    rows, columns = (_means(values, axis) for axis in (1, 0))
    value = float(np.nanmean(values)) if dropped < values.size else NAN
    sides = [side for side in (rows, columns) if len(side) > 1]
    if not sides or not np.isfinite(value):
        return Interval(value, NAN, NAN, max(len(rows), len(columns)), "none", dropped, level), NAN
    from scipy.special import stdtr, stdtrit

    error = float(np.sqrt(sum(side.var(ddof=1) / len(side) for side in sides)))
    freedom = min(len(side) for side in sides) - 1
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    p = float(2 * stdtr(freedom, -abs(value) / error)) if error > 0 else NAN
    n = min(len(side) for side in sides)
    return Interval(value, value - half, value + half, n, "t over members", dropped, level).cut(-1, 1), p


def _means(values: np.ndarray, axis: int) -> np.ndarray:
    known = np.isfinite(values)
    counts = known.sum(axis)
    return (np.where(known, values, 0).sum(axis) / np.maximum(1, counts))[counts > 0]


def _of_models(one: Answers, a: Group, b: Group, here: np.ndarray | None) -> Pair | None:
    i, j = a.members[0], b.members[0]
    common = one.asked[i] & one.asked[j]
    common = common if here is None else common & here
    if not common.any():
        return None
    first, second = one.right[i][common], one.right[j][common]
    objects = None if one.single else one.objects[common]
    found = error_consistency(first, second, objects)
    n = int(common.sum())
    same = float((one.response[i][common] == one.response[j][common]).mean())
    return Pair(
        a.name, b.name, n, paired_difference(first, second, objects), difference_p(first, second, objects), NAN,
        found.kappa, found.observed, found.expected, found.least, found.most, same, float((first & ~second).mean()),
        float((second & ~first).mean()), 1, int(bool(found.why)), "images",
    )  # fmt: skip


def _common(one: Answers, a: Group, b: Group, here: np.ndarray | None) -> int:
    shared = one.asked[list(a.members)].any(0) & one.asked[list(b.members)].any(0)
    return int((shared if here is None else shared & here).sum())


def _same(one: Answers, a: Group, b: Group, here: np.ndarray | None) -> float:
    """Share of images with the same response, right or wrong; the mean over pairs of members."""
    shares = []
    for i in a.members:
        for j in b.members:
            common = one.asked[i] & one.asked[j]
            common = common if here is None else common & here
            if common.any():
                shares.append(float((one.response[i][common] == one.response[j][common]).mean()))
    return float(np.mean(shares)) if shares else NAN


def within(one: Answers, group: Group, counted: Counted) -> Interval | None:
    """Error consistency of a subject's members among themselves: people with each other, seeds with each other. The
    interval is over members, of each one's mean with the others (which share pairs: ours)."""
    if len(group.members) < 3:
        return None
    grid = np.array([[NAN if i == j else _kappa(counted.of(i, j)) for j in group.members] for i in group.members])
    means = _means(grid, 1)
    return mean_interval(means).cut(-1, 1) if len(means) > 1 else None


def ties(one: Answers, pairs: Sequence[Pair], owns: Sequence[Own]) -> list[tuple[str, ...]]:
    """Groups of subjects that were not told apart after Holm's correction, the most accurate first."""
    names = [own.group.name for own in sorted(owns, key=lambda own: -own.accuracy.value)]
    apart = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        apart[i, j] = apart[j, i] = pair.adjusted <= ALPHA
    return tie_groups(names, apart)


def by_level(one: Answers, factor: str, a: Group, others: Sequence[Group]) -> dict[str, list[tuple[str, Pair]]]:
    """A subject with each other one, at each level of a factor."""
    levels, places = one.factors[factor]
    found: dict[str, list[tuple[str, Pair]]] = {}
    for place, level in enumerate(levels):
        here = places == place
        counted = Counted(one, here)
        for b in others:
            if here.any() and (pair := compare(one, a, b, counted, here)) is not None:
                found.setdefault(b.name, []).append((level, pair))
    return found


def parted(one: Answers, a: Group, b: Group, most: int = 12) -> list[tuple[int, float, float]]:
    """The images on which they part most: each image's place and how often each subject was right there. Half of them
    are the first's; of images that part alike those that few others knew come first, two of a class at most (ours)."""
    shares = []
    for group in (a, b):
        places = list(group.members)
        asked = one.asked[places].sum(0)
        shares.append(np.where(asked > 0, one.right[places].sum(0) / np.maximum(1, asked), NAN))
    gap = shares[0] - shares[1]
    known = one.right.sum(0) / np.maximum(1, one.asked.sum(0))
    found = []
    for sign in (1, -1):
        order = np.lexsort((known, -sign * np.nan_to_num(gap)))
        taken: Counter[int] = Counter()
        for place in order.tolist():
            if sum(taken.values()) == most // 2 or sign * np.nan_to_num(gap[place]) <= 0:
                break
            truth = int(one.truth[place])
            if taken[truth] < SAME:
                taken[truth] += 1
                found.append(place)
    return [(place, float(shares[0][place]), float(shares[1][place])) for place in found]
