"""Networks with random weights, which a seed gives again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


def at_random(seed: int, known: dict[str, Any], make: Callable[[], nn.Module]) -> nn.Module:
    """What ``make`` makes with weights drawn from ``seed``; ``known`` is told so. No other random stream moves."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = make()
    known["weights"] = f"random, seed {seed}"
    return net
