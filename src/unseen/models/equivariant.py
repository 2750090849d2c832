"""Rotation-equivariant networks: group convolutions over the turns of a quarter (C4) or an eighth (C8).

Cohen & Welling 2016, §4 and §6 (p4), written out here: a filter is used in every turn. Maps have a channel per feature
and turn, ``[n, features · turns, height, width]``, the turn fastest. Turning an image turns its maps and moves every
feature's turns on by one.

Quarter turns of a filter are exact (``rot90``); in the eighths between them taps are shared among neighbours, so C8 is
exact for quarter turns of an image, and approximate for eighths; its filters are discs. Kernels of even side with their
padding keep the middle of an image of even side in place at stride 2, which an odd kernel would not: strides cost no
exactness.

That Schott et al. 2022 used a rotation-equivariant network is in the seed; its layer table is ours: that of their CNN,
C4 with half of the channels in four turns, which makes the same number of weights, C8 with a quarter in eight.
"""

from __future__ import annotations

import math
from collections import OrderedDict

import torch
from torch import Tensor, nn

from unseen.models.convolutional import check_side
from unseen.vocabulary.errors import UnseenError, unknown

WIDTHS = {4: (16, 16, 32, 32, 128), 8: (8, 8, 16, 16, 64)}
POOL = ("none", "max")


class GroupConvolution(nn.Module):
    r"""From maps over ``turns_in`` turns (1: an image) to maps over ``turns``.

    .. math:: y_{o,r} = \sum_{i,s} x_{i,s} * R_r\, w_{o,i,(s-r) \bmod G} + b_o

    For an image there is no :math:`s`: the lifting convolution. Weights are stored in four dimensions, feature and turn
    of the input in one, since modules of five cannot be moved to channels-last. They start as in He et al. 2015 (ours):
    from torch's smaller default they learn more slowly (C4, 250 steps on dSprites: R² of positions .87, not .98).
    """

    eighth: Tensor
    disc: Tensor

    def __init__(
        self, before: int, after: int, kernel: int, *, stride: int, padding: int, turns: int, lifting: bool = False
    ) -> None:
        super().__init__()
        self.turns, self.turns_in = turns, 1 if lifting else turns
        self.stride, self.padding = stride, padding
        self.weight = nn.Parameter(torch.empty(after, before * self.turns_in, kernel, kernel))
        self.bias = nn.Parameter(torch.empty(after))
        nn.init.kaiming_uniform_(self.weight, nonlinearity="relu")
        nn.init.zeros_(self.bias)
        self.register_buffer("eighth", eighth_turn(kernel), persistent=False)
        self.register_buffer("disc", disc(kernel) if turns > 4 else torch.ones(kernel, kernel), persistent=False)

    def turned(self, turn: int) -> Tensor:
        """The filters, turned anticlockwise by ``turn`` of the group's steps, their input's turns moved on as far."""
        weight = self.weight * self.disc
        per_quarter = self.turns // 4
        if turn % per_quarter:
            weight = (weight.flatten(2) @ self.eighth.T.to(weight.dtype)).reshape(weight.shape)
        weight = torch.rot90(weight, turn // per_quarter, (2, 3))
        if self.turns_in == 1:
            return weight
        after, _, height, width = weight.shape
        return weight.reshape(after, -1, self.turns, height, width).roll(turn, 2).reshape(weight.shape)

    def forward(self, maps: Tensor) -> Tensor:
        after, before, height, width = self.weight.shape
        filters = torch.stack([self.turned(turn) for turn in range(self.turns)], dim=1)
        filters = filters.reshape(after * self.turns, before, height, width)
        bias = self.bias[:, None].expand(-1, self.turns).flatten()
        return nn.functional.conv2d(maps, filters, bias, stride=self.stride, padding=self.padding)


class TurnPooling(nn.Module):
    """The largest over the turns of each feature (Cohen & Welling 2016, §6.3: coset pooling): an invariant."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self.turns = turns

    def forward(self, maps: Tensor) -> Tensor:
        return maps.unflatten(1, (-1, self.turns)).amax(2)


def disc(kernel: int) -> Tensor:
    """The taps of a square filter whose place lies in its largest circle; the corners would leave the square at 45°."""
    away = (torch.arange(kernel) - (kernel - 1) / 2).square()
    return (away[:, None] + away <= (kernel / 2) ** 2).float()


def eighth_turn(kernel: int) -> Tensor:
    """A matrix that turns a square filter, in a row, anticlockwise by 45° about its middle.

    Every tap is moved to its new place and shared bilinearly among the four nearest. So a filter's sum and its centre
    are kept, and its answer is that of the filter itself to an interpolated, turned image. (Looking up where each tap
    comes from would interpolate the filter instead; its sum would change, and with it the answer to any smooth image.)
    """
    middle, half = (kernel - 1) / 2, math.sqrt(0.5)
    matrix = torch.zeros(kernel * kernel, kernel * kernel)
    for row in range(kernel):
        for column in range(kernel):
            right, up = column - middle, middle - row
            y, x = middle - half * (right + up), middle + half * (right - up)
            for near_y in (math.floor(y), math.floor(y) + 1):
                for near_x in (math.floor(x), math.floor(x) + 1):
                    share = max(0.0, 1 - abs(y - near_y)) * max(0.0, 1 - abs(x - near_x))
                    if share and 0 <= near_y < kernel and 0 <= near_x < kernel:
                        matrix[near_y * kernel + near_x, row * kernel + column] += share
    return matrix / matrix.sum(0).clamp(min=1e-6)  # what left the square at its edge goes to the taps that are left


def equivariant(channels: int, size: tuple[int, int], *, turns: int = 4, pool: str = "none") -> nn.Module:
    """A network of group convolutions over ``turns``.

    ``pool`` = ``max`` ends with the largest over turns, and its answers are then the same for an image and its turns.
    That is not the default (ours): who cannot tell an image from its quarter turns can answer neither where an object
    lies nor how it is turned, which is what is asked here.
    """
    name = f"equivariant-c{turns}"
    check_side(name, size)
    if turns not in WIDTHS:
        raise UnseenError(f"turns = {turns}; possible: {', '.join(map(str, WIDTHS))}.")
    if pool not in POOL:
        raise unknown("pooling", pool, POOL, where=f"the argument 'pool' of {name}")
    widths, named = WIDTHS[turns], OrderedDict[str, nn.Module]()
    for place, (before, after) in enumerate(zip((channels, *widths), widths), start=1):
        last, lifting = place == len(widths), place == 1
        kernel, padding = (4, 0) if last else (4, 1) if turns == 4 else (6, 2)
        options = {"stride": 1 if last else 2, "padding": padding, "turns": turns, "lifting": lifting}
        named[f"conv{place}"] = nn.Sequential(GroupConvolution(before, after, kernel, **options), nn.ReLU(inplace=True))
    if pool == "max":
        named["turns"] = TurnPooling(turns)
    return nn.Sequential(named)


def equivariant_c4(channels: int, size: tuple[int, int], *, pool: str = "none") -> nn.Module:
    """Quarter turns."""
    return equivariant(channels, size, turns=4, pool=pool)


def equivariant_c8(channels: int, size: tuple[int, int], *, pool: str = "none") -> nn.Module:
    """Eighths of a turn; kernels of 6×6, in which a filter turned by 45° still has its form (ours)."""
    return equivariant(channels, size, turns=8, pool=pool)
