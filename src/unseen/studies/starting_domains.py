"""A first study that leaves one domain out after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.first_combinations import SHARES, USUAL
from unseen.studies.first_study import DOMAINS, Start, split_of, training_of
from unseen.studies.first_training import augmentation
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    from unseen.worlds.propose import Proposal

MOST_LEFT_OUT = 8  # levels that are left out in turn


def start_domains(found: Proposal, world: Mapping[str, Any], samples: Samples) -> Start:
    rows, columns = str(found.rows), str(found.columns)
    levels = list(samples.space[columns].levels)
    chosen = levels if len(levels) <= MOST_LEFT_OUT else levels[:: -(-len(levels) // MOST_LEFT_OUT)]
    fault: UnseenError | None = None
    for shares in SHARES:
        design: dict[str, Any] = {"name": "leave_one_out", "factor": columns, "category": rows}
        design |= {"shares": list(shares)} if shares != USUAL else {}
        try:
            splits = [split_of(design | {"left_out": level}, samples) for level in [*chosen, "none"]]
            break
        except UnseenError as told:
            fault = fault or told
    else:
        assert fault is not None
        raise fault
    trained = max(split.count(samples, "train") for split in splits)
    cells = len(samples.space[rows]) * len(levels)
    training = training_of(found, samples, splits, [1] * len(splits), cells)
    if training.images is not None:
        design["images"] = trained = training.images
    out = (f"of {len(levels)} levels of {columns}, only {listed(chosen, 8)} are left out in turn",)
    asked = [split.count(samples, "unseen") for split in splits[:-1]]
    sizes = np.bincount(samples.levels(columns, np.arange(len(samples))), minlength=len(levels))
    largest = levels[int(sizes.argmax())]
    why = (
        "more would take longer than minutes"
        if training.images
        else f"the same number whichever {columns} is left out: without {largest}, the largest, there are no more"
    )
    return Start(
        found, DOMAINS, world, design, {"design.left_out": [*chosen, "none"]},
        targets=(rows,),
        training=training,
        augment=augmentation(samples.space[rows], samples.space[columns], training.size),
        left_out=out if len(chosen) < len(levels) else (),
        used=f"trains each network on {trained:,} of {len(samples):,} images ({why}); {_between(asked)} of the "
        f"{columns} left out are asked",
    )  # fmt: skip


def _between(numbers: Sequence[int]) -> str:
    return f"{min(numbers):,} to {max(numbers):,} images" if min(numbers) < max(numbers) else f"{min(numbers):,} images"
