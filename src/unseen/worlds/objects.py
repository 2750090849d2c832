"""Objects made by rule, each shown in any pose, place, size, light, before any background, with any texture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.worlds.circumstances import Surroundings, circumstances, whole_number
from unseen.worlds.collections import FIRST_COLLECTION, place_of, said, table_of
from unseen.worlds.kept_objects import objects_at_hand
from unseen.worlds.lazy_stage import LazyStage
from unseen.worlds.rendered import Problems, RenderedWorld, fingerprint_of
from unseen.worlds.rendering.environment import environment_of, said_of_light
from unseen.worlds.things import VERSION, Things, category_factor, shared_bank
from unseen.worlds.variation import FIRST

if TYPE_CHECKING:
    from unseen.worlds.rendering.bank import Bank

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
    collection: str = FIRST_COLLECTION,
    meshes: str | Path | Mapping[str, Any] | None = None,
    variation: str = FIRST.name,
    environment: str = "",
    side: int = 128,
    seed: int = 0,
) -> RenderedWorld:
    """Procedural objects of many categories, unlimited instances each; or those of a folder of meshes.

    ``categories``: names, how many, or all. ``pose``, ``position``, ``size``, ``light``, ``elevation`` are numbers of
    levels; a factor of one level is left out of the grid. ``backgrounds``: 0 stands on a plain floor; a number makes so
    many pictures (sky, water, city, home, grass in turn) a factor; a path takes a folder's photos. ``textures``: a
    number lays so many patterns over the objects as a factor; "categories" gives each category a pattern of its own, as
    a factor named by the categories: shape and texture then agree or conflict (Geirhos et al. 2019 without style
    transfer). ``drawn`` names circumstances that vary from row to row without being a factor.

    ``collection``: "first" has 38 categories that are easy to tell apart, "everyday" 54 of several sub-types each, with
    neighbours that are not. ``meshes``: a folder of 3D models to show in place of ours, up to ``instances`` of each
    category, or a table with its ``root`` and what else the world ``meshes`` can be told of files (layout, minimum,
    duplicates, max_faces …). ``variation`` names how much circumstances vary: "first", "natural" (tumbling, from a
    quarter of the frame, standing on the ground) or "natural-upright". ``environment``: a Radiance .hdr file whose
    light falls on everything, in place of a lamp.

    >>> objects(["mug", "chair"], 3, pose=4).samples.space.shape
    (2, 4)
    """
    whole_number("instances", instances, 1)
    whole_number("side", side, 8)
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    things = things_of(meshes, categories, instances, seed, collection=collection)
    varied = circumstances(things.categories, counts, backgrounds, textures, drawn, seed, variation)
    samples = Samples(FactorSpace((*things.factors, *varied.grid)), (things.block([f.name for f in varied.grid]),))
    furnish = things.furnish(varied.around)
    light_map = environment_of(environment) if environment else None
    problems = Problems((*things.problems, *varied.problems))
    return RenderedWorld(
        name="objects", samples=samples, bank=furnish, side=side,
        compose=LazyStage(furnish, samples, varied.drawn, seed, varied.around.grounds(), varied.variation, light_map),
        fingerprint=fingerprint_of(
            world="objects", version=VERSION, categories=things.categories, seed=seed, side=side,
            textures=str(textures), **things.said, **varied.said(), **said_of_light(light_map),
        ),
        provenance=provenance("rendered", things, varied.around),
        problems=problems,
    )  # fmt: skip


def things_of(
    meshes: str | Path | Mapping[str, Any] | None,
    categories: int | Sequence[str] | None,
    instances: int,
    seed: int,
    argument: str = "categories",
    collection: str = FIRST_COLLECTION,
) -> Things:
    """Objects made by rule, or those of a folder of meshes."""
    if meshes is not None and collection != FIRST_COLLECTION:
        raise UnseenError(f"`collection = {collection!r}` and `meshes` were both given; objects come from one of them.")
    if meshes is not None:
        from unseen.worlds.meshes.things import from_meshes

        return from_meshes(meshes, categories, instances, seed)
    names = chosen_categories(categories, argument, collection)
    return Things(
        names=[f"{name} {i}" for name in names for i in range(instances)],
        factors=(category_factor(names),),
        stored={"category": np.repeat(np.arange(len(names)), instances)},
        furnish=partial(Furnish, names, instances, seed, collection=collection),
        said={"instances": instances, **said(collection)},
        provenance={"source": "procedural objects", "licence": "Apache-2.0"},
    )


def provenance(how: str, things: Things, around: Surroundings) -> dict[str, str]:
    """Where the pictures come from; a user's photos are not ours to license."""
    photos = f"; backgrounds: {around.backgrounds} photos of a folder, licence not stated" if around.folder else ""
    said = dict(things.provenance)
    told = {"source": f"{said.pop('source')}, {how}{photos}", "licence": said.pop("licence") + photos}
    return {**told, "ours": OURS, **said}


@dataclass(frozen=True)
class Furnish:
    """Makes the bank of an objects world, when it is first drawn. Equal ones share a bank within a process."""

    categories: tuple[str, ...]
    instances: int
    seed: int
    around: Surroundings
    collection: str = FIRST_COLLECTION

    def __call__(self) -> Bank:
        return shared_bank(self, self._made)

    def _made(self) -> Bank:
        from unseen.worlds.rendering.bank import Bank

        wanted = [(name, i) for name in self.categories for i in range(self.instances)]
        meshes = objects_at_hand(wanted, self.seed, self.collection)
        return Bank(meshes, textures=self.around.patterns(), pictures=self.around.pictures())


def chosen_categories(
    categories: int | Sequence[str] | None, argument: str = "categories", collection: str = FIRST_COLLECTION
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
