"""Guess the template of a set of paths: which parts are factors, which are constant, which merely count files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from unseen.vocabulary.factors import Level
from unseen.worlds.levels import POOL_WORDS, numbers, ordered
from unseen.worlds.meanings import CATEGORIES, FULL_TURNS, SURE_TURNS, are_domains, is_counted, meaning, turns
from unseen.worlds.template import Template

MOST_PATHS = 20_000
CROSSED = 0.9  # of all combinations there: the numbers are the same in every folder, as views are
# A minus after another delimiter is a sign: el_-10 is elevation -10.
_DELIMITERS = re.compile(r"(__+|[_= ]+|(?<![_= ])-+)")
_CODED = re.compile(r"([A-Za-z]+)(\d+)")
COUNTER, VIEW, SWAPPED = "counter", "view", "swapped"


@dataclass
class Part:
    """A piece of the paths: constant (``values`` empty) or one text per path."""

    text: str = ""
    values: Sequence[str] = ()
    name: str = ""
    digits: bool = False  # the field touches the one before it
    folder: bool = False

    @cached_property
    def levels(self) -> list[Level]:
        return ordered(numbers(sorted(set(self.values))))

    @property
    def worded(self) -> bool:
        return isinstance(self.levels[0], str)


@dataclass(frozen=True)
class Guess:
    """``template`` is empty where nothing varies or fits; ``fits`` counts the paths it was made from. ``why`` says what
    was taken for what where it could be otherwise."""

    template: str
    fits: int
    why: str = ""


def guess(paths: Sequence[str]) -> Guess:
    """The likeliest template of relative paths.

    >>> guess([f"obj{o}__{v}.png" for o in (1, 2, 13) for v in range(0, 360, 5)]).template
    'obj{object}__{azimuth}.png'
    >>> guess([f"{c}/az={a}/{n:03}.jpg" for c in ("car", "bus") for a in (0, 90) for n in range(5)]).template
    '{category}/az={azimuth}/*.jpg'
    >>> guess([f"{d}/{c}/pic_{n}.jpg" for d in ("photo", "sketch") for c in ("car", "bus") for n in range(9)]).template
    '{domain}/{category}/pic_*.jpg'
    """
    return readings(paths)[0]


def readings(paths: Sequence[str]) -> tuple[Guess, ...]:
    """The likely templates, the likeliest first; more than one where a person should be asked."""
    if not paths:
        return (Guess("", 0),)
    some = paths[:: max(1, len(paths) // MOST_PATHS)]
    depth = Counter(path.count("/") for path in some).most_common(1)[0][0]
    split = [path.split("/") for path in some if path.count("/") == depth]
    stems = [row[-1].rpartition(".")[0] for row in split]
    ends = {row[-1].rpartition(".")[2] for row in split}
    parts: list[Part] = []
    for level in range(depth):
        parts += [*_parts([row[level] for row in split], folder=True), Part("/")]
    parts += [*_parts(stems, folder=False), Part("." + (ends.pop() if len(ends) == 1 else "*"))]
    likely, *others = _choices(parts, len(split))
    found = [_reading(parts, len(split), likely), *(_reading(parts, len(split), other) for other in others)]
    fitting = {one.template: one for one in reversed(found) if _fits(one.template, split)}
    return tuple(reversed(fitting.values())) or (Guess("", len(split)),)


def _fits(template: str, split: Sequence[Sequence[str]]) -> bool:
    """Whether a template reads the paths that it was made from."""
    return not template or all(Template(template).match("/".join(row)) for row in split)


def _reading(parts: Sequence[Part], n: int, choice: tuple[frozenset[str], str]) -> Guess:
    own = [replace(part) for part in parts]
    _name(own, n, choice[0])
    text = "".join(_shown(part) for part in own)
    text = re.sub(r"\*(?:[_\- ]*\*)+", "*", text)  # several counters in a row are one
    return Guess(text if "{" in text else "", n, choice[1])


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
    if len(set(words)) == 1:
        named = len(words[0]) > 2 or not folder  # a letter before a folder's number (c1, c2) need not be a code
        return [Part(words[0]), Part(values=counts, name=meaning(words[0]) if named else "", folder=folder)]
    if folder:
        return [Part(values=column, folder=folder)]
    return [Part(values=words), Part(values=counts, digits=True)]


def _varying(parts: Sequence[Part]) -> list[Part]:
    """The parts that say something of their own: ``car/car-01.png`` says car once."""
    found: list[Part] = []
    for part in parts:
        if part.values and not any(list(part.values) == list(other.values) for other in found):
            found.append(part)
    return found


def _choices(parts: Sequence[Part], n: int) -> list[tuple[frozenset[str], str]]:
    """How the parts may be read, the likeliest first: is a number a view or does it count files, and which of two
    folders of words is the category?"""
    own = [replace(part) for part in parts]
    factors, pools = _factors(own, n)
    counter = _counter(factors, pools)
    seen = VIEW if counter is not None and _is_view(counter, factors, pools) else COUNTER
    base = frozenset({seen})
    found = [(base, "")]
    if counter is not None and _may_be_view(counter, factors, pools):
        other = VIEW if seen == COUNTER else COUNTER
        span = f"{counter.levels[0]} to {counter.levels[-1]}"
        words = {
            VIEW: f"the numbers {span} in the file names are views, the same in every folder or object",
            COUNTER: f"the numbers {span} in the file names only count the images",
        }
        found = [(base, words[seen]), (frozenset({other}), words[other])]
    rest = [part for part in factors if part is not counter or seen == VIEW]
    words = [part for part in rest if not part.name and part.worded and not are_domains("", part.levels)]
    if len(words) == 2 and not any(part.name in CATEGORIES for part in rest):
        first = _category(words)
        second = next(part for part in words if part is not first)
        said = [
            f"{_some(one)} are what is to be named, {_some(two)} where or how it is shown"
            for one, two in ((first, second), (second, first))
        ]
        close = max(map(len, (first.levels, second.levels))) < 3 * min(map(len, (first.levels, second.levels)))
        if close:
            swapped = [(choice | {SWAPPED}, said[1]) for choice, _ in found[:1]]
            found = [(found[0][0], said[0]), *swapped, *found[1:]]
    return found


def _some(part: Part) -> str:
    texts = [str(level) for level in part.levels]
    return ", ".join(texts[:3]) + (" …" if len(texts) > 3 else "")


def _factors(parts: Sequence[Part], n: int) -> tuple[list[Part], list[Part]]:
    """The parts that may be factors, and those that name pools; what differs in most files is neither."""
    varying = _varying(parts)
    for part in varying:
        if {value.lower() for value in part.values} <= set(POOL_WORDS):
            part.name = "pool"
        elif len(set(part.values)) * 2 > n and part.name != "instance" and not (part.folder and part.name):
            part.name = "*"
    pools = [part for part in varying if part.name == "pool"]
    return [part for part in varying if part.name not in ("*", "pool")], pools


def _name(parts: list[Part], n: int, choice: frozenset[str]) -> None:
    """Decide what each varying part is; what merely counts files loses its name and becomes ``*``."""
    factors, pools = _factors(parts, n)
    counter = _counter(factors, pools)
    if counter is not None:
        counter.name = "*" if COUNTER in choice else "view" if not turns(counter.levels) else ""
        factors = [part for part in factors if part is not counter or VIEW in choice]
    for part in factors:
        if not part.name and are_domains("", part.levels):
            part.name = "domain"
    free = [part for part in factors if not part.name]
    still = [part for part in free if not turns(part.levels)]
    if still and not any(part.name in CATEGORIES for part in factors):
        words = [part for part in still if part.worded]
        chosen = _category(words or still)
        if SWAPPED in choice:
            chosen = next(part for part in words if part is not chosen)
        chosen.name = "category"
    for part in free:
        if not part.name:
            part.name = "azimuth" if turns(part.levels) else "factor" if part.worded else "view"
    taken: Counter[str] = Counter()
    for part in _varying(parts):
        taken[part.name] += 1
        if taken[part.name] > 1 and part.name != "*":
            part.name = f"{part.name}{taken[part.name]}"
    for part in parts:  # car/car-01.png says car twice
        if part.values:
            part.name = next(p for p in parts if p.values and list(p.values) == list(part.values)).name


def _category(parts: Sequence[Part]) -> Part:
    """Of words, those of most levels, and of these the nearest to the file; of numbers the first."""
    if not parts[0].worded:
        return parts[0]
    most = max(len(part.levels) for part in parts)
    return [part for part in parts if len(part.levels) == most][-1]


def _counter(factors: Sequence[Part], pools: Sequence[Part]) -> Part | None:
    """Where every combination of parts occurs once, the last one without a meaning may be a running number."""
    cells = Counter(zip(*(part.values for part in (*factors, *pools))))
    if len(factors) < 2 or max(cells.values()) > 1:
        return None
    for part in reversed([part for part in factors[1:] if not part.folder]):
        levels = part.levels
        steps = {int(b) - int(a) for a, b in pairwise(levels)} if all(isinstance(one, int) for one in levels) else set()
        spaced = len(steps) == 1 and steps != {1}
        alone = is_counted(levels) and all(
            other.folder for other in factors if other is not part
        )  # dog/0.png, dog/1.png
        if not part.name and not spaced and (len(factors) > 2 or len(levels) > 12 or alone):
            return part
    return None


def _may_be_view(part: Part, factors: Sequence[Part], pools: Sequence[Part]) -> bool:
    """Whether the same numbers, as many as a turntable has views, come with everything else; a running number ends
    where the files do."""
    cells = set(zip(*(other.values for other in (*factors, *pools) if other is not part)))
    crossed = len(part.values) >= CROSSED * len(cells) * len(part.levels)
    return len(factors) == 2 and is_counted(part.levels) and len(part.levels) in FULL_TURNS and crossed


def _is_view(part: Part, factors: Sequence[Part], pools: Sequence[Part]) -> bool:
    """Beside another code in the file's name (``obj7__12``) a number is a view, alone only where it makes a turn."""
    beside = any(not other.folder and other is not part for other in factors)
    return _may_be_view(part, factors, pools) and (beside or len(part.levels) in SURE_TURNS)


def _shown(part: Part) -> str:
    if not part.values:
        return re.sub(r"[{}*?]", "?", part.text) if part.text != ".*" else part.text
    return "*" if part.name == "*" else f"{{{part.name}{':d' if part.digits else ''}}}"
