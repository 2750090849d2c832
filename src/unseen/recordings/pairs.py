"""Images plain and transformed, and what a network makes of both.

A batch is some images with all their transformed versions: fetched in one call, so that a world draws what they share
once, and run through the network together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor, nn

from unseen.recordings.activity import keeping, named_layers, reducing
from unseen.recordings.responses import Images, autocast
from unseen.vocabulary.errors import UnseenError, listed, unknown

RATE = 0.01  # Goodfellow et al. 2009
NEGATIVE = ("error", "rectify", "keep")
KEPT = 2**29  # bytes: 10,000 images under twelve transformations, all stages of a ResNet-18


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of images as they are, and of the same images under each transformation, place by place.

    ``group`` numbers images by ``names``, which are scored apart (and together) under the maxima of all.
    """

    plain: Int[np.ndarray, " images"]
    transformed: Mapping[str, np.ndarray]
    group: np.ndarray
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        wrong = {level: len(rows) for level, rows in self.transformed.items() if len(rows) != len(self.plain)}
        if wrong or not self.transformed or not len(self.plain):
            raise UnseenError(
                f"each of the {len(self.plain)} plain images needs its transformed one under every transformation; "
                f"given {listed(f'{level}: {n}' for level, n in wrong.items())}."
            )
        if len(self.group) != len(self.plain) or not 0 <= self.group.min() <= self.group.max() < len(self.names):
            raise UnseenError(f"each of the {len(self.plain)} images needs a group from 0 to {len(self.names) - 1}.")

    @property
    def rows(self) -> Int[np.ndarray, "versions images"]:
        """The plain version first, then the transformations in their order."""
        return np.stack([self.plain, *self.transformed.values()])

    @property
    def wanted(self) -> int:
        """How many images are the top 1 %."""
        return int(np.floor(RATE * len(self.plain) + 1e-9))


@dataclass(eq=False)
class KeptActivity:
    """Activity of the first batches of a pass, up to ``most`` bytes: another pass need not run those again."""

    most: int = KEPT
    held: int = 0
    images: int = 0
    parts: list[tuple[slice, str, Tensor]] = field(default_factory=list)
    full: bool = False

    def add(self, batch: Sequence[tuple[slice, str, Tensor]]) -> None:
        size = sum(values.numel() * values.element_size() for _, _, values in batch)
        self.full = self.full or self.held + size > self.most
        if not self.full:
            self.parts += batch
            self.held += size
            self.images = batch[0][0].stop


@dataclass(frozen=True, eq=False, kw_only=True)
class Passing:
    """How images run through a network: ``size`` images of all versions at a time; a map's ``activity`` is its mean or
    its max; what is ``negative`` is an error, set to 0 ("rectify") or kept. ``kept`` goes from one pass to the next."""

    device: torch.device
    precision: str = "float32"
    size: int = 1024
    activity: str = "mean"
    negative: str = "error"
    kept: KeptActivity | None = None

    def __post_init__(self) -> None:
        if self.negative not in NEGATIVE:
            raise unknown("treatment of negative activity", self.negative, NEGATIVE)


def paired_activity(
    network: nn.Module, layers: Sequence[str], fetch: Images, pairs: Pairs, how: Passing
) -> Iterator[tuple[slice, str, Tensor]]:
    """Places of images, a layer, and its activity ``[versions, images, units]``; the plain version is the first.

    What was kept of an earlier pass comes from there, and what there is room for is kept."""
    kept = how.kept or KeptActivity(0)
    yield from tuple(kept.parts)
    reduce, (recordable, modules) = reducing(how.activity), named_layers(network, layers)
    rows = pairs.rows
    step = max(1, how.size // len(rows))
    now: dict[str, Tensor] = {}
    hooks = []
    network.eval()
    try:
        for name, module in modules.items():
            hooks.append(module.register_forward_hook(keeping(now, name, reduce, recordable.channel_axis(name))))
        for start in range(kept.images, rows.shape[1], step):
            here = rows[:, start : start + step]
            with autocast(how.device, how.precision):
                network(fetch(here.ravel(), str(how.device)).to(how.device))
            places = slice(start, start + here.shape[1])
            batch = [(places, name, now.pop(name).unflatten(0, (len(rows), -1))) for name in modules]
            kept.add(batch)
            yield from batch
            del batch
    finally:
        for hook in hooks:
            hook.remove()
