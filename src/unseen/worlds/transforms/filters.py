"""Convolutions: derivative and high-pass kernels as shifted sums, Gaussians as exact matrix products.

A library's convolution may choose another algorithm, and so another rounding, for another batch. Small kernels are
therefore sums of shifted pictures, elementwise. They have whole weights, so that pictures of whole numbers give exact
results. A wide Gaussian would need hundreds of such sums; it is a product with a banded matrix instead. All Gaussians
are in float64 with whole numbers small enough that no partial sum is ever rounded. The order of summation then cannot
matter, and sums, products and the kernels of a GPU (``kernels``) give the same bits.

Zaidi et al. do not say how pictures end. Ours: zeros outside, as in TensorFlow's "SAME" convolution, and all kernels
are applied as TensorFlow does, without mirroring.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.transforms.weights import STEPS, WEIGHTS, gaussian, reach_of

if TYPE_CHECKING:
    import torch
    from torch import Tensor

HIGH_PASS = (-1, 2, 4, 2, -1)
DIFFERENCE = (-1, 0, 1)
CACHED = 2**18  # numbers that are blurred at a time on a CPU: what float64 needs of them fits into its caches (ours)
NARROW = 12  # up to this reach in pixels sums of pairs are faster than the product on a CPU (measured at 224 pixels)


def shifted_sum(images: Tensor, weights: tuple[int, ...], axis: int) -> Tensor:
    """Correlation with an odd number of whole weights along one axis, zeros outside.

    The weights are powers of two or their opposites, so that products are exact and it matters not whether a processor
    fuses them with the sum.
    """
    import torch

    from unseen.worlds.transforms import kernels

    if kernels.available(images):
        return kernels.shifted_sum(images, weights, axis)
    images, reach, length = images.float(), len(weights) // 2, images.shape[axis]
    found = torch.zeros_like(images) if reach >= length else None
    for place, weight in enumerate(weights):
        by, left = place - reach, length - abs(place - reach)
        if not weight or left <= 0:
            continue
        piece = images.narrow(axis, max(0, by), left)
        if found is None:
            found = torch.empty_like(images)
            torch.mul(piece, weight, out=found.narrow(axis, max(0, -by), left))
            found.narrow(axis, 0 if by < 0 else left, length - left).zero_()
        else:
            found.narrow(axis, max(0, -by), left).add_(piece, alpha=weight)
    assert found is not None
    return found


def both_ways(images: Tensor, weights: tuple[int, ...]) -> Tensor:
    return shifted_sum(shifted_sum(images, weights, -1), weights, -2)


def high_pass(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """ "A filter size of 5×5 of form [−1, 2, 4, 2, −1] in both directions" (Zaidi et al., supplement B), taken by the
    letter: the 5×5 kernel is the product of that row and that column.

    It sums to 6 along each direction, so to 36: a plain surface of x becomes 36 x. It is neither scaled nor clipped;
    standardisation per image, which follows in the paper, removes the scale. What then remains is the picture, hardly
    changed: the kernel passes low frequencies best. :func:`high_pass_zero_sum` is the other reading.
    """
    return both_ways(images, HIGH_PASS)


def high_pass_zero_sum(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """The other reading of the paper's sentence (ours), which the recipes take: the 5×5 kernel that is widely used with
    scipy, whose middle row and middle column are [−1, 2, 4, 2, −1] and whose sum is zero.

    It keeps the printed numbers in both directions and is a high-pass. Other kernels that sum to zero change them: the
    product less its mean, the product with a centre of −20, the product of rows less their means. guide/transformations
    tells what plain networks reach under each.

    Its frame of −1 is a 3×3 box less a 5×5 box, and its inside [1, 2, 1] in both directions.
    """
    inside = both_ways(images, (1, 2, 1))
    return inside + both_ways(images, (1, 1, 1)) - both_ways(images, (1, 1, 1, 1, 1))


def horizontal(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """3×3 with [−1, 0, 1] in each row: the difference from left to right, summed over three rows. Signed, not clipped.

    That "horizontal" names the direction of the difference, and that the rows are equal, is ours.
    """
    return shifted_sum(shifted_sum(images, DIFFERENCE, -1), (1, 1, 1), -2)


def vertical(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """3×3 with [−1, 0, 1] in each column: the difference from top to bottom, summed over three columns."""
    return shifted_sum(shifted_sum(images, DIFFERENCE, -2), (1, 1, 1), -1)


def blur(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """A Gaussian of standard deviation ``strength`` pixels, cut at four of them (scipy's default; ours)."""
    import torch

    from unseen.worlds.transforms import kernels

    if kernels.available(images) and reach_of(strength) <= kernels.WIDEST:
        return kernels.smoothed(images, strength)
    few = max(1, CACHED // max(1, images[:1].numel())) if images.device.type == "cpu" else max(1, len(images))
    return torch.cat([smoothed_steps(part, strength).float().mul_(1 / STEPS) for part in images.split(few)])


def in_steps(images: Tensor) -> Tensor:
    """Float64, in whole steps; scaling float32 by a power of two loses nothing, and bytes need no rounding."""
    import torch

    if images.dtype == torch.uint8:
        return images.double().mul_(STEPS)
    return (images * STEPS).round_().double()


def smoothed_steps(images: Tensor, sigma: float, around: int = 0) -> Tensor:
    """In whole steps, float64 ``[n, c, h, w]``, after a Gaussian; beyond its edges the picture has the value
    ``around``, which is what remains of scipy's ``mode="constant"`` once it is subtracted and added again."""
    height, width = images.shape[-2:]
    found = in_steps(images)
    if around:
        found -= around
    if found.device.type == "cpu" and reach_of(sigma) <= NARROW:
        found = _paired(_paired(found, sigma, -1).round_(), sigma, -2).round_()
    else:
        found = (found @ band(sigma, width, images.device)).round_()
        found = (band(sigma, height, images.device) @ found).round_()
    return found.add_(around) if around else found


def _paired(steps: Tensor, sigma: float, axis: int) -> Tensor:
    """A Gaussian along one axis as a sum of pairs at equal distances, which is as exact as the product."""
    from torch.nn.functional import pad

    reach, length = reach_of(sigma), steps.shape[axis]
    weights = (gaussian(sigma)[reach:] / WEIGHTS).tolist()
    padded = pad(steps, (reach, reach) if axis == -1 else (0, 0, reach, reach))
    found = steps * weights[0]
    for apart in range(1, reach + 1):
        pair = padded.narrow(axis, reach - apart, length) + padded.narrow(axis, reach + apart, length)
        found.add_(pair, alpha=weights[apart])
    return found


def stepped(images: Tensor) -> Tensor:
    """Float64, rounded to the steps in which sums are exact; pictures of whole numbers are not changed."""
    return in_steps(images).mul_(1 / STEPS)


def smoothed(images: Tensor, sigma: float, outside: float = 0.0) -> Tensor:
    """Float64 ``[n, c, h, w]`` after a Gaussian, in whole steps, with ``outside`` beyond the edges."""
    return smoothed_steps(images, sigma, round(outside * STEPS)).mul_(1 / STEPS)


@lru_cache(maxsize=256)
def band(sigma: float, size: int, device: torch.device) -> Tensor:
    """The symmetric matrix of a Gaussian over ``size`` pixels, copied to a device once. Its weights are divided by 2²⁸,
    which changes exponents only: sums of whole steps are as exact as before."""
    import torch

    weights = gaussian(sigma)
    apart = np.abs(np.arange(size)[:, None] - np.arange(size)[None])
    half = np.append(weights[len(weights) // 2 :] / WEIGHTS, 0.0)
    return torch.from_numpy(half[np.minimum(apart, len(half) - 1)]).to(device)
