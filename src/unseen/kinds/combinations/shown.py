"""What the report of a study of combinations shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.reports.contents import Contents, UnitPicture

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, kw_only=True)
class CombinationContents(Contents):
    """A series is an architecture, ``x`` the number of combinations seen (or of training images); measures are those of
    accuracy and of units. ``scatter``: one row per trial and unit type: ``trial, seed, series, x, target, layer,
    specialization, accuracy`` (OOD accuracy of that target). ``units``: the most specialized ones."""

    scatter: pl.DataFrame
    units: tuple[UnitPicture, ...] = ()
