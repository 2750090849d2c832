"""Whether a label and a category are the same thing by name: case, plural, underscores, synonyms; or might be.

Synonyms are those of WordNet, as far as the tables that ship have them (``class_maps.toml``, ``imagenet.tsv``).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from unseen.vocabulary.class_maps import (
    class_map,
    classes_of,
    classes_under,
    imagenet_synsets,
    synsets_said,
)

NAME, SYNONYM, KIND, WORD, SPELLING = "the same name", "a synonym", "a kind of it", "its last word", "like spelling"
SHORT = 5  # letters: below, one letter makes another word (ours)
CLOSE = 0.85  # of difflib's ratio, from which two spellings are taken for one (ours)
ODD = {
    "men": "man", "women": "woman", "people": "person", "children": "child", "mice": "mouse", "geese": "goose",
    "feet": "foot", "teeth": "tooth", "knives": "knife", "leaves": "leaf", "wolves": "wolf", "shelves": "shelf",
    "loaves": "loaf", "calves": "calf", "scarves": "scarf", "buses": "bus", "shoes": "shoe", "axes": "axe",
}  # fmt: skip


@dataclass(frozen=True)
class Match:
    """A category that a label counts for, and why."""

    category: str
    why: str


@lru_cache(maxsize=1 << 16)
def normal(text: str) -> str:
    """A name without what does not tell names apart.

    >>> normal("Wine_Glasses"), normal("the  pocket-knives"), normal("bus")
    ('wine glass', 'pocket knife', 'bus')
    """
    words = re.sub(r"[\W_]+", " ", text.lower()).split()
    words = words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def singular(word: str) -> str:
    """
    >>> [singular(word) for word in ("cars", "boxes", "berries", "glass", "bus", "knives")]
    ['car', 'box', 'berry', 'glass', 'bus', 'knife']
    """
    if word in ODD:
        return ODD[word]
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def names_in(label: str) -> Iterator[str]:
    """The names in a label: "tabby, tabby cat" has two."""
    for part in label.split(","):
        if one := normal(part):
            yield one
    if "," in label:
        yield normal(label)


@lru_cache(maxsize=1)
def _synonyms() -> Mapping[str, frozenset[str]]:
    """For each category of the table that is a synset of WordNet by name: the names of that, and of categories that are
    the same one."""
    alike: dict[str, set[str]] = {}
    for name, said in synsets_said("everyday").items():
        if said and not said[0].startswith("-"):
            synset = said[0].split()[0]
            names = {normal(one) for one in imagenet_synsets()[synset].names}
            if normal(name) in names or len(said) == 1:
                alike.setdefault(synset, names).add(normal(name))
    return {name: frozenset(names) for names in alike.values() for name in names}


def synonyms(category: str) -> frozenset[str]:
    """Other names of a category.

    >>> sorted(synonyms("sofa"))
    ['couch', 'lounge', 'sofa']
    """
    return _synonyms().get(normal(category), frozenset()) | {normal(category)}


@lru_cache(maxsize=1)
def _named() -> Mapping[str, tuple[str, ...]]:
    """Synsets by their names."""
    found: dict[str, tuple[str, ...]] = {}
    for one in imagenet_synsets().values():
        for name in one.names:
            found[normal(name)] = (*found.get(normal(name), ()), one.id)
    return found


@lru_cache(maxsize=1 << 16)
def _is_kind(label: str, category: str) -> bool | None:
    """Whether every meaning of a label lies below a category, as far as WordNet's tree over ImageNet-1k and the table
    have them; None where they have not."""
    own = set(classes_of(class_map(), category))
    under = [set(classes_under(one)) for one in _named().get(label, ())]
    return all(one and one <= own for one in under) if own and under else None


def _narrowest(claims: Sequence[str]) -> list[str]:
    """Of categories that hold a label the one with the fewest classes, as in `class_maps.counterparts`."""
    sizes = {one: len(classes_of(class_map(), one)) for one in claims}
    return [one for one in claims if sizes[one] == min(sizes.values())]


def _ways(also: Mapping[str, frozenset[str]], guess: bool) -> list[tuple[str, Callable[[Sequence[str], str], bool]]]:
    """Reasons, the best first, each with when it holds between a label's names and a category. What stands for a whole
    label by chance (its last word, its spelling) is asked of its first name only, and not against WordNet."""

    def last_word(names: Sequence[str], one: str) -> bool:
        return _is_kind(names[0], one) is None and any(names[0].endswith(f" {other}") for other in also[one])

    def spelling(names: Sequence[str], one: str) -> bool:
        lengths = sorted((len(names[0]), len(one)))
        if lengths[0] < SHORT or 2 * lengths[0] < CLOSE * sum(lengths):  # no ratio could be that high
            return False
        near = difflib.SequenceMatcher(None, names[0], normal(one)).ratio() >= CLOSE
        return near and _is_kind(names[0], one) is None

    sure: list[tuple[str, Callable[[Sequence[str], str], bool]]] = [
        (NAME, lambda names, one: normal(one) in names),
        (SYNONYM, lambda names, one: not also[one].isdisjoint(names)),
    ]
    guesses: list[tuple[str, Callable[[Sequence[str], str], bool]]] = [
        (KIND, lambda names, one: any(_is_kind(name, one) for name in names)),
        (WORD, last_word),
        (SPELLING, spelling),
    ]
    return [*sure, *(guesses if guess else [])]


def matched(categories: Sequence[str], labels: Sequence[str], *, guess: bool) -> dict[int, Match]:
    """The category of each label that has one, by the best reason; a label that two categories claim by the same
    reason is left out. Kinds, last words and spellings are guesses.

    >>> {n: m.category for n, m in matched(["sofa", "mug"], ["Couches", "coffee mug"], guess=True).items()}
    {0: 'sofa', 1: 'mug'}
    """
    ways = _ways({one: synonyms(one) for one in categories}, guess)
    found = {}
    for number, label in enumerate(labels):
        names = list(names_in(label)) or [""]
        for why, fits in ways:
            claims = [one for one in categories if fits(names, one)]
            claims = _narrowest(claims) if why == KIND and claims else claims
            if claims:
                if len(claims) == 1:
                    found[number] = Match(claims[0], why)
                break
    return found
