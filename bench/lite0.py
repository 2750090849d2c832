"""EfficientNet-Lite0 as the yardsticks use it: its features with and without what it learned, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from unseen.models.efficientnet_lite import efficientnet_lite0, weights_file
from unseen.models.inputs import Preprocessed
from unseen.models.weights import read
from unseen.vocabulary.seeds import seed_of
from unseen.vocabulary.world import World

FEATURES, CLASSES = 1280, 1000


def pretrained(side: int, device: str) -> nn.Module:
    """Pictures → ``[n, 1280]``, pooled, of the network with its ImageNet weights."""
    return _features(efficientnet_lite0(3, (side, side), pretrained=True), device)


def untrained(side: int, device: str, seed: int = 0) -> nn.Module:
    """The same network from timm's own start: normal weights scaled by fan-out, and batch norm as it is built, which
    does nothing (mean 0, variance 1).

    That is the random network that says most of pictures. With the statistics of its batch norm taken from pictures it
    is chaotic, as deep random networks with batch norm are (Yang et al. 2019): objects of a class come out hardly more
    alike than any others, and a probe on 38 classes × 12 objects knew .15 of them instead of .81
    (docs/guide/yardsticks.md).
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed_of(seed, "untrained"))
        return _features(efficientnet_lite0(3, (side, side)), device)


def classifier(device: str) -> nn.Linear:
    """Features → scores of the 1,000 classes, as the network learned them."""
    theirs = read(str(weights_file()))
    layer = nn.Linear(FEATURES, CLASSES)
    layer.load_state_dict({"weight": theirs["_fc.weight"], "bias": theirs["_fc.bias"]})
    return layer.to(device).eval()


class Features(nn.Module):
    """Pictures as a world gives them → pooled features."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.whole = Preprocessed(network, normalise="lite")

    def forward(self, pictures: Tensor) -> Tensor:
        return self.whole.network(self.whole.prepare(pictures))


def _features(network: nn.Module, device: str) -> Features:
    seen = Features(network).to(device).eval()
    return cast(Features, seen.to(memory_format=torch.channels_last))


def drawn(world: World, rows: np.ndarray, batch: int, device: str) -> Iterator[Tensor]:
    """Pictures of rows on the device, a batch at a time."""
    for start in range(0, len(rows), batch):
        yield world.images(rows[start : start + batch], device).to(device)


@torch.inference_mode()
def seen_by(
    networks: Sequence[Callable[[Tensor], Tensor]], world: World, rows: np.ndarray, *, batch: int, device: str
) -> list[Tensor]:
    """What each network makes of the rows' pictures, which are drawn once for all of them and never leave the
    device."""
    parts: list[list[Tensor]] = [[] for _ in networks]
    for pictures in drawn(world, rows, batch, device):
        for network, part in zip(networks, parts):
            part.append(network(pictures).float())
    return [torch.cat(part) for part in parts]
