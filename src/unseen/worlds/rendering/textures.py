"""Pictures seen from near and far: a pyramid of halved copies, sampled between four texels and two levels.

Levels are averaged in linear light, which here is the square of the stored value (the transfer function of this
renderer, ours: a square is exact to the last bit on every device and a square root to the last but one, the sRGB curve
is neither). A texel is one whole number, red + 256 green + 65536 blue: one gather fetches three channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.rendering.threads import side_by_side

if TYPE_CHECKING:
    from torch import Tensor

WRAP, CLAMP, AROUND = "wrap", "clamp", "around"  # at the edges; a sky wraps sideways and ends above and below


def sizes(height: int, width: int) -> list[tuple[int, int]]:
    """Heights and widths of a pyramid's levels: halved until one edge is 1."""
    found = [(height, width)]
    while min(found[-1]) > 1:
        found.append((found[-1][0] // 2, found[-1][1] // 2))
    return found


def pyramid(pictures: Tensor) -> Tensor:
    """Levels of pictures ``[n, h, w, 3]`` uint8, each packed, one after the other: ``[n, texels]`` int32."""
    import torch

    n, height, width, _ = pictures.shape
    levels = sizes(height, width) if height and width else []
    out = torch.zeros((n, sum(h * w for h, w in levels)), dtype=torch.int32)
    given = pictures.cpu()  # one at a time and on the CPU: the same bits on every device, and little memory

    def make(start: int, stop: int) -> None:
        for place in range(start, stop):
            out[place] = _packed(given[place], levels)

    side_by_side(make, [(place, place + 1) for place in range(n)], torch.get_num_threads())
    return out.to(pictures.device)


def _packed(picture: Tensor, levels: list[tuple[int, int]]) -> Tensor:
    import torch
    from torch.nn.functional import adaptive_avg_pool2d

    linear = (picture.permute(2, 0, 1).double() / 255.0) ** 2
    packed = []
    for size in levels:
        linear = adaptive_avg_pool2d(linear, size)
        red, green, blue = (linear.sqrt() * 255.0).round().int().unbind(0)
        packed.append((red | (green << 8) | (blue << 16)).reshape(-1))
    return torch.cat(packed)


@dataclass(frozen=True, eq=False)
class Atlas:
    """Pyramids of pictures of one size."""

    texels: Tensor  # [n · texels] int32
    stride: int  # texels of one picture's pyramid
    height: Tensor  # [levels] int32
    width: Tensor
    offset: Tensor
    edge: str

    @property
    def levels(self) -> int:
        return len(self.height)


def atlas(packed: Tensor, height: int, width: int, edge: str = WRAP) -> Atlas:
    import torch

    levels = sizes(height, width)
    starts = [sum(h * w for h, w in levels[:k]) for k in range(len(levels))]

    def column(values: Sequence[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int32, device=packed.device)

    return Atlas(
        texels=packed.reshape(-1),
        stride=packed.shape[1],
        height=column([h for h, _ in levels]),
        width=column([w for _, w in levels]),
        offset=column(starts),
        edge=edge,
    )


def octave(ratio: Tensor) -> Tensor:
    """log2 of a positive number, exact at powers of two and straight between them: read off its bits, so that it is
    the same on every device (ours)."""
    import torch

    return (ratio.view(torch.int32) - 0x3F800000).float() * (1.0 / (1 << 23))


def sampled(atlas: Atlas, picture: Tensor, u: Tensor, v: Tensor, texels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Linear red, green and blue of pictures at ``u`` (right) and ``v`` (down) in 0–1, where one sample spans
    ``texels`` of the finest level. Trilinear."""
    level = octave(texels.clamp_min(1.0)).clamp(max=atlas.levels - 1.0)
    fine = level.floor()
    between = level - fine
    fine = fine.int()
    start = picture.int() * atlas.stride
    near = _level(atlas, start, u, v, fine)
    far = _level(atlas, start, u, v, (fine + 1).clamp(max=atlas.levels - 1))
    red, green, blue = (a + (b - a) * between for a, b in zip(near, far))
    return red, green, blue


def _level(atlas: Atlas, start: Tensor, u: Tensor, v: Tensor, level: Tensor) -> list[Tensor]:
    width, height = atlas.width.index_select(0, level), atlas.height.index_select(0, level)
    left, right, across = _pair(u, width, atlas.edge != CLAMP)
    top, bottom, down = _pair(v, height, atlas.edge == WRAP)
    start = start + atlas.offset.index_select(0, level)
    top, bottom = start + top * width, start + bottom * width
    total: list[Tensor] = []
    for row, column, weight in (
        (top, left, (1 - down) * (1 - across)),
        (top, right, (1 - down) * across),
        (bottom, left, down * (1 - across)),
        (bottom, right, down * across),
    ):
        texel = atlas.texels.index_select(0, row + column)
        channels = [(texel >> shift & 255).float() for shift in (0, 8, 16)]
        parts = [c * c * weight for c in channels]
        total = [a + b for a, b in zip(total, parts)] if total else parts
    return [c * (1.0 / 65025.0) for c in total]


def _pair(where: Tensor, size: Tensor, wraps: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The texels on both sides of a point, and how far it lies from the first to the second."""
    import torch

    at = where * size - 0.5
    low = at.floor()
    share = at - low
    first = low.int()
    second = first + 1
    if wraps:  # `where` lies in 0–1, so each leaves the picture by one texel at most; (x >> 31) is −1 below zero
        return first + ((first >> 31) & size), second - (((size - 1 - second) >> 31) & size), share
    last = size - 1
    return torch.minimum(first.clamp_min(0), last), torch.minimum(second.clamp_min(0), last), share
