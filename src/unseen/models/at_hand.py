"""Whether the weights that ``pretrained`` asks for can be had, told before anything is trained.

timm takes them from the Hugging Face hub, or from an address, and keeps them in a folder of this machine. What lies
there is at hand; of what does not, the hub is asked whether it has it, and nothing is fetched yet.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError

PATIENCE = 10.0  # seconds until a hub that does not answer counts as out of reach
SAFE, PLAIN = "model.safetensors", "pytorch_model.bin"  # what timm asks a hub for, in this order


def weights_at_hand(architecture: str) -> bool:
    """True where timm's weights lie on this machine, False where they can be fetched; an error where neither holds."""
    import timm

    config: Any = timm.get_pretrained_cfg(architecture)
    if config is None or not (config.hf_hub_id or config.url or config.file):
        raise UnseenError(
            f"timm has no weights for '{architecture}'; set pretrained = false, or give a file as network.checkpoint."
        )
    if config.file:
        return Path(config.file).is_file()
    return _on_hub(architecture, config) if config.hf_hub_id else _at_address(architecture, config.url)


def _on_hub(architecture: str, config: Any) -> bool:
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url, try_to_load_from_cache

    where, _, revision = str(config.hf_hub_id).partition("@")
    names = (config.hf_hub_filename,) if config.hf_hub_filename else (SAFE, PLAIN)
    if any(isinstance(try_to_load_from_cache(where, name, revision=revision or None), str) for name in names):
        return True
    why = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else ""
    for name in () if why else names:
        try:
            get_hf_file_metadata(hf_hub_url(where, name, revision=revision or None), timeout=PATIENCE)
            return False
        except Exception as error:  # of many kinds, by what fails on the way
            why = f"{type(error).__name__}: {str(error).strip().partition(os.linesep)[0]}"
    raise _absent(architecture, f"'{where}' of the Hugging Face hub", constants.HF_HUB_CACHE, why)


def _at_address(architecture: str, url: str) -> bool:
    import urllib.request

    from torch.hub import get_dir

    folder = Path(get_dir()) / "checkpoints"
    if (folder / url.rpartition("/")[2]).is_file():
        return True
    try:
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=PATIENCE):
            return False
    except (OSError, ValueError) as error:
        raise _absent(architecture, url, str(folder), str(error)) from error


def _absent(architecture: str, what: str, folder: str, why: str) -> UnseenError:
    return UnseenError(
        f"pretrained = true: the weights of '{architecture}' ({what}) are not in {folder}, and cannot be fetched from "
        f"here ({why}). Build the network once where they can be and copy that folder here; or download the file and "
        "give its path as network.checkpoint; or set pretrained = false to train from scratch."
    )
