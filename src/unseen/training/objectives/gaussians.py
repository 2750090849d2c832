"""Closed forms over diagonal Gaussians, per dimension, and how well pixels are given back."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from unseen.vocabulary.errors import unknown

LIKELIHOODS = ("bernoulli", "gaussian")


def kl_to_standard(mean: Float[Tensor, "n d"], logvar: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    r"""KL of :math:`N(\mu, \sigma^2)` from :math:`N(0, 1)`:
    :math:`\tfrac12(\mu^2 + \sigma^2 - 1 - \log\sigma^2)` (Kingma & Welling 2014, appendix B)."""
    return 0.5 * (mean.square() + logvar.exp() - 1 - logvar)


def kl_between(
    mean: Float[Tensor, "n d"],
    logvar: Float[Tensor, "n d"],
    other: Float[Tensor, "n d"],
    other_logvar: Float[Tensor, "n d"],
) -> Float[Tensor, "n d"]:
    r"""KL of :math:`N(\mu, \sigma^2)` from :math:`N(\mu', \sigma'^2)`."""
    ratio = (logvar - other_logvar).exp()
    return 0.5 * (ratio + (other - mean).square() * (-other_logvar).exp() - 1 + other_logvar - logvar)


def entropy(logvar: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    r"""Entropy of a Gaussian: :math:`\tfrac12 \log(2\pi e \sigma^2)`."""
    return 0.5 * (logvar + math.log(2 * math.pi * math.e))


def laplace_cross_entropy(
    mean: Float[Tensor, "n d"], logvar: Float[Tensor, "n d"], rate: float
) -> Float[Tensor, "n d"]:
    r"""Cross-entropy of :math:`N(\mu, \sigma^2)` with a Laplace distribution of this rate :math:`\lambda` about zero:

    .. math:: -\log\frac{\lambda}{2} + \lambda\Big(\sigma\sqrt{2/\pi}\,e^{-\mu^2/2\sigma^2}
              + \mu\,\mathrm{erf}\frac{\mu}{\sigma\sqrt2}\Big)

    the second part being the mean of a folded Gaussian.
    """
    standard = mean * (-0.5 * logvar).exp()
    spread = (0.5 * logvar).exp() * math.sqrt(2 / math.pi) * (-0.5 * standard.square()).exp()
    return rate * (spread + mean * torch.erf(standard / math.sqrt(2))) - math.log(rate / 2)


def reconstruction(images: Float[Tensor, "n c h w"], logits: Float[Tensor, "n c h w"], likelihood: str) -> Tensor:
    """The negative log-likelihood of images in [0, 1], summed over pixels, ``[n]``.

    ``bernoulli``: cross-entropy. ``gaussian``: squared error of the logits' sigmoid, that is a variance of one half,
    up to a constant (as in the released code of Klindt et al. 2021 and Schott et al. 2022).
    """
    if likelihood == "bernoulli":
        errors = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), images.float(), reduction="none")
    elif likelihood == "gaussian":
        errors = (torch.sigmoid(logits.float()) - images.float()).square()
    else:
        raise unknown("likelihood", likelihood, LIKELIHOODS)
    return errors.flatten(1).sum(1)


def drawn(mean: Float[Tensor, "n d"], logvar: Float[Tensor, "n d"], noise: Float[Tensor, "n d"]) -> Tensor:
    """A sample of each Gaussian, differentiable in its mean and variance (Kingma & Welling 2014, §2.4)."""
    return mean + (0.5 * logvar).exp() * noise
