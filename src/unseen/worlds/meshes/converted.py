"""Converted meshes on disk, one file each, written aside and renamed.

A name is the hash of everything that goes in (the file, what it refers to, how it is read, our version), so an entry
never goes stale, and a machine that has the entries needs no trimesh. Files that show no mesh are not kept: the reader
may be mended by then.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import written_aside
from unseen.worlds.meshes.reading import VERSION, Reading, ReadMesh, read
from unseen.worlds.rendering.mesh import Mesh

_ABSENT = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)  # not there, or broken by a failing disk
_COLUMNS = ("vertices", "faces", "normals", "colours", "paint", "gloss", "uv")


def entry(content: str, how: Reading, cache: Path) -> Path:
    """Where the mesh of this content, read this way, is kept."""
    key = hashlib.blake2b(repr((VERSION, content, sorted(asdict(how).items()))).encode(), digest_size=16).hexdigest()
    return cache / "meshes" / key[:2] / f"{key}.npz"


@dataclass(frozen=True)
class MeshFacts:
    """What is to be known of a mesh before it is drawn: what is to be told of its file, and its form."""

    faces: int
    degenerate: int
    notes: tuple[str, ...]
    form: tuple[float, ...]

    @staticmethod
    def of(told: Mapping[str, Any]) -> MeshFacts:
        """From plain data, as :func:`dataclasses.asdict` and JSON leave it."""
        return MeshFacts(told["faces"], told["degenerate"], tuple(told["notes"]), tuple(told["form"]))


def known_facts(content: str, how: Reading, cache: Path) -> MeshFacts | None:
    """The facts alone, read without the arrays; None where the mesh is not in the cache."""
    try:
        with entry(content, how, cache).open("rb") as opened, np.load(opened) as file:
            return MeshFacts.of(json.loads(str(file["facts"])))
    except _ABSENT:
        return None


def facts_of(one: ReadMesh) -> MeshFacts:
    return MeshFacts(one.faces, one.degenerate, one.notes, one.form)


def converted(path: Path, content: str, how: Reading, cache: Path) -> ReadMesh:
    """The mesh of a file, from the cache or read and kept there. Unreadable files raise as in :func:`read`."""
    place = entry(content, how, cache)
    kept = _kept(place)
    if kept is None:
        kept = read(path, how)
        _keep(kept, place)
    return kept


def _kept(place: Path) -> ReadMesh | None:
    try:
        with place.open("rb") as opened, np.load(opened) as file:
            facts = MeshFacts.of(json.loads(str(file["facts"])))
            texture = file.get("texture")
            shown = Mesh(texture=texture, **{name: file[name] for name in _COLUMNS})
        return ReadMesh(shown, facts.faces, facts.degenerate, facts.notes, facts.form)
    except _ABSENT:
        return None


def _keep(one: ReadMesh, place: Path) -> None:
    arrays = {name: getattr(one.mesh, name) for name in _COLUMNS}
    arrays["facts"] = np.array(json.dumps(asdict(facts_of(one))))
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
