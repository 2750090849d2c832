"""What is told of a split that leaves a domain out: photo sets are ragged, so that what would be an imbalance of
another design is how things are here. What cannot be asked is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.errors import listed


def domain_notes(
    facts: LeftOut, factors: tuple[str, ...], counts: Int[np.ndarray, "categories domains"]
) -> tuple[str, ...]:
    """Notes on the training images per cell of a split by ``leave_one_out``."""
    category, factor = factors
    trained = np.delete(counts, list(facts.withheld.get(factor, ())), axis=1)
    filled, notes = trained[trained > 0], []
    if len(filled) and np.ptp(filled) > 1:
        as_they_come = "in the proportions in which they come"
        why = as_they_come if facts.balance == "images" else f"equally many of each trained {factor}"
        notes.append(f"training cells hold {filled.min():,} to {filled.max():,} images, {why}")
    gaps = int((trained[trained.any(axis=1)] == 0).sum())
    if gaps:
        notes.append(f"{gaps} of {trained[trained.any(axis=1)].size} cells of {category} × trained {factor} are empty")
    if facts.not_asked:
        one, number = len(facts.not_asked) == 1, facts.not_asked_images
        words = f"{'is' if one else 'are'} in {facts.left_out} only, so that {'it is' if one else 'they are'} not asked"
        notes.append(f"{named(category, facts.not_asked)} {words} ({number:,} image{'' if number == 1 else 's'})")
    if facts.absent:
        notes.append(f"{facts.left_out} has no image of {named(category, facts.absent)} to ask")
    return tuple(notes)


def named(factor: str, levels: Sequence[object]) -> str:
    """
    >>> named("category", ["dog"]), named("category", ["dog", "cat"])
    ('category dog', '2 levels of category (dog, cat)')
    """
    one = f"{factor} {levels[0]}"
    return one if len(levels) == 1 else f"{len(levels)} levels of {factor} ({listed(levels, most=6)})"
