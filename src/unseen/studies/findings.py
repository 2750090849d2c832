"""What a study found, in sentences with numbers: trends, paired comparisons, correlations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.measures import (
    Interval,
    PairedTest,
    RankCorrelation,
    mean_interval,
    paired_test,
    partial_rank_correlation,
    rank_correlation,
)
from unseen.reports.contents import Finding
from unseen.studies.collect import BOTH

if TYPE_CHECKING:
    import polars as pl


MOST_CURVES = 3  # that have a statement each, here and in the headline
FEWEST = 3  # repeats that a verdict rests on
COINCIDE = 1e-9  # width of an interval over repeats that are all the same
TIED = 0.5  # of the accuracies are one value: a rank correlation then rests on the few others


def findings(
    points: pl.DataFrame, scatter: pl.DataFrame, cells: pl.DataFrame, x_title: str, lead: str = ""
) -> tuple[Finding, ...]:
    """All findings. ``points``: per trial ``series, x, repeat, set, target, value`` of accuracy; ``cells``: per
    held-out cell ``target, accuracy, distance, combinations``; ``lead``: the target that the question is about."""
    return (*_trends(points, x_title, lead), *_pairs(points), *_correlations(scatter), *_near(cells))


def accuracies(points: pl.DataFrame, **where: object) -> dict[tuple[float, int], float]:
    """Mean accuracy by x and repeat, of the points that match."""
    found: dict[tuple[float, int], list[float]] = {}
    for row in points.iter_rows(named=True):
        if row["value"] is not None and all(row[key] == value for key, value in where.items()):
            found.setdefault((row["x"], row["repeat"]), []).append(row["value"])
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
            change = mean_interval(last - first)
            where = "held-out" if asked == "unseen" else "seen"
            statement = (
                f"{label}: accuracy{of} on {where} combinations goes from {first.mean():.3f} to {last.mean():.3f} "
                f"as the {x_title} goes from {xs[0]:g} to {xs[-1]:g}"
            )
            name = {"unseen": "diversity helps OOD", "seen": "diversity costs in-distribution"}[asked]
            if not diversity:
                name, expectation = f"{x_title} and {where} combinations", 0
            name = f"{name}: {target}" if alone else name
            holds = repeated_sign(change, expectation) if expectation else None
            found.append(Finding(name, statement, change.value, change.low, change.high, change.n, None, holds))
    return found


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


def _pairs(points: pl.DataFrame) -> list[Finding]:
    """Second discovery: Separate beats Shared on OOD combinations and not in distribution.

    A pair is a repeat (a seed): its differences are averaged over x first, because its points are not independent.
    """
    names = points["series"].unique(maintain_order=True).to_list()
    found = []
    for shared, other in itertools.permutations(names, 2):
        if shared.split()[-1] != "shared" or other.split()[:-1] != shared.split()[:-1]:
            continue
        targets = [both_of(points)]
        if other.split()[-1] == "separate":
            targets += [t for t in points["target"].unique(maintain_order=True).to_list() if t not in targets]
        for asked, target in itertools.product(("unseen", "seen"), targets):
            if asked == "seen" and target != targets[0]:
                continue
            one, two = (accuracies(points, series=name, set=asked, target=target) for name in (other, shared))
            both = set(one) & set(two)
            by_repeat = [[key for key in both if key[1] == repeat] for repeat in sorted({r for _, r in both})]
            if len(by_repeat) < 2:
                continue
            means = [np.array([np.mean([v[key] for key in keys]) for keys in by_repeat]) for v in (one, two)]
            test = paired_test(means[0], means[1])
            found.append(_comparison(test, shared, other, asked, "" if target == targets[0] else f" ({target} alone)"))
    return found


def _comparison(test: PairedTest, shared: str, other: str, asked: str, of: str) -> Finding:
    d = test.difference
    words = "held-out" if asked == "unseen" else "seen"
    verb = "above" if d.value > 0 else "below"
    reason = f"; {test.reason}" if test.reason else ""
    statement = f"{other} is {abs(d.value):.3f} {verb} {shared} on {words} combinations{of}, paired by seed{reason}"
    expected = _expected(other.split()[-1]) if asked == "unseen" else None
    holds = None if expected is None else sign_holds(d, expected)
    p = test.t_p if np.isfinite(test.t_p) else None
    return Finding(f"{other} against {shared}", statement, d.value, d.low, d.high, test.n, p, holds)


def _expected(sharing: str) -> int | None:
    """The paper's finding against Shared on OOD combinations: more separate is better, wider alone is not (Fig. 4)."""
    if sharing == "separate" or sharing.startswith("split"):
        return 1
    return 0 if sharing == "shared-wide" else None


def _correlations(scatter: pl.DataFrame) -> list[Finding]:
    """Third discovery: networks whose units are more specialized generalise better.

    Diversity raises both, so the correlation with diversity held fixed stands beside the plain one, and decides.
    """
    found = []
    if scatter.is_empty():
        return found
    for target in scatter["target"].unique(maintain_order=True).to_list():
        rows = scatter.filter(scatter["target"] == target)
        wanted = ("specialization", "accuracy", "x")
        columns = [rows[name].cast(float).fill_null(float("nan")).to_numpy() for name in wanted]
        plain = rank_correlation(columns[0], columns[1])
        if plain.n < 4:
            continue
        kept = np.isfinite(columns[0]) & np.isfinite(columns[1])
        counts = np.unique(np.round(columns[1][kept], 9), return_counts=True)[1]
        ceiling = counts.max() > TIED * kept.sum()
        left_out = f"; {plain.dropped} trials have no unit of that type and are left out" if plain.dropped else ""
        tied = f"; accuracy is the same in {counts.max()} of them, so ranks say little" if ceiling else ""
        about = f"median specialization of {target} units and OOD accuracy of {target}"
        found.append(
            _correlation(
                f"specialization and OOD {target}",
                f"across {plain.n} trials, {about} correlate with Spearman's ρ = {_signed(plain.correlation.value)}"
                f"{left_out}{tied}; trials that share a split are not independent",
                plain,
                None if ceiling else sign_holds(plain.correlation, 1),
            )
        )
        if np.unique(columns[2][kept]).size < 2:
            continue
        fixed = partial_rank_correlation(columns[0], columns[1], columns[2])
        found.append(
            _correlation(
                f"specialization and OOD {target}, diversity held fixed",
                f"with the x axis held fixed, partial ρ = {_signed(fixed.correlation.value)}{tied}",
                fixed,
                None if ceiling else sign_holds(fixed.correlation, 1),
            )
        )
    return found


def _near(cells: pl.DataFrame) -> list[Finding]:
    """Control D.1: is it only that held-out cells come nearer to seen ones as diversity grows?

    Over held-out cells of all trials, with the number of combinations held fixed. No interval could show that distance
    does not matter, so nothing is said to hold.
    """
    found = []
    for target in cells["target"].unique(maintain_order=True).sort().to_list() if not cells.is_empty() else []:
        rows = cells.filter(cells["target"] == target)
        columns = [rows[name].cast(float).to_numpy() for name in ("distance", "accuracy", "combinations")]
        result = partial_rank_correlation(columns[0], columns[1], columns[2])
        if np.isnan(result.correlation.value):
            continue
        statement = (
            f"over {result.n} held-out cells of all trials, accuracy of {target} and the distance to the nearest seen "
            f"viewpoint have partial ρ = {_signed(result.correlation.value)} with the number of combinations held "
            f"fixed; cells of one trial are not independent"
        )
        found.append(_correlation(f"distance and OOD {target}", statement, result, None))
    return found


def _correlation(name: str, statement: str, result: RankCorrelation, holds: bool | None) -> Finding:
    r = result.correlation
    reason = f" ({result.reason})" if result.reason else ""
    return Finding(name, statement + reason, r.value, r.low, r.high, result.n, result.p, holds)


def _signed(value: float) -> str:
    return "not defined" if np.isnan(value) else f"{value:.2f}".replace("-", "−")


def sign_holds(interval: Interval, expectation: int) -> bool | None:
    """Whether the sign is as expected: None where the interval includes zero or is missing. Where no difference is
    expected (0), one that is there counts against it, and none is left open: absence is not shown by an interval."""
    if not (np.isfinite(interval.low) and np.isfinite(interval.high)):
        return None
    if interval.low <= 0 <= interval.high:
        return None
    return expectation == (1 if interval.low > 0 else -1)


def repeated_sign(interval: Interval, expectation: int) -> bool | None:
    """The same of an interval over repeats. Two of them decide nothing, nor do repeats that coincide: an interval of no
    width says that a few values happen to be equal (6 of 20 images each time), not that they are known exactly (ours).

    >>> [repeated_sign(mean_interval(np.array(d)), 1) for d in ([0.4, 0.5, 0.6], [0.4, 0.41], [0.4, 0.4, 0.4])]
    [True, None, None]
    """
    if interval.n < FEWEST or not interval.high - interval.low > COINCIDE:
        return None
    return sign_holds(interval, expectation)
