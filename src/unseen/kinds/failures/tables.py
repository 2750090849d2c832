"""Rules about any table of answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from unseen.kinds.failures.sentences import frame_of
from unseen.kinds.failures.subject_answers import MOST_LEVELS, kind_of
from unseen.kinds.failures.subject_rules import SubjectRules
from unseen.measures.rules import Column, failure_rules
from unseen.vocabulary.errors import UnseenError, listed, unknown

READERS = {".csv": pl.read_csv, ".parquet": pl.read_parquet}


def rules_of_table(
    table: Any, factors: Sequence[str] = (), *, objects: str = "", wrong: str = "", longest: int = 5,
    conditions: int = 2,
) -> pl.DataFrame:  # fmt: skip
    """Rules about a table of answers, a polars frame or a file: columns ``truth`` and ``response``, or one of true and
    false that says which are ``wrong``; ``factors`` are its other columns unless they are named; ``objects``: the
    column whose values go together on one side."""
    frame = _read(table)
    bad = _wrong(frame, wrong)
    if objects and objects not in frame.columns:
        raise unknown("column", objects, frame.columns, where="the table")
    own = {objects, wrong, "truth", "response", "confidence", "subject", "trial", "label", "seed", "sample", "target"}
    for name in factors:
        if name not in frame.columns:
            raise unknown("factor", name, frame.columns, where="the table")
    names = list(factors) or [name for name in frame.columns if name not in own]
    columns = [one for name in names if (one := _column(frame, name)) is not None]
    if not columns:
        raise UnseenError(f"no column of the table is a factor: {listed(names)} have one value, or over {MOST_LEVELS}.")
    codes = None if not objects else np.unique(frame[objects].cast(pl.String).to_numpy(), return_inverse=True)[1]
    found = failure_rules(bad, columns, codes, longest=longest, conditions=conditions, compare=False)
    return frame_of([SubjectRules("table", "", objects or "rows", found, found.p)])


def _read(table: Any) -> pl.DataFrame:
    if not isinstance(table, str | Path):
        try:
            return pl.DataFrame(table)
        except (TypeError, ValueError) as error:
            raise UnseenError(
                f"{type(table).__name__} is no table of answers ({error}); give a polars frame."
            ) from None
    path = Path(table)
    if path.suffix.lower() not in READERS or not path.is_file():
        why = "is no file" if not path.is_file() else "is neither .csv nor .parquet"
        raise UnseenError(f"'{path}' {why}; give a table of answers, or unseen.open_study(FOLDER).rules() for a study.")
    try:
        return READERS[path.suffix.lower()](path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UnseenError(f"'{path}' cannot be read: {error}") from None


def _wrong(frame: pl.DataFrame, wrong: str) -> np.ndarray:
    needed = [wrong] if wrong else ["truth", "response"]
    for name in needed:
        if name not in frame.columns:
            raise UnseenError(
                f"the table has no column '{name}'; it has {listed(frame.columns)}. Rules need 'truth' and 'response', "
                f"or wrong=COLUMN, true where an answer is wrong."
            )
        if frame[name].null_count() and name != "response":
            raise UnseenError(f"column '{name}' lacks {frame[name].null_count():,} of {frame.height:,} values.")
    if not wrong:
        told = frame["response"].cast(pl.String).fill_null("")  # no answer is wrong
        return (frame["truth"].cast(pl.String) != told).to_numpy()
    values = frame[wrong]
    if values.dtype != pl.Boolean and set(values.unique().to_list()) - {0, 1}:
        found = listed(values.unique().sort().to_list(), 4)
        raise UnseenError(f"column '{wrong}' must be true or false (or 1 and 0); it has {found}.")
    return values.cast(pl.Boolean).to_numpy()


def _column(frame: pl.DataFrame, name: str) -> Column | None:
    """A column as a factor: numbers are ordered, and many of them put into tenths of the rows."""
    values = frame[name].fill_nan(None) if frame[name].dtype.is_float() else frame[name]
    if values.null_count():
        raise UnseenError(
            f"factor '{name}' lacks {values.null_count():,} of {frame.height:,} values; fill them, or leave it out."
        )
    if values.dtype.is_numeric():
        known, places = np.unique(values.to_numpy(), return_inverse=True)
        if len(known) > MOST_LEVELS:
            known = np.unique(np.quantile(values.to_numpy(), np.arange(11) / 10, method="inverted_cdf"))
            places = np.searchsorted(known, values.to_numpy())
        levels = tuple(f"{level:.6g}" for level in known.tolist())
        return Column(name, levels, places.reshape(-1), "ordered") if len(known) > 1 else None
    spelt, places = np.unique(values.cast(pl.String).to_numpy().astype(str), return_inverse=True)
    if not 1 < len(spelt) <= MOST_LEVELS:
        return None
    levels = tuple(spelt.tolist())
    return Column(name, levels, places.reshape(-1).astype(np.int64), kind_of(name, levels, None, (name,)))
