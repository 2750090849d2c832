"""Rows to the device: resident in one tensor where they fit, streamed where they do not."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

Images = Callable[..., Tensor]  # rows, device (and perhaps a draw) -> pictures

CHUNK = 8192


def free_memory(device: torch.device) -> int:
    """Bytes that may be used on a device, measured now."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return free
    pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"  # macOS tells no more
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf(pages)


def fits(rows: int, bytes_per_image: int, device: torch.device, share: float = 0.5) -> bool:
    """Whether that many pictures may stay on the device."""
    return rows * bytes_per_image <= share * free_memory(device)


def resident(images: Images, rows: np.ndarray, device: torch.device) -> Tensor:
    """All pictures of ``rows`` as one tensor on the device, fetched in chunks so that nothing is held twice."""
    first = images(rows[:1], str(device))
    held = torch.empty((len(rows), *first.shape[1:]), dtype=first.dtype, device=device)
    for start in range(0, len(rows), CHUNK):
        held[start : start + CHUNK] = images(rows[start : start + CHUNK], str(device))
    return held


class Prefetcher:
    """Batches of a streamed epoch, fetched by one thread a few batches ahead: in pinned memory on CUDA, or, where the
    world is ``drawn``, drawn on the device itself, on a stream of its own.

    An error in the thread is raised where the batch is asked for; leaving early stops the thread.
    """

    def __init__(
        self, images: Images, batches: Iterator[np.ndarray], device: torch.device, depth: int = 3, drawn: bool = False
    ) -> None:
        self._queue: queue.Queue = queue.Queue(maxsize=depth)
        self._stop = threading.Event()
        work = self._draw if drawn and device.type == "cuda" else self._fetch
        self._thread = threading.Thread(target=self._work, args=(work(images, batches, device),), daemon=True)
        self._thread.start()

    @staticmethod
    def _fetch(images: Images, batches: Iterator[np.ndarray], device: torch.device) -> Iterator[tuple[Tensor, None]]:
        for rows in batches:
            batch = images(rows, "cpu")
            yield batch.pin_memory() if device.type == "cuda" else batch, None

    @staticmethod
    def _draw(
        images: Images, batches: Iterator[np.ndarray], device: torch.device
    ) -> Iterator[tuple[Tensor, torch.cuda.Event]]:
        """Drawn beside the steps; an event says when a batch is whole, since nobody waits for it here."""
        beside = torch.cuda.Stream(device)
        for rows in batches:
            with torch.cuda.stream(beside):
                batch, done = images(rows, str(device)), torch.cuda.Event()
                done.record(beside)
            yield batch, done

    def _work(self, made: Iterator[tuple[Tensor, torch.cuda.Event | None]]) -> None:
        try:
            for item in made:
                if not self._put(item):
                    return
            self._put(None)
        except BaseException as error:
            self._put(error)

    def _put(self, item: object) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def __next__(self) -> Tensor:
        item = self._queue.get()
        if isinstance(item, BaseException):
            raise item
        if item is None:
            raise StopIteration
        batch, done = item
        if done is not None:  # the step that takes the batch waits for it on the device, and keeps its memory till then
            here = torch.cuda.current_stream(batch.device)
            here.wait_event(done)
            batch.record_stream(here)
        return batch

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)
