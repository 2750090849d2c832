"""Networks whose architecture alone is the prior (Ulyanov, Vedaldi & Lempitsky 2018, Deep image prior, CVPR): noise in,
a picture out. Several pictures have a network each, in one: convolutions in groups, so that they never meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError, unknown

if TYPE_CHECKING:
    from torch import nn

SLOPE = 0.2  # of the leaky ReLUs


def prior_network(
    kind: str = "skip", *, pictures: int = 1, channels: int = 3, scales: int = 5, width: int = 128, inputs: int = 32,
    seed: int = 0,
) -> nn.Module:  # fmt: skip
    """``[1, pictures · inputs, h, w]`` → ``[1, pictures · channels, h, w]`` in 0…1; h and w are multiples of 2^scales.

    - ``skip``: the paper's default: an encoder and a decoder of ``scales`` levels, 4 channels skip across at each;
    - ``plain``: the same without what skips across;
    - ``resnet``: residual blocks at full size, as many as there are scales (ours: the paper leaves its sizes open).

    All groups start from the same weights, those of ``seed``: a picture's result does not depend on its company.
    """
    import torch

    if kind not in KINDS:
        raise unknown("network", kind, KINDS, where="--network")
    if min(pictures, scales, width, inputs) < 1:
        raise UnseenError("a prior network needs at least one picture, scale, channel and input.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        alone = KINDS[kind](1, channels, scales, width, inputs)
        net = alone if pictures == 1 else KINDS[kind](pictures, channels, scales, width, inputs)
    if pictures > 1:
        own = {name: values.repeat(pictures, *[1] * (values.ndim - 1)) if values.ndim else values
               for name, values in alone.state_dict().items()}  # fmt: skip
        net.load_state_dict(own)
    return net


def _conv(n: int, given: int, made: int, size: int = 3, stride: int = 1) -> nn.Module:
    from torch import nn

    pad = size // 2
    return nn.Conv2d(n * given, n * made, size, stride, pad, groups=n, padding_mode="reflect" if pad else "zeros")


def _block(n: int, given: int, made: int, size: int = 3, stride: int = 1) -> nn.Module:
    from torch import nn

    return nn.Sequential(_conv(n, given, made, size, stride), nn.BatchNorm2d(n * made), nn.LeakyReLU(SLOPE))


def _hourglass(n: int, channels: int, scales: int, width: int, inputs: int, across: int) -> nn.Module:
    import torch
    from torch import nn
    from torch.nn.functional import interpolate

    def joined(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Channels of each picture side by side."""
        size = first.shape[-2:]
        parts = (one.view(n, -1, *size) for one in (first, second))
        return torch.cat(list(parts), 1).view(1, -1, *size)

    class Level(nn.Module):
        """One scale: down, what is coarser, up again, and what skips across."""

        def __init__(self, given: int, left: int) -> None:
            super().__init__()
            self.down = nn.Sequential(_block(n, given, width, stride=2), _block(n, width, width))
            self.inner = Level(width, left - 1) if left > 1 else nn.Identity()
            self.skip = _block(n, given, across, 1) if across else None
            self.norm = nn.BatchNorm2d(n * (width + across))
            self.up = nn.Sequential(_block(n, width + across, width), _block(n, width, width, 1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            deep = interpolate(self.inner(self.down(x)), scale_factor=2, mode="bilinear", align_corners=False)
            return self.up(self.norm(deep if self.skip is None else joined(deep, self.skip(x))))

    return nn.Sequential(Level(inputs, scales), _conv(n, width, channels, 1), nn.Sigmoid())


def _residual(n: int, channels: int, scales: int, width: int, inputs: int) -> nn.Module:
    import torch
    from torch import nn

    class Added(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.change = nn.Sequential(_block(n, width, width), _conv(n, width, width), nn.BatchNorm2d(n * width))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.change(x)

    blocks = [Added() for _ in range(scales)]
    return nn.Sequential(_block(n, inputs, width), *blocks, _conv(n, width, channels), nn.Sigmoid())


KINDS: dict[str, Callable[..., nn.Module]] = {
    "skip": lambda n, channels, scales, width, inputs: _hourglass(n, channels, scales, width, inputs, 4),
    "plain": lambda n, channels, scales, width, inputs: _hourglass(n, channels, scales, width, inputs, 0),
    "resnet": _residual,
}
