"""Show a transformation for some categories only, and ask it of the others (Zaidi et al. 2020, section 2.1).

**Alternatives with a probability.** In the paper an image of a category seen transformed is transformed with
probability one half whenever it is drawn, and categories and images are drawn uniformly. A row set made of parts may
list a row more than once, and it is then drawn more often. So every training image is listed *twice*: plain and
transformed where its category is seen transformed, plain both times elsewhere. An epoch visits each image twice, half
of the visits to a seen-transformed category are transformed, and neither the number of steps nor the weight of any
category or image depends on how many categories are seen. Within an epoch this is a draw without replacement (exactly
one visit of each kind), where the paper tosses a coin; over many epochs the two are alike.

**Uniform over categories** where they differ in size (``balance="categories"``): the largest sets the number of images,
and smaller ones list theirs again, each as often as any other to within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Int

from unseen.designs.apart import things_told, ways_apart
from unseen.designs.quotas import even, plain_sizes, take_each
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, Level
from unseen.vocabulary.instances import kept_together
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.split import Part, RowSet, Split, available

VERSION = 1
BALANCES = ("categories", "images")


def expose(
    samples: Samples,
    *,
    category: str = "category",
    transformation: str = "transformation",
    level: Level | Sequence[Level],
    plain: Level = "none",
    seen: int,
    balance: str = "categories",
    images_per_category: int | None = None,
    test_images_per_category: int | None = None,
    probe_per_category: int = 100,
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Show ``level`` of ``transformation`` for ``seen`` categories, the others at ``plain`` only (Zaidi et al. 2020).

    The seen-transformed categories are random and nested: those of a smaller ``seen`` are among those of a larger one
    with the same seed, whatever the transformation. 0 is the plainly trained baseline, and all categories the upper
    bound. Sets: ``train``; ``validation``, new images in the same proportions; ``within``, transformed test images of
    seen-transformed categories; ``across``, of the others; ``plain``, the same test images untransformed; ``probe``,
    test images of every category, plain and transformed, for units (see :func:`paired_rows`). ``within`` is empty for
    ``seen = 0``, and ``across`` where all are seen.

    With ``seen = 0``, ``level`` may be a list: one network that never saw any of them is the baseline of all. Then
    there are ``across-<level>`` of each in place of ``within`` and ``across``, and the probe has every image at every
    level.

    ``balance="images"`` draws every image alike, so that larger categories are drawn more often.
    ``images_per_category`` takes so many training images of each. Other factors that the world computes take one level
    per image, by chance, the same plain and transformed. What the source leaves open is ours: shares of the pools,
    bounds on sets, and balancing by repetition.
    """
    kinds = _two(samples, category, transformation)
    shown_images, most, probed = plain_sizes(
        images_per_category=images_per_category,
        test_images_per_category=test_images_per_category,
        probe_per_category=probe_per_category,
    )
    off, *ons = _levels(kinds[1], plain, level)
    names, several, n = [kinds[1].levels[on] for on in ons], not isinstance(level, str | Real), len(kinds[0])
    if not is_whole(seen) or not 0 <= seen <= n:
        raise UnseenError(
            f"design.seen = {seen!r}, but factor '{category}' has {n} levels; give a number from 0 (none seen "
            f"transformed) to {n} (all)."
        )
    seen = int(seen)
    if several and seen:
        raise UnseenError(
            f"design.level lists {len(ons)} levels ({listed(names)}), which only a network that sees none of them can "
            f"be asked; set design.seen = 0, or give one level."
        )
    factors = (category, transformation)
    disjoint_by = kept_together(samples, disjoint_by, factors)
    pools = Pools(tuple(float(share) for share in shares), by=disjoint_by, within=(category,), seed=seed)
    supply = _supply(samples, pools, factors, [off, *ons])
    exposed = exposed_categories(n, seed)[:seen]
    others = np.setdiff1d(np.arange(n), exposed)
    shown = {int(c): (off, ons[0]) if c in exposed else (off,) for c in range(n)}

    def drawn(reason: str, pool: str, most: int | None) -> RowSet:
        at = {c: int(supply[pool][c, off]) for c in shown}
        images = images_shown(at, balance, most)
        parts = [part for c in shown for part in visits(c, shown[c], at[c], images[c], times=2)]
        return RowSet(reason, pool, tuple(parts))

    def asked(reason: str, categories: Sequence[int] | np.ndarray, level: int, most: int | None) -> RowSet:
        cells = [(int(c), level) for c in categories]
        asks = None if seen else tuple(name for name in samples.space.names if name != transformation)
        return RowSet(reason, "test", take_each(cells, supply["test"], most), asks=asks)

    many, by = f"{seen} of {n} levels of {category}", f"{transformation} {listed(names)}"
    sets = {"train": drawn(f"{by}, with probability one half, for {many}; the others plain", "train", shown_images)}
    if supply["validation"][:, off].any():
        reason = "new images in the proportions of training, to choose the epoch"
        sets["validation"] = drawn(reason, "validation", None)
    if not several:
        sets["within"] = asked(f"{by} of the {seen} levels of {category} seen so in training", exposed, ons[0], most)
    for on, name in zip(ons, names):
        reason = f"{transformation} {name} of the {n - seen} levels of {category} never seen so"
        sets[f"across-{name}" if several else "across"] = asked(reason, others, on, most)
    sets["plain"] = asked(f"untransformed test images of every {category}", range(n), off, most)
    probe = [(c, at) for c in range(n) for at in (off, *ons)]
    sets["probe"] = RowSet(
        f"the same test images of every {category}, plain and transformed, for the activity of units",
        "test",
        take_each(probe, supply["test"], probed),
    )
    facts = Exposed(
        seen=seen,
        exposed=tuple(kinds[0].levels[c] for c in exposed),
        exposed_numbers=tuple(int(c) for c in exposed),
        transformation=transformation,
        level=None if several else names[0],
        levels=tuple(names) if several else (),
        plain=kinds[1].levels[off],
        combinations=n + seen,
        grid=(n, 1 + len(ons)),
        balance=balance,
        disjoint_by=disjoint_by,
        withheld={transformation: tuple(other for other in range(len(kinds[1])) if other not in (off, *ons))},
        visits_per_image=2,
    )
    return Split(factors, sets, pools, facts)


def exposed_categories(categories: int, seed: int) -> Int[np.ndarray, " categories"]:
    """Category numbers in the order in which they come to be seen transformed.

    >>> bool((np.sort(exposed_categories(10, 3)) == np.arange(10)).all())
    True
    """
    return np.argsort(keyed(seed, "exposed categories", np.arange(categories)))


def visits(category: int, levels: Sequence[int], supply: int, images: int, *, times: int) -> list[Part]:
    """Parts that list ``images`` images of a category ``times`` times each, at each of the ``levels`` equally often.

    If ``times`` is no multiple of the number of levels, images take turns: the first run of them starts with the first
    level, the next one with the second. If there are fewer images than asked for, they are listed again, and go on with
    the level at which they stopped.

    >>> [(part.cell, part.take) for part in visits(3, (0, 1), 10, 10, times=2)]
    [((3, 0), 10), ((3, 1), 10)]
    >>> [(part.cell, part.take, part.skip) for part in visits(3, (0, 1), 10, 10, times=1)]
    [((3, 0), 5, 0), ((3, 1), 5, 5)]
    >>> [part.cell for part in visits(3, (0, 1, 2), 1, 3, times=1)]
    [(3, 0), (3, 1), (3, 2)]
    """
    parts = []
    for turned, take in enumerate([*[supply] * (images // supply), images % supply] if supply else []):
        runs = [take] if times % len(levels) == 0 else even(take, len(levels)).tolist()
        skip = 0
        for first, run in enumerate(runs):
            order = [levels[(first + turned * times + turn) % len(levels)] for turn in range(times)]
            parts += [Part((category, level), run, skip) for level in order if run]
            skip += run
    return parts


def images_shown(supply: Mapping[int, int], balance: str, most: int | None) -> dict[int, int]:
    """How many images of each category an epoch shows, repeated ones included."""
    if balance not in BALANCES:
        raise unknown("value for design.balance", balance, BALANCES)
    largest = max(supply.values(), default=0)
    if most is not None and most > largest:
        raise UnseenError(
            f"design.images_per_category = {most}, but the largest category has {largest} images in this pool; give "
            f"fewer, or leave it out to take all."
        )
    bound = largest if most is None else most
    return {c: bound if balance == "categories" else min(bound, n) for c, n in supply.items()}


def paired_rows(
    samples: Samples, split: Split, name: str = "probe", level: Level | None = None
) -> tuple[Int[np.ndarray, " images"], Int[np.ndarray, " images"]]:
    """The plain and the transformed rows of a set of :func:`expose`, the same image at the same place of both.

    ``level`` is one of :func:`shown_levels`, and must be named where there are several."""
    there = shown_levels(split)
    if level is None and len(there) > 1:
        raise UnseenError(f"this split asks {len(there)} levels; name the one to pair: {listed(there)}.")
    level = there[0] if level is None else level
    if level not in there:
        raise unknown("level", level, there, where="this split")
    facts = Exposed.of(split.facts)
    factor = samples.space[facts.transformation]
    rows = np.unique(split.rows(samples, name))
    at = samples.levels(factor.name, rows)
    block, instance, _ = samples.locate(rows)
    own = samples.cells(rows, [other for other in samples.space.names if other != factor.name])
    identity = np.column_stack([block, instance, own])
    halves = []
    for which in (facts.plain, level):
        places = np.flatnonzero(at == factor.index(which))
        halves.append(places[np.lexsort(identity[places].T)])
    if len(halves[0]) != len(halves[1]) or (identity[halves[0]] != identity[halves[1]]).any():
        raise UnseenError(f"row set '{name}' does not hold each image plain and transformed; 'probe' does.")
    return rows[halves[0]], rows[halves[1]]


def shown_levels(split: Split) -> list[Level]:
    """The transformations that a split of :func:`expose` shows or asks."""
    if not isinstance(split.facts, Exposed):
        raise UnseenError("only a split by `expose` holds each image plain and transformed.")
    return list(split.facts.transformations)


def _two(samples: Samples, category: str, transformation: str) -> tuple[Factor, Factor]:
    if category == transformation:
        raise UnseenError(f"design.category and design.transformation are both '{category}'; name two factors.")
    if transformation not in samples.space:
        raise UnseenError(
            f"{unknown('factor', transformation, samples.space.names, where='this world')} "
            f"A world that is wrapped by transformations has such a factor."
        )
    kinds = samples.space[category], samples.space[transformation]
    if len(kinds[0]) < 2:
        raise UnseenError(
            f"factor '{category}' has one level, so that every answer is right and none can be held back; this design "
            f"needs at least two."
        )
    if not all(transformation in block.grid for block in samples.blocks):
        raise UnseenError(
            f"'{transformation}' is stored with each image of this world, so that no image is there both plain and "
            f"transformed; this design needs it computed (a world wrapped by transformations)."
        )
    return kinds


def _levels(factor: Factor, plain: Level, level: object) -> list[int]:
    """The place of the plain level, then those of the transformations."""
    given: list[Any] = [level] if isinstance(level, str) or not isinstance(level, Iterable) else list(level)
    if not all(isinstance(one, str | Real) for one in given):
        others = [other for other in factor.levels if other != plain]
        raise UnseenError(
            f"design.level = {level!r} is neither a level of '{factor.name}' nor a list of levels; possible: "
            f"{listed(others)}."
        )
    off, ons = factor.index(plain), [factor.index(one) for one in given]
    if not ons or len(set(ons)) < len(ons):
        raise UnseenError(
            f"design.level = {given!r} names {'a level twice' if ons else 'no level'}; list each level of "
            f"'{factor.name}' once."
        )
    if off in ons:
        others = [other for other in factor.levels if other != factor.levels[off]]
        raise UnseenError(
            f"design.level and design.plain are both '{plain}'; the transformation shown must be another level of "
            f"'{factor.name}': {listed(others)}."
        )
    return [off, *ons]


def _supply(samples: Samples, pools: Pools, factors: tuple[str, str], levels: list[int]) -> dict[str, np.ndarray]:
    """Images by pool and cell; every category needs some of each pool that has a share, plain and transformed."""
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    check_filled(samples, supply, factors, levels, pools)
    if any((counts[:, levels[:1]] != counts[:, levels[1:]]).any() for counts in supply.values()):
        raise UnseenError(
            f"some images of this world are there plain or transformed, but not both, so that none can be transformed "
            f"with probability one half; it lists only some cells of '{factors[1]}'."
        )
    return supply


def check_filled(
    samples: Samples, supply: Mapping[str, np.ndarray], factors: tuple[str, str], levels: Sequence[int], pools: Pools
) -> None:
    """No cell that is shown or asked may be empty; a pool without any image is one that has no share."""
    for pool, counts in supply.items():
        names = samples.space[factors[0]].levels
        bare = [names[c] for c in np.flatnonzero((counts[:, list(levels)] == 0).any(axis=1))]
        if bare and (pool != "validation" or counts.any()):
            usual = "give this pool a larger share (design.shares)"
            ways = ways_apart(samples, pools, factors, partial(_fills, samples, factors, levels)) or [usual]
            told = f"{things_told(samples, pools)} ".lstrip()
            raise UnseenError(
                f"{len(bare)} of {len(names)} levels of '{factors[0]}' have no image in pool '{pool}': {listed(bare)}. "
                f"{told}Add images, leave them out of the world, or {', or '.join(ways)}."
            )


def _fills(samples: Samples, factors: tuple[str, str], levels: Sequence[int], pools: Pools) -> bool:
    """Whether every pool has an image of each of these cells."""
    return all((available(samples, pools, pool, factors)[:, list(levels)] > 0).all() for pool in POOLS)
