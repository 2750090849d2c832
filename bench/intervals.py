"""Means over objects with intervals that respect that the pictures of one object go together."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from unseen.measures.statistics import Interval
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

DRAWS = 2000


def object_means(
    values: Float[np.ndarray, " n"], objects: Int[np.ndarray, " n"], count: int
) -> Float[np.ndarray, " count"]:
    """The mean over each object's pictures; NaN for an object with none."""
    pictures = np.bincount(objects, minlength=count)
    sums = np.bincount(objects, values, minlength=count)
    return np.divide(sums, pictures, out=np.full(count, np.nan), where=pictures > 0)


def over_objects(
    values: Float[np.ndarray, " objects"], classes: Int[np.ndarray, " objects"], draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The mean over objects with the 95 % interval of a bootstrap that draws whole objects within each class, since
    another world of this kind would have other objects of the same classes. Objects without a value are dropped.

    >>> print(over_objects(np.array([1.0, 1, 0, 1]), np.array([0, 0, 1, 1])))
    0.750 [0.500, 1.000], n = 4
    """
    kept = np.isfinite(values)
    own, of = values[kept], classes[kept]
    if not len(own):
        return Interval(np.nan, np.nan, np.nan, 0, "bootstrap over objects", int((~kept).sum()))
    rng = stream(seed, "objects", "bootstrap")
    sums = np.zeros(draws)
    for one in np.unique(of):
        mine = own[of == one]
        sums += mine[rng.integers(0, len(mine), (draws, len(mine)))].sum(1)
    low, high = np.quantile(sums / len(own), [0.025, 0.975])
    return Interval(float(own.mean()), float(low), float(high), len(own), "bootstrap over objects", int((~kept).sum()))


def short(interval: Interval, digits: int = 3) -> str:
    """An interval for a column of a table.

    >>> short(Interval(-0.0512, -0.1, 1.0, 4, ""), 2)
    '−.05 [−.10, 1.00]'
    """
    value, low, high = (
        f"{x:.{digits}f}".replace("0.", ".", 1).replace("-", "−") if abs(x) < 1 else f"{x:.{digits}f}".replace("-", "−")
        for x in (interval.value, interval.low, interval.high)
    )
    return f"{value} [{low}, {high}]"


def check_table_file(path: str | None) -> None:
    """Before anything is measured: whether the table can be written."""
    if path is None:
        return
    if Path(path).suffix not in (".parquet", ".csv"):
        raise UnseenError(f"--out {path}: the table is written as .parquet or .csv.")
    if not Path(path).absolute().parent.is_dir():
        raise UnseenError(f"--out {path}: the folder {Path(path).absolute().parent} does not exist.")
    if Path(path).suffix == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError as problem:
            raise UnseenError(f"--out {path}: Parquet needs pyarrow, which is not installed; take .csv.") from problem


def write_table(path: str, rows: Sequence[Mapping[str, object]]) -> None:
    if Path(path).suffix == ".csv":
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)
