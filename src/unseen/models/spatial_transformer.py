"""A spatial transformer before the CNN (Jaderberg et al. 2015): it moves, turns and scales the image as it learns to.

A localisation network gives six numbers, an affine map from places of the output to places of the input (their Eq. 1),
and the image is sampled there bilinearly (Eq. 5). It begins as the identity. The layers that localise are ours.

Gradients reach the map alone, since the image is given: so the same training gives the same weights twice, which is not
so where torch's ``grid_sample`` also adds gradients of an image, in any order, on CUDA.
"""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor, nn

from unseen.models.convolutional import check_side, stages
from unseen.models.precision import in_full


def sample(images: Tensor, maps: Tensor) -> Tensor:
    """Images seen through affine ``maps`` ``[n, 2, 3]`` of places in [−1, 1]², the corners being corners of pixels.

    The same as torch's ``affine_grid`` and ``grid_sample`` with zeros outside and ``align_corners=False``.
    """
    height, width = images.shape[-2:]
    device, maps = images.device, maps.float()
    x = (torch.arange(width, device=device) * 2 + 1) / width - 1
    y = (torch.arange(height, device=device) * 2 + 1) / height - 1
    grown = maps[..., None, None]  # written out: autocast would round a matrix product to a quarter of a pixel
    at = (grown[:, :, 0] * x + grown[:, :, 1] * y[:, None] + grown[:, :, 2]).movedim(1, 3)  # [n, height, width, 2]
    seen = nn.functional.grid_sample(images.float(), at, align_corners=False)
    spoilt = (maps.detach() * 0).sum((1, 2))  # torch sees nothing at a place that is no number: say that it is none
    return (seen + spoilt[:, None, None, None]).to(images.dtype)


class SpatialTransformer(nn.Module):
    """Images as the localisation network wants to see them; at first, as they are."""

    def __init__(self, channels: int, size: tuple[int, int]) -> None:
        super().__init__()
        layers, before = [], channels
        for after in (16, 32, 32):
            layers += [nn.Conv2d(before, after, 4, stride=2, padding=1), nn.ReLU(inplace=True)]
            before = after
        flat = before * (size[0] // 8) * (size[1] // 8)
        self.localisation = nn.Sequential(*layers, nn.Flatten(), nn.Linear(flat, 64), nn.ReLU(inplace=True))
        self.affine = nn.Linear(64, 6)
        with torch.no_grad():
            self.affine.weight.zero_()
            self.affine.bias.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))

    def forward(self, images: Tensor) -> Tensor:
        located = self.localisation(images)
        with in_full(images):
            return sample(images, self.affine(located.float()).reshape(-1, 2, 3))


def spatial_transformer(channels: int, size: tuple[int, int]) -> nn.Module:
    """A spatial transformer, then the CNN."""
    check_side("spatial-transformer", size)
    return nn.Sequential(OrderedDict(transformer=SpatialTransformer(channels, size), **stages(channels)))
