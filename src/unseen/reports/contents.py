"""What a report is made of: plain frozen data, gathered by ``studies`` and drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from unseen.kinds.domains.tables import Domains
    from unseen.reports.answered import Answered


@dataclass(frozen=True, eq=False)
class SplitPicture:
    """One condition's grid: which cells are seen, which are asked, with an example image of each cell.

    ``seen`` and ``asked`` are boolean ``[rows, columns]``; ``counts`` the training images per cell. ``examples`` is
    uint8 ``[rows, columns, height, width, 1 or 3]`` (one array shared by all conditions), with ``missing`` marking
    cells that have no image. ``labels`` are words to put under each cell instead of its count; ``part`` marks seen
    cells that take only a part of the visits to their images, which other cells show too. ``words`` stand in for the
    counts where the grid is of several networks, or a part of the categories, so that its sums are of nothing.

    ``split`` names the split of which this is one pair of factors: such pictures make a table, a line for each split.
    ``reach`` says which levels are drawn where not all are.
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
    labels: np.ndarray | None = None
    part: np.ndarray | None = None
    words: str = ""
    split: str = ""
    reach: str = ""


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
    """One statement with its number: a difference, a correlation, a trend. ``holds`` says whether the expectation of
    the paper held (None where there is none, or where it is left open, and ``why`` then says so).

    ``judged``: whether there is an expectation. ``p`` is of this finding alone, ``corrected`` for the ``comparisons``
    of the page (Holm). ``over``: what the ``n`` repeats are. ``key`` names a finding that the headline looks up."""

    name: str
    statement: str
    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    holds: bool | None = None
    judged: bool = False
    why: str = ""
    corrected: float | None = None
    comparisons: int = 0
    over: str = ""
    key: str = ""


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


@dataclass(frozen=True)
class LatentPoint:
    """One trained encoder: how disentangled its latents are (DCI and mutual information gap; None where it has no
    score), and the mean R² of its readout on the rows asked under its split."""

    world: str
    model: str
    split: str
    repeat: int
    r2: float | None
    disentanglement: float | None
    gap: float | None
    collapsed: bool = False


@dataclass(frozen=True)
class KindRow:
    """Mean R² of the factors of one kind under one split, over the ``n`` models of a world; of a single
    model, over its seeds."""

    world: str
    kind: str
    split: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, eq=False)
class Regression:
    """What the report of a study shows whose networks answer with numbers.

    ``splits``: the values of ``x`` in their order; ``series``: world ("" where there is one) and model of each series;
    ``kinds``: the kind of each factor; ``asked``: the set that R² is told of first. ``answers`` are of the split named
    in ``answers_of``. ``by_kind``: R² by kind of factor, all models together; ``latents``: the trained encoders.
    """

    splits: tuple[str, ...]
    series: Mapping[str, tuple[str, str]]
    kinds: Mapping[str, str]
    asked: str
    answers: tuple[AnswerPicture, ...] = ()
    answers_of: str = ""
    ratios: tuple[RatioPicture, ...] = ()
    by_kind: tuple[KindRow, ...] = ()
    latents: tuple[LatentPoint, ...] = ()


@dataclass(frozen=True, eq=False)
class Violin:
    """Invariance coefficients of the units of one layer, of all networks of a series at one x, for one group of images
    ("seen-transformed", "unseen-transformed", "all categories"); ``unscored`` units have none."""

    series: str
    x: float
    group: str
    networks: int
    values: np.ndarray
    unscored: int


@dataclass(frozen=True)
class CalibrationCurve:
    """Accuracy of a plainly trained network against the strength of a transformation, from ``n`` images each."""

    title: str
    level: str
    strengths: tuple[float, ...]
    accuracy: tuple[float, ...]
    n: int
    chosen: float | None
    reason: str
    plain: float
    chance: float
    target: float


@dataclass(frozen=True)
class Trend:
    """How across-category accuracy of one series goes with the number of seen-transformed categories: at the fewest and
    the most, Spearman's ρ (mean over ``n`` repeats, with its interval), and the shape of its growth in words."""

    series: str
    first: float
    last: float
    correlation: float
    low: float
    high: float
    n: int
    growth: str


@dataclass(frozen=True)
class Together:
    """Spearman's correlation of invariance with an accuracy over ``n`` networks; it has no interval, since networks of
    one transformation are no independent points."""

    value: float
    n: int


@dataclass(frozen=True)
class LayerThreshold:
    """From which activity on the units of one layer count, where τ was searched for: the median τ of ``networks``
    (those ``without`` one are left out), its interval (transformations resampled; NaN where there is none) and range.

    ``kept``, ``removed`` and ``full``: accuracy with the units below τ ablated, with those above it ablated, and of the
    whole network. ``left``: the share of the accuracy above chance that is left without the units above τ, with its
    interval (the median over transformations), whether this is near chance in most of them (None: open, and ``why``),
    and the ``p`` of that, over ``shares`` transformations: where the whole network is at chance there is no share. The
    accuracies are means over ``transformations``.
    """

    model: str
    layer: str
    tau: float
    low: float
    high: float
    least: float
    most: float
    networks: int
    without: int
    transformations: int
    repeats: int
    kept: float
    removed: float
    full: float
    chance: float
    left: float
    left_low: float
    left_high: float
    near: bool | None
    p: float | None = None
    why: str = ""
    shares: int = 0


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the report of a study shows whose networks see a transformation for some categories only.

    ``series``: model ("" where there is one), transformation and family of each series, in the order of the page;
    ``category``: the factor whose levels are recognised, of which there are ``categories``; ``layer``: the last one
    recorded; ``same_categories``: whether all repeats share the choice of categories. ``points``: per network and
    transformation ``trial, seed, series, x, within, across, plain, invariance`` (median over the units of ``layer`` on
    unseen-transformed categories). ``together``: by set ("within", "across"), how invariance goes with it.
    ``thresholds``: per series, x and threshold ``kept, removed, full`` (means over networks), ``n`` (networks) and
    ``chosen`` (how many of them chose it), of ``layer``; ``odd_thresholds``: how many of the τ there have a reason to
    be doubted, of how many. ``by_layer``: τ of every model and layer, from the first to the last, where it was searched
    for. ``one_number``: whether all networks that see categories transformed see as many, so that nothing can rise.
    """

    series: Mapping[str, tuple[str, str, str]]
    category: str
    categories: int
    layer: str
    points: pl.DataFrame
    together: Mapping[str, Together]
    violins: tuple[Violin, ...] = ()
    thresholds: pl.DataFrame | None = None
    calibrations: tuple[CalibrationCurve, ...] = ()
    trends: tuple[Trend, ...] = ()
    same_categories: bool = False
    odd_thresholds: tuple[int, int] = (0, 0)
    by_layer: tuple[LayerThreshold, ...] = ()
    one_number: bool = False


@dataclass(frozen=True, eq=False)
class Matrix:
    """Accuracy by what was trained on (rows) and asked (columns), of one model ("" where there is one).

    ``rows``: name and group ("one", "all but one", …) of each condition trained on. ``mean``, ``low``, ``high`` and
    ``n`` (repeats) are ``[rows, columns]``, NaN where nothing was asked; ``trained`` marks the levels a row was trained
    on. ``published`` has the same shape, NaN where no number is known, and ``observers`` one number per column.
    """

    model: str
    factor: str
    rows: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    trained: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    chance: float
    published: np.ndarray | None = None
    observers: np.ndarray | None = None
    observers_name: str = ""


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything a report shows.

    ``summary``: one row per point of a curve, with columns ``x`` (float; see ``x_title``), ``series`` (str: the
    architecture, "shared"), ``set`` (str: "seen", "unseen"), ``target`` (a target's name or "geometric mean"),
    ``layer`` (ordered by ``layers`` below, from the input to the output), ``unit_type`` (factor name a unit prefers;
    "" elsewhere), ``measure`` ("accuracy", "median specialization", "share of units", "median selectivity", "median
    invariance", "degenerate units"), ``value``, ``low``, ``high`` (95 % interval over repeats; NaN where n = 1), ``n``
    (repeats), ``chance`` (float or null), and, where it is known, ``asked`` (test images of each network).

    ``scatter``: one row per trial and unit type: ``trial, seed, series, x, target, layer, specialization, accuracy``
    (OOD accuracy of that target). ``curves``: ``trial, seed, series, x, epoch, phase ("train"/"validation"), target
    ("total" or a target), loss, accuracy`` (accuracy may be null). ``flags``: ``trial, series, x, seed, flag, detail``
    (diverged, unconverged, unseeded, no validation, failed). ``published``: ``figure, series, x, set, value`` or None.
    Empty frames are allowed anywhere; the report then leaves the section out and says why.

    With ``regression`` the answers are numbers: ``x`` is the name of a split (a string, in all frames), the measures
    are "R²", "R² of the factor out of range", "R² of the other factors" and "share towards the mean", a target is a
    factor or "mean over factors", and there is no scatter and no unit.

    With ``exposure`` a series is a transformation, ``x`` the number of categories seen transformed, sets are "within",
    "across" and "plain" or a group of images, there is no scatter and no unit, and the series of ``curves`` are
    families of transformations.

    With ``matrices`` a series is what was trained on, ``x`` the group of such conditions (a string, in all frames), a
    set is a level asked; there is no scatter and no unit, and the series of ``curves`` are the groups.

    With ``domains`` a series is a network, ``x`` the domain left out (in ``curves`` and ``flags`` what was trained on,
    in words), sets are "unseen", "seen" and "trained" (the images of "unseen", by networks that saw their domain);
    there is no scatter and no unit.
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
    exposure: Exposure | None = None
    matrices: tuple[Matrix, ...] = ()
    domains: tuple[Domains, ...] = ()
    absent: str = ""  # why the images were not at hand when this was gathered
    unrun: tuple[int, int] = (0, 0)  # trials that have not finished, of how many
    answered: Answered | None = None  # what single answers tell; none where answers are numbers
    made: Mapping[str, str] = field(default_factory=dict)  # "command", "run" and "written": how and when
