"""Categories as sub-folders: anybody's own, ModelNet's and ShapeNet's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.meshes.layouts.entries import Entry, Listing
from unseen.worlds.meshes.references import SUFFIXES

SYNSET = re.compile(r"\d{8}")
NORMALIZED, FIRST = "models/model_normalized.obj", "model.obj"  # of ShapeNetCore.v2, and of its first version
SPLITS = ("train", "test")
# ShapeNetCore's synsets (WordNet 3.0 noun offsets) by their everyday names; bicycle and boat are of its first version.
# These names, not those of taxonomy.json, so that a category is called the same with and without that file.
SYNSETS = {
    "02691156": "airplane", "02747177": "trash bin", "02773838": "bag", "02801938": "basket", "02808440": "bathtub",
    "02818832": "bed", "02828884": "bench", "02834778": "bicycle", "02843684": "birdhouse", "02858304": "boat",
    "02871439": "bookshelf", "02876657": "bottle", "02880940": "bowl", "02924116": "bus", "02933112": "cabinet",
    "02942699": "camera", "02946921": "can", "02954340": "cap", "02958343": "car", "02992529": "cellphone",
    "03001627": "chair", "03046257": "clock", "03085013": "keyboard", "03207941": "dishwasher", "03211117": "display",
    "03261776": "earphone", "03325088": "faucet", "03337140": "file cabinet", "03467517": "guitar",
    "03513137": "helmet", "03593526": "jar", "03624134": "knife", "03636649": "lamp", "03642806": "laptop",
    "03691459": "loudspeaker", "03710193": "mailbox", "03759954": "microphone", "03761084": "microwave",
    "03790512": "motorcycle", "03797390": "mug", "03928116": "piano", "03938244": "pillow", "03948459": "pistol",
    "03991062": "flowerpot", "04004475": "printer", "04074963": "remote", "04090263": "rifle", "04099429": "rocket",
    "04225987": "skateboard", "04256520": "sofa", "04330267": "stove", "04379243": "table", "04401088": "telephone",
    "04460130": "tower", "04468005": "train", "04530566": "watercraft", "04554684": "washer",
}  # fmt: skip


def plain_folders(base: Path) -> Listing:
    """A sub-folder per category, whatever lies in between."""
    return Listing(base, list(_below(base)))


def _below(base: Path) -> Iterator[Entry]:
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


def is_modelnet(base: Path) -> bool:
    """``airplane/train/airplane_0001.off``"""
    return any(next(base.glob(f"*/{split}/*.off"), None) is not None for split in SPLITS)


def modelnet(base: Path) -> Listing:
    """Both of its sets: pools are a design's to make. z is up; fronts differ from object to object."""
    files = sorted(file for split in SPLITS for file in base.glob(f"*/{split}/*.off"))
    found = [Entry(file.parts[-3], "/".join(file.parts[-3:]), file.stem, source="ModelNet") for file in files]
    return Listing(base, found, up="z", front="-y")


def is_shapenet(base: Path) -> bool:
    """``02691156/1a04e3eab45ca15dd86060f189eb133/models/model_normalized.obj``"""
    return any(
        SYNSET.fullmatch(one.name) and (_any(one, f"*/{NORMALIZED}") or _any(one, f"*/{FIRST}"))
        for one in sorted(base.iterdir())
        if one.is_dir()
    )


def shapenet(base: Path) -> Listing:
    """Synsets by name. The second version says up +y and front -z; the first says nothing that we could find."""
    names = {**_taxonomy(base), **SYNSETS}
    found, unnamed, version = [], set(), 1
    for synset in sorted(one for one in base.iterdir() if one.is_dir() and SYNSET.fullmatch(one.name)):
        if synset.name not in names:
            unnamed.add(synset.name)
        for model in sorted(one for one in synset.iterdir() if one.is_dir()):
            second = (model / NORMALIZED).is_file()
            if second or (model / FIRST).is_file():
                version = 2 if second else version
                path = f"{synset.name}/{model.name}/{NORMALIZED if second else FIRST}"
                category = names.get(synset.name, synset.name)
                found.append(Entry(category, path, model.name, source=f"ShapeNet {synset.name}"))
    told = (f"synsets without a name, called by their number: {', '.join(sorted(unnamed))}",) if unnamed else ()
    return Listing(base, found, told, up="y", front="-z" if version == 2 else "")


def _taxonomy(base: Path) -> dict[str, str]:
    """The names that ``taxonomy.json`` gives, the first of each: a list of ``{"synsetId": …, "name": "a,b,c"}``."""
    try:
        with (base / "taxonomy.json").open(encoding="utf-8") as file:
            return {str(one["synsetId"]): str(one["name"]).split(",")[0].strip() for one in json.load(file)}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _any(folder: Path, pattern: str) -> bool:
    return next(folder.glob(pattern), None) is not None
