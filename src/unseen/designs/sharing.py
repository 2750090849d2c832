"""What sets share that should share nothing: images, the things these show, and files that are copies of each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.errors import listed
from unseen.vocabulary.instances import NOTHING, alone, instance_factor
from unseen.vocabulary.pools import things
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split

SHOWN = 3  # of what is shared, told by name
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Sharing:
    """What each pair of sets has in common: train or validation with a later one. Test sets may share with each other;
    of a split without training rows they are all that is compared, by images and copies.

    ``instance`` is the factor whose levels count as one thing, "" where every image does; ``instances`` are counted by
    it. ``named`` gives the first of these by name, ``copied`` the first files of the second set with the file of the
    first that has the same bytes.
    """

    instance: str
    words: tuple[str, ...]  # what counts as an instance, and by what sets are kept apart
    images: Mapping[Pair, int]
    instances: Mapping[Pair, int]
    copies: Mapping[Pair, int]
    sizes: Mapping[str, int] = field(default_factory=dict)  # instances in each set
    named: Mapping[Pair, tuple[str, ...]] = field(default_factory=dict)
    copied: Mapping[Pair, tuple[Pair, ...]] = field(default_factory=dict)

    def problems(self, by: str) -> Iterator[str]:
        for (left, right), n in self.images.items():
            if n:
                yield f"{n} images are in both '{left}' and '{right}'"
        for (left, right), n in self.instances.items():
            if n and self.instance:
                which = listed(self.named[left, right]) + " …" * (n > SHOWN)
                yield (
                    f"{n} of the {self.sizes[right]} levels of {self.instance} in '{right}' are in '{left}' too: "
                    f"{which} (disjoint by {by})"
                )
            elif n and not self.images[left, right]:
                yield f"{n} instances are in both '{left}' and '{right}' (disjoint by {by})"
        for (left, right), n in self.copies.items():
            if n:
                are = "image of '{}' is an identical copy" if n == 1 else "images of '{}' are identical copies"
                files = "; ".join(f"{one} = {other}" for one, other in self.copied.get((left, right), ()))
                told = f": {files}{' …' * (n > SHOWN)}" if files else ""
                yield f"{n} {are.format(right)} of images of '{left}'{told}"


def sharing(split: Split, samples: Samples, rows: Mapping[str, np.ndarray]) -> Sharing:
    """What the sets share; ``rows`` are theirs."""
    by_levels = split.by_rules
    instance = instance_factor(samples, () if by_levels else split.factors)
    content = content_of(samples)
    looked = instance is not None or content is not None or not by_levels
    own = {name: np.unique(samples.instance_numbers(found)) for name, found in rows.items()} if looked else {}
    images, instances, copies, named, copied = {}, {}, {}, {}, {}
    groups = None if instance is None else things(samples, instance, _row(samples, split, by_levels))
    of = own if groups is None else {name: np.unique(groups[found]) for name, found in own.items()}
    shown_again = any(one.again for one in split.sets.values())
    on_purpose = split.facts.on_training
    for pair in pairs([name for name in rows if name not in on_purpose]):
        left, right = pair
        once = by_levels and split.trains and not shown_again
        images[pair] = len(np.intersect1d(rows[left], rows[right], assume_unique=once))
        # A split by levels shows every drawn thing at all levels, and without training any set may ask about any thing.
        if split.trains and (groups is not None or not by_levels):
            both = np.intersect1d(of[left], of[right])
            instances[pair] = len(both)
            if groups is not None and instance is not None:
                named[pair] = tuple(_thing(samples, split, instance, groups, int(one)) for one in both[:SHOWN])
        if content is not None:
            others = np.setdiff1d(own[right], own[left])
            again = others[np.isin(content[others], content[own[left]])]
            copies[pair] = len(again)
            copied[pair] = named_files(samples, own[left], content, again)
    sizes = {name: len(found) for name, found in of.items()}
    words = tuple(_words(split, samples, instance, by_levels))
    return Sharing(instance or "", words, images, instances, copies, sizes, named, copied)


def pairs(names: Sequence[str]) -> list[Pair]:
    """Training and validation against everything after them; test sets may share instances with each other. Where
    nothing is trained on, every two sets."""
    if "train" not in names:
        return list(itertools.combinations(names, 2))
    return [
        (left, right)
        for place, left in enumerate(("train", "validation"))
        for right in names
        if left in names and right not in ("train", "validation")[: place + 1]
    ]


def _row(samples: Samples, split: Split, by_levels: bool) -> str | tuple[str, ...] | None:
    """The category within which objects may be counted anew."""
    return split.pools.within if by_levels else split.factors[0]


def _words(split: Split, samples: Samples, instance: str | None, by_levels: bool) -> Iterator[str]:
    by, drawn = split.pools.by, any(block.grid for block in samples.blocks)
    if instance is not None:
        yield f"an instance is one {instance}: its {len(samples.space[instance])} levels are of kind instance"
    elif (own := instance_factor(samples)) is not None:
        yield (
            f"an instance is one image: {own}, of kind instance, is itself a factor of this design, so that no {own} "
            f"can be kept to one set"
        )
    elif drawn:
        yield "an instance is what the world shows at every level: no factor is of kind instance"
    else:
        yield (
            "an instance is one image: no factor is of kind instance. If several images show one object, name it: "
            'world.kinds = { object = "instance" }'
        )
    if not split.trains:
        return
    if split.facts.disjoint_by == "as listed":
        yield "sets are as listed: nothing but the lists keeps them apart"
    elif by == NOTHING and by_levels:
        yield "sets are told apart by their levels alone, and show the same instances"
    elif by == NOTHING:
        yield "pools are disjoint by nothing: training and test draw on the same images"
    elif alone(samples, by):
        one = "instance" if drawn else "image"
        yield f"pools are disjoint by {one}: no {one} is in two of them"
    else:
        yield f"pools are disjoint by {by}: no {by} is in two of them"


def _thing(samples: Samples, split: Split, instance: str, groups: Int[np.ndarray, " instances"], number: int) -> str:
    """The name of a thing; with its category where ids recur in several."""
    first, ids = int(np.flatnonzero(groups == number)[0]), samples.groups(instance)
    told = samples.space[instance].texts[int(ids[first])]
    if np.array_equal(groups, ids):
        return told
    category = split.factors[0] if not isinstance(split.pools.within, str) else split.pools.within
    return f"{samples.space[category].texts[int(samples.groups(category)[first])]} {told}"


def named_files(samples: Samples, among: np.ndarray, content: np.ndarray, copies: np.ndarray) -> tuple[Pair, ...]:
    """The first of the copies by name, each with the image of ``among`` that it is; none where images have no names."""
    if any(block.names is None for block in samples.blocks):
        return ()
    originals = [int(among[content[among] == content[one]][0]) for one in copies[:SHOWN]]
    return tuple((_name(samples, int(one)), _name(samples, other)) for one, other in zip(copies, originals))


def _name(samples: Samples, number: int) -> str:
    for block in samples.blocks:
        if number < block.instances:
            assert block.names is not None
            return block.names[number]
        number -= block.instances
    raise AssertionError


def content_of(samples: Samples) -> np.ndarray | None:
    """What tells files of the same bytes, by instance; None where images are no files."""
    if any(block.content is None for block in samples.blocks):
        return None
    return np.concatenate([np.asarray(block.content) for block in samples.blocks])
