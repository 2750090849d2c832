"""Maps that were drawn, kept by what decides them: the network, the method with its settings, what is asked; and inside
by picture. Another picture more costs that one alone; a kill costs the pictures of a few seconds."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from unseen.studies.store import disk_error
from unseen.studies.tables import digest
from unseen.vocabulary.whole_files import put_whole

VERSION = 1  # raise it when a method gives other maps than it gave
FOLDER, ABOUT, PART = "maps", "about.json", "part-*.safetensors"


def picture_key(picture: np.ndarray) -> str:
    """A picture by what it shows: sixteen hexadecimal digits."""
    said = f"{picture.dtype} {picture.shape}".encode()
    return hashlib.blake2b(said + np.ascontiguousarray(picture).tobytes(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class KeptMaps:
    """What one method says of one network, under ``home/maps/<identity>``. ``description`` is plain data."""

    home: Path
    description: Mapping[str, Any]

    @cached_property
    def identity(self) -> str:
        return digest(json.dumps({**self.description, "version": VERSION}, sort_keys=True, default=str))

    @property
    def folder(self) -> Path:
        return self.home / FOLDER / self.identity

    def places(self) -> dict[str, tuple[Path, int]]:
        """Where the maps of each picture lie. A part that cannot be read is as if it were not there."""
        from safetensors import SafetensorError, safe_open

        found: dict[str, tuple[Path, int]] = {}
        for part in sorted(self.folder.glob(PART)):
            try:
                with safe_open(part, "np") as opened:
                    keys = json.loads((opened.metadata() or {}).get("keys", "[]"))
            except (OSError, SafetensorError, ValueError):
                continue
            found.update({key: (part, place) for place, key in enumerate(keys)})
        return found

    def put(self, keys: Sequence[str], arrays: Mapping[str, np.ndarray]) -> None:
        """Keep what was found of some pictures, ``[n, ...]`` each, whole or not at all."""
        from safetensors.numpy import save

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / ABOUT).is_file():
                put_whole(self.folder / ABOUT, json.dumps(dict(self.description), indent=1, default=str))
            content = save({name: np.ascontiguousarray(one) for name, one in arrays.items()},
                           metadata={"keys": json.dumps(list(keys))})  # fmt: skip
            put_whole(self.folder / f"part-{secrets.token_hex(6)}.safetensors", content, sync=False)
        except OSError as error:
            raise disk_error(error, self.home) from error

    def get(self, keys: Sequence[str], places: Mapping[str, tuple[Path, int]] | None = None) -> dict[str, np.ndarray]:
        """What is kept of these pictures, in their order."""
        from safetensors.numpy import load_file

        places = self.places() if places is None else places
        opened: dict[Path, dict[str, np.ndarray]] = {}
        rows: dict[str, list[np.ndarray]] = {}
        for key in keys:
            part, place = places[key]
            if part not in opened:
                opened = {part: load_file(part)} if len(opened) > 8 else {**opened, part: load_file(part)}
            for name, array in opened[part].items():
                rows.setdefault(name, []).append(array[place])
        return {name: np.stack(found) for name, found in rows.items()}
