"""The tidy table of a study: chosen rows, means over repeats, and downloads of it and of every answer."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.collect import varied
from unseen.kinds.results import tidy_of
from unseen.measures.statistics import mean_interval
from unseen.viewer.answers import _worded, answerers, factors_in, filtered, scanned
from unseen.viewer.asked import Asked
from unseen.viewer.shelf import OnShelf, Reading, Shelf
from unseen.viewer.trials import setting_name
from unseen.vocabulary.errors import UnseenError, unknown

if TYPE_CHECKING:
    import polars as pl

PAGE, MOST = 200, 2000  # rows sent at once: as a rule, and at most
COLUMN = "c."  # before the name of a column in an address
APART = ("measure", "set", "target", "layer", "unit_type", "level", "seen")  # never averaged over
NUMBERS = ("value", "n")
REPEATS = ("trial", "seed", "design.seed")  # what a mean is over, unless they are asked to stay apart
MANY = 300  # values of a column that can be chosen from a list
FORMS = ("csv", "parquet")


def tidy(on_shelf: OnShelf, now: Reading) -> pl.DataFrame:
    """The tidy table as the study is now. Numbers of trials that were there before are not computed again."""
    with on_shelf.lock:
        kept = now.__dict__.get("tidy")
        if kept is None:
            kept = now.__dict__["tidy"] = tidy_of(now.study if now.stored.store.subjects() else now.stored)
        return kept


def numbers(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """A page of the tidy table, or, with ``by``, means over what is left. ``c.NAME`` chooses values of a column."""
    on_shelf = shelf[asked.text("study")]
    now = on_shelf.reading()
    whole = tidy(on_shelf, now)
    some = chosen(whole, asked)
    most, start = asked.whole("most", PAGE, 1, MOST), asked.whole("start", 0, 0, 2**31)
    by = [name for name in asked.several("by") if name]
    rows = grouped(some, by) if by else None
    return {
        "n": len(some),
        "columns": columns(whole),
        "settings": [name for name in varied(now.stored) if name in whole.columns],
        "rows": some.slice(start, most).to_dicts() if rows is None else rows[start : start + most],
        "groups": None if rows is None else len(rows),
        "start": start,
    }


def columns(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Every column with its words and, where they are few, its values."""
    import polars as pl

    told = []
    for name in frame.columns:
        values = frame[name].unique(maintain_order=True).drop_nulls()
        few = name not in NUMBERS and len(values) <= MANY
        values = values.sort() if few and values.dtype.is_numeric() else values
        told.append({
            "name": name,
            "words": setting_name(name),
            "values": values.cast(pl.String).to_list() if few else None,
            "number": frame[name].dtype.is_numeric(),
        })  # fmt: skip
    return told


def chosen(frame: pl.DataFrame, asked: Asked) -> pl.DataFrame:
    """The rows whose columns have one of the values asked for."""
    import polars as pl

    for key, values in asked.given().items():
        if not key.startswith(COLUMN) or not any(values):
            continue
        if (name := key.removeprefix(COLUMN)) not in frame.columns:
            raise unknown("column", name, frame.columns, where="the tidy table")
        frame = frame.filter(pl.col(name).cast(pl.String).is_in([one for one in values if one]))
    return frame


def grouped(frame: pl.DataFrame, by: list[str]) -> list[dict[str, Any]]:
    """Means over the rows of each group with Student's t interval. What says what a number is stays apart."""
    for name in by:
        if name not in frame.columns or name in NUMBERS:
            raise unknown("column", name, [one for one in frame.columns if one not in NUMBERS], where="the tidy table")
    apart = [name for name in APART if name in frame.columns and frame[name].n_unique() > 1]
    keys = list(dict.fromkeys([*by, *(name for name in apart if name not in by)]))
    rows = []
    for values, some in frame.group_by(keys, maintain_order=True):
        found = mean_interval(some["value"].to_numpy().astype(np.float64))
        head = dict(zip(keys, values))
        rows.append({**head, "mean": found.value, "low": found.low, "high": found.high, "repeats": found.n})
        if len(rows) > 50 * MOST:
            raise UnseenError("these are more groups than anybody can look at; choose a measure first.")
    return rows


def download(shelf: Shelf, asked: Asked) -> Any:
    """The chosen rows of the tidy table, or all chosen answers, as a file. It is sent as it is read, so that ten
    million answers take no more memory than a trial's."""
    from starlette.responses import StreamingResponse

    on_shelf = shelf[asked.text("study")]
    now, form = on_shelf.reading(), asked.one_of("form", FORMS, "csv")
    what = asked.one_of("what", ("numbers", "answers"), "numbers")
    name = f"{on_shelf.path.name or 'study'}-{what}.{form}"
    if what == "numbers":
        body: Any = iter([_written(chosen(tidy(on_shelf, now), asked), form)])
    else:
        body = answers_as_csv(now, asked) if form == "csv" else _whole_file(now, asked)
        first = next(body)  # what is wrong is said before anything is sent
        body = _with(first, body)
    kind = "text/csv" if form == "csv" else "application/vnd.apache.parquet"
    disposition = f'attachment; filename="{_ascii(name)}"'
    return StreamingResponse(body, media_type=kind, headers={"content-disposition": disposition})


def _ascii(name: str) -> str:
    return "".join(one if one.isascii() and (one.isalnum() or one in "._- ") else "-" for one in name)


def _with(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _written(frame: pl.DataFrame, form: str, *, head: bool = True) -> bytes:
    file = io.BytesIO()
    if form == "csv":
        frame.write_csv(file, include_header=head)
    else:
        frame.write_parquet(file)
    return file.getvalue()


def answers_as_csv(now: Reading, asked: Asked) -> Iterator[bytes]:
    """The chosen answers as CSV, one answerer's after the other's."""
    import polars as pl

    names = asked.several("trial") or [one.name for one in answerers(now)]
    columns = _answer_columns(scanned(now, names))
    for place, name in enumerate(names):
        frame = filtered(scanned(now, [name]), asked)
        there = frame.collect_schema()
        frame = frame.with_columns(pl.lit(None).alias(column) for column in columns if column not in there)
        yield _written(_worded(frame.select(columns)).collect(), "csv", head=place == 0)


def _answer_columns(frame: pl.LazyFrame) -> list[str]:
    there = frame.collect_schema().names()
    first = [name for name in ("trial", "subject", "set", "sample", "target") if name in there]
    return [*first, "truth", "response", "confidence", *factors_in(frame)]


def _whole_file(now: Reading, asked: Asked) -> Iterator[bytes]:
    """The chosen answers as Parquet, written aside piece by piece and then sent."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        frame = filtered(scanned(now, asked.several("trial")), asked)
        frame.select(_answer_columns(frame)).sink_parquet(file)
        file.seek(0)
        while piece := file.read(2**20):
            yield piece
