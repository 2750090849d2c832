"""A readout: factors regressed from the latents of an encoder that no longer learns.

Schott et al. 2022 (released code): five Linear layers of 256 with ReLU, then a Linear layer to the factors, which is
our heads, one per target. Training it needs the latents only, which are computed once; the encoder is put before it
afterwards, so that what is asked of it is an image, as of any other network.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from unseen.models.encoders import LATENTS, SOURCE, build_encoder
from unseen.models.network import Network
from unseen.models.perceptrons import hidden
from unseen.models.staged_backbones import StagedBackbone
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of

WIDTHS = (256,) * 5


class Latents(nn.Module):
    """A frozen encoder: images → mean latents. It keeps its weights and never trains, whatever is around it."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.eval()

    def train(self, mode: bool = True) -> Latents:
        del mode
        return super().train(False)

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return self.encoder(images).float()


def build_readout(outputs: Mapping[str, int], *, latents: int, seed: int) -> Network:
    """A network from latents ``[n, latents]`` to targets; its first weights depend on ``seed`` alone."""
    if not outputs or latents < 1:
        raise UnseenError(f"a readout needs targets and latents; given: {dict(outputs)} and {latents}.")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed_of(seed, "readout"))
        network = Network([_backbone(hidden(latents, WIDTHS, "readout"))], outputs, shared=len(WIDTHS))
        for target, head in zip(outputs, network.heads, strict=True):
            torch.default_generator.manual_seed(seed_of(seed, "readout", "head", target))
            head.reset_parameters()  # pyright: ignore[reportCallIssue]
    network.description = {"backbone": "readout", "latents": latents, **network.description}
    return network


def with_encoder(encoder: nn.Module, readout: Network) -> Network:
    """The readout behind the encoder it was trained on: a network from images to targets that shares its weights.

    Its layers are ``latents`` and those of the readout. The encoder is frozen, here and where else it is used.
    """
    stages = OrderedDict(latents=Latents(encoder), **dict(readout.trunk.named_children()))
    outputs: dict[str, int] = readout.description["outputs"]
    network = Network([_backbone(stages)], outputs, shared=len(stages))
    network.heads = readout.heads
    network.description = {**readout.description, **network.description, "encoder": type(encoder).__name__}
    return network


def encoder_layers(name: str) -> tuple[str, ...]:
    """The layers that an encoder and its readout have together."""
    readout = build_readout({"target": 1}, latents=LATENTS, seed=0)
    return with_encoder(build_encoder(name, channels=3, seed=0), readout).layers


def _backbone(stages: Mapping[str, nn.Module]) -> StagedBackbone:
    backbone = StagedBackbone(dict(stages), {stage: stage for stage in stages}, WIDTHS[-1], SOURCE)
    backbone.axes = dict.fromkeys(stages, 1)
    return backbone
