"""A test set made anew by the same generator, and with one factor shifted (after Recht et al. 2019).

There, test sets of ImageNet and CIFAR-10 were collected again as the first ones had been, and all models lost several
points: nobody knows which difference in the making it was. Here the maker is known: new objects of the same generator
(``replica``), and the same new objects with one factor at levels that were never shown (``shifted``). Which images of
the replica are kept is settled afterwards, from answers (kind ``replica``). The design is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from unseen.designs.exposure import check_filled
from unseen.designs.quotas import computed, plain_sizes
from unseen.vocabulary.design_facts import Replicated
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor, Level
from unseen.vocabulary.instances import kept_together
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available

VERSION = 1
ORIGINAL, REPLICA, SHIFTED = "original", "replica", "shifted"


def replicate(
    samples: Samples,
    *,
    category: str = "category",
    factor: str,
    shifted: Sequence[Level],
    original_per_category: int | None = None,
    images_per_category: int | None = None,
    shares: Sequence[float] = (0.5, 0.1, 0.4),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Train and test on all levels of ``factor`` but those ``shifted``; test again on new objects, usual and shifted.

    Sets: ``train``; ``validation``; ``original``, new objects (``original_per_category``, half of the test pool unless
    given); ``replica``, the other test objects, made and chosen alike; ``shifted``, those of the replica at the shifted
    levels. Images take the levels of the factor in turn. ``images_per_category`` bounds training. Other factors that
    the world computes take one level per image, by chance.
    """
    away, usual = _levels(samples, category, factor, shifted)
    shown, first = plain_sizes(images_per_category=images_per_category, original_per_category=original_per_category)
    factors, n = (category, factor), len(samples.space[category])
    disjoint_by = kept_together(samples, disjoint_by, factors)
    pools = Pools(tuple(float(share) for share in shares), by=disjoint_by, within=(category,), seed=seed)
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    check_filled(samples, supply, factors, range(len(samples.space[factor])), pools)
    there = {pool: [int(counts[c, usual[0]]) for c in range(n)] for pool, counts in supply.items()}
    split_at = [found // 2 if first is None else first for found in there["test"]]
    for c, (at, found) in enumerate(zip(split_at, there["test"])):
        if found < 2:
            raise UnseenError(
                f"'{samples.space[category].levels[c]}' has {found} test object, and two are needed, one for the "
                f"original and one for the replica; give the world more objects, or the test pool a larger share "
                f"(design.shares)."
            )
        if not 0 < at < found:
            raise UnseenError(
                f"'{samples.space[category].levels[c]}' has {found} test objects, and original_per_category = {first} "
                f"leaves none for the replica; give fewer, or more objects to the world."
            )
    if shown is not None and shown > min(there["train"]):
        raise UnseenError(
            f"design.images_per_category = {shown}, but the smallest category has {min(there['train'])} images to "
            f"train on; give fewer, or leave it out to take all."
        )

    def turned(levels: Sequence[int], take: Sequence[int], skip: Sequence[int]) -> tuple[Part, ...]:
        return tuple(part for c in range(n) for part in turns(c, levels, take[c], skip[c]))

    none, left = [0] * n, [found - at for found, at in zip(there["test"], split_at)]
    words = f"{factor} as usual ({listed([samples.space[factor].levels[level] for level in usual], 6)})"
    others = tuple(name for name in samples.space.names if name != factor)
    images = there["train"] if shown is None else [shown] * n
    sets = {"train": RowSet(words, "train", turned(usual, images, none))}
    if supply["validation"].any():
        kept = turned(usual, there["validation"], none)
        sets["validation"] = RowSet("new images made like those of training, to choose the epoch", "validation", kept)
    sets |= {
        ORIGINAL: RowSet(f"new objects, {words}", "test", turned(usual, split_at, none)),
        REPLICA: RowSet(f"other new objects, made and chosen alike, {words}", "test",
                        turned(usual, left, split_at)),
        SHIFTED: RowSet(f"the objects of the replica, {factor} never shown in training", "test",
                        turned(away, left, split_at), asks=others),
    }  # fmt: skip
    facts = Replicated(
        factor=factor, category=category, shifted=tuple(str(samples.space[factor].levels[level]) for level in away),
        combinations=n * len(usual), grid=(n, len(samples.space[factor])), disjoint_by=disjoint_by,
        withheld={factor: tuple(away)},
    )  # fmt: skip
    return Split(factors, sets, pools, facts)


def turns(category: int, levels: Sequence[int], take: int, skip: int) -> list[Part]:
    """``take`` objects of a category after ``skip``, at the levels in turn.

    >>> [(part.cell, part.take, part.skip) for part in turns(2, (0, 1), 5, 10)]
    [((2, 0), 3, 10), ((2, 1), 2, 13)]
    """
    parts = []
    for place, level in enumerate(levels):
        run = take // len(levels) + (place < take % len(levels))
        if run:
            parts.append(Part((category, level), run, skip))
        skip += run
    return parts


def _levels(samples: Samples, category: str, factor: str, shifted: object) -> tuple[list[int], list[int]]:
    """Numbers of the levels to shift to, and of the usual ones."""
    if category == factor:
        raise UnseenError(f"design.category and design.factor are both '{category}'; name two factors.")
    samples.space[category]
    kind: Factor = samples.space[factor]
    if not computed(samples, (factor,))[0]:
        raise UnseenError(
            f"'{factor}' is stored with each image of this world, so that no object can be shown at another level of "
            f"it; this design needs it computed, as rendered and transformed worlds do."
        )
    if isinstance(shifted, str) or not isinstance(shifted, Sequence):
        raise UnseenError(f"design.shifted = {shifted!r} is a list of levels of '{factor}': {listed(kind.levels)}.")
    away = sorted({kind.index(level) for level in shifted})
    usual = [level for level in range(len(kind)) if level not in away]
    if not away or not usual:
        many = "no level" if not away else "every level"
        raise UnseenError(
            f"design.shifted names {many} of '{factor}'; name some, and leave some to train on: {listed(kind.levels)}."
        )
    return away, usual
