"""Captions written from factors: "a mug, small, at the left, in red light".

Every factor but that of instances has a phrase for each level; a caption is the phrases of a row's levels. Scales are
said in a few words, as people would: a size is small, medium or large, not 0.73 (the words are ours). Factors this
module does not know are said by their names and their levels' texts. Words are what stands between spaces, numbered in
the order of the alphabet: a vocabulary of a few dozen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace

SCALES: Mapping[str, tuple[str, ...]] = {
    "size": ("small", "medium", "large"),
    "position": ("at the left", "in the middle", "at the right"),
    "elevation": ("seen from below", "seen level", "seen from above"),
}
HUES = ("red", "yellow", "green", "cyan", "blue", "magenta")
SIDES = ("front", "front and left", "left", "back and left", "back", "back and right", "right", "front and right")
NUMBER = re.compile(r" \d+$")
PAD, START = "", "<start>"  # words 0 and 1


@dataclass(frozen=True, eq=False)
class Phrases:
    """``factors``: places in the space of those that are said, the category's first. ``tokens``: the numbers of the
    words of each level's phrase, ``[levels, most]``, 0 where a phrase has ended. ``always``: which are never left
    out."""

    factors: tuple[int, ...]
    tokens: tuple[np.ndarray, ...]
    words: tuple[str, ...]
    always: tuple[int, ...]
    start: int = 1


def phrase(factor: Factor, level: int, by_value: Collection[str] = ()) -> str:
    """How a level is said. Factors named in ``by_value`` are said by their names and values, where words would not be
    true: that an object that tumbles is seen from the front, say.

    >>> size = Factor("size", (0.5, 1.0, 1.5), kind="ordinal")
    >>> phrase(size, 0), phrase(Factor("background", ("sky 1", "city 2")), 1), phrase(Factor("wheels", (3, 4)), 1)
    ('small', 'before city', 'wheels 4')
    """
    text = factor.texts[level]
    if factor.kind == "category":
        return text
    if factor.name in by_value:
        return f"{factor.name} {text}"
    if factor.name in SCALES and factor.kind == "ordinal":
        words = SCALES[factor.name]
        return words[min(len(words) - 1, level * len(words) // len(factor))]
    if factor.name == "light" and factor.period:
        return f"in {HUES[round(float(factor.levels[level]) / factor.period * 6) % 6]} light"
    if factor.name == "pose" and factor.period:
        return f"from the {SIDES[round(float(factor.levels[level]) / factor.period * 8) % 8]}"
    if factor.name == "background":
        return "before " + NUMBER.sub("", text)
    if factor.name == "texture":
        return f"with {text}"
    return f"{factor.name} {text}"


def said_factors(space: FactorSpace) -> tuple[Factor, ...]:
    """The factors of a caption, categories first; instances have no words."""
    told = [factor for factor in space.factors if factor.kind != "instance"]
    return tuple(sorted(told, key=lambda factor: factor.kind != "category"))


def caption(space: FactorSpace, levels: Sequence[int]) -> str:
    """The whole caption of a cell.

    >>> space = FactorSpace([Factor("category", ("mug",), kind="category", texts=("a mug",)), Factor("wheels", (3, 4))])
    >>> caption(space, [0, 1])
    'a mug, wheels 4'
    """
    return ", ".join(phrase(one, levels[space.names.index(one.name)]) for one in said_factors(space))


def phrases_of(space: FactorSpace, by_value: Collection[str] = ()) -> Phrases:
    """Every phrase of a space, by the numbers of its words; ``by_value`` as for :func:`phrase`."""
    factors = said_factors(space)
    said = [[phrase(factor, level, by_value).split() for level in range(len(factor))] for factor in factors]
    words = (PAD, START, *sorted({word for table in said for one in table for word in one}))
    number = {word: place for place, word in enumerate(words)}
    tables = []
    for table in said:
        tokens = np.zeros((len(table), max(map(len, table))), dtype=np.int64)
        for level, one in enumerate(table):
            tokens[level, : len(one)] = [number[word] for word in one]
        tables.append(tokens)
    places = tuple(space.names.index(factor.name) for factor in factors)
    always = tuple(place for place, factor in enumerate(factors) if factor.kind == "category")
    return Phrases(places, tuple(tables), words, always)
