"""Models with their accuracy on an original and a new test set: of a table, or of the networks of a study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.every_answer import every_answer
from unseen.measures import SCALES, Interval, Line, fit_line, mean_drop, proportion_interval
from unseen.studies.answer_files import SUFFIXES
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError, listed, unknown

if TYPE_CHECKING:
    import polars as pl

NAN = float("nan")
NAMES = ("model", "name", "network", "subject")


@dataclass(frozen=True)
class Retested:
    """One model on both sets. Intervals are exact binomial (Clopper and Pearson) where the images were counted."""

    name: str
    original: Interval
    new: Interval


@dataclass(frozen=True, eq=False)
class Retest:
    """Models, what their sets are called, and the lines through them by scale."""

    original: str
    new: str
    models: tuple[Retested, ...]
    lines: dict[str, Line]
    drop: Interval
    notes: tuple[str, ...]


def retested(models: list[Retested], original: str, new: str, notes: list[str]) -> Retest:
    """The lines and the mean drop of these models."""
    if not models:
        raise UnseenError("there is no model with an accuracy on both sets.")
    x, y = (np.array([getattr(one, side).value for one in models]) for side in ("original", "new"))
    lines = {scale: fit_line(x, y, scale) for scale in SCALES}
    return Retest(original, new, tuple(models), lines, mean_drop(x, y), tuple(notes))


def is_table(text: str) -> bool:
    return Path(text).suffix.lower() in SUFFIXES


def of_table(path: Path, original: str, new: str, *, images: tuple[int, int] = (0, 0)) -> Retest:
    """Models of a table with a row each. ``images``: how many each set has, for the models' intervals."""
    import polars as pl

    if not path.is_file():
        raise UnseenError(f"no file '{path}' here ({Path.cwd()}).")
    try:
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path)
        else:
            frame = pl.read_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        raise UnseenError(f"'{path}' cannot be read: {str(error).splitlines()[0]}.") from None
    for column in (original, new):
        if column not in frame.columns:
            raise unknown("column", column, frame.columns, where=f"'{path.name}'")
        if not frame[column].dtype.is_numeric():
            raise UnseenError(f"column '{column}' of '{path.name}' holds words; it should hold accuracies.")
    named = next((name for name in NAMES if name in frame.columns), None)
    names = frame[named].cast(pl.String).to_list() if named else [f"row {k + 1}" for k in range(frame.height)]
    both = frame.select(pl.col(original).cast(pl.Float64), pl.col(new).cast(pl.Float64)).to_numpy()
    kept = np.asarray(np.isfinite(both).all(1))
    notes = [f"{int((~kept).sum())} models lack one of the two and are left out"] if not kept.all() else []
    if kept.any() and np.abs(both[kept]).max() > 1:
        both = both / 100
        notes.append("accuracies are read as per cent")
    if kept.any() and (both[kept].min() < 0 or both[kept].max() > 1):
        raise UnseenError(f"accuracies lie between 0 and 1, or 0 and 100; those of '{path.name}' do not.")
    models = [
        Retested(name, *(_counted(share, n) for share, n in zip(pair.tolist(), images)))
        for name, pair, here in zip(names, both, kept.tolist())
        if here
    ]
    return retested(models, original, new, notes)


def _counted(share: float, n: int) -> Interval:
    """Of a share of n images; without n there is no interval."""
    if not n:
        return Interval(share, NAN, NAN, 0, "images not counted")
    return replace(proportion_interval(round(share * n), n), value=share)


def of_study(study: Study, original: str, new: str, target: str = "") -> Retest:
    """Every network and subject of a study on the images of two sets, or of two levels of a factor
    (``collection=old``)."""
    import polars as pl

    frame = every_answer(study)
    targets = frame["target"].unique(maintain_order=True).cast(pl.String).to_list()
    if target and target not in targets:
        raise unknown("target", target, targets, where=f"'{study.path}'")
    frame = frame.filter(pl.col("target").cast(pl.String) == (target or targets[0]))
    sides = [_shares(frame, what, study) for what in (original, new)]
    models = [
        Retested(name, sides[0][trial][1], sides[1][trial][1])
        for trial, (name, _) in sides[0].items()
        if trial in sides[1]
    ]
    return retested(models, original, new, [f"{study.path}: accuracy of '{target or targets[0]}'"])


def _shares(frame: pl.DataFrame, what: str, study: Study) -> dict[str, tuple[str, Interval]]:
    import polars as pl

    factor, sign, level = what.partition("=")
    column = factor if sign else "set"
    if column not in frame.columns:
        raise unknown("factor", column, [name for name in frame.columns if name not in ("trial", "label")], where=what)
    words = frame[column].cast(pl.String)
    wanted = level if sign else what
    if wanted not in words.unique().to_list():
        there = words.drop_nulls().unique(maintain_order=True).to_list()
        raise UnseenError(f"'{study.path}' asked nothing of '{what}'; '{column}' is {listed(there, 12)}.")
    here = frame.filter(words == wanted).unique(["trial", "subject", "sample"], maintain_order=True)
    right = (pl.col("response").cast(pl.String) == pl.col("truth").cast(pl.String)).sum()
    found = here.group_by("trial", maintain_order=True).agg(pl.col("label").first(), right.alias("right"), pl.len())
    return {row["trial"]: (row["label"], proportion_interval(row["right"], row["len"])) for row in found.to_dicts()}


def tidy(found: Retest) -> pl.DataFrame:
    """A row for each line and each model."""
    import polars as pl

    rows: list[dict[str, Any]] = [_row("mean drop", "", found.drop)]
    for scale, line in found.lines.items():
        rows += [_row("slope", scale, line.slope), _row("intercept", scale, line.intercept)]
        rows.append({"measure": "R²", "of": scale, "value": line.r2, "n": line.n})
        rows.append({"measure": "share of resamples with a slope above 1", "of": scale, "value": line.above_one})
    for one in found.models:
        rows += [_row("original", one.name, one.original), _row("new", one.name, one.new)]
    empty = {"low": None, "high": None, "n": None}
    order = ("measure", "of", "value", "low", "high", "n")
    return pl.DataFrame([{**empty, **row} for row in rows], infer_schema_length=None).select(order).fill_nan(None)


def _row(measure: str, of: str, value: Interval) -> dict[str, Any]:
    return {"measure": measure, "of": of, "value": value.value, "low": value.low, "high": value.high, "n": value.n}
