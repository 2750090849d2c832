"""The latents of a trained encoder, kept raw: what is in them is measured later, without the encoder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor

from unseen.recordings.responses import Images, batches


@torch.inference_mode()
def latents_of(
    encode: Callable[[Tensor], Tensor], fetch: Images, rows: np.ndarray, *, device: torch.device, size: int = 1024
) -> Float32[np.ndarray, "n latents"]:
    """What ``encode`` makes of the pictures of ``rows``, in full precision: a readout learned from such latents too."""
    parts = [encode(images).float().cpu().numpy() for _, images in batches(fetch, rows, device, size)]
    return np.concatenate(parts).astype(np.float32)
