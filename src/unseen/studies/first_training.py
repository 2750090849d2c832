"""The network and the training of a first study: minutes on two CPU cores, and enough steps to learn something.

Rates are images per second and core, forward and back, of a ResNet-18 of width 16 behind each stem at 64×64 pixels,
on a server core of the 2020s; others follow from the number of pixels. The medium stem had .41 and .43 of the standard
one's rate in two rounds (748 and 819 images, batch 64, medians of 6 steps); the others were measured earlier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unseen.vocabulary.factors import Factor
from unseen.vocabulary.stems import AUTO, MEDIUM, SMALL, STANDARD, settled

BACKBONE = "resnet18-w16"
RATES = {STANDARD: 1500.0, MEDIUM: 600.0, SMALL: 150.0}  # at 64×64
SIDE = 64  # what photos are scaled to at first
SMALLEST = 16  # a smaller picture is scaled up: a network of four blocks halves it three times
SECONDS, CORES = 420, 2  # a first study should end within
STEPS = 900  # of training that a first study would like
MOST_EPOCHS, LEAST_EPOCHS = 60, 10
PLACES = ("position", "place", "x", "y", "shift", "offset", "corner")
VIEWS = ("azimuth", "view", "angle", "pose", "rotation", "side", "camera")  # whose mirror image is another one
FORWARD = 3  # a step forward and back costs about three looks
SEEDS = 3


@dataclass(frozen=True)
class Training:
    backbone: str
    stem: str
    size: int | tuple[int, int]
    epochs: int
    batch: int
    seeds: int
    seconds: float  # on CORES cores
    images: int | None = None  # to train on where all would take too long


def plan_training(
    own_size: tuple[int, int] | None,
    images: int,
    looked_at: int,
    branches: Sequence[int],
    least_images: int | None = None,
) -> Training:
    """``branches``: for each trial of one seed, how many bodies its network has; ``looked_at``: images that choose the
    epoch; ``least_images``: the fewest to train on, should all take too long."""
    size = first_size(own_size)
    height, width = (size, size) if isinstance(size, int) else size
    stem = settled(AUTO, BACKBONE, (height, width))
    rate = RATES[stem] * SIDE**2 / (height * width)

    def seconds(epochs: int, seeds: int, rows: int) -> float:
        each = epochs * (rows + min(looked_at, rows) / FORWARD) / rate
        return seeds * sum(each * bodies for bodies in branches) / CORES

    batch = batch_size(images)
    epochs = min(MOST_EPOCHS, max(LEAST_EPOCHS, math.ceil(STEPS * batch / max(images, 1))))
    seeds, rows = SEEDS, images
    while seconds(epochs, seeds, rows) > SECONDS and (seeds > 1 or epochs > LEAST_EPOCHS):
        if epochs > 2 * LEAST_EPOCHS or seeds == 1:
            epochs = max(LEAST_EPOCHS, epochs * 3 // 4)
        else:
            seeds -= 1
    fewer = None
    if seconds(epochs, seeds, rows) > SECONDS and least_images is not None:
        fewer = max(least_images, int(rows * SECONDS / seconds(epochs, seeds, rows)))
        rows = min(rows, fewer)
        fewer = rows if rows < images else None
    return Training(BACKBONE, stem, size, epochs, batch, seeds, seconds(epochs, seeds, rows), fewer)


def augmentation(rows: Factor, columns: Factor, size: int | tuple[int, int]) -> dict[str, float]:
    """How training images are varied: without it, a few hundred photos are learnt by heart. A picture is moved unless
    its place is what is studied, and mirrored where neither a view nor a sign would become another one.

    >>> animals, styles = Factor("category", ("dog", "owl")), Factor("domain", ("photo", "sketch"))
    >>> augmentation(animals, styles, 64)
    {'shift': 6, 'flip': 0.5}
    >>> augmentation(Factor("category", (3, 5)), styles, 64), augmentation(animals, Factor("position", (0, 1)), 64)
    ({'shift': 6}, {})
    """
    reach = min(size if isinstance(size, tuple) else (size,)) // 10
    moved = reach > 0 and not columns.name.startswith(PLACES)
    named = all(isinstance(level, str) and len(level) > 1 for level in rows.levels)  # d mirrored is b
    mirrored = named and columns.kind == "nominal" and not columns.name.startswith((*PLACES, *VIEWS))
    return {**({"shift": reach} if moved else {}), **({"flip": 0.5} if mirrored else {})}


def first_size(own: tuple[int, int] | None) -> int | tuple[int, int]:
    """The images' own size where all share a small one, else 64 pixels a side.

    >>> first_size((32, 32)), first_size((480, 640)), first_size(None), first_size((28, 40)), first_size((1, 1))
    (32, 64, 64, (28, 40), 16)
    """
    if own is None or max(own) > SIDE:
        return SIDE
    height, width = max(own[0], SMALLEST), max(own[1], SMALLEST)
    return height if height == width else (height, width)


def batch_size(images: int) -> int:
    """Eight steps an epoch or more, and batches that are neither tiny nor large.

    >>> batch_size(40), batch_size(480), batch_size(5000)
    (8, 32, 64)
    """
    return min(64, max(8, 2 ** max(0, (images // 8).bit_length() - 1)))
