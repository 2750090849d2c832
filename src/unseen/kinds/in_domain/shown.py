"""What the report of a study shows whose networks answer with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unseen.reports.contents import Contents


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


@dataclass(frozen=True, eq=False, kw_only=True)
class InDomainContents(Contents):
    """``x`` is the name of a split (a string, in all frames); the measures are "R²", "R² of the factor out of range",
    "R² of the other factors" and "share towards the mean"; a target is a factor or "mean over factors"."""

    regression: Regression
