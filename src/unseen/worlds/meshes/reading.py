"""One mesh file → one mesh in the renderer's convention: z up, front along +x, on the floor, longest edge 1."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.worlds.meshes.atlas import textured
from unseen.worlds.meshes.forms import form
from unseen.worlds.meshes.parts import Part, parts
from unseen.worlds.meshes.references import SUFFIXES, Unreadable
from unseen.worlds.meshes.simplify import simplified, snapped
from unseen.worlds.meshes.surface import Soup, oriented, outside, smooth, soup, two_sided, without_degenerate
from unseen.worlds.rendering.mesh import Mesh, mesh, upright

# Raise it when a file would give another mesh. 2: parts in the order of the file, not in a random one; undersides.
VERSION = 2
AHEAD = 8  # times the faces wanted: larger meshes are brought there before anybody looks at them
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}
# glTF 2.0 says +y up, front along +z, and OBJ packs follow it. STL, PLY and OFF come from makers and scanners, who say
# nothing: z up and a front along -y, as Blender has it (ours).
USUAL = {
    ".obj": ("y", "z"),
    ".gltf": ("y", "z"),
    ".glb": ("y", "z"),
    ".stl": ("z", "-y"),
    ".ply": ("z", "-y"),
    ".off": ("z", "-y"),
}


@dataclass(frozen=True)
class Reading:
    """How a file becomes a mesh: part of its identity in the cache.

    ``up`` and ``front`` name axes of the file ("y", "-z"; "" for the format's own), ``yaw`` turns the mesh further, in
    degrees anti-clockwise seen from above; ``rotation``, nine numbers row by row, turns the file's points before all
    else. A mesh of more than ``max_faces``, counting both sides of open surfaces, is simplified to about that; 0 keeps
    all. Its texture has an edge of ``texture`` texels.
    """

    max_faces: int = 4000
    up: str = ""
    front: str = ""
    yaw: float = 0.0
    texture: int = 256
    rotation: str = ""

    def __post_init__(self) -> None:
        for what in ("up", "front"):
            if getattr(self, what) not in ("", *AXES):
                raise unknown(f"axis for `{what}`", getattr(self, what), AXES)
        if self.up and self.front and self.up.strip("-") == self.front.strip("-"):
            raise UnseenError(f"up='{self.up}' and front='{self.front}' lie on one axis; they must differ.")
        if not isinstance(self.max_faces, int) or self.max_faces < 0:
            raise UnseenError(f"`max_faces` is a whole number, 0 to keep all faces; {self.max_faces!r} was given.")
        if self.rotation:
            matrix_of(self.rotation)
        if self.texture < 32 or self.texture & (self.texture - 1):
            raise UnseenError(f"a texture's edge is a power of two from 32; {self.texture} was given.")


@dataclass(frozen=True, eq=False)
class ReadMesh:
    """A mesh, what it was made of, and notes on what the file lacks."""

    mesh: Mesh
    faces: int  # in the file
    degenerate: int  # of them, dropped for having no area
    notes: tuple[str, ...] = ()
    form: tuple[float, ...] = ()  # see forms.py


def read(path: Path, how: Reading | None = None) -> ReadMesh:
    """A file as a mesh; :class:`Unreadable` with the reason where it shows none."""
    how = how or Reading()
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Unreadable(f"'{path.suffix}' is none of {', '.join(SUFFIXES)}")
    found, notes = parts(path)
    total = sum(len(part.faces) for part in found)
    found = found if how.max_faces == 0 else _bounded(found)
    images, numbers = _pictures(found)
    whole, degenerate = without_degenerate(soup(found, numbers))
    if not len(whole):
        raise Unreadable(f"none of its {total:,} faces has an area")
    turn = _turn(suffix, how)
    whole = replace(whole, corners=whole.corners @ turn.T, normals=whole.normals @ turn.T)
    own = form(whole.corners)
    if 0 < AHEAD * how.max_faces < len(whole):  # faces smaller than a pixel could not be told seen from unseen
        whole = simplified(replace(whole, one_sided=np.ones(len(whole), bool)), AHEAD * how.max_faces)
        whole = replace(whole, one_sided=np.array([part.one_sided for part in found])[whole.part])
        whole, _ = without_degenerate(whole)
    whole = oriented(whole)
    if not whole.one_sided.all() or 0 < how.max_faces < len(whole):
        whole = outside(whole)
    whole = whole if how.max_faces == 0 else simplified(whole, how.max_faces)
    whole, texture = textured(smooth(two_sided(whole)), images, how.texture)
    try:
        return ReadMesh(upright(_packed(whole, texture)), total, degenerate, tuple(notes), own)
    except UnseenError as fault:
        raise Unreadable(str(fault)) from None


def _bounded(found: list[Part]) -> list[Part]:
    """Parts of bounded size, on one grid for all of them."""
    boxes = np.concatenate([[part.vertices.min(0), part.vertices.max(0)] for part in found])
    low, size = boxes.min(0), float(np.ptp(boxes, axis=0).max())
    return [snapped(part, low, size) for part in found] if size > 0 else found


def _pictures(found: list[Part]) -> tuple[list[np.ndarray], list[int]]:
    """Pictures without copies, and the number of each part's; -1 for none."""
    images: dict[bytes, np.ndarray] = {}
    numbers = []
    for part in found:
        if part.image is None:
            numbers.append(-1)
            continue
        key = hashlib.blake2b(np.ascontiguousarray(part.image).tobytes() + str(part.image.shape).encode()).digest()
        images.setdefault(key, part.image)
        numbers.append(list(images).index(key))
    return list(images.values()), numbers


def matrix_of(rotation: str) -> np.ndarray:
    """A rotation that is written as nine numbers; no rotation at all is the identity."""
    if not rotation:
        return np.eye(3)
    try:
        matrix = np.array([float(word) for word in rotation.split()]).reshape(3, 3)
    except ValueError:
        matrix = np.zeros((3, 3))
    if not np.isfinite(matrix).all() or np.abs(matrix @ matrix.T - np.eye(3)).max() > 0.01:
        raise UnseenError(f"a rotation is nine numbers that turn and nothing else, row by row; '{rotation}' was given.")
    return matrix


def _turn(suffix: str, how: Reading) -> np.ndarray:
    """The rotation from the file's axes to ours."""
    usual_up, usual_front = USUAL[suffix]
    up = np.array(AXES[how.up or usual_up], float)
    front = np.array(AXES[how.front or usual_front], float)
    if abs(up @ front) > 0:  # the usual front is the axis that was said to be up: take the next one
        front = np.roll(np.abs(up), 1)
    axes = np.stack([front, np.cross(up, front), up])  # ours: x front, y left, z up
    angle = np.radians(how.yaw)
    about = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    return about @ axes @ matrix_of(how.rotation)


def _packed(given: Soup, texture: np.ndarray | None) -> Mesh:
    """Corners that agree in everything as one vertex."""
    flat = np.column_stack(
        [
            given.corners.reshape(-1, 3),
            given.normals.reshape(-1, 3),
            given.colours.reshape(-1, 3),
            np.repeat(given.gloss, 3),
            given.uv.reshape(-1, 2),
        ]
    ).astype(np.float32)
    size = float(np.ptp(flat[:, :3], axis=0).max()) or 1.0
    grain = np.array([1e5 / size] * 3 + [500] * 3 + [500] * 3 + [100] + [1e4] * 2)
    _, first, faces = np.unique(np.rint(flat * grain).astype(np.int64), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # in the order of the file
    rows = flat[np.sort(first)]
    return mesh(
        rows[:, :3], order[faces.reshape(-1)].reshape(-1, 3), normals=rows[:, 3:6],
        colour=np.clip(rows[:, 6:9], 0, 1), gloss=rows[:, 9], uv=rows[:, 10:], texture=texture,
    )  # fmt: skip
