"""Parquet files that may be damaged: read by Arrow, which says so, where polars stops with a panic and a stack."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

Damaged = (pa.ArrowException, pl.exceptions.PolarsError, OSError, UnicodeError, ValueError)


def parquet_frame(file: Path) -> pl.DataFrame:
    """The table; what is wrong with the file raises one of ``Damaged``."""
    with file.open("rb") as opened:
        frame = pl.from_arrow(pq.read_table(opened))
    assert isinstance(frame, pl.DataFrame)
    return frame


def parquet_note(file: Path, key: str) -> bytes | None:
    """What the file says of itself under a key of its metadata."""
    with file.open("rb") as opened:
        return (pq.read_schema(opened).metadata or {}).get(key.encode())
