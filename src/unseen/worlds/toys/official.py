"""An official file as a world: the same rows as its re-render, with the pictures that were published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import world_words
from unseen.worlds.toys.archive_files import archive
from unseen.worlds.toys.archives import Archive, Progress
from unseen.worlds.toys.grid import fingerprint, whole

if TYPE_CHECKING:
    from torch import Tensor

VERSION = 1  # raise it when any image read from these files changes
PIECE = 64 * 2**20  # bytes of pictures in flight between the file and the device


@dataclass(frozen=True, eq=False)
class Official:
    """Pictures ``[rows, h, w]`` or ``[rows, h, w, 3]`` of an archive. ``binary``: what is not 0 is white (dSprites
    holds 0 and 1; here white is 255, as in the re-render)."""

    name: str
    samples: Samples
    archive: Archive
    picture: tuple[int, ...]
    fingerprint: str
    provenance: Mapping[str, str]
    binary: bool = False
    dtype: Literal["uint8", "float32"] = "uint8"

    def __repr__(self) -> str:
        return world_words(self)

    @property
    def size(self) -> tuple[int, int]:
        return self.picture[0], self.picture[1]

    @property
    def channels(self) -> int:
        return self.picture[2] if len(self.picture) == 3 else 1

    def prepare(self, progress: Progress | None = None) -> None:
        """Unpack what is compressed, once; ``progress(done, total)`` counts bytes."""
        self.archive.prepare(progress)

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures of rows ``[n, channels, h, w]`` uint8, brought to the device a piece at a time; ``draw`` changes
        nothing."""
        import torch

        _, _, cells = self.samples.locate(rows)
        out = torch.empty((len(cells), self.channels, *self.size), dtype=torch.uint8, device=device)
        step = max(1, PIECE // int(np.prod(self.picture)))
        for start in range(0, len(cells), step):
            piece = torch.from_numpy(self.archive.read(cells[start : start + step])).to(device)
            piece = piece[:, None] if len(self.picture) == 2 else piece.permute(0, 3, 1, 2)
            out[start : start + step] = piece.clamp_(max=1).mul_(255) if self.binary else piece
        return out


def official(
    name: str,
    root: object,
    files: Sequence[str],
    member: str,
    space: FactorSpace,
    picture: tuple[int, ...],
    *,
    citation: str,
    licence: str,
    binary: bool = False,
) -> Official:
    """The world of an official file: ``member`` is its array, one picture per cell of ``space``. ``root`` is that file,
    or a folder with one of ``files`` in it."""
    path = locate(name, root, files)
    found = archive(path, member, (space.size, *picture))
    return Official(
        name=f"{name}-official",
        samples=whole(space),
        archive=found,
        picture=picture,
        fingerprint=fingerprint(official=name, version=VERSION, content=found.fingerprint),
        provenance={"source": f"{name}, the official file {path.name}", "licence": licence, "citation": citation},
        binary=binary,
    )


def locate(name: str, root: object, files: Sequence[str]) -> Path:
    """The official file at ``root``, or in the folder ``root``."""
    if not isinstance(root, str | Path) or not str(root):
        raise UnseenError(f"`root` is {name}'s official file, or its folder; {root!r} was given.")
    path = Path(root).expanduser()
    if path.is_file():
        return path
    wanted = " or ".join(files)
    if not path.is_dir():
        raise UnseenError(f"there is nothing at {path}; `root` is {name}'s official file ({wanted}), or its folder.")
    there = [file for file in files if (path / file).is_file()]
    if not there:
        raise UnseenError(f"{path} has no {wanted}; fetch it, or leave `root` out: pictures are then rendered.")
    if len(there) > 1:
        raise UnseenError(f"{path} has {listed(there)}; name the one you want as `root`.")
    return path / there[0]
