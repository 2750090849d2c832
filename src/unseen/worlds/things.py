"""What a rendered world shows: objects of categories, and the bank they lie in. Where they come from (made by rule, or
read from a folder of meshes) is settled here; all that happens to them is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Block
from unseen.worlds.circumstances import Surroundings

if TYPE_CHECKING:
    from unseen.worlds.rendering.bank import Bank

Furnish = Callable[[], "Bank"]
VERSION = 1  # raise it when any object of the first collection, any pattern or background changes


@dataclass(frozen=True, eq=False)
class Things:
    """Objects by number, which is their mesh's in the bank that ``furnish`` makes.

    ``factors`` are what each object carries by itself, its category first; ``stored`` their levels. ``said`` is what
    decides the objects, for a fingerprint.
    """

    names: Sequence[str]
    factors: tuple[Factor, ...]
    stored: Mapping[str, np.ndarray]
    furnish: Callable[[Surroundings], Furnish]
    said: Mapping[str, object]
    provenance: Mapping[str, str]
    problems: tuple[str, ...] = ()
    content: np.ndarray | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(str(level) for level in self.factors[0].levels)

    def block(self, grid: Sequence[str], cells: np.ndarray | None = None, **stored: np.ndarray) -> Block:
        """Every object times a grid; ``stored`` are levels of further factors."""
        return Block(
            len(self), {**self.stored, **stored}, grid=tuple(grid), names=self.names, content=self.content,
            cells=cells, attributes=self.attributes,
        )  # fmt: skip


def category_factor(names: Sequence[str]) -> Factor:
    return Factor(
        "category", tuple(names), kind="category", texts=tuple(f"a {name.replace('_', ' ')}" for name in names)
    )


_BANKS: WeakValueDictionary[Hashable, Bank] = WeakValueDictionary()  # as long as a world that draws from it lives
_LAST: list[Bank] = []  # and the newest until the next: worlds that differ in what varies follow each other


def shared_bank(key: Hashable, make: Furnish) -> Bank:
    """Equal things share a bank within a process."""
    found = _BANKS.get(key)
    if found is None:
        _LAST.clear()
        found = _BANKS[key] = make()
        _LAST.append(found)
    return found
