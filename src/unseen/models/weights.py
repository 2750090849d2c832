"""Checkpoints: files of named tensors, fitted to a network strictly, with errors that say what does not fit.

A weight that is silently left at random would turn every number of a study into nonsense, so nothing is skipped but the
classifier a checkpoint was trained with (a study brings its own heads), and that is noted.
"""

from __future__ import annotations

import argparse
import pickle
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unseen.vocabulary.errors import UnseenError, listed

_WRAPPINGS = ("state_dict", "model", "model_state_dict", "network")
KERNELS = {7: "standard", 5: "medium", 3: "small"}  # a side of the first kernel, of the ResNets and DenseNets
_PREFIXES = ("module.", "_orig_mod.")  # left by data-parallel training and by torch.compile


def opened(path: str) -> Any:
    """What a safetensors file or a torch file holds, on the CPU. No code in it is run: beside tensors and plain values,
    ``argparse.Namespace`` (in the files of many official repositories) is the only class allowed, and holds no code."""
    file = Path(path).expanduser()
    if not file.is_file():
        beside = [p.name for p in file.parent.iterdir() if p.is_file()] if file.parent.is_dir() else None
        where = (
            f"the folder '{file.parent}' does not exist" if beside is None else f"beside it: {listed(sorted(beside))}"
        )
        raise UnseenError(f"no checkpoint '{path}'; {where}.")
    if file.suffix.lower() in (".onnx", ".pt2"):
        raise UnseenError(
            f"checkpoint '{path}' is a model with its weights: give it as the model itself, not as weights."
        )
    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(file)
        with torch.serialization.safe_globals([argparse.Namespace]):
            return torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        named = re.search(r"GLOBAL ([\w.]+)", str(error))
        raise UnseenError(
            f"checkpoint '{path}' holds more than tensors ({named.group(1) if named else 'a whole pickled module?'}), "
            "and opening it could run code. Load it where you trust it and save module.state_dict() instead; of a file "
            "from elsewhere: torch.save({'state_dict': torch.load(FILE, weights_only=False)['state_dict']}, NEW), with "
            "the key its tensors are under."
        ) from error
    except Exception as error:
        raise UnseenError(
            f"checkpoint '{path}' could not be read ({type(error).__name__}: {error}); possible: a .safetensors file, "
            "or what torch.save(module.state_dict(), path) writes. Is the file complete?"
        ) from error


def read(path: str) -> dict[str, Tensor]:
    """The tensors of a safetensors file or of a torch file that holds a state_dict; no code in the file is run."""
    found = opened(path)
    for key in _WRAPPINGS:
        if isinstance(found, Mapping) and isinstance(found.get(key), Mapping):
            found = found[key]
    if not isinstance(found, Mapping) or not all(isinstance(value, Tensor) for value in found.values()):
        kinds = (
            {str(k): type(v).__name__ for k, v in found.items()} if isinstance(found, Mapping) else type(found).__name__
        )
        raise UnseenError(f"checkpoint '{path}' is not a state_dict (names → tensors); it holds {kinds}.")
    tensors = {str(name): value for name, value in found.items()}
    for prefix in _PREFIXES:
        if tensors and all(name.startswith(prefix) for name in tensors):
            tensors = {name.removeprefix(prefix): value for name, value in tensors.items()}
    return tensors


def fit(module: nn.Module, tensors: Mapping[str, Tensor], path: str, *, heads: Collection[str] = ()) -> list[str]:
    """Load ``tensors`` into ``module`` in place; give notes on what was left out.

    ``heads`` names modules that may be missing on either side or have another number of classes: timm's classifier, our
    own heads, and, if it is a Linear, the last layer of a user's network.
    """
    own = module.state_dict()

    def of_head(name: str) -> bool:
        return any(name.startswith(f"{head}.") for head in heads)

    wrong = [name for name, value in tensors.items() if name in own and own[name].shape != value.shape]
    left = [n for n in tensors if of_head(n) and (n not in own or n in wrong)]
    fresh = [n for n in own if of_head(n) and (n not in tensors or n in wrong)]
    wrong = [name for name in wrong if name not in left]
    missing = [name for name in own if name not in tensors and name not in fresh]
    extra = [name for name in tensors if name not in own and name not in left]
    if wrong or missing or extra:
        said = []
        if missing:
            said.append(f"{len(missing)} missing in the file ({listed(missing, 5)})")
        if extra:
            said.append(f"{len(extra)} unknown to the network ({listed(extra, 5)})")
        if wrong:
            pairs = [f"{n}: file {list(tensors[n].shape)}, network {list(own[n].shape)}" for n in wrong]
            said.append(f"{len(wrong)} of another shape ({listed(pairs, 5)})")
        raise UnseenError(
            f"checkpoint '{path}' does not fit: {'; '.join(said)}; "
            f"{len(own) - len(missing) - len(wrong)} of {len(own)} fit. {_likely(missing, extra, wrong, own, tensors)}"
        )
    module.load_state_dict({**own, **{name: value for name, value in tensors.items() if name not in left}})
    notes = []
    if left:
        notes.append(f"left out of the checkpoint: {listed(left, 5)} (a head with other classes, or an unused one)")
    if fresh:
        notes.append(f"not taken from the checkpoint, freshly initialised: {listed(fresh, 5)}")
    return notes


def last_linear(module: nn.Module) -> tuple[str, ...]:
    """The name of the last layer, if it is a Linear: the likely classifier of a user's own network."""
    leaves = [(name, m) for name, m in module.named_modules() if next(m.parameters(recurse=False), None) is not None]
    return (leaves[-1][0],) if leaves and isinstance(leaves[-1][1], nn.Linear) else ()


def _likely(
    missing: list[str], extra: list[str], wrong: list[str], own: Mapping[str, Tensor], tensors: Mapping[str, Tensor]
) -> str:
    """The likely fix, from the ways in which checkpoints usually fail to fit."""
    for name in extra:
        for known in missing:
            if name.endswith(f".{known}") or known.endswith(f".{name}"):
                return (
                    f"The names seem to differ by a prefix only ('{name}' for '{known}'): rename the keys in the file."
                )
    if any("pos_embed" in name or "position" in name for name in wrong):
        return "The file was made for images of another size: leave 'input_size' at that size and resize the images."
    stem = [n for n in wrong if own[n].ndim == 4 and own[n].shape[:2] == tensors[n].shape[:2]]
    if stem and len(wrong) == len(stem):  # one of each branch
        side = tensors[stem[0]].shape[-1]
        made = KERNELS.get(side)
        return f"Only the kernel of '{stem[0]}' differs: the file's is {side}×{side}" + (
            f', that of the {made} stem; set stem = "{made}".' if made else ", that of no stem here."
        )
    channels = [n for n in wrong if own[n].ndim == 4 and own[n].shape[1] != tensors[n].shape[1]]
    if len(wrong) == 1 and channels:
        return f"Only the input channels of '{channels[0]}' differ: set 'channels' to {tensors[channels[0]].shape[1]}?"
    if wrong and not missing and not extra:
        return "The same layout in another width: name the backbone the file was made with."
    return "Name the backbone, sharing and stem the file was made with."
