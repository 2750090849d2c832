"""SimCLR: two views of one picture are to be nearer to each other than to any other of the batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from unseen.training.objectives.terms import Terms
from unseen.training.pretexts.task import Pretext, PretextBatch, in_full
from unseen.training.pretexts.views import Looks, view


def nt_xent(
    first: Float[Tensor, "n d"], second: Float[Tensor, "n d"], temperature: float
) -> tuple[Float[Tensor, " n"], Bool[Tensor, " n"]]:
    r"""Chen et al. 2020, Eq. 1, the mean over both orders of each pair, and whether the partner was the nearest.

    .. math:: \ell_{i,j} = -\log\frac{\exp(\mathrm{sim}(z_i, z_j)/\tau)}
              {\sum_{k \ne i} \exp(\mathrm{sim}(z_i, z_k)/\tau)}

    over the 2n views of a batch, with the cosine for sim.
    """
    n = len(first)
    with in_full(first):
        views = nn.functional.normalize(torch.cat([first, second]).float(), dim=1)
        scores = views @ views.T / temperature
        scores = scores.masked_fill(torch.eye(2 * n, dtype=torch.bool, device=scores.device), -torch.inf)
        partner = torch.arange(2 * n, device=scores.device).roll(n)
        losses = nn.functional.cross_entropy(scores, partner, reduction="none")
        right = scores.argmax(1) == partner
    return (losses[:n] + losses[n:]) / 2, right[:n]


@dataclass(frozen=True)
class SimCLROptions(Looks):
    """For small pictures and batches (appendix B.9, CIFAR-10: temperature 0.5, colour 0.5, no blur)."""

    temperature: float = 0.5
    width: int = 128
    colour: float = 0.5
    grey: float = 0.2


class SimCLR(Pretext):
    """Two views, a projection of two layers with normalisation (Chen et al. 2020, §2.1 and the released code)."""

    def __init__(self, encoder: nn.Module, features: int, told: SimCLROptions) -> None:
        super().__init__(encoder)
        self.temperature, self.recipe = told.temperature, told.recipe()
        self.projection = nn.Sequential(
            nn.Linear(features, features, bias=False), nn.BatchNorm1d(features), nn.ReLU(),
            nn.Linear(features, told.width, bias=False), nn.BatchNorm1d(told.width),
        )  # fmt: skip

    def loss(self, asked: PretextBatch) -> Terms:
        views = [view(asked.images, self.recipe, asked.rows, asked.visit, asked.seed, k) for k in (0, 1)]
        first, second = self.projection(self.features(asked.prepare(torch.cat(views)))).chunk(2)
        losses, right = nt_xent(first, second, self.temperature)
        return Terms(losses, {"right": right.float()})
