"""What the report of a study shows whose networks train on some conditions and are asked on all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unseen.kinds.published_observers import Observed
from unseen.reports.contents import Contents


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


@dataclass(frozen=True, eq=False, kw_only=True)
class ConditionContents(Contents):
    """A series is what was trained on, ``x`` the group of such conditions (a string, in all frames), a set is a level
    asked; the series of ``curves`` are the groups."""

    matrices: tuple[Matrix, ...]
    observed: Mapping[int, Observed] = field(default_factory=dict)  # by column: people at that level
