"""What the sets are called of a design that varies each factor alone, then two, then all."""

from __future__ import annotations

from collections.abc import Collection

CANONICAL, ALL, ASKED = "canonical", "all", "asked"
_BETWEEN = " × "


def pair_name(first: str, second: str) -> str:
    """The set in which two factors vary.

    >>> pair_name("pose", "size"), pair_of("pose × size", ["pose", "size"]), pair_of("pose", ["pose", "size"])
    ('pose × size', ('pose', 'size'), None)
    """
    return f"{first}{_BETWEEN}{second}"


def pair_of(name: str, factors: Collection[str]) -> tuple[str, str] | None:
    """The two factors that vary in a set; None where it is no pair."""
    first, sign, second = name.partition(_BETWEEN)
    return (first, second) if sign and first in factors and second in factors else None
