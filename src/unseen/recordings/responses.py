"""A network's answers to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from unseen.vocabulary.errors import unknown

Images = Callable[[np.ndarray, str], Tensor]  # rows, device -> pictures


def batches(fetch: Images, rows: np.ndarray, device: torch.device, size: int) -> Iterator[tuple[np.ndarray, Tensor]]:
    """Places in ``rows`` and their pictures on the device, a bounded number at a time."""
    for start in range(0, len(rows), size):
        places = np.arange(start, min(start + size, len(rows)))
        yield places, fetch(rows[places], str(device)).to(device)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """The precision a network was trained in is the one it is asked in."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def answered(
    outputs: Mapping[str, Tensor], targets: Sequence[str], numbers: bool = False
) -> dict[str, tuple[Tensor, Tensor | None]]:
    """Of each target the most probable class and its softmax probability, or the one number, still on the device."""
    for target in targets:
        if target not in outputs:
            raise unknown("target", target, outputs, where="what this network answers")
    if numbers:
        return {target: (outputs[target].float().squeeze(1), None) for target in targets}
    best = {target: outputs[target].float().softmax(1).max(1) for target in targets}
    return {target: (response, confidence) for target, (confidence, response) in best.items()}


@torch.inference_mode()
def respond(
    network: nn.Module,
    targets: Sequence[str],
    fetch: Images,
    rows: np.ndarray,
    *,
    device: torch.device,
    precision: str = "float32",
    size: int = 1024,
    numbers: bool = False,
) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """For each target the most probable class of every row, and its softmax probability; or, where ``numbers`` are
    asked, the network's one output, and no probability."""
    network.eval()
    if numbers:
        return _numbers(network, targets, fetch, rows, device, precision, size)
    responses = {target: np.zeros(len(rows), dtype=np.int64) for target in targets}
    confidences = {target: np.zeros(len(rows), dtype=np.float32) for target in targets}
    for places, images in batches(fetch, rows, device, size):
        with autocast(device, precision):
            outputs = network(images)
        for target, (response, confidence) in answered(outputs, targets).items():
            assert confidence is not None
            responses[target][places] = response.cpu().numpy()
            confidences[target][places] = confidence.cpu().numpy()
    return {target: (responses[target], confidences[target]) for target in targets}


def _numbers(
    network: nn.Module,
    targets: Sequence[str],
    fetch: Images,
    rows: np.ndarray,
    device: torch.device,
    precision: str,
    size: int,
) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    found = {target: np.zeros(len(rows), dtype=np.float32) for target in targets}
    for places, images in batches(fetch, rows, device, size):
        with autocast(device, precision):
            outputs = network(images)
        for target, (values, _) in answered(outputs, targets, numbers=True).items():
            found[target][places] = values.cpu().numpy()
    return {target: (values, None) for target, values in found.items()}
