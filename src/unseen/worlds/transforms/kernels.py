"""Transforming on CUDA by fused kernels (``kernels_pixels``): the eager code's bits in few passes.

Eager torch reads and writes a whole batch for every term of a sum and every step of a hash. Here a correlation is one
pass per axis, and noise is one pass. What corruptions, eidolons and JPEG ask of kernels is in ``fused_corruptions``,
``fused_eidolons`` and ``fused_jpeg``. Triton is chosen on CUDA only; ``UNSEEN_KERNELS=0`` turns it off. Kernels of
distortions and corruptions were compared with the eager code by Triton's interpreter and compiled for an H200, and
have not run on a GPU yet: until they have, ``UNSEEN_KERNELS=all`` asks for them.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from unseen.vocabulary.seeds import seed_of
from unseen.worlds.rendering import kernels as rendering

if TYPE_CHECKING:
    import torch
    from torch import Tensor

BLOCK = 1024  # pixels of one program (ours)
# Beyond this reach in pixels a product with a banded matrix, whose cost does not grow, is taken instead: 17 numbers are
# summed at a reach of 8, and 40 is where an estimate puts the same time (ours).
WIDEST = 40
ZEROS, NEAREST, MIRROR = 0, 1, 2  # what lies outside of a picture


def available(images: Tensor) -> bool:
    """Whether the kernels transform these: on CUDA, with Triton."""
    return images.is_cuda and images.numel() > 0 and rendering.available(images.device)


def asked(images: Tensor) -> bool:
    """Whether the kernels of distortions and corruptions transform these: where they are asked for."""
    return os.environ.get("UNSEEN_KERNELS") == "all" and available(images)


def shifted_sum(images: Tensor, weights: tuple[int, ...], axis: int) -> Tensor:
    """``filters.shifted_sum``."""
    import torch

    out = torch.empty(images.shape, device=images.device)
    return correlated(images, _whole(weights, images.device), out, axis)


def smoothed(images: Tensor, sigma: float, edge: int = ZEROS) -> Tensor:
    """``filters.blur``, or with other edges: between the axes whole steps are kept, of bytes in 32 bits."""
    import torch

    from unseen.worlds.transforms.weights import STEPS, WEIGHTS

    bell, bytewise = _bell(sigma, images.device), images.dtype == torch.uint8
    between = torch.empty(images.shape, dtype=torch.int32 if bytewise else torch.float64, device=images.device)
    if bytewise:  # whole already
        correlated(images, bell, between, -1, EXACT=True, SCALE=STEPS / WEIGHTS, EDGE=edge)
    else:
        correlated(images, bell, between, -1, EXACT=True, STEPS=STEPS, SCALE=1 / WEIGHTS, EDGE=edge)
    out = torch.empty(images.shape, device=images.device)
    return correlated(between, bell, out, -2, EXACT=True, SCALE=1 / WEIGHTS, LAST=1 / STEPS, EDGE=edge)


def white_noise(images: Tensor, deviates: Tensor, keys: Tensor) -> Tensor:
    """``noise.white_noise``, with a table of 65,536 deviates."""
    return _speckled(images, deviates, keys, 0, False)


def salt_and_pepper(images: Tensor, below: int, keys: Tensor) -> Tensor:
    """``noise.salt_and_pepper``; ``below`` is the share times 2³²."""
    return _speckled(images, keys, keys, below, True)


def settled(found: Tensor, out: Tensor, edge: int = 0) -> Tensor:
    """``fourier.settled`` of ``[n, 1 or channels, tall, wide]`` within an edge of so many pixels, into ``out``."""
    import torch

    from unseen.worlds.transforms import kernels_pixels
    from unseen.worlds.transforms.weights import FINEST

    (n, channels, height, width), (_, sources, tall, wide) = out.shape, found.shape
    with torch.cuda.device_of(out):
        rendering.launched(kernels_pixels.settle, n * -(-height * width // BLOCK))(
            found.contiguous(), out, height, width, tall, wide, edge, SOURCES=sources, CHANNELS=channels,
            FINEST=FINEST, BLOCK=BLOCK, num_warps=4,
        )  # fmt: skip
    return out


def correlated(images: Tensor, weights: Tensor, out: Tensor, axis: int, **constants: Any) -> Tensor:
    """The kernel along one axis, into ``out``."""
    import torch

    from unseen.worlds.transforms import kernels_pixels

    height, width = images.shape[-2:]
    settings = {"EXACT": False, "STEPS": 0.0, "SCALE": 1.0, "LAST": 1.0, "EDGE": ZEROS, **constants}
    programs = images.shape[:-2].numel() * -(-height * width // BLOCK)
    with torch.cuda.device_of(out):  # Triton launches on the current device
        rendering.launched(kernels_pixels.correlate, programs)(
            images.contiguous(), weights, out, height, width, TAPS=len(weights), DOWN=axis == -2, **settings,
            BLOCK=BLOCK, num_warps=4,
        )  # fmt: skip
    return out


def _speckled(images: Tensor, deviates: Tensor, keys: Tensor, below: int, salt: bool) -> Tensor:
    import torch

    from unseen.worlds.transforms import kernels_pixels

    places = images.shape[2] * images.shape[3]
    out = torch.empty(images.shape, device=images.device)
    with torch.cuda.device_of(out):
        rendering.launched(kernels_pixels.speckle, len(images) * -(-places // BLOCK))(
            images.contiguous(), keys.contiguous(), deviates, out, places, below, CHANNELS=images.shape[1], SALT=salt,
            SEED=seed_of(0, "pixels"), BLOCK=BLOCK, num_warps=4,
        )  # fmt: skip
    return out


@lru_cache(maxsize=64)
def _whole(weights: tuple[int, ...], device: torch.device) -> Tensor:
    import torch

    return torch.tensor(weights, dtype=torch.float32, device=device)


@lru_cache(maxsize=64)
def _bell(sigma: float, device: torch.device) -> Tensor:
    import torch

    from unseen.worlds.transforms.weights import gaussian

    return torch.from_numpy(gaussian(sigma)).to(device)
