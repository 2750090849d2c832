"""Pictures that are to be explained: files and folders of a user's own, rows of a world, tensors that Python holds.

An album gives them a few at a time, as the network sees them; none is held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.world import World
from unseen.worlds.decode import Decoding, decode, opened, quiet, upright_size
from unseen.worlds.paths import Unreadable, given_path, shown
from unseen.worlds.walking import walk

LARGEST = 1024  # pixels of the shorter side at which a photo is read: no model here takes more


@dataclass(frozen=True, eq=False)
class Album:
    """``fetch(places)`` gives pictures ``[n, c, h, w]`` as the network takes them. ``titles`` and ``words`` say what
    each is; ``unreadable`` names files that are none, and why."""

    titles: tuple[str, ...]
    words: tuple[str, ...]
    fetch: Callable[[Sequence[int]], Tensor]
    unreadable: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.titles)

    def part(self, places: Sequence[int]) -> Album:
        """Some of them."""
        kept = list(places)
        return Album(
            tuple(self.titles[at] for at in kept), tuple(self.words[at] for at in kept),
            lambda some: self.fetch([kept[at] for at in some]), self.unreadable,
        )  # fmt: skip


def of_files(paths: Sequence[str | Path], frame: Callable[[Tensor], Tensor], most: int | None = None) -> Album:
    """Image files, and all below folders, in the order of their names. What cannot be read is named, and the rest goes
    on."""
    files, odd = _listed(paths)
    if most is not None:
        files = files[:most]
    readable, titles = [], []
    shapes: set[tuple[int, ...]] = set()  # of all pictures so far: a stream has one
    with quiet():
        for title, file in files:
            try:
                _header(file)
            except Unreadable as why:
                odd.append((title, str(why)))
                continue
            readable.append(file)
            titles.append(title)
    if not readable:
        why = f": {listed((f'{name} ({reason})' for name, reason in odd), 3)}" if odd else ""
        raise UnseenError(
            f"no image could be read in {listed(paths, 3)}{why}. Give image files (JPEG, PNG, WebP, …) or a folder of "
            "them."
        )

    def fetch(places: Sequence[int]) -> Tensor:
        with quiet():
            made = [frame(torch.from_numpy(_picture(readable[at]))[None]) for at in places]
        sizes = {tuple(one.shape[1:]) for one in made} | shapes
        if len(sizes) > 1:
            told = listed("×".join(map(str, one)) for one in sorted(sizes))
            raise UnseenError(
                f"this model takes pictures of any size, and these differ ({told}); say one for all of them, as in "
                "--preprocessing size=224 --preprocessing resize=shorter."
            )
        shapes.update(sizes)
        return torch.cat(made)

    return Album(tuple(titles), ("",) * len(titles), fetch, tuple(odd))


def _listed(paths: Sequence[str | Path]) -> tuple[list[tuple[str, Path]], list[tuple[str, str]]]:
    files: dict[Path, str] = {}
    odd: list[tuple[str, str]] = []
    for one in paths:
        path = given_path(one, "image")
        if path.is_dir():
            found = sorted(name for name, _ in walk(path, odd))
            files |= {path / name: shown(name) for name in found if path / name not in files}
        elif path.is_file():
            files.setdefault(path, shown(path.name))
        else:
            raise UnseenError(f"no file or folder '{shown(str(path))}' (looked in {Path.cwd()}).")
    return [(title, path) for path, title in files.items()], odd


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None


def _header(file: Path) -> tuple[int, int]:
    return upright_size(opened(_bytes(file)))


def _picture(file: Path) -> np.ndarray:
    """A file's pixels ``[3, h, w]``, large photos no larger than is of use."""
    try:
        data = _bytes(file)
        height, width = upright_size(opened(data))
        times = min(1.0, LARGEST / min(height, width))
        size = (max(1, round(height * times)), max(1, round(width * times)))
        return decode(data, Decoding(size, 3, "squash"))
    except Unreadable as why:
        raise UnseenError(
            f"'{shown(str(file))}' cannot be read as an image: {why}; take it out of what is explained."
        ) from None


def of_rows(
    world: World,
    rows: Sequence[int] | np.ndarray,
    frame: Callable[[Tensor], Tensor],
    titles: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Album:
    """Rows of a world."""
    numbers = np.asarray(rows, dtype=np.int64)
    if not len(numbers):
        raise UnseenError("no image is to be explained: the rows that were named are none.")
    world.samples.locate(numbers)  # refuses rows that are not there
    names = tuple(titles) or tuple(world.samples.name(int(row)) for row in numbers)

    def fetch(places: Sequence[int]) -> Tensor:
        images = world.images(numbers[list(places)])
        return frame(images) if images.dtype == torch.uint8 else images

    return Album(names, tuple(words) or ("",) * len(names), fetch)


def of_tensor(images: Tensor) -> Album:
    """Pictures as Python holds them, already as the network takes them."""
    return Album(
        tuple(f"image {number}" for number in range(len(images))), ("",) * len(images),
        lambda places: images[list(places)],
    )  # fmt: skip
