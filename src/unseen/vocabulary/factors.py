"""Factors, and the grid they span. An image is a point in that grid; a *cell* is one level of each factor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import UnseenError, unknown

Level = str | int | float
Kind = Literal["category", "instance", "ordinal", "circular", "nominal"]
KINDS: tuple[Kind, ...] = ("category", "instance", "ordinal", "circular", "nominal")


@dataclass(frozen=True)
class Factor:
    """A name and its ordered levels.

    ``coordinates`` place the levels in space where distance means something (a 3×3 grid of positions, degrees);
    ``period`` closes a circle. ``texts`` say the levels in words, which a zero-shot model needs.

    >>> Factor("azimuth", (0, 90, 180, 270), kind="circular", period=360).index(90)
    1
    """

    name: str
    levels: tuple[Level, ...]
    kind: Kind = "nominal"
    canonical: int | None = None
    texts: tuple[str, ...] = ()
    coordinates: tuple[tuple[float, ...], ...] = ()
    period: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "texts", tuple(self.texts) or tuple(str(level) for level in self.levels))
        object.__setattr__(self, "coordinates", tuple(tuple(place) for place in self.coordinates))
        if self.kind not in KINDS:
            raise unknown("kind of factor", self.kind, KINDS)
        if not self.levels:
            raise UnseenError(f"factor '{self.name}' has no levels; give it at least one.")
        if len(set(self.levels)) != len(self.levels):
            twice = sorted({str(level) for level in self.levels if self.levels.count(level) > 1})
            raise UnseenError(f"factor '{self.name}' lists {', '.join(twice)} more than once; levels must differ.")
        if len({str(level) for level in self.levels}) != len(self.levels):
            words = [str(level) for level in self.levels]
            twice = sorted({word for word in words if words.count(word) > 1})
            raise UnseenError(
                f"factor '{self.name}' has levels that read the same as text ({', '.join(twice)}); "
                f"make them all numbers or all text."
            )
        if self.canonical is not None and not 0 <= self.canonical < len(self.levels):
            raise UnseenError(
                f"factor '{self.name}' has canonical level number {self.canonical}; "
                f"possible: 0 to {len(self.levels) - 1}."
            )
        for what in ("texts", "coordinates"):
            given = getattr(self, what)
            if given and len(given) != len(self.levels):
                raise UnseenError(f"factor '{self.name}' has {len(self.levels)} levels but {len(given)} {what}.")
        if len({len(place) for place in self.coordinates}) > 1:
            raise UnseenError(f"the coordinates of factor '{self.name}' have different numbers of dimensions.")

    def __len__(self) -> int:
        return len(self.levels)

    def index(self, level: Level) -> int:
        """Place of a level; its text form serves too, since a TOML key or a folder name is text."""
        if level in self.levels:
            return self.levels.index(level)
        words = [str(known) for known in self.levels]
        if str(level) in words:
            return words.index(str(level))
        raise unknown("level", level, words, where=f"factor '{self.name}'")

    def places(self) -> np.ndarray:
        """Coordinates of the levels ``[levels, dims]``: as given, the numbers themselves, or the level's rank."""
        if self.coordinates:
            return np.asarray(self.coordinates, dtype=float)
        if self.kind in ("ordinal", "circular") and all(isinstance(level, int | float) for level in self.levels):
            return np.asarray(self.levels, dtype=float)[:, None]
        if self.kind in ("ordinal", "circular"):
            return np.arange(len(self.levels), dtype=float)[:, None]
        return np.eye(len(self.levels)) / math.sqrt(2)  # nominal: any two levels are at distance one


@dataclass(frozen=True)
class FactorSpace:
    """Named factors with finite levels; a *cell* is one level of each, and cells have numbers (last factor fastest).

    >>> space = FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90, 180)})
    >>> space.shape, space.size
    ((2, 3), 6)
    >>> space.cells(np.array([4]))
    array([[1, 1]])
    """

    factors: tuple[Factor, ...]
    _places: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __init__(self, factors: Mapping[str, Sequence[Level]] | Iterable[Factor]) -> None:
        if isinstance(factors, Mapping):
            rows = tuple(Factor(str(name), tuple(levels)) for name, levels in factors.items())
        else:
            rows = tuple(factors)
        names = [factor.name for factor in rows]
        if len(set(names)) != len(names):
            raise UnseenError(f"two factors share a name among {', '.join(names)}; rename one.")
        object.__setattr__(self, "factors", rows)
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(names)})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(factor.name for factor in self.factors)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(factor) for factor in self.factors)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> Factor:
        if name not in self._places:
            raise unknown("factor", name, self.names)
        return self.factors[self._places[name]]

    def select(self, names: Iterable[str]) -> FactorSpace:
        """The space of some factors, in the order asked."""
        return FactorSpace([self[name] for name in names])

    def cells(self, numbers: Int[np.ndarray, " n"]) -> Int[np.ndarray, "n factors"]:
        """Level numbers of each cell."""
        if not self.factors:
            return np.zeros((len(numbers), 0), dtype=np.int64)
        return np.stack(np.unravel_index(numbers, self.shape), axis=1).astype(np.int64)

    def numbers(self, cells: Int[np.ndarray, "n factors"]) -> Int[np.ndarray, " n"]:
        """The inverse of :meth:`cells`."""
        if not self.factors:
            return np.zeros(len(cells), dtype=np.int64)
        return np.asarray(np.ravel_multi_index(tuple(np.asarray(cells).T), self.shape), dtype=np.int64)
