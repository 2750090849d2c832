"""Numbers behind the findings of a study of transformations: by condition, over repeats, over networks.

The unit is a repeat: its transformations and set sizes are averaged first, because they share images and the order in
which categories come to be seen transformed. It is a seed of the network or, where the grid varies ``design.seed``, a
draw of the categories seen transformed and of the images. The networks of all draws share their first weights, which
come from the trial's seed: an interval over draws says nothing about other weights. With one repeat, or where all
repeats coincide, there is a number and no interval. A plainly trained network (none seen) is a baseline and is told
apart: trends are those of numbers above none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.exposure.numbers import ACROSS
from unseen.kinds.exposure.shown import InvarianceCorrelation, Trend
from unseen.measures import Growth, Interval, category_growth, holm, mean_interval, spearman
from unseen.measures.verdicts import ALPHA

if TYPE_CHECKING:
    import polars as pl

DRAWS = 1000
CLUSTERS = 5  # ours: fewer transformations than this say nothing about others
SEED, DRAW = ("seed", "seeds"), ("draw of categories", "draws of categories")  # what repeats are called
RESAMPLED = "transformations resampled"
Values = dict[tuple[str, float, int], float]  # by series, number seen and repeat


def by_condition(tidy: pl.DataFrame, measure: str, asked: str, target: str, layer: str = "") -> Values:
    """Means by series, number seen and repeat; what is not finite is left out."""
    import polars as pl

    own = pl.lit(True) if not layer else (pl.lit(".") + pl.col("layer")).str.ends_with(f".{layer}")
    where = (pl.col("measure") == measure, pl.col("set") == asked, pl.col("target") == target, own)
    kept = tidy.filter(*where, pl.col("level") != "", pl.col("value").is_finite())
    means = kept.group_by("series", "x", "repeat", maintain_order=True).agg(pl.col("value").mean())
    return {(series, x, repeat): value for series, x, repeat, value in means.iter_rows()}


def spread(interval: Interval) -> Interval:
    """The interval, with no ends where it has no width."""
    return interval.without_ends() if interval.has_no_width else interval


def shown(values: Values) -> Values:
    """Values of networks that saw a transformation."""
    return {key: value for key, value in values.items() if key[1] > 0}


def baseline(values: Values, series: Sequence[str]) -> float:
    """Mean over series of what a plainly trained network has; NaN where there is none."""
    plain = {name: [v for (one, x, _), v in values.items() if (one, x) == (name, 0)] for name in series}
    return mean([mean(own) for own in plain.values() if own])


def rank_by_repeat(values: Values, series: str) -> dict[int, float]:
    """Spearman's correlation of a number with the number of categories seen, within each repeat; 0 where the number
    never changes (ours: undefined, it would be lost, and with it a transformation that nothing helps)."""
    found = {repeat: spearman(*curve) for repeat, curve in _curves(values, series).items()}
    return {repeat: r if np.isfinite(r) else 0.0 for repeat, r in found.items()}


def flat(values: Values, series: Sequence[str]) -> tuple[int, int]:
    """How many curves of a number against the categories seen never change, of how many."""
    curves = [curve for one in series for curve in _curves(values, one).values()]
    return sum(bool((curve[1] == curve[1][0]).all()) for curve in curves), len(curves)


def _curves(values: Values, series: str) -> dict[int, np.ndarray]:
    """Numbers of categories and values, ``[2, n]``, by repeat; of the repeats that have three at least."""
    found = {}
    for repeat in sorted({key[2] for key in values if key[0] == series}):
        own = sorted((x, value) for (name, x, r), value in values.items() if (name, r) == (series, repeat))
        if len(own) > 2:
            found[repeat] = np.array(own).T
    return found


def whole_repeats(values: Values) -> Values:
    """Values of the repeats that have every condition that any has, since a repeat that lacks a trial would average
    other conditions. Where no repeat is whole, all of them, at the conditions that every one has (maybe none)."""
    own: dict[int, set[tuple[str, float]]] = {}
    for series, x, repeat in values:
        own.setdefault(repeat, set()).add((series, x))
    if not own:
        return values
    every = set.union(*own.values())
    whole = {repeat for repeat, found in own.items() if found == every}
    if whole:
        return {key: value for key, value in values.items() if key[2] in whole}
    shared = set.intersection(*own.values())
    return {key: value for key, value in values.items() if key[:2] in shared}


def together(points: pl.DataFrame, asked: str) -> InvarianceCorrelation:
    """Spearman's correlation of invariance with an accuracy over all networks, plainly trained ones too. Differences
    between transformations make it up too: ``within_each`` does without."""
    whole = whole_points(points, (asked,))
    r = spearman(whole["invariance"].to_numpy(), whole[asked].to_numpy()) if whole.height > 2 else np.nan
    return InvarianceCorrelation(r, whole.height)


def within_each(points: pl.DataFrame, asked: str) -> dict[str, float]:
    """By transformation, Spearman's correlation of invariance with an accuracy over its networks that saw it, of which
    it takes three; NaN where one of the two never changes."""
    found = {}
    for (name,), own in points.filter(points["x"] > 0).group_by("series", maintain_order=True):
        if own.height > 2:
            found[str(name)] = spearman(own["invariance"].to_numpy(), own[asked].to_numpy())
    return found


def whole_points(points: pl.DataFrame, sets: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    return points.filter(*(pl.col(name).is_finite() for name in ("invariance", *sets)))


def growth_of(curve: Mapping[tuple[float, int], float]) -> Growth:
    """``curve``: accuracy by number seen and repeat."""
    x, seeds, y = (np.array(column) for column in zip(*((x, repeat, value) for (x, repeat), value in curve.items())))
    return category_growth(x.astype(float), y.astype(float), seeds.astype(np.int64))


def trends(tidy: pl.DataFrame, category: str, series: Sequence[str], unit: str = SEED[0]) -> tuple[Trend, ...]:
    """For each transformation how across-category accuracy goes with the number seen, of which there is one at least;
    ``unit``: what a repeat is called."""
    across = shown(by_condition(tidy, "accuracy", ACROSS, category))
    found = []
    each = {name: {key: value for key, value in across.items() if key[0] == name} for name in series}
    shapes = {
        name: growth_of({(x, repeat): v for (_, x, repeat), v in mine.items()}) for name, mine in each.items() if mine
    }
    adjusted = dict(zip(shapes, holm([shape.lean.p for shape in shapes.values()])))
    for name, shape in shapes.items():
        mine = each[name]
        ranks = spread(mean_interval(np.array(list(rank_by_repeat(mine, name).values())))).cut(-1, 1)
        if shape.verdict != "undecided" and adjusted[name] > ALPHA:
            shape = replace(shape, verdict="undecided", reason=f"one of {len(shapes)}, it could be chance")
        words = shape.verdict + (f": {shape.reason}" if shape.reason else "").replace(SEED[0], unit)
        first, last = ends(mine, [name])
        found.append(Trend(name, first, last, ranks.value, ranks.low, ranks.high, ranks.n, words))
    return tuple(found)


def ends(values: Values, series: Sequence[str]) -> tuple[float, float]:
    """Mean over series and repeats at the fewest and at the most categories that each series has."""
    sides: tuple[list[float], list[float]] = ([], [])
    for name in series:
        xs = [x for one, x, _ in values if one == name]
        for side, x in zip(sides, (min(xs), max(xs))):
            side.append(mean([v for (one, at, _), v in values.items() if (one, at) == (name, x)]))
    return mean(sides[0]), mean(sides[1])


def common_numbers(values: Values) -> set[float]:
    """Numbers of categories that every series was asked at."""
    own: dict[str, set[float]] = {}
    for series, x, _ in values:
        own.setdefault(series, set()).add(x)
    return set.intersection(*own.values()) if own else set()


def by_repeat(values: Values) -> dict[int, float]:
    """Mean over series and numbers within each repeat, every series counting the same."""
    found: dict[int, dict[str, list[float]]] = {}
    for (series, _, repeat), value in values.items():
        found.setdefault(repeat, {}).setdefault(series, []).append(value)
    return {repeat: mean([mean(own) for own in each.values()]) for repeat, each in sorted(found.items())}


def mean_curve(values: Values) -> dict[tuple[float, int], float]:
    """Mean over series at each number and repeat, at the numbers that all series have."""
    common = common_numbers(values)
    found: dict[tuple[float, int], list[float]] = {}
    for (_, x, repeat), value in values.items():
        if x in common:
            found.setdefault((x, repeat), []).append(value)
    return {key: mean(each) for key, each in found.items()}


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
