"""What a folder of meshes offers: category, file, and where the maker says so, front, licence and creator.

Categories are sub-folders, or columns of a table. Only the standard library is used: a machine that draws may have
little else.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.worlds.meshes.reading import AXES
from unseen.worlds.meshes.references import SUFFIXES


@dataclass(frozen=True)
class Entry:
    """One mesh file; ``path`` is relative to the root, with forward slashes."""

    category: str
    path: str
    name: str = ""
    licence: str = ""
    creator: str = ""
    source: str = ""
    up: str = ""
    front: str = ""
    yaw: float = 0.0


def entries(root: str | Path, index: str | Path | None = None) -> tuple[Path, list[Entry]]:
    """The folder, and what it offers sorted by category and path.

    ``root`` is a folder with a sub-folder per category, a folder with an ``index.csv``, or a table itself.
    """
    base = Path(root).expanduser()
    if base.is_file():
        base, index = base.parent, base.name if index is None else index
    if not base.is_dir():
        raise UnseenError(
            f"no folder '{base}'; `root` is a folder with a sub-folder of meshes per category, or a table."
        )
    base = base.resolve()
    if index is None and (base / "index.csv").is_file():
        index = "index.csv"
    found = list(_of_table(base, index)) if index is not None else list(_of_folders(base))
    twice = [path for path, count in Counter(one.path for one in found).items() if count > 1]
    if twice:
        raise UnseenError(f"the index lists {len(twice)} files more than once: {listed(twice, 10)}.")
    if not found:
        raise UnseenError(f"no meshes below {base}; looked for {listed(SUFFIXES)} files, a sub-folder per category.")
    return base, sorted(found, key=lambda one: (one.category, one.path))


def _of_folders(base: Path) -> Iterator[Entry]:
    beside = 0
    for file in sorted(base.rglob("*")):
        parts = file.relative_to(base).parts
        if file.suffix.lower() not in SUFFIXES or any(part.startswith(".") for part in parts) or not file.is_file():
            continue
        if len(parts) == 1:
            beside += 1
            continue
        yield Entry(parts[0], "/".join(parts), file.stem)
    if beside and not any(one.is_dir() for one in base.iterdir()):
        raise UnseenError(
            f"{beside} meshes lie in {base} itself; put them into a sub-folder per category, or give an index with the "
            "columns category and path."
        )


def _of_table(base: Path, index: str | Path) -> Iterator[Entry]:
    file = next((place for place in (base / index, Path(index).expanduser()) if place.is_file()), None)
    if file is None:
        beside = sorted(one.name for one in base.glob("*.csv"))
        raise UnseenError(f"no index '{index}' in {base}; tables found there: {listed(beside)}.")
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            head = lines.readline()
            lines.seek(0)
            table = csv.DictReader(lines, delimiter=max(",;\t", key=head.count))
            rows, columns = list(table), list(table.fieldnames or ())
    except (OSError, UnicodeError, csv.Error) as fault:
        raise UnseenError(f"the index '{file}' cannot be read as CSV: {fault}.") from None
    for needed in ("category", "path"):
        if needed not in columns:
            guess = nearest(needed, columns)
            hint = f" Is '{guess}' meant?" if guess else ""
            raise UnseenError(f"the index '{file.name}' has no column '{needed}'; it has {listed(columns)}.{hint}")
    if not rows:
        raise UnseenError(f"the index '{file.name}' has a header but no rows.")
    for line, row in enumerate(rows, start=2):
        yield _entry(row, f"line {line} of the index '{file.name}'")


def _entry(row: Mapping[str, str | None], where: str) -> Entry:
    values = {
        key: (row.get(key) or "").strip()
        for key in ("category", "path", "name", "creator", "source", "up", "front", "yaw")
    }
    values["licence"] = (row.get("licence") or row.get("license") or "").strip()
    for needed in ("category", "path"):
        if not values[needed]:
            raise UnseenError(f"{where} gives no {needed}.")
    for axis in ("up", "front"):
        if values[axis] not in ("", *AXES):
            raise unknown(f"axis for '{axis}'", values[axis], AXES, where=where)
    path = values["path"].replace("\\", "/")
    if path.startswith("/") or ".." in path.split("/"):
        raise UnseenError(f"{where} names a file outside the folder: '{path}'. Give a root that holds them all.")
    try:
        yaw = float(values.pop("yaw") or 0)
    except ValueError:
        raise UnseenError(f"{where} gives the yaw '{row['yaw']}'; it is an angle in degrees.") from None
    return Entry(**{**values, "path": path}, yaw=yaw)
