"""Files of weights as their makers left them: which tensors are the network's, and what those are called in timm.

Official repositories wrap their tensors (a dictionary under "model", "state_dict", "teacher"), put the encoder under a
prefix ("module.", "backbone.", "encoder."), and add what only training needed (decoders, projection heads). What is
left out is named; what the network lacks is an error, as everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from unseen.models.weights import fit, opened
from unseen.vocabulary.errors import UnseenError, listed

WRAPPINGS = ("state_dict", "model", "model_state_dict", "network", "state_dict_ema", "model_ema")
PARTS = ("student", "teacher")  # of self-distillation: two networks in one file


@dataclass(frozen=True)
class Layout:
    """How one maker's files are laid out. ``part`` is which of several networks in a file is meant, ``left`` the
    beginnings of names that the encoder does without."""

    part: str = ""
    left: tuple[str, ...] = ()


def tensors_in(path: str, part: str = "") -> dict[str, Tensor]:
    """The tensors of a file, whatever they are wrapped in; ``part`` names one of several networks in it."""
    found: Any = opened(path)
    if isinstance(found, Mapping):
        several = [key for key in PARTS if isinstance(found.get(key), Mapping)]
        if part and part in found:
            found = found[part]
        elif several and not any(isinstance(found.get(key), Mapping) for key in WRAPPINGS):
            if not part and len(several) > 1:
                raise UnseenError(
                    f"checkpoint '{path}' holds several networks ({listed(several)}); say which: part = "
                    f'"{several[-1]}".'
                )
            found = found[several[0]] if len(several) == 1 and not part else found.get(part)
        for key in WRAPPINGS:
            if isinstance(found, Mapping) and isinstance(found.get(key), Mapping):
                found = found[key]
    tensors = {str(k): v for k, v in found.items() if isinstance(v, Tensor)} if isinstance(found, Mapping) else {}
    if not tensors:
        kinds = listed(f"{key}: {type(value).__name__}" for key, value in found.items()) if isinstance(
            found, Mapping
        ) else type(found).__name__  # fmt: skip
        raise UnseenError(f"checkpoint '{path}' is not a state_dict (names → tensors); it holds {kinds}.")
    return tensors


def without_prefix(tensors: Mapping[str, Tensor], own: Collection[str]) -> dict[str, Tensor]:
    """The tensors below the prefix under which most of a network's own names are found; all, where there is none."""
    prefix = prefix_of(tensors, own)
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def prefix_of(tensors: Collection[str], own: Collection[str]) -> str:
    """The shortest beginning ("module.backbone.") below which most of a network's own names are found."""
    names = set(own)
    prefixes = {""}
    for name in tensors:
        parts = name.split(".")
        prefixes |= {".".join(parts[: k + 1]) + "." for k in range(min(len(parts) - 1, 3))}

    def fitting(prefix: str) -> int:
        return sum(name.removeprefix(prefix) in names for name in tensors if name.startswith(prefix))

    return max(sorted(prefixes, key=lambda one: (len(one), one)), key=fitting)


def load_layout(module: nn.Module, path: str, layout: Layout, *, heads: Collection[str] = ()) -> list[str]:
    """Put a file's tensors into a network, strictly; gives notes on what was left out."""
    every = tensors_in(path, layout.part)
    prefix = prefix_of(every, module.state_dict())
    left = layout.left or ("\0",)
    kept, dropped = {}, set()
    for name, value in every.items():
        own = name.removeprefix(prefix)
        if name.startswith(prefix) and not own.startswith(left):
            kept[own] = value
        else:
            dropped.add(own.partition(".")[0])
    notes = fit(module, kept, path, heads=heads)
    if dropped:
        notes.append(f"left out of the file, since only training needs it: {listed(sorted(dropped), 6)}")
    return notes
