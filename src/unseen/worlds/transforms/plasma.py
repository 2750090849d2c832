"""Clouds: the diamond-square algorithm on a torus, keyed by row. Fog and frost are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering import chance

if TYPE_CHECKING:
    from torch import Tensor

ALONE = 2**12  # points of a field, over all pictures, from which on a CPU takes one picture after the other
SOME = 16  # pictures whose draws a CPU holds together


def plasma(keys: Tensor, height: int, width: int, decay: float, name: str) -> Tensor:
    """Clouds from 0 to 1, ``[n, h, w]`` float64: the diamond-square algorithm on a torus, its side a power of two."""
    from unseen.worlds.transforms import kernels

    if kernels.asked(keys):
        from unseen.worlds.transforms import fused_corruptions

        side = 1 << (max(height, width, 2) - 1).bit_length()
        found, least, most = fused_corruptions.clouds(keys, side, ((name, decay),))
        least, most = least.view(-1, 1, 1), most.view(-1, 1, 1)
        return (found[:, :height, :width] - least).div_(most - least)
    made = by_pictures if keys.device.type == "cpu" else at_once
    return made(keys, height, width, decay, name)


def at_once(keys: Tensor, height: int, width: int, decay: float, name: str) -> Tensor:
    """All pictures together."""
    import torch

    side = 1 << (max(height, width, 2) - 1).bit_length()
    field = torch.zeros(len(keys), side, side, dtype=torch.float64, device=keys.device)
    step, wibble = side, 100.0
    while step >= 2:
        half = step // 2

        def jittered(total: Tensor, part: str, step: int = step, wibble: float = wibble) -> Tensor:
            places = total.shape[1] * total.shape[2]
            drawn = chance.counted(keys, places, 0, "plasma", name, step, part).view(total.shape)
            share = (drawn >> 39).double().mul_(2.0**-23).sub_(1)  # exactly `between` −1 and 1
            return total.div_(4).add_(share.mul_(wibble * wibble))

        corners = field[:, ::step, ::step]
        square = corners + corners.roll(-1, 1)
        middle = field[:, half::step, half::step] = jittered(square + square.roll(-1, 2), "middle")
        up = (middle + middle.roll(1, 1)).add_(corners).add_(corners.roll(-1, 2))
        left = (middle + middle.roll(1, 2)).add_(corners).add_(corners.roll(-1, 1))
        field[:, ::step, half::step] = jittered(up, "up")
        field[:, half::step, ::step] = jittered(left, "left")
        step, wibble = half, wibble / decay
    least, most = (found.view(-1, 1, 1) for found in (field.flatten(1).amin(1), field.flatten(1).amax(1)))
    return (field[:, :height, :width] - least).div_(most - least)


def by_pictures(keys: Tensor, height: int, width: int, decay: float, name: str) -> Tensor:
    """The same for a CPU: fields that fit its cache, and nothing rolled."""
    import torch

    found = np.empty((len(keys), height, width))
    for start in range(0, len(keys), SOME):
        here = slice(start, start + SOME)
        for place, field in enumerate(_fields(keys[here], max(height, width, 2), decay, name), start):
            least, most = field.min(), field.max()
            np.subtract(field[:height, :width], least, out=found[place])
            found[place] /= most - least
    return torch.from_numpy(found)


def _fields(keys: Tensor, least: int, decay: float, name: str) -> list[np.ndarray]:
    step, wibble, k, fields = 1 << (least - 1).bit_length(), 100.0, 1, [np.zeros((len(keys), 1, 1))]
    while step >= 2:
        if len(fields) == 1 and k**2 * len(keys) > ALONE:
            fields = list(fields[0][:, None])
        drawn = [
            chance.counted(keys, k * k, 0, "plasma", name, step, part).numpy().reshape(len(fields), -1, k, k)
            for part in ("middle", "up", "left")
        ]
        fields = [_finer(field, own, wibble * wibble) for field, *own in zip(fields, *drawn)]
        step, wibble, k = step // 2, wibble / decay, 2 * k
    return list(fields[0]) if len(fields) == 1 else [field for (field,) in fields]


def _finer(corners: np.ndarray, drawn: list[np.ndarray], most: float) -> np.ndarray:
    """Fields ``[n, 2k, 2k]`` from those of ``[n, k, k]``: middles of squares, then middles of their sides."""
    n, k = corners.shape[:2]
    around, within = np.empty((n, k + 1, k + 1)), np.empty((n, k + 1, k + 1))
    around[:, :k, :k] = corners
    around[:, k, :k] = corners[:, 0]
    around[:, :, k] = around[:, :, 0]
    square = around[:, :-1] + around[:, 1:]
    middle = _jittered(square[:, :, :-1] + square[:, :, 1:], drawn[0], most)
    within[:, 1:, 1:] = middle
    within[:, 0, 1:], within[:, 1:, 0] = middle[:, -1], middle[:, :, -1]
    up, left = middle + within[:, :-1, 1:], middle + within[:, 1:, :-1]
    up += corners
    up += around[:, :k, 1:]
    left += corners
    left += around[:, 1:, :k]
    found = np.empty((n, 2 * k, 2 * k))
    found[:, ::2, ::2], found[:, 1::2, 1::2] = corners, middle
    found[:, ::2, 1::2], found[:, 1::2, ::2] = _jittered(up, drawn[1], most), _jittered(left, drawn[2], most)
    return found


def _jittered(total: np.ndarray, drawn: np.ndarray, most: float) -> np.ndarray:
    drawn >>= 39
    drawn -= 2**23  # a whole number and a power of two: `between` −1 and 1, exactly
    share = drawn.astype(np.float64)
    share *= most * 2.0**-23
    total *= 0.25
    total += share
    return total
