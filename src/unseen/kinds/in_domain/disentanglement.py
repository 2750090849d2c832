"""Does disentanglement predict generalisation? Encoders of one split, their scores beside their R² on its test rows.

The paper does not say; Montero et al. 2021, whom it cites, find no sign of it. What is tested is the usual hope, a
positive rank correlation. Objectives differ in both scores and R², so the correlation among seeds of one objective
stands beside the plain one, and where its sign is another, nothing is said to hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.in_domain.disentangled import COLLAPSED, DISENTANGLEMENT, GAP
from unseen.kinds.in_domain.numbers import MEAN, R2
from unseen.kinds.in_domain.shown import LatentPoint
from unseen.kinds.judged import doubted, judged
from unseen.measures import RankCorrelation, judge_ranks, rank_correlation
from unseen.reports.finding import Finding
from unseen.reports.words import has_interval, number

if TYPE_CHECKING:
    import polars as pl

LEAST = 4  # networks
SPLITS = ("composition", "interpolation", "extrapolation")


def latent_points(tidy: pl.DataFrame, worlds: Mapping[str, tuple[str, str]], asked: str) -> tuple[LatentPoint, ...]:
    """Every trial with an encoder, those without scores too (``disentanglement`` and ``gap`` are then None)."""
    import polars as pl

    def values(**where: str) -> dict[str, float | None]:
        rows = tidy.filter(*(pl.col(key) == value for key, value in where.items()))
        return dict(rows.select("trial", "value").iter_rows())

    r2 = values(measure=R2, set=asked, target=MEAN)
    disentanglement, gap = values(measure=DISENTANGLEMENT), values(measure=GAP)
    collapsed = tidy.filter(pl.col("measure") == COLLAPSED)
    heads = collapsed.select("trial", "series", "x", "repeat", "value").iter_rows()
    return tuple(
        LatentPoint(*worlds[series], x, repeat, r2.get(trial), disentanglement.get(trial), gap.get(trial), lost > 0)
        for trial, series, x, repeat, lost in heads
    )


def disentanglement_predicts(points: Sequence[LatentPoint], asked: str) -> list[Finding]:
    """One finding for each split that asks for more than was seen; the mutual information gap is told along."""
    found = []
    for split in SPLITS:
        mine = [point for point in points if point.split == split]
        scored = [point for point in mine if point.disentanglement is not None and point.r2 is not None]
        if len(scored) < LEAST:
            continue
        r2 = np.array([point.r2 for point in scored])
        plain = rank_correlation(np.array([point.disentanglement for point in scored]), r2)
        gap = rank_correlation(np.array([np.nan if p.gap is None else p.gap for p in scored]), r2)
        lost = sum(point.collapsed for point in mine)
        left = f"; {lost} collapsed encoder{'s' * (lost != 1)} left out" if lost else ""
        within = _within(scored)
        beside = "" if within is None else f", among seeds of one objective {_number(within)}"
        statement = (
            f"Over {plain.n} encoders, disentanglement (DCI) and mean R² on the {asked} rows of {split} correlate with "
            f"Spearman's ρ = {_told(plain)}{beside}; the mutual information gap (MIG): ρ = {_told(gap)}{left}"
        )
        scores = np.array([point.disentanglement for point in scored])
        models = list(dict.fromkeys(point.model for point in scored))  # encoders of one objective are alike
        mine = [[point.model == model for point in scored] for model in models]
        one, two = (np.array([values[own].mean() for own in mine]) for values in (scores, r2))
        verdict = judge_ranks(one, two)
        value, many = verdict.interval.value, len(models)
        statement += f". Over {many} objective{'s' * (many != 1)}, each by its mean, ρ = {_number(value)}"
        made = judged(f"disentanglement predicts {split}", statement, verdict, over="objectives")
        against = within is not None and within * value < 0
        found.append(doubted(made, "among seeds of one objective the sign is the other") if against else made)
    return found


def _within(points: Sequence[LatentPoint]) -> float | None:
    """The same among seeds of one objective: both numbers less the mean of their objective (ours). No interval goes
    with it, since the means cost as many degrees of freedom as there are objectives. None where there is one only."""
    models = list(dict.fromkeys(point.model for point in points))
    if len(models) < 2 or len(points) < len(models) + 3:
        return None
    place = np.array([models.index(point.model) for point in points])
    sides = []
    for values in ([point.disentanglement for point in points], [point.r2 for point in points]):
        found = np.array(values, np.float64)
        means = np.array([found[place == k].mean() for k in range(len(models))])
        sides.append(found - means[place])
    return rank_correlation(*sides).correlation.value


def _told(result: RankCorrelation) -> str:
    r = result.correlation
    bounds = f" [{number(r.low)}, {number(r.high)}]" if has_interval(r.low, r.high) else ""
    return f"{_number(r.value)}{bounds}"


def _number(value: float) -> str:
    return "not defined" if np.isnan(value) else number(value)
