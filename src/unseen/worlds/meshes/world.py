"""``meshes``: users' own 3D models on the same stage as the procedural objects, drawn when asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import stream
from unseen.worlds import objects
from unseen.worlds.meshes.converted import cache_folder, converted, facts_of
from unseen.worlds.meshes.index import Entry, chosen, entries
from unseen.worlds.meshes.parts import Unreadable
from unseen.worlds.meshes.reading import VERSION as READING
from unseen.worlds.meshes.reading import Reading
from unseen.worlds.meshes.references import content_of
from unseen.worlds.rendered import RenderedWorld, fingerprint_of
from unseen.worlds.shapes.patterns import PATTERNS
from unseen.worlds.stage import Stage, with_levels

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
    around: objects.Furnish

    def __call__(self) -> Bank:
        from unseen.worlds.rendering.bank import Bank

        made = [converted(self.root / one.entry.path, one.content, one.how, self.cache).mesh for one in self.sources]
        kinds, around = list(PATTERNS), self.around
        patterns = (PATTERNS[kinds[i % len(kinds)]](stream(around.seed, "texture", i)) for i in range(around.textures))
        return Bank(tuple(made), textures=tuple(patterns), pictures=around.pictures(), texture_size=self.texture)


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
            torch.from_numpy(middle).to(device),
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
    objects.whole_number("side", side, 8)
    for name in drawn:
        if name not in objects.CIRCUMSTANCES:
            raise unknown("circumstance", name, objects.CIRCUMSTANCES, where="`drawn`")
    how = Reading(max_faces=max_faces, up=up, front=front, texture=texture_size)
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    scalars = with_levels(counts)  # a wrong number is found before any file is read
    base, found = entries(root, index)
    groups = chosen(found, categories, per_category, seed)
    place = cache_folder(cache)
    sources, heights, problems = _readable(base, [one for group in groups.values() for one in group], how, place)
    names = tuple(name for name in groups if any(one.entry.category == name for one in sources))
    behind, cover = objects.background_factor(backgrounds), objects.texture_factor(textures, names)
    grid = [f for f in (*scalars, behind, cover) if f is not None and f.name not in drawn]
    samples = _samples(sources, names, grid)
    amounts = [0 if factor is None else len(factor) for factor in (behind, cover)]
    folder = backgrounds if isinstance(backgrounds, str) else ""
    around = objects.Furnish((), 0, seed, amounts[0], folder, amounts[1])
    return RenderedWorld(
        name="meshes",
        samples=samples,
        bank=Furnish(base, place, tuple(sources), texture_size, around),
        compose=Compose(samples, heights, amounts[0], amounts[1], tuple(drawn), seed),
        side=side,
        fingerprint=fingerprint_of(
            world="meshes", version=[VERSION, READING, objects.VERSION], side=side, seed=seed, drawn=sorted(drawn),
            factors=[[f.name, [str(level) for level in f.levels]] for f in samples.space.factors],
            backgrounds=around.photos_fingerprint() if folder else amounts[0], textures=str(textures),
            meshes=[[one.entry.category, one.entry.path, one.content, repr(one.how)] for one in sources],
        ),
        provenance=_provenance(base, sources, problems),
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


def _readable(
    base: Path, wanted: list[Entry], how: Reading, cache: Path
) -> tuple[list[Source], np.ndarray, dict[str, list[str]]]:
    """Files that show a mesh, their heights, and what is to be told: skipped files and notes."""
    sources, heights = [], []
    problems: dict[str, list[str]] = {"skipped": [], "noted": []}
    degenerate = 0
    for one in wanted:
        own = replace(how, up=one.up or how.up, front=one.front or how.front, yaw=one.yaw)
        try:
            if not (base / one.path).is_file():
                raise Unreadable("no such file")
            content = content_of(base / one.path)
            facts = facts_of(base / one.path, content, own, cache)
        except Unreadable as fault:
            problems["skipped"].append(f"{one.path} ({fault})")
            continue
        except OSError as fault:
            problems["skipped"].append(f"{one.path} (cannot be read: {fault.strerror})")
            continue
        problems["noted"] += [f"{one.path} ({note})" for note in facts.notes]
        degenerate += facts.degenerate
        sources.append(Source(one, content, own))
        heights.append(facts.height)
    if not sources:
        reasons = listed(problems["skipped"], 10)
        raise UnseenError(f"none of {len(wanted)} files in {base} shows a mesh: {reasons}.")
    if degenerate:
        problems["faces"] = [f"{degenerate:,} faces without an area were dropped"]
    return sources, np.array(heights, np.float32), problems


def _provenance(base: Path, sources: list[Source], problems: dict[str, list[str]]) -> dict[str, str]:
    said = [one.entry for one in sources]
    licences = Counter(one.licence or "not stated" for one in said)
    creators = Counter(one.creator for one in said if one.creator)
    found = {
        "source": f"{len(said)} meshes in {base.name}",
        "licence": ", ".join(f"{name}: {count}" for name, count in licences.most_common()),
    }
    if creators:
        found["creators"] = ", ".join(f"{name} ({count})" for name, count in creators.most_common())
    told = []
    if problems["skipped"]:
        told.append(f"left out: {len(problems['skipped'])} files: {listed(problems['skipped'], 10)}")
    if problems["noted"]:
        told.append(f"drawn with something missing: {len(problems['noted'])}: {listed(problems['noted'], 10)}")
    told += problems.get("faces", [])
    return found | ({"problems": "; ".join(told)} if told else {})
