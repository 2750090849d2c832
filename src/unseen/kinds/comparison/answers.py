"""The answers of many subjects as one table: who answered what to which image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.subjects import PEOPLE

if TYPE_CHECKING:
    import polars as pl

NONE, NOT_ASKED = -1, -2  # a response that is no class: nothing was answered; the image was not shown
COLUMNS = ("group", "kind", "who", "image", "truth", "response")
OBJECT = "object"


@dataclass(frozen=True)
class Group:
    """A subject: a model, the repeats of a network, a group of people. ``members`` are places in ``Answers.who``."""

    name: str
    kind: str
    members: tuple[int, ...]

    @property
    def words(self) -> str:
        k = len(self.members)
        if k == 1:
            return self.name
        return f"{self.name} ({k} {'people' if self.kind == PEOPLE else 'repeats'})"


@dataclass(frozen=True, eq=False)
class Answers:
    """``response[who, image]`` is a class number, :data:`NONE` or :data:`NOT_ASKED`. ``objects`` tells which images
    show one object, ``factors`` each image's level (−1 where it is not known)."""

    images: tuple[str, ...]
    classes: tuple[str, ...]
    truth: Int[np.ndarray, " images"]
    who: tuple[str, ...]
    groups: tuple[Group, ...]
    response: Int[np.ndarray, "who images"]
    objects: Int[np.ndarray, " images"]
    factors: dict[str, tuple[tuple[str, ...], Int[np.ndarray, " images"]]]
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def right(self) -> Bool[np.ndarray, "who images"]:
        return self.response == self.truth[None]

    @cached_property
    def asked(self) -> Bool[np.ndarray, "who images"]:
        return self.response != NOT_ASKED

    @cached_property
    def single(self) -> bool:
        """Whether each object has one image."""
        return len(np.unique(self.objects)) == len(self.objects)

    def group(self, name: str) -> Group:
        return next(one for one in self.groups if one.name == name)


def coded(column: pl.Series) -> tuple[np.ndarray, list[str]]:
    """Places of each row's word among the words that occur, in the order of their first row."""
    import pyarrow as pa

    words = pa.chunked_array(column.to_arrow()).combine_chunks().cast(pa.string()).dictionary_encode()
    return np.asarray(words.indices.fill_null(-1)).astype(np.int64), words.dictionary.to_pylist()


def answers_of(frame: pl.DataFrame, factors: Sequence[str], notes: Sequence[str] = ()) -> Answers:
    """One table of a frame with a row per answer: its columns are :data:`COLUMNS`, factors, and perhaps the object."""
    if frame.is_empty():
        raise UnseenError("there are no answers to compare.")
    image, images = coded(frame["image"])
    first = np.full(len(images), -1)
    first[image[::-1]] = np.arange(len(image))[::-1]
    truth, classes = coded(frame["truth"])
    own = truth[first]
    if (odd := np.flatnonzero(own[image] != truth)).size:
        name = images[int(image[odd[0]])]
        both = sorted({classes[int(truth[odd[0]])], classes[int(own[image[odd[0]]])]})
        raise UnseenError(
            f"the sources give image '{name}' different true classes: {listed(both)}; are these the same images?"
        )
    order = np.argsort(np.array(classes, dtype=object), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    classes = [classes[place] for place in order.tolist()]
    said, spelt = coded(frame["response"])
    known = {name: place for place, name in enumerate(classes)}
    extra = [name for name in spelt if name not in known and name]
    known |= {name: len(classes) + place for place, name in enumerate(extra)}
    numbers = np.array([known.get(name, NONE) if name else NONE for name in spelt] + [NONE])
    who, names, groups = _members(frame)
    response = np.full((len(names), len(images)), NOT_ASKED, dtype=np.int16)
    response[who, image] = numbers[said]
    objects = coded(frame[OBJECT])[0][first] if OBJECT in frame.columns else np.arange(len(images))
    found = {name: _levels(frame[name], first) for name in factors}
    kept = {name: one for name, one in found.items() if len(one[0]) > 1}
    return Answers(
        tuple(images),
        (*classes, *extra),
        rank[own],
        tuple(names),
        groups,
        response,
        np.asarray(objects),
        kept,
        tuple(notes),
    )


def _members(frame: pl.DataFrame) -> tuple[np.ndarray, list[str], tuple[Group, ...]]:
    import polars as pl

    who, names = coded(frame.select(pl.concat_str("group", "who", separator="\x1f")).to_series())
    table = frame.select("group", "kind", pl.Series("place", who)).unique(maintain_order=True)
    members: dict[tuple[str, str], list[int]] = {}
    for group, kind, place in table.iter_rows():
        members.setdefault((group, kind), []).append(place)
    groups = tuple(Group(group, kind, tuple(places)) for (group, kind), places in members.items())
    return who, [name.rpartition("\x1f")[2] for name in names], groups


def _levels(column: pl.Series, first: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    places, names = coded(column)
    order = sorted(range(len(names)), key=lambda place: _natural(names[place]))
    rank = np.full(len(names) + 1, -1)
    rank[order] = np.arange(len(names))
    return tuple(names[place] for place in order), rank[places[first]]


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers by their size, then words."""
    try:
        return 0, float(text), ""
    except ValueError:
        return 1, 0.0, text
