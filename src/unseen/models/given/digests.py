"""What a given model counts by: its weights and its code, by content."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

SIZE = 16  # bytes


def of_tensors(tensors: Mapping[str, Tensor], *words: object) -> str:
    """Of named tensors, by name, type, shape and content, and of ``words`` that say what they are of."""
    found = hashlib.blake2b(repr(words).encode(), digest_size=SIZE)
    for name in sorted(tensors):
        value = tensors[name].detach().cpu().contiguous()
        found.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        if value.numel():
            found.update(value.reshape(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()


def of_module(module: nn.Module, *words: object) -> str:
    """Of all a network holds. Buffers it does not save are in its code."""
    return of_tensors({k: v for k, v in module.state_dict().items() if isinstance(v, Tensor)}, *words)


def of_files(files: Iterable[Path], *words: object) -> str:
    found = hashlib.blake2b(repr(words).encode(), digest_size=SIZE)
    for file in files:
        with file.open("rb") as handle:
            found.update(hashlib.file_digest(handle, "sha256").digest())
    return found.hexdigest()


def sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def source_of(code: Any) -> str | None:
    """The source of a function or class, where it can be had."""
    try:
        return inspect.getsource(code)
    except (TypeError, OSError):
        return None
