"""Generators and critics for pictures of any size.

From noise: upsampling and convolutions with batch norm (after Radford et al. 2016, DCGAN), the class as an embedding
beside the noise (Mirza & Osindero 2014); its critic has spectral norms (Miyato et al. 2018) and, for classes, a
projection (Miyato & Koyama 2018). From pictures: the U-Net and PatchGAN of Isola et al. (2017), with instance norm,
which is what their batch norm is at their batches of one. Widths and depths for small pictures are ours.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

SLOPE, DROPOUT, MOST = 0.2, 0.5, 512  # of leaky ReLUs; in the first decoder blocks; channels


def halvings(size: tuple[int, int], smallest: int) -> int:
    """How often a picture can be halved until its shorter side is at most ``smallest``.

    >>> halvings((28, 28), 8), halvings((8, 8), 4), halvings((64, 48), 8)
    (2, 1, 3)
    """
    return max(1, ceil(log2(min(size) / smallest)))


def padded(size: tuple[int, int], times: int) -> tuple[int, int]:
    """Sides that can be halved so often: the next multiples.

    >>> padded((30, 28), 2)
    (32, 28)
    """
    unit = 2**times
    return -(-size[0] // unit) * unit, -(-size[1] // unit) * unit


def from_noise(size: tuple[int, int], channels: int, classes: int, *, latents: int, width: int) -> nn.Module:
    """``(z [n, latents], labels [n])`` → pictures ``[n, channels, h, w]`` in −1…1; ``classes`` 0: no labels."""
    import torch
    from torch import nn

    times = halvings(size, 8)
    tall, wide = (side // 2**times for side in padded(size, times))
    widths = [min(MOST, width * 2**power) for power in range(times, -1, -1)]

    class Generator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.named = nn.Embedding(classes, latents) if classes else None
            self.first = nn.Linear(latents * (2 if classes else 1), widths[0] * tall * wide)
            blocks: list[nn.Module] = [nn.BatchNorm2d(widths[0]), nn.ReLU()]
            for given, made in pairwise(widths):
                blocks += [nn.Upsample(scale_factor=2), nn.Conv2d(given, made, 3, padding=1, bias=False)]
                blocks += [nn.BatchNorm2d(made), nn.ReLU()]
            self.rest = nn.Sequential(*blocks, nn.Conv2d(widths[-1], channels, 3, padding=1), nn.Tanh())

        def forward(self, z: Tensor, labels: Tensor | None = None) -> Tensor:
            if self.named is not None:
                assert labels is not None
                z = torch.cat([z, self.named(labels)], 1)
            shown = self.rest(self.first(z).view(-1, widths[0], tall, wide))
            return shown[..., : size[0], : size[1]]

    return Generator()


def critic(size: tuple[int, int], channels: int, classes: int, *, width: int) -> nn.Module:
    """``(pictures, labels)`` → logits ``[n]`` that a picture is real: D is their sigmoid."""
    from torch import nn
    from torch.nn.utils.parametrizations import spectral_norm

    times = halvings(size, 4)
    widths = [min(MOST, width * 2**power) for power in range(times + 1)]

    class Critic(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            blocks: list[nn.Module] = [spectral_norm(nn.Conv2d(channels, widths[0], 3, padding=1)), nn.LeakyReLU(SLOPE)]
            for given, made in pairwise(widths):
                blocks += [spectral_norm(nn.Conv2d(given, made, 4, 2, 1)), nn.LeakyReLU(SLOPE)]
            blocks += [spectral_norm(nn.Conv2d(widths[-1], widths[-1], 3, padding=1)), nn.LeakyReLU(SLOPE)]
            self.seen = nn.Sequential(*blocks)
            self.last = spectral_norm(nn.Linear(widths[-1], 1))
            self.named = spectral_norm(nn.Embedding(classes, widths[-1])) if classes else None

        def forward(self, pictures: Tensor, labels: Tensor | None = None) -> Tensor:
            found = self.seen(pictures).sum((2, 3))
            logits = self.last(found)[:, 0]
            return logits if self.named is None else logits + (self.named(labels) * found).sum(1)

    return Critic()


def from_pictures(size: tuple[int, int], given: int, made: int, *, width: int) -> nn.Module:
    """The U-Net: pictures ``[n, given, h, w]`` → ``[n, made, h, w]``, all in −1…1."""
    import torch
    from torch import nn
    from torch.nn.functional import pad

    times = halvings(size, 2)
    tall, wide = padded(size, times)
    widths = [min(MOST, width * 2 ** min(3, power)) for power in range(times)]

    def norm(channels: int, deepest: bool) -> nn.Module:  # a single pixel has no variance
        return nn.Identity() if deepest else nn.InstanceNorm2d(channels, affine=True)

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down, self.up = nn.ModuleList(), nn.ModuleList()
            least = min(tall, wide) // 2**times < 2
            for place, (before, after) in enumerate(zip([given, *widths], widths)):
                deepest = place == times - 1
                blocks = [] if place == 0 else [nn.LeakyReLU(SLOPE)]
                blocks += [nn.Conv2d(before, after, 4, 2, 1)]
                blocks += [] if place == 0 else [norm(after, deepest and least)]
                self.down.append(nn.Sequential(*blocks))
            for place in reversed(range(times)):
                before = widths[place] * (1 if place == times - 1 else 2)
                after = made if place == 0 else widths[place - 1]
                blocks = [nn.ReLU(), nn.ConvTranspose2d(before, after, 4, 2, 1)]
                if place:
                    blocks += [nn.InstanceNorm2d(after, affine=True)]
                    blocks += [nn.Dropout(DROPOUT)] if place > times - 3 else []
                self.up.append(nn.Sequential(*blocks))

        def forward(self, x: Tensor) -> Tensor:
            x = pad(x, (0, wide - size[1], 0, tall - size[0]), mode="replicate")
            kept: list[Tensor] = []
            for block in self.down:
                x = block(x)
                kept.append(x)
            x = kept.pop()
            for place, block in enumerate(self.up):
                x = block(x if place == 0 else torch.cat([x, kept.pop()], 1))
            return torch.tanh(x)[..., : size[0], : size[1]]

    return UNet()


def patch_critic(size: tuple[int, int], channels: int, *, width: int) -> nn.Module:
    """The PatchGAN: ``[n, channels, h, w]`` → a logit for each patch: of 70 pixels from 128 on, 34 from 64 on, and 16
    below (the paper's table 3 compares 1, 16, 70 and 286 at 256 pixels; which for smaller pictures is ours)."""
    from torch import nn

    strided = 3 if min(size) >= 128 else 2 if min(size) >= 64 else 1
    blocks: list[nn.Module] = []
    before = channels
    for place in range(strided + 1):
        after = min(MOST, width * 2**place)
        blocks += [nn.Conv2d(before, after, 4, 2 if place < strided else 1, 1)]
        blocks += [nn.InstanceNorm2d(after, affine=True)] if place else []
        blocks += [nn.LeakyReLU(SLOPE)]
        before = after
    return nn.Sequential(*blocks, nn.Conv2d(before, 1, 4, 1, 1))
