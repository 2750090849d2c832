"""Batches as people write them: a ``DataLoader`` with workers, begun anew when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import torch


def endless(
    data: torch.utils.data.Dataset, batch: int, workers: int, device: torch.device
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    loader = torch.utils.data.DataLoader(
        data, batch, shuffle=True, drop_last=True, num_workers=workers, pin_memory=device.type == "cuda",
        persistent_workers=workers > 0, prefetch_factor=4 if workers else None,
    )  # fmt: skip
    while True:
        yield from loader
