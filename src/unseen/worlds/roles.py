"""Which of the factors found is to be named, and which it is generalised over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor
from unseen.worlds.meanings import CATEGORIES, VIEWS, are_domains, are_places

MOST_LEVELS = 200  # more is a name or a measurement, not a factor
PER_LEVEL = 20  # images: so many categories may there be that each has these


def roles(
    factors: Sequence[Factor],
    codes: Mapping[str, np.ndarray],
    category: str | None = None,
    across: str | None = None,
) -> tuple[str | None, str | None]:
    """The category and the second factor, as asked; else by name, then words before numbers. A category has more levels
    than what it is shown in, and is no domain; a second factor comes with more than one category.

    ``codes`` are the images' level numbers.
    """
    images = max(map(len, codes.values()), default=0)
    names = [factor.name for factor in factors]
    for asked in (category, across):
        if asked is not None and asked not in names:
            raise unknown("factor", asked, names, where="these images")
    if category is not None and category == across:
        raise UnseenError(f"--category and --across are both '{category}'; name two of {', '.join(names)}.")
    most = max(MOST_LEVELS, images // PER_LEVEL)
    usable = [factor for factor in factors if 1 < len(factor) <= most and factor.kind != "instance"]
    named = sorted((one for one in usable if one.name != across), key=_as_category)
    rows = category or (named[0].name if named else None)
    others = [one for one in usable if one.name != rows and len(one) <= MOST_LEVELS]
    crossed = [one for one in others if rows is None or not _within(codes[one.name], codes[rows])]
    columns = across or (min(crossed or others, key=_as_second).name if others else None)
    if category is None and columns is None and rows is not None:
        only = next(factor for factor in usable if factor.name == rows)
        if only.kind == "circular" or only.name in VIEWS or is_domain(only):
            return None, rows
    return rows, columns


def is_nested(inner: Int[np.ndarray, " images"], outer: Int[np.ndarray, " images"]) -> bool:
    """Whether every level of a factor comes with one level of another: an object, of one category.

    >>> is_nested(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1])), is_nested(np.array([0, 0, 1]), np.array([0, 1, 1]))
    (True, False)
    """
    pairs = np.unique(np.stack([inner, outer]), axis=1)
    return len(np.unique(inner)) == pairs.shape[1]


def _within(one: Int[np.ndarray, " images"], other: Int[np.ndarray, " images"]) -> bool:
    """Whether one is nested in the other: an object in its category, or a category in a group of them."""
    return is_nested(one, other) or is_nested(other, one)


def is_domain(factor: Factor) -> bool:
    """Whether a factor is a domain, a style, a dataset or a place: its levels have no order."""
    return factor.kind == "nominal" and are_domains(factor.name, factor.levels)


def _as_category(factor: Factor) -> tuple[object, ...]:
    wordless, levels = _wordless(factor), len(factor)
    named = _rank(CATEGORIES, factor)
    shown = is_domain(factor) or are_places(factor.levels)
    return named, shown, factor.kind == "circular", wordless, levels if wordless else -levels


def _as_second(factor: Factor) -> tuple[object, ...]:
    return (
        _rank(VIEWS, factor), factor.kind != "circular", not is_domain(factor), not _wordless(factor), len(factor)
    )  # fmt: skip


def _wordless(factor: Factor) -> bool:
    return not isinstance(factor.levels[0], str)


def _rank(names: Sequence[str], factor: Factor) -> int:
    return next((place for place, name in enumerate(names) if factor.name.startswith(name)), len(names))
