"""How many trials of a study's table are flagged, and of what."""

from __future__ import annotations

import polars as pl


def flagged(rows: pl.DataFrame, trials: int) -> str:
    flags = rows.filter(pl.col("measure").str.starts_with("flag: "), pl.col("value") > 0)
    each = flags.group_by("measure").agg(pl.col("trial").n_unique()).sort("measure").iter_rows()
    told = [f"{n} {name.removeprefix('flag: ')}" for name, n in each]
    return f"{', '.join(told) or 'none'} of {trials}"
