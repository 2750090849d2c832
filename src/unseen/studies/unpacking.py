"""A packed study that came from elsewhere, read: with bounds, and nothing but what a study is made of comes out.

The archive is read once, as a stream, and its files are written aside as they come, so that a study of any size needs
little memory. A name that no study has is left out, so that no code can arrive; what leads elsewhere, links and devices
are refused, and so is an archive that grows out of all proportion while it is read.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import math
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from unseen.studies.archives import (
    ENCODER,
    FACTS,
    FILES,
    IDENTITY,
    MARK,
    SUBJECT,
    calibration_record,
)
from unseen.studies.sound import Damaged, check_subject, check_trial, read_encoder
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.recipe import parse, recipe_from
from unseen.vocabulary.visible import visible

GB = 1_000_000_000
MOST = 64 * GB  # of all files together; `unseen unpack --limit` sets another
MOST_FILE = 16 * GB
MOST_TEXT = 64_000_000  # of recipe.toml, trial.json and the like, which are read whole
MOST_MEMBERS = 500_000
FREE, RATIO = 256_000_000, 200  # beyond so many bytes, so many times the archive's own size: a study grows tenfold
_HEADERS = 1 << 20  # of one file in the archive
_CHUNK = 1 << 20
_MEMORY = 1 << 28  # that xz may take to unpack: its highest setting takes a quarter
_DAMAGE = (tarfile.TarError, EOFError, OSError, lzma.LZMAError, zlib.error, UnicodeDecodeError, ValueError)


@dataclass
class Unpacked:
    """What was read: the folder of each trial is aside."""

    recipe: str | None = None
    trials: dict[str, Path] = field(default_factory=dict)
    subjects: dict[str, Path] = field(default_factory=dict)
    encoders: dict[str, Path] = field(default_factory=dict)
    calibrations: dict[str, dict[str, Any]] = field(default_factory=dict)


class Unwritten(Exception):
    """The disk does not take what is unpacked; the archive may be as it should."""

    def __init__(self, why: OSError) -> None:
        self.why = why
        super().__init__(str(why))


Note = Callable[[str], None]
Read = Callable[[int], bytes]


def unpack_aside(path: Path, aside: Path, *, salvage: bool, limit: float | None, note: Note) -> Unpacked:
    """Read a packed study into an empty folder, and check it. ``limit`` in GB; ``note`` is told what was left out.

    With ``salvage`` an archive that ends too early, or of which a part is damaged, gives what is whole in it: a trial's
    facts are its last file.
    """
    if limit is not None and not 0 <= limit < math.inf:
        raise UnseenError(f"--limit {limit:g} is no size; give a number of GB, e.g. --limit 200.")
    if not path.is_file():
        raise UnseenError(f"no packed study '{path}'{', which is a folder' if path.is_dir() else ''}.")
    found, left_out = Unpacked(), []
    try:
        for name, file in _written(path, aside, limit, left_out):
            if name == "recipe.toml":
                found.recipe = file.read_text(encoding="utf-8")
            elif file.parent.name == "calibrations":
                found.calibrations[file.stem] = {}
            elif file.parent.parent.name == "subjects":
                found.subjects[file.parent.name] = file.parent
            elif file.parent.parent.name == "encoders":
                found.encoders[file.parent.name] = file.parent
            else:
                found.trials[file.parent.name] = file.parent
    except _DAMAGE as error:
        whole = [name for name, folder in found.trials.items() if (folder / FACTS).is_file()]
        if not salvage:
            told = f" {len(whole)} of its trials are whole: unpack with --salvage to take them." if whole else ""
            raise UnseenError(f"'{path}' is not a packed study, or is damaged: {visible(error)}.{told}") from None
        found.trials = {name: found.trials[name] for name in whole}
        found.subjects = {name: one for name, one in found.subjects.items() if (one / SUBJECT).is_file()}
        found.encoders = {name: one for name, one in found.encoders.items() if (one / ENCODER).is_file()}
    if left_out:
        count = f"{len(left_out)} file{'s' * (len(left_out) != 1)} that no study has"
        note(f"left out {count}: {listed(map(visible, left_out), most=4)}")
    _check(path, aside, found, salvage, note)
    return found


def _check_folders(
    path: Path, folders: dict[str, Path], check: Callable[[Path], object], what: str, salvage: bool, note: Note
) -> None:
    """Whether each folder is whole; one that is not is left out where salvaging, and refused elsewhere."""
    for identity, folder in list(folders.items()):
        try:
            check(folder)
        except Damaged as error:
            named = what.format(identity)
            if not salvage:
                raise UnseenError(f"'{path}' is damaged: {named} {error.why}.") from None
            note(f"left out {named.removesuffix(',')}: it {error.why}")
            del folders[identity]


def _check(path: Path, aside: Path, found: Unpacked, salvage: bool, note: Note) -> None:
    """Whether each part is what its name says."""
    _check_folders(path, found.trials, check_trial, "trial {}", salvage, note)
    _check_folders(path, found.subjects, check_subject, "the answers of a subject, {},", salvage, note)
    _check_folders(path, found.encoders, read_encoder, "encoder {}", salvage, note)
    for identity in list(found.calibrations):
        try:
            found.calibrations[identity] = calibration_record(
                (aside / "calibrations" / f"{identity}.json").read_bytes(), identity
            )
        except ValueError as error:
            if not salvage:
                raise UnseenError(f"'{path}' is damaged: a calibration cannot be read ({visible(error)}).") from None
            note(f"left out calibration {identity}: {visible(error)}")
            del found.calibrations[identity]
    if found.recipe is not None:
        try:
            recipe_from(parse(found.recipe, "its recipe.toml"), "its recipe.toml")
        except (UnseenError, RecursionError) as error:
            if not salvage:
                raise UnseenError(
                    f"'{path}' holds a recipe that cannot be read: {visible(error)} --salvage takes the trials alone."
                ) from None
            note(f"left out the recipe: {visible(error)}")
            found.recipe = None


def _written(path: Path, aside: Path, limit: float | None, left_out: list[str]) -> Iterator[tuple[str, Path]]:
    """Write the files of an archive aside and give each one's name and place."""
    most = MOST if limit is None else int(limit * GB)
    ratio = max(FREE, RATIO * path.stat().st_size) if limit is None else most
    seen, count = set(), 0
    with _opened(path) as take:
        meter = _Meter(path, take, most, ratio)
        with tarfile.open(fileobj=meter, mode="r|") as archive:  # type: ignore[call-overload]
            while (member := archive.next()) is not None:
                archive.members.clear()  # it would keep all of them
                meter.expect(member.size)
                count += 1
                if count > MOST_MEMBERS:
                    raise UnseenError(f"'{path}' holds more than {MOST_MEMBERS:,} files, as no study does: refused.")
                if (name := _name(path, member)) is None:
                    continue
                if name in seen:
                    raise UnseenError(f"'{path}' holds '{visible(member.name)}' twice: refused.")
                seen.add(name)
                place = _place(path, name)
                if place is None:
                    left_out.append(name)
                    continue
                _check_size(path, member, most if limit is not None else min(most, MOST_FILE))
                file = aside / place
                file.parent.mkdir(parents=True, exist_ok=True)
                part = file.with_name(f".{file.name}")
                data = archive.extractfile(member)
                assert data is not None
                _copy(data.read, part, member.size)
                part.rename(file)
                yield str(place), file
        while meter.read(_CHUNK):  # to the end, where its sum is checked
            meter.expect(_CHUNK)


def _copy(take: Read, file: Path, size: int) -> None:
    done = 0
    file.touch()
    while chunk := take(_CHUNK):
        done += len(chunk)
        try:
            with open(file, "ab") as out:
                out.write(chunk)
        except OSError as error:
            raise Unwritten(error) from error
    if done != size:
        raise EOFError("it ends before its last file does")


def _name(path: Path, member: tarfile.TarInfo) -> str | None:
    """A member's plain name below the study's mark; None for folders. Refuses what leads elsewhere or is no file."""
    given = PurePosixPath(member.name)
    if ".." in given.parts or given.is_absolute():
        raise UnseenError(f"'{path}' holds the name '{visible(member.name)}', which leads out of a study: refused.")
    if member.isdir():
        return None
    if not member.isreg() or member.issparse():
        kind = "a link" if member.issym() or member.islnk() else "no plain file"
        raise UnseenError(f"'{path}' holds '{visible(member.name)}', which is {kind}: refused.")
    return given.as_posix()


def _place(path: Path, name: str) -> PurePosixPath | None:
    """Where a file of a study goes; None for names that no study has."""
    mark, *parts = name.split("/")
    if mark != MARK:
        return None
    if parts == ["recipe.toml"]:
        return PurePosixPath("recipe.toml")
    identity = parts[1].removesuffix(".json") if len(parts) > 1 else ""
    trial = len(parts) == 3 and parts[2] in FILES.get(parts[0], ())
    if not trial and not (len(parts) == 2 and parts[0] == "calibrations" and parts[1].endswith(".json")):
        return None
    if not IDENTITY.fullmatch(identity if not trial else parts[1]):
        raise UnseenError(f"'{path}' names a trial or calibration '{visible(parts[1])}', no identity of ours: refused.")
    return PurePosixPath(*parts)


def _check_size(path: Path, member: tarfile.TarInfo, most: int) -> None:
    text = member.name.endswith((".json", ".toml"))
    most = min(most, MOST_TEXT) if text else most
    if member.size > most:
        way = "" if text else " (--limit GB allows more)"
        raise UnseenError(
            f"'{path}' says that '{visible(member.name)}' has {_bytes(member.size)}; it may have {_bytes(most)}{way}. "
            f"Refused."
        )


class _Meter:
    """A stream that is read no further than it may: as much as a file's header said, and so much in all."""

    def __init__(self, path: Path, take: Read, most: int, ratio: int) -> None:
        self.path, self.take, self.most, self.ratio = path, take, most, ratio
        self.total, self.until = 0, 2 * _HEADERS

    def expect(self, size: int) -> None:
        """So many bytes of a file come next, and then a header."""
        self.until = self.total + size + 2 * _HEADERS

    def read(self, size: int) -> bytes:
        data = self.take(min(size, _CHUNK))
        self.total += len(data)
        if self.total > self.until:
            raise UnseenError(f"'{self.path}' holds a name or a header of more than {_bytes(_HEADERS)}: refused.")
        if self.total > min(self.most, self.ratio):
            big = self.total > self.most
            why = f"more than {_bytes(self.most)}" if big else f"{_bytes(self.total)} and more, {RATIO} times its size"
            raise UnseenError(f"'{self.path}' unpacks to {why}: refused. If you trust it, unpack it with --limit GB.")
        return data


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Read]:
    """The archive's bytes, unpacked as its first ones tell."""
    with open(path, "rb") as handle:
        start = handle.read(6)
        handle.seek(0)
        if start.startswith(b"\xfd7zXZ"):
            yield _Xz(handle).read
        elif start.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=handle) as inside:
                yield inside.read
        elif start.startswith(b"BZh"):
            with bz2.BZ2File(handle) as inside:
                yield inside.read
        else:
            yield handle.read


class _Xz:
    """A row of xz streams as one; unlike Python's own file it takes no more memory than it may."""

    def __init__(self, handle: IO[bytes]) -> None:
        self.handle, self.waiting = handle, b""
        self.stream: lzma.LZMADecompressor | None = None

    def read(self, size: int) -> bytes:
        while True:
            if self.stream is None:
                self.waiting = self.waiting.lstrip(b"\0")  # streams may be padded
                while not self.waiting:
                    if not (more := self.handle.read(_CHUNK)):
                        return b""
                    self.waiting = more.lstrip(b"\0")
                self.stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
            if self.stream.needs_input and not self.waiting:
                self.waiting = self.handle.read(_CHUNK)
                if not self.waiting:
                    raise EOFError("compressed file ended before the end-of-stream marker was reached")
            given, self.waiting = self.waiting, b""
            data = self.stream.decompress(given, size)
            if self.stream.eof:
                self.stream, self.waiting = None, self.stream.unused_data
            if data:
                return data


def _bytes(count: int) -> str:
    """A size in words.

    >>> _bytes(64_000_000), _bytes(8_000_000_000_000)
    ('64 MB', '8,000 GB')
    """
    return f"{count / GB:,.0f} GB" if count >= 10 * GB else f"{count / 1e6:,.0f} MB"
