"""BagNets: networks that add up evidence from small patches and see nothing larger (Brendel & Bethge 2019, ICLR).

The layout of a ResNet-50 with almost all 3×3 convolutions made 1×1: a stem of 1×1 and 3×3, strides 2, 2, 2, 1, and a
3×3 in the first block of stages 1 to 4 (33 pixels), 1 to 3 (17) or 1 to 2 (9). No padding: a place sees its patch
alone, and shortcuts are cropped to size, at the far edges as in the released code. That code averages the statistics of
the stem's batch norm over a thousand steps; here over ten as elsewhere (ours): in a short training they would be those
of no image, and a network that learnt would answer by chance. Heads are linear and the mean over places is linear, so a
score is the mean of the evidence of its patches (:mod:`unseen.explanations.evidence`).
"""

from __future__ import annotations

import math
from collections import OrderedDict

from torch import Tensor, nn

from unseen.vocabulary.errors import UnseenError

BLOCKS = (3, 4, 6, 3)
STRIDES = (2, 2, 2, 1)
WIDTHS = (1, 2, 4, 8)  # times the first, 64 as published
EXPANSION = 4


class _Bottleneck(nn.Module):
    def __init__(self, before: int, width: int, *, kernel: int, stride: int) -> None:
        super().__init__()
        after = width * EXPANSION
        self.conv1, self.bn1 = nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, kernel, stride=stride, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, after, 1, bias=False), nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(
                nn.Conv2d(before, after, 1, stride=stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, maps: Tensor) -> Tensor:
        found = self.relu(self.bn1(self.conv1(maps)))
        found = self.relu(self.bn2(self.conv2(found)))
        found = self.bn3(self.conv3(found))
        shortcut = maps if self.downsample is None else self.downsample(maps)
        return self.relu(found + shortcut[:, :, : found.shape[2], : found.shape[3]])


def _bagnet(channels: int, size: tuple[int, int], patch: int, stages: int, first: int) -> nn.Module:
    """Features ``[n, 32 × first, h, w]``, of which places see patches of ``patch`` pixels, 8 apart."""
    if isinstance(first, bool) or not isinstance(first, int) or first < 1:
        raise UnseenError(f"width = {first!r} of 'bagnet-{patch}' is no whole number of channels; published: 64.")
    if min(size) < patch:
        raise UnseenError(f"images of {size[0]}×{size[1]} are smaller than the patches of {patch} of 'bagnet-{patch}'.")
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    layers["stem"] = nn.Sequential(
        nn.Conv2d(channels, first, 1, bias=False),
        nn.Conv2d(first, first, 3, bias=False),
        nn.BatchNorm2d(first),
        nn.ReLU(inplace=True),
    )
    before = first
    for number, (blocks, times, stride) in enumerate(zip(BLOCKS, WIDTHS, STRIDES)):
        width = first * times
        run = []
        for place in range(blocks):
            kernel = 3 if place == 0 and number < stages else 1
            run.append(_Bottleneck(before, width, kernel=kernel, stride=stride if place == 0 else 1))
            before = width * EXPANSION
        layers[f"layer{number + 1}"] = nn.Sequential(*run)
    network = nn.Sequential(layers)
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            fan = module.kernel_size[0] * module.kernel_size[1] * module.out_channels
            nn.init.normal_(module.weight, 0, math.sqrt(2 / fan))
    return network


def bagnet9(channels: int, size: tuple[int, int], *, width: int = 64) -> nn.Module:
    """Patches of 9 pixels. ``width``: channels of the first stage; 8 or 16 for CPUs (ours)."""
    return _bagnet(channels, size, 9, 2, width)


def bagnet17(channels: int, size: tuple[int, int], *, width: int = 64) -> nn.Module:
    """Patches of 17 pixels. ``width``: channels of the first stage; 8 or 16 for CPUs (ours)."""
    return _bagnet(channels, size, 17, 3, width)


def bagnet33(channels: int, size: tuple[int, int], *, width: int = 64) -> nn.Module:
    """Patches of 33 pixels. ``width``: channels of the first stage; 8 or 16 for CPUs (ours)."""
    return _bagnet(channels, size, 33, 4, width)
