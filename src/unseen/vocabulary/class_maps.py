"""From the classes a model answers with to the categories of a world: ImageNet-1k → ours, written down once.

Which classes count for which category is in ``class_maps.toml``, by synsets of WordNet; ``imagenet.tsv`` has the 1,000
classes and what is above them there. Both are read when first asked for; WordNet itself is not needed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import numpy as np
from jaxtyping import Float

from unseen.vocabulary.errors import UnseenError, listed, unknown

How = Literal["sum", "mean"]
HOW: Mapping[str, How] = {"everyday": "sum", "geirhos16": "mean"}  # of probabilities; the mean is Geirhos et al.'s


@dataclass(frozen=True)
class Synset:
    """A node of WordNet's tree over ImageNet-1k; ``number`` is its class's, None where it is no class of its own."""

    id: str
    number: int | None
    above: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class ClassMap:
    """For each category the numbers of the classes that count as right; none where there is no counterpart.

    ``labels`` are the model's classes in its order, ``how`` their probabilities make a category's.
    """

    name: str
    classes: Mapping[str, tuple[int, ...]]
    labels: tuple[str, ...]
    how: How = "sum"


@lru_cache(maxsize=1)
def imagenet_synsets() -> Mapping[str, Synset]:
    """The classes of ImageNet-1k and all synsets above them, by id.

    >>> imagenet_synsets()["n03063599"]
    Synset(id='n03063599', number=504, above=('n03797390',), names=('coffee mug',))
    """
    found = {}
    for line in files("unseen.vocabulary").joinpath("imagenet.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, number, above, names = line.split("\t")
            own = int(number) if number else None
            found[name] = Synset(name, own, tuple(above.split()), tuple(names.split(", ")))
    return found


@lru_cache(maxsize=1)
def imagenet_classes() -> tuple[Synset, ...]:
    """The 1,000 classes in the order in which models answer.

    >>> imagenet_classes()[0].names[0], len(imagenet_classes())
    ('tench', 1000)
    """
    own = [one for one in imagenet_synsets().values() if one.number is not None]
    return tuple(sorted(own, key=lambda one: one.number or 0))


@lru_cache(maxsize=1)
def _classes_under() -> Mapping[str, frozenset[int]]:
    """For each synset the numbers of the classes at or under it."""
    tree = imagenet_synsets()
    under: dict[str, set[int]] = {name: set() for name in tree}
    for one in imagenet_classes():
        todo = [one.id]
        while todo:
            name = todo.pop()
            under[name].add(one.number or 0)
            todo += tree[name].above
    return {name: frozenset(numbers) for name, numbers in under.items()}


def classes_under(synset: str) -> frozenset[int]:
    """Numbers of the classes of ImageNet-1k at or under a synset.

    >>> sorted(classes_under("n02503517"))  # elephant
    [385, 386]
    """
    if synset not in imagenet_synsets():
        raise unknown("synset", synset, imagenet_synsets(), where="WordNet's tree over ImageNet-1k")
    return _classes_under()[synset]


@lru_cache
def class_map(name: str = "everyday") -> ClassMap:
    """A class map that ships: "everyday" categories, or the 16 of Geirhos et al. ("geirhos16").

    >>> class_map().classes["mug"], class_map().classes["giraffe"]
    ((504,), ())
    """
    labels = tuple(one.names[0] for one in imagenet_classes())
    return ClassMap(name, {key: _numbers(said) for key, said in synsets_said(name).items()}, labels, HOW[name])


@lru_cache
def synsets_said(name: str) -> Mapping[str, tuple[str, ...]]:
    """A table that ships as it is written: for each category the synsets to take, and with a minus those to take away.

    >>> synsets_said("everyday")["mug"]
    ('n03797390 mug',)
    """
    tables = tomllib.loads(files("unseen.vocabulary").joinpath("class_maps.toml").read_text("utf-8"))
    if name not in tables:
        raise unknown("class map", name, tables)
    return {key: tuple(said) for key, said in tables[name].items()}


def synsets_of(category: str, name: str = "everyday") -> tuple[str, ...]:
    """The synsets that a map takes for a category; none where it has no counterpart.

    >>> synsets_of("mug"), synsets_of("giraffe")
    (('n03797390',), ())
    """
    said = synsets_said(name)
    own = said.get(category) or said.get(category.replace("_", " ").replace("-", " ").lower().strip(), ())
    return tuple(words.split()[0] for words in own if not words.startswith("-"))


def _numbers(said: Sequence[str]) -> tuple[int, ...]:
    """Classes of a category, from synsets to take and, with a minus, to take away."""
    found: set[int] = set()
    for words in said:
        synset = words.split()[0]
        found = found - classes_under(synset[1:]) if synset.startswith("-") else found | classes_under(synset)
    return tuple(sorted(found))


def classes_of(class_map: ClassMap, category: str) -> tuple[int, ...]:
    """The classes that are right names for a category, whatever others there are; none where it has no counterpart.
    A folder's "potted_plant" is a "potted plant".

    >>> [class_map().labels[number] for number in classes_of(class_map(), "axe_hammer")]
    ['hammer', 'hatchet']
    """
    plain = category.replace("_", " ").replace("-", " ").lower().strip()
    return class_map.classes.get(category) or class_map.classes.get(plain, ())


def with_counterpart(class_map: ClassMap, categories: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of a world's categories that the map knows classes for, and the others, which cannot be scored.

    >>> with_counterpart(class_map(), ["mug", "giraffe", "axe_hammer"])
    (('mug', 'axe_hammer'), ('giraffe',))
    """
    known = tuple(one for one in categories if classes_of(class_map, one))
    return known, tuple(one for one in categories if one not in known)


def counterparts(class_map: ClassMap, categories: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The classes of each of a world's categories. One that two of them claim belongs to the narrower, that with fewer
    classes in the map, so that a duck is no longer a bird where ducks are asked for; equally narrow ones share it.

    >>> counterparts(class_map(), ["bottle", "jug"])
    {'bottle': (440, 720, 737, 898, 907), 'jug': (725, 899, 901)}
    """
    known, without = with_counterpart(class_map, categories)
    if without:
        raise UnseenError(
            f"class map '{class_map.name}' has no counterpart of {listed(without, 10)}; score the other categories "
            f"only (`with_counterpart` tells which), or give a class map that has them."
        )
    own = {one: set(classes_of(class_map, one)) for one in known}
    return {
        one: tuple(sorted(mine.difference(*(other for other in own.values() if len(other) < len(mine)))))
        for one, mine in own.items()
    }


def own_classes(class_map: ClassMap, categories: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """:func:`counterparts` where each category keeps a class; refused where narrower ones take them all."""
    own = counterparts(class_map, categories)
    empty = [name for name, numbers in own.items() if not numbers]
    if empty:
        raise UnseenError(
            f"every class of {listed(empty)} belongs to a narrower category that is asked, too; ask for the broad "
            "category or for the narrower ones, not for both."
        )
    return own


def shared(class_map: ClassMap, categories: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of categories with a class that counts for both.

    >>> shared(class_map(), ["flowerpot", "potted_plant", "vase"])
    [('flowerpot', 'potted_plant')]
    """
    own = counterparts(class_map, with_counterpart(class_map, categories)[0])
    names = list(own)
    return [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if set(own[a]) & set(own[b])]


def mapped(
    probabilities: Float[np.ndarray, "n labels"], class_map: ClassMap, categories: Sequence[str], how: How | None = None
) -> Float[np.ndarray, "n categories"]:
    """Probabilities of a world's categories: of each, the sum (or mean) over its classes; by default the map's own way.

    Classes that count for no category are left out, so that rows add up to less than one.

    >>> p = np.full((1, 1000), 0.001)
    >>> mapped(p, class_map(), ["elephant", "mug"]).round(3).tolist()
    [[0.003, 0.001]]
    """
    how = class_map.how if how is None else how
    if how not in ("sum", "mean"):
        raise unknown("way to join probabilities", how, ("sum", "mean"))
    probabilities = np.asarray(probabilities)
    if probabilities.ndim != 2 or probabilities.shape[1] != len(class_map.labels):
        raise UnseenError(
            f"class map '{class_map.name}' is for models with {len(class_map.labels)} classes; probabilities of shape "
            f"{tuple(probabilities.shape)} were given. Was this model trained on another set of classes?"
        )
    if not np.isfinite(probabilities).all() or probabilities.min(initial=0) < 0:
        raise UnseenError("probabilities are finite and at least 0; take the softmax of the model's outputs first.")
    own = own_classes(class_map, categories)
    joined = np.zeros((len(class_map.labels), len(own)), probabilities.dtype)
    for place, numbers in enumerate(own.values()):
        joined[list(numbers), place] = 1 / len(numbers) if how == "mean" else 1
    return probabilities @ joined
