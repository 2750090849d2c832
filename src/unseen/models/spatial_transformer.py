"""A spatial transformer before the CNN (Jaderberg et al. 2015): it moves, turns and scales the image as it learns to.

A localisation network gives six numbers, an affine map from places of the output to places of the input (their Eq. 1),
and the image is sampled there bilinearly (Eq. 5). It begins as the identity. The layers that localise are ours.

Sampling is written out: torch's ``grid_sample`` adds gradients of the image in any order on CUDA, so that the same
training would not give the same weights twice. Here the image is only read; what is differentiated are the four shares.
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
    n, channels, height, width = images.shape
    device, maps = images.device, maps.float()
    x = (torch.arange(width, device=device) * 2 + 1) / width - 1
    y = (torch.arange(height, device=device) * 2 + 1) / height - 1
    grown = maps[..., None, None]  # written out: autocast would round a matrix product to a quarter of a pixel
    at = (grown[:, :, 0] * x + grown[:, :, 1] * y[:, None] + grown[:, :, 2]).flatten(2)  # [n, 2, pixels]
    column, row = ((at[:, 0] + 1) * width - 1) / 2, ((at[:, 1] + 1) * height - 1) / 2
    left, top = column.detach().floor(), row.detach().floor()
    flat = images.flatten(2)
    seen = torch.zeros_like(flat, dtype=torch.float32)
    for down in (0, 1):
        for right in (0, 1):
            near_x, near_y = left + right, top + down
            # a map that is no number must spoil the picture, not the address
            share = (1 - (column - near_x).abs()) * (1 - (row - near_y).abs())
            inside = (near_x >= 0) & (near_x < width) & (near_y >= 0) & (near_y < height)
            place = (near_y.clamp(0, height - 1) * width + near_x.clamp(0, width - 1)).nan_to_num(0).long()
            values = flat.gather(2, place[:, None].expand(n, channels, -1))
            seen = seen + values * (share * inside)[:, None]
    return seen.reshape(images.shape).to(images.dtype)


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
