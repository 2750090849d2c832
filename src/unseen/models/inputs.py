"""What a network is fed: pictures on the 0–255 scale become normalised floats, inside the network."""

from __future__ import annotations

import math
from typing import Any, cast

import torch
from torch import Tensor, nn

from unseen.vocabulary.errors import unknown

NORMALISE: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "mnist": ((0.1307,), (0.3081,)),
    "half": ((0.5,), (0.5,)),
    "none": ((0.0,), (1.0,)),
    "lite": ((127 / 255,), (128 / 255,)),  # EfficientNet-Lite's
}
PER_IMAGE = "per-image"


def standardised(images: Tensor) -> Tensor:
    """Each picture less its mean, by its standard deviation, over all its pixels and channels, as
    ``tf.image.per_image_standardization``: the deviation of N numbers counts as 1/√N at least, on the 0–255 scale.

    The first pixel is taken off before, which changes nothing but rounding: a picture of one colour gives zeros.
    """
    moved = images - images[:, :1, :1, :1]
    centred = moved - moved.mean((1, 2, 3), keepdim=True)
    variance = centred.square().mean((1, 2, 3), keepdim=True)
    return centred / variance.clamp(min=1 / math.prod(images.shape[1:])).sqrt()  # bounded first: no slope is infinite


class Seeing(nn.Module):
    """A network that takes a world's pictures as they are (uint8, or float on the 0–255 scale).

    Grey pictures are stacked to ``channels`` (as the released MNIST code does), then scaled to [0, 1] and normalised by
    fixed numbers; "per-image" takes each picture's own (:func:`standardised`).
    Names of layers and targets are those of the network inside.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, network: nn.Module, *, normalise: str = "imagenet", channels: int = 3) -> None:
        super().__init__()
        self.network = network
        if normalise not in (*NORMALISE, PER_IMAGE):
            raise unknown("normalisation", normalise, [*NORMALISE, PER_IMAGE])
        self.per_image = normalise == PER_IMAGE
        mean, std = NORMALISE["none" if self.per_image else normalise]
        if channels == 1 and len(mean) == 3:
            mean, std = (sum(mean) / 3,), (sum(std) / 3,)
        self.channels = channels
        shape = (1, len(mean), 1, 1)
        self.register_buffer("mean", torch.tensor(mean).reshape(shape) * 255, persistent=False)
        self.register_buffer("std", torch.tensor(std).reshape(shape) * 255, persistent=False)

    def prepare(self, images: Tensor) -> Tensor:
        """Pictures as the network inside takes them."""
        if images.shape[1] == 1 and self.channels == 3:
            images = images.expand(-1, 3, -1, -1)
        elif images.shape[1] == 3 and self.channels == 1:
            images = images.float().mean(1, keepdim=True)
        prepared = standardised(images.float()) if self.per_image else (images.float() - self.mean) / self.std
        return prepared.contiguous(memory_format=torch.channels_last)

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        return self.network(self.prepare(images))

    def depths(self) -> dict[str, int]:
        return {f"network.{name}": depth for name, depth in cast(Any, self.network).depths().items()}

    def undecayed(self) -> set[str]:
        return {f"network.{name}" for name in cast(Any, self.network).undecayed()}

    @property
    def targets(self) -> tuple[str, ...]:
        return cast(Any, self.network).targets

    @property
    def layers(self) -> tuple[str, ...]:
        return cast(Any, self.network).layers

    @property
    def description(self) -> dict[str, Any]:
        return cast(Any, self.network).description

    def layer(self, name: str) -> nn.Module:
        return cast(Any, self.network).layer(name)

    def tasks_of(self, layer: str) -> tuple[str, ...]:
        return cast(Any, self.network).tasks_of(layer)

    def channel_axis(self, layer: str) -> int:
        return cast(Any, self.network).channel_axis(layer)
