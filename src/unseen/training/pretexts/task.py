"""The form of every pretext: an encoder, what learns beside it, a loss per example."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.amp.autocast_mode import is_autocast_available

from unseen.training.objectives.terms import Terms


@dataclass(frozen=True, eq=False)
class PretextBatch:
    """One batch: ``images`` as the world gives them, the ``rows`` they are of, the level of every factor ``[n,
    factors]``, which ``visit`` this is (a number on the device), how far training is (0 to 1), and the ``seed``.
    ``prepare`` turns pictures on the 0–255 scale into what the encoder sees. ``learns``: a step of training; else
    nothing may change but the loss."""

    images: Tensor
    rows: Tensor
    levels: Tensor
    visit: Tensor
    progress: Tensor
    seed: int
    prepare: Callable[[Tensor], Tensor]
    learns: bool


class Pretext(nn.Module):
    """An ``encoder`` with ``features(images) → [n, features]``, and what it learns by."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def loss(self, asked: PretextBatch) -> Terms:
        """The loss of each example, and whether it was answered rightly where there is such a thing ("right")."""
        raise NotImplementedError

    def after_step(self, progress: Tensor) -> None:
        """What follows the optimiser's step: a teacher goes on, say."""

    @property
    def delivered(self) -> nn.Module:
        """The encoder that is kept."""
        return self.encoder

    def features(self, images: Tensor) -> Tensor:
        encoder: Any = self.encoder
        return encoder.features(images)


def in_full(tensor: Tensor) -> contextlib.AbstractContextManager:
    """Single precision inside autocast: views of pictures, softmaxes over similarities."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if is_autocast_available(kind) else contextlib.nullcontext()
