"""What a model makes of pictures (features, or outputs), computed once for each row of a world and kept on disk.

A folder holds what one model, fed in one way at one precision, makes of one world: records of float32 and a journal of
the rows that are there (:mod:`unseen.vocabulary.journals`), so that a kill costs the rows of a few seconds, and whoever
asks for more rows pays for those only. The folder's name is a hash of all that decides its content. Its use is noted by
the time of ``about.json``: where the whole would take more than is allowed, what was used least recently goes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unseen.recordings.responses import autocast
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.journals import KEY, Journal
from unseen.vocabulary.locks import holder, in_turn
from unseen.vocabulary.sizes import gigabytes_said, size_text
from unseen.vocabulary.whole_files import disk_full, put_whole

VERSION = 1  # raise it when other numbers would be computed
BUDGET = "UNSEEN_FEATURES"  # GB that all may take
MOST = 20.0  # GB, if not said (ours)
ABOUT = "about.json"
BATCHES = {"cpu": 64}  # pictures at a time: on a CPU, as many as its caches bear
BATCH = 256
CHUNK_BYTES = 32 * 2**20
CHUNK_SECONDS = 5.0

Show = Callable[[Sequence[np.ndarray]], Iterator[Tensor]]  # batches of rows -> their pictures, perhaps drawn ahead
Encode = Callable[[Tensor], Tensor]  # pictures on the device -> [n, ...]
Progress = Callable[[int, int], None]  # rows done, of how many


@dataclass(frozen=True)
class Features:
    """What one model makes of one world, below ``home``. ``told``: all that decides it, and names for people."""

    home: Path
    told: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        decides = {key: value for key, value in self.told.items() if key != "names"}
        text = json.dumps({"version": VERSION, **decides}, sort_keys=True, default=str)
        return self.home / hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def shape(self) -> tuple[int, ...] | None:
        """Of what is made of one picture; None where nothing is there yet."""
        try:
            return tuple(int(n) for n in json.loads((self.folder / ABOUT).read_text("utf-8"))["shape"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _journal(self, shape: Sequence[int]) -> Journal:
        return Journal(self.folder / "features.f32", self.folder / "rows.u64", 4 * math.prod(shape), "feature cache")

    def missing(self, rows: np.ndarray) -> np.ndarray:
        """Those of these rows that are not there, each once, in the order of their numbers."""
        wanted = np.unique(np.asarray(rows, dtype=np.int64))
        shape = self.shape()
        return wanted if shape is None else wanted[self._journal(shape).slots(wanted.astype(np.uint64)) < 0]

    def read(self, rows: np.ndarray) -> np.ndarray:
        """``[n, ...]`` float32 of rows that are there."""
        shape = self.shape()
        if shape is None:
            raise UnseenError(f"the feature cache {self.folder} is gone: removed by another process? Run again.")
        journal = self._journal(shape)
        slots = journal.slots(np.asarray(rows).astype(np.uint64))
        if (slots < 0).any():
            raise UnseenError(f"the feature cache {self.folder} lacks {int((slots < 0).sum())} rows; run again.")
        out = np.empty((len(rows), *shape), dtype=np.float32)
        journal.read_into(out, slots)
        return out

    def add(
        self,
        rows: np.ndarray,
        show: Show,
        encode: Encode,
        *,
        device: torch.device,
        precision: str = "float32",
        batch: int | None = None,
        most: float | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Compute what is missing of these rows; gives how many were. Fewer pictures at a time where the device's
        memory does not hold so many. ``most``: GB that all features below ``home`` may take."""
        if not len(self.missing(rows)):
            self._used()
            return 0
        size = batch or BATCHES.get(device.type, BATCH)
        with self._disk(), in_turn(self.folder / "lock"):
            missing = self.missing(rows)  # again, within the lock: another process may have done it meanwhile
            total = len(missing)
            while len(missing):
                try:
                    computed = _computed(missing, show, encode, device, precision, size)
                    self._keep(computed, len(missing), most, _from(progress, total - len(missing), total))
                    break
                except torch.OutOfMemoryError:
                    if size == 1:
                        raise
                size = max(1, size // 2)  # the error is gone by now, and what it held with it
                missing = self.missing(rows)
        return total

    def _keep(
        self, computed: Iterator[tuple[np.ndarray, np.ndarray]], total: int, most: float | None, progress: Progress
    ) -> None:
        """Append in chunks, and be done with each before the next is begun."""
        journal: Journal | None = None
        rows: list[np.ndarray] = []
        made: list[np.ndarray] = []
        done, held, since = 0, 0, time.perf_counter()

        def append() -> None:
            nonlocal held, since, done
            if journal is not None and rows:
                journal.append(np.concatenate(rows).astype(np.uint64), made)
                done += sum(map(len, rows))
                progress(done, total)
            rows.clear()
            made.clear()
            held, since = 0, time.perf_counter()

        try:
            for some, found in computed:
                if journal is None:
                    journal = self._begun(found.shape[1:], total, most)
                bad = ~np.isfinite(found).reshape(len(found), -1).all(1)
                if bad.any():
                    raise UnseenError(
                        f"{self._named()} made NaN or infinity of {int(bad.sum())} of {len(found)} pictures (row "
                        f"{int(some[bad][0])}). Is its preprocessing right? At half precision, try float32 "
                        '(training.precision = "float32"). What was computed before is kept.'
                    )
                rows.append(some)
                made.append(found)
                held += found.nbytes
                if held >= CHUNK_BYTES or time.perf_counter() - since >= CHUNK_SECONDS:
                    append()
        finally:
            append()

    def _begun(self, shape: tuple[int, ...], total: int, most: float | None) -> Journal:
        known, journal = self.shape(), self._journal(shape)
        if known is not None and known != shape:
            raise UnseenError(
                f"{self._named()} gave {list(known)} numbers of a picture before and gives {list(shape)} now, although "
                "it is said to be the same."
            )
        _make_room(self.home, self.folder, total * (journal.record + KEY), allowed(most))
        put_whole(self.folder / ABOUT, json.dumps({"shape": list(shape), **self.told}, default=str))
        return journal

    def _named(self) -> str:
        return f"'{dict(self.told.get('names', {})).get('model', 'the model')}'"

    def _used(self) -> None:
        with suppress(OSError):
            os.utime(self.folder / ABOUT)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as fault:
            why = "its disk is full" if disk_full(fault) else fault.strerror or fault
            raise UnseenError(
                f"features cannot be kept in {self.folder}: {why}. Set UNSEEN_CACHE to a folder on a larger disk, or "
                f"of yours. What was computed is kept."
            ) from None


def _from(progress: Progress | None, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total) if progress is not None else None


def _computed(
    rows: np.ndarray, show: Show, encode: Encode, device: torch.device, precision: str, size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows and what is made of them, on the host. A batch is waited for only when the next one is on its way."""
    cuda = device.type == "cuda"
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    waiting: tuple[np.ndarray, Tensor, Any] | None = None

    def arrived(item: tuple[np.ndarray, Tensor, Any]) -> tuple[np.ndarray, np.ndarray]:
        some, host, event = item
        if event is not None:
            event.synchronize()
        return some, host.numpy()

    for some, images in zip(batches, show(batches), strict=True):
        with torch.inference_mode(), autocast(device, precision):
            made = encode(images.to(device, non_blocking=True))
            if not isinstance(made, Tensor) or made.ndim < 2 or len(made) != len(some):
                what = list(made.shape) if isinstance(made, Tensor) else type(made).__name__
                raise UnseenError(f"one row of numbers for each of {len(some)} pictures is needed; given {what}.")
            host = torch.empty(made.shape, dtype=torch.float32, pin_memory=cuda)
            host.copy_(made, non_blocking=cuda)
        event = None
        if cuda:
            event = torch.cuda.Event()
            event.record(torch.cuda.current_stream(device))
        if waiting is not None:
            yield arrived(waiting)
        waiting = some, host, event
    if waiting is not None:
        yield arrived(waiting)


def plainly(images: Callable[..., Tensor], device: torch.device) -> Show:
    """Pictures as a world gives them, one batch after the other."""
    return lambda batches: (images(rows, str(device)) for rows in batches)


# What all of them take


def allowed(most: float | None = None) -> float:
    """GB that all features may take: as given, else as the environment says."""
    return gigabytes_said(BUDGET, MOST, "features") if most is None else most


def kept(home: Path) -> list[tuple[Path, int, float]]:
    """Folders of features, their bytes and when each was last used, the least recently used first."""
    found = []
    for folder in home.iterdir() if home.is_dir() else ():
        with suppress(OSError):
            size = sum(file.stat().st_size for file in folder.iterdir())
            about = folder / ABOUT
            found.append((folder, size, (about if about.exists() else folder).stat().st_mtime))
    return sorted(found, key=lambda one: one[2])


def remove_features(home: Path) -> int:
    """Remove all that nobody is adding to; gives the bytes freed."""
    freed = 0
    for folder, size, _ in kept(home):
        if not _busy(folder):
            shutil.rmtree(folder, ignore_errors=True)
            freed += size
    return freed


def _busy(folder: Path) -> bool:
    return holder(folder / "lock") is not None


def _make_room(home: Path, mine: Path, need: int, most: float) -> None:
    """Let what was used least recently go until so many bytes more may be kept."""
    there = kept(home)
    own = sum(size for folder, size, _ in there if folder == mine)
    if own + need > most * 1e9:
        raise UnseenError(
            f"features of these rows take {size_text(own + need)}, and all features may take {most:g} GB; allow more "
            f"by {BUDGET}={math.ceil((own + need) / 1e9)}, or ask for fewer images."
        )
    total = sum(size for _, size, _ in there)
    for folder, size, _ in there:
        if total + need <= most * 1e9:
            break
        if folder != mine and not _busy(folder):
            shutil.rmtree(folder, ignore_errors=True)
            total -= size
    free = shutil.disk_usage(home).free
    if free < need:
        raise UnseenError(
            f"no room for features: {home} needs {size_text(need)}, its disk has {size_text(free)} free. Set "
            "UNSEEN_CACHE to a folder on a larger disk. What was computed is kept."
        )
