"""Arrays of pictures in files larger than memory: records read in place, whatever the container.

A stored member of a ``.npz`` lies in the file as it is, and so does an ``.h5`` dataset without chunks: its rows are
read by their offsets. What is compressed has no offsets: a deflated ``.npz`` member must be inflated once, streaming,
to a file in the cache (``UNSEEN_CACHE``), and read there; a chunked ``.h5`` dataset can be read as it is, chunk by
chunk, or unpacked in the same way. Memory is that of the rows asked for and one bounded buffer.

Opening checks the container's directory, the array's shape and its type, never all its bytes. A file that has been cut
short has lost the end of its directory, and is refused there.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int, UInt8

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.locks import in_turn
from unseen.vocabulary.whole_files import disk_full, remove_leftovers, written_aside
from unseen.worlds.cache_folder import cache_folder

Progress = Callable[[int, int], None]
PIECE = 16 * 2**20  # bytes inflated at a time


@runtime_checkable
class Archive(Protocol):
    """Records of equal shape, by number."""

    @property
    def fingerprint(self) -> tuple[object, ...]: ...
    def prepare(self, progress: Progress | None = None) -> None: ...
    def read(self, rows: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n ..."]: ...


@dataclass(frozen=True)
class Npz:
    """One array of an ``.npz``: its records begin ``header`` bytes into the member, and the member lies ``offset``
    bytes into the file, or nowhere (None) where it is deflated. ``crc`` and ``bytes`` are the file's own words."""

    path: Path
    member: str
    shape: tuple[int, ...]
    header: int
    bytes: int
    crc: int
    offset: int | None

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """The checksum of the array's bytes as the file's directory gives it: it changes with any content that was
        written by a zip writer, and costs nothing. Inflating verifies it; reading in place does not."""
        return self.shape, self.bytes, self.crc

    @property
    def inflated(self) -> Path:
        return unpacked_folder() / f"{self.member}-{self.crc:08x}-{self.bytes}.npy"

    def prepare(self, progress: Progress | None = None) -> None:
        if self.offset is None:
            kept(self.inflated, self.bytes, lambda: self._pieces(), str(self.path), progress)

    def read(self, rows: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n ..."]:
        self.prepare()
        file, start = (self.inflated, 0) if self.offset is None else (self.path, self.offset)
        return records(file, start + self.header, self.shape, rows)

    def _pieces(self) -> Iterator[bytes]:
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(f"{self.member}.npy") as source:
                while piece := source.read(PIECE):
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError) as fault:
            said = f"{self.path} is damaged: '{self.member}' does not inflate ({fault}); fetch it again."
            raise UnseenError(said) from None


def open_npz(path: Path, member: str, shape: tuple[int, ...]) -> Npz:
    """Read the directory of an ``.npz`` and the header of one array, and check both."""
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = [name.removesuffix(".npy") for name in archive.namelist()]
            if f"{member}.npy" not in archive.namelist():
                raise UnseenError(f"{path} holds no array '{member}', only {listed(arrays)}; is it another data set's?")
            info = archive.getinfo(f"{member}.npy")
            with archive.open(info) as source:
                found, dtype, fortran = _header(source)
                header = source.tell()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as fault:
        size = path.stat().st_size
        raise UnseenError(f"{path} ({size:,} bytes) is truncated or damaged ({fault}); fetch it again.") from None
    check(path, member, found, dtype, shape)
    if fortran:
        raise UnseenError(f"'{member}' in {path} is stored column by column; save it in C order.")
    offset = _start(path, info) if info.compress_type == zipfile.ZIP_STORED else None
    end = 0 if offset is None else offset + info.file_size
    if info.file_size != header + int(np.prod(shape)) or end > path.stat().st_size:
        raise UnseenError(f"'{member}' in {path} is shorter than its header promises; fetch the file again.")
    return Npz(path, member, shape, header, info.file_size, info.CRC, offset)


def _header(source: Any) -> tuple[tuple[int, ...], np.dtype, bool]:
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(source)
    if version not in readers:
        raise ValueError(f"an array in version {version} of the npy format")
    shape, fortran, dtype = readers[version](source)
    return shape, dtype, fortran


def _start(path: Path, info: zipfile.ZipInfo) -> int:
    """Where a member's bytes begin: after its own header, whose extra field may differ from the directory's."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(30))
    return info.header_offset + 30 + name + extra


# --- any container ---------------------------------------------------------------------------------------------------


def unpacked_folder() -> Path:
    return cache_folder() / "archives"


def check(path: Path, member: str, found: tuple[int, ...], dtype: np.dtype, shape: tuple[int, ...]) -> None:
    """Refuse an array of another shape or type."""
    if tuple(found) != shape:
        said, wanted = (" × ".join(f"{n:,}" for n in sizes) or "a single number" for sizes in (found, shape))
        raise UnseenError(
            f"'{member}' in {path} is {said}; this world has {wanted}. Is it another version or a part of the data set?"
        )
    if dtype != np.uint8:
        raise UnseenError(f"'{member}' in {path} holds {dtype}; pictures are uint8, as in the official file.")


def records(path: Path, offset: int, shape: tuple[int, ...], rows: Int[np.ndarray, " n"]) -> UInt8[np.ndarray, "n ..."]:
    """Rows of an array that lies ``offset`` bytes into a file, in the order asked; read in file order, neighbours in
    one go. Read, not mapped: a file cut short meanwhile is an error, not a crash."""
    size = int(np.prod(shape[1:]))
    order = np.argsort(rows, kind="stable")
    wanted = np.asarray(rows, np.int64)[order]
    out = np.empty((len(wanted), size), np.uint8)
    runs = np.flatnonzero(np.diff(wanted, prepend=-2) != 1)
    starts, stops = (runs * size).tolist(), (np.append(runs[1:], len(wanted)) * size).tolist()
    buffer = out.reshape(-1).data
    try:
        with path.open("rb", buffering=0) as file:
            for start, stop, place in zip(starts, stops, (offset + wanted[runs] * size).tolist()):
                _fill(file.fileno(), buffer[start:stop], place)
    except (OSError, EOFError) as fault:
        raise UnseenError(f"{path} cannot be read to its end ({fault}); was it cut short or moved?") from None
    if not np.array_equal(order, np.arange(len(order))):
        sorted_out, out = out, np.empty_like(out)
        out[order] = sorted_out
    return out.reshape(len(wanted), *shape[1:])


def _fill(file: int, buffer: memoryview, place: int) -> None:
    while len(buffer):
        got = os.preadv(file, [buffer], place)  # the system gives at most 2 GB at a time
        if not got:
            raise EOFError(f"nothing at byte {place:,}")
        buffer, place = buffer[got:], place + got


def kept(
    target: Path,
    size: int,
    pieces: Callable[[], Iterable[bytes | memoryview]],
    source: str,
    progress: Progress | None = None,
) -> None:
    """Write what ``pieces`` yields to a file of the cache, whole or not at all, once; processes take turns."""
    if _there(target, size):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with in_turn(target.with_suffix(".lock")):
            if _there(target, size):
                return
            remove_leftovers(target.parent, target.name)
            if shutil.disk_usage(target.parent).free < size:
                raise full(target.parent, size, source)
            with written_aside(target) as aside:
                done = 0
                with aside.open("wb") as copy:
                    for piece in pieces():
                        copy.write(piece)
                        done += len(piece)
                        if progress is not None:
                            progress(done, size)
                if done != size:
                    raise UnseenError(f"{source} gave {done:,} bytes instead of {size:,}; fetch it again.")
    except OSError as fault:
        if disk_full(fault) or fault.errno == errno.EFBIG:
            raise full(target.parent, size, source) from None
        raise UnseenError(f"the cache {target.parent} cannot be written: {fault}. Set UNSEEN_CACHE.") from None


def _there(target: Path, size: int) -> bool:
    return target.is_file() and target.stat().st_size == size


def full(folder: Path, size: int, source: str) -> UnseenError:
    free = shutil.disk_usage(folder).free if folder.exists() else 0
    return UnseenError(
        f"no room to unpack {source}: {folder} needs {size / 1e9:.3g} GB ({size:,} bytes), its disk has "
        f"{free / 1e9:.3g} GB free. Set UNSEEN_CACHE to a folder on a larger disk."
    )
