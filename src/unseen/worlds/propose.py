"""Look at a folder of images, or a manifest, and propose the world, the factors and a recipe: ``unseen init PATH``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.worlds.decode import quiet
from unseen.worlds.guess import CATEGORIES, VIEWS, guess, turns
from unseen.worlds.levels import encode
from unseen.worlds.manifest import SUFFIXES as TABLES
from unseen.worlds.manifest import read_manifest
from unseen.worlds.scan import folder_at, inspect, stats
from unseen.worlds.template import Template

LOOKED_AT = 200  # images opened to learn sizes and readability
MOST_LEVELS = 200  # more is a name or a measurement, not a factor


@dataclass(frozen=True, eq=False)
class Proposal:
    """What was found and what is proposed. ``missing`` is empty when a study can be run as proposed."""

    root: Path
    template: str | None
    manifest: str | None
    factors: tuple[Factor, ...]
    ignored: tuple[str, ...]  # columns of a manifest that differ in nearly every row: names or notes, not factors
    rows: str | None  # the factor to name: the category
    columns: str | None  # the factor to generalise over
    counts: np.ndarray | None  # images at [rows, columns]
    images: int
    unmatched: int
    sizes: tuple[tuple[tuple[int, int], int], ...]  # (height, width) and how many of the images looked at
    size: int | tuple[int, int]
    problems: tuple[str, ...]
    missing: str

    @property
    def images_per_cell_min(self) -> int:
        return int(self.counts[self.counts > 0].min()) if self.counts is not None else 0

    @property
    def empty_cells(self) -> tuple[tuple[str, str], ...]:
        """Combinations without an image."""
        if self.counts is None:
            return ()
        rows, columns = self.factor(self.rows), self.factor(self.columns)
        return tuple((rows.texts[r], columns.texts[c]) for r, c in np.argwhere(self.counts == 0))

    def factor(self, name: str | None) -> Factor:
        return next(factor for factor in self.factors if factor.name == name)

    def recipe_toml(self, title: str | None = None) -> str:
        """The text of a recipe for this set, with comments that say what was guessed."""
        from unseen.worlds.proposed_recipe import recipe_text

        return recipe_text(self, title)


def propose(path: str | Path) -> Proposal:
    """What a folder of images, or a CSV/TSV/Parquet manifest, seems to hold."""
    given = Path(path).expanduser()
    if given.is_file() and given.suffix.lower() in TABLES:
        root = folder_at(given.parent)
        table = read_manifest(given.name, root)
        files, columns, template, unmatched = table.paths, table.columns, None, 0
        stats(root, files)  # names the missing files
    else:
        root = folder_at(given)
        paths = stats(root)["path"].to_list()
        if not paths:
            raise UnseenError(f"no images below {root}; looked for files such as .png, .jpg, .webp, .tif, .heic.")
        template = guess(paths).template or None
        files, columns, rest = Template(template).read(paths) if template else (paths, {}, [])
        unmatched = len(rest)
    columns = {name: column for name, column in columns.items() if name != "pool"}
    ignored = () if template else tuple(name for name, column in columns.items() if 2 * len(set(column)) > len(files))
    columns = {name: column for name, column in columns.items() if name not in ignored}
    factors = tuple(_factor(name, column) for name, column in columns.items())
    rows, across = _roles(factors)
    sizes, unreadable = _looked_at(root, files)
    problems = [f"{unmatched} files do not fit the template"] if unmatched else []
    problems += [f"unreadable: {listed(unreadable, 10)}"] if unreadable else []
    manifest = None if template or not given.is_file() else given.name
    return Proposal(
        root=root,
        template=template,
        manifest=manifest,
        factors=factors,
        ignored=ignored,
        rows=rows,
        columns=across,
        counts=_counts(columns, rows, across),
        images=len(files),
        unmatched=unmatched,
        sizes=tuple(sizes.most_common()),
        size=_size(sizes),
        problems=tuple(problems),
        missing=_missing(factors, rows, across, manifest),
    )


def _factor(name: str, column: Sequence[str]) -> Factor:
    factor, _ = encode(name, column)
    return encode(name, column, kind="circular")[0] if turns(factor.levels) else factor


def _roles(factors: Sequence[Factor]) -> tuple[str | None, str | None]:
    """The category and the factor to hold combinations of: by name, else words before numbers, then fewer levels."""
    usable = [factor for factor in factors if 1 < len(factor) <= MOST_LEVELS and factor.kind != "instance"]

    def wordless(factor: Factor) -> bool:
        return not isinstance(factor.levels[0], str)

    def rank(names: Sequence[str], factor: Factor) -> int:
        return next((place for place, name in enumerate(names) if factor.name.startswith(name)), len(names))

    named = sorted(usable, key=lambda f: (rank(CATEGORIES, f), f.kind == "circular", wordless(f), len(f)))
    if not named:
        return None, None
    rows = named[0]
    if len(named) == 1:
        return (None, rows.name) if rows.kind == "circular" or rows.name in VIEWS else (rows.name, None)
    rest = sorted(named[1:], key=lambda f: (rank(VIEWS, f), f.kind != "circular", not wordless(f), len(f)))
    return rows.name, rest[0].name


def _counts(columns: Mapping[str, Sequence[str]], rows: str | None, across: str | None) -> np.ndarray | None:
    if rows is None or across is None:
        return None
    (first, r), (second, c) = encode(rows, columns[rows]), encode(across, columns[across])
    return np.bincount(r * len(second) + c, minlength=len(first) * len(second)).reshape(len(first), len(second))


def _looked_at(root: Path, files: Sequence[str]) -> tuple[Counter[tuple[int, int]], list[str]]:
    sizes: Counter[tuple[int, int]] = Counter()
    unreadable = []
    with quiet():
        for name in files[:: max(1, len(files) // LOOKED_AT)]:
            _, height, width, problem, _ = inspect(root / name)
            if problem:
                unreadable.append(f"{name} ({problem})")
            else:
                sizes[height, width] += 1
    return sizes, unreadable


def _size(sizes: Counter[tuple[int, int]]) -> int | tuple[int, int]:
    if len(sizes) != 1 or max(own := next(iter(sizes))) > 256:
        return 224
    return own[0] if own[0] == own[1] else own


def _missing(factors: Sequence[Factor], rows: str | None, across: str | None, manifest: str | None) -> str:
    if rows is not None and across is not None:
        return ""
    have = f"only '{rows or across}' varies" if rows or across else "no factor was found"
    want = "a category" if rows is None and across else "a second factor, such as azimuth, light or background"
    want = "a category and a second factor" if rows is None and across is None else want
    how = (
        f"add a column to {manifest}"
        if manifest
        else "write a manifest.csv with the columns path, category, azimuth (one row per image) and run `unseen init "
        "manifest.csv`, or sort the images into folders such as category/azimuth/"
    )
    return f"{have}; a study of combinations also needs {want}: {how}."
