"""What scenes refer to by number: meshes, textures, pictures and skies, packed once and laid on each device once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from unseen.worlds.rendering.mesh import Mesh

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Shelf:
    """A bank's arrays on one device. Mesh ``i`` has faces ``first_face[i]`` to ``first_face[i + 1]``, whose corners are
    vertices of the whole shelf. All textures are square and of one size; ``own_texture[i]`` is the mesh's, or −1.
    ``radius`` and ``centre`` bound each mesh by a sphere. On a processor each of ``columns`` lies in one piece;
    elsewhere a vertex is a row of 64 bytes and a face three 32-bit numbers, as kernels read them. Nothing lies there
    twice: of thousands of objects it is gigabytes."""

    columns: Tensor  # [13, V]: vertices, normals, sRGB colours, paint, gloss, uv
    corners: Tensor  # [3, F] whole numbers: the vertices of each face
    first_face: Tensor  # [n + 1] int64
    own_texture: Tensor  # [n] int64
    centre: Tensor  # [n, 3]
    radius: Tensor  # [n]
    textures: Tensor  # [T, s, s, 3] uint8 sRGB; empty where there are none
    pictures: Tensor  # [P, h, w, 3] uint8
    skies: Tensor  # [S, h, 2h, 3] uint8, sRGB as shown
    first_vertex: Tensor  # [n + 1] int64
    low: Tensor  # [n, 3] the bounding box
    high: Tensor
    texture_pyramid: Tensor  # [T, texels] int32, levels one after the other (textures.py)
    picture_pyramid: Tensor
    sky_pyramid: Tensor


@dataclass(frozen=True, eq=False)
class Bank:
    """Meshes, extra textures, pictures and skies. Textures of meshes are numbered after the extra ones."""

    meshes: tuple[Mesh, ...]
    textures: tuple[np.ndarray, ...] = ()  # uint8 [h, w, 3]
    pictures: tuple[np.ndarray, ...] = ()
    skies: tuple[np.ndarray, ...] = ()
    texture_size: int = 256
    picture_size: int = 256
    _shelves: dict[str, Shelf] = field(default_factory=dict, repr=False)

    def on(self, device: str | torch.device) -> Shelf:
        key = str(device)
        if key not in self._shelves:
            self._shelves[key] = shelved(self, key)
        return self._shelves[key]

    @property
    def fingerprint(self) -> str:
        digest = hashlib.blake2b(f"{self.texture_size} {self.picture_size}".encode(), digest_size=16)
        for one in self.meshes:
            for name in ("vertices", "normals", "colours", "paint", "gloss", "uv", "faces"):
                digest.update(np.ascontiguousarray(getattr(one, name)).data)
            digest.update(b"-" if one.texture is None else np.ascontiguousarray(one.texture).data)
        for kind in (self.textures, self.pictures, self.skies):
            digest.update(str(len(kind)).encode())
            for array in kind:
                digest.update(str(array.shape).encode() + np.ascontiguousarray(array).data.tobytes())
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_shelves": {}}


def shelved(bank: Bank, device: str) -> Shelf:
    """Pack a bank's arrays on a device."""
    import torch

    from unseen.worlds.rendering.textures import pyramid

    meshes = bank.meshes
    counts = [len(one.vertices) for one in meshes]
    starts = np.cumsum([0, *counts])
    vertices = np.concatenate([one.vertices for one in meshes])
    low, high = (least.reduceat(vertices, starts[:-1]) for least in (np.minimum, np.maximum))
    centres = (low + high) / 2
    lengths = np.linalg.norm(vertices - np.repeat(centres, counts, axis=0), axis=1)
    textures = [_square(array, bank.texture_size) for array in bank.textures]
    own = np.full(len(meshes), -1, np.int64)
    numbers: dict[object, int] = {}  # a texture that many meshes share is laid on the shelf once
    for place, one in enumerate(meshes):
        if one.texture is not None:
            known = numbers.get(id(one.texture))
            if known is None:
                content = (one.texture.shape, hashlib.blake2b(np.ascontiguousarray(one.texture).data).digest())
                known = numbers.setdefault(content, len(textures))
                numbers[id(one.texture)] = known
                if known == len(textures):
                    textures.append(_square(one.texture, bank.texture_size))
            own[place] = known
    pictures = [_square(array, bank.picture_size) for array in bank.pictures]
    skies = [_resized(array, bank.picture_size, 2 * bank.picture_size) for array in bank.skies]

    def stacked(arrays: Sequence[np.ndarray], h: int, w: int) -> Tensor:
        return torch.from_numpy(np.stack(arrays) if arrays else np.zeros((0, h, w, 3), np.uint8)).to(device)

    columns, corners = _packed(meshes, starts, device)
    sheets = {
        "textures": stacked(textures, bank.texture_size, bank.texture_size),
        "pictures": stacked(pictures, bank.picture_size, bank.picture_size),
        "skies": stacked(skies, bank.picture_size, 2 * bank.picture_size),
    }
    return Shelf(
        **sheets,
        columns=columns,
        corners=corners,
        first_vertex=torch.from_numpy(starts).to(device),
        low=torch.from_numpy(low.astype(np.float32)).to(device),
        high=torch.from_numpy(high.astype(np.float32)).to(device),
        texture_pyramid=pyramid(sheets["textures"]),
        picture_pyramid=pyramid(sheets["pictures"]),
        sky_pyramid=pyramid(sheets["skies"]),
        first_face=torch.from_numpy(np.cumsum([0, *(len(one.faces) for one in meshes)])).to(device),
        own_texture=torch.from_numpy(own).to(device),
        centre=torch.from_numpy(centres.astype(np.float32)).to(device),
        radius=torch.from_numpy(np.maximum.reduceat(lengths, starts[:-1]).astype(np.float32)).to(device),
    )


def _packed(meshes: Sequence[Mesh], starts: np.ndarray, device: str) -> tuple[Tensor, Tensor]:
    """Columns of all vertices, and corners of all faces."""
    import torch

    host = torch.device(device).type == "cpu"
    columns = (
        torch.empty((13, int(starts[-1]))) if host else torch.zeros((int(starts[-1]), 16), device=device)[:, :13].t()
    )
    place = 0
    for name in ("vertices", "normals", "colours", "paint", "gloss", "uv"):  # one after the other: they are large
        column = torch.from_numpy(np.concatenate([getattr(one, name) for one in meshes])).to(device)
        wide = column.numel() // len(column)
        columns[place : place + wide] = column.reshape(-1, wide).t()
        place += wide
    wanted = np.int64 if host else np.int32
    faces = np.concatenate([one.faces.astype(wanted) + wanted(start) for one, start in zip(meshes, starts)])
    corners = torch.from_numpy(np.ascontiguousarray(faces.T)) if host else torch.from_numpy(faces).to(device).t()
    return columns, corners


def _square(array: np.ndarray, side: int) -> np.ndarray:
    """The middle square of a picture, resized."""
    short = min(array.shape[:2])
    top, left = ((edge - short) // 2 for edge in array.shape[:2])
    return _resized(array[top : top + short, left : left + short], side, side)


def _resized(array: np.ndarray, height: int, width: int) -> np.ndarray:
    from PIL import Image

    if array.shape[:2] == (height, width):
        return np.ascontiguousarray(array)
    return np.asarray(Image.fromarray(array).resize((width, height), Image.Resampling.LANCZOS))
