"""All factors of a set of images, from one text per image and factor: levels, bins, and what they leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import unknown
from unseen.vocabulary.factors import Factor, FactorSpace, Level
from unseen.worlds.binning import binned_as_asked
from unseen.worlds.bins import Bins
from unseen.worlds.levels import encode, one_turn, places
from unseen.worlds.meanings import is_thing

UNBINNED = "_unbinned"  # ends the name of the attribute that keeps a level which was put into a bin: view_unbinned


@dataclass(frozen=True, eq=False)
class Encoded:
    """``codes`` are level numbers, -1 where an image is at none; ``attributes`` hold what binning would lose."""

    space: FactorSpace
    codes: Int[np.ndarray, "images factors"]
    left_out: Mapping[str, int]  # factor: images at no level of it
    attributes: Mapping[str, np.ndarray]
    said: tuple[str, ...]  # one sentence per binned factor


def encoded(
    texts: Mapping[str, Sequence[str]],
    category: str,
    kinds: Mapping[str, str],
    levels: Mapping[str, Sequence[Level]],
    declared: Mapping[str, Factor],
    bins: Mapping[str, Bins],
) -> Encoded:
    """What a table declares of a factor holds unless its kind or levels are asked for."""
    asked = [*kinds, *levels] + ([category] if category != "category" else [])
    for name in [*asked, *bins]:
        if name not in texts:
            raise unknown("factor", name, texts, where="these images")

    def read(name: str, wanted: Sequence[Level] | None) -> tuple[Factor, np.ndarray]:
        if name in declared and name not in asked:
            return declared[name], places(declared[name], texts[name])
        kind = kinds.get(name) or ("instance" if is_thing(name, category, texts) else None)
        return encode(name, texts[name], kind=kind, wanted=wanted, category=name == category)

    factors: list[Factor] = []
    codes: list[np.ndarray] = []
    attributes: dict[str, np.ndarray] = {}
    said = []
    for name in texts:
        if name in bins:
            found = binned_as_asked(lambda wanted, name=name: read(name, wanted), bins[name], levels.get(name))
            factor, own = found.factor, found.codes
            attributes[name + UNBINNED] = found.before
            said.append(found.said)
        else:
            factor, own = one_turn(*read(name, levels.get(name)), asked=name in levels)
        factors.append(factor)
        codes.append(own)
    left_out = {name: int((own < 0).sum()) for name, own in zip(texts, codes) if (own < 0).any()}
    return Encoded(FactorSpace(factors), np.stack(codes, axis=1), left_out, attributes, tuple(said))
