"""JPEG as libjpeg does it by default (baseline, 4:2:0, the accurate whole-number transform, smooth upsampling), for a
batch on any device: every step is in whole numbers, so the pictures are those of Pillow, and the same everywhere.

The transform of libjpeg (jfdctint.c) multiplies eight numbers by whole constants, adds, and rounds once; it is a matrix
of whole numbers, and products of such matrices are exact in float64. ITU-T T.81 (1992), tables K.1 and K.2, for the
rest.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor

LUMA = (
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
)  # fmt: skip
CHROMA = (
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
    99, 99, 99, *(99,) * 32,
)  # fmt: skip


def _fix(number: float) -> int:
    return int(number * 65536 + 0.5)


YCC = (  # of red, green and blue in luma, in blue and in red
    _fix(0.299), _fix(0.587), _fix(0.114), -_fix(0.16874), -_fix(0.33126), _fix(0.5), _fix(0.5), -_fix(0.41869),
    -_fix(0.08131),
)  # fmt: skip
RGB = (_fix(1.402), -_fix(0.34414), -_fix(0.71414), _fix(1.772))  # of red, of blue and red in green, of blue


def compressed(images: Tensor, quality: int) -> Tensor:
    """Pictures ``[n, 1 or 3, h, w]`` after saving at a quality of 1 to 100 and loading again, float32.

    On a CPU Pillow itself is four times as fast; it is taken where its libjpeg gives these very bytes.
    """
    if images.device.type == "cpu" and _pillow_agrees():
        return by_pillow(images, quality)
    return computed(images, quality)


@lru_cache(maxsize=1)
def _pillow_agrees() -> bool:
    """Pillow may be built with another libjpeg: asked once, of a picture of noise at two qualities."""
    import torch

    picture = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (1, 3, 37, 29), dtype=np.uint8))
    return all(torch.equal(by_pillow(picture, quality), computed(picture, quality)) for quality in (10, 75))


def whole_bytes(images: Tensor) -> Tensor:
    import torch

    return images if images.dtype == torch.uint8 else images.float().round().clamp_(0, 255).to(torch.uint8)


def by_pillow(images: Tensor, quality: int) -> Tensor:
    """Saved and loaded picture by picture."""
    import io

    import torch
    from PIL import Image

    found = torch.empty(images.shape, dtype=torch.float32)
    for planes, shown in zip(whole_bytes(images).numpy(), found.numpy()):
        file, bands = io.BytesIO(), [Image.fromarray(plane) for plane in planes]
        given = bands[0] if len(bands) == 1 else Image.merge("RGB", bands)
        given.save(file, "JPEG", quality=quality)
        with Image.open(file, formats=["JPEG"]) as loaded:
            for place, band in zip(shown, loaded.split()):
                place[:] = np.asarray(band)
    return found


def computed(images: Tensor, quality: int) -> Tensor:
    """The same in whole numbers, on any device."""
    import torch

    from unseen.worlds.transforms import kernels

    if kernels.asked(images):
        from unseen.worlds.transforms import fused_jpeg

        luma, chroma = _table(LUMA, quality), _table(CHROMA, quality)
        return fused_jpeg.computed(whole_bytes(images), _entries(), luma, chroma, YCC, RGB)
    whole = images.float().round().clamp_(0, 255).to(torch.int32)
    if images.shape[1] == 1:
        return _coded(whole, _table(LUMA, quality)).float()
    luma, blue, red = _to_ycc(whole)
    luma = _coded(luma, _table(LUMA, quality))
    size, kept = images.shape[-2:], -(-images.shape[-1] // 2)  # what only fills a block is not smoothed in
    blue, red = (_coded(_halved(plane), _table(CHROMA, quality))[..., :kept] for plane in (blue, red))
    return _to_rgb(luma, _doubled(blue)[..., : size[0], : size[1]], _doubled(red)[..., : size[0], : size[1]]).float()


def _coded(plane: Tensor, table: tuple[int, ...]) -> Tensor:
    """A plane ``[n, 1, h, w]`` of bytes, transformed in blocks of 8×8, rounded to the table's steps, and back."""
    import torch

    (n, _, height, width), device = plane.shape, plane.device
    filled = _filled(_filled(plane, -2, 8), -1, 8).double() - 128
    tall, wide = filled.shape[-2] // 8, filled.shape[-1] // 8
    blocks = filled.view(n, tall, 8, wide, 8).transpose(2, 3)
    forward, steps = _transform(device), torch.tensor(table, dtype=torch.float64, device=device).view(8, 8)
    blocks = _rounded(blocks @ forward.T, 11)
    blocks = _rounded(forward @ blocks, 15)
    blocks = blocks.sign() * ((blocks.abs() + steps * 4) / (steps * 8)).floor() * steps
    blocks = _rounded(forward.T @ blocks, 11)
    blocks = _rounded(blocks @ forward, 18)
    found = blocks.transpose(2, 3).reshape(n, 1, 8 * tall, 8 * wide)[..., :height, :width]
    return (found + 128).clamp_(0, 255).to(torch.int32)


def _rounded(found: Tensor, bits: int) -> Tensor:
    """(x + half) >> bits."""
    return ((found + 2 ** (bits - 1)) / 2**bits).floor_()


def _filled(plane: Tensor, axis: int, multiple: int) -> Tensor:
    """The last row or column again, up to a multiple."""
    import torch

    size = plane.shape[axis]
    place = torch.arange(-(-size // multiple) * multiple, device=plane.device).clamp_(max=size - 1)
    return plane if len(place) == size else plane.index_select(axis, place)


def _to_ycc(images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    red, green, blue = images.split(1, 1)
    half, middle = 1 << 15, 128 << 16
    luma = (YCC[0] * red + YCC[1] * green + YCC[2] * blue + half) >> 16
    to_blue = (YCC[3] * red + YCC[4] * green + YCC[5] * blue + middle + half - 1) >> 16
    to_red = (YCC[6] * red + YCC[7] * green + YCC[8] * blue + middle + half - 1) >> 16
    return luma, to_blue, to_red


def _to_rgb(luma: Tensor, blue: Tensor, red: Tensor) -> Tensor:
    import torch

    half, blue, red = 1 << 15, blue - 128, red - 128
    planes = [
        luma + ((RGB[0] * red + half) >> 16),
        luma + ((RGB[1] * blue + RGB[2] * red + half) >> 16),
        luma + ((RGB[3] * blue + half) >> 16),
    ]
    return torch.cat(planes, 1).clamp_(0, 255)


def _halved(plane: Tensor) -> Tensor:
    """The mean of every 2×2, rounded down and up in turn along a row. Rows below the last are the last mean again, and
    columns beyond the last are made of the last pixel."""
    import torch

    even = _filled(_filled(plane, -2, 2), -1, 16)
    total = even[..., ::2, ::2] + even[..., 1::2, ::2] + even[..., ::2, 1::2] + even[..., 1::2, 1::2]
    bias = 1 + torch.arange(total.shape[-1], device=plane.device, dtype=torch.int32) % 2
    return (total + bias) >> 2


def _doubled(plane: Tensor) -> Tensor:
    """Twice as large, ¾ of the nearer and ¼ of the farther pixel both ways; one or two columns are repeated."""
    import torch

    if plane.shape[-1] <= 2:
        return plane.repeat_interleave(2, -2).repeat_interleave(2, -1)
    above = torch.cat([plane[..., :1, :], plane[..., :-1, :]], -2)
    below = torch.cat([plane[..., 1:, :], plane[..., -1:, :]], -2)
    rows = torch.stack([plane * 3 + above, plane * 3 + below], -2).flatten(-3, -2)
    left = torch.cat([rows[..., :1], rows[..., :-1]], -1)
    right = torch.cat([rows[..., 1:], rows[..., -1:]], -1)
    return torch.stack([(rows * 3 + left + 8) >> 4, (rows * 3 + right + 7) >> 4], -1).flatten(-2)


def _table(base: tuple[int, ...], quality: int) -> tuple[int, ...]:
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return tuple(min(255, max(1, (step * scale + 50) // 100)) for step in base)


@lru_cache(maxsize=8)
def _transform(device: torch.device) -> Tensor:
    """libjpeg's transform of eight numbers: 2¹³ · √8 times an orthonormal cosine transform, as whole numbers, in the
    order of its sums (Loeffler, Ligtenberg & Moschytz 1989)."""
    import torch

    return torch.from_numpy(_matrix()).to(device)


@lru_cache(maxsize=1)
def _entries() -> tuple[int, ...]:
    return tuple(map(int, _matrix().ravel()))


def _matrix() -> np.ndarray:
    d = np.eye(8)
    even, odd = [d[k] + d[7 - k] for k in range(4)], [d[k] - d[7 - k] for k in range(4)]
    t10, t13, t11, t12 = even[0] + even[3], even[0] - even[3], even[1] + even[2], even[1] - even[2]
    t7, t6, t5, t4 = odd
    found = np.zeros((8, 8))
    found[0], found[4] = 8192 * (t10 + t11), 8192 * (t10 - t11)
    found[2], found[6] = 4433 * (t12 + t13) + 6270 * t13, 4433 * (t12 + t13) - 15137 * t12
    z5 = 9633 * (t4 + t6 + t5 + t7)
    z1, z2, z3, z4 = -7373 * (t4 + t7), -20995 * (t5 + t6), -16069 * (t4 + t6) + z5, -3196 * (t5 + t7) + z5
    found[7], found[5] = 2446 * t4 + z1 + z3, 16819 * t5 + z2 + z4
    found[3], found[1] = 25172 * t6 + z2 + z3, 12299 * t7 + z1 + z4
    return found
