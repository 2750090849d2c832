"""What encoders learn by: pure functions from a network, images, their partners and noise to a loss per example.

Every objective has the signature ``(model, images, partners, noise, **settings) → Terms``; those that need no pairs
ignore ``partners``. Nothing here waits for the device or changes shapes, so a step can be captured as a CUDA graph.
"""

from unseen.training.objectives.contrastive import contrast, pcl
from unseen.training.objectives.table import OBJECTIVES, Objective, check_settings
from unseen.training.objectives.terms import Terms, normal
from unseen.training.objectives.variational import ada_gvae, beta_vae, slow_vae

__all__ = [
    "OBJECTIVES",
    "Objective",
    "Terms",
    "ada_gvae",
    "beta_vae",
    "check_settings",
    "contrast",
    "normal",
    "pcl",
    "slow_vae",
]
