"""Collections whose categories stand in files beside the meshes: Objaverse and Google Scanned Objects."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unseen.vocabulary.errors import UnseenError, listed
from unseen.worlds.meshes.layouts.entries import Entry, Listing

LVIS = "lvis-annotations.json"
MOST_BYTES = 2**31  # of an unpacked annotation file
VERSIONED = "hf-objaverse-v1"  # where the package ``objaverse`` puts it all, below ~/.objaverse
MESH, METADATA = "meshes/model.obj", "metadata.pbtxt"
_FIRST = re.compile(r'\bcategories\s*\{[^}]*?\bfirst:\s*"((?:[^"\\]|\\.)*)"')
_NAMED = re.compile(r'^\s*(license|copyright):\s*"((?:[^"\\]|\\.)*)"', re.MULTILINE)


def is_objaverse(base: Path) -> bool:
    """``glbs/000-023/8476c4170df24cf5bbe6967222d1a42d.glb``"""
    return any(next((place / "glbs").glob("*/*.glb"), None) is not None for place in (base, base / VERSIONED))


def objaverse(base: Path) -> Listing:
    """Categories of LVIS where ``lvis-annotations.json`` is there, else those of the makers in ``metadata``. An object
    of none, or of several, is left out: its label would be a guess. glTF itself says up +y, front +z."""
    base = base / VERSIONED if (base / VERSIONED / "glbs").is_dir() else base
    files = {file.stem: file for file in sorted((base / "glbs").glob("*/*.glb"))}
    about = _metadata(base, {file.parent.name for file in files.values()})
    of = _lvis(base)
    source = "LVIS"
    if of is None:
        source = "its maker's"
        of = {
            uid: [
                str(one["name"]) for one in told.get("categories") or () if isinstance(one, Mapping) and "name" in one
            ]
            for uid, told in about.items()
        }
        if not about:
            raise UnseenError(
                f"{base} holds {len(files)} objects of Objaverse and no categories; put {LVIS}.gz "
                "(objaverse.load_lvis_annotations) or the folder metadata (objaverse.load_annotations) beside glbs."
            )
    found = []
    for uid, file in files.items():
        if len(of.get(uid, ())) == 1:
            told = about.get(uid, {})
            maker = told.get("user") if isinstance(told.get("user"), Mapping) else {}
            found.append(
                Entry(
                    of[uid][0],
                    file.relative_to(base).as_posix(),
                    str(told.get("name") or uid),
                    licence=str(told.get("license") or ""),
                    creator=str((maker or {}).get("username") or ""),
                    source=f"Objaverse {uid}",
                )
            )
    counts = Counter(min(len(of.get(uid, ())), 2) for uid in files)
    told_of = {
        f"left out: {counts[0]:,} objects without a category of {source}": counts[0],
        f"left out: {counts[2]:,} objects with several categories of {source}": counts[2],
    }
    return Listing(base, found, tuple(line for line, applies in told_of.items() if applies), up="y", front="z")


def _lvis(base: Path) -> dict[str, list[str]] | None:
    """The categories of each uid, from ``{category: [uid, …]}``."""
    file = next((base / name for name in (LVIS, f"{LVIS}.gz") if (base / name).is_file()), None)
    if file is None:
        return None
    told = _json(file)
    if not isinstance(told, Mapping) or not all(isinstance(uids, list) for uids in told.values()):
        raise UnseenError(f"{file} is not what Objaverse calls so: a list of uids for each category.")
    of: dict[str, list[str]] = {}
    for category, uids in told.items():
        for uid in uids:
            of.setdefault(str(uid), []).append(str(category))
    return of


def _metadata(base: Path, parts: set[str]) -> dict[str, Mapping[str, Any]]:
    """What is known of each uid, from ``metadata/000-023.json.gz``: ``{uid: {…}}``; only of folders that are there."""
    about: dict[str, Mapping[str, Any]] = {}
    for part in sorted(parts):
        for file in (base / "metadata" / f"{part}.json", base / "metadata" / f"{part}.json.gz"):
            told = _json(file) if file.is_file() else None
            if isinstance(told, Mapping):
                about |= {uid: one for uid, one in told.items() if isinstance(one, Mapping)}
    return about


def _json(file: Path) -> Any:
    try:
        with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UnseenError(f"{file} unpacks to more than {MOST_BYTES:,} bytes, which no list of annotations has.")
        return json.loads(data)
    except (OSError, ValueError, EOFError) as fault:
        raise UnseenError(f"{file} cannot be read as JSON: {fault}.") from None


def is_scanned(base: Path) -> bool:
    """``11pro_SL_TRX_FG/meshes/model.obj`` with ``11pro_SL_TRX_FG/metadata.pbtxt`` beside ``meshes``."""
    return any(
        (model.parent.parent / METADATA).is_file() for place in _places(base) for model in place.glob(f"*/{MESH}")
    )


def scanned(base: Path) -> Listing:
    """Google Scanned Objects, as Gazebo Fuel gives them: z up, as Gazebo has it; nothing says where the front is."""
    found, bare, lost = [], [], []
    for folder in sorted(one for place in _places(base) for one in place.iterdir() if one.is_dir()):
        if not (folder / MESH).is_file():
            if (folder / METADATA).is_file():
                lost.append(folder.name)
            continue
        try:
            text = (folder / METADATA).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        category = _FIRST.search(text)
        if category is None or not category[1].strip():
            bare.append(folder.name)
            continue
        said = dict(_NAMED.findall(text))
        path = (folder / MESH).relative_to(base).as_posix()
        found.append(
            Entry(
                category[1].strip(),
                path,
                folder.name,
                licence=said.get("license", ""),
                creator=said.get("copyright", ""),
                source=f"Google Scanned Objects {folder.name}",
            )
        )
    told = {
        f"left out: {len(bare)} objects whose {METADATA} names no category: {listed(bare, 10)}": bare,
        f"left out: {len(lost)} objects without {MESH}: {listed(lost, 10)}": lost,
    }
    return Listing(base, found, tuple(line for line, applies in told.items() if applies), up="z", front="-y")


def _places(base: Path) -> Iterator[Path]:
    yield base
    if (base / "models").is_dir():
        yield base / "models"
