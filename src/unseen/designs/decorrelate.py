"""Two cues that agree in training, less and less, and conflict at test: shape and texture (Geirhos et al. 2019).

There, networks are trained on photographs, in which shape and texture agree, and asked images in which they were made
to conflict by style transfer; a network that was trained on stylised images, whose texture tells nothing, goes by
shape. Here both cues are factors of the world, so that how much the texture tells in training is set, from everything
to nothing. The design is ours.

**Textures take turns.** Training objects stand in one random order. The first ones, the share ``decorrelated``, take
all levels of the cue in turn, starting with their own category's; the others keep their own category's. So objects,
images and the number of steps are the same at every share, and an object that has lost its own texture at one share has
the same other one at every larger share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.designs.exposure import check_filled
from unseen.designs.quotas import plain_sizes, take_each
from unseen.vocabulary.design_facts import Decorrelated
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.instances import kept_together
from unseen.vocabulary.plain_numbers import is_number
from unseen.vocabulary.pools import POOLS, Pools
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Part, RowSet, Split, available

VERSION = 1
AGREEING, CONFLICTING = "agreeing", "conflicting"


def decorrelate(
    samples: Samples,
    *,
    category: str = "category",
    cue: str = "texture",
    decorrelated: float,
    images_per_category: int | None = None,
    test_images_per_category: int | None = None,
    shares: Sequence[float] = (0.7, 0.1, 0.2),
    disjoint_by: str = "instance",
    seed: int,
) -> Split:
    """Train where ``cue`` agrees with ``category``, but for a share of the images; ask where the two conflict.

    The levels of ``cue`` are named by the categories (``textures = "categories"`` of the world ``objects``).
    ``decorrelated`` is the share of each category's training images whose cue is that of any category, each equally
    often: at 0 the cue always agrees, at 1 it tells nothing of the category. Sets: ``train``; ``validation``, new
    images in the same proportions; ``agreeing`` and ``conflicting``: new images, each with the cue of its own category
    and with that of every other. ``images_per_category`` takes so many training images, ``test_images_per_category``
    so many test images of each category. Other factors that the world computes take one level per image, by chance.
    """
    n = _kinds(samples, category, cue)
    share = _share(decorrelated)
    shown, most = plain_sizes(
        images_per_category=images_per_category, test_images_per_category=test_images_per_category
    )
    factors = (category, cue)
    disjoint_by = kept_together(samples, disjoint_by, factors)
    pools = Pools(tuple(float(one) for one in shares), by=disjoint_by, within=(category,), seed=seed)
    supply = {pool: available(samples, pools, pool, factors) for pool in POOLS}
    own = _own(samples, category, cue)
    check_filled(samples, supply, factors, range(n), pools)

    def drawn(reason: str, pool: str, images: int | None) -> RowSet:
        parts: list[Part] = []
        for c in range(n):
            there = int(supply[pool][c, own[c]])
            if images is not None and images > there:
                raise UnseenError(
                    f"design.images_per_category = {images}, but '{samples.space[category].levels[c]}' has {there} "
                    f"images to train on; give fewer, or leave it out to take all."
                )
            parts += dealt(c, own, there if images is None else images, share)
        return RowSet(reason, pool, tuple(parts))

    words = Decorrelated(decorrelated=share).words(cue, category)
    sets = {"train": drawn(words, "train", shown)}
    if supply["validation"].any():
        sets["validation"] = drawn("new images in the proportions of training, to choose the epoch", "validation", None)
    cells = {(c, t): own[c] == t for c in range(n) for t in range(n)}
    for name, same, reason in (
        (AGREEING, True, f"new images whose {cue} is that of their {category}"),
        (CONFLICTING, False, f"the same images, each with the {cue} of every other {category}"),
    ):
        asked = [cell for cell, agree in cells.items() if agree == same]
        sets[name] = RowSet(reason, "test", take_each(asked, supply["test"], most))
    facts = Decorrelated(
        decorrelated=share, cue=cue, category=category,
        agrees=_agrees(samples, category, cue, own), grid=(n, n), disjoint_by=disjoint_by,
        combinations=len({part.cell for part in sets["train"].parts}),
    )  # fmt: skip
    return Split(factors, sets, pools, facts)


def dealt(category: int, own: Sequence[int], images: int, share: float) -> list[Part]:
    """The training images of a category: the first ones with all cues in turn, the others with their own.

    >>> [(part.cell, part.take, part.skip) for part in dealt(1, (0, 1, 2), 6, 0.5)]
    [((1, 1), 1, 0), ((1, 2), 1, 1), ((1, 0), 1, 2), ((1, 1), 3, 3)]
    >>> dealt(0, (0, 1), 4, 0.0) == [Part((0, 0), 4, 0)]
    True
    """
    turns = round(share * images)
    parts = [Part((category, own[(category + k) % len(own)]), 1, k) for k in range(turns)]
    rest = [Part((category, own[category]), images - turns, turns)] if images > turns else []
    return parts + rest


def _own(samples: Samples, category: str, cue: str) -> list[int]:
    """Of each category the level of the cue that has its name."""
    names = [str(level) for level in samples.space[cue].levels]
    return [names.index(str(level)) for level in samples.space[category].levels]


def _agrees(samples: Samples, category: str, cue: str, own: Sequence[int]) -> dict[str, str]:
    """The same in words: an object may be called "a mug" and its texture "mug"."""
    texts = samples.space[cue].texts
    return dict(zip(samples.space[category].texts, (texts[level] for level in own)))


def _kinds(samples: Samples, category: str, cue: str) -> int:
    """How many categories there are; the cue must have a level for each, computed by the world."""
    if category == cue:
        raise UnseenError(f"design.category and design.cue are both '{category}'; name two factors.")
    kinds = samples.space[category]
    if cue not in samples.space:
        raise UnseenError(
            f"design.cue = '{cue}' is no factor of this world; it has {listed(samples.space.names)}. The world "
            f'`objects` has it with world.textures = "categories".'
        )
    names = {side: {str(level) for level in samples.space[side].levels} for side in (category, cue)}
    if names[category] != names[cue]:
        apart = sorted(names[category] ^ names[cue])
        raise UnseenError(
            f"'{cue}' agrees with '{category}' where both levels have one name, and {listed(apart)} "
            f"{'are levels' if len(apart) > 1 else 'is a level'} of one of them alone. Give '{cue}' a level for each "
            f'{category} (world `objects`: textures = "categories").'
        )
    if len(kinds) < 2:
        raise UnseenError(f"factor '{category}' has one level, so that no {cue} conflicts with it; give two or more.")
    if not all(cue in block.grid for block in samples.blocks):
        raise UnseenError(
            f"'{cue}' is stored with each image of this world, so that no image can be shown with another {cue}; this "
            f'design needs it computed (world `objects` with textures = "categories").'
        )
    return len(kinds)


def _share(given: object) -> float:
    if not is_number(given) or not 0 <= float(given) <= 1:  # pyright: ignore[reportArgumentType]
        percent = is_number(given) and 1 < float(given) <= 100  # pyright: ignore[reportArgumentType]
        fix = f" For {given} % write {float(given) / 100:g}." if percent else ""  # pyright: ignore[reportArgumentType]
        raise UnseenError(
            f"design.decorrelated = {given!r} is a share of the training images, from 0 (the cue always agrees) to 1 "
            f"(it tells nothing).{fix}"
        )
    return float(np.float64(given))  # pyright: ignore[reportArgumentType]
