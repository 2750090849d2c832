"""Look at a folder of images, or a manifest, and propose the world and its factors: ``unseen init PATH``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.worlds.decode import quiet
from unseen.worlds.guess import Guess, readings
from unseen.worlds.levels import encode, one_turn
from unseen.worlds.manifest import SUFFIXES as TABLES
from unseen.worlds.manifest import Manifest, read_manifest
from unseen.worlds.meanings import are_domains, is_thing, is_turn
from unseen.worlds.paths import shown
from unseen.worlds.roles import is_nested, roles
from unseen.worlds.scan import folder_at, inspect, stats
from unseen.worlds.template import Template

LOOKED_AT = 200  # images opened to learn sizes and readability
OBJECTS = 3  # of a category: fewer cannot be shared out over three pools
SHOWN = 3  # files that show how a template reads


@dataclass(frozen=True, eq=False)
class Proposal:
    """What was found. ``missing`` is empty when there are two factors to make a study of."""

    root: Path
    template: str | None
    manifest: str | None  # as a recipe names it
    factors: tuple[Factor, ...]
    kinds: Mapping[str, str]  # what a folder would not see by itself
    ignored: tuple[str, ...]  # columns of a manifest that differ in nearly every row: names or notes, not factors
    rows: str | None  # the factor to name: the category
    columns: str | None  # the factor to generalise over
    counts: np.ndarray | None  # images at [rows, columns]
    objects: str | None  # the factor of kind instance: photos of one of its levels belong together
    images: int
    unmatched: int
    sizes: tuple[tuple[tuple[int, int], int], ...]  # (height, width) and how many of the images looked at
    problems: tuple[str, ...]
    missing: str
    readings: tuple[Guess, ...] = ()  # of the paths, the one taken first
    examples: tuple[str, ...] = field(default=())

    @property
    def empty_cells(self) -> tuple[tuple[str, str], ...]:
        """Combinations without an image."""
        if self.counts is None:
            return ()
        rows, columns = self.factor(self.rows), self.factor(self.columns)
        return tuple((rows.texts[r], columns.texts[c]) for r, c in np.argwhere(self.counts == 0))

    def factor(self, name: str | None) -> Factor:
        return next(factor for factor in self.factors if factor.name == name)

    @property
    def own_size(self) -> tuple[int, int] | None:
        """Height and width where all images looked at share them."""
        return self.sizes[0][0] if len(self.sizes) == 1 else None

    @property
    def world(self) -> dict[str, Any]:
        """The arguments of the world ``folder`` that reads these images so."""
        where = {"template": self.template} if self.template else {"manifest": self.manifest or "manifest.csv"}
        chosen = {"factors": [factor.name for factor in self.factors]} if self.ignored else {}
        named = {"category": self.rows} if self.rows and self.rows != "category" else {}
        return {"root": near(self.root), **where, **chosen, **named, **({"kinds": self.kinds} if self.kinds else {})}


def propose(
    path: str | Path,
    *,
    template: str | None = None,
    root: str | Path | None = None,
    category: str | None = None,
    across: str | None = None,
) -> Proposal:
    """What a folder of images, or a CSV/TSV/Parquet manifest, seems to hold. ``template``, ``category`` and ``across``
    (the factor to generalise over) say what would be guessed; ``root`` is where a manifest's paths begin."""
    given = Path(path).expanduser()
    if given.is_file() and given.suffix.lower() in TABLES:
        return _of_manifest(given, template, root, category, across)
    if given.is_file():
        raise UnseenError(f"'{given}' is neither a folder of images nor a table ({', '.join(TABLES)}).")
    if given.suffix.lower() in TABLES and not given.exists():
        raise _no_table(given)
    base = folder_at(given if root is None else root)
    odd: list[tuple[str, str]] = []
    paths = stats(base, odd=odd)["path"].to_list()
    if not paths:
        raise UnseenError(f"no images below {base}; looked for files such as .png, .jpg, .webp, .tif, .heic.")
    found = readings(paths) if template is None else (Guess(template, len(paths)),)
    text = found[0].template or None
    files, columns, rest = Template(text).read(paths) if text else (paths, {}, [])
    if not files:
        likely = [one.template for one in readings(paths) if one.template]
        hint = f" Likely: {' or '.join(likely)}." if likely else ""
        raise UnseenError(
            f"template '{text}' matches none of the {len(paths)} images below {base}, such as "
            f"{listed(paths[:3])}.{hint}"
        )
    columns = {name: column for name, column in columns.items() if name != "pool"}
    return _proposal(
        base, files, columns, category, across, template=text, readings=found, unmatched=len(rest), odd=odd
    )  # fmt: skip


def near(path: Path) -> str:
    """A path below the working directory is written relative to it."""
    here, there = Path.cwd().resolve(), path.resolve()
    return there.relative_to(here).as_posix() if there.is_relative_to(here) else there.as_posix()


def _no_table(given: Path) -> UnseenError:
    place = given.absolute().parent
    if not place.is_dir():
        return UnseenError(f"no file '{shown(str(given))}': there is no folder {shown(str(place))}.")
    beside = sorted(file.name for file in place.iterdir() if file.suffix.lower() in TABLES and file.is_file())
    holds = f"holds the tables {listed(map(shown, beside), 10)}" if beside else "holds no tables"
    return UnseenError(f"no file '{shown(str(given))}'; {shown(str(place))} {holds}.")


def _of_manifest(
    given: Path, template: str | None, root: str | Path | None, category: str | None, across: str | None
) -> Proposal:
    if template is not None:
        raise UnseenError(f"--template reads factors from paths, and '{given.name}' is a table: its columns name them.")
    table = read_manifest(given.resolve(), None if root is None else folder_at(root))
    base = table.root.resolve()
    stats(base, table.paths)  # names the missing files
    columns = {name: column for name, column in table.columns.items() if name != "pool"}
    ignored = tuple(n for n, own in columns.items() if 2 * len(set(own)) > len(own) and n not in table.declared)
    inside = given.resolve().is_relative_to(base)
    name = given.resolve().relative_to(base).as_posix() if inside else near(given)
    kept = {name: column for name, column in columns.items() if name not in ignored or name in (category, across)}
    ignored = tuple(name for name in ignored if name not in kept)
    return _proposal(base, table.paths, kept, category, across, manifest=name, table=table, ignored=ignored)


def _proposal(
    base: Path,
    files: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    category: str | None,
    across: str | None,
    *,
    template: str | None = None,
    manifest: str | None = None,
    table: Manifest | None = None,
    ignored: tuple[str, ...] = (),
    readings: tuple[Guess, ...] = (),
    unmatched: int = 0,
    odd: Sequence[tuple[str, str]] = (),
) -> Proposal:
    declared = table.declared if table is not None else {}
    factors, kinds, codes = [], {}, {}
    for name, column in columns.items():
        factor, codes[name] = encode(name, column)
        factor = declared.get(name, factor)
        kind = None if name in declared else _kind(factor)
        kinds |= {name: kind} if kind else {}
        if kind is not None:
            factor, codes[name] = one_turn(*encode(name, column, kind=kind))
        factors.append(factor)
    rows, second = roles(factors, codes, category, across)
    kinds.pop(rows or "", None)  # the category has a kind already
    objects = _objects(factors, codes, rows, second)
    if objects is not None:
        factors = [replace(one, kind="instance") if one.name == objects else one for one in factors]
        told = objects in declared or is_thing(objects, rows or "category", codes)  # the folder sees it by itself
        kinds |= {} if told else {objects: "instance"}
    sizes, unreadable = _looked_at(base, files)
    unreadable = [*(f"{name} ({why})" for name, why in odd), *unreadable]
    problems = [f"{unmatched} files do not fit the template"] if unmatched else []
    problems += [f"unreadable: {listed(unreadable, 10)}"] if unreadable else []
    return Proposal(
        root=base,
        template=template,
        manifest=manifest,
        factors=tuple(factors),
        kinds=kinds,
        ignored=ignored,
        rows=rows,
        columns=second,
        counts=_counts(factors, codes, rows, second),
        objects=objects,
        images=len(files),
        unmatched=unmatched,
        sizes=tuple(sizes.most_common()),
        problems=tuple(problems),
        missing=_missing(files, rows, second, manifest),
        readings=readings,
        examples=tuple(files[:: max(1, len(files) // SHOWN)][:SHOWN]),
    )


def _kind(factor: Factor) -> str | None:
    """The kind of a factor where it is not what its levels alone say."""
    if is_turn(factor.name, factor.levels):
        return "circular"
    return "nominal" if factor.kind == "ordinal" and are_domains(factor.name, factor.levels) else None


def _counts(
    factors: Sequence[Factor], codes: Mapping[str, np.ndarray], rows: str | None, across: str | None
) -> np.ndarray | None:
    if rows is None or across is None:
        return None
    shape = tuple(len(next(one for one in factors if one.name == name)) for name in (rows, across))
    return np.bincount(codes[rows] * shape[1] + codes[across], minlength=shape[0] * shape[1]).reshape(shape)


def _objects(
    factors: Sequence[Factor], codes: Mapping[str, np.ndarray], rows: str | None, across: str | None
) -> str | None:
    """The factor whose levels are single objects: by its kind or name, else one with several of each category, each
    in several photos."""
    if rows is None:
        return None
    others = [factor for factor in factors if factor.name not in (rows, across)]
    said = [one.name for one in others if one.kind == "instance" or is_thing(one.name, rows, codes)]
    if said:
        return said[0]
    categories = len(np.unique(codes[rows]))
    for factor in others:
        several = OBJECTS * categories <= len(factor) < len(codes[rows])
        if several and is_nested(codes[factor.name], codes[rows]):
            return factor.name
    return None


def _looked_at(root: Path, files: Sequence[str]) -> tuple[Counter[tuple[int, int]], list[str]]:
    sizes: Counter[tuple[int, int]] = Counter()
    unreadable = []
    with quiet():
        for name in files[:: max(1, len(files) // LOOKED_AT)]:
            _, height, width, problem, _ = inspect(Path(os.path.join(root, name)))
            if problem:
                unreadable.append(f"{name} ({problem})")
            else:
                sizes[height, width] += 1
    return sizes, unreadable


def _missing(files: Sequence[str], rows: str | None, across: str | None, manifest: str | None) -> str:
    if rows is not None and across is not None:
        return ""
    have = f"only '{rows or across}' varies" if rows or across else "no factor was found"
    want = "a category" if rows is None and across else "a second factor, such as azimuth, light or background"
    want = "a category and a second factor" if rows is None and across is None else want
    how = (
        f"add a column to {manifest}"
        if manifest
        else "write a manifest.csv with the columns path, category, azimuth (one row per image) and run `unseen init "
        "manifest.csv`, sort the images into folders such as category/azimuth/, or say how their names are to be read "
        "with --template '{category}_{azimuth}_*.png'. Or let transformations of the images (noise, blur, turns) be "
        "the second factor: docs/guide/transformations.md"
    )
    needs = "also needs" if rows or across else "needs"
    return f"{have}{_one_class(files)}; a study of combinations {needs} {want}: {how}."


def _one_class(files: Sequence[str]) -> str:
    """A folder that holds all images may be their class, which no name can tell for sure."""
    first = {name.partition("/")[0] if "/" in name else "" for name in files}
    one = first.pop() if len(first) == 1 else ""
    return f" (all images are in the folder {one}: if it is their class, one class only: {one})" if one else ""
