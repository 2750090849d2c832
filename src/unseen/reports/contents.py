"""What a report is made of: plain frozen data, gathered by ``studies`` and drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class SplitPicture:
    """One condition's grid: which cells are seen, which are asked, with an example image of each cell.

    ``seen`` and ``asked`` are boolean ``[rows, columns]``; ``counts`` the training images per cell. ``examples`` is
    uint8 ``[rows, columns, height, width, 1 or 3]`` (one array shared by all conditions), with ``missing`` marking
    cells that have no image.
    """

    title: str
    row_factor: str
    column_factor: str
    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    seen: np.ndarray
    asked: np.ndarray
    counts: np.ndarray
    examples: np.ndarray | None = None
    missing: np.ndarray | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class UnitPicture:
    """A unit's activation grid ``[rows, columns]``, scaled to [0, 1], and its scores."""

    title: str
    layer: str
    unit: int
    unit_type: str
    specialization: float
    selectivity: float
    invariance: float
    grid: np.ndarray
    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    row_factor: str = ""
    column_factor: str = ""


@dataclass(frozen=True)
class Finding:
    """One statement with its number: a paired test, a correlation, a trend. ``holds`` says whether the expectation of
    the paper held (None where there is none, or where the interval leaves it open)."""

    name: str
    statement: str
    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    holds: bool | None = None


@dataclass(frozen=True, eq=False)
class AnswerPicture:
    """What one network answers about one factor: ``predicted`` and ``true`` in [0, 1], one value per image. The levels
    in ``out`` were never trained on; ``mean`` is that of the levels that were."""

    series: str
    factor: str
    levels: int
    out: tuple[int, ...]
    mean: float | None
    predicted: np.ndarray
    true: np.ndarray


@dataclass(frozen=True, eq=False)
class RatioPicture:
    """How far answers go from the mean, relative to the truth: a histogram over ``networks`` networks. ``overflow``
    ratios lie beyond the last edge, ``undefined`` images have none."""

    title: str
    networks: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    overflow: int
    undefined: int


@dataclass(frozen=True, eq=False)
class Regression:
    """What the report of a study shows whose networks answer with numbers.

    ``splits``: the values of ``x`` in their order; ``series``: world ("" where there is one) and model of each series;
    ``kinds``: the kind of each factor; ``asked``: the set that R² is told of first. ``answers`` are of the split named
    in ``answers_of``.
    """

    splits: tuple[str, ...]
    series: Mapping[str, tuple[str, str]]
    kinds: Mapping[str, str]
    asked: str
    answers: tuple[AnswerPicture, ...] = ()
    answers_of: str = ""
    ratios: tuple[RatioPicture, ...] = ()


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything a report shows.

    ``summary``: one row per point of a curve, with columns ``x`` (float; see ``x_title``), ``series`` (str: the
    architecture, "shared"), ``set`` (str: "seen", "unseen"), ``target`` (a target's name or "geometric mean"),
    ``layer`` (ordered by ``layers`` below, from the input to the output), ``unit_type`` (factor name a unit prefers;
    "" elsewhere), ``measure`` ("accuracy", "median specialization", "share of units", "median selectivity", "median
    invariance", "degenerate units"), ``value``, ``low``, ``high`` (95 % interval over repeats; NaN where n = 1), ``n``
    (repeats), ``chance`` (float or null).

    ``scatter``: one row per trial and unit type: ``trial, seed, series, x, target, layer, specialization, accuracy``
    (OOD accuracy of that target). ``curves``: ``trial, seed, series, x, epoch, phase ("train"/"validation"), target
    ("total" or a target), loss, accuracy`` (accuracy may be null). ``flags``: ``trial, series, x, seed, flag, detail``
    (diverged, unconverged, unseeded, no validation, failed). ``published``: ``figure, series, x, set, value`` or None.
    Empty frames are allowed anywhere; the report then leaves the section out and says why.

    With ``regression`` the answers are numbers: ``x`` is the name of a split (a string, in all frames), the measures
    are "R²", "R² of the factor out of range", "R² of the other factors" and "share towards the mean", a target is a
    factor or "mean over factors", and there is no scatter and no unit.
    """

    title: str
    question: str
    answer: str
    shows: str
    x_title: str
    series_title: str
    summary: pl.DataFrame
    scatter: pl.DataFrame
    curves: pl.DataFrame
    flags: pl.DataFrame
    splits: tuple[SplitPicture, ...]
    units: tuple[UnitPicture, ...]
    findings: tuple[Finding, ...]
    recipe: str
    published: pl.DataFrame | None = None
    published_source: str = ""
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # section -> key -> value, printed as tables
    citation: str = ""
    layers: tuple[str, ...] = ()  # in network order; where not given, as they appear in ``summary`` with the stem first
    regression: Regression | None = None
