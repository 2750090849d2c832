"""Which instances a generator learns from, and which are kept for its world: never the same."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.instances import kept_together
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import Pools, membership
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.world import World

FACTOR, REAL, GENERATED, GIVEN = "origin", "real", "generated", "given"


@dataclass(frozen=True, eq=False)
class Parted:
    """Rows of the inner world to learn from, its samples without these instances, and the inner row of each of them."""

    learned: np.ndarray
    left: Samples
    kept: tuple[np.ndarray, ...]  # instances of each block that are left
    inner: Samples

    def inner_rows(self, rows: np.ndarray) -> np.ndarray:
        """Rows of ``left`` as rows of the inner world."""
        block, instance, cell = self.left.locate(rows)
        found = np.empty(len(instance), dtype=np.int64)
        start = 0
        for place, kept in enumerate(self.kept):
            here, size = block == place, self.inner.grid_size(place)
            found[here] = start + kept[instance[here]] * size + cell[here]
            start += self.inner.blocks[place].instances * size
        return found


def parted(inner: World, *, category: str, learn_from: float, views: int, seed: int) -> Parted:
    """A share of each category's instances to learn from, up to ``views`` pictures of each; where the source names
    pools, none of its test images. Photos of one object stay together."""
    samples = inner.samples
    for block in samples.blocks:
        if category not in block.stored:
            samples.space[category]
            raise UnseenError(
                f"factor '{category}' of world '{inner.name}' is computed, so that one instance takes all of its "
                f"levels; a generator learns categories that instances have by themselves."
            )
    pools = Pools((learn_from, 0.0, 1 - learn_from), kept_together(samples, "instance", (category,)), category,
                  seed=seed)  # fmt: skip
    mine = membership(samples, pools) == 0
    blocks, kept, rows, start, row_start = [], [], [], 0, 0
    for place, block in enumerate(samples.blocks):
        here, size = mine[start : start + block.instances], samples.grid_size(place)
        learned, left = np.flatnonzero(here), np.flatnonzero(~here)
        cells = np.arange(size)
        if size > views:
            drawn = keyed(seed, "views", (start + learned)[:, None] * np.int64(views) + np.arange(views))
            rows.append((row_start + learned[:, None] * size + (drawn % np.uint64(size)).astype(np.int64)).ravel())
        else:
            rows.append((row_start + learned[:, None] * size + cells).ravel())
        blocks.append(_only(block, left))
        kept.append(left)
        start, row_start = start + block.instances, row_start + block.instances * size
    learned_rows = np.unique(np.concatenate(rows))
    left_samples = Samples(samples.space, tuple(blocks))
    if len(learned_rows) < 2 or not left_samples.instances:
        raise UnseenError(
            f"world '{inner.name}' has {samples.instances} instances, of which a generator would learn from "
            f"{int(mine.sum())} and {left_samples.instances} would be left; both need some. `learn_from` is the share "
            f"to learn from ({learn_from:g})."
        )
    return Parted(learned_rows, left_samples, tuple(kept), samples)


def _only(block: Block, instances: np.ndarray) -> Block:
    def some(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else np.asarray(values)[instances]

    names = None if block.names is None else [block.names[place] for place in instances]
    return replace(
        block,
        instances=len(instances),
        stored={name: column[instances] for name, column in block.stored.items()},
        attributes={name: np.asarray(column)[instances] for name, column in block.attributes.items()},
        pool=some(block.pool),
        content=some(block.content),
        names=names,
    )


def origin(*levels: str) -> Factor:
    texts = {REAL: "real", GENERATED: "drawn by a generator", GIVEN: "what the generator is given"}
    return Factor(FACTOR, levels, kind="nominal", canonical=0, texts=tuple(texts[level] for level in levels))


def check_numbers(inner: World, learn_from: object, lr: object, seed: object, **whole: object) -> None:
    if FACTOR in inner.samples.space:
        raise UnseenError(f"world '{inner.name}' has a factor '{FACTOR}' already; generate from the world inside it.")
    if isinstance(learn_from, bool) or not isinstance(learn_from, int | float) or not 0 < learn_from < 1:
        raise UnseenError(
            f"`learn_from` is the share of the instances that a generator learns from, between 0 and 1; "
            f"{learn_from!r} was given."
        )
    if isinstance(lr, bool) or not isinstance(lr, int | float) or not 0 < lr < 1:
        raise UnseenError(f"`lr` is a learning rate between 0 and 1; {lr!r} was given.")
    if not is_whole(seed):
        raise UnseenError(f"`seed` is a whole number; {seed!r} was given.")
    for name, value in whole.items():
        if not is_whole(value) or value < 1:  # pyright: ignore[reportOperatorIssue]
            raise UnseenError(f"`{name}` is a whole number from 1 on; {value!r} was given.")
    if min(inner.size) < 8:
        raise UnseenError(
            f"pictures of world '{inner.name}' are {inner.size[1]}×{inner.size[0]}; at least 8×8 are drawn."
        )
