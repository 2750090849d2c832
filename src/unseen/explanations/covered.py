"""Maps from answers alone: cover parts of an image and see what it does to the score. No gradients, no layers."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from unseen.explanations.anatomy import passes
from unseen.explanations.asked import Question
from unseen.explanations.gradients import Reference, reference_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

Sides = int | tuple[int, int]


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
    the network sees as zero, unless a number or a picture is given; ``stride`` is half a patch.
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
    down, across = (
        _windows(side, one, step).to(taken.device) for side, one, step in zip((height, width), patch, stride)
    )
    count = len(down) * len(across)
    fall = taken.new_zeros(len(taken), count)
    with torch.no_grad():
        for some in range(0, len(taken), batch):
            part = slice(some, min(some + batch, len(taken)))
            which = torch.arange(part.start, part.stop, device=taken.device)
            fall[part] += question(taken[part], which)[:, None].to(fall)
        for some, these in passes(len(taken), count, batch):
            numbers = torch.arange(these.start, these.stop, device=taken.device)
            inside = down[numbers // len(across)][:, :, None] & across[numbers % len(across)][:, None, :]
            pictures = torch.where(inside[:, None, None], fills[some][None], taken[some][None])
            which = torch.arange(some.start, some.stop, device=taken.device).repeat(len(numbers))
            found = question(pictures.flatten(0, 1), which).unflatten(0, (len(numbers), -1))
            fall[some, these] -= found.T.to(fall)
    fall = fall.unflatten(1, (len(down), len(across)))
    rows, columns = down.to(fall), across.to(fall)
    return (rows.T @ fall @ columns) / (rows.sum(0)[:, None] * columns.sum(0)[None])


def _windows(side: int, patch: int, stride: int) -> Tensor:
    """Which pixels each window covers along one axis, ``[windows, side]``."""
    starts = torch.arange(math.ceil((side - patch) / stride) + 1) * stride
    pixels = torch.arange(side)
    return (pixels >= starts[:, None]) & (pixels < starts[:, None] + patch)


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
