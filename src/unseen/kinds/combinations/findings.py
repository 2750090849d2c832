"""What a study of combinations found, in sentences with numbers: trends, paired comparisons, correlations."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.judged import corrected, doubted, judged, left_open, told
from unseen.kinds.trial_numbers import BOTH
from unseen.measures import (
    correlation_shares,
    judge,
    judge_correlation,
    nested_spread,
    rank_correlation,
    spearman,
)
from unseen.measures.verdicts import FEWEST
from unseen.reports.finding import Finding

if TYPE_CHECKING:
    import polars as pl


MOST_CURVES = 3  # that have a statement each, here and in the headline
MUTE = 0.5  # of the conditions in which nothing differs: a correlation then rests on the few others
CHOICE, SEED = ("choice of held-out cells", "choices of held-out cells"), ("seed", "seeds")  # what repeats are called
ONE_CHOICE = 'all repeats share one choice of held-out cells: give grid."design.seed" several values'


@dataclass(frozen=True)
class Series:
    """What a curve is of: an architecture, and the ``rest`` of what the grid varies."""

    sharing: str
    rest: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """
        >>> Series("shared", ("resnet18", "lr 0.1")).name
        'resnet18 lr 0.1 shared'
        """
        return " ".join([*self.rest, self.sharing]).strip()


def findings(
    points: pl.DataFrame,
    scatter: pl.DataFrame,
    cells: pl.DataFrame,
    x_title: str,
    lead: str = "",
    *,
    unit: tuple[str, str] = CHOICE,
    one_choice: bool = False,
    series: Mapping[str, Series] | None = None,
) -> tuple[Finding, ...]:
    """All findings. ``points``: per trial ``series, x, repeat, seed, set, target, value`` of accuracy; ``scatter``: per
    trial and target ``series, x, repeat, specialization, accuracy``; ``cells``: per held-out cell ``trial, repeat,
    target, accuracy, distance``; ``lead``: the target that the question is about; ``unit``: what a repeat is called.
    ``one_choice``: the cells held out were drawn, once: seeds of one choice are no repeats, and decide nothing.
    ``series``: what each series is; default: its name is the architecture, and nothing else differs."""
    names = points["series"].unique(maintain_order=True).to_list() if points.height else []
    about = series or {name: Series(name) for name in names}
    made = [*_trends(points, x_title, lead), *_pairs(points, about, unit[0]), *_correlations(scatter), *_near(cells)]
    made = [replace(one, over=unit[1]) for one in made]
    made = [left_open(one, ONE_CHOICE) if one_choice else one for one in made]
    return corrected([*made, *_spreads(points)])


def accuracies(points: pl.DataFrame, **where: object) -> dict[tuple[float, int], float]:
    """Mean accuracy by x and repeat, of the points that match."""
    found: dict[tuple[float, int], list[float]] = {}
    own = points.filter(points["value"].is_not_null(), *(points[key] == value for key, value in where.items()))
    for x, repeat, value in own.select("x", "repeat", "value").iter_rows():
        found.setdefault((x, repeat), []).append(value)
    return {key: float(np.mean(values)) for key, values in found.items()}


def both_of(points: pl.DataFrame) -> str:
    targets = points["target"].unique().to_list()
    return BOTH if BOTH in targets else sorted(targets)[0] if targets else ""


def _trends(points: pl.DataFrame, x_title: str, lead: str) -> list[Finding]:
    """Madan et al. 2022, first discovery: more combinations, better OOD, with the same number of images; for the target
    that the question is about, then for the geometric mean, which is the paper's.

    One statement per curve where there are few, else one for all of them together.
    """
    both = both_of(points)
    own = [lead] if lead != both and lead in points["target"].unique().to_list() else []
    return [finding for target in (*own, both) for finding in _trend(points, x_title, target, target in own)]


def _trend(points: pl.DataFrame, x_title: str, target: str, alone: bool) -> list[Finding]:
    xs = sorted(points["x"].unique().to_list())
    names = points["series"].unique(maintain_order=True).to_list()
    if len(xs) < 2:
        return []
    diversity = "combinations" in x_title
    few = len(names) <= MOST_CURVES
    groups = {name: [name] for name in names} if few else {f"all {len(names)} curves together": names}
    of = f" of {target}" if alone else ""
    found = []
    for label, members in groups.items():
        for asked, expectation in (("unseen", 1), ("seen", -1)):
            pairs = ends_together(points, members, asked, xs, target)
            if not pairs:
                continue
            first, last = np.array(pairs).T
            where = "held-out" if asked == "unseen" else "seen"
            statement = (
                f"{label}: accuracy{of} on {where} combinations goes from {first.mean():.3f} to {last.mean():.3f} "
                f"as the {x_title} goes from {xs[0]:g} to {xs[-1]:g}"
            )
            name = {"unseen": "diversity helps OOD", "seen": "diversity costs in-distribution"}[asked]
            name = name if diversity else f"{x_title} and {where} combinations"
            name = f"{name}: {target}" if alone else name
            change = judge(last - first, expectation)
            make = judged if diversity else told
            found.append(make(name, statement, change, key=trend_key(asked, target, label if few else "")))
    return found


def trend_key(asked: str, target: str, series: str) -> str:
    """What the headline finds a trend by; ``series`` is empty where all curves are judged together."""
    return f"trend {asked} {target} {series}"


def ends(points: pl.DataFrame, series: str, asked: str, xs: list[float], target: str) -> dict[int, tuple[float, float]]:
    """Accuracy at the first and the last x, for every repeat that has both."""
    values = accuracies(points, series=series, set=asked, target=target)
    repeats = sorted({repeat for _, repeat in values})
    return {r: (values[xs[0], r], values[xs[-1], r]) for r in repeats if {(xs[0], r), (xs[-1], r)} <= values.keys()}


def ends_together(
    points: pl.DataFrame, names: Sequence[str], asked: str, xs: list[float], target: str
) -> list[tuple[float, float]]:
    """The same for several curves: their mean in each repeat. Curves of one repeat share its seed and its split, so
    they are no repeats of each other. Only repeats that every curve has: else the curves would change with them."""
    each = [found for name in names if (found := ends(points, name, asked, xs, target))]
    shared = sorted(set.intersection(*(set(found) for found in each))) if each else []
    means = [np.mean([found[repeat] for found in each], axis=0) for repeat in shared]
    return [(float(first), float(last)) for first, last in means]


def _pairs(points: pl.DataFrame, about: Mapping[str, Series], unit: str) -> list[Finding]:
    """Second discovery: Separate beats Shared on OOD combinations and not in distribution.

    A pair is a repeat: its differences are averaged over x first, because its points are not independent.
    """
    names = points["series"].unique(maintain_order=True).to_list()
    found = []
    for shared, other in itertools.permutations(names, 2):
        if about[shared].sharing != "shared" or about[other].rest != about[shared].rest:
            continue
        targets, sharing = [both_of(points)], about[other].sharing
        if sharing == "separate":
            targets += [t for t in points["target"].unique(maintain_order=True).to_list() if t not in targets]
        for asked, target in itertools.product(("unseen", "seen"), targets):
            if asked == "seen" and target != targets[0]:
                continue
            one, two = (accuracies(points, series=name, set=asked, target=target) for name in (other, shared))
            both = set(one) & set(two)
            by_repeat = like_with_like(both)
            if not by_repeat:
                continue
            gaps = np.array([np.mean([one[key] - two[key] for key in keys]) for keys in by_repeat])
            alone = "" if target == targets[0] else f" ({target} alone)"
            found.append(_comparison(gaps, shared, other, asked, alone, unit, _expected(sharing)))
    return found


def like_with_like(points: Collection[tuple[float, int]]) -> list[list[tuple[float, int]]]:
    """Points ``(x, repeat)`` by repeat, of the same x in each: repeats that have every x, where there are enough to
    decide, else the x that every repeat has. Else repeats would differ by what they were asked.

    >>> like_with_like([(18, 0), (36, 0), (18, 1), (36, 1), (18, 2)])
    [[(18, 0)], [(18, 1)], [(18, 2)]]
    """
    each: dict[int, set[float]] = {}
    for x, repeat in points:
        each.setdefault(repeat, set()).add(x)
    every = set().union(*each.values())
    whole = [repeat for repeat, own in each.items() if own == every]
    shared = set.intersection(*each.values()) if each else set()
    repeats, xs = (whole, every) if len(whole) >= FEWEST or not shared else (list(each), shared)
    return [[(x, repeat) for x in sorted(xs)] for repeat in sorted(repeats)]


def _comparison(
    gaps: np.ndarray, shared: str, other: str, asked: str, of: str, unit: str, expected: int | None
) -> Finding:
    expected = expected if asked == "unseen" else None
    found = judge(gaps, expected or 0)
    words = "held-out" if asked == "unseen" else "seen"
    verb = "above" if found.interval.value > 0 else "below"
    statement = (
        f"{other} is {abs(found.interval.value):.3f} {verb} {shared} on {words} combinations{of}, paired by {unit}"
    )
    name = f"{other} against {shared}{of.replace(' (', ': ').removesuffix(')')}"
    return (told if expected is None else judged)(name, statement, found)


def _expected(sharing: str) -> int | None:
    """The paper's finding against Shared on OOD combinations: more separate is better, wider alone is not (Fig. 4)."""
    if sharing == "separate" or sharing.startswith("split"):
        return 1
    return 0 if sharing == "shared-wide" else None


def _correlations(scatter: pl.DataFrame) -> list[Finding]:
    """Third discovery: networks whose units are more specialized generalise better.

    Diversity raises both, and so does a network for each task; the correlation within one diversity and one
    architecture stands beside the plain one, and decides. Trials that share a split are one cluster.
    """
    found = []
    for target in scatter["target"].unique(maintain_order=True).to_list() if not scatter.is_empty() else []:
        rows = scatter.filter(scatter["target"] == target)
        x, y = (rows[name].cast(float).fill_null(float("nan")).to_numpy() for name in ("specialization", "accuracy"))
        plain = rank_correlation(x, y)
        if plain.n < 4:
            continue
        strata = list(zip(rows["series"].to_list(), rows["x"].to_list()))
        within = correlation_shares(x, y, strata, rows["repeat"].to_list())
        verdict = judge_correlation(within)
        heard = within.strata - within.silent
        mute = within.silent > MUTE * within.strata
        each = _by_series(rows, x, y, strata)
        left_out = f"; {within.dropped} trials have no unit of that type and are left out" if within.dropped else ""
        silent = f"; {within.silent} more, in which one of the two does not vary, are left out" if within.silent else ""
        statement = (
            f"median specialization of {target} units and OOD accuracy of {target} have Spearman's "
            f"ρ = {_signed(within.value)} within {heard} conditions of one diversity and one architecture{each}{silent}"
            f"{left_out}. Over all {plain.n} trials ρ is {_signed(plain.correlation.value)}, which diversity and "
            f"architecture alone can produce, so it is not judged. An easy choice of held-out cells may raise both"
        )
        one = judged(f"specialization and OOD {target}, diversity and architecture held fixed", statement, verdict)
        found.append(doubted(one, "in most conditions one of the two does not vary") if mute else one)
    return found


def _by_series(rows: pl.DataFrame, x: np.ndarray, y: np.ndarray, strata: Sequence[tuple[str, float]]) -> str:
    """The same of each architecture alone, where there are several."""
    names = rows["series"].unique(maintain_order=True).to_list()
    if not 1 < len(names) <= MOST_CURVES:
        return ""
    told, repeats = [], rows["repeat"].to_list()
    for name in names:
        mine = np.flatnonzero((rows["series"] == name).to_numpy()).tolist()
        own = correlation_shares(x[mine], y[mine], [strata[i] for i in mine], [repeats[i] for i in mine])
        told.append(f"{name} {_signed(own.value)}")
    return f" ({', '.join(told)})"


def _near(cells: pl.DataFrame) -> list[Finding]:
    """Control D.1: is it only that held-out cells come nearer to seen ones as diversity grows?

    The rank correlation over the held-out cells of one trial, whose diversity is fixed, then means over the trials of a
    repeat. No interval could show that distance does not matter, so nothing is said to hold.
    """
    found = []
    for target in cells["target"].unique(maintain_order=True).sort().to_list() if not cells.is_empty() else []:
        trials: dict[tuple[str, int], list[tuple[float, float]]] = {}
        own = cells.filter(cells["target"] == target).select("trial", "repeat", "distance", "accuracy")
        for trial, repeat, distance, accuracy in own.iter_rows():
            trials.setdefault((trial, repeat), []).append((distance, accuracy))
        by_repeat: dict[int, list[float]] = {}
        for (_, repeat), pairs in trials.items():
            both = np.array(pairs, np.float64)
            distance, accuracy = both[np.isfinite(both).all(axis=1)].T
            if len(distance) > 1 and np.isfinite(r := spearman(distance, accuracy)):
                by_repeat.setdefault(int(repeat), []).append(r)
        if not by_repeat:
            continue
        number = sum(map(len, by_repeat.values()))
        mean = judge(np.array([np.mean(own) for own in by_repeat.values()]), 0)
        statement = (
            f"over the held-out cells of a trial, accuracy of {target} and the distance to the nearest seen viewpoint "
            f"have ρ = {_signed(mean.interval.value)}, mean of {number} trials in which both differ"
        )
        found.append(told(f"distance and OOD {target}", statement, mean))
    return found


def _spreads(points: pl.DataFrame) -> list[Finding]:
    """How much choices of held-out cells differ, and seeds of one choice, where both were drawn: what an interval over
    either would leave out. Variances are averaged over x."""
    target, found = both_of(points), []
    rows = points.filter((points["set"] == "unseen") & (points["target"] == target) & points["value"].is_not_null())
    for name in rows["series"].unique(maintain_order=True).to_list():
        each = [
            nested_spread(own["value"].cast(float).to_numpy(), own["repeat"].to_list())
            for _, own in rows.filter(rows["series"] == name).group_by("x", maintain_order=True)
        ]
        both = [one for one in each if np.isfinite(one.choices) and np.isfinite(one.seeds)]
        if not both:
            continue
        choices, seeds = (
            float(np.sqrt(np.mean([getattr(one, key) ** 2 for one in both]))) for key in ("choices", "seeds")
        )
        statement = (
            f"{name}: accuracy on held-out combinations ({target}) differs by {choices:.3f} between choices of "
            f"held-out cells and by {seeds:.3f} between training seeds of one choice (standard deviations, over "
            f"{len(both)} numbers of combinations); intervals are over choices"
        )
        number = max(one.number for one in both)
        over = f"{CHOICE[1]}, {len(both)} numbers of combinations"
        found.append(Finding("choices and seeds", statement, choices, np.nan, np.nan, number, over=over))
    return found


def _signed(value: float) -> str:
    return "not defined" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
