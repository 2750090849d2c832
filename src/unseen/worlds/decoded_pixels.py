"""Decoded pixels on disk: one uint8 file of equal records, read in place, and a journal of what it holds.

A record belongs to a *content* (the hash of a file's bytes), so a renamed, copied or touched file is not decoded again,
and an edited one is alone decoded. ``kill -9`` at any moment loses at most one chunk of work
(:mod:`unseen.vocabulary.journals`). Writers take turns by a lock; readers need none.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt8, UInt64

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.journals import Journal
from unseen.vocabulary.locks import in_turn
from unseen.vocabulary.whole_files import disk_full, put_whole
from unseen.worlds.decode import Decoding, Unreadable, decode, quiet
from unseen.worlds.paths import bytes_of
from unseen.worlds.scan import Progress, content_hash

VERSION = 1  # raise it when decode() would give other pixels
CHUNK_BYTES = 32 * 2**20
CHUNK_IMAGES = 256


def key_of(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Pixels:
    """The decoded images of one folder under one :class:`Decoding`."""

    folder: Path
    how: Decoding

    @property
    def file(self) -> Path:
        return self.folder / "pixels.u8"

    @property
    def journal(self) -> Path:
        return self.folder / "contents.u64"

    @property
    def record(self) -> int:
        return int(np.prod(self.how.shape))

    @property
    def _journal(self) -> Journal:
        return Journal(self.file, self.journal, self.record, "image cache")

    def contents(self) -> UInt64[np.ndarray, " slots"]:
        """The contents that are there, by slot."""
        try:
            return self._journal.there()
        except OSError as fault:
            raise self._locked(fault, "read") from None

    def slots(self, wanted: UInt64[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
        """Where each content lies; -1 where it has not been decoded."""
        try:
            return self._journal.slots(wanted)
        except OSError as fault:
            raise self._locked(fault, "read") from None

    def read(self, slots: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n channels height width"]:
        """Records in the order asked; memory is that of the answer, whatever the file's size."""
        out = np.empty((len(slots), self.record), dtype=np.uint8)
        self._journal.read_into(out, slots)
        return out.reshape(len(slots), *self.how.shape)

    def refused(self) -> dict[int, str]:
        """Contents that would not decode although their header was good, with the reason."""
        try:
            return {int(content): reason for content, reason in json.loads(self._refused.read_text()).items()}
        except (OSError, ValueError):
            return {}

    @property
    def _refused(self) -> Path:
        return self.folder / "refused.json"

    def mapped(self) -> np.memmap:
        """All records as one memory-mapped array, by slot."""
        return np.memmap(self.file, np.uint8, "r", shape=(len(self.contents()), *self.how.shape))

    def add(
        self,
        root: Path,
        paths: Sequence[str],
        contents: UInt64[np.ndarray, " n"],
        *,
        workers: int,
        progress: Progress | None = None,
    ) -> dict[str, str]:
        """Decode what is not there yet; the files that would not decode, with the reason."""
        if not (self.slots(contents) < 0).any():
            return {}
        problems: dict[int, str] = {}
        step = max(1, min(CHUNK_IMAGES, CHUNK_BYTES // self.record))
        with (
            self._disk(len(contents) * self.record),
            in_turn(self.folder / "lock"),
            quiet(),
            ThreadPoolExecutor(workers) as pool,
        ):
            # Looked at again within the lock: another process may have done it meanwhile.
            missing = np.flatnonzero(self.slots(contents) < 0)
            missing = missing[np.sort(np.unique(contents[missing], return_index=True)[1])]
            self._room(len(missing) * self.record)
            for start in range(0, len(missing), step):
                some = missing[start : start + step]
                done = list(pool.map(lambda n: _decoded(root / paths[int(n)], int(contents[n]), self.how), some))
                self._append([(int(contents[n]), new) for n, new in zip(some, done) if not isinstance(new, str)])
                problems |= {int(n): reason for n, reason in zip(some, done) if isinstance(reason, str)}
                if progress is not None:
                    progress(start + len(some), len(missing))
            if problems:
                noted = self.refused() | {int(contents[n]): reason for n, reason in problems.items()}
                put_whole(self._refused, json.dumps(noted))
        return {paths[n]: reason for n, reason in problems.items()}

    def _append(self, records: list[tuple[int, np.ndarray]]) -> None:
        if not records:
            return
        contents = np.array([content for content, _ in records], dtype="<u8")
        self._journal.append(contents, (pixels for _, pixels in records))

    def _room(self, need: int) -> None:
        if shutil.disk_usage(self.folder).free < need:
            raise self._full(need)

    def _full(self, need: int) -> UnseenError:
        free = shutil.disk_usage(self.folder).free
        return UnseenError(
            f"no room for the decoded images: {self.folder} needs {need / 1e9:.3g} GB ({need:,} bytes), its disk has "
            f"{free / 1e9:.3g} GB free. Set UNSEEN_CACHE to a folder on a larger disk, or ask for a smaller size. "
            "What was decoded is kept."
        )

    def _locked(self, fault: OSError, how: str) -> UnseenError:
        return UnseenError(
            f"the image cache {self.folder} cannot be {how}: {fault.strerror or fault}. Set UNSEEN_CACHE to a folder "
            "of yours."
        )

    @contextmanager
    def _disk(self, need: int) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as fault:
            if disk_full(fault) or fault.errno == errno.EFBIG:
                raise self._full(need) from None
            raise self._locked(fault, "written") from None


def _decoded(path: Path, content: int, how: Decoding) -> np.ndarray | str:
    try:
        data = bytes_of(path)
    except (OSError, Unreadable) as fault:
        raise UnseenError(f"'{path}' was there when the folder was scanned and cannot be read now: {fault}.") from None
    if content_hash(data) != content:
        raise UnseenError(
            f"'{path}' changed while the images were being decoded; run again once the folder no longer changes."
        )
    try:
        return decode(data, how)
    except Unreadable as fault:
        return str(fault)
