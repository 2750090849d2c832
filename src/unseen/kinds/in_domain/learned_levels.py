"""What networks know where nothing is out of range."""

from __future__ import annotations

import polars as pl

from unseen.kinds.in_domain.numbers import MEAN, R2

OF_THE_SET = f"{R2} (variance of the set)"  # 0: no better than the best constant answer, whatever the set's levels


def learned_levels(tidy: pl.DataFrame, asked: str, far: str) -> dict[tuple[str, int], float]:
    """R² against the set's own variance where nothing is out of range, for each network: on validation images, or,
    where they were not asked, on the ``asked`` set of all splits but ``far``. Against the variance of the whole grid a
    constant answer would have R² above 0 in a part of the range."""
    rows = tidy.filter((pl.col("measure") == OF_THE_SET) & (pl.col("target") == MEAN) & pl.col("value").is_finite())
    there = rows.filter(pl.col("set") == "validation")
    if there.is_empty():
        there = rows.filter((pl.col("set") == asked) & (pl.col("x") != far))
    means = there.group_by("series", "repeat", maintain_order=True).agg(pl.col("value").mean())
    return {(series, repeat): value for series, repeat, value in means.iter_rows()}
