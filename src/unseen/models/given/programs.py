"""Given models that are programs in a file: pictures go in, outputs by name come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from unseen.models.given.backends import no_features, no_texts
from unseen.models.given.reshaped import ChosenOutputs, InputForm, in_fixed_batches
from unseen.vocabulary.errors import UnseenError


class Program:
    """One input, some outputs. Its own batch size, where it has one, is filled up. ``what`` it is, in words."""

    module = None
    taken: InputForm
    what: str

    def __init__(self, name: str, chosen: ChosenOutputs) -> None:
        self.name, self.chosen = name, chosen

    def outputs(self, images: Tensor) -> Tensor:
        return self.chosen.answers(self.name, self._all(images))

    def features(self, images: Tensor) -> Tensor:
        if not self.chosen.features:
            raise no_features(self.name, self.what)
        return self.chosen.named(self.name, self._all(images))

    def texts(self, texts: Sequence[str]) -> Tensor:
        raise no_texts(self.name)

    def to(self, device: torch.device) -> None:
        raise NotImplementedError

    def run(self, images: Tensor) -> Mapping[str, Tensor]:
        """All outputs for one batch."""
        raise NotImplementedError

    def _all(self, images: Tensor) -> dict[str, Tensor]:
        self.taken.check(self.name, images)
        return in_fixed_batches(images, self.taken.batch, self._once)

    def _once(self, images: Tensor) -> Mapping[str, Tensor]:
        try:
            return self.run(images)
        except Exception as error:
            raise UnseenError(
                f"model '{self.name}' failed on {images.dtype} pictures of shape {list(images.shape)}: "
                f"{first_line(error)}"
            ) from error


def first_line(error: Exception) -> str:
    """What an error says first: runtimes say much."""
    return str(error).strip().partition("\n")[0][:300]
