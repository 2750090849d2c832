"""Encoders that learn without labels, or from pairs: a variational autoencoder, and a contrastive encoder.

Both are the CNN of Schott et al. 2022 with ten latents (facts of the released code): the VAE's last layer gives a mean
and a log-variance per latent, its decoder mirrors the encoder and gives logits of pixels. What they learn by is in
``unseen.training.objectives``. They take images in [0, 1] (``normalise = "none"``), since those are also what a decoder
is to give back.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.convolutional import SIDE, WIDTHS, stages
from unseen.models.precision import in_full
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.seeds import seed_of

LATENTS = 10
SOURCE = "Schott et al. 2022, released code"  # of the layer table


class Encoder(nn.Module):
    """Images → ``outputs`` numbers: the CNN and a Linear layer, started as in the released code (He et al. 2015)."""

    def __init__(self, channels: int, outputs: int) -> None:
        super().__init__()
        self.stages = nn.Sequential(OrderedDict(stages(channels)))
        self.last = nn.Linear(WIDTHS[-1], outputs)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight)
                assert module.bias is not None
                nn.init.zeros_(module.bias)

    def forward(self, images: Tensor) -> Tensor:
        features = self.stages(images).flatten(1)
        with in_full(images):  # latents are measured later, to more than eight bits
            return self.last(features.float())


class Decoder(nn.Module):
    """Latents → logits of the pixels of a 64×64 image: the encoder's layers backwards."""

    def __init__(self, channels: int, latents: int) -> None:
        super().__init__()
        self.first = nn.Linear(latents, WIDTHS[-1])
        nn.init.kaiming_normal_(self.first.weight)
        nn.init.zeros_(self.first.bias)
        layers: list[nn.Module] = [nn.ReLU(inplace=True)]
        backwards = (*WIDTHS[::-1], channels)
        for place, (before, after) in enumerate(itertools.pairwise(backwards)):
            stride, padding = (1, 0) if place == 0 else (2, 1)
            layers += [nn.ConvTranspose2d(before, after, 4, stride=stride, padding=padding), nn.ReLU(inplace=True)]
        self.stages = nn.Sequential(*layers[:-1])

    def forward(self, latents: Tensor) -> Tensor:
        return self.stages(self.first(latents)[:, :, None, None])


class Autoencoder(nn.Module):
    """A variational autoencoder: β-VAE, Ada-GVAE and SlowVAE differ in their objectives only."""

    def __init__(self, channels: int, latents: int) -> None:
        super().__init__()
        self.channels, self.latents = channels, latents
        self.encoder = Encoder(channels, 2 * latents)
        self.decoder = Decoder(channels, latents)

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log-variance of the latents, each ``[n, latents]``."""
        mean, logvar = self.encoder(images).chunk(2, dim=1)
        return mean, logvar

    def decode(self, latents: Tensor) -> Tensor:
        """Logits of pixels ``[n, channels, 64, 64]``."""
        return self.decoder(latents)

    def forward(self, images: Tensor) -> Tensor:
        """The mean latents, which are what a readout sees."""
        return self.encode(images)[0]


class Contrastive(nn.Module):
    r"""An encoder that learns to tell consecutive images from shuffled ones (PCL: Hyvärinen & Morioka 2017).

    The regression function is that of their §4.1 for Laplacian innovations, with the signs, the starting values and the
    fixed scale of :math:`h_1^2` as in the code of Schott et al. 2022 (after the authors'):

    .. math:: r(h_1, h_2) = -\sum_i |a_i h_{1i} + b_i h_{2i} + c_i| + \sum_i h_{1i}^2 + m

    with :math:`a = 1, b = -1, c = m = 0` at the start.
    """

    def __init__(self, channels: int, latents: int) -> None:
        super().__init__()
        self.channels, self.latents = channels, latents
        self.encoder = Encoder(channels, latents)
        self.a = nn.Parameter(torch.ones(latents))
        self.b = nn.Parameter(-torch.ones(latents))
        self.c = nn.Parameter(torch.zeros(latents))
        self.m = nn.Parameter(torch.zeros(()))

    def encode(self, images: Tensor) -> Tensor:
        """Latents ``[n, latents]``."""
        return self.encoder(images)

    def score(self, now: Tensor, before: Tensor) -> Tensor:
        """The logit that ``before`` came before ``now``, ``[n]``."""
        now, before = now.float(), before.float()
        return now.square().sum(1) - (self.a * now + self.b * before + self.c).abs().sum(1) + self.m

    def forward(self, images: Tensor) -> Tensor:
        return self.encode(images)


ENCODERS: Mapping[str, Callable[[int, int], Autoencoder | Contrastive]] = {"vae": Autoencoder, "pcl": Contrastive}


def build_encoder(
    name: str, *, channels: int, input_size: tuple[int, int] = (SIDE, SIDE), latents: int = LATENTS, seed: int
) -> Autoencoder | Contrastive:
    """An encoder of :data:`ENCODERS` with first weights that depend on ``seed`` alone."""
    if name not in ENCODERS:
        raise unknown("encoder", name, ENCODERS)
    if tuple(input_size) != (SIDE, SIDE):
        raise UnseenError(f"encoders are made for images of {SIDE}×{SIDE}; {input_size[0]}×{input_size[1]} were given.")
    if channels < 1 or latents < 1:
        raise UnseenError(f"channels = {channels}, latents = {latents}; both are whole numbers of at least one.")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed_of(seed, "encoder"))
        return ENCODERS[name](channels, latents)


def describe_encoders() -> list[dict[str, Any]]:
    """One line per encoder, for ``unseen models``; they are small, so they are built to be counted."""
    built = {name: build_encoder(name, channels=3, seed=0) for name in ENCODERS}
    return [
        {
            "name": name,
            "parameters": round(sum(parameter.numel() for parameter in one.parameters()) / 1e6, 2),
            "side": SIDE,
            "latents": LATENTS,
            "note": SOURCE,
        }
        for name, one in built.items()
    ]
