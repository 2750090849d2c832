"""What a page of weaknesses shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unseen.kinds.failures.subject_rules import SubjectRules
from unseen.kinds.weaknesses.closing import Closing
from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.feeding import FeedingCheck
from unseen.kinds.weaknesses.references import Reference
from unseen.reports.contents import Contents


@dataclass(frozen=True, eq=False)
class Failure:
    """A wrong answer with its picture: what was changed, and whether the same object was known when it was not
    (None: not asked)."""

    group: str
    truth: str
    response: str
    confidence: float | None
    where: str
    canonical_right: bool | None
    name: str
    picture: np.ndarray | None = None
    canonical: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class HardObject:
    """An object that is rarely known, shown canonical."""

    truth: str
    name: str
    right: int
    images: int
    picture: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Strip:
    """One object with one factor changed, level by level: pictures, and what each model answers where it was asked."""

    factor: str
    truth: str
    levels: tuple[str, ...]
    canonical: int
    pictures: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class WeaknessContents(Contents):
    """``every`` model, the one that was run last first; ``failures`` and ``hard`` by model. ``circles``: periods of
    factors that are circles, ``coordinates`` of levels by factor. ``left``: why answers are left out.
    ``rules``: when each fails."""

    every: tuple[ExaminedModel, ...]
    failures: Mapping[str, tuple[Failure, ...]] = field(default_factory=dict)
    hard: Mapping[str, tuple[HardObject, ...]] = field(default_factory=dict)
    strips: tuple[Strip, ...] = ()
    circles: Mapping[str, float] = field(default_factory=dict)
    numbers_at: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    fed: tuple[FeedingCheck, ...] = ()
    closing: tuple[Closing, ...] = ()
    pictureless: str = ""
    left: tuple[str, ...] = ()
    rules: tuple[SubjectRules, ...] = ()
