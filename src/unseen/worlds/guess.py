"""Guess the template of a set of paths: which parts are factors, which are constant, which merely count files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from unseen.vocabulary.factors import Level
from unseen.worlds.levels import POOL_WORDS, numbers, ordered

MOST_PATHS = 20_000
# A minus after another delimiter is a sign: el_-10 is elevation -10.
_DELIMITERS = re.compile(r"(__+|[_= ]+|(?<![_= ])-+)")
_CODED = re.compile(r"([A-Za-z]+)(\d+)")
MEANINGS = {
    "obj": "object", "object": "object", "model": "model", "class": "category", "cat": "category",
    "category": "category", "label": "category", "az": "azimuth", "azi": "azimuth", "azimuth": "azimuth",
    "el": "elevation", "elev": "elevation", "elevation": "elevation",
    "ze": "zenith", "zenith": "zenith", "rot": "rotation", "rotation": "rotation",
    "angle": "angle", "ang": "angle", "view": "view", "v": "view", "pose": "pose", "cam": "camera", "camera": "camera",
    "light": "light", "l": "light", "scale": "scale", "size": "size", "bg": "background", "background": "background",
    "b": "background", "c": "camera", "r": "rotation",
    "inst": "instance", "instance": "instance", "i": "instance", "color": "colour", "colour": "colour",
}  # fmt: skip
CATEGORIES = ("category", "object", "model", "label", "class", "shape")
VIEWS = ("azimuth", "view", "rotation", "angle", "pose", "camera", "elevation", "zenith", "position", "scale")


@dataclass
class Part:
    """A piece of the paths: constant (``values`` empty) or one text per path."""

    text: str = ""
    values: Sequence[str] = ()
    name: str = ""
    digits: bool = False  # the field touches the one before it
    folder: bool = False

    @property
    def levels(self) -> list[Level]:
        return ordered(numbers(sorted(set(self.values))))


@dataclass(frozen=True)
class Guess:
    """``template`` is empty where nothing varies or fits; ``fits`` counts the paths it was made from."""

    template: str
    fits: int


def guess(paths: Sequence[str]) -> Guess:
    """The likeliest template of relative paths.

    >>> guess([f"obj{o}__{v}.png" for o in (1, 2, 13) for v in range(0, 360, 5)]).template
    'obj{object}__{azimuth}.png'
    >>> guess([f"{c}/az={a}/{n:03}.jpg" for c in ("car", "bus") for a in (0, 90) for n in range(5)]).template
    '{category}/az={azimuth}/*.jpg'
    """
    if not paths:
        return Guess("", 0)
    some = paths[:: max(1, len(paths) // MOST_PATHS)]
    depth = Counter(path.count("/") for path in some).most_common(1)[0][0]
    split = [path.split("/") for path in some if path.count("/") == depth]
    stems = [row[-1].rpartition(".")[0] for row in split]
    ends = {row[-1].rpartition(".")[2] for row in split}
    parts: list[Part] = []
    for level in range(depth):
        parts += [*_parts([row[level] for row in split], folder=True), Part("/")]
    parts += [*_parts(stems, folder=False), Part("." + (ends.pop() if len(ends) == 1 else "*"))]
    _name(parts, len(split))
    text = "".join(_shown(part) for part in parts)
    text = re.sub(r"\*(?:[_\- ]*\*)+", "*", text)  # several counters in a row are one
    return Guess(text if "{" in text else "", len(split))


def _parts(values: Sequence[str], folder: bool) -> list[Part]:
    if len(set(values)) == 1:
        return [Part(values[0])]
    tokens = [_DELIMITERS.split(value) for value in values]
    alike = len({(len(row), *row[1::2]) for row in tokens}) == 1
    whole = [Part(values=values, folder=folder)]
    if not alike:
        return whole
    parts: list[Part] = []
    for column in zip(*tokens):
        parts += _coded(column, folder)
    for before, part in zip([Part(), Part(), *parts], parts):  # az=90 or az_90: the word two places back names it
        word = before.text if not before.values else ""
        part.name = part.name or MEANINGS.get(word.lower(), word if word.isidentifier() and len(word) > 2 else "")
    varying = [part for part in parts if part.values]
    return whole if folder and len(varying) != 1 else parts


def _coded(column: Sequence[str], folder: bool) -> list[Part]:
    if len(set(column)) == 1:
        return [Part(column[0])]
    coded = [_CODED.fullmatch(value) for value in column]
    if not all(coded):
        return [Part(values=column, folder=folder)]
    words, counts = [m.group(1) for m in coded if m], [m.group(2) for m in coded if m]
    if len(set(words)) == 1:
        named = len(words[0]) > 2 or not folder  # a letter before a folder's number (c1, c2) need not be a code
        name = MEANINGS.get(words[0].lower(), words[0].lower() if len(words[0]) > 2 else "") if named else ""
        return [Part(words[0]), Part(values=counts, name=name, folder=folder)]
    if folder:
        return [Part(values=column, folder=folder)]
    return [Part(values=words), Part(values=counts, digits=True)]


def _name(parts: list[Part], n: int) -> None:
    """Decide what each varying part is; what merely counts files loses its name and becomes ``*``."""
    everything = [part for part in parts if part.values]
    first = {id(part): next(p for p in everything if list(p.values) == list(part.values)) for part in everything}
    varying = [part for part in everything if first[id(part)] is part]
    for part in varying:
        if {value.lower() for value in part.values} <= set(POOL_WORDS):
            part.name = "pool"
        elif len(set(part.values)) * 2 > n and part.name != "instance" and not (part.folder and part.name):
            part.name = "*"
    _drop_counter([part for part in varying if part.name not in ("*", "pool")])
    free = [part for part in varying if not part.name]
    still = [part for part in free if not turns(part.levels)]
    words = [part for part in still if isinstance(part.levels[0], str)]
    if still and not any(part.name in CATEGORIES for part in varying):
        (words or still)[0].name = "category"
    for part in free:
        if not part.name:
            part.name = "azimuth" if turns(part.levels) else "view" if not isinstance(part.levels[0], str) else "factor"
    taken: Counter[str] = Counter()
    for part in varying:
        taken[part.name] += 1
        if taken[part.name] > 1 and part.name != "*":
            part.name = f"{part.name}{taken[part.name]}"
    for part in everything:  # car/car-01.png says car twice
        part.name = first[id(part)].name


def _drop_counter(parts: list[Part]) -> None:
    """Where every combination of parts occurs once, the last one without a meaning is a running number."""
    cells = Counter(zip(*(part.values for part in parts)))
    if len(parts) < 2 or max(cells.values()) > 1:
        return
    for part in reversed([part for part in parts[1:] if not part.folder]):
        levels, numeric = part.levels, all(isinstance(level, int) for level in part.levels)
        steps = {int(b) - int(a) for a, b in pairwise(levels)} if numeric else set()
        spaced = len(steps) == 1 and steps != {1}
        if not part.name and not spaced and (len(parts) > 2 or len(levels) > 12):
            part.name = "*"
            return


def turns(levels: Sequence[Level]) -> bool:
    """Whether these are evenly spaced degrees of a full circle.

    >>> turns([0, 90, 180, 270]), turns([0, 10, 20])
    (True, False)
    """
    values = [float(level) for level in levels if isinstance(level, int | float)]
    if len(values) < 3 or len(values) != len(levels):
        return False
    steps = [b - a for a, b in pairwise(values)]
    even = max(steps) - min(steps) < 1e-6 * max(steps)
    return even and abs(values[-1] - values[0] + steps[0] - 360) < 0.01 * 360 and steps[0] > 1


def _shown(part: Part) -> str:
    if not part.values:
        return re.sub(r"[{}*?]", "?", part.text) if part.text != ".*" else part.text
    return "*" if part.name == "*" else f"{{{part.name}{':d' if part.digits else ''}}}"
