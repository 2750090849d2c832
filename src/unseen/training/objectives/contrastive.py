"""Permutation-contrastive learning (PCL): is this pair of images consecutive, or shuffled?"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from unseen.training.objectives.terms import Terms


@runtime_checkable
class Scorer(Protocol):
    """What PCL asks of a network."""

    def encode(self, images: Tensor) -> Tensor: ...
    def score(self, now: Tensor, before: Tensor) -> Tensor: ...


def pcl(model: Scorer, images: Tensor, partners: Tensor, noise: Tensor | None = None) -> Terms:
    """Hyvärinen & Morioka 2017, §3: logistic regression of real pairs (an image, the one before) against shuffled.

    Shuffled: an image with the one before the batch's previous image, as in the code of Schott et al. 2022 (a turn of
    the batch by one place: no image keeps its own partner, and nothing is drawn). ``noise`` is not looked at.
    """
    del noise
    n = len(images)
    latents = model.encode(torch.cat([images, partners]))
    before, now = latents[:n], latents[n:]
    return contrast(model.score(now, before), model.score(now, before.roll(1, 0)))


def contrast(consecutive: Float[Tensor, " n"], shuffled: Float[Tensor, " n"]) -> Terms:
    """The mean of both logistic losses per pair, and how often each is told rightly."""
    loss = (torch.nn.functional.softplus(-consecutive) + torch.nn.functional.softplus(shuffled)) / 2
    right = ((consecutive > 0).float() + (shuffled <= 0).float()) / 2
    return Terms(loss, {"right": right.detach()})
