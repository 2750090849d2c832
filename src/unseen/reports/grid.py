"""What all pictures of two factors have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Grid:
    """Factors and levels by their names; rows go down, columns across."""

    row_factor: str
    column_factor: str
    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
