"""Fourier transforms whose result does not depend on the batch.

They are taken of so many pictures at a time, always: a library may round other numbers otherwise. Results are rounded
to 2⁻¹⁰, so that what differs between devices is seen in very few pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from unseen.worlds.transforms.weights import FINEST

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = {"cpu": 1, "cuda": 64}


def in_blocks(*given: Tensor) -> Iterator[tuple[int, tuple[Tensor, ...]]]:
    """How many rows of a block are real, and the block: the last is filled with zeros to the full number."""
    import torch

    block = BLOCK.get(given[0].device.type, 1)
    for start in range(0, len(given[0]), block):
        parts = tuple(one[start : start + block] for one in given)
        short = block - len(parts[0])
        if short:
            parts = tuple(torch.cat([part, part.new_zeros(short, *part.shape[1:])]) for part in parts)
        yield block - short, parts


def refiltered(plain: Tensor, change: Callable[..., Tensor], *more: Tensor) -> Tensor:
    """Pictures ``[n, h, w]`` (float64) whose half spectra are ``change(spectrum, *more)``, block by block."""
    import torch

    parts = []
    for real, (part, *others) in in_blocks(plain, *more):
        spectrum = change(torch.fft.rfft2(part.clone()), *others)
        parts.append(torch.fft.irfft2(spectrum, s=part.shape[-2:])[:real])
    return torch.cat(parts) if parts else plain


def settled(found: Tensor, images: Tensor) -> Tensor:
    """In all channels of ``images``, float32, clipped to 0–255, from pictures ``[n, h, w]`` that went through a Fourier
    transform."""
    import torch

    from unseen.worlds.transforms import kernels

    if kernels.asked(found):
        return kernels.settled(found[:, None], torch.empty(images.shape, device=images.device))
    grey = ((found * FINEST).round_() / FINEST).clamp_(0, 255).float()
    return grey.unsqueeze(1).expand_as(images).contiguous()
