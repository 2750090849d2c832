"""Any world with further factors that are properties of its levels: which categories have legs, or wheels.

They are what a concept bottleneck reads its class from (Koh et al. 2020, whose birds have the attributes of their
class). A property belongs to a level, not to a picture: a duck that sits has legs, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import World
from unseen.worlds import inner_world
from unseen.worlds.wrapped import SamePictures, hash_of

if TYPE_CHECKING:
    from torch import Tensor

VERSION = 1  # raise it when a level would be described otherwise
NO, YES = "no", "yes"


@dataclass(frozen=True, eq=False, repr=False)
class DescribedWorld(SamePictures):
    """``inner``, its rows and its pictures; each of ``concepts`` is a factor more: its levels, and which of them every
    level of ``factor`` has."""

    done = "described"
    factor: str
    concepts: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]]

    @cached_property
    def samples(self) -> Samples:
        inner = self.inner.samples
        space = FactorSpace((*inner.space.factors, *(Factor(name, own) for name, (own, _) in self.concepts.items())))
        blocks = []
        for block in inner.blocks:
            levels = np.asarray(block.stored[self.factor])
            told = {name: np.asarray(which)[levels] for name, (_, which) in self.concepts.items()}
            blocks.append(replace(block, stored={**block.stored, **told}))
        return Samples(space, tuple(blocks))

    @cached_property
    def fingerprint(self) -> str:
        said = ["described", VERSION, self.inner.fingerprint, self.factor, self.concepts]
        return hash_of(said)

    @property
    def provenance(self) -> Mapping[str, str]:
        return {
            **self.inner.provenance,
            "described": f"{listed(self.concepts)} are told of each {self.factor}, by hand",
        }

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        return self.inner.images(rows, device, draw)

    def __getattr__(self, name: str) -> Any:
        """What only some worlds have (scenes, noise that is drawn anew) is the inner world's."""
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)


def described(of: World | Mapping[str, Any], *, concepts: Any, factor: str = "category") -> Any:
    """Any world with ``concepts`` as further factors: properties of the levels of ``factor``.

    ``of`` is a world, or its table in a recipe (``name`` and its arguments). A concept is a list of the levels that
    have it (its own are then "no" and "yes"), or a table of several such lists, which together name every level once.

    >>> lines = {"none": [0, 3, 6, 8], "some": [1, 2, 4, 5, 7]}
    >>> world = described({"name": "digits"}, concepts={"loop": [0, 6, 8], "lines": lines})
    >>> world.samples.space["loop"].levels, world.samples.space["lines"].levels
    (('no', 'yes'), ('none', 'some'))
    """
    inside = inner_world(of, "describe")
    space = inside.samples.space
    if factor not in space:
        raise unknown("factor", factor, space.names, where=f"world '{inside.name}'")
    if any(factor not in block.stored for block in inside.samples.blocks):
        raise UnseenError(
            f"'{factor}' is computed for each image of world '{inside.name}', and concepts are told of what an "
            f"instance is by itself; possible: {listed(_stored(inside))}."
        )
    if not isinstance(concepts, Mapping) or not concepts:
        raise UnseenError(
            f"`concepts` is a table of names and the levels of '{factor}' that have it, such as "
            f'{{ legs = ["chair", "dog"] }}; {concepts!r} was given.'
        )
    if taken := [name for name in concepts if name in space]:
        raise UnseenError(f"world '{inside.name}' has a factor '{taken[0]}' already; call the concept otherwise.")
    own = space[factor]
    return DescribedWorld(inside, factor, {name: _levels(name, told, own) for name, told in concepts.items()})


def _stored(world: World) -> list[str]:
    return [name for name in world.samples.space.names if all(name in b.stored for b in world.samples.blocks)]


def _levels(name: str, told: object, factor: Factor) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The levels of a concept, and which of them each level of the factor has."""
    if isinstance(told, Mapping):
        which = np.full(len(factor), -1)
        for number, (level, those) in enumerate(told.items()):
            for one in _places(f"{name} {level}", those, factor):
                if which[one] >= 0:
                    raise UnseenError(
                        f"concept '{name}' names {factor.levels[one]!r} twice; each has one of its levels."
                    )
                which[one] = number
        if missing := [factor.levels[one] for one in np.flatnonzero(which < 0)]:
            raise UnseenError(
                f"concept '{name}' says nothing of {listed(missing)}; each {factor.name} needs one of {listed(told)}."
            )
        if len(told) < 2:
            raise UnseenError(f"concept '{name}' has one level, so it tells nothing apart; give it two or more.")
        return tuple(map(str, told)), tuple(which.tolist())
    having = set(_places(name, told, factor))
    if not 0 < len(having) < len(factor):
        who = "every" if having else "no"
        raise UnseenError(f"{who} {factor.name} has concept '{name}', so it tells nothing apart; name some of them.")
    return (NO, YES), tuple(int(place in having) for place in range(len(factor)))


def _places(name: str, those: object, factor: Factor) -> list[int]:
    if isinstance(those, str) or not isinstance(those, Sequence):
        raise UnseenError(
            f"concept '{name}' is a list of levels of '{factor.name}', such as {[*factor.levels[:2]]}; {those!r} was "
            "given."
        )
    texts = [str(level) for level in factor.levels]  # which differ: 3 and "3" mean the same level
    for one in those:
        if str(one) not in texts:
            raise unknown("level", one, texts, where=f"factor '{factor.name}', in concept '{name}'")
    return [texts.index(str(one)) for one in those]
