"""A table of meshes: category, file, and where the maker says so, front, licence and creator."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from unseen.vocabulary.errors import UnseenError, listed, nearest, unknown
from unseen.worlds.meshes.layouts.entries import Entry
from unseen.worlds.meshes.reading import AXES


def of_table(base: Path, index: str | Path) -> Iterator[Entry]:
    """The rows of a CSV file with the columns category and path, and those of :class:`Entry` that it has."""
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
        for key in ("category", "path", "name", "creator", "source", "up", "front", "yaw", "rotation")
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
