"""Bins as a recipe, a template field or a column's name asks for them: how many, where, called what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.plain_numbers import is_number, is_whole

KEYS = ("count", "start", "names", "edges", "by")
WAYS = ("width", "count")
_OPTION = re.compile(r"bins=(\d{1,6})")


@dataclass(frozen=True)
class Bins:
    """How one factor is binned: ``count`` bins of equal width (or, by "count", of equal numbers of images), or
    ``edges``. ``start`` is where the first bin of a circle begins."""

    count: int
    edges: tuple[float, ...] = ()
    start: float | None = None
    names: tuple[str, ...] = ()
    by: Literal["width", "count"] = "width"


def option(text: str) -> int | None:
    """The number in ``bins=8``, as a template field or a column's name writes it; None if it is something else.

    >>> option("bins=8"), option("d")
    (8, None)
    """
    found = _OPTION.fullmatch(text)
    return int(found.group(1)) if found else None


def asked_bins(given: object) -> dict[str, Bins]:
    """The bins a world is asked for, by factor: ``{"view": 8}`` or ``{"view": {"count": 8, "start": 0}}``.

    >>> asked_bins({"view": 8})["view"].count
    8
    """
    if not isinstance(given, Mapping):
        raise UnseenError(f"bins = {given!r}; name the factor and the number of bins, as in bins = {{ view = 8 }}.")
    return {str(name): _asked(str(name), how) for name, how in given.items()}


def _asked(name: str, given: object) -> Bins:
    if is_whole(given):
        return Bins(_count(name, given))
    if not isinstance(given, Mapping):
        raise UnseenError(
            f"bins of '{name}' are {given!r}; give their number, as in bins = {{ {name} = 8 }}, "
            f"or a table with {listed(KEYS)}."
        )
    for key in given:
        if key not in KEYS:
            raise unknown("setting", key, KEYS, where=f"the bins of '{name}'")
    if ("count" in given) == ("edges" in given):
        fault = "both a count and edges; give one of them" if "count" in given else "neither a count nor edges"
        raise UnseenError(f"the bins of '{name}' have {fault}, as in {{ count = 8 }} or {{ edges = [0, 30, 60] }}.")
    by = given.get("by", "width")
    if by not in WAYS:
        raise unknown("way to bin", by, WAYS, where=f"the bins of '{name}'")
    if "edges" in given and ("by" in given or "start" in given):
        raise UnseenError(
            f"the bins of '{name}' have edges, which leave no use for '{'by' if 'by' in given else 'start'}'."
        )
    edges = _edges(name, given["edges"]) if "edges" in given else ()
    count = len(edges) - 1 if edges else _count(name, given["count"])
    start = given.get("start")
    if start is not None and not _finite(start):
        raise UnseenError(f"the bins of '{name}' start at {start!r}; give a number, such as -22.5.")
    names = _names(name, given.get("names", ()), count)
    return Bins(count, edges, None if start is None else float(start), names, by)


def _count(name: str, given: Any) -> int:
    if not is_whole(given) or given < 2:
        raise UnseenError(f"{given!r} bins asked of factor '{name}'; give a whole number of at least 2.")
    return int(given)


def _edges(name: str, given: Any) -> tuple[float, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(_finite(edge) for edge in given):
        raise UnseenError(f"the edges of '{name}' are {given!r}; give numbers, as in [0, 30, 60, 90].")
    edges = tuple(float(edge) for edge in given)
    if len(edges) < 3 or any(low >= high for low, high in pairwise(edges)):
        raise UnseenError(
            f"the edges of '{name}' are {list(given)}; give at least three, rising: two bins lie between three edges."
        )
    return edges


def _names(name: str, given: Any, count: int) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UnseenError(f"the names of the bins of '{name}' are {given!r}; give a list, one name per bin.")
    names = tuple(str(one) for one in given)
    if names and len(names) != count:
        raise UnseenError(f"'{name}' has {count} bins and {len(names)} names: {listed(names)}. Give one name per bin.")
    twice = sorted({one for one in names if names.count(one) > 1 or not one.strip()})
    if twice:
        raise UnseenError(f"the bins of '{name}' share a name or lack one: {listed(map(repr, twice))}.")
    return names


def _finite(given: object) -> bool:
    return is_number(given) and math.isfinite(given)
