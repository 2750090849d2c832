"""What the report of a study shows that leaves one domain out: a row for each domain, and the mean over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unseen.measures import Interval
from unseen.reports.contents import Contents


@dataclass(frozen=True)
class DomainRow:
    """Accuracy in one domain: ``left_out`` of networks that never saw it, ``trained`` of networks that did, ``gap``
    between the two: all three of the same ``shared`` images and the same repeats, where there is a gap. ``every``: of
    the first networks on all ``images`` they were asked, in all repeats. ``others``: in the domains these were trained
    on. ``majority`` is that of always saying the most frequent category; ``verdict`` in words. ``by_category``:
    accuracy where it was left out, and images. ``counted``: the images beside the gap, in words; ``partly``: these,
    or their repeats, are not all that was asked."""

    name: str
    left_out: Interval
    trained: Interval
    gap: Interval
    others: Interval
    every: Interval
    images: int
    shared: int
    majority: float
    verdict: str
    by_category: Mapping[str, tuple[float, int]]
    counted: str = ""
    partly: bool = False
    note: str = ""


@dataclass(frozen=True)
class Domains:
    """All domains of one model ("" where there is one). ``whole``: means over domains, with intervals over domains.
    ``compared``: which networks ``trained`` is of, in words; ``learned``: from how many images, beside the others.
    ``draws``: how many splits the repeats are of."""

    model: str
    factor: str
    category: str
    rows: tuple[DomainRow, ...]
    whole: DomainRow
    chance: float
    compared: str
    learned: str = ""
    draws: int = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class DomainContents(Contents):
    """A series is a network, ``x`` the domain left out (in ``curves`` and ``flags`` what was trained on, in words),
    sets are "unseen", "seen" and "trained" (the images of "unseen", by networks that saw their domain)."""

    domains: tuple[Domains, ...]
