"""Near-copies across the sets of a split: pictures meet designs here. See :mod:`unseen.measures.near_copies`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unseen.designs.sharing import content_of, pairs
from unseen.measures.near_copies import ALIKE, TWINS, Prints, Resemblance, counted_as, joined, most_alike, prints
from unseen.vocabulary.errors import listed
from unseen.vocabulary.instances import instance_factor
from unseen.vocabulary.pools import things

if TYPE_CHECKING:
    from unseen.vocabulary.samples import Samples
    from unseen.vocabulary.split import Split
    from unseen.vocabulary.world import World

CHUNK = 256  # pictures in memory
LOOKED_AT = 10_000  # training images that tell how much pictures resemble each other by nature
MOST = 100_000  # images of one set that are compared
SHOWN = 3
Pair = tuple[str, str]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class NearCopies:
    """Near-copies in each pair of sets, the closest by name. Images that two sets share, and byte copies, are counted
    elsewhere and left out here. Between sets that are only asked (``judged`` is False) they are told and no fault."""

    found: Mapping[Pair, Resemblance]
    closest: Mapping[Pair, tuple[tuple[str, str, float], ...]]
    flat: int  # pictures that show nothing to compare
    thing: str  # what training images of "another instance" differ in
    thinned: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # set: images compared, of how many
    judged: bool = True

    def problems(self) -> Iterator[str]:
        """Pairs with more near-copies than resemblance explains, or with pictures that are as good as the same."""
        for pair, one in self.found.items() if self.judged else ():
            if not one.natural:
                yield f"{self._told(pair)}, where resemblance alone would make {one.expected:.1f}: {self._files(pair)}"
            elif one.odd_twins:
                yield (
                    f"{self._told(pair)}, {one.twins:,} of them as good as the same (from {TWINS:g}), as none is in "
                    f"training; look at {'it' if one.twins == 1 else 'them'}: {self._files(pair)}"
                )

    def notes(self) -> Iterator[str]:
        """What resembles by nature, and what could not be compared."""
        one = next(iter(self.found.values()), None)
        if one is not None and one.looked_at:
            yield (
                f"near-copies expected from resemblance: {one.within:,} of {one.looked_at:,} training images "
                f"({100 * one.within / one.looked_at:.1f} %) have one of another {self.thing} in training"
            )
        for pair, one in self.found.items():
            if one.near and not self.judged:
                yield f"{self._told(pair)}: {self._files(pair)}"
            elif one.near and one.natural and not one.odd_twins:
                yield f"{self._told(pair)}, no more than resemblance explains: {self._files(pair)}"
        for name, (kept, all_of) in self.thinned.items():
            yield f"{kept:,} of the {all_of:,} images of '{name}' were compared: copies of the others are not found"
        if self.flat:
            yield f"{self.flat:,} images are nearly of one colour, and were not compared"

    def _told(self, pair: Pair) -> str:
        one = self.found[pair]
        have = "image of '{}' has" if one.near == 1 else "images of '{}' have"
        return f"{one.near:,} of {one.asked:,} {have.format(pair[1])} a near-copy in '{pair[0]}'"

    def _files(self, pair: Pair) -> str:
        return listed(f"{one} ~ {other} ({alike:.3f})" for one, other, alike in self.closest[pair])


def reads_files(world: World) -> bool:
    """Whether a world's rows are files: others are drawn or generated, and alike by nature."""
    return all(block.content is not None and not block.grid for block in world.samples.blocks)


def prints_of(world: World, rows: np.ndarray, progress: Progress | None = None) -> Prints:
    """Prints of some rows, a few pictures in memory at a time."""
    parts = []
    for at in range(0, len(rows), CHUNK):
        parts.append(prints(np.asarray(world.images(rows[at : at + CHUNK]).cpu())))
        if progress is not None:
            progress(min(at + CHUNK, len(rows)), len(rows))
    return joined(parts)


def near_copies(split: Split, world: World, known: tuple[np.ndarray, Prints]) -> NearCopies:
    """Of one split; ``known`` are rows, sorted, and their prints."""
    samples = world.samples
    rows = {name: _some(np.unique(split.rows(samples, name))) for name in split.sets if name != "probe"}
    instance = instance_factor(samples, () if split.by_rules else split.factors)
    groups = None if instance is None else things(samples, instance, split.factors[0])
    content = content_of(samples)

    def of(some: np.ndarray) -> Prints:
        return known[1][np.searchsorted(known[0], some)]

    train = first = rows.get("train", np.zeros(0, dtype=np.int64))
    if content is not None:  # one of each that are the same to the byte
        first = train[np.unique(content[samples.instance_numbers(train)], return_index=True)[1]]
    looked = first[_evenly(len(first), LOOKED_AT)]
    number = samples.instance_numbers if groups is None else lambda some: groups[samples.instance_numbers(some)]
    naturally = {}
    for left in ("train", "validation"):  # a smaller set holds fewer pictures to resemble
        if left in rows and split.trains:
            some = first if left == "train" else _as_many(first, number(first), len(rows[left]))
            alike, place = most_alike(of(looked), of(some), number(looked), number(some))
            near = alike >= ALIKE
            clumped = counted_as(number(looked[near]), number(some[place[near]]))
            naturally[left] = (int(near.sum()), clumped, int((alike >= TWINS).sum()))
    found, closest = {}, {}
    for left, right in (judged := pairs(list(rows))):
        asked = np.setdiff1d(rows[right], rows[left])
        if content is not None:
            theirs, own = (content[samples.instance_numbers(some)] for some in (rows[left], asked))
            asked = asked[~np.isin(own, theirs)]
        alike, place = most_alike(of(asked), of(rows[left]))
        near = np.flatnonzero(alike >= ALIKE)
        within, clumped, twins = naturally.get(left, (0, 1.0, 0))
        found[left, right] = Resemblance(
            len(near), len(asked), within, len(looked),
            counted_as(number(asked[near]), number(rows[left][place[near]])), clumped,
            int((alike >= TWINS).sum()), twins, len(judged),
        )  # fmt: skip
        first_ones = near[np.argsort(-alike[near], kind="stable")][:SHOWN]
        closest[left, right] = tuple(
            (samples.name(int(asked[at])), samples.name(int(rows[left][place[at]])), float(alike[at]))
            for at in first_ones
        )
    used = np.unique(np.concatenate([train, *rows.values()]))
    whole = {name: len(np.unique(split.rows(samples, name))) for name in rows}
    thinned = {name: (len(rows[name]), n) for name, n in whole.items() if n > len(rows[name])}
    return NearCopies(found, closest, int(of(used).flat.sum()), instance or "instance", thinned, split.trains)


def _evenly(n: int, most: int) -> np.ndarray:
    """Places of at most so many, from the first to the last."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def _as_many(rows: np.ndarray, things: np.ndarray, images: int) -> np.ndarray:
    """About so many rows: whole things, evenly taken, as a smaller set would hold."""
    known = np.unique(things)
    some = known[_evenly(len(known), max(1, round(len(known) * images / max(1, len(rows)))))]
    return rows[np.isin(things, some)]


def _some(rows: np.ndarray) -> np.ndarray:
    """At most so many, evenly."""
    return rows if len(rows) <= MOST else rows[:: -(-len(rows) // (MOST))]


def rows_of(split: Split, samples: Samples) -> np.ndarray:
    """All rows that :func:`near_copies` would look at."""
    sets = [_some(np.unique(split.rows(samples, name))) for name in split.sets if name != "probe"]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *sets]))
