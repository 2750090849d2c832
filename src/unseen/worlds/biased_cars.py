"""Biased-Cars: photo-realistic cars in streets, five models × five azimuth bins of 18° (Madan et al. 2022).

The layout as its authors' download script leaves it, under a folder ``biased_cars``::

    att_dict_simplified.p
    GREEN_CARS/train/images/frame_0005_0_5_0754460_2020-02-03_K1VW81KB.png
    GREEN_CARS/train/labels/label_frame_0005_…png                  semantic maps, not read here
    BLUE_CARS_9_SCALE_4_ROTATION/val/images/frame_0005_…png        added later, same form

Confirmed from the released code and lists: the folder names; the labels in ``att_dict_simplified.p``, a pickled
dictionary from a file's own name (no folder) to four numbers from 0 to 4; that the second is the viewpoint and the
fourth the car model (``weight_scheduler`` in its demos); that the lists name files as
``biased_cars/GREEN_CARS/train/images/…`` and take them from the train, val and test folders alike, so these folders are
*not* the pools of the study. Confirmed by other users' code: the four numbers are [scale, rotation, colour, model].
Inferred: bin ``b`` covers azimuths 18·b to 18·b + 18 degrees, in that order; the models have no names in the release
and are called ``model 0`` to ``model 4`` here.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Level
from unseen.worlds.decode import Resize
from unseen.worlds.folder import build
from unseen.worlds.folder_world import Folder
from unseen.worlds.scan import ROOT_HINT, Progress, folder_at, stats

LABELS = "att_dict_simplified.p"
DEGREES = ("0–18", "18–36", "36–54", "54–72", "72–90")
ATTRIBUTES = ("scale", "azimuth", "colour", "model")
CITATION = (
    "Madan et al., When and how convolutional neural networks generalize to out-of-distribution category–viewpoint "
    "combinations, Nature Machine Intelligence 4 (2022); data: doi:10.7910/DVN/F1NQ3R"
)


def biased_cars(
    root: str | Path,
    *,
    factors: Sequence[str] = ("model", "azimuth"),
    size: int | Sequence[int] | None = 224,
    levels: Mapping[str, Sequence[Level]] | None = None,
    pool: str = "ours",
    resize: Resize = "squash",
    channels: int | None = None,
    cache: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Folder:
    """The official release below ``root`` (the folder ``biased_cars`` or the one that holds it).

    ``factors`` chooses among model, azimuth, colour, scale. Names begin with ``biased_cars/`` as in the released lists,
    so that a split can be read from them. ``pool="folders"`` takes train, val and test from the folders; by default the
    design makes the pools, since the released lists disregard the folders too. ``size`` is the paper's 224.
    """
    base = folder_at(root, ROOT_HINT)
    base = base / "biased_cars" if (base / "biased_cars").is_dir() else base
    if pool not in ("ours", "folders"):
        raise UnseenError(f"pool='{pool}'; possible: 'ours' (the design makes pools) or 'folders' (train, val, test).")
    for name in factors:
        if name not in ATTRIBUTES:
            raise UnseenError(f"Biased-Cars has no factor '{name}'; possible: {listed(ATTRIBUTES)}.")
    labels = _labels(base)
    files = stats(base).filter(pl.col("path").str.contains(r"^[A-Z0-9_]+/(train|val|test)/images/[^/]+$"))
    if files.is_empty():
        raise UnseenError(f"no images at {base}/*_CARS*/train|val|test/images/; unpack the four archives there.")
    names = [path.rpartition("/")[2] for path in files["path"]]
    bare = [name for name in names if name not in labels]
    if bare:
        raise UnseenError(f"{LABELS} has no labels for {len(bare)} images: {listed(bare, 10)}.")
    table = files.with_columns(
        [pl.Series(f"= {name}", [_level(name, labels[own]) for own in names], pl.String) for name in factors]
    )
    if pool == "folders":
        table = table.with_columns(pl.col("path").str.split("/").list.get(1).alias("= pool"))
    kinds = {name: "ordinal" for name in ("azimuth", "scale") if name in factors}
    return build(
        base, table, name="biased-cars",
        provenance={
            "source": f"{base}, official release", "citation": CITATION,
            "labels": f"{LABELS}: [scale, azimuth bin, colour, model]; bins of 18° in the order of their numbers",
        },
        category="model" if "model" in factors else "category", kinds=kinds, levels=levels, size=size, resize=resize,
        channels=channels, cache=cache, workers=workers, progress=progress, prefix="biased_cars/",
    )  # fmt: skip


def _level(name: str, labels: Sequence[Any]) -> str:
    number = int(float(labels[ATTRIBUTES.index(name)]))
    return DEGREES[number] if name == "azimuth" else f"{name} {number}"


def _labels(base: Path) -> dict[str, tuple[Any, ...]]:
    """Four labels per image, by the file's own name, whatever folder it stands under."""
    lists = base.parent.parent / "dataset_lists"  # where the authors' repository keeps a copy
    place = next((path for path in (base / LABELS, lists / LABELS) if path.is_file()), None)
    if place is None:
        raise UnseenError(f"no {LABELS} in {base}; it comes with the release (doi:10.7910/DVN/F1NQ3R).")
    try:
        found = _Plain(io.BytesIO(place.read_bytes())).load()
        labels = {str(path).rpartition("/")[2]: tuple(values) for path, values in found.items()}
    except Exception as fault:
        raise UnseenError(f"{place} is not the release's label file: {fault}") from None
    odd = [name for name, values in labels.items() if len(values) != 4 or not all(0 <= float(v) <= 4 for v in values)]
    if odd:
        raise UnseenError(f"{place} should give four numbers from 0 to 4; {listed(odd, 10)} have others.")
    return labels


class _Plain(pickle.Unpickler):
    """Reads data only: a pickle may run any code, so nothing but numpy's arrays and numbers may be built."""

    def find_class(self, module: str, name: str) -> Any:
        plain = {"_reconstruct", "ndarray", "dtype", "scalar", "int64", "float64", "str_", "_frombuffer"}
        if module.split(".")[0] == "numpy" and name in plain:
            return super().find_class(module, name)
        if (module, name) in {("collections", "OrderedDict"), ("_codecs", "encode")}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which a label file has no need of")
