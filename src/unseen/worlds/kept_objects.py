"""Objects that were made by rule, kept on disk: a thousand take half a minute of a core to make, and a second to read.

Files of 64 instances of a category each lie below the cache, in a folder named by all that decides them: collection,
seed, the library's code that makes and draws, numpy, the processor. What is kept is only ever what would be made, so
that a file that is missing, damaged or cannot be written costs time and nothing else. Where all would take more than
is allowed, what was used least recently goes.
"""

from __future__ import annotations

import hashlib
import os
import platform
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from unseen.vocabulary.cores import cores
from unseen.vocabulary.locks import in_turn
from unseen.vocabulary.sizes import gigabytes_said
from unseen.vocabulary.whole_files import put_whole, remove_leftovers
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.making import Wanted, make_objects
from unseen.worlds.rendering.mesh import Mesh

BUDGET = "UNSEEN_OBJECTS"  # GB that all may take; 0 keeps none
MOST = 4.0  # GB, if not said (ours): about 50,000 objects
TOGETHER = 64  # instances of a category in one file
FIELDS = ("vertices", "faces", "normals", "colours", "paint", "gloss", "uv", "texture")
MAKERS = ("worlds/shapes", "worlds/everyday", "worlds/rendering", "worlds/collections.py", "vocabulary/seeds.py")


def objects_at_hand(wanted: Sequence[Wanted], seed: int, collection: str) -> tuple[Mesh, ...]:
    """The objects asked for, in that order: read where they are kept, else made, and kept. Of several processes that
    lack the same one makes it, and the others wait and read."""
    home = objects_home()
    if gigabytes_said(BUDGET, MOST, "objects") == 0:
        return make_objects(wanted, seed, collection=collection)
    folder = home / f"{collection}-{made_by()}" / str(seed)
    found = read_objects(folder, wanted)
    if missing := _lacking(wanted, found):
        with _alone(folder):
            found |= read_objects(folder, missing)
            if missing := _lacking(missing, found):
                made = dict(zip(missing, make_objects(missing, seed, collection=collection)))
                found |= made
                with suppress(OSError):
                    keep_objects(folder, made)
                    make_room(home)
    return tuple(found[one] for one in wanted)


def objects_home() -> Path:
    """The folder of all kept objects: below the cache, so that studies share them."""
    return cache_folder() / "objects"


@lru_cache(maxsize=1)
def made_by() -> str:
    """A name for all but the collection and the seed that decides what an object is made of."""
    own = Path(__file__).parents[1]
    digest = hashlib.blake2b(f"{np.__version__} {platform.machine()}".encode(), digest_size=8)
    for place in MAKERS:
        for file in sorted((own / place).glob("*.py")) if (own / place).is_dir() else [own / place]:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def read_objects(folder: Path, wanted: Iterable[Wanted]) -> dict[Wanted, Mesh]:
    """Those of the objects asked for that are kept here and whole."""
    found: dict[Wanted, Mesh] = {}
    with ThreadPoolExecutor(cores()) as pool:
        for some in pool.map(_read, *zip(*_by_file(folder, wanted))):
            found |= some
    return found


def keep_objects(folder: Path, made: Mapping[Wanted, Mesh]) -> None:
    """Add objects to those that are kept here."""

    def add(file: Path, some: Sequence[Wanted]) -> None:
        arrays = _arrays(file)
        for one in some:
            own = {f"{one[1]} {name}": getattr(made[one], name) for name in FIELDS}
            arrays |= {name: array for name, array in own.items() if array is not None}
        put_whole(file, zlib.compress(save(arrays), 1), sync=False)

    from safetensors.numpy import save

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(add, *zip(*_by_file(folder, made))))


def make_room(home: Path, most: float | None = None) -> int:
    """Let what was used least recently go until all take no more than is allowed; gives the bytes freed."""
    kept = []
    for file in home.glob("*/*/*.objects"):
        with suppress(OSError):
            told = file.stat()
            kept.append((told.st_mtime, told.st_size, file))
    most = gigabytes_said(BUDGET, MOST, "objects") if most is None else most
    left = total = sum(size for _, size, _ in kept)
    for _, size, file in sorted(kept):
        if left <= most * 1e9:
            break
        with suppress(OSError):
            file.unlink()
            left -= size
    return total - left


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time makes what is missing; where no file can be locked, each makes it for itself."""
    with ExitStack() as held:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            remove_leftovers(folder)
            held.enter_context(in_turn(folder / "lock"))
        yield


def _lacking(wanted: Iterable[Wanted], found: Mapping[Wanted, Mesh]) -> list[Wanted]:
    return [one for one in dict.fromkeys(wanted) if one not in found]


def _by_file(folder: Path, wanted: Iterable[Wanted]) -> list[tuple[Path, list[Wanted]]]:
    files: dict[Path, list[Wanted]] = {}
    for category, instance in dict.fromkeys(wanted):
        file = folder / f"{category}-{instance // TOGETHER * TOGETHER}.objects"
        files.setdefault(file, []).append((category, instance))
    return list(files.items())


def _read(file: Path, wanted: Sequence[Wanted]) -> dict[Wanted, Mesh]:
    arrays = _arrays(file)
    if arrays:
        with suppress(OSError):
            os.utime(file)
    return {one: _mesh(arrays, one[1]) for one in wanted if f"{one[1]} vertices" in arrays}


def _mesh(arrays: Mapping[str, np.ndarray], instance: int) -> Mesh:
    own = {name: arrays.get(f"{instance} {name}") for name in FIELDS}
    return Mesh(**{name: array.copy() for name, array in own.items() if array is not None})  # a view would hold all


def _arrays(file: Path) -> dict[str, np.ndarray]:
    """What a file holds; nothing where it is not there or not whole."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return load(zlib.decompress(file.read_bytes()))
    except (OSError, zlib.error, SafetensorError, ValueError):
        return {}
