"""What a mesh file says of its own size, read from its head before it is loaded: too many faces, or a file cut short.

Readers take what is there and say nothing, or take all memory; so both are found here, where the format tells.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unseen.worlds.meshes.references import Unreadable, json_of

MOST_FACES = 12_000_000  # 5 million take up to 2 GB and half a minute to read; more are simplified elsewhere first
MOST_BYTES = 2**31
LARGE = 50_000_000  # bytes, from which it is worth to count faces that a file does not tell
ADVICE = "simplify it first (Blender's Decimate, MeshLab's quadric collapse)"


def check_size(path: Path) -> int | None:
    """The faces a file says it has, None where it does not say; :class:`Unreadable` where these are too many, or where
    it ends before they do."""
    size = path.stat().st_size
    if size == 0:
        raise Unreadable("the file is empty")
    faces, needed = _READERS.get(path.suffix.lower(), _unsaid)(path, size)
    if faces is not None and faces > MOST_FACES:
        raise Unreadable(f"{faces:,} faces are more than {MOST_FACES:,}; {ADVICE}")
    if size > MOST_BYTES:
        raise Unreadable(f"{size:,} bytes are more than {MOST_BYTES:,}; {ADVICE}")
    if needed > size:
        raise Unreadable(f"it is cut short: {size:,} of {needed:,} bytes are there")
    return faces


def _unsaid(path: Path, size: int) -> tuple[int | None, int]:
    return None, 0


def _of_stl(path: Path, size: int) -> tuple[int | None, int]:
    """A binary one counts its faces at byte 80 and has 50 bytes for each; one in text begins with "solid"."""
    with path.open("rb") as file:
        head = file.read(84)
    if len(head) < 84:
        return None, 0
    (faces,) = struct.unpack("<I", head[80:84])
    whole = 84 + 50 * faces
    if head[:5].lower() == b"solid" and whole != size:
        return None, 0
    return faces, whole


def _of_ply(path: Path, size: int) -> tuple[int | None, int]:
    with path.open("rb") as file:
        head = file.read(2**16)
    found = re.search(rb"element\s+face\s+(\d+)", head.partition(b"end_header")[0])
    return (int(found[1]) if found else None), 0


def _of_off(path: Path, size: int) -> tuple[int | None, int]:
    """Three counts after the word OFF, on its line or below; ModelNet has files where they stick to the word. A face
    takes seven bytes of text at least, a point six."""
    with path.open("rb") as file:
        head = re.sub(rb"#[^\n]*", b"", file.read(2**16))
    found = re.match(rb"\s*[A-Z0-9]*?OFF\s*(\d+)\s+(\d+)", head)
    if found is None:
        return None, 0
    points, faces = int(found[1]), int(found[2])
    return faces, 6 * points + 7 * faces


def _of_obj(path: Path, size: int) -> tuple[int | None, int]:
    """It says nothing; of a large file the lines of faces are counted, which is far less work than reading them."""
    if size < LARGE:
        return None, 0
    return sum(piece.count(b"\nf ") for piece in _pieces(path)), 0


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        last = b""
        while piece := file.read(2**24):
            yield last + piece
            last = piece[-2:]


def _of_gltf(path: Path, size: int) -> tuple[int | None, int]:
    """A face for every three indices, or points where there are none, once for each node that shows the mesh."""
    needed = 0
    if path.suffix.lower() == ".glb":
        with path.open("rb") as file:
            head = file.read(12)
        if head[:8] in (b"glTF\1\0\0\0", b"glTF\2\0\0\0") and len(head) == 12:
            needed = struct.unpack("<I", head[8:12])[0]
    try:
        tree = json.loads(json_of(path))
        each = [_faces(mesh, tree) for mesh in tree.get("meshes", ())]
        shown = [node["mesh"] for node in tree.get("nodes", ()) if isinstance(node.get("mesh"), int)]
        return sum(each[mesh] for mesh in shown), needed
    except (ValueError, AttributeError, KeyError, IndexError, TypeError, struct.error):
        return None, needed  # no glTF: the reader says so


def _faces(mesh: dict[str, Any], tree: dict[str, Any]) -> int:
    counts = [part.get("indices", part.get("attributes", {}).get("POSITION")) for part in mesh.get("primitives", ())]
    return sum(int(tree["accessors"][number]["count"]) // 3 for number in counts if number is not None)


_READERS = {
    ".stl": _of_stl, ".ply": _of_ply, ".off": _of_off, ".obj": _of_obj, ".glb": _of_gltf, ".gltf": _of_gltf,
}  # fmt: skip
