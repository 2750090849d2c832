"""Networks whose architecture alone is the prior (Ulyanov, Vedaldi & Lempitsky 2018, Deep image prior, CVPR): noise in,
a picture out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError, unknown

if TYPE_CHECKING:
    from torch import nn

SLOPE = 0.2  # of the leaky ReLUs


def prior_network(
    kind: str = "skip", *, channels: int = 3, scales: int = 5, width: int = 128, inputs: int = 32, seed: int = 0
) -> nn.Module:
    """``[n, inputs, h, w]`` → ``[n, channels, h, w]`` in 0…1; h and w are multiples of 2^scales.

    - ``skip``: the paper's default: an encoder and a decoder of ``scales`` levels, 4 channels skip across at each;
    - ``plain``: the same without what skips across;
    - ``resnet``: residual blocks at full size, as many as there are scales (ours: the paper leaves its sizes open).
    """
    import torch

    if kind not in KINDS:
        raise unknown("network", kind, KINDS, where="--network")
    if min(scales, width, inputs) < 1:
        raise UnseenError("a prior network needs at least one scale, channel and input.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return KINDS[kind](channels, scales, width, inputs)


def _conv(given: int, made: int, size: int = 3, stride: int = 1) -> nn.Module:
    from torch import nn

    pad = size // 2
    return nn.Conv2d(given, made, size, stride, pad, padding_mode="reflect" if pad else "zeros")


def _block(given: int, made: int, size: int = 3, stride: int = 1) -> nn.Module:
    from torch import nn

    return nn.Sequential(_conv(given, made, size, stride), nn.BatchNorm2d(made), nn.LeakyReLU(SLOPE))


def _hourglass(channels: int, scales: int, width: int, inputs: int, across: int) -> nn.Module:
    import torch
    from torch import nn
    from torch.nn.functional import interpolate

    class Level(nn.Module):
        """One scale: down, what is coarser, up again, and what skips across."""

        def __init__(self, given: int, left: int) -> None:
            super().__init__()
            self.down = nn.Sequential(_block(given, width, stride=2), _block(width, width))
            self.inner = Level(width, left - 1) if left > 1 else nn.Identity()
            self.skip = _block(given, across, 1) if across else None
            self.norm = nn.BatchNorm2d(width + across)
            self.up = nn.Sequential(_block(width + across, width), _block(width, width, 1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            deep = interpolate(self.inner(self.down(x)), scale_factor=2, mode="bilinear", align_corners=False)
            return self.up(self.norm(deep if self.skip is None else torch.cat([deep, self.skip(x)], 1)))

    return nn.Sequential(Level(inputs, scales), _conv(width, channels, 1), nn.Sigmoid())


def _residual(channels: int, scales: int, width: int, inputs: int) -> nn.Module:
    import torch
    from torch import nn

    class Added(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.change = nn.Sequential(_block(width, width), _conv(width, width), nn.BatchNorm2d(width))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.change(x)

    return nn.Sequential(_block(inputs, width), *(Added() for _ in range(scales)), _conv(width, channels), nn.Sigmoid())


KINDS: dict[str, Callable[..., nn.Module]] = {
    "skip": lambda channels, scales, width, inputs: _hourglass(channels, scales, width, inputs, 4),
    "plain": lambda channels, scales, width, inputs: _hourglass(channels, scales, width, inputs, 0),
    "resnet": _residual,
}
