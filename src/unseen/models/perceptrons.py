"""Networks made of Linear layers only: a plain perceptron, one over coordinates, one over a set of patches.

Schott et al. 2022 name an MLP, a coordinate-based network and a set encoder; the seed gives no layer tables, so widths,
depths and what a set consists of are ours.
"""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from unseen.models.precision import in_full
from unseen.vocabulary.errors import UnseenError, listed


def hidden(before: int, widths: Sequence[int], name: str = "hidden") -> dict[str, nn.Module]:
    """Linear layers, each with its ReLU, under the names hidden1, hidden2, …"""
    sizes = (before, *widths)
    return {
        f"{name}{place}": nn.Sequential(nn.Linear(a, b), nn.ReLU(inplace=True))
        for place, (a, b) in enumerate(itertools.pairwise(sizes), start=1)
    }


def mlp(channels: int, size: tuple[int, int], *, widths: Sequence[int] = (512, 512, 256, 256)) -> nn.Module:
    """All pixels in a row, then Linear and ReLU of these ``widths`` (ours)."""
    checked("mlp", widths)
    return nn.Sequential(OrderedDict(pixels=nn.Flatten(), **hidden(channels * size[0] * size[1], widths)))


class CoordinateWeights(nn.Module):
    r"""A Linear layer over pixels whose weights are a function of where a pixel lies.

    .. math:: h_{ck} = \frac{1}{|P|} \sum_{p \in P} x_c(p)\, \phi_k(p)

    with :math:`\phi` a network of sines over coordinates in [−1, 1]² (Sitzmann et al. 2020, SIREN): the first layer
    :math:`\sin(\omega_0 (W p + b))` with :math:`W \sim U(-1/2, 1/2)`, the second with
    :math:`W \sim U(\pm\sqrt{6/n}/\omega_0)`, as in its §3.2. The integral is scaled by the square root of the number of
    pixels rather than by that number, so that features start with the size of pixels (ours).
    """

    places: Tensor

    def __init__(self, size: tuple[int, int], width: int, omega: float) -> None:
        super().__init__()
        self.omega = omega
        self.first, self.second = nn.Linear(2, width), nn.Linear(width, width)
        with torch.no_grad():
            self.first.weight.uniform_(-1 / 2, 1 / 2)
            bound = math.sqrt(6 / width) / omega
            self.second.weight.uniform_(-bound, bound)
        down, right = torch.meshgrid(torch.linspace(-1, 1, size[0]), torch.linspace(-1, 1, size[1]), indexing="ij")
        self.register_buffer("places", torch.stack([right.flatten(), down.flatten()], dim=1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        with in_full(images):  # thirty radians need more than eight bits
            waves = torch.sin(self.omega * self.first(self.places))
            weights = torch.sin(self.omega * self.second(waves))
        summed = images.flatten(2) @ weights.to(images.dtype)
        return (summed / math.sqrt(len(self.places))).flatten(1)


def coordinate_based(
    channels: int,
    size: tuple[int, int],
    *,
    waves: int = 256,
    omega: float = 30.0,
    widths: Sequence[int] = (256, 256, 256),
) -> nn.Module:
    """An image as a function over coordinates, measured against learned functions of them, then a perceptron.

    That the coordinate network is a SIREN follows Sitzmann et al. 2020; how it meets an image is ours.
    """
    checked("coordinate-based", (waves, *widths))
    first = CoordinateWeights(size, waves, omega)
    return nn.Sequential(OrderedDict(coordinates=first, **hidden(channels * waves, widths)))


class Patches(nn.Module):
    """An image as a set: its square patches, each with the coordinates of its middle, ``[n, patches, values]``."""

    middles: Tensor

    def __init__(self, size: tuple[int, int], side: int) -> None:
        super().__init__()
        self.side = side
        rows, columns = (edge // side for edge in size)
        down, right = torch.meshgrid(_middles(rows), _middles(columns), indexing="ij")
        self.register_buffer("middles", torch.stack([right.flatten(), down.flatten()], dim=1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        n, channels, height, width = images.shape
        k = self.side
        cut = images.reshape(n, channels, height // k, k, width // k, k).permute(0, 2, 4, 1, 3, 5)
        values = cut.reshape(n, (height // k) * (width // k), channels * k * k)
        return torch.cat([values, self.middles.to(values.dtype).expand(n, -1, -1)], dim=2)


class Sum(nn.Module):
    """The sum over a set's elements, the same for every order of them, divided by the root of their number (ours), so
    that it starts neither large nor, where one element in many differs, small."""

    def forward(self, elements: Tensor) -> Tensor:
        return elements.sum(1) / math.sqrt(elements.shape[1])


def set_encoder(
    channels: int,
    size: tuple[int, int],
    *,
    side: int = 8,
    elements: Sequence[int] = (256, 256),
    widths: Sequence[int] = (256, 256),
) -> nn.Module:
    """Deep Sets (Zaheer et al. 2017, Theorem 2): one network for every element, their sum, another for the whole.

    Elements are patches of ``side`` × ``side`` pixels with their place (ours).
    """
    checked("set-encoder", (*elements, *widths, side))
    if size[0] % side or size[1] % side:
        raise UnseenError(
            f"patches of {side}×{side} do not fill images of {size[0]}×{size[1]}; give 'side' a divisor of both, such "
            f"as {math.gcd(*size)}."
        )
    inner = hidden(channels * side * side + 2, elements, "element")
    outer = hidden(elements[-1], widths, "whole")
    return nn.Sequential(OrderedDict(patches=Patches(size, side), **inner, sum=Sum(), **outer))


def _middles(count: int) -> Tensor:
    return (torch.arange(count) * 2 + 1) / count - 1


def checked(name: str, widths: Sequence[int]) -> None:
    """Widths are whole numbers from one."""
    if not widths or not all(isinstance(cast(object, w), int) and w > 0 for w in widths):
        raise UnseenError(f"'{name}' was given the sizes {listed(widths)}; they are whole numbers of at least one.")
