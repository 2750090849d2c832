"""What an export will be, decided and checked before anything is written."""

from __future__ import annotations

import platform
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from unseen.exports import encoding
from unseen.exports.columns import check_names, factor_tables
from unseen.exports.selection import RowsLike, Selection, select
from unseen.version import __version__
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.world import World

VERSION = 2  # raise it when the files of an export change; 2: each row has its key
FORMATS = {
    "png": "a folder of PNG files and manifest.parquet",
    "webp": "a folder of lossless WebP files and manifest.parquet",
    "webdataset": "tar files with a picture and its levels in JSON",
    "parquet": "Parquet files with the pictures inside",
}
CARD = "export.json"
MANIFEST = "manifest.parquet"
PIXELS_AT_ONCE = {"cpu": 2**24, "cuda": 2**28}  # numbers in a batch: 16 MB, 256 MB


@dataclass(frozen=True, eq=False)
class Plan:
    """An export: which rows of which world go where, and how. ``stem`` names files, ``suffix`` pictures."""

    world: World
    out: Path
    format: str
    rows: Selection
    shard: int
    batch: int
    device: str
    arguments: Mapping[str, Any]
    suffix: str
    encode: encoding.Encode

    @property
    def shards(self) -> int:
        return -(-len(self.rows) // self.shard)

    @property
    def in_folder(self) -> bool:
        return self.format in ("png", "webp")

    def place(self, number: int) -> Path:
        """Where a shard lies: a folder of pictures, or one file."""
        if self.in_folder:
            return self.out / "images" / f"{number:06}"
        ending = "tar" if self.format == "webdataset" else "parquet"
        return self.out / f"{self.stem}-{number:06}.{ending}"

    @property
    def stem(self) -> str:
        return re.sub(r"[^\w-]+", "-", self.world.name).strip("-") or "world"

    def key(self, row: int) -> str:
        """The name of a row's file: its number, of one width, so that names sort as rows do. (The column ``key`` has
        the name that says what it shows.)"""
        return f"{row:0{max(6, len(str(len(self.world.samples) - 1)))}}"

    def identity(self) -> dict[str, Any]:
        """What must be the same for a later run to go on where this one stopped. Devices may differ in the last bit
        of a drawn picture, so one export is made on one kind of device."""
        return {
            "export": VERSION,
            "world": self.world.name,
            "fingerprint": self.world.fingerprint,
            "format": self.format,
            "rows": self.rows.words,
            "shard": self.shard,
            "device": self.device.partition(":")[0],
        }

    def card(self, **found: Any) -> dict[str, Any]:
        """The data set's card: everything needed to know what the files show."""
        world = self.world
        return {
            **self.identity(),
            "arguments": {name: _jsonable(value) for name, value in self.arguments.items()},
            "images": len(self.rows),
            "shards": self.shards,
            "size": list(world.size),
            "channels": world.channels,
            "dtype": world.dtype,
            "provenance": dict(world.provenance),
            "versions": _versions(),
            "factors": factor_tables(world),
            **found,
        }


def plan_export(
    world: World,
    out: str | Path,
    *,
    format: str = "png",
    rows: RowsLike = None,
    sample: int | None = None,
    seed: int = 0,
    shard: int = 10_000,
    device: str = "cpu",
    batch: int | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Plan:
    """Check everything that can be checked without drawing a picture. Arguments as in :func:`unseen.exports.export`."""
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    for what, number in (("shard", shard), ("batch", batch)):
        if number is not None and number < 1:
            raise UnseenError(f"{what} = {number}; it is a number of images, at least 1.")
    place = Path(out).expanduser()
    if place.exists() and not place.is_dir():
        raise UnseenError(f"'{place}' is a file; --out is the folder to write, made if needed.")
    check_names(world)
    suffix, encode = _encoder(world, format)
    chosen = select(len(world.samples), rows, sample, seed)
    numbers = world.channels * world.size[0] * world.size[1]
    most = PIXELS_AT_ONCE["cuda" if device.startswith("cuda") else "cpu"]
    size = batch or max(1, min(4096, most // max(1, numbers)))
    return Plan(world, place, format, chosen, shard, size, device, dict(arguments or {}), suffix, encode)


def _encoder(world: World, format: str) -> tuple[str, encoding.Encode]:
    """How a picture becomes bytes. What is not 8 bits in grey or RGB is kept as numbers, where a format can."""
    if world.dtype == "uint8" and world.channels in (1, 3):
        return ("webp", encoding.webp) if format == "webp" else ("png", encoding.png)
    if format == "webdataset":
        return "npy", encoding.npy
    if format == "parquet":
        return "raw", encoding.raw
    what = "float32 numbers" if world.dtype != "uint8" else f"{world.channels} channels"
    raise UnseenError(
        f"world '{world.name}' has pictures of {what}, which {format.upper()} cannot hold without loss; possible: "
        f"webdataset (each picture as .npy) or parquet (a column of numbers)."
    )


def _versions() -> dict[str, str]:
    """Of what decides the bytes of a file; another zlib may pack the same pixels into other bytes."""
    found = {"unseen": __version__, "python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    for name in ("torch", "numpy", "pillow", "pyarrow"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def _jsonable(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    return [_jsonable(item) for item in value] if isinstance(value, list | tuple) else str(value)
