"""Corruptions, opponent colour and phase noise on CUDA: what the eager code does in many passes, in one or few kernels.

Each function says whose work it does. Arithmetic is the eager code's in its order, without fused sums of products where
that has none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.vocabulary.seeds import seed_of
from unseen.worlds.rendering import kernels as rendering
from unseen.worlds.transforms.kernels import MIRROR, correlated
from unseen.worlds.transforms.weights import lines_between

if TYPE_CHECKING:
    import torch
    from torch import Tensor

BLOCK = 256  # places of one program, of all channels (ours)


def launch(kernel: Any, programs: int, *given: Any, block: int = BLOCK, **constants: Any) -> None:
    import torch

    with torch.cuda.device_of(given[0]):
        rendering.launched(kernel, programs)(
            *given, **constants, BLOCK=block, num_warps=4, enable_fp_fusion=False,
        )  # fmt: skip


def over(images: Tensor, places: int, block: int = BLOCK) -> int:
    """How many programs take these pictures, each of so many places."""
    return len(images) * -(-places // block)


def broad(images: Tensor) -> int:
    """Channels up to a power of two."""
    return 1 << (images.shape[1] - 1).bit_length()


def shot_noise(images: Tensor, keys: Tensor, counts: Tensor, photons: int) -> Tensor:
    """``corruption_noise.shot_noise``."""
    import torch

    from unseen.worlds.transforms import kernels_pixels

    out, places = torch.empty(images.shape, device=images.device), images.shape[2] * images.shape[3]
    launch(
        kernels_pixels.photons, over(images, places), images.contiguous(), keys.contiguous(), counts, out, places,
        CHANNELS=images.shape[1], SCALE=255 / photons, SEED=seed_of(0, "pixels"),
    )  # fmt: skip
    return out


def impulse_noise(images: Tensor, keys: Tensor, below: int) -> Tensor:
    """``corruption_noise.impulse_noise``."""
    import torch

    from unseen.worlds.transforms import kernels_pixels

    out, places = torch.empty(images.shape, device=images.device), images.shape[2] * images.shape[3]
    launch(
        kernels_pixels.struck, over(images, places), images.contiguous(), keys.contiguous(), out, places, below,
        CHANNELS=images.shape[1], SEED=seed_of(0, "pixels"),
    )  # fmt: skip
    return out


def opponent_colour(images: Tensor, weights: np.ndarray) -> Tensor:
    """``opponent.opponent_colour``."""
    import torch

    from unseen.worlds.transforms import kernels_pixels

    out, places = torch.empty(images.shape, device=images.device), images.shape[2] * images.shape[3]
    given = numbers(tuple(map(float, weights.ravel())), "float64", images.device)
    launch(kernels_pixels.turned, over(images, places), images.contiguous(), given, out, places)
    return out


def turns(keys: Tensor, height: int, width: int, circle: Tensor, released: bool) -> Tensor:
    """What ``distortions`` multiplies half spectra by, with its table of complex numbers."""
    import torch

    from unseen.worlds.transforms import kernels_draws

    out = circle.new_empty(len(keys), height, width // 2 + 1)
    launch(
        kernels_draws.phases, over(keys, height * (width // 2 + 1)), keys.contiguous(), torch.view_as_real(circle),
        torch.view_as_real(out), height, width, SEED=seed_of(0, "phases"), RELEASED=released,
    )  # fmt: skip
    return out


def permuted(images: Tensor, side: int, keys: Tensor, number: int, shifts: tuple[int, int]) -> Tensor:
    """``corruption_blur.permuted`` with the keys of a repetition."""
    import torch

    from unseen.worlds.transforms import kernels_places

    (n, channels, height, width), out = images.shape, torch.empty_like(images)
    seeds = numbers((seed_of(0, "glass", number), seed_of(0, "permuted")), "int64", images.device)
    scores = torch.empty(n, height * width, dtype=torch.int32, device=images.device)
    keys, programs = keys.contiguous(), over(images, height * width)
    launch(kernels_places.scored, programs, keys, seeds, scores, height * width)
    launch(
        kernels_places.exchanged, programs, images.contiguous(), keys, seeds, scores, out, channels, height, width,
        SIDE=side, DOWN=shifts[0], ACROSS=shifts[1], CHANNELS=broad(images),
    )  # fmt: skip
    return out


def along_path(images: Tensor, moves: Tensor, weights: tuple[float, ...]) -> Tensor:
    """``corruption_blur.along_path``."""
    import torch

    from unseen.worlds.transforms import kernels_places

    out = torch.empty(images.shape, device=images.device)
    launch(
        kernels_places.path, over(images, images.shape[2] * images.shape[3]), images.contiguous(), moves.contiguous(),
        numbers(weights, "float32", images.device), out, *images.shape[1:], STEPS=len(weights),
        CHANNELS=broad(images),
    )  # fmt: skip
    return out


def closer(images: Tensor, factors: tuple[float, ...], plain: bool, size: tuple[int, int]) -> Tensor:
    """The mean of pictures as ``corruption_blur.zoomed`` gives them and, if ``plain``, of the picture itself."""
    import torch

    from unseen.worlds.transforms import kernels_places

    (rows, low), (columns, near) = (
        _lines(full, factors, shown, images.device) for full, shown in zip(images.shape[2:], size)
    )
    out = torch.empty(*images.shape[:2], *size, device=images.device)
    launch(
        kernels_places.closer, over(images, size[0] * size[1]), images.contiguous(), rows, columns, low, near, out,
        *images.shape[1:], *size, LAYERS=len(factors), PLAIN=plain, SCALE=1 / (len(factors) + plain),
        CHANNELS=broad(images),
    )  # fmt: skip
    return out


def elastic_transform(images: Tensor, keys: Tensor, most: float, times: float, bells: list[np.ndarray]) -> Tensor:
    """``corruption_digital.elastic_transform``, with the weights down and across."""
    import torch

    from unseen.worlds.transforms import kernels_places

    (n, channels, height, width), device, size = images.shape, images.device, images.shape[2] * images.shape[3]
    seeds = numbers(tuple(seed_of(0, "elastic", axis) for axis in ("down", "across")), "int64", device)
    noise = torch.empty(2, n, height, width, device=device)
    launch(
        kernels_places.uniform, 2 * over(images, size), keys.contiguous(), seeds, numbers((most,), "float32", device),
        noise, n, size,
    )  # fmt: skip
    for axis, bell in zip((-2, -1), bells):
        weights = numbers(tuple(bell.tolist()), "float32", device)
        noise = correlated(noise, weights, torch.empty_like(noise), axis, EDGE=MIRROR)
    out = torch.empty(images.shape, device=device)
    launch(
        kernels_places.between, over(images, size), images.contiguous(), noise, numbers((times,), "float32", device),
        out, n, channels, height, width, CHANNELS=broad(images),
    )  # fmt: skip
    return out


def clouds(keys: Tensor, side: int, kinds: tuple[tuple[str, float], ...]) -> tuple[Tensor, Tensor, Tensor]:
    """``plasma.at_once`` of several names and decays: ``[kinds · n, side, side]``, and the least and most of each."""
    import torch

    from unseen.worlds.transforms import kernels_weather

    n, levels, k = len(keys), side.bit_length() - 1, 1
    seeds, most = _levels(side, kinds, keys.device)
    found, keys = torch.zeros(len(kinds) * n, 1, 1, dtype=torch.float64, device=keys.device), keys.contiguous()
    for level in range(levels):
        finer = found.new_empty(len(found), 2 * k, 2 * k)
        launch(
            kernels_weather.finer, over(found, k * k), found, keys, seeds, most, finer, n, k, level, levels,
        )  # fmt: skip
        found, k = finer, 2 * k
    flat = found.flatten(1)
    return found, flat.amin(1), flat.amax(1)


def frost(
    images: Tensor, keys: Tensor, kinds: tuple[tuple[str, float], ...], kept: float, tints: tuple[float, ...]
) -> Tensor:
    """``corruption_weather.frost``: ``tints`` are what each channel shows of the ice."""
    import torch

    from unseen.worlds.transforms import kernels_weather

    n, channels, height, width = images.shape
    side = 1 << (max(height, width, 2) - 1).bit_length()
    out = torch.empty(images.shape, device=images.device)
    launch(
        kernels_weather.frozen, over(images, height * width), images.contiguous(), *clouds(keys, side, kinds),
        numbers(tints, "float32", images.device), out, n, height, width, side, CHANNELS=channels, KEPT=kept,
    )  # fmt: skip
    return out


def snow(images: Tensor, flakes: Tensor, kept: float) -> Tensor:
    """The last part of ``corruption_weather.snow``."""
    import torch

    from unseen.worlds.transforms import kernels_weather

    _, channels, height, width = images.shape
    out = torch.empty(images.shape, device=images.device)
    launch(
        kernels_weather.snowed, over(images, height * width), images.contiguous(), flakes.contiguous(), out,
        height, width, CHANNELS=channels, KEPT=kept,
    )  # fmt: skip
    return out


@lru_cache(maxsize=256)
def numbers(given: tuple[float, ...], kind: str, device: torch.device) -> Tensor:
    """Numbers on a device, copied once."""
    import torch

    return torch.tensor(given, dtype=getattr(torch, kind), device=device)


@lru_cache(maxsize=64)
def _lines(size: int, factors: tuple[float, ...], shown: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """For each factor the two lines that each new one lies between ``[2, factors, shown]``, and the second's share."""
    import torch

    found = [lines_between(size, factor) for factor in factors]
    pairs = np.stack([[pair[end][:shown] for pair in found] for end in (0, 1)]).astype(np.int32)
    shares = np.stack([pair[2][:shown] for pair in found])
    return torch.from_numpy(pairs).to(device), torch.from_numpy(shares).to(device)


@lru_cache(maxsize=64)
def _levels(side: int, kinds: tuple[tuple[str, float], ...], device: torch.device) -> tuple[Tensor, Tensor]:
    """Of every kind of cloud and every level: the seeds of its three parts, and its largest jitter."""
    import torch

    seeds, most = [], []
    for name, decay in kinds:
        step, wibble = side, 100.0
        while step >= 2:
            seeds += [seed_of(0, "plasma", name, step, part) for part in ("middle", "up", "left")]
            most.append(wibble * wibble)
            step, wibble = step // 2, wibble / decay
    return torch.tensor(seeds, device=device), torch.tensor(most, dtype=torch.float64, device=device)
