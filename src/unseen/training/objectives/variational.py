"""β-VAE, Ada-GVAE, SlowVAE: one network, three objectives.

A ``model`` has ``encode(images) → (mean, log-variance)`` and ``decode(latents) → logits``; images are in [0, 1]. All
three minimise a negative evidence lower bound; which terms it has is written at each.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from unseen.training.objectives.gaussians import (
    drawn,
    entropy,
    kl_between,
    kl_to_standard,
    laplace_cross_entropy,
    reconstruction,
)
from unseen.training.objectives.terms import Terms

Posterior = tuple[Float[Tensor, "n d"], Float[Tensor, "n d"]]  # mean and log-variance


@runtime_checkable
class Coder(Protocol):
    """What a variational objective asks of a network."""

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]: ...
    def decode(self, latents: Tensor) -> Tensor: ...


def beta_vae(
    model: Coder,
    images: Tensor,
    partners: Tensor | None,
    noise: Tensor,
    *,
    beta: float = 1.0,
    likelihood: str = "bernoulli",
) -> Terms:
    r"""Higgins et al. 2017, Eq. 4: :math:`-E_q \log p(x|z) + \beta\,KL(q(z|x)\,\|\,N(0, I))`, per image.

    ``noise`` is ``[n, latents]``; ``partners`` are not looked at.
    """
    del partners
    mean, logvar = _floats(model.encode(images))
    errors = reconstruction(images, model.decode(drawn(mean, logvar, noise)), likelihood)
    kl = kl_to_standard(mean, logvar).sum(1)
    return Terms(errors + beta * kl, {"reconstruction": errors.detach(), "kl": kl.detach()})


def ada_gvae(
    model: Coder, images: Tensor, partners: Tensor, noise: Tensor, *, beta: float = 1.0, likelihood: str = "bernoulli"
) -> Terms:
    r"""Locatello et al. 2020, the β-VAE's objective of both images of a pair whose shared latents are averaged.

    Half of the sum over the two, as in disentanglement_lib, so that a pair weighs as an image does. (The code of Schott
    et al. 2022 sums the KL over both and leaves its one half out, so their β is a quarter of this one.) ``noise`` is
    ``[2n, latents]``: that of images, then that of partners.
    """
    n = len(images)
    both = torch.cat([images, partners])
    mean, logvar = _floats(model.encode(both))
    first, second = shared_averaged((mean[:n], logvar[:n]), (mean[n:], logvar[n:]))
    mean, logvar = torch.cat([first[0], second[0]]), torch.cat([first[1], second[1]])
    errors = _halves(reconstruction(both, model.decode(drawn(mean, logvar, noise)), likelihood)).mean(0)
    kl = _halves(kl_to_standard(mean, logvar).sum(1)).mean(0)
    return Terms(errors + beta * kl, {"reconstruction": errors.detach(), "kl": kl.detach()})


def shared_dimensions(first: Posterior, second: Posterior) -> Bool[Tensor, "n d"]:
    r"""Which latents a pair shares: those whose :math:`\delta_i = KL(q(z_i|x_1)\,\|\,q(z_i|x_2))` lies below the middle
    :math:`\tau = \tfrac12(\max_i \delta_i + \min_i \delta_i)` (Locatello et al. 2020, §4.1).

    If all are equally far, all are shared, since nothing says which changed (as in the code of Schott et al. 2022).
    """
    distance = kl_between(*first, *second)
    least, most = distance.amin(1, keepdim=True), distance.amax(1, keepdim=True)
    return (distance < (least + most) / 2) | (most == least)


def shared_averaged(first: Posterior, second: Posterior) -> tuple[Posterior, Posterior]:
    """Both posteriors, with the mean of their means and of their variances where they are shared (the GVAE's average:
    Hosoya 2019; Locatello et al. 2020, §4.1). Which are shared is not differentiated."""
    with torch.no_grad():
        shared = shared_dimensions(first, second)
    mean = (first[0] + second[0]) / 2
    logvar = torch.logaddexp(first[1], second[1]) - math.log(2)
    one = torch.where(shared, mean, first[0]), torch.where(shared, logvar, first[1])
    two = torch.where(shared, mean, second[0]), torch.where(shared, logvar, second[1])
    return one, two


def slow_vae(
    model: Coder,
    images: Tensor,
    partners: Tensor,
    noise: Tensor,
    *,
    beta: float = 1.0,
    gamma: float = 10.0,
    rate: float = 6.0,
    likelihood: str = "bernoulli",
    as_released: bool = False,
) -> Terms:
    r"""Klindt et al. 2021: most factors stay, a few change: a Laplace prior on the steps of latents between two images.

    .. math:: -E \log p(x_t, x_{t-1} | z) + \beta\,KL(q(z_{t-1}|x_{t-1})\,\|\,N(0, I))
              + \gamma\,KL(q(z_t|x_t)\,\|\,\mathrm{Laplace}(\mu_{t-1}, 1/\lambda))

    averaged over the two orders of a pair, per pair. The step's prior is centred on the mean of the other image rather
    than on a sample, which gives a closed form, as in the released code; there (and with ``as_released``) the
    cross-entropies of both orders are summed, the entropies averaged. Defaults are the paper's.
    ``noise`` is ``[2n, latents]``: that of images, then that of partners.
    """
    n = len(images)
    both = torch.cat([images, partners])
    mean, logvar = _floats(model.encode(both))
    errors = _halves(reconstruction(both, model.decode(drawn(mean, logvar, noise)), likelihood)).sum(0)
    kl = _halves(kl_to_standard(mean, logvar).sum(1)).mean(0)
    step = mean - torch.cat([mean[n:], mean[:n]])
    crossed = _halves(laplace_cross_entropy(step, logvar, rate).sum(1)).sum(0)
    slow = crossed * (1.0 if as_released else 0.5) - _halves(entropy(logvar).sum(1)).mean(0)
    parts = {"reconstruction": errors.detach(), "kl": kl.detach(), "slowness": slow.detach()}
    return Terms(errors + beta * kl + gamma * slow, parts)


def _floats(posterior: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Exponentials need more digits than half precision has."""
    return posterior[0].float(), posterior[1].float()


def _halves(values: Tensor) -> Tensor:
    """``[2n] → [2, n]``: images and their partners."""
    return values.unflatten(0, (2, -1))
