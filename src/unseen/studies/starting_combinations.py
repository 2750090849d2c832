"""A first study of held-out combinations: its sizes, and in words what it uses, leaves out and cannot keep apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.studies.first_combinations import Combinations, plan_combinations
from unseen.studies.first_study import COMBINATIONS, Start, opened, rehearsal, split_of, training_of
from unseen.studies.first_training import Training, augmentation
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.samples import Samples

if TYPE_CHECKING:
    from unseen.vocabulary.split import Split
    from unseen.worlds.propose import Proposal

TRIES = 4  # to plan anew without the levels that stand in the way
SHARING = ("shared", "separate")


def start_combinations(found: Proposal, world: Mapping[str, Any], samples: Samples) -> Start:
    rows, columns = str(found.rows), str(found.columns)
    dropped: list[str] = []
    for _ in range(TRIES):
        plan = plan_combinations(samples, rows, columns, found.objects)
        if plan is None or not plan.levels:
            break
        dropped += _dropped(samples, plan, rows, columns)
        world = {**world, "levels": {**world.get("levels", {}), **plan.levels}}
        samples = opened(world)
    else:
        plan = None
    if plan is None:
        counts = image_counts(samples, (rows, columns))
        raise UnseenError(
            f"{int((counts > 0).sum())} of the {counts.size} combinations of {rows} × {columns} have images, which is "
            f"too few: every {rows} must be shown at two levels of {columns} at least, and each of these with other "
            f"levels of {rows}. Add images, or generalise over another factor (--across)."
        )
    design = {"name": "hold_out_combinations", **plan.arguments}
    splits = [split_of(design | {"seen_per_level": k}, samples) for k in plan.seen_per_level]
    both = _ask_both(samples.space[rows], samples.space[columns])
    training = training_of(
        found,
        samples,
        splits,
        ([1, 2] if both else [1]) * len(splits),
        plan.seen_per_level[-1] * len(samples.space[rows]),
    )
    if training.images is not None:
        design["images"] = training.images
        splits = [split_of(design | {"seen_per_level": k}, samples) for k in plan.seen_per_level]
    return Start(
        found, COMBINATIONS, world, design,
        {"design.seen_per_level": list(plan.seen_per_level), **({"network.sharing": list(SHARING)} if both else {})},
        targets=() if both else (rows,),
        training=training,
        augment=augmentation(samples.space[rows], samples.space[columns], training.size),
        left_out=tuple(dropped) + tuple(_gaps(plan)),
        notes=tuple(_notes(plan, design["images"])),
        used=_used_combinations(samples, plan, splits[-1], training),
    )  # fmt: skip


def _dropped(samples: Samples, plan: Combinations, rows: str, columns: str) -> Iterator[str]:
    """Why levels are left out."""
    for name, kept in plan.levels.items():
        never = plan.never_seen if name == columns else ()
        out = [level for level in samples.space[name].levels if level not in kept and level not in never]
        if out:
            yield (
                f"{name} {listed(out, 5)}: too few of the combinations have enough images, which would limit all "
                "others too (the line levels)"
            )
        if never:
            yield (
                f"{name} {listed(never, 5)}: with {len(samples.space[rows])} levels of {rows} and combinations held "
                f"out, not every {name} could be trained on (the line levels)"
            )


def _ask_both(rows: Factor, columns: Factor) -> bool:
    """Whether the second factor is asked too: it must be a measure, and mean the same for every category. The front of
    one object is not that of another, which was set down anyhow."""
    return columns.kind in ("ordinal", "circular") and not rows.name.startswith(("object", "obj"))


def _gaps(plan: Combinations) -> Iterator[str]:
    if plan.avoided:
        many = plan.avoided != 1
        yield (
            f"{plan.avoided} combination{'s' * many} with no image, or too few to train on and to test: the grid is "
            'built around them (empty = "avoid")'
        )


def _notes(plan: Combinations, images: int) -> Iterator[str]:
    yield from rehearsal(images)
    if len(plan.seen_per_level) == 1:
        (only,), rows, columns = plan.seen_per_level, plan.arguments["rows"], plan.arguments["columns"]
        yield (
            f"only one number of combinations per {rows} is possible, seen_per_level = {only}: fewer would leave "
            f"some {columns} untrained or have too few images, more would leave none to hold out. Whether more "
            "diversity helps is not asked"
        )
    by = plan.arguments.get("disjoint_by")
    if by == "nothing":
        yield (
            "combinations have too few images to keep training, validation and test apart, so the same image may "
            'be in two of them (disjoint_by = "nothing"): accuracy on seen combinations is of images trained on. The '
            "held-out combinations are never trained on"
        )


def _used_combinations(samples: Samples, plan: Combinations, split: Split, training: Training) -> str:
    total = len(samples)
    images = training.images or plan.images
    factors = (plan.arguments["rows"], plan.arguments["columns"])
    counts = image_counts(samples, factors)
    least = int(np.where(split.mask(samples, "train"), counts, counts.max() + 1).argmin())
    cell = np.unravel_index(least, counts.shape)
    names = " × ".join(f"{name} {samples.space[name].texts[int(level)]}" for name, level in zip(factors, cell))
    asked = {name: split.count(samples, name) for name in ("validation", "seen", "unseen")}
    smallest = plan.seen_per_level[0]
    more = f"; without seen_per_level = {smallest}, {plan.more:,} could be used" if plan.more > images else ""
    per = f"{'one combination' if smallest == 1 else f'{smallest} combinations'} per {factors[0]}"
    limit = (
        "more would take longer than minutes"
        if training.images
        else f"with {per} there are no more, and every trial uses as many; the scarcest combination, {names}, has "
        f"{counts[cell]}{more}"
    )
    return (
        f"trains each network on {images:,} of {total:,} images ({limit}); up to {asked['validation']:,} choose the "
        f"epoch, and {asked['seen']:,} seen and {asked['unseen']:,} unseen ones are asked"
    )


def image_counts(samples: Samples, factors: tuple[str, str]) -> np.ndarray:
    """Images of each combination."""
    space = samples.space.select(factors)
    numbers = space.numbers(samples.cells(np.arange(len(samples)), factors))
    return np.bincount(numbers, minlength=space.size).reshape(space.shape)
