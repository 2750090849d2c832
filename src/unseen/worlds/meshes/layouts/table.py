"""The layouts that are read, and which one a folder has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.worlds.meshes.layouts.annotated import is_objaverse, is_scanned, objaverse, scanned
from unseen.worlds.meshes.layouts.entries import Listing
from unseen.worlds.meshes.layouts.folders import is_modelnet, is_shapenet, modelnet, plain_folders, shapenet
from unseen.worlds.meshes.layouts.index import of_table
from unseen.worlds.meshes.layouts.sweethome import LIBRARY, libraries_of, sweethome
from unseen.worlds.meshes.references import SUFFIXES

INDEX = "index.csv"


@dataclass(frozen=True)
class Layout:
    """``fits``: whether a folder has this layout. ``read``: what it offers, given the folder, the index that was named
    and where archives are unpacked."""

    what: str
    fits: Callable[[Path], bool]
    read: Callable[[Path, str | Path | None, Path], Listing]


def _plainly(read: Callable[[Path], Listing]) -> Callable[[Path, str | Path | None, Path], Listing]:
    return lambda base, index, cache: read(base)


def _indexed(base: Path, index: str | Path | None, cache: Path) -> Listing:
    return Listing(base, list(of_table(base, index or INDEX)))


def _libraries(base: Path, index: str | Path | None, cache: Path, by_name: bool) -> Listing:
    return sweethome(base, cache, by_name=by_name)


# In the order in which a folder is asked; the first that fits is taken.
LAYOUTS: dict[str, Layout] = {
    "index": Layout("a table with the columns category and path", lambda base: (base / INDEX).is_file(), _indexed),
    "sweethome3d": Layout(
        "libraries of Sweet Home 3D, categories of the catalogue",
        lambda base: bool(libraries_of(base)),
        partial(_libraries, by_name=False),
    ),
    "sweethome3d-names": Layout(
        "the same, each piece's name as its category", lambda base: False, partial(_libraries, by_name=True)
    ),
    "shapenet": Layout("ShapeNetCore, synsets by name", is_shapenet, _plainly(shapenet)),
    "objaverse": Layout("Objaverse, categories of LVIS or of the makers", is_objaverse, _plainly(objaverse)),
    "scanned-objects": Layout("Google Scanned Objects", is_scanned, _plainly(scanned)),
    "modelnet": Layout("ModelNet, its train and test alike", is_modelnet, _plainly(modelnet)),
    "folders": Layout("a sub-folder per category", lambda base: True, _plainly(plain_folders)),
}


def listing(root: str | Path, cache: Path, *, index: str | Path | None = None, layout: str = "") -> Listing:
    """What a folder, a table or a library offers, sorted by category and path; ``layout`` names one where it is not to
    be told from what is there."""
    if layout and layout not in LAYOUTS:
        raise unknown("layout", layout, LAYOUTS, where="the table of layouts")
    base = Path(root).expanduser()
    if base.is_file() and base.suffix.lower() == LIBRARY:
        layout = layout or "sweethome3d"
    elif base.is_file():
        base, index = base.parent, base.name if index is None else index
    if not base.exists() or (not base.is_dir() and not layout.startswith("sweethome3d")):
        raise UnseenError(
            f"no folder '{base}'; `root` is a folder with a sub-folder of meshes per category, a table, a library of "
            f"Sweet Home 3D ({LIBRARY}), or the root of ShapeNetCore, ModelNet, Objaverse or Google Scanned Objects."
        )
    base = base.resolve()
    if index is not None and layout not in ("", "index"):
        raise UnseenError(f"`index` is given, and the layout '{layout}' has none; leave one of them out.")
    if not layout:
        layout = "index" if index is not None else next(name for name, one in LAYOUTS.items() if one.fits(base))
    found = LAYOUTS[layout].read(base, index, cache)
    return replace(found, entries=_checked(found, base, layout), layout=layout)


def _checked(found: Listing, base: Path, layout: str) -> list:
    twice = [path for path, count in Counter(one.path for one in found.entries).items() if count > 1]
    if twice:
        raise UnseenError(f"the index lists {len(twice)} files more than once: {listed(twice, 10)}.")
    if not found.entries:
        left = f" {'; '.join(found.told)}." if found.told else ""
        raise UnseenError(
            f"no meshes below {base}; looked for {listed(SUFFIXES)} files, as {LAYOUTS[layout].what} "
            f"(layout '{layout}').{left} Other layouts: {listed(name for name in LAYOUTS if name != layout)}."
        )
    return sorted(found.entries, key=lambda one: (one.category, one.path))
