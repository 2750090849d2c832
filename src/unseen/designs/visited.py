"""What is told of a split that lists training images several times on purpose: how often each is visited, and where.

``expose`` and ``matrix`` show an image plain and transformed, or at several levels, by listing it more than once. The
audit's general questions (is an instance used in two cells, do cells hold equally many images) are answered with yes
there, and mean nothing; these take their place.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from unseen.designs.quotas import computed
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split

TIMES = {1: "once", 2: "twice"}


def visits(
    split: Split, samples: Samples, instances: Int[np.ndarray, " rows"], counts: Int[np.ndarray, "categories levels"]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Notes and problems of the training rows of a split whose facts have ``visits_per_image``.

    ``instances`` are those of the rows, repeats included; ``counts`` the rows per cell.
    """
    times, category = int(split.facts.visits_per_image or 1), split.factors[0]
    notes, problems = [f"each image is visited {often(times)} per epoch: {_kinds(split, samples, times)}"], []
    totals = counts.sum(axis=1)
    span = f"{totals.min():,} to {totals.max():,} visits per epoch" if len(totals) else ""
    if len(totals) and totals.max() > totals.min():
        asked = split.facts.balance == "images"
        (notes if asked else problems).append(
            f"levels of {category} have {span}" + (", since every image counts alike, as asked" if asked else "")
        )
    most = int(np.unique(instances, return_counts=True)[1].max(initial=0))
    if most > times:
        notes.append(f"images of smaller categories are listed again, up to {most} visits, so that categories are even")
    uneven = max((int(np.ptp(row[row > 0])) for row in counts if (row > 0).any()), default=0)
    if uneven > max(1, int((counts > 0).sum(axis=1).max(initial=0))):  # turns leave at most one visit per level over
        problems.append(f"the cells of one {category} differ by up to {uneven} visits per epoch")
    return tuple(notes), tuple(problems)


def often(times: int) -> str:
    """
    >>> often(2), often(9)
    ('twice', '9 times')
    """
    return TIMES.get(times, f"{times} times")


def _kinds(split: Split, samples: Samples, times: int) -> str:
    """At which levels the visits to an image are."""
    facts, category = split.facts, split.factors[0]
    if isinstance(facts, Exposed):
        seen, n = len(facts.exposed_numbers), len(samples.space[category])
        always = "plain both times" if times == 2 else "always plain"
        many = f"the {seen} levels" if seen > 1 else "the one level"
        both = f"once plain and once {facts.level} for {many} of {category} seen so"
        return always if not seen else both if seen == n else f"{both}, {always} for the {n - seen} others"
    levels = facts.trained_levels
    if len(levels) == 1:
        return f"always {'plain' if levels[0] == 'none' else levels[0]}"
    if not computed(samples, split.factors)[1]:
        return f"at the {split.factors[1]} it has, one of {len(levels)} trained"
    each, over = divmod(times, max(1, len(levels)))
    if not over:
        return f"{often(each)} at each of the {len(levels)} trained levels"
    return f"images take turns over the {len(levels)} trained levels"
