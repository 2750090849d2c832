"""What lies in a folder: image files with a hash of their bytes, their size, and what is wrong with them.

Reading every byte of a large set takes minutes, so what was found is kept in an index beside the decoded pixels; a file
whose size and times are unchanged is not read again. The index is a hint and is written aside and renamed: losing it
costs time only.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import polars as pl

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.whole_files import written_aside
from unseen.worlds.decode import Decoding, Unreadable, decode, opened, quiet, upright_size
from unseen.worlds.parquet import Damaged, parquet_frame
from unseen.worlds.paths import bytes_of, given_path, is_text, shown
from unseen.worlds.walking import Oddities, walk

FRESH_NS = 2_000_000_000  # a file written this shortly before it was read may change again within one tick of its clock
STATS = {"path": pl.String, "bytes": pl.Int64, "mtime": pl.Int64, "ctime": pl.Int64}
FOUND = {"content": pl.UInt64, "height": pl.Int32, "width": pl.Int32, "problem": pl.String, "read": pl.Int64}
Progress = Callable[[int, int], None]


ROOT_HINT = " Give your own: --set world.root=PATH, or --set world.of.root=PATH where the world is transformed."


def folder_at(root: str | Path, hint: str = "") -> Path:
    """The folder, or an error that says which part of its path is missing."""
    path = given_path(root, "folder")
    if path.is_dir():
        if not is_text(str(path.resolve())):
            raise UnseenError(f"the folder '{shown(str(path.resolve()))}' has a name that is not UTF-8; rename it.")
        return path.resolve()
    if path.exists():
        raise UnseenError(f"'{path}' is a file; root is the folder that holds the images.")
    there = next((parent for parent in path.absolute().parents if parent.is_dir()), Path("/"))
    try:
        beside = sorted(entry.name for entry in there.iterdir() if entry.is_dir() and not entry.name.startswith("."))
        holds = f"holds the folders {listed(map(shown, beside), 10)}" if beside else "holds no folders"
    except OSError as fault:
        holds = f"cannot be read ({fault.strerror})"
    raise UnseenError(f"no folder '{shown(str(path))}'; {shown(str(there))} exists and {holds}.{hint}")


def stats(root: Path, paths: Iterable[str] | None = None, odd: Oddities | None = None) -> pl.DataFrame:
    """Size and times of all image files (sorted by path), or of those named, in their order.

    What has the name of an image and cannot be told of in a table is noted in ``odd``, with the reason.
    """
    rows: list[tuple[str, int, int, int]] = []
    missing = []
    if paths is None:
        rows = [(path, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for path, s in walk(root, odd)]
        rows.sort()
    else:
        for path in paths:
            try:
                s = os.stat(root / path)
                rows.append((path, s.st_size, s.st_mtime_ns, s.st_ctime_ns))
            except OSError:
                missing.append(shown(path))
    if missing:
        raise UnseenError(
            f"{len(missing)} files named in the manifest are not in {shown(str(root))}: {listed(missing, 10)}."
        )
    return pl.DataFrame(rows, schema=STATS, orient="row")


def scan(
    root: Path, files: pl.DataFrame, index: Path, *, workers: int, progress: Progress | None = None
) -> pl.DataFrame:
    """The given files with hash, size and problem ("" if none), reading only those the index does not know."""
    known = _known(index)
    joined = files.join(known, on=list(STATS), how="left", maintain_order="left")
    old = joined.filter(pl.col("content").is_not_null())
    new = joined.filter(pl.col("content").is_null()).select(list(STATS))
    if new.is_empty():
        return joined
    found: list[tuple[int, int, int, str, int]] = []
    with quiet(), ThreadPoolExecutor(workers) as pool:
        for start in range(0, len(new), 1024):
            found += pool.map(lambda path: inspect(root / path), new["path"][start : start + 1024])
            if progress is not None:
                progress(len(found), len(new))
    fresh = new.hstack(pl.DataFrame(found, schema=FOUND, orient="row"))
    elsewhere = known.join(files, on="path", how="anti")  # a manifest of some files keeps what is known of the others
    _keep(pl.concat([elsewhere, old, fresh]), index)
    return files.join(pl.concat([old, fresh]), on=list(STATS), how="left", maintain_order="left")


def inspect(path: Path) -> tuple[int, int, int, str, int]:
    """Hash, height, width, problem, time. Truncation shows in the file's structure, so nothing is decoded here
    unless the structure looks wrong."""
    now = time.time_ns()
    try:
        data = bytes_of(path)
    except OSError as fault:
        return 0, 0, 0, f"cannot be read: {fault.strerror}", now
    except Unreadable as fault:
        return 0, 0, 0, str(fault), now
    content = content_hash(data)
    try:
        image = opened(data)
        height, width = upright_size(image)
        if not whole(data, image.format or ""):
            decode(data, Decoding((8, 8)))
    except Unreadable as fault:
        return content, 0, 0, str(fault), now
    return content, height, width, "", now


def content_hash(data: bytes) -> int:
    """64 bits of blake2b over a file's bytes."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def whole(data: bytes, form: str) -> bool:
    """Whether a file ends as its format says; False only asks for a closer look.

    >>> whole(b"GIF89a...;", "GIF"), whole(b"GIF89a...", "GIF")
    (True, False)
    """
    if form in ("JPEG", "MPO"):
        return data.rstrip(b"\0")[-2:] == b"\xff\xd9"
    if form == "PNG":
        return data.rstrip(b"\0")[-8:-4] == b"IEND"
    if form == "WEBP":
        return len(data) >= 8 + int.from_bytes(data[4:8], "little")
    if form == "GIF":
        return data.rstrip(b"\0")[-1:] == b";"
    return False


def _known(index: Path) -> pl.DataFrame:
    try:
        frame = parquet_frame(index)
    except Damaged:
        frame = pl.DataFrame(schema=STATS | FOUND)
    if dict(frame.schema) != STATS | FOUND:
        frame = pl.DataFrame(schema=STATS | FOUND)
    settled = pl.max_horizontal("mtime", "ctime") + FRESH_NS < pl.col("read")
    # What had a problem is looked at anew: the extra it needs may be installed by now.
    return frame.filter(settled & (pl.col("problem") == ""))


def _keep(frame: pl.DataFrame, index: Path) -> None:
    with suppress(OSError):  # a full or read-only disk: scanning works without an index
        index.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(index, sync=False) as aside:
            frame.write_parquet(aside)
