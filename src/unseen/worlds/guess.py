"""Guess the template of a set of paths: which parts are factors, which are constant, which merely count files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from unseen.worlds.levels import POOL_WORDS
from unseen.worlds.meanings import (
    CATEGORIES,
    FULL_TURNS,
    MANY,
    SURE_TURNS,
    are_domains,
    are_places,
    are_spaced,
    is_counted,
    is_running,
    turns,
)
from unseen.worlds.path_parts import SEVERAL, Part, is_nested, parts_of
from unseen.worlds.template import Template

MOST_PATHS = 20_000
CROSSED = 0.9  # of all combinations there: the numbers are the same in every folder, as views are
COUNTER, VIEW, SWAPPED, NAMED = "counter", "view", "swapped", "named"


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
    parts = parts_of(split)
    likely, *others = _choices(parts, len(split))
    found = [_reading(parts, split, likely), *(_reading(parts, split, other) for other in others)]
    fitting = {one.template: one for one in reversed(found) if _fits(one.template, split)}
    return tuple(reversed(fitting.values())) or (Guess("", len(split)),)


def _fits(template: str, split: Sequence[Sequence[str]]) -> bool:
    """Whether a template reads the paths that it was made from."""
    return not template or all(Template(template).match("/".join(row)) for row in split)


def _reading(parts: Sequence[Part], split: Sequence[Sequence[str]], choice: tuple[frozenset[str], str]) -> Guess:
    own = [replace(part) for part in parts]
    _name(own, len(split), choice[0])
    text = "".join(_shown(part) for part in own)
    text = re.sub(r"\*(?:[_\- ]*\*)+", "*", text)  # several counters in a row are one
    if "{" not in text:
        return Guess("", len(split))
    return Guess(text, len(split), _told(choice[1], text, split))


def _told(words: str, template: str, split: Sequence[Sequence[str]]) -> str:
    """A sentence with the levels, as the template reads them, in the place of <factors>."""
    columns = Template(template).read(map("/".join, split))[1] if "<" in words else {}
    for name, column in columns.items():
        words = words.replace(f"<{name}>", _some(Part(values=column)))
    return words


def _some(part: Part) -> str:
    texts = [str(level) for level in part.levels]
    return ", ".join(texts[:3]) + (" …" if len(texts) > 3 else "")


def _varying(parts: Sequence[Part]) -> list[Part]:
    """The parts that say something of their own: ``car/car-01.png`` says car once."""
    found: list[Part] = []
    for part in parts:
        if part.values and not any(list(part.values) == list(other.values) for other in found):
            found.append(part)
    return found


def _choices(parts: Sequence[Part], n: int) -> list[tuple[frozenset[str], str]]:
    """How the parts may be read, the likeliest first: is a number a view or does it count files, which of two folders
    of words is the category, and is a folder within another an object?"""
    own = _factors([replace(part) for part in parts], n)
    counter = _counter(own.factors, own.pools)
    seen = VIEW if counter is not None and _is_view(counter, own) else COUNTER
    base = frozenset({seen})
    found = [(base, "")]
    if counter is not None and _may_be_view(counter, own):
        other = VIEW if seen == COUNTER else COUNTER
        span = f"{counter.levels[0]} to {counter.levels[-1]}"
        words = {
            VIEW: f"the numbers {span} in the file names are views, the same in every folder or object",
            COUNTER: f"the numbers {span} in the file names only count the images",
        }
        found = [(base, words[seen]), (frozenset({other}), words[other])]
    rest = [part for part in own.factors if part is not counter or seen == VIEW]
    if own.running is not None and len([part for part in rest if part is not own.inner]) < 2:
        said = f"the numbers after '{own.running.word}'"
        only = (base, found[0][1] or f"{said} only count the images")
        found = [only, (base | {NAMED}, f"{said} are a factor"), *found[1:]]
    words = [part for part in rest if not part.name and part.worded and not are_domains("", part.levels)]
    if own.inner is not None and own.outer is not None:
        outer = own.outer.name or "category"
        first = f"<{outer}> are what is to be named, <{own.inner.name}> single objects of them"
        if own.inner.worded and not own.outer.name:
            swapped = (base | {SWAPPED}, "<category> are what is to be named, <factor> groups of them")
            return [(base, first), swapped, *found[1:]]
        return [(base, found[0][1] or first), *found[1:]]
    if len(words) == 2 and not any(part.name in CATEGORIES for part in rest):
        sizes = sorted(len(part.levels) for part in words)
        shown = "where or how it is shown" if len(rest) == 2 else "one of the other factors"
        said = f"<category> are what is to be named, <factor> {shown}"
        if sizes[1] < 3 * sizes[0]:
            return [(base, said), (base | {SWAPPED}, said), *found[1:]]
    return found


@dataclass(frozen=True)
class _Found:
    """The parts that may be factors, and those that name pools. ``inner`` is an object, of the category ``outer``;
    ``running`` a number that only counts files, though a word stands before it."""

    factors: list[Part]
    pools: list[Part]
    inner: Part | None = None
    outer: Part | None = None
    running: Part | None = None


def _factors(parts: Sequence[Part], n: int, choice: frozenset[str] = frozenset()) -> _Found:
    """What differs in most files is no factor, nor is what names pools."""
    varying = _varying(parts)
    for part in varying:
        told = {POOL_WORDS[value.lower()] for value in set(part.values) if value.lower() in POOL_WORDS}
        if {value.lower() for value in part.values} <= set(POOL_WORDS):
            part.name = "pool"
            continue
        many = len(set(part.values)) * 2 > n and part.name != "instance" and not (part.folder and part.name)
        if many or len(told) > 1:  # train, test and extra are no category, nor all of them pools
            part.name = "*"
    pools = [part for part in varying if part.name == "pool"]
    running = next((part for part in varying if _runs(part, varying)), None)
    if running is not None and NAMED not in choice:
        running.name = "*"
    factors = [part for part in varying if part.name not in ("*", "pool")]
    inner, outer = _object(factors)
    if inner is not None and outer is not None and not inner.name and SWAPPED not in choice:
        inner.name = "instance" if len(inner.levels) >= SEVERAL * len(outer.levels) else "object"
    return _Found(factors, pools, inner, outer, running)


def _runs(part: Part, varying: Sequence[Part]) -> bool:
    """Whether a number in the files' names, after a word that says nothing, is another one for each file of a folder:
    ``dog/grass/foto_3.jpg``."""
    folders = [other for other in varying if other.folder and other.name != "*"]
    if part.folder or part.name in ("*", "pool") or not any(one.name != "pool" for one in folders):
        return False
    cells = Counter(zip(part.values, *(other.values for other in folders)))
    return is_running(part.word, part.levels) and max(cells.values()) == 1


def _object(factors: Sequence[Part]) -> tuple[Part | None, Part | None]:
    """The last part of which every level comes with one level of words before it, and the nearest such words: objects
    and their category, as in ``cup/cup3``. What it is shown in has no objects."""
    for place in range(len(factors) - 1, 0, -1):
        inner = factors[place]
        if not _is_thing(inner, ("", *CATEGORIES[1:])) or not (inner.worded or inner.name):
            continue
        for outer in reversed(factors[:place]):
            if outer.worded and _is_thing(outer, ("", "category")) and is_nested(inner, outer):
                return inner, outer
    return None, None


def _is_thing(part: Part, names: Sequence[str]) -> bool:
    return part.name in names and not are_domains("", part.levels) and not are_places(part.levels)


def _name(parts: list[Part], n: int, choice: frozenset[str]) -> None:
    """Decide what each varying part is; what merely counts files loses its name and becomes ``*``."""
    found = _factors(parts, n, choice)
    factors, counter = found.factors, _counter(found.factors, found.pools)
    if counter is not None:
        counter.name = "*" if COUNTER in choice else "view" if not turns(counter.levels) else ""
        factors = [part for part in factors if part is not counter or VIEW in choice]
    for part in factors:
        if not part.name and are_domains("", part.levels):
            part.name = "domain"
    free = [part for part in factors if not part.name]
    still = [part for part in free if not turns(part.levels)]
    if still and not any(part.name in CATEGORIES for part in factors if part is not found.inner):
        words = [part for part in still if part.worded]
        chosen = found.outer if found.outer is not None else _category(words or still)
        if SWAPPED in choice:
            chosen = found.inner or next(part for part in words if part is not chosen)
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
    """Of words, those that are no places, of these those of most levels, and of these the first; of numbers the
    first."""
    if not parts[0].worded:
        return parts[0]
    things = [part for part in parts if not are_places(part.levels)] or parts
    most = max(len(part.levels) for part in things)
    return next(part for part in things if len(part.levels) == most)


def _counter(factors: Sequence[Part], pools: Sequence[Part]) -> Part | None:
    """Where every combination of parts occurs once, the last one without a meaning may be a running number. Few words
    are none, nor are few uneven numbers before others: elevations 0, 45, 66 before azimuths."""
    cells = Counter(zip(*(part.values for part in (*factors, *pools))))
    if len(factors) < 2 or max(cells.values()) > 1:
        return None
    files = [part for part in factors[1:] if not part.folder]
    for part in reversed(files):
        levels = part.levels
        words = 2 * sum(not re.search(r"\d", str(level)) for level in levels) > len(levels)
        if len(levels) <= MANY and (words or (part is not files[-1] and not is_counted(levels))):
            continue
        spaced = all(isinstance(one, int) for one in levels) and are_spaced(levels)
        alone = is_counted(levels) and all(
            other.folder for other in factors if other is not part
        )  # dog/0.png, dog/1.png
        if not part.name and not spaced and (len(factors) > 2 or len(levels) > MANY or alone):
            return part
    return None


def _may_be_view(part: Part, found: _Found) -> bool:
    """Whether the same numbers, as many as a turntable has views, come with everything else; a running number ends
    where the files do."""
    cells = set(zip(*(other.values for other in (*found.factors, *found.pools) if other is not part)))
    crossed = len(part.values) >= CROSSED * len(cells) * len(part.levels)
    own = [other for other in found.factors if other is not found.inner]
    return len(own) == 2 and is_counted(part.levels) and len(part.levels) in FULL_TURNS and crossed


def _is_view(part: Part, found: _Found) -> bool:
    """Beside another code in the file's name (``obj7__12``) a number is a view, alone only where it makes a turn."""
    beside = any(not other.folder and other is not part for other in found.factors)
    return _may_be_view(part, found) and (beside or len(part.levels) in SURE_TURNS)


def _shown(part: Part) -> str:
    if not part.values:
        return re.sub(r"[{}*?]", "?", part.text) if part.text != ".*" else part.text
    return "*" if part.name == "*" else f"{{{part.name}{':d' if part.digits else ''}}}"
