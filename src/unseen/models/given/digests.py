"""What a given model counts by: its weights and its code, by content."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
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


def of_function(function: Any) -> str:
    """Of a function's source and of the plain values and functions it uses. Nothing where it uses anything else, such
    as a network: of two networks behind one source the answers of the first must not be taken for the second's."""
    parts: list[str] = []
    if not _told(function, parts, set()):
        return ""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=SIZE).hexdigest()


def _told(function: Any, parts: list[str], seen: set[int]) -> bool:
    """Whether all that a function does is told by text, which is added to ``parts``."""
    if id(function) in seen:
        return True
    seen.add(id(function))
    if not isinstance(function, FunctionType) or (source := source_of(function)) is None:
        return False
    parts.append(source)
    try:
        used = inspect.getclosurevars(function)
    except (TypeError, ValueError):  # a cell that is still empty
        return False
    held = {**used.nonlocals, **used.globals}
    held |= {f"default {place}": value for place, value in enumerate(function.__defaults__ or ())}
    held |= {f"default {name}": value for name, value in (function.__kwdefaults__ or {}).items()}
    for name, value in sorted(held.items()):
        if isinstance(value, ModuleType | BuiltinFunctionType) or value is None:
            parts.append(f"{name} {getattr(value, '__name__', value)}")
        elif isinstance(value, bool | int | float | complex | str | bytes):
            parts.append(f"{name} {value!r}")
        elif not _told(value, parts, seen):
            return False
    return True
