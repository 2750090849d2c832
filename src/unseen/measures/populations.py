"""The units of one layer together: how many of each type, how specialized, and how many could not be scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from unseen.measures.scaling import extent
from unseen.measures.units import UnitScores, unit_scores


@dataclass(frozen=True)
class TypeSummary:
    """The units of one type. ``share`` is of *all* units of the layer, undefined ones included (as in Fig. 5).

    The medians and the quartiles (``low``, ``high``: the interquartile range of specialization) are over the ``scored``
    units, those whose specialization is a number; NaN if there are none.
    """

    n: int
    share: float
    scored: int
    specialization: float
    low: float
    high: float
    selectivity: float
    invariance: float


@dataclass(frozen=True)
class UnitSummary:
    """One layer: the two types of unit, and every unit that has no type or no score, with the reason.

    ``rows.n + columns.n + untyped == units``. A unit is ``untyped`` if the scaling cannot place it or if it has no
    other row or column to be compared with. ``unscored`` units have a type but no specialization, ``negative`` of them
    because selectivity or invariance is below zero. Counted whether or not they harm: ``constant`` units (zero range;
    under min–max they are untyped), ``silent`` ones among them (zero everywhere), ``non_finite`` ones (an infinite
    cell, or no cell at all). ``ties``: units whose two preferences are equal; Eq. 3 makes them column units.
    ``missing_cells``: cells of the grid in which no unit has a value.
    """

    units: int
    rows: TypeSummary
    columns: TypeSummary
    ties: int
    untyped: int
    constant: int
    silent: int
    non_finite: int
    unscored: int
    negative: int
    missing_cells: int
    scaling: str
    variant: str


def _type_summary(scores: UnitScores, of_type: Bool[np.ndarray, " units"]) -> TypeSummary:
    scored = of_type & ~np.isnan(scores.specialization)
    if scored.any():
        low, median, high = (float(q) for q in np.quantile(scores.specialization[scored], (0.25, 0.5, 0.75)))
        selective, invariant = (float(np.median(x[scored])) for x in (scores.selectivity, scores.invariance))
    else:
        low = median = high = selective = invariant = float("nan")
    n = int(of_type.sum())
    share = n / len(of_type) if len(of_type) else float("nan")
    return TypeSummary(n, share, int(scored.sum()), median, low, high, selective, invariant)


def unit_summary(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> UnitSummary:
    """Number, share and median specialization of each type of unit (Madan et al. 2022, Figs. 5 and 6).

    >>> summary = unit_summary(np.array([[[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]))
    >>> summary.rows.n, summary.columns.n, summary.silent, summary.rows.specialization
    (1, 1, 1, 1.0)
    """
    activity = np.asarray(activity)
    scores = unit_scores(activity, scaling=scaling, variant=variant)
    low, high, distance = extent(activity)
    unscored = scores.typed & np.isnan(scores.specialization)
    negative = unscored & ((scores.selectivity < 0) | (scores.invariance < 0))
    return UnitSummary(
        units=len(activity),
        rows=_type_summary(scores, scores.typed & scores.prefers_rows),
        columns=_type_summary(scores, scores.typed & ~scores.prefers_rows),
        ties=int(scores.tied.sum()),
        untyped=int((~scores.typed).sum()),
        constant=int((distance == 0).sum()),
        silent=int(((low == 0) & (high == 0)).sum()),
        non_finite=int(np.isnan(distance).sum()),
        unscored=int(unscored.sum()),
        negative=int(negative.sum()),
        missing_cells=int(np.isnan(activity).all(axis=0).sum()) if len(activity) else 0,
        scaling=scaling,
        variant=variant,
    )
