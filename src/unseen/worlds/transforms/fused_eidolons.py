"""Eidolons on CUDA: products with matrices of cosines and sines, and one kernel that moves the pixels.

A blur and blurred noise have few frequencies, and products need no others: those that a blur leaves nothing
of are left out. All is float64 and settled as with Fourier transforms, so that pictures are those of a CPU.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.seeds import seed_of
from unseen.worlds.rendering import kernels as rendering
from unseen.worlds.transforms.kernels import MIRROR, correlated
from unseen.worlds.transforms.noise import normal
from unseen.worlds.transforms.weights import FINEST, around

if TYPE_CHECKING:
    import torch
    from torch import Tensor

NOTHING = 1e-11  # of a frequency of a field (ours): it has a variance of one and is rounded to three digits
FAINT = 1e-8  # of a frequency or a pixel of a picture (ours): 255 times this is far below what pictures are rounded to
NARROW = 31  # weights, up to which a blur is taken as a sum of pixels (ours)
BLOCK = 256


def disarrayed(
    plain: Tensor, far: float, coherence: float, keys: Tensor, sigmas: tuple[float, ...], grain: float, widest: float,
    channels: int,
) -> Tensor:  # fmt: skip
    """Settled float32 pictures in all channels, from grey float64 ``[n, h, w]``; lengths are in pixels of these."""
    import torch

    from unseen.worlds.transforms import kernels_draws

    n, height, width = plain.shape
    blurs, empty = _blurs(plain, sigmas), plain.new_empty(0)
    names = range(len(sigmas))
    together = own = empty
    if coherence:
        together = plain.new_empty(len(sigmas), n, 2, height, width)
        for k, sigma in enumerate(sigmas):
            _noise(keys, sigma, sigma / widest, (f"coherent {k}",), together[k : k + 1])
    if coherence < 1:
        own = plain.new_empty(len(sigmas), n, 2, height, width)
        _noise(keys, grain, 1.0, tuple(f"incoherent {k}" for k in names), own)
    found = torch.empty(n, channels, height, width, device=plain.device)
    with torch.cuda.device_of(found):
        rendering.launched(kernels_draws.displaced, n * -(-height * width // BLOCK))(
            blurs, together, own, _settings(far, coherence, plain.device), found, n, height, width,
            SCALES=len(sigmas), CHANNELS=channels, COHERENT=coherence > 0, OWN=coherence < 1, FINEST=FINEST,
            BLOCK=BLOCK, num_warps=4, enable_fp_fusion=False,
        )  # fmt: skip
    return found


def _blurs(plain: Tensor, sigmas: tuple[float, ...]) -> Tensor:
    """``[scales, n, h, w]``: sums of few pixels, else cosine transforms, whose waves are mirrored at the edges."""
    import torch

    n, height, width = plain.shape
    down, across = (_cosines(size, plain.device) for size in (height, width))
    spectrum = torch.bmm(down.expand(n, -1, -1), plain @ across.T)
    found = plain.new_empty(len(sigmas), *plain.shape)
    for sigma, blurred in zip(sigmas, found):
        bell = _bell(sigma, plain.device)
        if len(bell) <= NARROW and len(bell) // 2 < min(height, width):
            across_first = correlated(plain, bell, torch.empty_like(plain), -1, EDGE=MIRROR)
            correlated(across_first, bell, blurred, -2, EDGE=MIRROR)
            continue
        tall, wide = (_kept(size, sigma, plain.device) for size in (height, width))
        rows, columns = len(tall), len(wide)
        passed = spectrum[:, :rows, :columns] * (tall[:, None] * wide)
        torch.bmm(down[:rows].T.expand(n, -1, -1), passed @ across[:columns], out=blurred)
    return found


def _noise(keys: Tensor, sigma: float, weight: float, names: tuple[str, ...], out: Tensor) -> None:
    """Blurred complex noise ``[names, n, 2, h, w]`` of variance ``weight`` squared."""
    import torch

    from unseen.worlds.transforms import kernels_draws

    fields, n, _, height, width = out.shape
    (tall, down), (wide, across) = (_waves(size, sigma, keys.device) for size in (height, width))
    rows, columns = down.shape[1], across.shape[1]
    spectrum = out.new_empty(2 * fields * n, rows, columns)
    with torch.cuda.device_of(out):
        rendering.launched(kernels_draws.waves, fields * n * -(-len(tall) * len(wide) // BLOCK))(
            keys.contiguous(), _seeds(names, keys.device), normal(keys.device), tall, wide, spectrum, n,
            height, width, len(tall), len(wide), rows, columns, BLOCK=BLOCK, num_warps=4,
        )  # fmt: skip
    flat = out.view(2 * fields * n, height, width)
    torch.bmm((down * weight).expand(len(flat), -1, -1), spectrum @ across.T, out=flat)


@lru_cache(maxsize=16)
def _cosines(size: int, device: torch.device) -> Tensor:
    """An orthonormal cosine transform ``[frequency, place]``."""
    import torch

    place = np.arange(size)
    found = np.cos(np.pi * place[:, None] * (2 * place[None] + 1) / (2 * size)) * np.sqrt(2 / size)
    found[0] = np.sqrt(1 / size)
    return torch.from_numpy(found).to(device)


@lru_cache(maxsize=64)
def _bell(sigma: float, device: torch.device) -> Tensor:
    """A sampled Gaussian, until nothing is left."""
    import torch

    reach = int(np.sqrt(-2 * np.log(FAINT)) * sigma) + 1
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return torch.from_numpy(bell / bell.sum()).to(device)


@lru_cache(maxsize=256)
def _kept(size: int, sigma: float, device: torch.device) -> Tensor:
    """What a blur of a mirrored line leaves of its cosines, until nothing is left."""
    import torch

    passed = np.fft.fft(around(2 * size, sigma)).real[:size]
    return torch.from_numpy(passed[: np.flatnonzero(np.abs(passed) > FAINT)[-1] + 1].copy()).to(device)


@lru_cache(maxsize=256)
def _waves(size: int, sigma: float, device: torch.device) -> tuple[Tensor, Tensor]:
    """What a blur leaves of frequencies 0, 1, …, scaled to a variance of one, and the waves ``[place, cosines, then
    sines]`` of those and of their opposites (see ``kernels_draws.waves``)."""
    import torch

    passed = np.fft.fft(around(size, sigma)).real
    passed *= size / np.sqrt((passed**2).sum())
    kept = np.flatnonzero(np.abs(passed[: size // 2 + 1]) > NOTHING * abs(passed[0]))[-1] + 1
    angle = 2 * np.pi * np.arange(size)[:, None] * np.arange(kept) / size
    paired = [f for f in range(1, kept) if 2 * f != size]
    found = np.concatenate([np.cos(angle), np.sin(angle[:, paired])], 1) / size
    return torch.from_numpy(passed[:kept].copy()).to(device), torch.from_numpy(found).to(device)


@lru_cache(maxsize=64)
def _seeds(names: tuple[str, ...], device: torch.device) -> Tensor:
    import torch

    return torch.tensor([seed_of(0, "eidolon", name) for name in names], device=device)


@lru_cache(maxsize=64)
def _settings(far: float, coherence: float, device: torch.device) -> Tensor:
    import torch

    return torch.tensor([far, coherence, 1 - coherence], dtype=torch.float64, device=device)
