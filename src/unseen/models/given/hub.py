"""Published weights: whether they lie on this machine, and fetching them once somebody said so.

They are kept where the libraries keep them (the Hugging Face cache, torch's hub folder), so that what was fetched by
these serves here, and the other way round. ``HF_HUB_OFFLINE`` is obeyed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sizes import size_text

SAFE, PLAIN = "model.safetensors", "pytorch_model.bin"
NAMES = (SAFE, PLAIN)


@dataclass(frozen=True)
class Published:
    """A file of weights that somebody published: of a repository on the hub, or at an address."""

    what: str
    repository: str = ""
    names: tuple[str, ...] = NAMES
    revision: str | None = None
    url: str = ""
    licence: str = ""
    size: int | None = None

    @property
    def place(self) -> str:
        return f"'{self.repository}' of the Hugging Face hub" if self.repository else self.url

    @property
    def folder(self) -> str:
        """Where it is looked for, and would be kept."""
        if self.repository:
            from huggingface_hub import constants

            return constants.HF_HUB_CACHE
        from torch.hub import get_dir

        return str(Path(get_dir()) / "checkpoints")


def at_hand(one: Published) -> Path | None:
    """Its file on this machine, if it is there."""
    if not one.repository:
        file = Path(one.folder) / one.url.rpartition("/")[2]
        return file if one.url and file.is_file() else None
    from huggingface_hub import try_to_load_from_cache

    for name in one.names:
        found = try_to_load_from_cache(one.repository, name, revision=one.revision)
        if isinstance(found, str):
            return Path(found)
    return None


def obtained(one: Published, *, download: bool, instead: str = "give the file as checkpoint") -> Path:
    """Its file; fetched if it is not there and ``download`` says so."""
    found = at_hand(one)
    if found is not None:
        return found
    size = f", about {size_text(one.size)}" if one.size else ""
    licence = f", licence {one.licence}" if one.licence else ""
    missing = (
        f"the weights of '{one.what}' ({one.place}{size}{licence}) are not on this machine (looked in {one.folder})"
    )
    if not download:
        raise UnseenError(
            f"{missing}. Nothing is fetched unasked: say download = true (--download), or get the file elsewhere and "
            f"{instead}, or copy that folder from a machine that has them."
        )
    try:
        return _from_hub(one) if one.repository else _from_address(one)
    except UnseenError:
        raise
    except Exception as error:  # of many kinds, by what fails on the way
        why = f"{type(error).__name__}: {str(error).strip().partition(os.linesep)[0]}"
        raise UnseenError(
            f"{missing}, and could not be fetched ({why}). Is there a network here? Otherwise get the file where "
            f"there is one and {instead}."
        ) from error


def _from_hub(one: Published) -> Path:
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    if constants.HF_HUB_OFFLINE:
        raise UnseenError(
            f"the weights of '{one.what}' ({one.place}) are not on this machine (looked in {one.folder}), and "
            "HF_HUB_OFFLINE is set, so that nothing is fetched: unset it, or give the file as checkpoint."
        )
    for name in one.names:
        try:
            return Path(hf_hub_download(one.repository, name, revision=one.revision))
        except LocalEntryNotFoundError:  # an EntryNotFoundError, too: the hub was not reached
            raise
        except EntryNotFoundError:
            continue
    raise UnseenError(f"{one.place} has none of {', '.join(one.names)}; give the file of '{one.what}' as checkpoint.")


def _from_address(one: Published) -> Path:
    from torch.hub import download_url_to_file

    name = one.url.rpartition("/")[2]
    hashed = re.search(r"-([a-f0-9]{8,})\.", name)  # as torch and timm name their files: the beginning of the SHA-256
    folder = Path(one.folder)
    folder.mkdir(parents=True, exist_ok=True)
    download_url_to_file(one.url, str(folder / name), hash_prefix=hashed.group(1) if hashed else None, progress=False)
    return folder / name


def facts_of(file: Path, one: Published | None = None) -> dict[str, object]:
    """What is told of a file of weights."""
    from unseen.models.given.digests import sha256

    return {
        "files": [{"name": file.name, "sha256": sha256(file), "bytes": file.stat().st_size}],
        **({"from": one.repository or one.url} if one else {}),
        **({"licence": one.licence} if one and one.licence else {}),
    }


def bytes_in(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)
