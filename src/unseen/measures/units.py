r"""What one unit responds to: selectivity, invariance, type and specialization (Madan et al. 2022, Methods, Eqs. 1–3).

Every function takes the *raw* mean activity of each unit in each cell of the grid (rows: categories, columns:
viewpoints) and scales it by itself (`scaling.py`).

**Missing cells.** NaN marks a cell with no images (sparse photo sets). Means, maxima and minima run over the cells that
are present; invariance needs two of them in the preferred row. For a complete grid this is exactly the paper's formula.

**Ties.** Rows whose means agree to 1e-9 are equally preferred, and the most invariant of them counts (ours: the paper
is silent, and "the first" would let the order of the labels decide). Selectivities that agree to 1e-9 are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.scaling import scaled
from unseen.vocabulary.errors import unknown

VARIANTS = ("paper", "as_released")

TIE = 1e-9


def _mean(
    grid: Float[np.ndarray, "units rows columns"], cells: Bool[np.ndarray, "units rows columns"], axis: int | tuple
) -> np.ndarray:
    """Mean over the chosen cells that are present; NaN where there are none."""
    cells = cells & ~np.isnan(grid)
    count = cells.sum(axis=axis)
    total = np.sum(grid, axis=axis, where=cells)
    return np.divide(total, count, where=count > 0, out=np.full(count.shape, np.nan))


def _row_range(grid: Float[np.ndarray, "units rows columns"]) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest cell of each row; NaN in rows with fewer than two cells, which cannot show invariance."""
    present = ~np.isnan(grid)
    low = np.min(grid, axis=2, where=present, initial=np.inf)
    high = np.max(grid, axis=2, where=present, initial=-np.inf)
    enough = present.sum(axis=2) > 1
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def _preferred(grid: Float[np.ndarray, "units rows columns"], variant: str) -> Int[np.ndarray, " units"]:
    """The preferred row of each unit; of a unit without any cell, row 0 (whose statistics are NaN)."""
    if variant == "as_released":
        return np.argmax(np.max(grid, axis=2, where=~np.isnan(grid), initial=-np.inf), axis=1)
    if variant != "paper":
        raise unknown("variant", variant, VARIANTS)
    means = _mean(grid, np.ones(grid.shape, bool), axis=2)
    best = np.max(means, axis=1, where=~np.isnan(means), initial=-np.inf)[:, None]
    tied = means >= np.where(np.isfinite(best), best - TIE * abs(best), np.inf)
    low, high = _row_range(grid)
    steadiness = np.where(np.isnan(low), -np.finfo(float).max, low - high)
    return np.argmax(np.where(tied, steadiness, -np.inf), axis=1)


def selectivity(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> Float[np.ndarray, " units"]:
    r"""How much a unit prefers its best row (category) to the others (Madan et al. 2022, Eq. 1).

    With :math:`i^* = \arg\max_i \sum_j a_{ij}`, :math:`S = (\hat a - \bar a)/(\hat a + \bar a)`, where :math:`\hat a`
    averages row :math:`i^*` and :math:`\bar a` all other rows. ``as_released`` prefers the row of the largest *cell*,
    so that S may be negative. A unit that is constant, or whose :math:`\hat a + \bar a` is not positive: NaN.

    For the other factor (viewpoint), swap the axes: ``selectivity(activity.swapaxes(1, 2))``.

    >>> selectivity(np.array([[[4.0, 4.0], [0.0, 2.0]]])).tolist()  # â = 1, ā = 1/4
    [0.6]
    """
    grid = scaled(activity, scaling)
    inside = np.arange(grid.shape[1]) == _preferred(grid, variant)[:, None]
    inside = np.broadcast_to(inside[:, :, None], grid.shape)
    preferred, others = _mean(grid, inside, axis=(1, 2)), _mean(grid, ~inside, axis=(1, 2))
    total, difference = preferred + others, preferred - others
    difference[abs(difference) <= TIE * abs(total)] = 0  # equal rows must not score −1e-17, whose root is NaN
    return np.divide(difference, total, where=total > 0, out=np.full(total.shape, np.nan))


def invariance(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> Float[np.ndarray, " units"]:
    r"""How little a unit changes over the columns (viewpoints) of its preferred row (Madan et al. 2022, Eq. 2).

    :math:`I = 1 - (\max_j a_{i^*j} - \min_j a_{i^*j})`. ``as_released`` takes :math:`\min_j a_{i^*j}` instead.

    >>> invariance(np.array([[[4.0, 3.0], [0.0, 2.0]]])).tolist()  # preferred row scaled: 1 and 3/4
    [0.75]
    """
    grid = scaled(activity, scaling)
    low, high = (end[np.arange(len(grid)), _preferred(grid, variant)] for end in _row_range(grid))
    return low if variant == "as_released" else 1 - (high - low)


@dataclass(frozen=True)
class UnitScores:
    """Eq. 3 for each unit: its type, and the selectivity, invariance and specialization that go with the type."""

    prefers_rows: Bool[np.ndarray, " units"]
    typed: Bool[np.ndarray, " units"]  # False: no type can be given, and prefers_rows means nothing
    tied: Bool[np.ndarray, " units"]
    selectivity: Float[np.ndarray, " units"]
    invariance: Float[np.ndarray, " units"]
    specialization: Float[np.ndarray, " units"]


def unit_scores(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> UnitScores:
    r"""Type and scores of every unit at once (Madan et al. 2022, Eq. 3).

    A unit is a row (category) unit if :math:`S_c > S_v`, otherwise a column (viewpoint) unit, ties included; then
    :math:`\Gamma = \sqrt{S I}` of that type. ``as_released`` compares the largest row mean with the largest column mean
    instead, gives ties to the rows, and has no :math:`\Gamma` (NaN) where S is negative.
    """
    turned = np.swapaxes(np.asarray(activity), 1, 2)
    s_rows = selectivity(activity, scaling=scaling, variant=variant)
    s_columns = selectivity(turned, scaling=scaling, variant=variant)
    if variant == "as_released":
        every = np.ones(np.shape(activity), bool)
        means = (_mean(scaled(activity, scaling), every, axis=axis) for axis in (2, 1))
        of_rows, of_columns = (np.max(m, axis=1, where=~np.isnan(m), initial=-np.inf) for m in means)
        typed = np.isfinite(of_rows) & np.isfinite(of_columns)
    else:
        of_rows, of_columns = s_rows, s_columns
        typed = ~np.isnan(s_rows) & ~np.isnan(s_columns)
    lead = np.subtract(of_rows, of_columns, where=typed, out=np.zeros(len(typed)))
    tied = typed & (abs(lead) <= TIE)
    rows = typed & ((lead > TIE) | (tied & (variant == "as_released")))

    def of_type(by_rows: np.ndarray, by_columns: np.ndarray) -> np.ndarray:
        return np.where(typed, np.where(rows, by_rows, by_columns), np.nan)

    s = of_type(s_rows, s_columns)
    i = of_type(
        invariance(activity, scaling=scaling, variant=variant), invariance(turned, scaling=scaling, variant=variant)
    )
    gamma = np.sqrt(s * i, where=(s >= 0) & (i >= 0), out=np.full(s.shape, np.nan))
    return UnitScores(rows, typed, tied, s, i, gamma)


def unit_types(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> Bool[np.ndarray, " units"]:
    """True: the unit prefers rows (a category unit), by Eq. 3; False: columns, a tie, or a unit that has no type.

    Units without a type (constant, non-finite) have NaN specialization; ``unit_summary`` counts them apart.

    >>> unit_types(np.array([[[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]])).tolist()
    [True, False]
    """
    return unit_scores(activity, scaling=scaling, variant=variant).prefers_rows


def specialization(
    activity: Float[np.ndarray, "units rows columns"], *, scaling: str = "min-max", variant: str = "paper"
) -> Float[np.ndarray, " units"]:
    r"""Geometric mean of selectivity and invariance for the unit's own type (Madan et al. 2022, Eq. 3).

    1: fires for one category (or viewpoint) alone, equally at all viewpoints (categories). NaN where undefined.

    >>> specialization(np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])).tolist()
    [1.0, nan]
    """
    return unit_scores(activity, scaling=scaling, variant=variant).specialization
