"""A claim about what carries over needs that something was learned.

On shuffled pictures (world ``shuffled``) networks answer with what is frequent, and some claims are then true of the
answers and say nothing of networks: levels beyond the trained range are missed by more, and no noise helps with
another. So they are left open unless what was trained on is surely known. The controls of ``bench/controls.py`` found
this; the rule is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.measures import Verdict, judge
from unseen.reports.contents import Finding
from unseen.studies.judged import doubted
from unseen.studies.regressions import MEAN, R2

if TYPE_CHECKING:
    import polars as pl

OF_THE_SET = f"{R2} (variance of the set)"  # 0: no better than the best constant answer, whatever the set's levels


def unless_learned(findings: Sequence[Finding], learned: Verdict | None, what: str) -> list[Finding]:
    """Findings with an expectation, left open where ``learned`` does not hold; ``what`` is then not surely known. They
    stay comparisons of the page. None: it was not asked, and nothing is left open by it."""
    if learned is None or learned.holds:
        return list(findings)
    why = f"{what} is not surely known, so nothing can carry over"
    return [doubted(one, why) if one.judged and one.holds is not None else one for one in findings]


def learned_levels(tidy: pl.DataFrame, asked: str, far: str) -> dict[tuple[str, int], float]:
    """R² against the set's own variance where nothing is out of range, for each network: on validation images, or,
    where they were not asked, on the ``asked`` set of all splits but ``far``. Against the variance of the whole grid a
    constant answer would have R² above 0 in a part of the range."""
    import polars as pl

    rows = tidy.filter((pl.col("measure") == OF_THE_SET) & (pl.col("target") == MEAN) & pl.col("value").is_finite())
    there = rows.filter(pl.col("set") == "validation")
    if there.is_empty():
        there = rows.filter((pl.col("set") == asked) & (pl.col("x") != far))
    means = there.group_by("series", "repeat", maintain_order=True).agg(pl.col("value").mean())
    return {(series, repeat): value for series, repeat, value in means.iter_rows()}


def learned_conditions(accuracy: np.ndarray, trained: np.ndarray, chance: float) -> Verdict:
    """Whether conditions trained on are known better than by chance: mean over them, repeat by repeat."""
    cells = np.where(trained, accuracy, np.nan).reshape(len(accuracy), -1)
    known = np.isfinite(cells).any(axis=1)
    return judge(np.array([np.nanmean(one) for one in cells[known]]), 1, null=chance)
