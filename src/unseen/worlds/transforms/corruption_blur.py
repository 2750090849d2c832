"""The blurs of ImageNet-C (Hendrycks & Dietterich 2019): defocus, glass, motion and zoom, by severity 1 to 5.

Numbers are in pixels, as published, at any size. They are the formulas of the package ``imagecorruptions`` (Michaelis
et al. 2019), which are those of the paper for any size; motion blur needs no ImageMagick there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance
from unseen.worlds.transforms.filters import blur
from unseen.worlds.transforms.fourier import in_blocks
from unseen.worlds.transforms.noise import LEVELS, sixteen
from unseen.worlds.transforms.one_by_one import one_by_one
from unseen.worlds.transforms.weights import FINEST, lines_between, reach_of

if TYPE_CHECKING:
    import torch
    from torch import Tensor

DISKS = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))  # radius, σ of what smooths the disk
GLASS = ((0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2))  # σ, distance, repetitions
MOTIONS = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))  # radius, σ along the path
SHIFTS = (3, 23)  # bits of a key that say where a grid begins, down and across
ZOOMS = ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03))  # up to (not with), by


def defocus_blur(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Correlation with a smoothed disk; edges are mirrors at the last pixel (OpenCV's default)."""
    import torch
    from scipy.fft import next_fast_len

    from unseen.worlds.transforms import kernels

    kernel = disk(*DISKS[round(strength) - 1])
    (height, width), reach = images.shape[-2:], len(kernel) // 2
    kind = torch.float64 if images.device.type == "cpu" else torch.float32  # half of the work of a GPU
    tall, wide = (int(next_fast_len(size + 2 * reach, real=True) or 0) for size in (height, width))
    passed = _passed(round(strength) - 1, tall, wide, kind, images.device)
    down, across = (_bounced(size, reach, full, images.device) for size, full in ((height, tall), (width, wide)))
    found, start = torch.empty(images.shape, device=images.device), 0
    for real, (part,) in in_blocks(images):
        padded = part.index_select(-2, down).index_select(-1, across).to(kind)
        blurred = torch.fft.irfft2(torch.fft.rfft2(padded).mul_(passed), s=(tall, wide))
        if kernels.asked(images):
            kernels.settled(blurred[:real], found[start : start + real], reach)
            start += real
            continue
        settled = (blurred[:real, :, reach : reach + height, reach : reach + width] * FINEST).round_()
        found[start : start + real] = settled.mul_(1 / FINEST).clamp_(0, 255)
        start += real
    return found


def disk(radius: int, smooth: float) -> np.ndarray:
    """A disk of sum one, smoothed by three or five taps of a Gaussian, as the package makes it with OpenCV."""
    from scipy.ndimage import correlate1d

    reach, taps = (8, 1) if radius <= 8 else (radius, 2)
    away = np.arange(-reach, reach + 1)
    found = (away[:, None] ** 2 + away[None] ** 2 <= radius**2).astype(float)
    bell = np.exp(-0.5 * (np.arange(-taps, taps + 1) / smooth) ** 2)
    for axis in (0, 1):
        found = correlate1d(found, bell / bell.sum(), axis=axis, mode="mirror")
    return found / (away[:, None] ** 2 + away[None] ** 2 <= radius**2).sum()


def glass_blur(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A blur, pixels that change places with near ones, and the blur again.

    The package walks over the picture and swaps each pixel with one up to ``distance`` away, one swap after the other.
    Here pixels are permuted within squares of twice the distance, which lie anew for each picture and repetition
    (ours): a pixel is moved as far on average (the variance is that of two swaps), and all pictures at once.
    """
    from unseen.worlds.transforms import kernels

    sigma, distance, repetitions = GLASS[round(strength) - 1]
    found, fused = softened(images, sigma).floor_(), kernels.asked(images)
    for number in range(repetitions):
        if fused:
            from unseen.worlds.transforms import fused_corruptions

            found = fused_corruptions.permuted(found, 2 * distance, keys, number, SHIFTS)
            continue
        found = permuted(found, 2 * distance, chance.bits(keys, 0, "glass", number))
    return softened(found, sigma).clamp_(0, 255)


def softened(images: Tensor, sigma: float) -> Tensor:
    """A Gaussian cut at four standard deviations; outside is the nearest pixel (scikit-image's default)."""
    from unseen.worlds.transforms import kernels

    if kernels.asked(images):
        return kernels.smoothed(images, sigma, kernels.NEAREST)
    (height, width), reach = images.shape[-2:], reach_of(sigma)
    down, across = (_clamped(size, reach, images.device) for size in (height, width))
    padded = images.index_select(-2, down).index_select(-1, across)
    return blur(padded, sigma, images.new_zeros(0))[..., reach : reach + height, reach : reach + width].contiguous()


def permuted(images: Tensor, side: int, keys: Tensor) -> Tensor:
    """Pixels at random places within squares of ``side`` pixels, whose grid lies at random."""
    return by_squares(images, side, keys) if images.device.type == "cpu" else by_sorting(images, side, keys)


def by_sorting(images: Tensor, side: int, keys: Tensor) -> Tensor:
    """All pictures at once: pixels in the order of their squares, against pixels in random order within these."""
    import torch

    channels, height, width = images.shape[1:]
    first = [((keys >> shift) % side).view(-1, 1, 1) for shift in SHIFTS]
    down = (torch.arange(height, device=keys.device).view(1, -1, 1) + first[0]) // side
    across = (torch.arange(width, device=keys.device).view(1, 1, -1) + first[1]) // side
    square = (down * (width // side + 2) + across).flatten(1)
    drawn = chance.counted(keys, height * width, 0, "permuted") >> 32
    own = torch.sort(square, dim=1, stable=True).indices
    other = torch.sort((square << 31) | drawn, dim=1, stable=True).indices
    flat = images.flatten(2)
    taken = flat.gather(2, other[:, None].expand(-1, channels, -1))
    return torch.empty_like(flat).scatter_(2, own[:, None].expand(-1, channels, -1), taken).view_as(images)


def by_squares(images: Tensor, side: int, keys: Tensor) -> Tensor:
    """The same, picture by picture: each square is a short row, and rows are sorted alone."""
    import torch

    channels, height, width = images.shape[1:]
    drawn = (chance.counted(keys, height * width, 0, "permuted") >> 32).numpy()
    flat, bits = images.flatten(2).numpy(), (side * side).bit_length()
    made = np.empty_like(flat)
    for number, key in enumerate(keys.tolist()):
        own, place, slot, squares = _squares(height, width, side, *((key >> shift) % side for shift in SHIFTS))
        rows = np.full(squares * side * side, np.iinfo(np.int64).max)
        rows[place] = (drawn[number].take(own) << bits) | slot  # equal ones keep their order
        rows = rows.reshape(squares, -1)
        rows.sort(axis=1)
        found = rows.ravel().take(place) & ((1 << bits) - 1)
        other = own.take(np.arange(len(own)) - slot + found)
        for channel in range(channels):
            made[number, channel][own] = flat[number, channel].take(other)
    return torch.from_numpy(made).view_as(images)


@lru_cache(maxsize=64)
def _squares(height: int, width: int, side: int, top: int, left: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Pixels in the order of their squares; of each its place in a table with a row for each square, and in that row;
    and how many squares there are."""
    down, across = (np.arange(height) + top) // side, (np.arange(width) + left) // side
    square = (down[:, None] * (width // side + 2) + across[None]).ravel()
    own = np.argsort(square, kind="stable")
    _, row, count = np.unique(square[own], return_inverse=True, return_counts=True)
    slot = np.arange(len(own)) - np.repeat(np.cumsum(count) - count, count)
    return own, row * side * side + slot, slot, len(count)


def motion_blur(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A mean along a path of random direction within 45° of the horizontal, weighted by half a Gaussian."""
    radius, sigma = MOTIONS[round(strength) - 1]
    return along_path(images, radius, sigma, keys, -45, 45).clamp_(0, 255)


def along_path(images: Tensor, radius: int, sigma: float, keys: Tensor, low: float, high: float) -> Tensor:
    """Weighted sum of copies moved by whole pixels along one direction per image, drawn from ``low`` to ``high``
    degrees; outside is the nearest pixel. The direction is one of 65,536 (ours)."""
    import torch

    from unseen.worlds.transforms import kernels

    width = 2 * radius + 1
    bell = np.exp(-0.5 * (np.arange(width) / sigma) ** 2)
    weights = (bell / bell.sum()).tolist()
    moves = _paths(radius, low, high, images.device)[sixteen(chance.bits(keys, 0, "direction"), 0)].long()
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        return fused_corruptions.along_path(images, moves, tuple(weights))
    (tall, wide), reach = images.shape[-2:], width
    down, across = (_clamped(size, reach, images.device) for size in (tall, wide))
    padded = images.index_select(-2, down).index_select(-1, across).float()
    found = torch.zeros(images.shape, device=images.device)
    if not images.is_cuda:  # pieces of the padded picture are moved copies already
        for number, path in enumerate(moves.tolist()):
            for weight, (dy, dx) in zip(weights, path):
                piece = padded[number, :, reach - dy : reach - dy + tall, reach - dx : reach - dx + wide]
                found[number].add_(piece, alpha=weight)
        return found
    rows, columns = (torch.arange(size, device=images.device) + reach for size in (tall, wide))
    flat = padded.flatten(2)
    for place, weight in enumerate(weights):
        line = rows - moves[:, place, :1]
        at = (line[:, :, None] * padded.shape[-1] + (columns - moves[:, place, 1:])[:, None]).flatten(1)
        found.add_(flat.gather(2, at[:, None].expand(-1, flat.shape[1], -1)).view_as(found), alpha=weight)
    return found


@lru_cache(maxsize=16)
def _paths(radius: int, low: float, high: float, device: torch.device) -> Tensor:
    """Moves down and across ``[65,536, steps, 2]`` along each direction."""
    import torch

    angle = np.deg2rad(low + (np.arange(LEVELS) + 0.5) / LEVELS * (high - low))
    steps = np.arange(2 * radius + 1)
    sides = [-np.ceil(steps * side(angle)[:, None] - 0.5) for side in (np.sin, np.cos)]
    return torch.from_numpy(np.stack(sides, axis=-1).astype(np.int8)).to(device)


@one_by_one
def zoom_blur(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """The mean of a picture and of itself seen ever closer; linear between pixels."""
    import torch

    from unseen.worlds.transforms import kernels

    end, step = ZOOMS[round(strength) - 1]
    factors = np.arange(1, end, step)
    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        size = images.shape[2], images.shape[3]
        return fused_corruptions.closer(images, tuple(factors.tolist()), True, size).clamp_(0, 255)
    plain = images.float()
    found = plain.transpose(-2, -1).clone(memory_format=torch.contiguous_format)  # of one line it would be the same
    for factor in factors:
        layer = zoomed_aside(plain, float(factor))
        wide, tall = (min(a, b) for a, b in zip(layer.shape[-2:], found.shape[-2:]))
        found[..., :wide, :tall] += layer[..., :wide, :tall]
    return found.transpose(-2, -1).contiguous().mul_(1 / (len(factors) + 1)).clamp_(0, 255)


def zoomed(images: Tensor, factor: float) -> Tensor:
    """The middle of a picture, enlarged to about its size: linear, with corners at corners (scipy's ``zoom``)."""
    from unseen.worlds.transforms import kernels

    if kernels.asked(images):
        from unseen.worlds.transforms import fused_corruptions

        tall, wide = (len(lines_between(size, factor)[2]) for size in images.shape[2:])
        return fused_corruptions.closer(images, (factor,), False, (tall, wide))
    return zoomed_aside(images, factor).transpose(-2, -1).contiguous()


def zoomed_aside(images: Tensor, factor: float) -> Tensor:
    """The same with rows and columns exchanged: lines are taken whole, which is far sooner done than pixels."""
    for axis in (-2, -1):
        low, high, share, rest = _between(images.shape[-2], factor, images.device)
        images = images.index_select(-2, low).mul_(rest).add_(images.index_select(-2, high).mul_(share))
        images = images.transpose(-2, -1).contiguous() if axis == -2 else images
    return images


@lru_cache(maxsize=256)
def _between(size: int, factor: float, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The two lines that each new one lies between, and the share of the second and of the first, on a device."""
    import torch

    low, high, share = (torch.from_numpy(part).to(device) for part in lines_between(size, factor))
    return low, high, share[:, None], 1 - share[:, None]


def _clamped(size: int, reach: int, device: torch.device) -> Tensor:
    """Numbers of the pixels from −reach to size + reach, the nearest for those outside."""
    import torch

    return torch.arange(-reach, size + reach, device=device).clamp_(0, size - 1)


def _bounced(size: int, reach: int, full: int, device: torch.device) -> Tensor:
    """Numbers of ``full`` pixels from −reach on, mirrored at the first and the last pixel, which stand once."""
    import torch

    place = torch.arange(-reach, full - reach, device=device) % max(1, 2 * (size - 1))
    return place.where(place < size, 2 * (size - 1) - place).clamp_(min=0)


@lru_cache(maxsize=32)
def _passed(severity: int, tall: int, wide: int, kind: torch.dtype, device: torch.device) -> Tensor:
    """What the disk leaves of each frequency."""
    import torch

    kernel = disk(*DISKS[severity])
    reach, canvas = len(kernel) // 2, np.zeros((tall, wide))
    canvas[: len(kernel), : len(kernel)] = kernel
    return torch.from_numpy(np.fft.rfft2(np.roll(canvas, (-reach, -reach), (0, 1)))).to(device, kind.to_complex())
