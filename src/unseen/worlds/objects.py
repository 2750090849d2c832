"""Objects made by rule, each shown in any pose, place, size, light, before any background, with any texture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import stream
from unseen.worlds.rendered import RenderedWorld, fingerprint_of
from unseen.worlds.shapes.backgrounds import KINDS, background
from unseen.worlds.shapes.categories import CATEGORIES
from unseen.worlds.shapes.making import make_objects
from unseen.worlds.shapes.patterns import PATTERNS
from unseen.worlds.stage import Stage, with_levels

if TYPE_CHECKING:
    from unseen.worlds.rendering.bank import Bank

VERSION = 1  # raise it when any object, pattern or background changes
OURS = "shapes, patterns, backgrounds and ranges of all factors are this library's own"
CIRCUMSTANCES = ("pose", "position", "size", "light", "elevation", "background", "texture")


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
    side: int = 128,
    seed: int = 0,
) -> RenderedWorld:
    """Procedural objects of many categories, unlimited instances each.

    ``categories``: names, how many, or all. ``pose``, ``position``, ``size``, ``light``, ``elevation`` are numbers of
    levels; a factor of one level is left out of the grid. ``backgrounds``: 0 stands on a plain floor; a number makes so
    many pictures (sky, water, city, home, grass in turn) a factor; a path takes a folder's photos. ``textures``: a
    number lays so many patterns over the objects as a factor; "categories" gives each category a pattern of its own, as
    a factor named by the categories: shape and texture then agree or conflict (Geirhos et al. 2019 without style
    transfer). ``drawn`` names circumstances that vary from row to row without being a factor.

    >>> objects(["mug", "chair"], 3, pose=4).samples.space.shape
    (2, 4)
    """
    names = chosen_categories(categories)
    whole_number("instances", instances, 1)
    whole_number("side", side, 8)
    for name in drawn:
        if name not in CIRCUMSTANCES:
            raise unknown("circumstance", name, CIRCUMSTANCES, where="`drawn`")
    category = Factor("category", names, kind="category", texts=tuple(f"a {name}" for name in names))
    counts = {"pose": pose, "position": position, "size": size, "light": light, "elevation": elevation}
    behind = background_factor(backgrounds)
    cover = texture_factor(textures, names)
    grid = [f for f in (*with_levels(counts), behind, cover) if f is not None and f.name not in drawn]
    table = np.repeat(np.arange(len(names)), instances)
    block = Block(
        len(table), {"category": table}, grid=tuple(f.name for f in grid),
        names=[f"{name} {i}" for name in names for i in range(instances)],
    )  # fmt: skip
    samples = Samples(FactorSpace((category, *grid)), (block,))
    furnish = Furnish(names, instances, seed, _number_of(behind), backgrounds if isinstance(backgrounds, str) else "",
                      _number_of(cover))  # fmt: skip
    return RenderedWorld(
        name="objects", samples=samples, bank=furnish,
        compose=LazyStage(furnish, samples, tuple(drawn), seed),
        side=side,
        fingerprint=fingerprint_of(
            world="objects", version=VERSION, categories=names, instances=instances, seed=seed, side=side,
            factors=[[f.name, [str(level) for level in f.levels]] for f in grid], drawn=sorted(drawn),
            backgrounds=furnish.photos_fingerprint() if furnish.folder else _number_of(behind), textures=str(textures),
        ),
        provenance={"source": "procedural objects, rendered", "licence": "Apache-2.0", "ours": OURS},
    )  # fmt: skip


@dataclass(frozen=True)
class Furnish:
    """Makes the bank of an objects world, when it is first drawn. Equal ones share a bank within a process."""

    categories: tuple[str, ...]
    instances: int
    seed: int
    backgrounds: int = 0
    folder: str = ""
    textures: int = 0

    def __call__(self) -> Bank:
        return _bank(self)

    def pictures(self) -> tuple[np.ndarray, ...]:
        if self.folder:
            from unseen.worlds.rendering.skies import folder_of_pictures

            return tuple(folder_of_pictures(self.folder)[0].values())
        kinds = list(KINDS)
        return tuple(
            background(kinds[i % len(kinds)], stream(self.seed, "background", i)) for i in range(self.backgrounds)
        )

    def photos_fingerprint(self) -> str:
        from hashlib import blake2b

        return blake2b(b"".join(picture.tobytes() for picture in self.pictures()), digest_size=16).hexdigest()


_BANKS: dict[Furnish, Bank] = {}


def _bank(furnish: Furnish) -> Bank:
    from unseen.worlds.rendering.bank import Bank

    if furnish not in _BANKS:
        _BANKS.clear()  # one at a time: a bank of a thousand meshes is large
        kinds, seed = list(PATTERNS), furnish.seed
        patterns = tuple(PATTERNS[kinds[i % len(kinds)]](stream(seed, "texture", i)) for i in range(furnish.textures))
        meshes = make_objects([(name, i) for name in furnish.categories for i in range(furnish.instances)], seed)
        _BANKS[furnish] = Bank(meshes, textures=patterns, pictures=furnish.pictures())
    return _BANKS[furnish]


@dataclass(frozen=True, eq=False)
class LazyStage:
    """A stage whose meshes are made when the first scene is asked for."""

    furnish: Furnish
    samples: Samples
    drawn: tuple[str, ...]
    seed: int

    def __call__(self, rows: np.ndarray, device: object, draw: int = 0):
        bank = self.furnish()
        stage = Stage(
            self.samples,
            bank.on(str(device)).centre,
            pictures=range(len(bank.pictures)),
            textures=range(len(bank.textures)),
            drawn=self.drawn,
            seed=self.seed,
        )
        return stage(rows, device, draw)  # type: ignore[arg-type]


def chosen_categories(categories: int | Sequence[str] | None) -> tuple[str, ...]:
    """Names as given, so many taken evenly from the table (which is in groups), or all."""
    if categories is None:
        return tuple(CATEGORIES)
    if isinstance(categories, int) and not isinstance(categories, bool):
        if not 1 <= categories <= len(CATEGORIES):
            raise UnseenError(
                f"`categories` is a number from 1 to {len(CATEGORIES)}, or names; {categories} was given."
            )
        every = tuple(CATEGORIES)
        return tuple(every[place * len(every) // categories] for place in range(categories))
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        raise UnseenError(f"`categories` takes a number or a list of names; {categories!r} was given.")
    for name in categories:
        if name not in CATEGORIES:
            raise unknown("category", name, CATEGORIES, where="the table of objects")
    return tuple(categories)


def whole_number(name: str, given: object, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise UnseenError(f"`{name}` is a whole number from {least}; {given!r} was given.")


def background_factor(backgrounds: int | str) -> Factor | None:
    """Pictures as levels, named by kind and number, or by the photos of a folder; the first is canonical."""
    if isinstance(backgrounds, str):
        from unseen.worlds.rendering.skies import folder_of_pictures

        names = tuple(folder_of_pictures(Path(backgrounds).expanduser())[0])
        return Factor("background", names, canonical=0)
    whole_number("backgrounds", backgrounds, 0)
    kinds = list(KINDS)
    names = tuple(f"{kinds[i % len(kinds)]} {i // len(kinds) + 1}" for i in range(backgrounds))
    return Factor("background", names, canonical=0) if names else None


def texture_factor(textures: int | str, categories: Sequence[str]) -> Factor | None:
    """Patterns as levels: named by themselves, or one per category and named by it."""
    if textures == "categories":
        return Factor("texture", tuple(categories))
    if isinstance(textures, str):
        raise UnseenError(f'`textures` is a number of patterns or "categories"; {textures!r} was given.')
    whole_number("textures", textures, 0)
    kinds = list(PATTERNS)
    names = [kinds[i % len(kinds)] + (f" {i // len(kinds) + 1}" if i >= len(kinds) else "") for i in range(textures)]
    return Factor("texture", tuple(names)) if names else None


def _number_of(factor: Factor | None) -> int:
    return 0 if factor is None else len(factor)
