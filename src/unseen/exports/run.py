"""Writing an export: shard by shard, what is finished stays, what is missing is drawn, encoded and put in place."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unseen.exports.ledger import (
    add_note,
    claim,
    disk_in_words,
    put_shard,
    read_ledger,
    sweep,
    write_card,
    write_ledger,
)
from unseen.exports.lock import locked
from unseen.exports.plan import MANIFEST, Plan, plan_export
from unseen.exports.selection import RowsLike
from unseen.exports.shards import write_manifest, writer
from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sizes import size_text
from unseen.vocabulary.whole_files import written_aside
from unseen.vocabulary.world import World

Progress = Callable[[int, int], None]  # images done, images in all
Note = Callable[[str], None]
PIECE = 16  # pictures that a thread encodes at a time
TRIED = 16  # pictures encoded to estimate the space needed
BLOCK = 4096  # what a small file takes on most disks


@dataclass(frozen=True)
class Exported:
    """What lies in ``path``: images and shards, of which ``written`` in this run. ``out_of_frame`` counts images whose
    object is not in the picture; None where the world cannot tell."""

    path: Path
    images: int
    shards: int
    written: int
    bytes: int
    out_of_frame: int | None


def export(
    world: World,
    out: str | Path,
    *,
    format: str = "png",
    rows: RowsLike = None,
    sample: int | None = None,
    seed: int = 0,
    shard: int = 10_000,
    device: str = "cpu",
    workers: int | None = None,
    batch: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    note: Note | None = None,
) -> Exported:
    """Write rows of a world to files.

    ``format``: "png", "webp" (a folder with a manifest that the world ``folder`` reads), "webdataset" or "parquet".
    ``rows``: all by default, "0:1000", a slice or a list; or a random ``sample`` of that many. ``shard`` is the number
    of images in each folder or file. ``arguments`` (how the world was made) are written to the card ``export.json``.
    ``device``, ``workers`` (threads that encode) and ``batch`` change how fast, never which rows.

    The same call again writes what is missing: a killed export ends with the same bytes as an undisturbed one.
    """
    plan = plan_export(
        world, out, format=format, rows=rows, sample=sample, seed=seed, shard=shard, device=device, batch=batch,
        arguments=arguments,
    )  # fmt: skip
    return run(plan, workers=workers, progress=progress, note=note)


def run(
    plan: Plan, *, workers: int | None = None, progress: Progress | None = None, note: Note | None = None
) -> Exported:
    """Carry out a plan."""
    notes: dict[int, dict[str, int]] = {}
    with locked(plan.out), disk_in_words(plan, lambda: len(notes)):
        claim(plan)
        sweep(plan)
        notes |= read_ledger(plan)
        write_ledger(plan, notes)
        missing = [number for number in range(plan.shards) if number not in notes]
        done = sum(len(_shard_rows(plan, number)) for number in notes)
        if missing:
            write_card(plan, finished=False)  # a shard of a finished export may have been lost
            check_space(plan, len(plan.rows) - done, note)
        _tell(progress, len(plan.rows), done)  # after the first pictures, for which a world may load what it shows
        with ThreadPoolExecutor(workers or cores(), thread_name_prefix="encode") as pool:
            for number in missing:
                notes[number] = _write_shard(plan, number, pool, partial(_tell, progress, len(plan.rows), done))
                add_note(plan, notes[number])
                done += len(_shard_rows(plan, number))
        return _finish(plan, notes, len(missing))


def _write_shard(plan: Plan, number: int, pool: ThreadPoolExecutor, tell: Callable[[int], None]) -> dict[str, int]:
    rows = _shard_rows(plan, number)
    outside = _OutOfFrame(plan)
    pictures = _encoded(plan, rows, pool, tell, outside)
    files, size = put_shard(plan, number, lambda aside: writer(plan.format)(plan, rows, pictures, aside))
    tell(len(rows))
    return {"shard": number, "images": len(rows), "files": files, "bytes": size, **outside.found()}


def _finish(plan: Plan, notes: dict[int, dict[str, int]], written: int) -> Exported:
    write_ledger(plan, notes)
    if plan.in_folder:
        with written_aside(plan.out / MANIFEST) as aside:
            write_manifest(plan, aside)
    known = all("out_of_frame" in one for one in notes.values())
    outside = sum(one["out_of_frame"] for one in notes.values()) if known else None
    found = {"finished": True} | ({} if outside is None else {"out_of_frame": outside})
    write_card(plan, **found)
    size = sum(one["bytes"] for one in notes.values())
    return Exported(plan.out, len(plan.rows), plan.shards, written, size, outside)


class _OutOfFrame:
    """Counts the images of a shard whose object is not in the picture, where a world can tell: it may offer
    ``out_of_frame(rows, device)``, one truth per row."""

    def __init__(self, plan: Plan) -> None:
        self.ask = getattr(plan.world, "out_of_frame", None)
        self.device, self.count = plan.device, 0

    def look(self, rows: np.ndarray) -> None:
        if self.ask is not None:
            self.count += int(self.ask(rows, self.device).sum())

    def found(self) -> dict[str, int]:
        return {} if self.ask is None else {"out_of_frame": self.count}


def _encoded(
    plan: Plan, rows: np.ndarray, pool: ThreadPoolExecutor, tell: Callable[[int], None], outside: _OutOfFrame
) -> Iterator[bytes]:
    """The pictures of rows as bytes, in order. While threads encode one batch the next is drawn; no more is held."""
    waiting: deque[list[Future[list[bytes]]]] = deque()
    done = 0
    try:
        for start in [*range(0, len(rows), plan.batch), None]:
            if start is not None:
                here = rows[start : start + plan.batch]
                pixels = drawn(plan, here)
                outside.look(here)
                pieces = [pixels[at : at + PIECE] for at in range(0, len(pixels), PIECE)]
                waiting.append([pool.submit(_encode_all, plan, piece) for piece in pieces])
            while len(waiting) > (start is not None):
                for piece in waiting.popleft():
                    found = piece.result()
                    yield from found
                    done += len(found)
                tell(done)
    finally:
        for piece in (piece for batch in waiting for piece in batch):
            piece.cancel()


def _encode_all(plan: Plan, pixels: np.ndarray) -> list[bytes]:
    return [plan.encode(one) for one in pixels]


def drawn(plan: Plan, rows: np.ndarray) -> np.ndarray:
    """The pixels of some rows in memory, checked against what the world says of itself."""
    world = plan.world
    pixels = world.images(rows, plan.device).cpu().numpy()
    wanted = (len(rows), world.channels, *world.size)
    if pixels.shape != wanted or str(pixels.dtype) != world.dtype:
        raise UnseenError(
            f"world '{world.name}' gave {pixels.dtype} of shape {list(pixels.shape)} where it promises {world.dtype} "
            f"of {list(wanted)}; mend its images(), or its size, channels and dtype."
        )
    return pixels


def check_space(plan: Plan, images: int, note: Note | None) -> None:
    """Encode a few pictures, and refuse to begin what the disk cannot hold."""
    places = np.unique(np.linspace(0, len(plan.rows) - 1, TRIED).astype(np.int64))
    rows = np.concatenate([plan.rows.part(place, place + 1) for place in places.tolist()])
    each = float(np.mean([_on_disk(plan, len(plan.encode(one))) for one in drawn(plan, rows)]))
    needed, free = each * images, shutil.disk_usage(plan.out).free
    told = f"{images:,} images of about {size_text(each)} need {size_text(needed)}"
    told += f", and '{plan.out}' has {size_text(free)} free"
    if needed > free:
        raise UnseenError(f"{told}. Make room, choose a folder on another disk, or fewer rows.")
    if needed > 0.9 * free and note is not None:
        note(f"{told}: it will be nearly full.")


def _on_disk(plan: Plan, size: int) -> int:
    if plan.in_folder:
        return -(-size // BLOCK) * BLOCK
    return -(-size // 512) * 512 + 1536 if plan.format == "webdataset" else size + 64


def _shard_rows(plan: Plan, number: int) -> np.ndarray:
    return plan.rows.part(number * plan.shard, (number + 1) * plan.shard)


def _tell(progress: Progress | None, total: int, before: int, now: int = 0) -> None:
    if progress is not None:
        progress(before + now, total)
