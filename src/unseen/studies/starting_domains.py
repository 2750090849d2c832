"""A first study that leaves one domain out after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.first_combinations import SHARES, USUAL
from unseen.studies.first_study import DOMAINS, Start, rehearsal, split_of, training_of
from unseen.studies.first_training import SEEDS, augmentation
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.instances import IMAGE, INSTANCE
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    from unseen.vocabulary.split import Split
    from unseen.worlds.propose import Proposal

MOST_LEFT_OUT = 8  # levels that are left out in turn
FEW_ASKED = 30  # images of a domain: with fewer, each is more than three points of its accuracy


def start_domains(found: Proposal, world: Mapping[str, Any], samples: Samples) -> Start:
    rows, columns = str(found.rows), str(found.columns)
    levels = list(samples.space[columns].levels)
    chosen = levels if len(levels) <= MOST_LEFT_OUT else levels[:: -(-len(levels) // MOST_LEFT_OUT)]
    fault: UnseenError | None = None
    for by, shares in product((INSTANCE, IMAGE) if found.objects else (INSTANCE,), SHARES):
        design: dict[str, Any] = {"name": "leave_one_out", "factor": columns, "category": rows}
        design |= {"shares": list(shares)} if shares != USUAL else {}
        design |= {"disjoint_by": by} if by != INSTANCE else {}
        try:
            draws = [
                [split_of(design | {"left_out": level, "seed": seed}, samples) for level in [*chosen, "none"]]
                for seed in range(SEEDS)
            ]
            break
        except UnseenError as told:
            fault = fault or told
    else:
        assert fault is not None
        raise fault
    splits = draws[0]
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
        found, DOMAINS, world, design,
        {"design.left_out": [*chosen, "none"], **_repeats(samples, draws, training.seeds)},
        targets=(rows,),
        training=training,
        augment=augmentation(samples.space[rows], samples.space[columns], training.size),
        left_out=out if len(chosen) < len(levels) else (),
        notes=(*rehearsal(trained), *_few_asked(asked, columns)),
        used=f"trains each network on {trained:,} of {len(samples):,} images ({why}); {_between(asked)} of the "
        f"{columns} left out are asked",
    )  # fmt: skip


def _repeats(samples: Samples, draws: Sequence[Sequence[Split]], count: int) -> dict[str, list[int]]:
    """Each repeat draws its own images to train on and to ask, so that intervals are not about the few of one draw.
    Where the folders say which images are for testing, every draw asks the same: seeds of training repeat then."""
    first, second = ([split.rows(samples, "unseen") for split in draw[:-1]] for draw in draws[:2])
    differ = any(not np.array_equal(np.sort(one), np.sort(other)) for one, other in zip(first, second))
    return {"design.seed": list(range(count))} if differ and count > 1 else {}


def _few_asked(asked: Sequence[int], columns: str) -> Iterator[str]:
    if (fewest := min(asked)) < FEW_ASKED:
        yield (
            f"only {fewest} image{'s' * (fewest != 1)} of a {columns} left out {'are' if fewest != 1 else 'is'} asked, "
            f"so that one answer is {100 / max(fewest, 1):.0f} points of its accuracy: take the numbers of each "
            f"{columns} as a rehearsal"
        )


def _between(numbers: Sequence[int]) -> str:
    return f"{min(numbers):,} to {max(numbers):,} images" if min(numbers) < max(numbers) else f"{min(numbers):,} images"
