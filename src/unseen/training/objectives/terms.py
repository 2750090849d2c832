"""A loss per example, what it is made of, and the noise that latents are drawn with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from unseen.training.augment import uniform


@dataclass(frozen=True, eq=False)
class Terms:
    """The ``loss`` of each example (or pair) ``[n]``, and its parts by name, each ``[n]``, not differentiated.

    Its mean over a batch is what is learned by; parts are for the curves.
    """

    loss: Float[Tensor, " n"]
    parts: Mapping[str, Float[Tensor, " n"]]


def normal(rows: Tensor, visit: Tensor, seed: int, draws: int) -> Tensor:
    """Standard normal numbers ``[n, draws]`` keyed by (seed, row, visit): the same in every pack and, but for the last
    bits of a logarithm, on every device. Box & Muller 1958 on hashed uniform numbers."""
    half = (draws + 1) // 2
    u = uniform(rows, visit, seed, 2 * half)
    radius = torch.sqrt(-2 * torch.log1p(-u[:, :half]))
    angle = 2 * math.pi * u[:, half:]
    return torch.cat([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)[:, :draws]
