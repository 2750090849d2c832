"""A table of images: one row per file, a column ``path`` (or ``image``, ``filename`` …), and any columns as factors.

A Parquet manifest that ``unseen render`` wrote says of itself, under the key ``unseen`` of its metadata, what its
factors are: their levels in order, kinds, coordinates. Its column ``instance_name`` tells which pictures show one thing
and is read as the factor ``instance``, of that kind, also in tables of earlier versions. A column ``view:bins=8`` is
the factor ``view`` in eight bins. What a caller asks for goes before what the table says.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.instances import INSTANCE
from unseen.worlds.bins import option
from unseen.worlds.levels import natural, numbers
from unseen.worlds.listed_paths import image_paths
from unseen.worlds.parquet import Damaged, parquet_frame, parquet_note
from unseen.worlds.paths import given_path, shown

PATH_COLUMNS = ("path", "image", "file", "filename", "filepath", "image_path", "img")
SUFFIXES = (".csv", ".tsv", ".parquet")
EXPORTED = "instance_name"  # the column of an export that names what each picture shows


@dataclass(frozen=True)
class Manifest:
    """Paths below ``root`` with forward slashes, one text per image and factor, and the pool where the table names one;
    the factors, the pictures' size and their channels where the table declares them."""

    root: Path
    paths: list[str]
    columns: dict[str, list[str]]
    pool: list[str | None] | None
    declared: Mapping[str, Factor] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    channels: int | None = None
    bins: Mapping[str, int] = field(default_factory=dict)


def read_manifest(path: str | Path, root: Path | None = None, factors: Sequence[str] | None = None) -> Manifest:
    """Read a CSV, TSV or Parquet table; ``factors`` names the columns to use (all but path and pool by default).

    Paths in it are absolute, or relative to ``root``. Without a root they are relative to the table's own folder; where
    some lie outside of it, the root becomes the folder that holds them all.
    """
    file = find_manifest(path, root)
    frame, bins = _binned(_frame(file), file)
    key = path_column(frame.columns)
    if key is None:
        raise UnseenError(
            f"manifest '{file.name}' has no column for the image files; name it {listed(PATH_COLUMNS)}. "
            f"It has {listed(frame.columns)}."
        )
    if frame.is_empty():
        raise UnseenError(f"manifest '{file.name}' has a header but no rows.")
    facts = _facts(file)
    declared = {f.name: f for f in facts.get("factors", ()) if f.name in frame.columns and f.name not in (key, "pool")}
    if (things := _things(frame, declared)) is not None:
        frame, declared[INSTANCE] = frame.with_columns(pl.col(EXPORTED).alias(INSTANCE)), things
    possible = [name for name in frame.columns if name not in (key, "pool")]
    for name in factors or ():
        if name not in possible:
            raise unknown("column", name, possible, where=f"manifest '{file.name}'")
    names = list(factors) if factors is not None else list(declared) or possible
    if not names:
        raise UnseenError(
            f"manifest '{file.name}' has only '{key}': add a column per factor, such as category, azimuth."
        )
    base, paths = image_paths(frame[key].to_list(), root, file)
    columns = {name: _column(frame[name].to_list(), name, paths, file) for name in names}
    pool = frame["pool"].to_list() if "pool" in frame.columns else None
    own = {name: count for name, count in bins.items() if name in names}
    return Manifest(base, paths, columns, pool, declared, facts.get("size"), facts.get("channels"), own)


def path_column(columns: Sequence[str]) -> str | None:
    """The column that names the files; ``file_name`` and ``Image Path`` are read as ``filename`` and ``image_path``.

    >>> path_column(["label", "Image Path"]), path_column(["label", "file_name"]), path_column(["label"])
    ('Image Path', 'file_name', None)
    """
    if exact := next((name for name in PATH_COLUMNS if name in columns), None):
        return exact
    plain = {re.sub(r"[\W_]+", "", name).lower(): name for name in reversed(columns)}
    return next((plain[key] for name in PATH_COLUMNS if (key := name.replace("_", "")) in plain), None)


def find_manifest(path: str | Path, root: Path | None = None) -> Path:
    """Where the manifest lies: in the root, or where the path says."""
    own = given_path(path, "manifest")
    for place in (own,) if root is None else (root / own, own):
        if place.is_file():
            return place
    looked = Path.cwd() if root is None else root
    beside = sorted(p.name for p in looked.glob("*") if p.suffix.lower() in SUFFIXES) if looked.is_dir() else []
    where = f"in {looked}" if root is None else f"in {root} nor in {Path.cwd()}"
    raise UnseenError(f"no manifest '{path}' {where}; tables found there: {listed(map(shown, beside))}.")


def _facts(file: Path) -> dict[str, Any]:
    """What a Parquet manifest declares of itself; nothing where it does not."""
    if file.suffix.lower() != ".parquet" or (told := parquet_note(file, "unseen")) is None:
        return {}
    try:
        facts = json.loads(told)
        factors = [Factor(**{key: _frozen(value) for key, value in table.items()}) for table in facts["factors"]]
        height, width = facts["size"]
        return {"factors": factors, "size": (int(height), int(width)), "channels": int(facts["channels"])}
    except (ValueError, KeyError, TypeError) as fault:
        raise UnseenError(
            f"manifest '{file}' declares factors that cannot be read ({fault}); export it again."
        ) from None


def _things(frame: pl.DataFrame, declared: Mapping[str, Factor]) -> Factor | None:
    """The things that the pictures of an export show, each in several: without them one thing would be trained on and
    tested. None where they say nothing: one picture of each, a category of each, a factor that names them already, or
    one thing at all levels."""
    taken = INSTANCE in frame.columns or any(factor.kind == "instance" for factor in declared.values())
    if not declared or taken or EXPORTED not in frame.columns or frame[EXPORTED].null_count():
        return None
    names = frame[EXPORTED].unique(maintain_order=True)
    if not 1 < len(names) < len(frame):
        return None
    for name in (name for name, factor in declared.items() if factor.kind == "category"):
        if frame[name].n_unique() == len(names) == frame.select(EXPORTED, name).n_unique():
            return None
    return Factor(INSTANCE, tuple(sorted(names.to_list(), key=natural)), kind="instance")


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _frame(file: Path) -> pl.DataFrame:
    """All columns as text: whether a factor is numeric is decided for all its values at once, here and in templates."""
    try:
        if file.suffix.lower() == ".parquet":
            frame = parquet_frame(file).fill_nan(None)
            return frame.with_columns(pl.all().cast(pl.String))
        data = _utf8(file)
        head = data.partition(b"\n")[0].decode(errors="replace")
        separator = max(",;\t", key=head.count)
        return pl.read_csv(data, separator=separator, infer_schema=False)
    except Damaged as fault:
        first = shown(str(fault).splitlines()[0]) if str(fault) else type(fault).__name__
        hint = ". Save it as UTF-8." if "utf-8" in first else ""
        raise UnseenError(f"manifest '{file}' cannot be read as {file.suffix or 'CSV'}: {first}{hint}") from None


def _utf8(file: Path) -> bytes:
    """The bytes of a text table. Spreadsheets also write UTF-16, and begin it with a mark."""
    data = file.read_bytes()
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data.decode("utf-16").encode()
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise UnseenError(
            f"manifest '{file}' has a NUL byte in line {line}: it is damaged or no text. Save it as UTF-8."
        )
    return data


def _binned(frame: pl.DataFrame, file: Path) -> tuple[pl.DataFrame, dict[str, int]]:
    """The table with ``view:bins=8`` renamed to ``view``, and the bins."""
    bins: dict[str, int] = {}
    for column in frame.columns:
        name, _, form = column.rpartition(":")
        if not name or not form.strip().startswith("bins="):
            continue
        count = option(form.strip())
        if count is None or not name.strip():
            raise UnseenError(f"manifest '{file.name}' has the column '{column}'; bins are asked for as 'view:bins=8'.")
        if name.strip() in frame.columns:
            raise UnseenError(f"manifest '{file.name}' has the columns '{name.strip()}' and '{column}'; leave one out.")
        frame, bins[name.strip()] = frame.rename({column: name.strip()}), count
    return frame, bins


def _column(values: list[str | None], name: str, paths: list[str], file: Path) -> list[str]:
    texts = [value.strip() if value is not None else "" for value in values]
    odd = [text for text in set(texts) if text.lower() == "nan"]
    if odd:  # a bread may be called nan; among numbers it is a hole
        others = [text for text in set(texts) if text and text not in odd]
        if others and not any(isinstance(level, str) for level in numbers(others)):
            texts = ["" if text in odd else text for text in texts]
    holes = [path for path, text in zip(paths, texts) if not text]
    if holes:
        raise UnseenError(
            f"manifest '{file.name}' gives no '{name}' for {len(holes)} images: {listed(holes, 10)}. "
            f"Fill them in, leave those rows out, or choose columns with factors=[...]."
        )
    return texts
