"""Worlds and a design in which the truth is planted: what a study must find is so by construction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from unseen.designs import hold_out_combinations
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed, stream
from unseen.vocabulary.split import RowSet, Split
from unseen.worlds import make
from unseen.worlds.natural_variation import single_cells
from unseen.worlds.transforms import TRANSFORMATIONS

VERSION = 1  # of the worlds, and of the design below
SIDE = 8


@dataclass(frozen=True, eq=False)
class Pictured:
    """A world of grey 8×8 pictures, by a function of rows."""

    name: str
    samples: Samples
    paint: Any  # rows → [n, 8, 8] on the 0–255 scale
    arguments: tuple[object, ...]
    channels: int = 1
    size: tuple[int, int] = (SIDE, SIDE)
    dtype: Literal["uint8", "float32"] = "uint8"
    provenance: Mapping[str, str] = field(default_factory=lambda: {"source": "made for the controls of unseen"})

    @property
    def fingerprint(self) -> str:
        return hashlib.blake2b(repr((self.name, VERSION, self.arguments)).encode(), digest_size=8).hexdigest()

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        painted = np.clip(np.rint(self.paint(np.asarray(rows, dtype=np.int64))), 0, 255).astype(np.uint8)
        return torch.from_numpy(painted)[:, None].to(device)


def scrambled(levels: Sequence[str], *, factor: str, stored: bool, alike: bool = False) -> Pictured:
    """Handwritten digits; each level of ``factor`` has an order of the pixels of its own, so that nothing of one level
    helps with another, while for a network of Linear layers every level is as easy. ``alike``: all levels show the
    pictures as they are, so that everything helps. ``stored``: a digit has one level, and not all."""
    digits = make("digits", viewpoint="none")
    whole, block = digits.images(np.arange(len(digits.samples))).numpy()[:, 0], digits.samples.blocks[0]
    orders = np.stack([stream(0, "pixels", level).permutation(whole[0].size) for level in levels])
    if alike:
        orders = np.tile(np.arange(whole[0].size), (len(levels), 1))
    space = FactorSpace((digits.samples.space["category"], Factor(factor, tuple(levels), kind="nominal")))
    own = keyed(0, "level", np.arange(block.instances)) % np.uint64(len(levels))
    category = {"category": block.stored["category"]}
    made = Block(block.instances, {**category, factor: own.astype(np.int64)} if stored else category,
                 grid=() if stored else (factor,))  # fmt: skip
    samples = Samples(space, (made,))

    def paint(rows: np.ndarray) -> np.ndarray:
        _, instance, _ = samples.locate(rows)
        flat = whole[instance].reshape(len(rows), -1)
        return np.take_along_axis(flat, orders[samples.levels(factor, rows)], axis=1).reshape(-1, *whole.shape[1:])

    return Pictured("scrambled", samples, paint, (tuple(levels), factor, stored, alike), size=whole.shape[1:])


def two_cues(kinds: int = 6, *, instances: int = 60, noise: float = 40.0) -> Pictured:
    """The category is a pattern in the upper half of the picture, the place one in the lower half, under noise: either
    can be told without the other, once both have been seen with several levels of the other."""
    patterns = stream(0, "patterns").integers(0, 2, (2, kinds, SIDE // 2, SIDE)) * 120.0 + 60.0
    space = FactorSpace((
        Factor("category", tuple(f"pattern {k}" for k in range(kinds)), kind="category"),
        Factor("place", tuple(range(kinds)), kind="nominal"),
    ))  # fmt: skip
    block = Block(kinds * instances, {"category": np.repeat(np.arange(kinds), instances)}, grid=("place",))
    samples = Samples(space, (block,))

    def paint(rows: np.ndarray) -> np.ndarray:
        halves = [patterns[0, samples.levels("category", rows)], patterns[1, samples.levels("place", rows)]]
        return np.concatenate(halves, axis=1) + noise * _noise(rows)

    return Pictured("two-cues", samples, paint, (kinds, instances, noise))


def falling_back(levels: int = 10, *, ends: int = 7, instances: int = 10, noise: float = 6.0) -> Pictured:
    """Two lights, each as bright as its level says up to level ``ends`` − 1, and beyond as the middle of these levels:
    no network can tell what lies beyond, and answers must fall back to the mean; the rest can be read off."""
    space = FactorSpace((Factor("left", tuple(range(levels)), kind="ordinal"),
                         Factor("right", tuple(range(levels)), kind="ordinal"),
                         Factor("instance", tuple(range(instances)), kind="instance")))  # fmt: skip
    samples = Samples(space, (Block(1, {}, grid=("left", "right", "instance")),))

    def paint(rows: np.ndarray) -> np.ndarray:
        own = [samples.levels(name, rows) for name in ("left", "right")]
        lights = [np.where(level < ends, level, (ends - 1) / 2) for level in own]
        halves = [np.tile((20.0 + 200.0 / levels * light)[:, None, None], (1, SIDE, SIDE // 2)) for light in lights]
        return np.concatenate(halves, axis=2) + noise * _noise(rows)

    return Pictured("falling-back", samples, paint, (levels, ends, instances, noise))


def turned(kinds: int = 6, *, instances: int = 20, levels: int = 4, noise: float = 40.0) -> Pictured:
    """The category is a pattern in the upper half. Off their canonical level pose, background and size each put its
    pixels in an order of that level's own, so that a network knows it there only if it saw that; position and light
    change a corner of the lower half, which hides nothing."""
    patterns = stream(0, "categories").integers(0, 2, (kinds, SIDE // 2 * SIDE)) * 120.0 + 60.0
    names = ("pose", "position", "size", "light", "background")
    factors = tuple(Factor(name, tuple(range(levels)), kind="ordinal", canonical=0) for name in names)
    orders = {name: np.stack([stream(0, name, level).permutation(SIDE // 2 * SIDE) for level in range(levels)])
              for name in ("pose", "background", "size")}  # fmt: skip
    for order in orders.values():
        order[0] = np.arange(order.shape[1])
    n = kinds * instances
    space = FactorSpace((
        Factor("category", tuple(f"pattern {k}" for k in range(kinds)), kind="category"),
        Factor("object", tuple(range(n)), kind="instance"),
        *factors,
    ))  # fmt: skip
    own = {"category": np.repeat(np.arange(kinds), instances), "object": np.arange(n)}
    samples = Samples(space, (Block(n, own, grid=names, cells=single_cells(factors)),))

    def paint(rows: np.ndarray) -> np.ndarray:
        shown = patterns[samples.levels("category", rows)]
        for name, order in orders.items():
            shown = np.take_along_axis(shown, order[samples.levels(name, rows)], axis=1)
        below = np.full((len(rows), SIDE // 2, SIDE), 40.0)
        for corner, name in ((0, "position"), (SIDE - 2, "light")):
            below[:, -2:, corner : corner + 2] += 40.0 * samples.levels(name, rows)[:, None, None]
        return np.concatenate([shown.reshape(-1, SIDE // 2, SIDE), below], axis=1) + noise * _noise(rows)

    return Pictured("turned", samples, paint, (kinds, instances, levels, noise))


def textured(kinds: int = 6, *, instances: int = 100, noise: float = 40.0) -> Pictured:
    """The category is a pattern in the upper half, the texture the loud pattern that goes with a category, in the lower
    one: a network that may go by either goes by the louder, and one that finds no help in it goes by the other."""
    patterns = (
        stream(0, "patterns").integers(0, 2, (2, kinds, SIDE // 2, SIDE)) * np.array([60.0, 100.0])[:, None, None, None]
    )
    names = tuple(f"pattern {k}" for k in range(kinds))
    space = FactorSpace((Factor("category", names, kind="category"), Factor("texture", names, kind="nominal")))
    block = Block(kinds * instances, {"category": np.repeat(np.arange(kinds), instances)}, grid=("texture",))
    samples = Samples(space, (block,))

    def paint(rows: np.ndarray) -> np.ndarray:
        faint, loud = (patterns[at, samples.levels(name, rows)] for at, name in enumerate(space.names))
        return np.concatenate([90.0 + faint, 70.0 + loud], axis=1) + noise * _noise(rows)

    return Pictured("textured", samples, paint, (kinds, instances, noise))


def marred(kinds: int = 6, *, instances: int = 120, noise: float = 20.0, worse: float = 120.0) -> Pictured:
    """The category is a pattern, whose pixels each level of the light has in an order of its own: one never shown is
    not known. Every second object lies under six times the noise, so that all networks find the same ones hard."""
    patterns = stream(0, "patterns").integers(0, 2, (kinds, SIDE * SIDE)) * 120.0 + 60.0
    levels = ("morning", "noon", "evening", "night")
    orders = np.stack([stream(0, "light", level).permutation(SIDE * SIDE) for level in levels])
    space = FactorSpace((
        Factor("category", tuple(f"pattern {k}" for k in range(kinds)), kind="category"),
        Factor("light", levels, kind="nominal"),
    ))  # fmt: skip
    block = Block(kinds * instances, {"category": np.repeat(np.arange(kinds), instances)}, grid=("light",))
    samples = Samples(space, (block,))

    def paint(rows: np.ndarray) -> np.ndarray:
        _, instance, _ = samples.locate(rows)
        flat = np.take_along_axis(
            patterns[samples.levels("category", rows)], orders[samples.levels("light", rows)], axis=1
        )
        spread = np.where(keyed(0, "marred", instance) % np.uint64(2) == 0, noise, worse)
        return flat.reshape(-1, SIDE, SIDE) + spread[:, None, None] * _noise(rows)

    return Pictured("marred", samples, paint, (kinds, instances, noise, worse))


def _noise(rows: np.ndarray) -> np.ndarray:
    """Standard normal, by the row's own number."""
    ids = np.asarray(rows)[:, None] * (SIDE * SIDE) + np.arange(SIDE * SIDE)
    one, two = (keyed(0, name, ids) / 2.0**64 for name in ("radius", "angle"))
    return (np.sqrt(-2 * np.log1p(-one)) * np.cos(2 * np.pi * two)).reshape(-1, SIDE, SIDE)


def tied_choices(samples: Samples, *, columns: str, seen_per_level: int, tied: Sequence[float], seed: int) -> Split:
    """Held-out combinations in which a share of the training images comes from one cell for each level, so that the two
    factors are tied to each other. The share is another one for each choice of cells and diversity (a Latin square of
    ``tied``): a common cause of how well a network generalises and of how specialized its units are."""
    given: dict[str, Any] = {"columns": columns, "shares": (0.6, 0.1, 0.3), "probe_per_cell": 6, "seed": seed}
    split = hold_out_combinations(samples, seen_per_level=seen_per_level, **given)
    one, even = (
        each.rows(samples, "train") for each in (hold_out_combinations(samples, seen_per_level=1, **given), split)
    )
    share = tied[(seed + seen_per_level) % len(tied)]
    mixed = np.where(keyed(seed, "tied", np.arange(len(even))) / 2.0**64 < share, np.sort(one), np.sort(even))
    train = RowSet(f"{share:.0%} of the images from one cell for each level", "train", listed=np.unique(mixed))
    return replace(split, sets={**split.sets, "train": train})


def patched(
    levels: Sequence[str], *, kinds: int = 30, instances: int = 300, noise: float = 60.0, light: float = 160.0
) -> Pictured:
    """The category is a pattern in the upper half; the lower half is dark at level "none". Any transformation lights
    it, which takes nothing from the pattern: a network that saw this for most categories has little reason to heed it,
    and one that saw it for some takes it for their mark. A geometric one lights it more and is the stronger mark.

    Every row has its own noise, and there are many more images than a draw takes: see ``docs/results/controls.md`` for
    what a shuffled study said with one noise per instance and a third of the images."""
    patterns = stream(0, "categories").integers(0, 2, (kinds, SIDE // 2, SIDE)) * 120.0 + 60.0
    space = FactorSpace((
        Factor("category", tuple(f"pattern {k}" for k in range(kinds)), kind="category"),
        Factor("transformation", ("none", *levels), kind="nominal", canonical=0),
    ))  # fmt: skip
    block = Block(kinds * instances, {"category": np.repeat(np.arange(kinds), instances)}, grid=("transformation",))
    samples = Samples(space, (block,))
    stronger = {name: 1.2 if TRANSFORMATIONS[name].family == "geometric" else 1.0 for name in levels}
    lights = np.array([0.0, *(light * stronger[name] for name in levels)])

    def paint(rows: np.ndarray) -> np.ndarray:
        below = lights[samples.levels("transformation", rows)][:, None, None]
        shown = patterns[samples.levels("category", rows)]
        return np.concatenate([shown, np.tile(below, (1, SIDE // 2, SIDE))], axis=1) + noise * _noise(rows)

    return Pictured("patched", samples, paint, (tuple(levels), kinds, instances, noise, light))
