"""What a report is made of: plain frozen data, gathered by ``studies`` and drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unseen.reports.grid import Grid

if TYPE_CHECKING:
    import polars as pl

    from unseen.reports.answer_pictures import AnswerPictures
    from unseen.reports.blocks import Section
    from unseen.reports.finding import Finding


@dataclass(frozen=True, eq=False)
class SplitPicture(Grid):
    """One condition's grid: which cells are seen, which are asked, with an example image of each cell.

    ``seen`` and ``asked`` are boolean ``[rows, columns]``; ``counts`` the training images per cell. ``examples`` is
    uint8 ``[rows, columns, height, width, 1 or 3]`` (one array shared by all conditions), with ``missing`` marking
    cells that have no image. ``labels`` are words to put under each cell instead of its count; ``part`` marks seen
    cells that take only a part of the visits to their images, which other cells show too. ``words`` stand in for the
    counts where the grid is of several networks, or a part of the categories, so that its sums are of nothing.

    ``split`` names the split of which this is one pair of factors: such pictures make a table, a line for each split.
    ``reach`` says which levels are drawn where not all are. Where nothing is trained on (``trains`` is False), counts
    are of the images that are asked.
    """

    title: str
    seen: np.ndarray
    asked: np.ndarray
    counts: np.ndarray
    examples: np.ndarray | None = None
    missing: np.ndarray | None = None
    note: str = ""
    labels: np.ndarray | None = None
    part: np.ndarray | None = None
    words: str = ""
    split: str = ""
    reach: str = ""
    trains: bool = True


@dataclass(frozen=True, eq=False)
class UnitPicture(Grid):
    """A unit's activation grid ``[rows, columns]``, scaled to [0, 1], and its scores."""

    title: str
    layer: str
    unit: int
    unit_type: str
    specialization: float
    selectivity: float
    invariance: float
    grid: np.ndarray


@dataclass(frozen=True, eq=False)
class Contents:
    """What every report shows; a kind of study adds fields of its own (``kinds/*/shown.py``).

    ``summary``: one row per point of a curve, with columns ``x`` (a number or a name; see ``x_title``), ``series``,
    ``set`` (what was asked: "seen", "unseen"), ``target``, ``layer`` (ordered by ``layers`` below, from the input to
    the output), ``unit_type`` ("" where a number is not of units), ``measure``, ``value``, ``low``, ``high`` (95 %
    interval over repeats; NaN where n = 1), ``n`` (repeats), ``chance`` (float or null), and, where it is known,
    ``asked`` (test images of each network).

    ``curves``: ``trial, seed, series, x, epoch, phase ("train"/"validation"), target ("total" or a target), loss,
    accuracy`` (accuracy may be null). ``flags``: ``trial, series, x, seed, flag, detail`` (diverged, unconverged,
    unseeded, no validation, failed). ``published``: ``figure, series, x, set, value`` or None. Empty frames are allowed
    anywhere; the report then leaves the section out and says why.
    """

    title: str
    question: str
    answer: str
    shows: str
    x_title: str
    series_title: str
    summary: pl.DataFrame
    curves: pl.DataFrame
    flags: pl.DataFrame
    splits: tuple[SplitPicture, ...]
    findings: tuple[Finding, ...]
    recipe: str
    published: pl.DataFrame | None = None
    published_source: str = ""
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # section -> key -> value, printed as tables
    citation: str = ""
    layers: tuple[str, ...] = ()  # in network order; where not given, as they appear in ``summary`` with the stem first
    absent: str = ""  # why the images were not at hand when this was gathered
    unrun: tuple[int, int] = (0, 0)  # trials that have not finished, of how many
    answered: AnswerPictures | None = None  # what single answers tell; none where answers are numbers
    made: Mapping[str, str] = field(default_factory=dict)  # "command", "run" and "written": how and when
    added_sections: tuple[Section | str, ...] = ()  # what stands below the findings, whatever the kind of study
