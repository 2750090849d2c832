"""The latents of an encoder, kept beside the answers of its readout."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.recordings.latents import latents_of
from unseen.studies.protocol_table import protocol_of
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.seeds import stream

MOST_LATENTS = 10_000  # rows whose latents are kept (ours)


def latents_recorded(study: Study, trial: Trial, network: Any, device: torch.device) -> dict[str, np.ndarray]:
    """Mean latents ``codes`` [n, latents] of training rows drawn by chance, and the ``levels`` [n, targets] they show;
    nothing for a protocol without latents. In the order of the draw, so that the first k are a fair draw too."""
    if not protocol_of(trial.recipe).latents:
        return {}
    samples, names = study.world(trial).samples, [target.factor for target in study.targets(trial)]
    rows = study.split(trial).rows(samples, "train")
    rows = stream(trial.seed, "recordings", "latents").permutation(rows)[:MOST_LATENTS]
    encoder = network.layer("latents")

    def encode(images: Tensor) -> Tensor:
        return encoder(network.prepare(images))

    codes = latents_of(encode, study.world(trial).images, rows, device=device)
    return {"codes": codes, "levels": np.ascontiguousarray(samples.cells(rows, names), np.int32)}
