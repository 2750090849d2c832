"""Eidolons (Koenderink, Valsecchi, van Doorn, Wagemans & Gegenfurtner 2017, Journal of Vision 17(2):7), as Geirhos et
al. 2018 use them: a picture's scales are displaced by random fields and added up again ("partially coherent disarray").

Slice k of a picture is what lies between two blurs, G(σₖ) − G(σₖ₊₁), with σₖ = 2^((k − 1)/2) pixels, and the last is
the widest blur; they add up to the picture blurred by σ₀ = .71 pixels. Each is shifted, pixel by pixel, by ``reach``
times a field: c · coherent + (1 − c) · incoherent. The incoherent fields are white noise blurred by ``GRAIN``, one for
each slice by itself. The coherent one of slice k is the sum over all l ≥ k of noise blurred by σₗ, of weight σₗ/σ_max,
so that coarse structure drags fine structure along. All noise has a variance of one after blurring.

Papers' pictures have a side of 256 pixels. Grain, reach and σ_max are scaled with the shorter side (ours), so that a
published reach means the same at any size. Also ours: weights c and 1 − c (the paper speaks of a weighted combination;
observers of Geirhos et al. know more at c = 1); fields wrap around the edges, at the picture's size; grey as elsewhere
(scikit-image's weights). Beyond its edges a picture is mirrored, as there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance
from unseen.worlds.transforms.colour import SCIKIT_IMAGE, luminance
from unseen.worlds.transforms.fourier import in_blocks, settled
from unseen.worlds.transforms.noise import normal, sixteen
from unseen.worlds.transforms.weights import FINEST, around

if TYPE_CHECKING:
    import torch
    from torch import Tensor

SIDE = 256  # of the papers' pictures
GRAIN, WIDEST = 10.0, SIDE / 4  # of the fields, and σ_max, in pixels of such a picture
FINE = 2**-0.5  # σ₀


def scales(height: int, width: int) -> tuple[float, ...]:
    """σₖ in pixels: from .71, each √2 times the last, as many as the code takes (twelve at 256 pixels).

    >>> [round(sigma, 2) for sigma in scales(32, 40)]
    [0.71, 1.0, 1.41, 2.0, 2.83, 4.0]
    >>> len(scales(256, 256)), round(scales(256, 256)[-1], 6)
    (12, 32.0)
    """
    widest = max(2.0, min(height, width) / 4)
    return tuple(FINE * 2 ** (k / 2) for k in range(int(np.ceil(2 * np.log2(widest)))))


def eidolon_1(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Eidolon I: coherence 1. ``strength`` is the reach."""
    return eidolon(images, strength, 1.0, keys)


def eidolon_2(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Eidolon II: coherence .3."""
    return eidolon(images, strength, 0.3, keys)


def eidolon_3(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Eidolon III: coherence 0."""
    return eidolon(images, strength, 0.0, keys)


def eidolon(images: Tensor, reach: float, coherence: float, keys: Tensor) -> Tensor:
    """Partially coherent disarray of the grey pictures; clipped, in all channels. Pixels are moved whole, as there."""
    import torch

    from unseen.worlds.transforms import kernels

    plain = luminance(images, SCIKIT_IMAGE)[:, 0].double()
    height, width = plain.shape[1:]
    far = reach * min(height, width) / SIDE
    if far and kernels.asked(images):
        channels = images.shape[1]
        return torch.cat([
            _fused(part, far, coherence, key, channels)[:real] for real, (part, key) in in_blocks(plain, keys)
        ])  # fmt: skip
    parts = []
    for real, (part, key) in in_blocks(plain, keys):
        slices = _slices(part)
        if far:
            slices = _moved(slices, torch.fft.ifft2(_fields(key, height, width, coherence)), far)
        parts.append(slices.sum(0)[:real])
    whole = torch.cat(parts) if parts else plain
    return settled(whole, images)


def _fused(plain: Tensor, far: float, coherence: float, keys: Tensor, channels: int) -> Tensor:
    """Settled, by kernels of a GPU."""
    from unseen.worlds.transforms.fused_eidolons import disarrayed

    height, width = plain.shape[1:]
    unit = min(height, width) / SIDE
    return disarrayed(plain, far, coherence, keys, scales(height, width), GRAIN * unit, WIDEST * unit, channels)


def _slices(plain: Tensor) -> Tensor:
    """``[scales, n, h, w]``: differences of blurs from fine to coarse, the last the widest blur; edges are mirrors."""
    import torch

    height, width = plain.shape[1:]
    mirrored = torch.cat([plain, plain.flip(-1)], -1)
    spectrum = torch.fft.rfft2(torch.cat([mirrored, mirrored.flip(-2)], -2))
    passed = [_passed(2 * height, 2 * width, sigma, True, plain.device) for sigma in scales(height, width)]
    blurs = torch.fft.irfft2(spectrum * torch.stack(passed)[:, None], s=(2 * height, 2 * width))[..., :height, :width]
    return torch.cat([blurs[:-1] - blurs[1:], blurs[-1:]])


def _fields(keys: Tensor, height: int, width: int, coherence: float) -> Tensor:
    """Spectra ``[scales, n, h, w]`` of the displacements of all slices."""
    import torch

    short, found = min(height, width), []
    coherent = torch.zeros(len(keys), height, width, dtype=torch.complex128, device=keys.device)
    for number, sigma in list(enumerate(scales(height, width)))[::-1]:  # coarse to fine: coherent fields are sums
        field = torch.zeros_like(coherent)
        if coherence:
            weight = sigma / (WIDEST * short / SIDE)
            coherent = coherent + weight * _noise(keys, height, width, sigma, f"coherent {number}")
            field = field + coherence * coherent
        if coherence < 1:
            own = _noise(keys, height, width, GRAIN * short / SIDE, f"incoherent {number}")
            field = field + (1 - coherence) * own
        found.append(field)
    return torch.stack(found[::-1])


def _noise(keys: Tensor, height: int, width: int, sigma: float, name: str) -> Tensor:
    """The spectrum of a blurred complex field: its real and imaginary parts are displacements down and across, of
    variance one each. White noise has a white spectrum, so that it is drawn there, and never transformed itself."""
    import torch

    bits = chance.counted(keys, height * width, 0, "eidolon", name).view(-1, height, width)
    table = normal(keys.device)
    drawn = torch.complex(table[sixteen(bits, 0)].double(), table[sixteen(bits, 1)].double())
    passed = _passed(height, width, sigma, False, keys.device)
    return drawn * (passed * (height * width / np.sqrt(float((passed**2).sum()))))


def _moved(pictures: Tensor, field: Tensor, far: float) -> Tensor:
    """Every pixel shows the one that lies ``far`` times its field's value away; edges are mirrors."""
    import torch

    height, width = pictures.shape[-2:]
    steps = (torch.view_as_real(field) * FINEST).round_() / FINEST * far
    down = (torch.arange(height, device=field.device)[:, None] + steps[..., 0]).floor().long()
    across = (torch.arange(width, device=field.device) + steps[..., 1]).floor().long()
    place = _mirror(down, height) * width + _mirror(across, width)
    return pictures.flatten(-2).gather(-1, place.flatten(-2)).view_as(pictures)


def _mirror(place: Tensor, size: int) -> Tensor:
    place = place % (2 * size)
    return place.where(place < size, 2 * size - 1 - place)


@lru_cache(maxsize=256)
def _passed(height: int, width: int, sigma: float, half: bool, device: torch.device) -> Tensor:
    """What a blur leaves of each frequency: by a sampled Gaussian that wraps around, of sum one, as in the code."""
    import torch

    down, across = (np.fft.fft(around(size, sigma)).real for size in (height, width))
    return torch.from_numpy(down[:, None] * across[None, : width // 2 + 1 if half else width]).to(device)
