"""Any folder of images as a world: factors from a path template or a manifest, pixels decoded once and streamed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.factors import Factor, FactorSpace, Level
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.bins import Bins, asked_bins
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.decode import Decoding, Resize
from unseen.worlds.decoded_pixels import VERSION, Pixels, key_of
from unseen.worlds.encoded import encoded
from unseen.worlds.folder_world import Folder, Names, Problems
from unseen.worlds.guess import guess
from unseen.worlds.levels import pools
from unseen.worlds.manifest import read_manifest
from unseen.worlds.paths import shown
from unseen.worlds.scan import ROOT_HINT, Progress, folder_at, scan, stats
from unseen.worlds.template import Template
from unseen.worlds.walking import Oddities

LARGEST_KEPT = 512  # pixels a side: larger pictures are scaled unless a size is asked for
USUAL_SIZE = 224


def folder(
    root: str | Path | None = None,
    *,
    template: str | None = None,
    manifest: str | Path | None = None,
    factors: Sequence[str] | None = None,
    size: int | Sequence[int] | None = None,
    category: str = "category",
    kinds: Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[Level]] | None = None,
    bins: Mapping[str, Any] | None = None,
    resize: Resize = "squash",
    channels: int | None = None,
    background: str = "white",
    on_unreadable: Literal["list", "error"] = "list",
    cache: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Folder:
    """The images below ``root``, with factors from their paths or from a table.

    Give one of ``template`` (``{category}/{azimuth}/*.png``, see :mod:`unseen.worlds.template`) and ``manifest`` (CSV,
    TSV or Parquet with a column path, image or file; ``factors`` chooses among its other columns; the manifest of
    ``unseen render`` declares them itself). With a manifest ``root`` may be left out: its paths are then absolute or
    relative to its own folder. A field or column ``pool`` (train, validation, test) names each image's
    pool and is no factor.

    ``kinds`` says what a factor is (``{"azimuth": "circular"}``, ``"circular:36"`` for 36 views a turn); by default the
    factor named by ``category`` is a category, numbers are ordinal, words nominal. ``levels`` keeps and orders levels;
    images at others are left out and counted. ``bins`` puts many numbers into few levels (``{"view": 8}``, see
    :mod:`unseen.worlds.binning`); the number itself stays as the attribute ``view_unbinned``.

    ``size`` is a side or (height, width); by default the images' own if all share one of at most 512 pixels, else 224.
    ``channels`` is 3 by default, also for grey images; 1 makes all grey. ``background`` shows through transparent
    pixels and fills up ``resize="pad"``. Unreadable files are left out and listed in ``problems``, or stop everything
    with ``on_unreadable="error"``.

    ``cache``, ``workers`` and ``progress`` change where and how fast, never what.
    """
    base = None if root is None else folder_at(root, ROOT_HINT)
    if (template is None) == (manifest is None):
        called = f"'{base.name}' " if base else ""
        raise UnseenError(
            f"folder world {called}needs a template such as '{{category}}/{{azimuth}}/*.png' or a manifest, "
            f"{'and not both' if template else 'and has neither'}. `unseen init {root or 'FOLDER'}` proposes one."
        )
    if on_unreadable not in ("list", "error"):
        raise unknown("value of on_unreadable", on_unreadable, ("list", "error"))
    declared: Mapping[str, Factor] = {}
    odd: Oddities = []
    if template is not None:
        if base is None:
            raise UnseenError(f"folder world needs root, the folder below which '{template}' is looked for.{ROOT_HINT}")
        files, unmatched = _by_template(base, template, factors, odd)
        own_bins = {name: count for name, count in Template(template).bins.items() if f"= {name}" in files.columns}
        source = f"{base} by the template {template}"
    else:
        table = read_manifest(str(manifest), base, factors)
        base = table.root
        named = table.columns if table.pool is None else table.columns | {"pool": table.pool}
        files, unmatched = _table(stats(base, table.paths), named), []
        source = f"{base} by the manifest {Path(str(manifest)).name}"
        declared, size, channels = table.declared, size or table.size, channels or table.channels
        own_bins = table.bins
    return build(
        base, files, name=base.name or "images", provenance={"source": source}, unmatched=unmatched,
        category=category, kinds=kinds, levels=levels, size=size, resize=resize, channels=channels,
        background=background, on_unreadable=on_unreadable, cache=cache, workers=workers, progress=progress,
        declared=declared, odd=odd, bins=asked_bins(own_bins) | asked_bins({} if bins is None else bins),
    )  # fmt: skip


def _by_template(base: Path, text: str, factors: Sequence[str] | None, odd: Oddities) -> tuple[pl.DataFrame, list[str]]:
    template = Template(text)
    files = stats(base, odd=odd)
    if files.is_empty():
        which = listed([f"{name} ({reason})" for name, reason in odd], 10)
        found = f"{len(odd)} were found and none can be read: {which}." if odd else ""
        looked = found or "looked for files such as .png, .jpg, .webp, .tif, .heic."
        raise UnseenError(f"no images below {base}; {looked}")
    paths = files["path"].to_list()
    matched, columns, rest = template.read(paths)
    if not matched:
        proposed = guess(paths).template
        hint = f" Did you mean '{proposed}'?" if proposed else ""
        raise UnseenError(
            f"template '{text}' matches none of the {len(paths)} images below {base}, "
            f"such as {listed(paths[:3])}.{hint}"
        )
    fields = [name for name in template.fields if name != "pool"]
    for name in factors or ():
        if name not in fields:
            raise unknown("factor", name, fields, where=f"template '{text}'")
    if not fields:
        raise UnseenError(f"template '{text}' names no factor; write one as {{category}}.")
    kept = files.join(pl.DataFrame({"path": matched}), on="path", how="semi", maintain_order="left")
    return _table(kept, {n: c for n, c in columns.items() if n == "pool" or not factors or n in factors}), rest


def _table(files: pl.DataFrame, columns: Mapping[str, Sequence[str | None]]) -> pl.DataFrame:
    """The files with one text column per factor, named ``= factor`` so that no factor's name is taken."""
    return files.with_columns([pl.Series(f"= {name}", column, pl.String) for name, column in columns.items()])


def build(
    base: Path,
    files: pl.DataFrame,
    *,
    name: str,
    provenance: Mapping[str, str],
    unmatched: Sequence[str] = (),
    category: str = "category",
    kinds: Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[Level]] | None = None,
    size: int | Sequence[int] | None = None,
    resize: Resize = "squash",
    channels: int | None = None,
    background: str = "white",
    on_unreadable: str = "list",
    cache: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    prefix: str = "",
    declared: Mapping[str, Factor] | None = None,
    bins: Mapping[str, Bins] | None = None,
    odd: Sequence[tuple[str, str]] = (),
) -> Folder:
    """A world from files and one text per factor: what :func:`folder` and the readers of known sets share."""
    threads = workers or cores()
    place = cache_folder(cache) / "folders" / f"{base.name}-{key_of(str(base))}"
    columns = {column[2:]: files[column] for column in files.columns if column.startswith("= ")}
    found = scan(base, files.select(pl.exclude("^= .*$")), place / "index.parquet", workers=threads, progress=progress)
    table = found.with_columns([series.alias(f"= {column}") for column, series in columns.items()]).sort("path")
    shape, why = _shape(table.filter(pl.col("problem") == ""), size)
    how = Decoding(shape, channels or 3, resize, background)
    pixels = Pixels(place / key_of(how, VERSION), how)
    table, unreadable = _readable(table, pixels.refused(), base, on_unreadable, odd)
    texts = {column[2:]: table[column].to_list() for column in table.columns if column.startswith("= ")}
    told = texts.pop("pool", None)
    found_at = encoded(texts, category, kinds or {}, levels or {}, declared or {}, bins or {})
    space, codes = found_at.space, found_at.codes
    kept = np.all(codes >= 0, axis=1)
    if not kept.any():
        raise UnseenError(f"no image of {base} is left at the levels asked for: {listed((levels or {}).items())}.")
    table, codes = table.filter(pl.Series(kept)), codes[kept]
    attributes = {name: values[kept] for name, values in found_at.attributes.items()}
    pool = None if told is None else pools(told)[kept]
    stored = {factor.name: codes[:, number] for number, factor in enumerate(space.factors)}
    content, names = table["content"].to_numpy().astype(np.uint64), Names(table["path"], prefix)
    problems = Problems(unreadable, tuple(unmatched), found_at.left_out, _copies(table))
    facts = {**provenance, "images": f"{len(table):,}", "size": f"{shape[0]}×{shape[1]} pixels, {why}"}
    facts["decoding"] = f"{how.channels} channels, {how.resize}, transparent pixels on {how.background}"
    facts |= {"bins": "; ".join(found_at.said)} if found_at.said else {}
    facts |= {"problems": "; ".join(problems.lines())} if problems else {}
    return Folder(
        name=name,
        samples=Samples(
            space, (Block(len(table), stored, pool=pool, names=names, content=content, attributes=attributes),)
        ),
        root=base,
        paths=Names(table["path"]),
        pixels=pixels,
        fingerprint=_fingerprint(how, space, names, content, codes, pool, attributes),
        provenance=facts,
        problems=problems,
        workers=threads,
    )


def _shape(readable: pl.DataFrame, size: int | Sequence[int] | None) -> tuple[tuple[int, int], str]:
    if isinstance(size, int):
        return (size, size), "as asked"
    if size is not None:
        if len(size) != 2:
            raise UnseenError(f"size={list(size)}; give one side, as in 128, or [height, width].")
        return (int(size[0]), int(size[1])), "as asked"
    sizes = Counter(zip(readable["height"].to_list(), readable["width"].to_list()))
    if len(sizes) == 1 and max(own := next(iter(sizes))) <= LARGEST_KEPT:
        return own, "the images' own"
    known = ", ".join(f"{w}×{h}" for (h, w), _ in sizes.most_common(3))
    why = f"{len(sizes)} sizes, most often {known}" if len(sizes) > 1 else f"larger than {LARGEST_KEPT} ({known})"
    return (USUAL_SIZE, USUAL_SIZE), f"our choice since the images have {why}; set `size` to change it"


def _readable(
    table: pl.DataFrame,
    refused: Mapping[int, str],
    base: Path,
    on_unreadable: str,
    odd: Sequence[tuple[str, str]],
) -> tuple[pl.DataFrame, tuple[tuple[str, str], ...]]:
    if refused:
        late = table["content"].replace_strict(
            pl.Series(list(refused), dtype=pl.UInt64), list(refused.values()), default="", return_dtype=pl.String
        )
        table = table.with_columns(problem=pl.when(pl.col("problem") == "").then(late).otherwise(pl.col("problem")))
    bad = table.filter(pl.col("problem") != "")
    unreadable = (*zip(bad["path"].to_list(), bad["problem"].to_list()), *odd)
    good = table.filter(pl.col("problem") == "")
    if unreadable and (on_unreadable == "error" or good.is_empty()):
        names = listed([f"{shown(name)} ({reason})" for name, reason in unreadable], 10)
        fix = "Mend or remove them, or set on_unreadable='list' to leave them out." if len(good) else "None is left."
        raise UnseenError(f"{len(unreadable)} files in {base} cannot be read as images: {names}. {fix}")
    return good, unreadable


def _copies(table: pl.DataFrame) -> tuple[tuple[str, ...], ...]:
    twice = table.filter(pl.col("content").is_duplicated())
    groups = twice.group_by("content", maintain_order=True).agg("path")["path"].to_list()
    return tuple(tuple(group) for group in groups)


def _fingerprint(
    how: Decoding,
    space: FactorSpace,
    names: Names,
    content: np.ndarray,
    codes: np.ndarray,
    pool: np.ndarray | None,
    attributes: Mapping[str, np.ndarray],
) -> str:
    """Changes when a picture, its name, its factors or its pool does; not with the folder's place or the files' dates.

    Rows are sorted by path, so the order of a manifest does not matter.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr((VERSION, how, space.factors)).encode())
    digest.update("\0".join(names).encode("utf-8", "surrogateescape"))
    digest.update(np.ascontiguousarray(content, dtype="<u8").tobytes())
    digest.update(np.ascontiguousarray(codes, dtype="<i8").tobytes())
    digest.update(b"" if pool is None else "\0".join(pool.tolist()).encode())
    for name, values in attributes.items():
        digest.update(repr((name, values.tolist())).encode())
    return digest.hexdigest()
