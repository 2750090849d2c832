"""Maps as files: arrays that other programs read, pictures to look at."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unseen.explanations.drawing import over, pictures_of, sheet, write_png
from unseen.kinds.maps_page import Explained
from unseen.studies.explained.album import Album
from unseen.studies.explained.drawn import Maps
from unseen.studies.store import disk_error
from unseen.vocabulary.whole_files import put_whole, remove_leftovers, written_aside

BLOCK = 2**20
HEADS = ("image", "answer", "confidence", "note")


class ArrayFiles:
    """``METHOD.npy`` ``[n, h, w]`` for each method, ``images.npy`` and ``images.csv``, written as the maps come: no
    more than a few are held. They appear whole, at the end."""

    def __init__(self, folder: Path, album: Album, methods: Sequence[str]) -> None:
        self.folder, self.album, self.methods = folder, album, tuple(methods)
        self.open: dict[str, np.memmap] = {}
        self.aside = contextlib.ExitStack()  # what is written aside takes its place when this ends well
        self.rows: list[tuple[str, ...]] = []

    def __enter__(self) -> ArrayFiles:
        return self

    def __exit__(self, *error: Any) -> None:
        for array in self.open.values():
            array.flush()
        self.open.clear()
        self.aside.__exit__(*error)
        if error[0] is None:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(HEADS)
            writer.writerows(self.rows)
            put_whole(self.folder / "images.csv", text.getvalue())

    def add(self, part: Maps, answers: Sequence[str]) -> None:
        """Some images, in their order."""
        try:
            for name, found in {**part.maps, "images": part.pictures}.items():
                self._array(name, found)[part.places] = found
        except OSError as error:
            raise disk_error(error, self.folder) from error
        for at, place in enumerate(part.places.tolist()):
            notes = "; ".join(f"{method}: {said[at]}" for method, said in part.notes.items() if said[at])
            self.rows.append((self.album.titles[place], answers[at], f"{part.sure[at]:.6f}", notes))

    def _array(self, name: str, like: np.ndarray) -> np.memmap:
        if name not in self.open:
            self.folder.mkdir(parents=True, exist_ok=True)
            remove_leftovers(self.folder, f"{name}.npy")
            aside = self.aside.enter_context(written_aside(self.folder / f"{name}.npy", sync=False))
            shape = (len(self.album), *like.shape[1:])
            self.open[name] = _with_room(aside, np.lib.format.open_memmap(aside, "w+", like.dtype, shape))
        return self.open[name]


def _with_room(path: Path, array: np.memmap) -> np.memmap:
    """The file with all its room taken on the disk: else the disk may be full when a page of it is written, which ends
    a process by SIGBUS and no error. Where a file system cannot, it is filled, and a full disk is told by that."""
    with open(path, "r+b") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
        else:
            file.seek(array.offset)
            for start in range(array.offset, path.stat().st_size, BLOCK):
                file.write(bytes(min(BLOCK, path.stat().st_size - start)))
    return array


def write_pictures(found: Explained, folder: Path) -> Path:
    """A picture for each image and method, and one sheet of all; a map that is not to be looked at has none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, folder) from error
    tiles: list[np.ndarray] = []
    pictures = pictures_of(found.maps.pictures)
    drawn = {method: over(found.maps.pictures, maps) for method, maps in found.maps.maps.items()}
    for at, title in enumerate(found.titles):
        tiles.append(pictures[at])
        name = f"{at:03d}-{re.sub(r'[^A-Za-z0-9._-]+', '-', Path(title).stem)[:60].strip('-') or 'image'}"
        write_png(folder / f"{name}.png", pictures[at])
        for method in found.methods:
            if found.maps.notes[method][at]:
                tiles.append(np.full_like(pictures[at], 255))
                continue
            tiles.append(drawn[method][at])
            write_png(folder / f"{name}_{method}.png", drawn[method][at])
    enlarge = max(1, 112 // max(pictures.shape[1:3]))
    write_png(folder / "sheet.png", sheet(tiles, len(found.methods) + 1, enlarge=enlarge))
    return folder
