"""The table of objectives: which network each trains and which pairs it wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from unseen.training.objectives.contrastive import pcl
from unseen.training.objectives.terms import Terms
from unseen.training.objectives.variational import ada_gvae, beta_vae, slow_vae


@dataclass(frozen=True)
class Objective:
    """``loss(model, images, partners, noise, **settings)``; ``encoder`` is a name of the models' table of encoders,
    ``pairs`` of the table of pair samplers (none: images alone), ``noisy`` how many samples of latents an example
    takes."""

    loss: Callable[..., Terms]
    encoder: str
    pairs: str | None
    noisy: int


OBJECTIVES: Mapping[str, Objective] = {
    "beta-vae": Objective(beta_vae, "vae", None, 1),
    "ada-gvae": Objective(ada_gvae, "vae", "few", 2),
    "slow-vae": Objective(slow_vae, "vae", "laplace", 2),
    "pcl": Objective(pcl, "pcl", "laplace", 0),
}
