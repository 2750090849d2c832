"""What a mesh file refers to: material libraries, textures, buffers; and one hash over all of it.

An edited texture is another mesh, so a file alone does not identify what it shows.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

SUFFIXES = (".obj", ".glb", ".gltf", ".stl", ".ply", ".off")
_OPTION = re.compile(r"-\w+(?:\s+-?[\d.]+|\s+(?:on|off)\b)+\s+", re.IGNORECASE)  # map_Kd -s 1 1 1 wood.png


class Unreadable(Exception):
    """This file shows no mesh; the message says why."""


@dataclass(frozen=True)
class Reference:
    """A file that another one names: ``name`` as written there, and where it lies (None: it is not there)."""

    name: str
    path: Path | None
    material: str = ""  # the material whose texture this is, in a material library


def references(path: Path) -> list[Reference]:
    """Every file that a mesh file names, in its order, each once; nothing for formats that name none."""
    suffix = path.suffix.lower()
    found = list(_of_obj(path)) if suffix == ".obj" else list(_of_gltf(path)) if suffix in (".gltf", ".glb") else []
    return list({(one.name, one.material): one for one in found}.values())


def content_of(path: Path) -> str:
    """32 hexadecimal digits over a file's bytes and those of all it refers to; the names of the files do not count."""
    digest = hashlib.blake2b(path.suffix.lower().encode(), digest_size=16)
    for one in (path, *(reference.path for reference in references(path))):
        if one is None:
            digest.update(b"missing")
            continue
        with one.open("rb") as file:
            digest.update(str(os.fstat(file.fileno()).st_size).encode())
            while piece := file.read(2**22):
                digest.update(piece)
    return digest.hexdigest()


def _of_obj(path: Path) -> Iterator[Reference]:
    with path.open("rb") as file:
        libraries = [line[6:].decode(errors="replace").strip() for line in file if line.startswith(b"mtllib")]
    for library in dict.fromkeys(libraries):
        there = _beside(path, library)
        yield Reference(library, there)
        if there is not None:
            yield from _of_mtl(there)


def _of_mtl(path: Path) -> Iterator[Reference]:
    """The colour textures of a material library; bump and gloss maps are not drawn here."""
    material = ""
    for line in path.read_text(errors="replace").splitlines():
        words = line.strip().split(maxsplit=1)
        if len(words) < 2:
            continue
        if words[0].lower() == "newmtl":
            material = " ".join(words[1].split())
        elif words[0].lower() == "map_kd":
            name = _OPTION.sub("", words[1].strip())
            yield Reference(name, _beside(path, name), material)


def _of_gltf(path: Path) -> Iterator[Reference]:
    try:
        tree = json.loads(json_of(path))
        named = [entry.get("uri") for kind in ("buffers", "images") for entry in tree.get(kind, ())]
    except (ValueError, AttributeError, struct.error):
        return  # no glTF: the reader says so
    for uri in named:
        if isinstance(uri, str) and not uri.startswith("data:"):
            yield Reference(unquote(uri), _beside(path, unquote(uri)))


def json_of(path: Path) -> bytes:
    """The text of a glTF file, or of a GLB's first chunk."""
    if path.suffix.lower() == ".gltf":
        return path.read_bytes()
    with path.open("rb") as file:  # a GLB: twelve bytes of header, then a chunk of JSON (glTF 2.0, section 4.4)
        head = file.read(20)
        return file.read(struct.unpack("<I", head[12:16])[0])


def _beside(path: Path, name: str) -> Path | None:
    """The named file: next to the one that names it, or where Gazebo's models keep textures; whatever the case of its
    letters and the slashes used."""
    tidy = name.replace("\\", "/").strip('"')
    own = tidy.rsplit("/", 1)[-1]
    for place in (path.parent / tidy, path.parent / own, path.parent.parent / "materials" / "textures" / own):
        if place.is_file():
            return place
        if place.parent.is_dir():
            same = [one for one in sorted(place.parent.iterdir()) if one.name.lower() == place.name.lower()]
            if same and same[0].is_file():
                return same[0]
    return None
