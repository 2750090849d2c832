"""Digits, MNIST and Fashion-MNIST, seen from viewpoints that are made here: where, how large, how turned.

One block of source pictures times one computed factor. The pictures lie on the device as one uint8 tensor; the images
of any rows are drawn there when asked, level by level.
"""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Int, UInt8, UInt64

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.factors import Factor, FactorSpace, Level
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds import idx, placement
from unseen.worlds.on_devices import GreyPictures
from unseen.worlds.placement import VIEWPOINTS, Viewpoint

if TYPE_CHECKING:
    import torch

ROOM = 16 * 2**30  # bytes that all pictures may take once resized
VERSION = 1  # raise it when any image of these worlds changes
# Pictures drawn at a time: bounds the memory besides the output. On a CPU what fits its cache is fastest by far.
CHUNK = {"cpu": 128, "cuda": 8192}

DIGITS = Factor("category", tuple(range(10)), kind="category", texts=tuple(f"the digit {d}" for d in range(10)))
CLOTHES = Factor(
    "category",
    ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
    kind="category",
)


Maker = Callable[[int], Viewpoint]


@dataclass(frozen=True, eq=False, repr=False)
class PlacedPictures(GreyPictures):
    """A world: ``pictures`` (one per instance), each shown at every level of a viewpoint."""

    name: str
    samples: Samples
    pictures: UInt8[np.ndarray, "instances edge edge"]
    viewpoint: Viewpoint
    fingerprint: str
    provenance: Mapping[str, str]

    @property
    def size(self) -> tuple[int, int]:
        return self.viewpoint.canvas, self.viewpoint.canvas

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> torch.Tensor:
        """The images of rows, ``[n, 1, h, w]`` uint8; they hold no chance, so every ``draw`` shows the same."""
        import torch

        _, instances, levels = self.samples.locate(rows)
        pictures = self._on(device)
        chunk = CHUNK.get(pictures.device.type, 1024)
        canvas = torch.zeros((len(instances), 1, *self.size), dtype=torch.uint8, device=pictures.device)
        for level, placing in enumerate(self.viewpoint.placings):
            here = np.flatnonzero(levels == level)
            for start in range(0, len(here), chunk):
                chosen = here[start : start + chunk]
                sources = torch.from_numpy(instances[chosen]).to(pictures.device)
                drawn = placement.draw(pictures[sources], placing, self.viewpoint.canvas)
                (top, left), (high, wide) = placing.corner, drawn.shape[1:]
                places = torch.from_numpy(chosen).to(pictures.device)
                canvas[places, 0, top : top + high, left : left + wide] = drawn
        return canvas

    def _on(self, device: str) -> torch.Tensor:
        import torch

        return self._held.get(device, lambda: torch.from_numpy(self.pictures).to(device))


def _counted_ink() -> tuple[np.ndarray, np.ndarray]:
    """Pictures and labels from scikit-learn's own file: importing all of it takes longer than most that is asked of a
    study, e.g. `unseen status`."""
    found = find_spec("sklearn")
    file = Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz" if found and found.origin else None
    if file is None or not file.is_file():  # another release may keep it elsewhere
        from sklearn.datasets import load_digits

        values, labels = load_digits(return_X_y=True)
        return np.asarray(values), np.asarray(labels)
    with gzip.open(file, "rt") as text:
        rows = np.loadtxt(text, delimiter=",")
    return rows[:, :-1], rows[:, -1].astype(int)


def digits(
    viewpoint: str = "position",
    *,
    categories: Sequence[Level] | None = None,
    cell: int | None = None,
    canvas: int | None = None,
    sizes: Sequence[int] | None = None,
    angles: Sequence[int | float] | None = None,
) -> PlacedPictures:
    """scikit-learn's 1,797 handwritten digits (8×8), placed, scaled or turned. Nothing is downloaded.

    ``viewpoint``: "position" (3×3 cells of a canvas of 24), "scale" (nine sizes), "rotation" (ten angles) or "none".
    Position and scale leave the last category out, as in Madan et al. 2022, so that the grid is 9×9; ``categories``
    names others. ``cell`` resizes the pictures first (28 makes them as large as MNIST's).

    >>> world = digits()
    >>> world.samples.space.shape, world.size, world.images(np.array([4])).shape
    ((9, 9), (24, 24), torch.Size([1, 1, 24, 24]))
    """
    maker = _maker(viewpoint, cell, 8, canvas=canvas, sizes=sizes, angles=angles)
    chosen = _chosen(DIGITS, categories, viewpoint)
    values, labels = _counted_ink()
    pictures = np.rint(values * (255 / 16)).astype(np.uint8).reshape(-1, 8, 8)  # ink is counted from 0 to 16
    provenance = {
        "source": "Optical Recognition of Handwritten Digits (its 1,797 test images), as in scikit-learn",
        "licence": "CC BY 4.0",
        "citation": "Alpaydin & Kaynak 1998, UCI Machine Learning Repository, doi:10.24432/C50P49",
    }
    return _world("digits", pictures, labels, None, chosen, DIGITS, maker, provenance)


def mnist(
    root: str | Path,
    viewpoint: str = "position",
    *,
    categories: Sequence[Level] | None = None,
    cell: int | None = None,
    canvas: int | None = None,
    sizes: Sequence[int] | None = None,
    angles: Sequence[int | float] | None = None,
    download: bool = False,
) -> PlacedPictures:
    """MNIST (28×28) from the four idx files in ``root``; arguments as in :func:`digits`, on a canvas of 84.

    The official halves are the instances' pools. ``download`` fetches files that are missing, checked by hash.
    """
    provenance = {
        "source": "MNIST (70,000 digits)",
        "licence": "CC BY-SA 3.0",
        "citation": "LeCun, Bottou, Bengio & Haffner 1998, Proceedings of the IEEE 86(11)",
    }
    maker = _maker(viewpoint, cell, 28, canvas=canvas, sizes=sizes, angles=angles)
    return _from_files("mnist", root, download, _chosen(DIGITS, categories, viewpoint), DIGITS, maker, provenance)


def fashion_mnist(
    root: str | Path,
    viewpoint: str = "position",
    *,
    categories: Sequence[Level] | None = None,
    cell: int | None = None,
    canvas: int | None = None,
    sizes: Sequence[int] | None = None,
    angles: Sequence[int | float] | None = None,
    download: bool = False,
) -> PlacedPictures:
    """Fashion-MNIST (28×28) from the four idx files in ``root``; arguments as in :func:`mnist`.

    Position and scale leave "Ankle boot" out, the last category, as the digit 9 is left out of MNIST's.
    """
    provenance = {
        "source": "Fashion-MNIST (70,000 articles of clothing)",
        "licence": "MIT",
        "citation": "Xiao, Rasul & Vollgraf 2017, arXiv:1708.07747",
    }
    maker = _maker(viewpoint, cell, 28, canvas=canvas, sizes=sizes, angles=angles)
    chosen = _chosen(CLOTHES, categories, viewpoint)
    return _from_files("fashion-mnist", root, download, chosen, CLOTHES, maker, provenance)


def contents(pictures: UInt8[np.ndarray, "n h w"]) -> UInt64[np.ndarray, " n"]:
    """A 64-bit hash of each picture, so that copies are found; a few passes over columns, no loop over pictures."""
    flat = pictures.reshape(len(pictures), -1)
    flat = np.pad(flat, ((0, 0), (0, -flat.shape[1] % 8)))
    words = np.ascontiguousarray(flat).view("<u8").astype(np.uint64)
    found = np.full(len(words), pictures.shape[1] << 32 | pictures.shape[2], dtype=np.uint64)
    for column in np.ascontiguousarray(words.T):
        found = (found ^ column) * np.uint64(0x9E3779B97F4A7C15)  # wraps: the arithmetic is modulo 2^64
        found ^= found >> np.uint64(29)
    return found


def _maker(name: str, cell: object, usual: int, **given: object) -> Maker:
    """A function from the pictures' own edge to the viewpoint called ``name``.

    It is tried on the ``usual`` edge at once, so that a wrong argument is found before any file is read. An argument of
    another viewpoint must not be given: it would silently do nothing.
    """
    if name not in VIEWPOINTS:
        raise unknown("viewpoint", name, VIEWPOINTS)
    if cell is not None and (isinstance(cell, bool) or not isinstance(cell, int) or cell < 1):
        raise UnseenError(f"`cell` is the edge of one picture in pixels, a whole number from 1; {cell!r} was given.")
    arguments = {argument: value for argument, value in given.items() if value is not None}
    for argument, value in arguments.items():
        owners = [other for other, maker in VIEWPOINTS.items() if argument in inspect.signature(maker).parameters]
        if name not in owners:
            raise UnseenError(f"`{argument}` belongs to viewpoint {', '.join(owners)}, not to '{name}'; leave it out.")
        if argument in ("sizes", "angles") and not isinstance(value, list | tuple):
            raise UnseenError(f"`{argument}` takes a list of numbers; {value!r} was given.")
    make = partial(VIEWPOINTS[name], **arguments)
    make(cell or usual)
    return lambda edge: make(cell or edge)


def _chosen(factor: Factor, categories: Sequence[Level] | None, viewpoint: str) -> list[int]:
    """Label numbers of the categories asked for; by default nine for position and scale, else all."""
    if categories is None:
        return list(range(len(factor) - 1 if viewpoint in ("position", "scale") else len(factor)))
    if not isinstance(categories, list | tuple):
        raise UnseenError(f"`categories` takes a list, such as [0, 1, 2]; {categories!r} was given.")
    return [factor.index(level) for level in categories]


def _from_files(
    name: str,
    root: object,
    download: object,
    chosen: list[int],
    factor: Factor,
    maker: Maker,
    provenance: dict[str, str],
) -> PlacedPictures:
    if not isinstance(download, bool):
        raise UnseenError(f"`download` is true or false; {download!r} was given.")
    if not isinstance(root, str | Path) or not str(root):
        raise UnseenError(f"`root` is the folder with {name}'s idx files; {root!r} was given.")
    pictures, labels, pool = idx.read_set(name, Path(root).expanduser(), download=download, classes=len(factor))
    return _world(name, pictures, labels, pool, chosen, factor, maker, provenance)


def _world(
    name: str,
    pictures: UInt8[np.ndarray, "n h w"],
    labels: Int[np.ndarray, " n"] | UInt8[np.ndarray, " n"],
    pool: np.ndarray | None,
    chosen: list[int],
    factor: Factor,
    maker: Maker,
    provenance: dict[str, str],
) -> PlacedPictures:
    viewpoint = maker(pictures.shape[1])
    kept = np.flatnonzero(np.isin(labels, chosen))
    category = Factor(
        factor.name,
        tuple(factor.levels[label] for label in chosen),
        kind="category",
        texts=tuple(factor.texts[label] for label in chosen),
    )
    place = np.full(len(factor), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    pictures, levels = pictures[kept], place[labels[kept]]
    pool = None if pool is None else pool[kept]
    made = () if viewpoint.factor is None else (viewpoint.factor,)
    block = Block(
        len(kept), {"category": levels}, grid=tuple(f.name for f in made), pool=pool, content=contents(pictures)
    )
    return PlacedPictures(
        name=f"{name}-{viewpoint.factor.name}" if viewpoint.factor else name,
        samples=Samples(FactorSpace((category, *made)), (block,)),
        pictures=_at_cell(pictures, viewpoint),
        viewpoint=viewpoint,
        fingerprint=_fingerprint(pictures, levels, pool, category, viewpoint),
        provenance={**provenance, **({"ours": viewpoint.ours} if viewpoint.ours else {})},
    )


def _at_cell(pictures: UInt8[np.ndarray, "n h w"], viewpoint: Viewpoint) -> UInt8[np.ndarray, "n edge edge"]:
    """Pictures resized to the cell the viewpoint was made for."""
    if pictures.shape[1:] == (viewpoint.cell, viewpoint.cell):
        return pictures
    if (size := len(pictures) * viewpoint.cell**2) > ROOM:
        raise UnseenError(
            f"`cell` = {viewpoint.cell:,} makes {size / 2**30:,.0f} GiB of {len(pictures):,} pictures, which are kept "
            f"in memory; choose a smaller one ({math.isqrt(ROOM // len(pictures)):,} at most)."
        )
    import torch

    parts = torch.from_numpy(pictures).split(CHUNK["cpu"])
    return torch.cat([placement.resized(part, viewpoint.cell) for part in parts]).numpy()


def _fingerprint(
    pictures: np.ndarray, levels: np.ndarray, pool: np.ndarray | None, category: Factor, viewpoint: Viewpoint
) -> str:
    """A hash of what is shown and how, never of where it lies."""
    asked = {
        "version": VERSION,
        "shape": pictures.shape,
        "categories": category.levels,
        "cell": viewpoint.cell,
        "canvas": viewpoint.canvas,
        "viewpoint": viewpoint.factor.name if viewpoint.factor else "none",
        "placings": [(placing.corner, placing.size, placing.angle) for placing in viewpoint.placings],
    }
    digest = hashlib.blake2b(json.dumps(asked).encode(), digest_size=16)
    for part in (pictures, levels.astype("<i8"), "" if pool is None else "".join(pool)):
        digest.update(part.encode() if isinstance(part, str) else np.ascontiguousarray(part).data)
    return digest.hexdigest()
