"""Networks whose activity is known without asking them."""

import numpy as np
import torch
from torch import nn

CPU = torch.device("cpu")


class Layered(nn.Module):
    """Maps [n, c, h, w], tokens [n, t, c] and pooled features [n, c], each a named layer."""

    targets = ("category", "view")
    layers = ("maps", "tokens", "pooled")

    def __init__(self, seed=0):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.maps = nn.Conv2d(1, 5, 3, padding=1)
            self.tokens = nn.Linear(5, 7)
            self.pooled = nn.Linear(7, 6)
            self.heads = nn.ModuleList([nn.Linear(6, 4), nn.Linear(6, 3)])

    def layer(self, name):
        return getattr(self, name)

    def channel_axis(self, layer):
        return -1 if layer == "tokens" else 1

    def forward(self, images):
        maps = self.maps(images.float() / 255)
        pooled = self.pooled(self.tokens(maps.relu().flatten(2).mT).relu().mean(1))
        return {target: head(pooled) for target, head in zip(self.targets, self.heads)}


def noise(n, side=8, seed=0):
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.integers(0, 256, (n, 1, side, side), dtype=np.uint8))


def fetching(images):
    return lambda rows, device: images[torch.from_numpy(rows)].to(device)
