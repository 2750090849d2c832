"""Train on one level of a factor, on a few, or on all but one, and ask every level (Geirhos et al. 2018, Fig. 4).

A distortion, a transformation, a collection, a style: any factor beside the category. One trial gives one row of the
matrix; a study's grid over ``train`` or ``train_all_but`` gives the whole. (The matrix of Zaidi et al. 2020, Fig. 2a,
has rows ``train = ["none", "blur"]`` and the like.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.designs.exposure import check_filled, images_shown, visits
from unseen.designs.quotas import computed, plain_sizes, take_each
from unseen.vocabulary.design_facts import Conditions
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor, Level
from unseen.vocabulary.instances import alone, kept_together
from unseen.vocabulary.plain_numbers import is_whole
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available

VERSION = 1


def matrix(
    samples: Samples,
    *,
    category: str = "category",
    factor: str,
    train: Sequence[Level] | None = None,
    train_all_but: Level | None = None,
    visits_per_image: int | None = None,
    balance: str = "categories",
    images_per_category: int | None = None,
    test_images_per_category: int | None = None,
    probe_per_cell: int = 100,
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Train on the levels ``train`` of ``factor``, or on ``train_all_but`` one; ask all: sets ``test-<level>``.

    Training images are the same whatever the levels, and so are test images (which are others). Where the world
    computes the factor, an image appears at each trained level equally often: an epoch lists it ``visits_per_image``
    times, once per trained level unless given. Geirhos et al. draw one distortion per visit with equal probability, so
    that all their networks take as many steps; give the same ``visits_per_image`` to every trial for that: one that is
    no multiple of the number of levels has images take turns. Where the factor is stored (each image has one level),
    every trained cell is listed equally often. ``balance`` and ``images_per_category`` (per cell, where the factor is
    stored) are those of :func:`expose`. Networks are asked for the category at every level,
    never for the level itself.
    """
    kind, trained = samples.space[factor], _trained(samples, category, factor, train, train_all_but)
    shown_images, most, probed = plain_sizes(
        images_per_category=images_per_category,
        test_images_per_category=test_images_per_category,
        probe_per_cell=probe_per_cell,
    )
    factors = (category, factor)
    disjoint_by = kept_together(samples, disjoint_by, factors)
    pools = Pools(
        tuple(float(share) for share in shares),
        by=disjoint_by,
        within=_within(samples, factors, disjoint_by),
        seed=seed,
    )
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    every, n = range(len(kind)), len(samples.space[category])
    for pool, counts in supply.items():
        check_filled(samples, {pool: counts}, factors, every if pool == "test" else trained, pools)
    free = computed(samples, factors)[1]
    times = _times(visits_per_image, len(trained), free, factor)

    def drawn(reason: str, pool: str, images: int | None) -> RowSet:
        """Where images can show every level they take turns; else each trained cell has its own."""
        parts: list[Part] = []
        groups = [tuple(trained)] if free else [(level,) for level in trained]
        at = {(c, levels): int(supply[pool][c, levels[0]]) for levels in groups for c in range(n)}
        numbers = images_shown(dict(enumerate(at.values())), balance, images)
        for (c, levels), shown in zip(at, numbers.values()):
            parts += visits(c, levels, at[c, levels], shown, times=times)
        return RowSet(reason, pool, tuple(parts))

    names = [str(kind.levels[level]) for level in trained]
    words = _words(kind, trained, names)
    sets = {"train": drawn(f"{factor}: {words}, each equally often", "train", shown_images)}
    if supply["validation"][:, trained].any():
        sets["validation"] = drawn("new images in the proportions of training, to choose the epoch", "validation", None)
    others = tuple(name for name in samples.space.names if name != factor)
    for level in every:
        seen = level in trained
        reason = f"{factor} {kind.levels[level]}, {'as trained' if seen else 'never seen in training'}, new images"
        parts = take_each([(c, level) for c in range(n)], supply["test"], most)
        sets[f"test-{kind.levels[level]}"] = RowSet(reason, "test", parts, asks=None if seen else others)
    probe = take_each([(c, level) for c in range(n) for level in every], supply["test"], probed)
    sets["probe"] = RowSet(f"every {category} at every level of {factor}, for the activity of units", "test", probe)
    facts = Conditions(
        trained=words,
        trained_levels=tuple(names),
        factor=factor,
        combinations=n * len(trained),
        grid=(n, len(kind)),
        balance=balance,
        disjoint_by=disjoint_by,
        withheld={factor: tuple(level for level in every if level not in trained)},
        visits_per_image=times,
    )
    return Split(factors, sets, pools, facts)


def _trained(
    samples: Samples, category: str, factor: str, train: Sequence[Level] | None, all_but: Level | None
) -> list[int]:
    """Numbers of the levels to train on."""
    if category == factor:
        raise UnseenError(f"design.category and design.factor are both '{factor}'; name two factors.")
    samples.space[category]
    kind = samples.space[factor]
    if (train is None) == (all_but is None):
        raise UnseenError(
            f"{'both' if train is not None else 'neither'} of design.train (a list of levels of '{factor}') and "
            f"design.train_all_but (one level) {'are' if train is not None else 'is'} given; give one of the two. "
            f"Levels: {listed(kind.levels)}."
        )
    if all_but is not None:
        left = kind.index(all_but)
        if len(kind) < 2:
            raise UnseenError(f"factor '{factor}' has one level, so that all but it leaves nothing to train on.")
        return [level for level in range(len(kind)) if level != left]
    assert train is not None
    if isinstance(train, str):
        raise UnseenError(f'design.train = {train!r} must be a list of levels, e.g. ["{train}"].')
    levels = [kind.index(level) for level in train]
    twice = [kind.levels[level] for level in sorted(set(levels)) if levels.count(level) > 1]
    if not levels or twice:
        wrong = f"names {listed(twice)} more than once" if twice else "is empty"
        raise UnseenError(
            f"design.train {wrong}; give each level of '{factor}' to train on once: {listed(kind.levels)}."
        )
    return sorted(levels)


def _within(samples: Samples, factors: tuple[str, str], disjoint_by: str) -> tuple[str, ...]:
    """Shares are exact in each cell where images stand alone; what stays together has no one level of its own."""
    return factors if alone(samples, disjoint_by) else factors[:1]


def _times(given: object, levels: int, free: bool, factor: str) -> int:
    if given is None:
        return levels if free else 1
    if not free:
        raise UnseenError(
            f"design.visits_per_image = {given}, but '{factor}' is stored with each image: it has one level to show."
        )
    if not is_whole(given) or given < 1:
        raise UnseenError(f"design.visits_per_image = {given!r} is a number of visits per epoch, from 1.")
    return int(given)


def _words(kind: Factor, trained: Sequence[int], names: Sequence[str]) -> str:
    """What is trained on, in words."""
    out = np.setdiff1d(np.arange(len(kind)), trained)
    if len(out) == 1 and len(kind) > 2:
        return f"all but {kind.levels[out[0]]}"
    return " + ".join(names) if len(out) else "all"
