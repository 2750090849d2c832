"""``meshes``: users' own 3D models on the same stage as the procedural objects, drawn when asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds import objects
from unseen.worlds.caching import cache_folder
from unseen.worlds.circumstances import Around, check_drawn, check_seed, circumstances, whole_number
from unseen.worlds.meshes.converted import converted, facts_of
from unseen.worlds.meshes.index import Entry, chosen, entries
from unseen.worlds.meshes.parts import Unreadable
from unseen.worlds.meshes.reading import VERSION as READING
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.references import content_of
from unseen.worlds.rendered import Problems, RenderedWorld, fingerprint_of
from unseen.worlds.stage import MiddleOnly, Stage, with_levels

if TYPE_CHECKING:
    import torch

    from unseen.worlds.rendering.bank import Bank
    from unseen.worlds.rendering.scene import Scenes

VERSION = 1  # raise it when any image of this world changes


@dataclass(frozen=True)
class Source:
    """A file that shows a mesh, and how it is read."""

    entry: Entry
    content: str
    how: Reading


@dataclass(frozen=True)
class Furnish:
    """The bank of some meshes, from the cache; what is no longer there is converted again. ``around`` makes the
    pictures and patterns, as for the procedural objects."""

    root: Path
    cache: Path
    sources: tuple[Source, ...]
    texture: int
    around: Around

    def __call__(self) -> Bank:
        from unseen.worlds.rendering.bank import Bank

        made = [converted(self.root / one.entry.path, one.content, one.how, self.cache).mesh for one in self.sources]
        around = self.around
        return Bank(tuple(made), around.patterns(), around.pictures(), texture_size=self.texture)


@dataclass(frozen=True, eq=False)
class Compose:
    """Rows → scenes on the stage of the procedural objects. A mesh's middle is known from its height, so that a scene
    needs no bank."""

    samples: Samples
    heights: np.ndarray  # [instances]
    pictures: int
    textures: int
    drawn: tuple[str, ...]
    seed: int

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int = 0) -> Scenes:
        import torch

        middle = np.stack([0 * self.heights, 0 * self.heights, self.heights / 2], axis=1)
        stage = Stage(
            self.samples,
            MiddleOnly(torch.from_numpy(middle).to(device)),
            pictures=range(self.pictures),
            textures=range(self.textures),
            drawn=self.drawn,
            seed=self.seed,
        )
        return stage(rows, device, draw)


def meshes(
    root: str | Path,
    *,
    index: str | Path | None = None,
    categories: Sequence[str] | None = None,
    per_category: int | None = None,
    pose: int = 8,
    position: int = 1,
    size: int = 1,
    light: int = 1,
    elevation: int = 1,
    backgrounds: int | str = 0,
    textures: int | str = 0,
    drawn: Sequence[str] = (),
    side: int = 128,
    max_faces: int = 4000,
    texture_size: int = 256,
    up: str = "",
    front: str = "",
    seed: int = 0,
    cache: str | Path | None = None,
) -> RenderedWorld:
    """3D models from files: OBJ, glTF, GLB, STL, PLY.

    ``root`` holds a sub-folder per category, or an ``index`` (index.csv by default) with the columns category and path
    and, where known, name, licence, creator, up, front and yaw. ``categories`` chooses and orders; ``per_category``
    draws that many meshes of each.

    ``pose``, ``position``, ``size``, ``light``, ``elevation``, ``backgrounds``, ``textures`` and ``drawn`` are those of
    the world ``objects``. Every mesh stands upright, its longest edge 1, and looks along +x: ``up`` and ``front`` name
    axes of the files ("y", "-z") where they differ from the format's own, and columns of the index go before. Meshes of
    more than ``max_faces``, counting both sides of open surfaces, are simplified (0: never); a mesh's texture has an
    edge of ``texture_size``. Files that show no mesh are left out and listed under ``problems`` in the provenance.
    """
    whole_number("side", side, 8)
    check_seed(seed)
    check_drawn(drawn, backgrounds, textures)
    how = Reading(max_faces=max_faces, up=up, front=front, texture=texture_size)
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    with_levels(counts)  # a wrong number is found before any file is read
    base, found = entries(root, index)
    groups = chosen(found, categories, per_category, seed)
    place = cache_folder(cache)
    sources, heights, told = _readable(base, [one for group in groups.values() for one in group], how, place)
    names = tuple(name for name in groups if any(one.entry.category == name for one in sources))
    varied = circumstances(names, counts, backgrounds, textures, drawn, seed)
    around = varied.around
    samples = _samples(sources, names, varied.grid)
    problems = Problems((*told, *varied.problems))
    return RenderedWorld(
        name="meshes",
        samples=samples,
        bank=Furnish(base, place, tuple(sources), texture_size, around),
        compose=Compose(samples, heights, around.backgrounds, around.textures, varied.drawn, seed),
        side=side,
        fingerprint=fingerprint_of(
            world="meshes", version=[VERSION, READING, objects.VERSION], side=side, seed=seed,
            textures=str(textures), categories=names, **varied.said(),
            meshes=[[one.entry.category, one.entry.path, one.content, repr(one.how)] for one in sources],
        ),
        provenance=_provenance(base, sources, problems),
        problems=problems,
    )  # fmt: skip


def _samples(sources: Sequence[Source], names: tuple[str, ...], grid: Sequence[Factor]) -> Samples:
    texts = tuple(f"a {name.replace('_', ' ')}" for name in names)
    category = Factor("category", names, kind="category", texts=texts)
    block = Block(
        len(sources),
        {"category": np.array([names.index(one.entry.category) for one in sources], np.int64)},
        grid=tuple(factor.name for factor in grid),
        names=[one.entry.path for one in sources],
        content=np.array([int(one.content[:16], 16) for one in sources], np.uint64),
    )
    return Samples(FactorSpace((category, *grid)), (block,))


def _readable(base: Path, wanted: list[Entry], how: Reading, cache: Path) -> tuple[list[Source], np.ndarray, list[str]]:
    """Files that show a mesh, their heights, and what is to be told of the others."""
    sources, heights, skipped, noted = [], [], [], []
    degenerate = 0
    for one in wanted:
        own = replace(how, up=one.up or how.up, front=one.front or how.front, yaw=one.yaw)
        try:
            if not (base / one.path).is_file():
                raise Unreadable("no such file")
            content = content_of(base / one.path)
            facts = facts_of(base / one.path, content, own, cache)
        except Unreadable as fault:
            skipped.append(f"{one.path} ({fault})")
            continue
        except OSError as fault:
            skipped.append(f"{one.path} (cannot be read: {fault.strerror})")
            continue
        noted += [f"{one.path} ({note})" for note in facts.notes]
        degenerate += facts.degenerate
        sources.append(Source(one, content, own))
        heights.append(facts.height)
    if not sources:
        raise UnseenError(f"none of {len(wanted)} files in {base} shows a mesh: {listed(skipped, 10)}.")
    there = {one.entry.category for one in sources}
    gone = list(dict.fromkeys(one.category for one in wanted if one.category not in there))
    told = {
        f"left out: {len(skipped)} files: {listed(skipped, 10)}": skipped,
        f"categories of which no file shows a mesh: {listed(gone, 10)}": gone,
        f"drawn with something missing: {len(noted)}: {listed(noted, 10)}": noted,
        f"{degenerate:,} faces without an area were dropped": degenerate,
    }
    return sources, np.array(heights, np.float32), [line for line, applies in told.items() if applies]


def _provenance(base: Path, sources: list[Source], problems: Problems) -> dict[str, str]:
    said = [one.entry for one in sources]
    licences = Counter(one.licence or "not stated" for one in said)
    creators = Counter(one.creator for one in said if one.creator)
    found = {
        "source": f"{len(said)} meshes in {base.name}",
        "licence": ", ".join(f"{name}: {count}" for name, count in licences.most_common()),
    }
    if creators:
        found["creators"] = ", ".join(f"{name} ({count})" for name, count in creators.most_common())
    return found | ({"problems": "; ".join(problems.lines())} if problems else {})
