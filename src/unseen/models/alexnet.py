"""AlexNet without its first two max-poolings, the network of Zaidi, Boix et al. for faces (seed 002, supplement).

The paper: "a modified AlexNet architecture with five convolutional layers followed by two fully connected layers. The
modifications included removal of the max-pooling layers after the first two convolutional layers [...] The rest of the
network was exactly as AlexNet (i.e. local response normalization, dropout, initialization parameters [...])".

AlexNet is Krizhevsky et al. 2012: conv1 96 of 11×11 by steps of 4, conv2 256 of 5×5, conv3 and conv4 384 and conv5 256
of 3×3, conv2, conv4 and conv5 in two groups (their two GPUs); ReLU after each; responses normalised after conv1 and
conv2; max-pooling of 3×3 by steps of 2 after conv5; two layers of 4096 with ReLU and dropout of one half. Weights start
from N(0, 0.01²); biases of conv2, conv4, conv5 and the layers of 4096 at 1, the others at 0.

By these weights little of a picture standardised to unit variance reaches the end (Krizhevsky et al. gave pixels of 0
to 255): ``start="he"`` (ours, after He et al. 2015) learns where the published start stays at chance.

Ours, since no source states it: the size of the images, and so of what fc6 sees (all that the last pooling leaves: 3×3
at 32 pixels, 7×7 at 64, 15×15 at 128, 27×27 at 224, where fc6 has 764 million weights); padding of 2 before conv1 (the
55×55 that AlexNet's paper has at 224); that the two fully connected layers are fc6 and fc7, with the classifier as our
head beyond, which starts as heads do here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from unseen.models.convolutional import check_side
from unseen.models.perceptrons import checked
from unseen.models.precision import in_full
from unseen.vocabulary.errors import UnseenError, unknown

WIDTHS = (96, 256, 384, 384, 256)
SMALLEST = 15  # the side at which conv1 leaves the three positions that the pooling needs
DEVIATION = 0.01
STARTS = ("krizhevsky", "he")


class ResponseNormalisation(nn.Module):
    r"""Krizhevsky et al. 2012, §3.3, over the five channels about each:

    .. math:: b_i = a_i \Big/ \Big(2 + 10^{-4} \sum_{j = i - 2}^{i + 2} a_j^2\Big)^{0.75}

    In single precision, and as a sum of shifted maps: torch's own averages in a way whose gradient differs from run to
    run on CUDA. (Its ``alpha`` is five times ours, since it takes the mean.)
    """

    reach, k, alpha, beta = 2, 2.0, 1e-4, 0.75

    def forward(self, maps: Tensor) -> Tensor:
        with in_full(maps):
            single = maps.float()
            squares = nn.functional.pad(single.square(), (0, 0, 0, 0, self.reach, self.reach))
            about = torch.zeros_like(single)
            for shift in range(2 * self.reach + 1):
                about = about + squares.narrow(1, shift, maps.shape[1])
            return (single * (self.k + self.alpha * about).pow(-self.beta)).to(maps.dtype)


class AlexNet(nn.Sequential):
    """Layers in a row; those that are recorded are named, each after its ReLU."""

    feature_info: list[dict[str, object]]


def alexnet_no_early_pools(
    channels: int,
    size: tuple[int, int],
    *,
    widths: Sequence[int] = WIDTHS,
    hidden: int = 4096,
    groups: int = 2,
    dropout: float = 0.5,
    start: str = "krizhevsky",
) -> nn.Module:
    """The network for images of any ``size`` from 15 pixels. ``widths`` are those of the five convolutions and
    ``hidden`` that of fc6 and fc7, for smaller machines (ours); ``groups`` 1 joins what the two GPUs held apart;
    ``start`` is that of the weights, the published "krizhevsky" or "he"."""
    check_side("alexnet-no-early-pools", size, SMALLEST)
    widths = tuple(widths)
    checked("alexnet-no-early-pools", (*widths, hidden, groups))
    if len(widths) != 5 or any(width % groups for width in widths):
        raise UnseenError(
            f"'alexnet-no-early-pools' was given widths {list(widths)} in {groups} groups; it takes five widths, each "
            f"a multiple of the groups."
        )
    if isinstance(dropout, bool) or not 0 <= dropout < 1:
        raise UnseenError(f"'alexnet-no-early-pools' was given dropout = {dropout}; it takes a number from 0 below 1.")
    if start not in STARTS:
        raise unknown("start", start, STARTS, where="alexnet-no-early-pools")
    a, b, c, d, e = widths
    rows, columns = ((((side - 7) // 4 + 1) - 3) // 2 + 1 for side in size)
    net = AlexNet(
        OrderedDict(
            conv1=_convolution(channels, a, 11, stride=4, padding=2, bias=0.0),
            norm1=ResponseNormalisation(),
            conv2=_convolution(a, b, 5, padding=2, groups=groups, bias=1.0),
            norm2=ResponseNormalisation(),
            conv3=_convolution(b, c, 3, padding=1, bias=0.0),
            conv4=_convolution(c, d, 3, padding=1, groups=groups, bias=1.0),
            conv5=_convolution(d, e, 3, padding=1, groups=groups, bias=1.0),
            pool5=nn.MaxPool2d(3, 2),
            flat=nn.Flatten(),
            fc6=_linear(e * rows * columns, hidden),
            drop6=nn.Dropout(dropout),
            fc7=_linear(hidden, hidden),
            drop7=nn.Dropout(dropout),
        )
    )
    named = {f"conv{place}": width for place, width in enumerate(widths, start=1)}
    named |= {"fc6": hidden, "fc7": hidden}
    if start == "he":
        net.apply(_started_by_he)
    net.feature_info = [{"module": name, "num_chs": width} for name, width in named.items()]
    return net


def _convolution(
    before: int, after: int, kernel: int, *, bias: float, stride: int = 1, padding: int, groups: int = 1
) -> nn.Module:
    layer = nn.Conv2d(before, after, kernel, stride, padding, groups=groups)
    return nn.Sequential(_started(layer, bias), nn.ReLU(inplace=True))


def _linear(before: int, after: int) -> nn.Module:
    return nn.Sequential(_started(nn.Linear(before, after), 1.0), nn.ReLU(inplace=True))


def _started(layer: nn.Conv2d | nn.Linear, bias: float) -> nn.Module:
    assert layer.bias is not None
    with torch.no_grad():
        layer.weight.normal_(0, DEVIATION)
        layer.bias.fill_(bias)
    return layer


def _started_by_he(layer: nn.Module) -> None:
    if isinstance(layer, nn.Conv2d | nn.Linear):
        assert layer.bias is not None
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
