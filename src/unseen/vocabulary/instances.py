"""What counts as one and the same thing: the photos of one object are not independent of each other.

A network that was trained on a cup from the left and is asked about the same cup from the right is asked about a cup
it knows. An instance is what the world or its user says it is: a factor of kind ``instance``, stored with every image.
Where no factor says so, every image (or everything that a world draws) is an instance of its own.
"""

from __future__ import annotations

from collections.abc import Collection

from unseen.vocabulary.samples import Samples

INSTANCE = "instance"  # disjoint by what the world says an instance is
IMAGE = "image"  # by every image for itself, whatever it shows
NOTHING = "nothing"  # every pool is everything


def instance_factor(samples: Samples, apart_from: Collection[str] = ()) -> str | None:
    """The factor that says which images show one thing: one called ``instance``, else the first of that kind.

    Those in ``apart_from`` are left out: what a design names, or generalises over, cannot be kept apart as well (of
    COIL every object is a category of its own). So is what one image takes all levels of.
    """
    named = [INSTANCE] if INSTANCE in samples.space else []
    of_kind = [factor.name for factor in samples.space.factors if factor.kind == "instance"]
    for name in (*named, *of_kind):
        if name not in apart_from and all(name in block.stored for block in samples.blocks):
            return name
    return None


def kept_together(samples: Samples, disjoint_by: str, factors: Collection[str]) -> str:
    """By what the pools of a design over ``factors`` are disjoint: ``"instance"`` is the world's instance factor where
    it has one; all else is as asked."""
    if disjoint_by != INSTANCE:
        return disjoint_by
    return instance_factor(samples, factors) or (IMAGE if INSTANCE in samples.space else INSTANCE)


def alone(samples: Samples, by: str) -> bool:
    """Whether pools that are disjoint by this take every image for itself."""
    return by in (INSTANCE, IMAGE) and by not in samples.space
