"""The small convolutional network of in-domain generalisation, and what is built on it.

Schott et al. 2022 (released code, after the encoder of Locatello et al. 2019): at 64×64, four convolutions of 4×4 with
stride 2 and padding 1, of 32, 32, 64 and 64 channels, one of 4×4 with 256 channels that leaves one position, ReLU after
each. Their last Linear(256, outputs) is our heads, one per target: side by side they are the same map.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import torch
from torch import Tensor, nn

from unseen.vocabulary.errors import UnseenError, unknown

WIDTHS = (32, 32, 64, 64, 256)
SIDE = 64  # the smallest image at which the last kernel still fits
WHERE = ("first", "each")

Convolution = Callable[..., nn.Module]  # (channels in, channels out, kernel, stride=, padding=)


def stages(channels: int, widths: tuple[int, ...] = WIDTHS, *, kind: Convolution = nn.Conv2d) -> dict[str, nn.Module]:
    """The five convolutions, each with its ReLU, under the names conv1 to conv5."""
    named: dict[str, nn.Module] = {}
    for place, (before, after) in enumerate(zip((channels, *widths), widths), start=1):
        last = place == len(widths)
        convolution = kind(before, after, 4, stride=1 if last else 2, padding=0 if last else 1)
        named[f"conv{place}"] = nn.Sequential(convolution, nn.ReLU(inplace=True))
    return named


def cnn(channels: int, size: tuple[int, int]) -> nn.Module:
    """The network as released. Larger images leave more than one position, which are averaged (ours)."""
    check_side("cnn", size)
    return nn.Sequential(OrderedDict(stages(channels)))


class Coordinates(nn.Module):
    """Two more channels: how far right and how far down a pixel lies, from −1 to 1 (Liu et al. 2018, §3)."""

    def forward(self, images: Tensor) -> Tensor:
        n, _, height, width = images.shape
        right = torch.linspace(-1, 1, width, device=images.device, dtype=images.dtype).expand(n, 1, height, width)
        down = torch.linspace(-1, 1, height, device=images.device, dtype=images.dtype)[:, None]
        return torch.cat([images, right, down.expand(n, 1, height, width)], dim=1)


def coordconv(channels: int, size: tuple[int, int], *, where: str = "first") -> nn.Module:
    """The CNN with coordinate channels (Liu et al. 2018): before the first convolution only, or before ``each``.

    Liu et al. put them where coordinates are wanted, in most of their networks before the first layer; that Schott et
    al. did the same is ours.
    """
    check_side("coordconv", size)
    if where not in WHERE:
        raise unknown("place", where, WHERE, where="the argument 'where' of coordconv")
    if where == "first":
        return nn.Sequential(OrderedDict(coordinates=Coordinates(), **stages(channels + 2)))
    named = stages(channels, kind=_with_coordinates)
    return nn.Sequential(OrderedDict(named))


def _with_coordinates(before: int, after: int, kernel: int, *, stride: int, padding: int) -> nn.Module:
    return nn.Sequential(Coordinates(), nn.Conv2d(before + 2, after, kernel, stride=stride, padding=padding))


def check_side(name: str, size: tuple[int, int], least: int = SIDE) -> None:
    """Refuse images that five convolutions would shrink to nothing."""
    if min(size) < least:
        raise UnseenError(
            f"images of {size[0]}×{size[1]} are too small for '{name}': its maps shrink to nothing. It needs a side of "
            f"at least {least}."
        )
