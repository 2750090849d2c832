"""Images: many as one picture that the page cuts up, one with its factors, its neighbours and what everybody said."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.stretched import STRETCHED, visible
from unseen.studies.explained.stored_maps import has_maps
from unseen.studies.records import Record
from unseen.studies.subjects import one_world
from unseen.viewer.answers import _worded, answerers, right, scanned
from unseen.viewer.asked import Asked
from unseen.viewer.cell_units import units_at
from unseen.viewer.neighbours import along_each
from unseen.viewer.shelf import NotServed, OnShelf, Reading, Shelf
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys
from unseen.vocabulary.world import World

if TYPE_CHECKING:
    from unseen.studies.trials import Trial

MOST = 240  # images of one sheet
LARGEST = 1024  # pixels of a side
BATCH = 64
KEPT = 192 * 2**20  # bytes of images that are kept drawn


class Tiles:
    """Images that were drawn before, below a budget: those asked for longest ago go first."""

    def __init__(self, budget: int = KEPT) -> None:
        self.budget, self.bytes = budget, 0
        self._kept: OrderedDict[tuple[str, int, int], np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, int, int]) -> np.ndarray | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: tuple[str, int, int], tile: np.ndarray) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = tile
                self.bytes += tile.nbytes
            while self.bytes > self.budget and len(self._kept) > 1:
                self.bytes -= self._kept.popitem(last=False)[1].nbytes


TILES = Tiles()


def point_of(now: Reading, asked: Asked) -> Trial:
    """The trial whose world is meant: of a subject from elsewhere, the first; all of its study have one world."""
    study = now.study
    if study.absent:
        raise NotServed(f"{study.absent}; the answers are shown without them.")
    name = asked.text("trial")
    if name in study.store.subjects():
        return one_world(study)
    trials = study.trials or study.points
    place = now.trial(name) if name and now.trials else 0
    return trials[place] if place < len(trials) else trials[0]


def sheet(shelf: Shelf, asked: Asked) -> Any:
    """Images of some rows in one PNG, side by side in lines; how many stand in a line, and their size, in headers."""
    from starlette.responses import Response

    on_shelf = shelf[asked.text("study")]
    rows = asked.rows("rows", MOST)
    side = asked.whole("side", 96, 8, LARGEST)
    if not rows:
        raise UnseenError("no row was named; rows are numbers with commas between them, as in rows=0,5,12.")
    with on_shelf.held() as now:
        world = now.study.world(point_of(now, asked))
        tiles = drawn(world, rows, side)
    body, columns = as_sheet(tiles)
    height, width = tiles[0].shape[:2]
    headers = {"x-columns": str(columns), "x-width": str(width), "x-height": str(height)}
    return Response(body, media_type="image/png", headers={**headers, "cache-control": "private, max-age=3600"})


def drawn(world: World, rows: Sequence[int], side: int) -> list[np.ndarray]:
    """The images of some rows ``[h, w]`` or ``[h, w, 3]``, as bytes, no side longer than ``side`` pixels."""
    world.samples.locate(np.asarray(rows, dtype=np.int64))  # says which row there is not
    found = {row: TILES.get((world.fingerprint, side, row)) for row in rows}
    missing = [row for row, tile in found.items() if tile is None]
    for start in range(0, len(missing), BATCH):
        some = missing[start : start + BATCH]
        images = visible(world.images(np.asarray(some, dtype=np.int64)).cpu().numpy())
        for row, image in zip(some, images):
            found[row] = _fitting(image, side)
            TILES.put((world.fingerprint, side, row), found[row])  # type: ignore[arg-type]
    return [tile for row in rows if (tile := found[row]) is not None]


def _fitting(image: np.ndarray, side: int) -> np.ndarray:
    """An image ``[c, h, w]`` with its channels last, three or one, made smaller where it is too large."""
    from PIL import Image

    pixels = image[0] if image.shape[0] != 3 else image.transpose(1, 2, 0)
    height, width = pixels.shape[:2]
    if max(height, width) <= side:
        return np.ascontiguousarray(pixels)
    share = side / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    return np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.LANCZOS))


def as_sheet(tiles: Sequence[np.ndarray]) -> tuple[bytes, int]:
    """Tiles of one size as a PNG, and how many stand in a line."""
    from PIL import Image

    columns = ceil(sqrt(len(tiles)))
    height, width = tiles[0].shape[:2]
    lines = ceil(len(tiles) / columns)
    whole = np.zeros((lines * height, columns * width, *tiles[0].shape[2:]), dtype=np.uint8)
    for place, tile in enumerate(tiles):
        top, left = place // columns * height, place % columns * width
        whole[top : top + height, left : left + width] = tile
    file = io.BytesIO()
    Image.fromarray(whole).save(file, format="PNG", compress_level=1)
    return file.getvalue(), columns


def image(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """One image: its factors, the rows beside it along each of them, and every answer to it."""
    on_shelf = shelf[asked.text("study")]
    with on_shelf.held() as now:
        point = point_of(now, asked)
        world = now.study.world(point)
        (row,) = asked.rows("row", 1) or [0]
        told = described(world, row)
    if not asked.text("answers"):
        return {**told, "answers": []}
    known = _identity(now, asked.text("trial"))
    answers, maps = answers_to(on_shelf, now, point, row), _has_maps(now, known)
    return {**told, "answers": answers, "maps": maps, "units": units_at(now, point, known, row)}


def _identity(now: Reading, name: str) -> str:
    """The trial whose image is shown, by its name or place; "" where it is none that is finished."""
    return (now.identities[now.trial(name)] if name.isdecimal() and len(name) < 12 else name) or ""


def _has_maps(now: Reading, known: str) -> bool:
    """Whether maps of the trial whose image is shown were recorded."""
    facts = now.facts.get(known) if known else None
    return facts is not None and has_maps(Record(dict(facts), now.stored.store.trials / known))


def described(world: World, row: int) -> dict[str, Any]:
    """What is known of one image, and its neighbours along each factor."""
    samples = world.samples
    at = np.array([row], dtype=np.int64)
    cell = samples.cells(at)[0].tolist()
    height, width = world.size
    return {
        "row": row,
        "rows": len(samples),
        "world": world.name,
        "key": sample_keys(samples, at)[0],
        "name": samples.name(row),
        "size": [height, width],
        "note": STRETCHED if world.dtype != "uint8" else "",
        "levels": {f.name: f.texts[level] for f, level in zip(samples.space.factors, cell)},
        "attributes": {name: samples.attribute(name, at)[0] for name in samples.attributes},
        "along": [
            {"name": one.name, "levels": one.levels, "rows": one.rows, "here": one.here}
            for one in along_each(samples, row)
        ],
    }


def answers_to(on_shelf: OnShelf, now: Reading, point: Trial, row: int) -> list[dict[str, Any]]:
    """What everybody who was asked about this image said."""
    import polars as pl

    same = {
        name
        for trial, name in zip(now.study.trials, now.identities)
        if name and trial.recipe.world.model_dump() == point.recipe.world.model_dump()
    }
    everybody = [one for one in answerers(now) if one.kind != "trial" or one.name in same]
    if not everybody:
        return []
    labels = {one.name: one for one in everybody}
    frame = scanned(now, [one.name for one in everybody]).filter(pl.col("sample") == row)
    columns = [name for name in ("trial", "participant", "set", "target", "truth", "response", "confidence")
               if name in frame.collect_schema()]  # fmt: skip
    rows = _worded(frame.select(*columns, right(frame))).collect().to_dicts()
    order = {name: place for place, name in enumerate(labels)}
    rows.sort(key=lambda one: (one["target"], order[one["trial"]]))
    return [{**one, "label": labels[one["trial"]].label, "kind": labels[one["trial"]].kind} for one in rows]


def worlds(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """The distinct worlds of a study, each by a trial that has it, with a row to begin with."""
    on_shelf = shelf[asked.text("study")]
    with on_shelf.held() as now:
        study = now.study
        if study.absent:
            return {"absent": study.absent, "worlds": []}
        found: dict[int, dict[str, Any]] = {}
        for place, trial in enumerate(study.trials or study.points):
            world = study.world(trial)
            told = {"trial": place, "name": world.name, "rows": len(world.samples), "size": world.size}
            factors = [{"name": f.name, "kind": f.kind, "levels": len(f)} for f in world.samples.space.factors]
            found.setdefault(id(world), {**told, "factors": factors, "provenance": dict(world.provenance)})
    return {"absent": "", "worlds": list(found.values())}
