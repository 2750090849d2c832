"""The things of a folder of meshes: which files, how they are read, and what is to be told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.worlds import check_arguments
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.circumstances import Surroundings, whole_number
from unseen.worlds.meshes.converted import MeshFacts, converted
from unseen.worlds.meshes.files import Files, Source
from unseen.worlds.meshes.layouts.entries import Entry
from unseen.worlds.meshes.layouts.table import listing
from unseen.worlds.meshes.reading import VERSION as READING
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.selection import Wanted, candidates, copies, enough, forms, picked
from unseen.worlds.things import Things, category_factor, shared_bank

if TYPE_CHECKING:
    from unseen.worlds.rendering.bank import Bank

VERSION = 1  # raise it when any image of this world changes


@dataclass(frozen=True)
class Furnish:
    """The bank of some meshes, from the cache; what is no longer there is converted again. ``around`` makes the
    pictures and patterns, as for the procedural objects."""

    root: Path
    cache: Path
    sources: tuple[Source, ...]
    texture: int
    around: Surroundings

    def __call__(self) -> Bank:
        return shared_bank(self, self._made)

    def _made(self) -> Bank:
        from unseen.worlds.rendering.bank import Bank

        made = [converted(self.root / one.entry.path, one.content, one.how, self.cache).mesh for one in self.sources]
        around = self.around
        return Bank(tuple(made), around.patterns(), around.pictures(), texture_size=self.texture)


@dataclass(frozen=True)
class MeshFiles:
    """A folder of meshes, and which of its files are read and how: arguments of the world ``meshes``, and what other
    worlds take as their ``meshes``."""

    root: str | Path
    index: str | Path | None = None
    layout: str = ""
    per_category: int | None = None
    minimum: int = 1
    duplicates: str = "keep"
    max_faces: int = 4000
    texture_size: int = 256
    up: str = ""
    front: str = ""
    cache: str | Path | None = None
    workers: int | None = None

    def things(self, categories: int | Sequence[str] | None, instances: int | None, seed: int) -> Things:
        """Every mesh that is shown, read once and kept; what cannot be read is left out and told."""
        how = Reading(max_faces=self.max_faces, up=self.up, front=self.front, texture=self.texture_size)
        wanted = Wanted(categories, self.per_category, instances, self.minimum, self.duplicates, seed)
        if self.workers is not None:
            whole_number("workers", self.workers, 1)
        place = cache_folder(self.cache)
        found = listing(self.root, place, index=self.index, layout=self.layout)
        groups = candidates(found.entries, wanted)
        files = Files(found, place, how, self.workers)
        while unread := picked(groups, files.facts, wanted)[1]:
            files.look_at(unread)
        lines = files.told()
        some, few = enough(picked(groups, files.facts, wanted)[0], groups, wanted)
        sources = [files.sources[one.path] for one in some]
        names = tuple(dict.fromkeys(one.category for one in some))
        factors, stored = [category_factor(names)], {"category": np.array([names.index(one.category) for one in some])}
        if self.duplicates == "together":
            own = forms(some, files.facts)
            factors.append(Factor("form", tuple(f"form {n}" for n in range(int(own.max()) + 1)), kind="instance"))
            stored["form"] = own
        problems = (*found.told, *lines, *few, *_copies(groups, files.facts, self.duplicates))
        provenance = _provenance(self.root, found.layout, sources)
        return Things(
            names=[one.path for one in some],
            factors=tuple(factors),
            stored=stored,
            furnish=partial(Furnish, found.base, place, tuple(sources), self.texture_size),
            said={
                "reading": [VERSION, READING],
                "meshes": [[one.entry.category, one.entry.path, one.content, repr(one.how)] for one in sources],
                **({"forms": stored["form"].tolist()} if self.duplicates == "together" else {}),
            },
            provenance=provenance | ({"problems": "; ".join(problems)} if problems else {}),
            problems=problems,
            content=np.array([int(one.content[:16], 16) for one in sources], np.uint64),
        )


def from_meshes(
    meshes: str | Path | Mapping[str, Any], categories: int | Sequence[str] | None, instances: int, seed: int
) -> Things:
    """The things of a world that takes them from files: ``meshes`` is a folder, or a table with its ``root`` and other
    arguments of the world ``meshes`` that say which files are read and how."""
    arguments: dict[str, Any] = (
        {"root": meshes} if isinstance(meshes, str | Path) else {str(key): meshes[key] for key in meshes}
    )
    if not arguments.get("root"):
        raise UnseenError(
            "`meshes` is a folder of meshes, or a table with its `root`. Give your own: --set world.meshes.root=PATH."
        )
    settled = [name for name in ("categories", "instances", "seed") if name in arguments]
    if settled:
        raise UnseenError(f"`meshes.{settled[0]}` is the world's own argument; write it beside `meshes`, not in it.")
    check_arguments("`meshes`", MeshFiles, arguments)
    return MeshFiles(**arguments).things(categories, instances, seed)


def _copies(groups: Mapping[str, Sequence[Entry]], known: Mapping[str, MeshFacts | None], duplicates: str) -> list[str]:
    """What is to be told of meshes that have one form."""
    again = copies([one for group in groups.values() for one in group], known)
    if not again:
        return []
    done = {"keep": "kept", "drop": "left out", "together": "kept in one pool by the factor 'form'"}[duplicates]
    advice = "; duplicates = 'drop' leaves them out, 'together' keeps each with its copies" * (duplicates == "keep")
    named = listed([f"{one} = {first}" for one, first in again.items()], 10)
    return [f"{len(again)} copies of other meshes up to colour, size and place, {done}: {named}{advice}"]


def _provenance(root: str | Path, layout: str, sources: list[Source]) -> dict[str, str]:
    said = [one.entry for one in sources]
    licences = Counter(one.licence or "not stated" for one in said)
    creators = Counter(one.creator for one in said if one.creator)
    found = {
        "source": f"{len(said)} meshes in {Path(root).expanduser().resolve().name}",
        "layout": layout,
        "licence": ", ".join(f"{name}: {count}" for name, count in licences.most_common()),
    }
    if creators:
        found["creators"] = ", ".join(f"{name} ({count})" for name, count in creators.most_common())
    return found
