"""Objects made by rule, each shown in any pose, place, size, light, before any background, with any texture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.circumstances import Around, circumstances, whole_number
from unseen.worlds.everyday.table import VERSION as EVERYDAY_VERSION
from unseen.worlds.rendered import Problems, RenderedWorld, fingerprint_of
from unseen.worlds.shapes.categories import place_of, table_of
from unseen.worlds.shapes.making import make_objects
from unseen.worlds.stage import Stage

if TYPE_CHECKING:
    import torch

    from unseen.worlds.rendering.bank import Bank
    from unseen.worlds.rendering.scene import Scenes

VERSION = 1  # raise it when any object, pattern or background changes
OURS = "shapes, patterns, backgrounds and ranges of all factors are this library's own"


def objects(
    categories: int | Sequence[str] | None = None,
    instances: int = 50,
    *,
    pose: int = 8,
    position: int = 1,
    size: int = 1,
    light: int = 1,
    elevation: int = 1,
    backgrounds: int | str = 0,
    textures: int | str = 0,
    drawn: Sequence[str] = (),
    collection: str = "first",
    side: int = 128,
    seed: int = 0,
) -> RenderedWorld:
    """Procedural objects of many categories, unlimited instances each.

    ``categories``: names, how many, or all. ``pose``, ``position``, ``size``, ``light``, ``elevation`` are numbers of
    levels; a factor of one level is left out of the grid. ``backgrounds``: 0 stands on a plain floor; a number makes so
    many pictures (sky, water, city, home, grass in turn) a factor; a path takes a folder's photos. ``textures``: a
    number lays so many patterns over the objects as a factor; "categories" gives each category a pattern of its own, as
    a factor named by the categories: shape and texture then agree or conflict (Geirhos et al. 2019 without style
    transfer). ``drawn`` names circumstances that vary from row to row without being a factor. ``collection``: "first"
    has 38 categories that are easy to tell apart, "everyday" 54 with neighbours that are not.

    >>> objects(["mug", "chair"], 3, pose=4).samples.space.shape
    (2, 4)
    """
    names = chosen_categories(categories, collection=collection)
    whole_number("instances", instances, 1)
    whole_number("side", side, 8)
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    varied = circumstances(names, counts, backgrounds, textures, drawn, seed)
    category = Factor("category", names, kind="category", texts=tuple(f"a {name}" for name in names))
    table = np.repeat(np.arange(len(names)), instances)
    block = Block(
        len(table), {"category": table}, grid=tuple(f.name for f in varied.grid),
        names=[f"{name} {i}" for name in names for i in range(instances)],
    )  # fmt: skip
    samples = Samples(FactorSpace((category, *varied.grid)), (block,))
    furnish = Furnish(names, instances, seed, varied.around, collection)
    return RenderedWorld(
        name="objects", samples=samples, bank=furnish, compose=LazyStage(furnish, samples, varied.drawn, seed),
        side=side,
        fingerprint=fingerprint_of(
            world="objects", version=VERSION, categories=names, instances=instances, seed=seed, side=side,
            textures=str(textures), **varied.said(), **said(collection),
        ),
        provenance=provenance("procedural objects, rendered", varied.around),
        problems=Problems(varied.problems),
    )  # fmt: skip


def provenance(source: str, around: Around) -> dict[str, str]:
    """Where the pictures come from; a user's photos are not ours to license."""
    photos = f"; backgrounds: {around.backgrounds} photos of a folder, licence not stated" if around.folder else ""
    return {"source": source + photos, "licence": "Apache-2.0" + photos, "ours": OURS}


@dataclass(frozen=True)
class Furnish:
    """Makes the bank of an objects world, when it is first drawn. Equal ones share a bank within a process."""

    categories: tuple[str, ...]
    instances: int
    seed: int
    around: Around
    collection: str = "first"

    def __call__(self) -> Bank:
        from unseen.worlds.rendering.bank import Bank

        found = _BANKS.get(self)
        if found is None:
            wanted = [(name, i) for name in self.categories for i in range(self.instances)]
            meshes = make_objects(wanted, self.seed, collection=self.collection)
            found = Bank(meshes, textures=self.around.patterns(), pictures=self.around.pictures())
            _BANKS[self] = found
        return found


_BANKS: WeakValueDictionary[Furnish, Bank] = WeakValueDictionary()  # as long as a world that draws from it lives


@dataclass(frozen=True, eq=False)
class LazyStage:
    """A stage whose meshes are made when the first scene is asked for."""

    furnish: Furnish
    samples: Samples
    drawn: tuple[str, ...]
    seed: int

    @cached_property
    def bank(self) -> Bank:
        return self.furnish()

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int = 0) -> Scenes:
        stage = Stage(
            self.samples,
            self.bank.on(device).centre,
            pictures=range(len(self.bank.pictures)),
            textures=range(len(self.bank.textures)),
            drawn=self.drawn,
            seed=self.seed,
        )
        return stage(rows, device, draw)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "bank"}


def said(collection: str) -> dict[str, str]:
    """What identifies the collection; nothing for the first, whose worlds keep the names they always had."""
    return {} if collection == "first" else {"collection": f"{collection} {EVERYDAY_VERSION}"}


def chosen_categories(
    categories: int | Sequence[str] | None, argument: str = "categories", collection: str = "first"
) -> tuple[str, ...]:
    """Names as given, so many taken evenly from the table (which is in groups), or all. ``argument`` is the name under
    which a world takes them."""
    table = table_of(collection)
    if categories is None:
        return tuple(table)
    if isinstance(categories, int) and not isinstance(categories, bool):
        if not 1 <= categories <= len(table):
            raise UnseenError(f"`{argument}` is a number from 1 to {len(table)}, or names; {categories} was given.")
        every = tuple(table)
        return tuple(every[place * len(every) // categories] for place in range(categories))
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        raise UnseenError(f"`{argument}` takes a number or a list of names; {categories!r} was given.")
    for name in categories:
        if name not in table:
            raise unknown("category", name, table, where=place_of(collection))
    return tuple(categories)
