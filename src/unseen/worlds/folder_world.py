"""The world behind a folder: rows and where their pixels lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import polars as pl
from jaxtyping import Int, UInt8

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.world import world_words
from unseen.worlds.decode import Unreadable, decode, quiet
from unseen.worlds.decoded_pixels import Pixels
from unseen.worlds.paths import bytes_of, shown
from unseen.worlds.scan import Progress

if TYPE_CHECKING:
    from torch import Tensor

LOOKED_AT = 64  # files that tell whether a folder shows colour


class Names(Sequence[str]):
    """Millions of paths in one buffer, read as texts."""

    def __init__(self, paths: pl.Series, prefix: str = "") -> None:
        self.paths, self.prefix = paths, prefix

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Names: ...
    def __getitem__(self, place: int | slice) -> str | Names:
        if isinstance(place, slice):
            return Names(self.paths[place], self.prefix)
        return self.prefix + self.paths[int(place)]

    def __iter__(self) -> Iterator[str]:
        return (self.prefix + path for path in self.paths)


@dataclass(frozen=True)
class Problems:
    """What a folder holds that its world does not show, and copies. True if there is anything to tell."""

    unreadable: tuple[tuple[str, str], ...] = ()  # (name, reason)
    unmatched: tuple[str, ...] = ()  # files the template does not fit
    left_out: Mapping[str, int] = field(default_factory=dict)  # factor: images at levels that were not asked for
    duplicates: tuple[tuple[str, ...], ...] = ()  # names of files with the same bytes

    def __bool__(self) -> bool:
        return bool(self.unreadable or self.unmatched or self.left_out or self.duplicates)

    def lines(self) -> tuple[str, ...]:
        """One sentence per kind of problem, the first ten names in each."""
        said = []
        if self.unreadable:
            names = listed([f"{shown(name)} ({reason})" for name, reason in self.unreadable], 10)
            said.append(f"unreadable, left out: {len(self.unreadable)} files: {names}")
        if self.unmatched:
            names = listed(map(shown, self.unmatched), 10)
            said.append(f"not matched by the template: {len(self.unmatched)} files: {names}")
        if self.left_out:
            parts = [f"{count} by '{name}'" for name, count in self.left_out.items()]
            said.append(f"at levels not asked for: {', '.join(parts)}")
        if self.duplicates:
            extra = sum(len(group) - 1 for group in self.duplicates)
            groups = listed([" = ".join(map(shown, group[:3])) for group in self.duplicates], 10)
            said.append(f"copies of another file: {extra}: {groups}")
        return tuple(said)


@dataclass(frozen=True, eq=False)
class Folder:
    """A world of image files. Nothing is decoded before the first :meth:`images` or :meth:`prepare`."""

    name: str
    samples: Samples
    root: Path
    paths: Sequence[str]
    pixels: Pixels
    fingerprint: str
    provenance: Mapping[str, str]
    problems: Problems
    workers: int

    def __repr__(self) -> str:
        return world_words(self)

    @property
    def channels(self) -> int:
        return self.pixels.how.channels

    @property
    def size(self) -> tuple[int, int]:
        return self.pixels.how.size

    @property
    def dtype(self) -> Literal["uint8", "float32"]:
        return "uint8"

    def colourless(self) -> bool:
        """Whether all of a few files, drawn from the whole folder, are grey as decoded: their channels are equal.

        One at a time, and none after the first that shows colour. What cannot be read is passed over; where nothing
        can, nothing is claimed.
        """
        n = len(self.paths)
        drawn = stream(0, "folder", "colour").choice(n, min(n, LOOKED_AT), replace=False)
        greys = 0
        with quiet():
            for place in drawn:
                try:
                    picture = decode(bytes_of(self.root / self.paths[int(place)]), self.pixels.how)
                except (OSError, Unreadable):
                    continue
                if (picture != picture[:1]).any():
                    return False
                greys += 1
        return greys > 0

    def prepare(self, progress: Progress | None = None) -> None:
        """Decode every image that is not in the cache yet; ``progress(done, total)`` is called now and then."""
        refused = self.pixels.add(self.root, self.paths, self._content, workers=self.workers, progress=progress)
        if refused:
            names = listed([f"{name} ({reason})" for name, reason in refused.items()], 10)
            raise UnseenError(
                f"{len(refused)} images opened well but would not decode: {names}. They are noted: run the same "
                "command again and they are left out and listed, or mend them."
            )

    def block(self, rows: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n channels height width"]:
        """The pixels of some rows, in memory; the rest stays on disk."""
        _, instance, _ = self.samples.locate(rows)
        return self.pixels.read(self._slots[instance])

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures are as they are: ``draw`` changes nothing."""
        import torch

        return torch.from_numpy(self.block(rows)).to(device)

    @property
    def stored(self) -> np.memmap:
        """All decoded images as one memory-mapped array; row ``r`` lies at ``stored[slots[r]]``."""
        self._slots  # noqa: B018 (decodes what is missing)
        return self.pixels.mapped()

    @property
    def slots(self) -> Int[np.ndarray, " rows"]:
        return self._slots

    @property
    def _content(self) -> np.ndarray:
        content = self.samples.blocks[0].content
        assert content is not None
        return content

    @cached_property
    def _slots(self) -> Int[np.ndarray, " rows"]:
        slots = self.pixels.slots(self._content)
        if (slots < 0).any():
            self.prepare()
            slots = self.pixels.slots(self._content)
        assert (slots >= 0).all()
        return slots
