"""Classes × instances under natural variation (Ibrahim et al. 2022, seed 003, section 3), re-made with our objects.

Five factors, each with a canonical level: pose, position, size, light (hue of the lamp) and background. Three blocks:
``single`` (one factor varies alone), ``pairs`` (two vary, on a coarser grid), ``all`` (random combinations of that
grid). The seed renders 54 classes × 50 objects of 3D Warehouse; ours are procedural, or a folder of meshes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream
from unseen.worlds.circumstances import Surroundings, background_factor, check_seed, whole_number
from unseen.worlds.collections import FIRST_COLLECTION
from unseen.worlds.lazy_stage import LazyStage
from unseen.worlds.objects import provenance, things_of
from unseen.worlds.rendered import Problems, RenderedWorld, fingerprint_of
from unseen.worlds.rendering.environment import environment_of, said_of_light
from unseen.worlds.stage import scalar_factor
from unseen.worlds.things import VERSION
from unseen.worlds.variation import FIRST, said_of, variation_named

SCALARS = ("pose", "position", "size", "light")
BLOCKS = ("single", "pairs", "all")
CLASSES = 24  # of our own, where none are named
SHUFFLED = 10_000_000  # cells of a grid that is shuffled whole


def natural_variation(
    classes: int | Sequence[str] | None = None,
    instances: int = 50,
    *,
    levels: int = 101,
    backgrounds: int | str = 25,
    pair_levels: int = 11,
    pair_backgrounds: int = 10,
    combinations: int = 1000,
    blocks: Sequence[str] = BLOCKS,
    collection: str = FIRST_COLLECTION,
    meshes: str | Path | Mapping[str, Any] | None = None,
    variation: str = FIRST.name,
    environment: str = "",
    side: int = 128,
    seed: int = 0,
) -> RenderedWorld:
    """Pose, position, size, light and background varying alone, in pairs, and all together.

    ``levels`` of each scalar factor and ``backgrounds`` for the single block; ``pair_levels`` and ``pair_backgrounds``
    for pairs, whose levels are taken evenly from the finer ones, the canonical one among them; ``combinations`` random
    cells for all together, the same for every instance. Of 24 × 50 objects that makes 0.5 + 1.4 + 1.2 million rows.
    ``backgrounds`` may be a folder of photos. ``classes`` are names or how many; 24 of ours by default. ``meshes``: a
    folder of 3D models to show in place of ours, all its classes by default and up to ``instances`` of each; or a table
    with its ``root`` and what else the world ``meshes`` can be told of files (layout, minimum, duplicates …).
    ``collection``, ``variation`` and ``environment`` are those of ``objects``.

    >>> len(natural_variation(2, 3, levels=5, backgrounds=4, pair_levels=3, pair_backgrounds=2, combinations=7).samples)
    654
    """
    for name, given, least in (
        ("instances", instances, 1), ("levels", levels, 1), ("pair_levels", pair_levels, 1),
        ("pair_backgrounds", pair_backgrounds, 1), ("combinations", combinations, 0), ("side", side, 8),
    ):  # fmt: skip
        whole_number(name, given, least)
    check_seed(seed)
    check_blocks(blocks)
    how = variation_named(variation)
    behind, photos = background_factor(backgrounds)
    if behind is None:
        raise UnseenError("`backgrounds` is a number from 1, or a folder of photos; 0 was given.")
    factors = (*(scalar_factor(name, levels, how) for name in SCALARS), behind)
    coarse = [coarser(f, pair_backgrounds if f is behind else pair_levels) for f in factors]
    cells = {
        "single": single_cells(factors),
        "pairs": pair_cells(factors, coarse),
        "all": random_cells(coarse, combinations, seed),
    }
    things = things_of(
        meshes, CLASSES if classes is None and meshes is None else classes, instances, seed, "classes", collection
    )
    thing = Factor("object", tuple(things.names), kind="instance")
    grid = tuple(f.name for f in factors)
    parts = tuple(things.block(grid, cells[name], object=np.arange(len(things))) for name in BLOCKS if name in blocks)
    samples = Samples(FactorSpace((*things.factors, thing, *factors)), parts)
    around = Surroundings(len(behind), 0, seed, photos.folder, photos.content, how.stands)
    furnish = things.furnish(around)
    light_map = environment_of(environment) if environment else None
    return RenderedWorld(
        name="natural-variation", samples=samples, bank=furnish, side=side,
        compose=LazyStage(furnish, samples, (), seed, around.grounds(), how, light_map),
        fingerprint=fingerprint_of(
            world="natural-variation", version=VERSION, classes=things.categories, seed=seed, side=side, **things.said,
            sizes=[levels, around.said, pair_levels, pair_backgrounds, combinations],
            blocks=[name for name in BLOCKS if name in blocks], **said_of(how),
            **said_of_light(light_map),
        ),
        provenance=provenance("rendered, in the layout of Ibrahim et al. 2022", things, around),
        problems=Problems((*things.problems, *photos.problems)),
    )  # fmt: skip


def check_blocks(blocks: Sequence[str]) -> None:
    if isinstance(blocks, str) or not isinstance(blocks, Sequence):
        raise UnseenError(f"`blocks` takes a list of {', '.join(BLOCKS)}; {blocks!r} was given.")
    for name in blocks:
        if name not in BLOCKS:
            raise unknown("block", name, BLOCKS)
    if not blocks:
        raise UnseenError(f"a world needs at least one block; possible: {', '.join(BLOCKS)}.")


def coarser(factor: Factor, levels: int) -> np.ndarray:
    """So many of a factor's level numbers, evenly, the canonical one among them."""
    canonical = factor.canonical or 0
    if levels >= len(factor):
        return np.arange(len(factor))
    if levels == 1:
        return np.array([canonical])
    if canonical == 0:
        return np.round(np.linspace(0, len(factor) - 1, levels)).astype(np.int64)
    chosen = np.round(np.linspace(0, len(factor) - 1, levels)).astype(np.int64)
    chosen[np.abs(chosen - canonical).argmin()] = canonical
    return np.unique(chosen)


def canonical_cell(factors: Sequence[Factor]) -> np.ndarray:
    return np.array([f.canonical or 0 for f in factors], dtype=np.int64)


def single_cells(factors: Sequence[Factor]) -> np.ndarray:
    """Each factor at all its levels, the others canonical; the canonical cell appears once for each factor, so that the
    counts are the seed's (4 × 101 + 25)."""
    parts = []
    for place, factor in enumerate(factors):
        part = np.tile(canonical_cell(factors), (len(factor), 1))
        part[:, place] = np.arange(len(factor))
        parts.append(part)
    return np.concatenate(parts)


def pair_cells(factors: Sequence[Factor], coarse: Sequence[np.ndarray]) -> np.ndarray:
    """Each pair of factors on the coarser grid, the others canonical."""
    parts = []
    for a, b in itertools.combinations(range(len(factors)), 2):
        part = np.tile(canonical_cell(factors), (len(coarse[a]) * len(coarse[b]), 1))
        part[:, a], part[:, b] = (grid.ravel() for grid in np.meshgrid(coarse[a], coarse[b], indexing="ij"))
        parts.append(part)
    return np.concatenate(parts)


def random_cells(coarse: Sequence[np.ndarray], n: int, seed: int) -> np.ndarray:
    """Different random cells of the coarser grid, as many as asked or as there are, in random order."""
    shape = tuple(len(levels) for levels in coarse)
    size = math.prod(shape)
    rng = stream(seed, "natural-variation", "combinations")
    if size <= SHUFFLED:
        chosen = rng.permutation(size)[:n]
    else:  # a permutation of 101⁴ × 25 cells would take 20 GB
        chosen = rng.choice(size, min(n, size), replace=False)
    return np.stack([levels[at] for levels, at in zip(coarse, np.unravel_index(chosen, shape))], axis=1)
