"""Furniture libraries of Sweet Home 3D (``.sh3f``): zip archives with a catalogue and the models it lists.

Each library is unpacked once, into the cache, the folders of its models only. What it unpacks to is known from its
directory and bounded before a byte is written.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.whole_files import written_aside
from unseen.worlds.meshes.layouts.entries import Entry, Listing
from unseen.worlds.meshes.references import SUFFIXES

LIBRARY, CATALOGUE = ".sh3f", "PluginFurnitureCatalog.properties"
MOST_BYTES, MOST_MEMBERS = 4 * 2**30, 100_000  # of a library, unpacked
MOST_GROWTH = 100  # times the size of the archive: text shrinks to a tenth, a bomb to a thousandth
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


class Refused(Exception):
    """This library is not taken; the message says why."""


@dataclass(frozen=True)
class Library:
    """An archive that can be taken: what it lists, and the members that belong to that."""

    file: Path
    listed: Sequence[Entry]  # paths are those of members
    members: Sequence[str]


def libraries_of(given: Path) -> list[Path]:
    """The archive itself, or those that lie in a folder."""
    if given.is_file():
        return [given] if given.suffix.lower() == LIBRARY else []
    return sorted(file for file in given.iterdir() if file.suffix.lower() == LIBRARY and file.is_file())


def sweethome(given: Path, cache: Path, *, by_name: bool = False) -> Listing:
    """The models of a library, or of all libraries of a folder. A piece's category is the catalogue's (Kitchen), or its
    own name (Chair) with ``by_name``. Once its rotation is applied, y is up and the front looks along +z."""
    taken: list[Library] = []
    told: list[str] = []
    files = libraries_of(given)
    for file in files:
        try:
            library, unread = opened(file, by_name)
        except Refused as fault:
            told.append(f"left out: {file.name} ({fault})")
            continue
        taken.append(library)
        if unread:
            told.append(
                f"left out: {len(unread)} models of {file.name} that are no {listed(SUFFIXES)}: {listed(unread, 10)}"
            )
    if not taken:
        raise UnseenError(f"no library of Sweet Home 3D in {given} can be taken: {listed(told, 10)}.")
    base = _unpacked(taken, cache)
    found = [
        Entry(**{**one.__dict__, "path": f"{library.file.stem}/{one.path}"})
        for library in taken
        for one in library.listed
    ]
    return Listing(base, found, tuple(told), up="y", front="z")


def opened(file: Path, by_name: bool = False) -> tuple[Library, list[str]]:
    """What a library lists, checked against its directory, and the models that no reader here reads."""
    try:
        with zipfile.ZipFile(file) as archive:
            inside = [one for one in archive.infolist() if not one.is_dir()]
            _bounded(inside, file.stat().st_size)
            there = {one.filename for one in inside}
            if CATALOGUE not in there:
                raise Refused(f"it has no {CATALOGUE}")
            said = properties(archive.read(CATALOGUE).decode("latin-1"))
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as fault:
        raise Refused(f"it cannot be read as a zip archive: {fault}") from None
    found, unread, folders = [], [], set()
    for number in sorted((key[3:] for key in said if key.startswith("id#")), key=lambda text: (len(text), text)):
        model = said.get(f"model#{number}", "").lstrip("/")
        category = said.get(f"{'name' if by_name else 'category'}#{number}", "").strip()
        if not category or model not in there or PurePosixPath(model).suffix.lower() not in SUFFIXES:
            unread.append(said.get(f"name#{number}") or model or number)
            continue
        folders.add(model.rpartition("/")[0])
        found.append(
            Entry(
                category,
                model,
                said.get(f"name#{number}", ""),
                creator=said.get(f"creator#{number}", ""),
                licence=said.get(f"license#{number}") or said.get("license", ""),
                source=f"{file.name}:{model}",
                rotation=said.get(f"modelRotation#{number}", ""),
            )
        )
    if not found:
        raise Refused(f"its catalogue lists no model that can be read ({len(unread)} listed)")
    belonging = [name for name in sorted(there) if _within(name, folders) and not name.endswith(".properties")]
    return Library(file, list({one.path: one for one in found}.values()), belonging), unread


def _bounded(inside: Sequence[zipfile.ZipInfo], size: int) -> None:
    whole = sum(one.file_size for one in inside)
    if len(inside) > MOST_MEMBERS:
        raise Refused(f"{len(inside):,} files are more than {MOST_MEMBERS:,}")
    if whole > MOST_BYTES or whole > MOST_GROWTH * max(size, 1000):
        raise Refused(f"it unpacks from {size:,} to {whole:,} bytes, which no library of furniture does")
    for one in inside:
        if one.filename.startswith("/") or ".." in PurePosixPath(one.filename).parts or "\\" in one.filename:
            raise Refused(f"it names a file outside itself: {one.filename}")


def _within(name: str, folders: set[str]) -> bool:
    """Whether a member lies in a model's folder or below it; of models in the archive's top, beside them only."""
    own = name.rpartition("/")[0]
    return own in folders or any(folder and own.startswith(f"{folder}/") for folder in folders)


def _unpacked(libraries: Sequence[Library], cache: Path) -> Path:
    """The folder that holds these libraries unpacked, each below its own name; named by what they hold."""
    digest = hashlib.blake2b(digest_size=16)
    for library in libraries:
        digest.update(f"{library.file.stem}\0".encode())
        with library.file.open("rb") as file:
            while piece := file.read(2**22):
                digest.update(piece)
    place = cache / "meshes" / "libraries" / digest.hexdigest()
    if place.is_dir():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(place, sync=False) as aside:
            for library in libraries:
                with zipfile.ZipFile(library.file) as archive:
                    for name in library.members:
                        to = aside / library.file.stem / name
                        to.parent.mkdir(parents=True, exist_ok=True)
                        with archive.open(name) as source, to.open("wb") as file:
                            shutil.copyfileobj(source, file, 2**20)
    except (zipfile.BadZipFile, RuntimeError, EOFError) as fault:
        raise UnseenError(f"a library of Sweet Home 3D cannot be unpacked: {fault}. Download it again.") from None
    except OSError as fault:
        if place.is_dir():  # another process was faster
            return place
        raise UnseenError(
            f"libraries of Sweet Home 3D cannot be unpacked to {place.parent}: {fault.strerror or fault}. "
            "Set UNSEEN_CACHE to a folder on a disk with room."
        ) from None
    return place


def properties(text: str) -> dict[str, str]:
    """Java's ``.properties``: key=value, comments, lines that go on after a backslash, escapes.

    >>> properties("# furniture\\nname#1 = Gar\\\\u00e7on\\nnote: a \\\\\\n   b\\n")
    {'name#1': 'Garçon', 'note': 'a b'}
    """
    found: dict[str, str] = {}
    logical = ""
    for line in text.splitlines():
        line = line.lstrip(" \t\f")
        if not logical and line[:1] in ("", "#", "!"):
            continue
        logical += line
        if (len(logical) - len(logical.rstrip("\\"))) % 2:  # an odd number of backslashes: it goes on
            logical = logical[:-1]
            continue
        parts = re.match(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", logical, re.DOTALL)
        if parts is not None:
            found[_plain(parts[1])] = _plain(parts[2])
        logical = ""
    return found


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _PLAIN.get(m[2], m[2]), text).strip()
