"""Converted meshes on disk, one file each, written aside and renamed.

A name is the hash of everything that goes in (the file, what it refers to, how it is read, our version), so an entry
never goes stale, and a machine that has the entries needs no trimesh. Files that show no mesh are not kept: the reader
may be mended by then.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import written_aside
from unseen.worlds.meshes.reading import VERSION, Read, Reading, read
from unseen.worlds.rendering.mesh import Mesh

_COLUMNS = ("vertices", "faces", "normals", "colours", "paint", "gloss", "uv")


def entry(content: str, how: Reading, cache: Path) -> Path:
    """Where the mesh of this content, read this way, is kept."""
    key = hashlib.blake2b(repr((VERSION, content, sorted(asdict(how).items()))).encode(), digest_size=16).hexdigest()
    return cache / "meshes" / key[:2] / f"{key}.npz"


@dataclass(frozen=True)
class Facts:
    """What a world needs to know of a mesh before it is drawn: its height, and what is to be told."""

    faces: int
    degenerate: int
    notes: tuple[str, ...]
    height: float


def facts_of(path: Path, content: str, how: Reading, cache: Path) -> Facts:
    """The facts alone, read without the arrays; a file that is not in the cache is converted first."""
    place = entry(content, how, cache)
    try:
        with place.open("rb") as opened, np.load(opened) as file:
            found = json.loads(str(file["facts"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        found = _facts(converted(path, content, how, cache))
    return Facts(**{**found, "notes": tuple(found["notes"])})


def _facts(one: Read) -> dict[str, Any]:
    height = float(np.ptp(one.mesh.vertices[:, 2]))
    return {"faces": one.faces, "degenerate": one.degenerate, "notes": list(one.notes), "height": height}


def converted(path: Path, content: str, how: Reading, cache: Path) -> Read:
    """The mesh of a file, from the cache or read and kept there. Unreadable files raise as in :func:`read`."""
    place = entry(content, how, cache)
    kept = _kept(place)
    if kept is None:
        kept = read(path, how)
        _keep(kept, place)
    return kept


def _kept(place: Path) -> Read | None:
    try:
        with place.open("rb") as opened, np.load(opened) as file:
            facts = json.loads(str(file["facts"]))
            texture = file.get("texture")
            shown = Mesh(texture=texture, **{name: file[name] for name in _COLUMNS})
        return Read(shown, facts["faces"], facts["degenerate"], tuple(facts["notes"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # absent, or broken by a failing disk
        return None


def _keep(one: Read, place: Path) -> None:
    arrays = {name: getattr(one.mesh, name) for name in _COLUMNS} | {"facts": np.array(json.dumps(_facts(one)))}
    if one.mesh.texture is not None:
        arrays["texture"] = one.mesh.texture
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(place, sync=False) as aside, aside.open("wb") as file:
            np.savez_compressed(file, **arrays)  # pyright: ignore[reportArgumentType]
    except OSError as fault:
        raise UnseenError(
            f"the converted mesh cannot be kept in {place.parent}: {fault.strerror or fault}. "
            "Set UNSEEN_CACHE to a folder on a disk with room."
        ) from None
