"""The digital corruptions of ImageNet-C (Hendrycks & Dietterich 2019): contrast, elastic, pixelate and JPEG, by
severity.

They are the formulas of the package ``imagecorruptions``; its elastic transform is simpler than the paper's (no affine
map) and scales with the picture. Pixelate and JPEG look at whole bytes, as they do there: floats are rounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance
from unseen.worlds.transforms.filters import stepped
from unseen.worlds.transforms.jpeg import compressed, whole_bytes
from unseen.worlds.transforms.one_by_one import one_by_one

if TYPE_CHECKING:
    import torch
    from torch import Tensor

CONTRASTS = (0.4, 0.3, 0.2, 0.1, 0.05)
ELASTIC = (12.5, 16.25, 21.25, 25.0, 30.0)  # how many times the smoothed noise
SHARES = (0.6, 0.5, 0.4, 0.3, 0.25)  # of the side
QUALITIES = (25, 18, 15, 10, 7)


@one_by_one
def contrast(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """(x − m) · c + m, m the mean of each channel; the sum of whole steps is exact, in whatever order."""
    exact = stepped(images)
    mean = exact.mean((-2, -1), keepdim=True)
    return ((exact - mean) * CONTRASTS[round(strength) - 1] + mean).clamp_(0, 255).float()


@one_by_one
def elastic_transform(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Every pixel shows a place near it, linear between pixels, mirrored at the edges: displacements are uniform noise
    of .5 % of the height, smoothed by 1 % of each side (cut at three deviations) and multiplied."""
    import torch

    from unseen.worlds.transforms import kernels

    height, width = images.shape[-2:]
    most, times = height * 0.005, ELASTIC[round(strength) - 1]
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        bells = [_bell(0.01 * size) for size in (height, width)]
        return fused_corruptions.elastic_transform(images, keys, most, times, bells)
    drawn = [chance.counted(keys, height * width, 0, "elastic", axis) for axis in ("down", "across")]
    noise = chance.between(torch.stack(drawn).view(2, -1, height, width), -1.0, 1.0) * most
    moves = _smoothed(_smoothed(noise, 0.01 * height, -2), 0.01 * width, -1) * times
    shown = _taken_at if images.device.type == "cpu" and len(images) == 1 else _shown_at
    return shown(images.float(), *moves).clamp_(0, 255)


def pixelate(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Fewer pixels, each the mean of those it stands for (Pillow's box filter), shown large.

    A mean is rounded to a byte after each axis, as there. Means that lie at a half are of two or four bytes, and exact.
    """
    share = SHARES[round(strength) - 1]
    if images.device.type == "cpu":
        return _pixelated_by_pillow(images, share)
    return _pixelated(images, share)


def _pixelated_by_pillow(images: Tensor, share: float) -> Tensor:
    """The same bytes, from Pillow itself."""
    import torch
    from PIL import Image

    height, width = images.shape[-2:]
    small = max(1, int(width * share)), max(1, int(height * share))
    found = torch.empty(images.shape)
    for plane, place in zip(whole_bytes(images).flatten(0, 1).numpy(), found.flatten(0, 1).numpy()):
        shown = Image.fromarray(plane).resize(small, Image.Resampling.BOX)
        place[:] = np.asarray(shown.resize((width, height), Image.Resampling.NEAREST))
    return found


def _pixelated(images: Tensor, share: float) -> Tensor:
    import torch

    height, width = images.shape[-2:]
    small = images.float().round().clamp_(0, 255)
    small = (small @ _box(width, max(1, int(width * share)), images.device).T + 0.5).floor_()
    small = (_box(height, max(1, int(height * share)), images.device) @ small + 0.5).floor_()
    for axis, size in ((-2, height), (-1, width)):
        step = small.shape[axis] / size  # Pillow adds it up, which decides where a place lies between two pixels
        place = np.cumsum([step * 0.5, *[step] * (size - 1)]).astype(np.int64).clip(max=small.shape[axis] - 1)
        small = small.index_select(axis, torch.from_numpy(place).to(images.device))
    return small.float().contiguous()


def jpeg_compression(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """What is left of a picture that was saved as JPEG."""
    return compressed(images, QUALITIES[round(strength) - 1])


def _smoothed(noise: Tensor, sigma: float, axis: int) -> Tensor:
    """A Gaussian along one axis, cut at three deviations; edges are mirrors."""
    import torch

    bell, size = _bell(sigma), noise.shape[axis]
    reach = len(bell) // 2
    place = _mirrored(torch.arange(-reach, size + reach, device=noise.device), size)
    padded, found = noise.index_select(axis, place), torch.zeros_like(noise)
    for apart, weight in enumerate(bell.tolist()):
        found.add_(padded.narrow(axis, apart, size), alpha=weight)
    return found


def _bell(sigma: float) -> np.ndarray:
    reach = int(3 * sigma + 0.5)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    return bell / bell.sum()


def _shown_at(images: Tensor, down: Tensor, across: Tensor) -> Tensor:
    """Pixels that lie ``down`` and ``across`` ``[n, h, w]`` away."""
    import torch

    channels, height, width = images.shape[1:]
    rows = torch.arange(height, device=images.device)[:, None] + down
    columns = torch.arange(width, device=images.device) + across
    top, left = rows.floor(), columns.floor()
    below, right = (rows - top).float()[:, None], (columns - left).float()[:, None]
    flat, found = images.flatten(2), torch.zeros_like(images)
    lines = [_mirrored(top.long() + dy, height).mul_(width) for dy in (0, 1)]
    turns = [_mirrored(left.long() + dx, width) for dx in (0, 1)]
    for line, tall in zip(lines, (1 - below, below)):
        for turn, wide in zip(turns, (1 - right, right)):
            place = (line + turn).flatten(1)[:, None].expand(-1, channels, -1)
            found.add_(flat.gather(2, place).view_as(images).mul_(tall * wide))
    return found


def _taken_at(images: Tensor, down: Tensor, across: Tensor) -> Tensor:
    """The same for one picture on a CPU, which goes on beyond its edges: of the four pixels around a place each has the
    number of the first and a constant more."""
    import torch

    height, width = images.shape[-2:]
    rows = torch.arange(height)[:, None] + down[0]
    columns = torch.arange(width) + across[0]
    top, left = rows.floor(), columns.floor()
    below, right = rows - top, columns - left
    beyond = [int(max(-move.amin(), move.amax())) + 2 for move in (down, across)]
    wider = images[0]
    for axis, size, reach in ((-2, height, beyond[0]), (-1, width, beyond[1])):
        wider = wider.index_select(axis, _mirrored(torch.arange(-reach, size + reach), size))
    line = wider.shape[-1]
    place = (top.long().add_(beyond[0]).mul_(line) + left.long().add_(beyond[1])).view(-1)
    shares = [tall * wide for tall in (1 - below, below) for wide in (1 - right, right)]
    found = torch.zeros_like(images)
    for plane, shown in zip(wider.flatten(1), found[0]):
        for start, share in zip((0, 1, line, line + 1), shares):
            shown.add_(plane[start:].index_select(0, place).view_as(shown).mul_(share))
    return found


def _mirrored(place: Tensor, size: int) -> Tensor:
    place = place % (2 * size)
    return place.where(place < size, 2 * size - 1 - place)


@lru_cache(maxsize=64)
def _box(size: int, fewer: int, device: torch.device) -> Tensor:
    """Pillow's weights ``[fewer, size]``: what its box filter makes of single bright pixels."""
    import torch
    from PIL import Image

    lights = Image.fromarray(np.eye(size, dtype=np.float32))
    found = np.asarray(lights.resize((fewer, size), Image.Resampling.BOX), dtype=np.float64).T
    return torch.from_numpy((found / found.sum(1, keepdims=True)).astype(np.float32)).to(device)
