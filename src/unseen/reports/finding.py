"""A finding: one statement with its number and its verdict."""

from __future__ import annotations

from dataclasses import dataclass


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
