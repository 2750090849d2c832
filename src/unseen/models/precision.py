"""Where half precision would be too coarse."""

from __future__ import annotations

import contextlib

import torch
from torch import Tensor
from torch.amp.autocast_mode import is_autocast_available


def in_full(tensor: Tensor) -> contextlib.AbstractContextManager:
    """Compute in single precision inside autocast, on the tensor's device."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if is_autocast_available(kind) else contextlib.nullcontext()
