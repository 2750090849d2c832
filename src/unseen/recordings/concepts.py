"""What a concept bottleneck says of the class where it is told the truth about some concepts (Koh et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unseen.recordings.responses import Images, autocast, batches
from unseen.vocabulary.errors import UnseenError, unknown

Given = Mapping[str, np.ndarray]  # by concept: for each row whether it is told


@torch.inference_mode()
def intervene(
    network: nn.Module,
    fetch: Images,
    rows: np.ndarray,
    truth: Mapping[str, np.ndarray],
    told: Sequence[Given],
    *,
    device: torch.device,
    precision: str = "float32",
    size: int = 1024,
) -> list[np.ndarray]:
    """Most probable classes of every row, for each of ``told``: which concepts of which rows are set to ``truth`` (the
    number of the true level). Nothing told is what the network answers by itself; images pass through it once."""
    network.eval()
    inside: Any = getattr(network, "network", network)
    check_intervention(inside, truth, told)
    found = [np.zeros(len(rows), dtype=np.int64) for _ in told]
    for places, images in batches(fetch, rows, device, size):
        with autocast(device, precision):
            outputs = network(images)
        own = {name: outputs[name].float().softmax(1) for name in inside.concepts}
        for answers, given in zip(found, told):
            with autocast(device, precision):
                logits = inside.from_concepts(_with_truth(own, truth, given, places))
            answers[places] = logits.float().argmax(1).cpu().numpy()
    return found


def check_intervention(network: object, truth: Mapping[str, np.ndarray], told: Sequence[Given]) -> None:
    """There are concepts, and what is told is of them."""
    concepts: tuple[str, ...] = getattr(network, "concepts", ())
    if not concepts:
        raise UnseenError(
            "this network has no concepts that could be set: make it with sharing = 'concepts', which reads the first "
            "target from the others."
        )
    for name in {*truth, *(name for given in told for name in given)}:
        if name not in concepts:
            raise unknown("concept", name, concepts, where="what this network reads its class from")


def _with_truth(
    own: Mapping[str, Tensor], truth: Mapping[str, np.ndarray], given: Given, places: np.ndarray
) -> dict[str, Tensor]:
    made = dict(own)
    for name, rows in given.items():
        shares = own[name]
        sure = nn.functional.one_hot(torch.from_numpy(np.asarray(truth[name])[places]).long(), shares.shape[1])
        here = torch.from_numpy(np.asarray(rows, dtype=bool)[places]).to(shares.device)
        made[name] = torch.where(here[:, None], sure.to(shares), shares)
    return made
