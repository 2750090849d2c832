"""Maps from answers alone: cover parts of an image and see what it does to the score. No gradients, no layers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.explanations.anatomy import passes
from unseen.explanations.asked import Question
from unseen.explanations.boxes import Boxes
from unseen.explanations.class_token import answering_alone
from unseen.explanations.gradients import Reference, reference_of
from unseen.explanations.reached import Known, can_resume, changed
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

Sides = int | tuple[int, int]
HELD = 32  # pictures of a batch for each image whose own maps are held (ours: fewer windows together reach more alike)
CHECKED = 8  # images that must be answered as before where a shorter way is tried


def occlusion(
    question: Question,
    images: Tensor,
    *,
    patch: Sides = 16,
    stride: Sides | None = None,
    fill: Reference = None,
    batch: int = 256,
) -> Tensor:
    """How much the score falls when a patch is covered (Zeiler & Fergus 2014), ``[n, h, w]``: for each pixel the mean
    over the patches that cover it. Patches that reach over the far edge are cut there, as captum's. ``fill`` is what
    the network sees as zero, unless a number or a picture is given; ``stride`` is half a patch. Of a network's layers
    only what a patch reaches is computed (:mod:`unseen.explanations.reached`).
    """
    height, width = images.shape[2:]
    patch = (patch, patch) if isinstance(patch, int) else patch
    stride = (max(1, patch[0] // 2), max(1, patch[1] // 2)) if stride is None else stride
    stride = (stride, stride) if isinstance(stride, int) else stride
    if min(patch) < 1 or min(stride) < 1:
        raise UnseenError(f"patch and stride are one pixel at least; given {patch} and {stride}.")
    if patch[0] > height or patch[1] > width:
        raise UnseenError(f"a patch of {patch[0]}×{patch[1]} is larger than images of {height}×{width}.")
    if stride[0] > patch[0] or stride[1] > patch[1]:
        raise UnseenError(f"with a stride of {stride} patches of {patch} leave pixels uncovered; take a smaller one.")
    taken = question.anatomy.taken(images)
    fills = reference_of(question, taken, fill).expand_as(taken)
    windows = Windows((height, width), patch, stride, taken.device)
    fall = taken.new_zeros(len(taken), windows.count)
    with torch.no_grad():
        for some in range(0, len(taken), batch):
            part = slice(some, min(some + batch, len(taken)))
            fall[part] += question(taken[part], _numbers(part, taken))[:, None].to(fall)
        covered = _reaching if can_resume(question.anatomy.model) else _whole
        with answering_alone(question, taken[:CHECKED]):
            for some, these, pictures in covered(windows, taken, fills, batch):
                found = question(pictures, _numbers(some, taken).repeat(len(these))).unflatten(0, (len(these), -1))
                fall[some].index_add_(1, these, found.T.to(fall), alpha=-1)
    fall = fall.unflatten(1, (len(windows.down), len(windows.across)))
    rows, columns = windows.down.to(fall), windows.across.to(fall)
    return (rows.T @ fall @ columns) / (rows.sum(0)[:, None] * columns.sum(0)[None])


def _numbers(some: slice, like: Tensor) -> Tensor:
    return torch.arange(some.start, some.stop, device=like.device)


class Windows:
    """Where patches lie: ``down`` and ``across`` say which pixels each covers along an axis, ``[windows, side]``."""

    def __init__(self, sides: tuple[int, int], patch: tuple[int, int], stride: tuple[int, int], device: Any) -> None:
        self.sides, self.patch = sides, patch
        self.starts = [np.arange(math.ceil((n - one) / step) + 1) * step for n, one, step in zip(sides, patch, stride)]
        self.down, self.across = (_covers(at, n, one, device) for at, n, one in zip(self.starts, sides, patch))
        self.count = len(self.down) * len(self.across)

    def inside(self, numbers: Tensor) -> Tensor:
        """The pixels of some windows, ``[windows, height, width]``."""
        across = self.across[numbers % len(self.across)]
        return self.down[numbers // len(self.across)][:, :, None] & across[:, None, :]

    def by_depth(self, together: int) -> list[np.ndarray]:
        """The numbers of all windows, so many together. What a window reaches ends at the edge of a map, so windows go
        with others that lie as deep: rows of windows by their distance from the edge, then columns."""
        depth = [np.minimum(at, side - one - at) for at, side, one in zip(self.starts, self.sides, self.patch)]
        down, across = (np.argsort(one, kind="stable") for one in depth)
        strips = np.array_split(down, max(1, round(len(down) / together**0.5)))
        parts = []
        for strip in strips:
            numbers = (across[:, None] + strip[None] * len(across)).ravel()
            parts += np.array_split(numbers, math.ceil(len(numbers) / together))
        return parts

    def boxes(self, numbers: np.ndarray, images: int) -> tuple[Boxes, np.ndarray]:
        """Boxes inside the image, as large as the patch, that hold what these windows cover, and which of their pixels
        are covered: for every window its images one after another."""
        at = np.divmod(np.repeat(numbers, images), len(self.across))
        starts = [start[one] for start, one in zip(self.starts, at)]
        first = [np.minimum(one, side - long) for one, side, long in zip(starts, self.sides, self.patch)]
        rows, columns = (
            top[:, None] + np.arange(long) >= one[:, None] for top, long, one in zip(first, self.patch, starts)
        )
        inside = (rows[:, :, None] & columns[:, None, :])[:, None]
        return Boxes(first[0], first[1], *self.patch, self.down.device), inside


def _covers(starts: np.ndarray, side: int, patch: int, device: Any) -> Tensor:
    pixels = np.arange(side)
    return torch.from_numpy((pixels >= starts[:, None]) & (pixels < starts[:, None] + patch)).to(device)


Covered = Iterator[tuple[slice, Tensor, Tensor]]


def _whole(windows: Windows, taken: Tensor, fills: Tensor, batch: int) -> Covered:
    """Images, windows, and the pictures ``[windows × images, ...]`` in which they are covered."""
    for some, these in passes(len(taken), windows.count, batch):
        numbers = _numbers(these, taken)
        inside = windows.inside(numbers)[:, None, None]
        yield some, numbers, torch.where(inside, fills[some][None], taken[some][None]).flatten(0, 1)


def _reaching(windows: Windows, taken: Tensor, fills: Tensor, batch: int) -> Covered:
    """The same as pictures that differ from their image in a box alone. What images give as they are is found once and
    held meanwhile, so few go together."""
    group = min(len(taken), max(1, batch // HELD))
    parts = windows.by_depth(max(1, batch // group))
    weights: Any = {}
    held: dict[tuple[int, int], Any] = {}
    taken = _laid_out(taken)
    for first in range(0, len(taken), group):
        some = slice(first, min(first + group, len(taken)))
        images, known = some.stop - some.start, Known(weights)
        plain, others = taken[some], fills[some]
        for number, part in enumerate(parts):
            if (number, images) not in held:
                boxes, inside = windows.boxes(part, images)
                which = torch.arange(images, device=taken.device).repeat(len(part))
                held[number, images] = boxes, boxes.sent(inside), boxes.sent(part), which
            boxes, inside, these, which = held[number, images]
            yield some, these, changed(known, plain, others, inside, boxes, which)


def _laid_out(pictures: Tensor) -> Tensor:
    """Channels last, as CPUs and tensor cores convolve fastest (a tenth to a fifth less time of a CPU, measured); whole
    float32 of a GPU is left as it is."""
    if pictures.is_cuda and pictures.dtype == torch.float32 and not _rounds():
        return pictures
    return pictures.contiguous(memory_format=torch.channels_last)


def _rounds() -> bool:
    """Whether convolutions of a GPU may round to TF32."""
    cudnn: Any = torch.backends.cudnn
    try:
        return cudnn.allow_tf32
    except RuntimeError:  # torch's newer settings were used, one for each kind of layer
        return cudnn.conv.fp32_precision != "ieee"


def rise(
    question: Question,
    images: Tensor,
    *,
    masks: int = 1000,
    cells: int = 7,
    share: float = 0.5,
    probability: bool = True,
    fill: Reference = None,
    seed: int = 0,
    batch: int = 256,
) -> Tensor:
    r"""The mean of random masks, each weighed by the answer to the image seen through it (Petsiuk et al. 2018):
    :math:`\frac{1}{N p} \sum_i S(x \odot M_i) M_i`, ``[n, h, w]``.

    As published the answer is a probability (``probability=False``: the score), a mask is ``cells``×``cells`` tosses of
    probability ``share``, enlarged and shifted. The paper takes 4,000 masks for VGG-16 and 8,000 for ResNet-50; fewer
    leave noise. All images meet the same masks.
    """
    if not 0 < share < 1 or masks < 1 or cells < 1:
        raise UnseenError(
            f"RISE needs at least one mask and one cell, and a share between 0 and 1; given masks = {masks}, "
            f"cells = {cells}, share = {share}."
        )
    taken = question.anatomy.taken(images)
    fills = reference_of(question, taken, fill).expand_as(taken)
    height, width = taken.shape[2:]
    total = taken.new_zeros(len(taken), height * width)
    with torch.no_grad():
        for some, these in passes(len(taken), masks, batch):
            seen = _masks(these, cells, share, (height, width), seed).to(taken)
            pictures = torch.lerp(fills[some][None], taken[some][None], seen[:, None, None])
            which = torch.arange(some.start, some.stop, device=taken.device).repeat(len(seen))
            found = question(pictures.flatten(0, 1), which, probability=probability).unflatten(0, (len(seen), -1))
            total[some] += found.T.to(total) @ seen.flatten(1)
    return total.unflatten(1, (height, width)) / (masks * share)


def _masks(these: slice, cells: int, share: float, size: tuple[int, int], seed: int) -> Tensor:
    """Masks ``[steps, h, w]`` from 0 to 1, each a stream of its own."""
    sides = [math.ceil(side / cells) for side in size]
    tosses, shifts = [], []
    for number in range(these.start, these.stop):
        rng = stream(seed, "rise", number)
        tosses.append(torch.from_numpy(rng.random((cells, cells)) < share))
        shifts.append([int(rng.integers(side)) for side in sides])
    large = [(cells + 1) * side for side in sides]
    grids = torch.stack(tosses).float()[:, None]
    grown = torch.nn.functional.interpolate(grids, size=large, mode="bilinear", align_corners=False)[:, 0]
    return torch.stack(
        [one[down : down + size[0], right : right + size[1]] for one, (down, right) in zip(grown, shifts)]
    )
