"""MNIST's file format (idx), read strictly, and fetched when asked by name.

Files a user already has need not be the official ones bit for bit (a re-compressed or re-ordered copy is fine); what is
downloaded must have the published hash.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import itertools
import logging
import os
import urllib.request
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.whole_files import remove_leftovers, written_aside

log = logging.getLogger(__name__)

KINDS = {1: "labels", 3: "images"}  # by number of dimensions, the last byte of the magic number
TIMEOUT = 60  # seconds without a byte


@dataclass(frozen=True)
class Origin:
    """Where a set's files are published, and their MD5 sums (as torchvision lists them)."""

    mirrors: tuple[str, ...]
    md5: dict[str, str]


ORIGINS = {
    "mnist": Origin(
        ("https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"),
        {
            "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
            "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
            "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
            "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
        },
    ),
    "fashion-mnist": Origin(
        ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
        {
            "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
            "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
            "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
        },
    ),
}
HALVES = {"train": "train", "t10k": "test"}


def read_set(
    name: str, root: Path, *, download: bool, classes: int
) -> tuple[UInt8[np.ndarray, "n h w"], UInt8[np.ndarray, " n"], np.ndarray]:
    """Both halves of a set in a row: pictures, labels, and the half ("train", "test") of each."""
    files = [name_.removesuffix(".gz") for name_ in ORIGINS[name].md5]
    if download:
        fetch(name, root, [f"{file}.gz" for file in files if locate(root, file) is None])
    found = {file: locate(root, file) for file in files}
    missing = [file for file, path in found.items() if path is None]
    if missing:
        raise UnseenError(_missing(name, root, files, missing))
    pictures, labels, pools = [], [], []
    for half, pool in HALVES.items():
        images_path, labels_path = found[f"{half}-images-idx3-ubyte"], found[f"{half}-labels-idx1-ubyte"]
        assert images_path is not None
        assert labels_path is not None
        shown, told = read(images_path, dimensions=3), read(labels_path, dimensions=1)
        if len(shown) != len(told):
            raise UnseenError(
                f"{images_path} holds {len(shown):,} images but {labels_path.name} {len(told):,} labels; "
                "they are not of one set. Fetch both again."
            )
        if len(told) and told.max() >= classes:
            raise UnseenError(f"{labels_path} holds label {told.max()}; {name} has {classes} categories, from 0.")
        pictures.append(shown)
        labels.append(told)
        pools.append(np.full(len(told), pool))
    shapes = {part.shape[1:] for part in pictures}
    if len(shapes) > 1 or any(high != wide or high == 0 for high, wide in shapes):
        raise UnseenError(f"{root}: images must be square and of one size; found {sorted(shapes)}.")
    return np.concatenate(pictures), np.concatenate(labels), np.concatenate(pools)


def locate(root: Path, file: str) -> Path | None:
    """The file plain or compressed, also under the name with a dot that some copies have."""
    for name in (file, f"{file}.gz", file.replace("-idx", ".idx"), file.replace("-idx", ".idx") + ".gz"):
        if os.path.isfile(root / name):  # False, not an error, where it may not be looked at
            return root / name
    return None


def read(path: Path, *, dimensions: int) -> UInt8[np.ndarray, "..."]:
    """The array in an idx file of unsigned bytes, gzipped or plain, with as many dimensions as expected."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise UnseenError(f"{path} is truncated or damaged ({problem}); fetch it again.") from problem
    except OSError as problem:
        raise UnseenError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    header = 4 + 4 * dimensions
    if data[:4] != bytes((0, 0, 8, dimensions)):
        is_idx = len(data) >= 4 and data[:3] == b"\0\0\x08" and data[3] in KINDS
        kind = f"holds {KINDS[data[3]]}" if is_idx else f"begins with {data[:4].hex(' ') or 'nothing'}"
        wanted = f"00 00 08 {dimensions:02x}"
        raise UnseenError(f"{path} {kind}; an idx file of {KINDS[dimensions]} begins with {wanted}.")
    shape = tuple(np.frombuffer(data[4:header], dtype=">u4").tolist()) if len(data) >= header else (0,)
    promised = header + int(np.prod(np.array(shape, dtype=object)))
    if len(data) < header or len(data) != promised:
        state = "truncated" if len(data) < promised or len(data) < header else "too long"
        raise UnseenError(
            f"{path} is {state}: its header promises {promised:,} bytes, it has {len(data):,}; fetch it again."
        )
    return np.frombuffer(data, dtype=np.uint8, offset=header).reshape(shape)


def fetch(name: str, root: Path, files: list[str]) -> None:
    """Download files of a set into ``root``, each checked by hash before it gets its name."""
    made = not root.exists()
    try:
        if files:
            root.mkdir(parents=True, exist_ok=True)
        for file in files:
            _fetch_one(ORIGINS[name], root, file)
    except BaseException as problem:
        if made:
            with contextlib.suppress(OSError):
                root.rmdir()  # only where nothing came
        if isinstance(problem, OSError):
            raise UnseenError(f"cannot write to {root}: {problem.strerror or problem}.") from problem
        raise


def _fetch_one(origin: Origin, root: Path, file: str) -> None:
    remove_leftovers(root, file)
    reasons = []
    for mirror in origin.mirrors:
        log.info("fetching %s from %s", file, mirror)
        try:
            digest = hashlib.md5(usedforsecurity=False)
            with written_aside(root / file) as aside:
                with urllib.request.urlopen(mirror + file, timeout=TIMEOUT) as source, aside.open("wb") as copy:
                    while piece := source.read(1 << 20):
                        digest.update(piece)
                        copy.write(piece)
                if digest.hexdigest() != origin.md5[file]:
                    raise OSError(f"MD5 {digest.hexdigest()} instead of {origin.md5[file]}, so it was thrown away")
            return
        except (OSError, http.client.HTTPException) as problem:  # urllib's own are among the first
            reasons.append(f"{mirror}: {problem}")
    raise UnseenError(
        f"{file} could not be fetched; nothing was kept of it. {'; '.join(reasons)}. "
        f"Fetch it by other means and put it into the folder given as `root`."
    )


def _missing(name: str, root: Path, files: list[str], missing: list[str]) -> str:
    fix = (
        "`download = true` in the recipe's [world], or `--set world.download=true` (`world.of.download=true` where the "
        "world is transformed), fetches what is missing."
    )
    if root.exists() and not root.is_dir():
        return f"{root} is not a folder; give as `root` the folder that holds {name}'s idx files."
    if not root.exists():
        return f"there is no folder {root}; {name} needs in it {', '.join(files)} (plain or .gz). {fix}"
    near = itertools.islice(itertools.chain(root.glob("*/"), root.glob("*/*/")), 200)  # `root` may be someone's home
    deeper = next((place for place in near if all(locate(place, file) for file in files)), None)
    hint = f" They lie in {deeper}: give that as `root`." if deeper else ""
    return f"{root} lacks {', '.join(missing)} (plain or .gz) of {name}'s {len(files)} files.{hint} {fix}"
