"""A given model as explanations take networks: pictures on the 0–255 scale in its own size go in, scores come out.

What it does to a picture after resizing (scale, mean, deviation, layout) is part of the network then, so that a
gradient goes back to the picture itself. Resizing and cropping come before: :func:`framed`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.given.backends import logits_in
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import scaled, shaped
from unseen.vocabulary.errors import UnseenError

FAINT = 1e-12  # the least probability whose logarithm is taken


def framed(given: GivenModel, images: Tensor) -> Tensor:
    """Pictures of any size as the model sees them, still uint8."""
    return shaped(images, given.preprocessing)


def looked_into(given: GivenModel) -> nn.Module | Answering:
    """The network of a given model, or, where it has none of torch, a function of pictures."""
    if not given.outputs:
        raise UnseenError(
            f"model '{given.name}' has no answers of its own, so there is no score to explain; explain a unit of it in "
            "Python (unseen.explanations.Unit), or bring a model with classes."
        )
    return Answering(given) if given.module is None else Fed(given)


class Fed(nn.Module):
    """A network of torch that takes pictures as they are. Layers have the names they have inside."""

    mean: Tensor

    def __init__(self, given: GivenModel) -> None:
        super().__init__()
        assert given.module is not None
        self.network = given.module
        self.how, self.are_probabilities = given.preprocessing, given.are_probabilities
        self.register_buffer("mean", _neutral(given), persistent=False)
        self.to(given.device)

    @property
    def layers(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.network.named_modules() if name)

    def layer(self, name: str) -> nn.Module:
        return self.network.get_submodule(name)

    def prepare(self, images: Tensor) -> Tensor:
        return scaled(images, self.how)

    def forward(self, images: Tensor) -> Tensor:
        return _scores(logits_in(self.network(self.prepare(images))), self.are_probabilities)


class Answering:
    """A program or a function: only its answers are known."""

    def __init__(self, given: GivenModel) -> None:
        self.given, self.mean = given, _neutral(given)

    def prepare(self, images: Tensor) -> Tensor:
        images = images.to(self.given.device)
        if self.given.preprocessing.dtype == "uint8":  # covered and blended pictures have numbers in between
            images = images.round().clamp(0, 255)
        return scaled(images, self.given.preprocessing)

    def __call__(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            made = self.given.body.outputs(self.prepare(images))
        return _scores(torch.as_tensor(made).float(), self.given.are_probabilities).cpu()


def _neutral(given: GivenModel) -> Tensor:
    """The colour that it subtracts, on the 0–255 scale."""
    how = given.preprocessing
    mean = torch.tensor(how.mean) / how.range * 255
    mean = mean.flip(0) if how.channels == "BGR" else mean
    return mean.reshape(1, -1, 1, 1)


def _scores(made: Any, are_probabilities: bool) -> Tensor:
    """Of a model that answers with probabilities, their logarithms: scores up to a number that classes share."""
    return made.clamp(min=FAINT).log() if are_probabilities else made
