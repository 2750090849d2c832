"""What the report of a study of variability shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unseen.measures import Interval
from unseen.reports.contents import Contents


@dataclass(frozen=True)
class NetworkRow:
    """A line of Table 1: ``accuracy`` on canonical pictures of trained and of held-out objects, ``gaps`` by factor,
    with intervals over repeats, and ``over_objects`` with intervals over objects; ``average`` over factors."""

    name: str
    trained: Interval | None
    held_out: Interval
    gaps: Mapping[str, Interval]
    over_objects: Mapping[str, Interval]
    average: Interval


@dataclass(frozen=True)
class Curve:
    """Gaps of one factor over shares (per cent), of networks of one protocol: Fig. 4 and A14."""

    protocol: str
    regime: str
    factor: str
    points: tuple[tuple[float, Interval], ...]


@dataclass(frozen=True)
class CrossedSlopes:
    """Slopes by the factor that varied in training (rows) and that was asked (columns): Fig. 5. By pretraining, the
    change of a gap; ``protocol`` then is the encoder's name."""

    protocol: str
    regime: str
    factors: tuple[str, ...]
    slopes: Mapping[tuple[str, str], Interval]


@dataclass(frozen=True)
class ShownGap:
    """The gap of one factor where training showed something: a dot of the first figure, and of Fig. 6."""

    protocol: str
    shown: str
    factor: str
    gap: Interval


@dataclass(frozen=True)
class ClassHalves:
    """A line of Table 3: gaps in the factor that varied, of the classes seen varying and of the others."""

    name: str
    exposed: Mapping[str, Interval]
    others: Mapping[str, Interval]


@dataclass(frozen=True)
class Bin:
    """Classes about as similar to the nearest one seen varying: the gap's mean and its standard error. Fig. 7."""

    similarity: float
    gap: float
    error: float
    n: int


@dataclass(frozen=True, eq=False, kw_only=True)
class VariabilityContents(Contents):
    """A series is a network, ``x`` what training showed, a set what was asked."""

    factors: tuple[str, ...]
    over: str
    networks: tuple[NetworkRow, ...]
    beside: tuple[NetworkRow, ...] = ()
    curves_over_shares: tuple[Curve, ...] = ()
    crosses: tuple[CrossedSlopes, ...] = ()
    by_pretraining: tuple[CrossedSlopes, ...] = ()
    by_training: tuple[ShownGap, ...] = ()
    closed: tuple[ShownGap, ...] = ()
    halves: tuple[ClassHalves, ...] = ()
    published_halves: tuple[ClassHalves, ...] = ()
    bins: tuple[Bin, ...] = ()
    similarity: str = "WordNet path"
    unknown_classes: int = 0
