"""What the report of a study shows whose networks see a transformation for some categories only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.reports.contents import Contents

if TYPE_CHECKING:
    import polars as pl


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
class InvarianceCorrelation:
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
    unseen-transformed categories). ``correlations``: by set ("within", "across"), how invariance goes with it.
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
    correlations: Mapping[str, InvarianceCorrelation]
    violins: tuple[Violin, ...] = ()
    thresholds: pl.DataFrame | None = None
    calibrations: tuple[CalibrationCurve, ...] = ()
    trends: tuple[Trend, ...] = ()
    same_categories: bool = False
    odd_thresholds: tuple[int, int] = (0, 0)
    by_layer: tuple[LayerThreshold, ...] = ()
    one_number: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class ExposureContents(Contents):
    """A series is a transformation, ``x`` the number of categories seen transformed; sets are "within", "across" and
    "plain" or a group of images; the series of ``curves`` are families of transformations."""

    exposure: Exposure
