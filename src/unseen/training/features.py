"""Networks that keep their weights see every picture once: what they make of it is computed before, and held in its
place. What learns from it (heads, a readout) sees no pictures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from unseen.training.learner import Learner
from unseen.training.visits import LabelledData, placed

CHUNKS = {"cpu": 64}  # pictures at a time: on a CPU, as many as its caches bear
CHUNK = 1024  # elsewhere


def encoded(
    source: LabelledData,
    encode: Callable[[Tensor], Tensor],
    device: torch.device,
    *,
    precision: str = "float32",
    chunk: int | None = None,
) -> LabelledData:
    """The same visits and labels, with what ``encode`` makes of pictures in their place, as float32 on the device.
    Pictures are taken as a test shows them, and each once, however often it is visited."""
    opens, slots = placed(source.rows)
    held: Tensor | None = None
    chunk = chunk or CHUNKS.get(device.type, CHUNK)
    bf16 = torch.autocast(device.type, torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()
    with torch.no_grad(), bf16:
        for start in range(0, len(opens), chunk):
            images = source.tested(opens[start : start + chunk], str(device)).to(device)
            made = encode(images).float()
            held = made.new_empty((len(opens), *made.shape[1:])) if held is None else held
            held[start : start + len(made)] = made
    repeated = torch.from_numpy(slots).to(device) if len(opens) < len(source) else None
    return replace(source, held=held, slots=repeated, fresh=None)


class HeadsLearner(Learner):
    """Learns the heads of a network ``whole``, which share their weights with it, on its features. ``spent``: seconds
    that computing them took."""

    def __init__(self, heads: nn.Module, whole: nn.Module, *given: Any, spent: float = 0.0, **where: Any) -> None:
        super().__init__(heads, *given, **where)
        self.whole, self.spent = whole, spent

    def finish(self) -> nn.Module:
        """The whole network, with the heads that were chosen."""
        super().finish()
        return self.whole.eval()
