"""Take paths apart: what is the same in all of them, and what varies, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from unseen.vocabulary.factors import Level
from unseen.worlds.levels import POOL_WORDS, numbers, ordered
from unseen.worlds.meanings import are_spaced, meaning, turns

# A minus after another delimiter is a sign: el_-10 is elevation -10.
_DELIMITERS = re.compile(r"(__+|[_= ]+|(?<![_= ])-+)")
_CODED = re.compile(r"([A-Za-z]+)(\d+)")
SEVERAL = 3  # objects of a category: fewer cannot be shared out over three pools


@dataclass
class Part:
    """A piece of the paths: constant (``values`` empty) or one text per path."""

    text: str = ""
    values: Sequence[str] = ()
    name: str = ""
    word: str = ""  # before a number: foto in foto_3
    digits: bool = False  # the field touches the one before it
    folder: bool = False

    @cached_property
    def levels(self) -> list[Level]:
        return ordered(numbers(sorted(set(self.values))))

    @property
    def worded(self) -> bool:
        return isinstance(self.levels[0], str)


def parts_of(split: Sequence[Sequence[str]]) -> list[Part]:
    """The parts of paths of one depth, each given as its folders and its file."""
    folders = [_parts([row[level] for row in split], folder=True) for level in range(len(split[0]) - 1)]
    stems = [row[-1].rpartition(".")[0] for row in split]
    ends = {row[-1].rpartition(".")[2] for row in split}
    again, stems = _said_again(folders, stems)
    parts = [part for own in folders for part in (*own, Part("/"))]
    file = _joined(parts, [*again, *_parts(stems, folder=False)])
    return [*parts, *file, Part("." + (ends.pop() if len(ends) == 1 else "*"))]


def is_nested(inner: Part, outer: Part) -> bool:
    """Whether each level of a part comes with one level of another, and these have several: cup3 is a cup."""
    pairs = set(zip(inner.values, outer.values))
    return len(pairs) == len(set(inner.values)) > len(set(outer.values))


def _said_again(folders: Sequence[Sequence[Part]], stems: Sequence[str]) -> tuple[list[Part], Sequence[str]]:
    """The files' names without a folder's name that they all begin with: ``cup_3/cup_3_90.png``."""
    for own in reversed(folders):
        if len(own) != 1 or not own[0].values:
            continue
        values = own[0].values
        marks = [
            _DELIMITERS.match(stem, len(value)) if stem.startswith(value) else None
            for stem, value in zip(stems, values)
        ]
        if len({mark.group() if mark else "" for mark in marks}) > 1 or not marks[0]:
            continue
        rest = [stem[mark.end() :] for stem, mark in zip(stems, marks) if mark]
        if all(rest):
            return [Part(values=values, folder=True), Part(marks[0].group())], rest
    return [], stems


def _joined(before: Sequence[Part], parts: list[Part]) -> list[Part]:
    """A word that the folder says already and the number that touches it are one code, of an object: in
    ``boat/b0001-c02.png`` every boat is a b, so that b0001 is a boat, and not b a factor."""
    folders = [
        part for part in before if part.values and not {value.lower() for value in part.values} <= set(POOL_WORDS)
    ]
    for place, (word, number) in enumerate(pairwise(parts)):
        if not number.digits or turns(number.levels) or are_spaced(number.levels):
            continue
        whole = [f"{a}{b}" for a, b in zip(word.values, number.values)]
        for folder in folders:
            told = len(set(zip(folder.values, word.values))) == len(set(folder.values))
            objects = len(set(zip(folder.values, whole)))
            if told and 2 * objects <= len(whole):
                name = "instance" if objects >= SEVERAL * len(set(folder.values)) else ""
                return [*parts[:place], Part(values=whole, name=name), *parts[place + 2 :]]
    return parts


def _parts(values: Sequence[str], folder: bool) -> list[Part]:
    if len(set(values)) == 1:
        return [Part(values[0])]
    tokens = [_DELIMITERS.split(value) for value in values]
    alike = len({(len(row), *row[1::2]) for row in tokens}) == 1
    whole = [Part(values=values, folder=folder)]
    if not alike or any(not word for row in tokens for word in row):
        return whole
    parts: list[Part] = []
    for column in zip(*tokens):
        parts += _coded(column, folder)
    for before, part in zip([Part(), Part(), *parts], parts):  # az=90 or az_90: the word two places back names it
        if part.values and not before.values:
            part.word = part.word or before.text
            part.name = part.name or meaning(before.text)
    varying = [part for part in parts if part.values]
    return whole if folder and len(varying) != 1 else parts


def _coded(column: Sequence[str], folder: bool) -> list[Part]:
    if len(set(column)) == 1:
        return [Part(column[0])]
    coded = [_CODED.fullmatch(value) for value in column]
    if not all(coded):
        return [Part(values=column, folder=folder)]
    words, counts = [m.group(1) for m in coded if m], [m.group(2) for m in coded if m]
    if len(set(words)) == 1 and not meaning(words[0]) and _are_codes(counts):
        return [Part(values=column, folder=folder)]
    if len(set(words)) == 1:
        named = len(words[0]) > 2 or not folder  # a letter before a folder's number (c1, c2) need not be a code
        name = meaning(words[0]) if named else ""
        return [Part(words[0]), Part(values=counts, name=name, word=words[0], folder=folder)]
    if folder:
        return [Part(values=column, folder=folder)]
    return [Part(values=words), Part(values=counts, digits=True)]


def _are_codes(counts: Sequence[str]) -> bool:
    """Whether numbers are names and count nothing: 01440764 of ImageNet's n01440764."""
    levels = Part(values=counts).levels
    padded = any(len(text) > 1 and text.startswith("0") for text in counts)
    return padded and not are_spaced(levels, (1,)) and not (len(levels) > 2 and are_spaced(levels))
