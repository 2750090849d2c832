"""The dataset of an ``.h5`` file as records. h5py is imported where it is used: not every machine has it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, UInt8

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.extras import needs_extra
from unseen.worlds.toys.archives import Progress, check, kept, records, unpacked_folder

BUFFER = 256 * 2**20  # bytes of records unpacked at a time: h5py's own chunks of these arrays have 15,000 rows
SAMPLED, PROBE = 256, 4096  # places of the file that are hashed, and bytes at each


@dataclass(frozen=True)
class H5:
    """One dataset: its records lie ``offset`` bytes into the file, or nowhere (None) where it is chunked.

    Chunks may hold thousands of rows and a few pixels of each, as h5py cuts them by itself; one picture then costs many
    chunks. So :meth:`prepare` unpacks them to the cache where there is room, once; without, rows are read from the file
    itself, sorted and gathered by chunk, slower and right."""

    path: Path
    member: str
    shape: tuple[int, ...]
    chunk: int  # rows in a chunk
    offset: int | None
    said: str  # hash of sampled bytes
    written: int  # when, in nanoseconds: the key of what was unpacked, besides the hash

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """Size of the file and a hash of 256 stretches of 4 kB spread over it: an edit between them that keeps the size
        goes unnoticed, which is the price of not reading it all."""
        return self.shape, self.said

    @property
    def bytes(self) -> int:
        return int(np.prod(self.shape))

    @property
    def unpacked(self) -> Path:
        return unpacked_folder() / f"{self.member}-{self.said}-{self.written:x}.u8"

    def prepare(self, progress: Progress | None = None) -> None:
        near = next(place for place in self.unpacked.parents if place.exists())
        if self.offset is None and (self._ready or shutil.disk_usage(near).free > self.bytes):
            kept(self.unpacked, self.bytes, lambda: self._pieces(), str(self.path), progress)

    @property
    def _ready(self) -> bool:
        return self.unpacked.is_file() and self.unpacked.stat().st_size == self.bytes

    def read(self, rows: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n ..."]:
        if self.offset is not None:
            return records(self.path, self.offset, self.shape, rows)
        if self._ready:
            return records(self.unpacked, 0, self.shape, rows)
        wanted, place = np.unique(np.asarray(rows, np.int64), return_inverse=True)
        out = np.empty((len(wanted), *self.shape[1:]), np.uint8)
        with _dataset(self.path, self.member) as data:
            for slab in np.split(np.arange(len(wanted)), np.flatnonzero(np.diff(wanted // self._slab)) + 1):
                if len(slab):
                    low, high = int(wanted[slab[0]]), int(wanted[slab[-1]]) + 1
                    out[slab] = data[low:high][wanted[slab] - low]
        return out[place.reshape(-1)]

    @property
    def _slab(self) -> int:
        """Rows read at a time: whole chunks of them, within the buffer if possible."""
        fit = max(1, BUFFER // int(np.prod(self.shape[1:])))
        return fit if fit < self.chunk else fit // self.chunk * self.chunk

    def _pieces(self) -> Iterator[memoryview]:
        with _dataset(self.path, self.member) as data:
            for start in range(0, self.shape[0], self._slab):
                yield data[start : start + self._slab].reshape(-1).data


def open_h5(path: Path, member: str, shape: tuple[int, ...]) -> H5:
    """Read what an ``.h5`` file says of a dataset, and check it."""
    with _dataset(path, member) as data:
        check(path, member, data.shape, data.dtype, shape)
        chunk = data.chunks[0] if data.chunks else 1
        offset = data.id.get_offset() if data.chunks is None else None
    return H5(path, member, shape, chunk, offset, _sampled(path), path.stat().st_mtime_ns)


@contextmanager
def _dataset(path: Path, member: str) -> Iterator[Any]:
    try:
        import h5py
    except ImportError:
        raise needs_extra(f"reading {path}", "h5py", "h5") from None
    try:
        with h5py.File(path, "r", rdcc_nbytes=64 * 2**20) as file:
            if member not in file or not isinstance(file[member], h5py.Dataset):
                raise UnseenError(f"{path} holds no dataset '{member}', only {listed(file)}; is it another data set's?")
            yield file[member]
    except (OSError, RuntimeError, KeyError) as fault:
        size = path.stat().st_size if path.exists() else 0
        raise UnseenError(f"{path} ({size:,} bytes) is truncated or damaged ({fault}); fetch it again.") from None


def _sampled(path: Path) -> str:
    size = path.stat().st_size
    digest = hashlib.blake2b(str(size).encode(), digest_size=16)
    with path.open("rb", buffering=0) as file:
        for place in np.linspace(0, max(size - PROBE, 0), SAMPLED).astype(np.int64):
            digest.update(os.pread(file.fileno(), PROBE, int(place)))
    return digest.hexdigest()
