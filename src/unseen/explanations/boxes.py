"""Boxes on a map: what a layer reaches from them, what it reads for that; cut out of maps, and put back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

Pair = tuple[int, int]
Step = tuple[Pair, Pair, Pair, Pair]  # kernel, stride, border, dilation


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one size, by their first row and column; they lie inside the map."""

    top: np.ndarray
    left: np.ndarray
    height: int
    width: int
    device: torch.device
    found: dict[Any, Any] = field(default_factory=dict)

    @property
    def places(self) -> tuple[Tensor, Tensor]:
        return self.once("places", lambda: self._pair(self.top, self.left))

    def once(self, name: Any, make: Callable[[], Any]) -> Any:
        """Boxes go through the same layers again for every image: what follows from them is found once."""
        if name not in self.found:
            self.found[name] = make()
        return self.found[name]

    def sent(self, numbers: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers)).to(self.device, non_blocking=True)

    def beside(self, top: np.ndarray, left: np.ndarray, height: int, width: int) -> Boxes:
        return Boxes(top, left, height, width, self.device)

    def within(self, outer: Boxes, before: Pair = (0, 0)) -> tuple[Tensor, Tensor]:
        """Where these boxes begin, counted from where others begin, on a map that has so many places more before."""
        down, across = before
        return self.once(
            (outer, before), lambda: self._pair(self.top + down - outer.top, self.left + across - outer.left)
        )

    def _pair(self, down: np.ndarray, across: np.ndarray) -> tuple[Tensor, Tensor]:
        first, second = self.sent(np.stack([down, across])).unbind()
        return first, second

    def with_(self, other: Boxes, size: Pair) -> Boxes:
        """The boxes that hold both."""
        return self.once((other, "with"), lambda: self._with(other, size))

    def _with(self, other: Boxes, size: Pair) -> Boxes:
        top, height = _span(self.top, self.height, other.top, other.height, size[0])
        left, width = _span(self.left, self.width, other.left, other.width, size[1])
        return self.beside(top, left, height, width)

    def through(self, size: Pair, step: Step) -> tuple[Boxes, Boxes]:
        """Through a layer with a kernel: what is reached behind it, and what must be read for that, counted on the map
        with its border and ``stride - 1`` more on each side (a stride can pass over what a box holds)."""
        return self.once((size, step), lambda: self._through(size, step))

    def _through(self, size: Pair, step: Step) -> tuple[Boxes, Boxes]:
        rows = _reached(self.top, self.height, size[0], *(one[0] for one in step))
        columns = _reached(self.left, self.width, size[1], *(one[1] for one in step))
        (top, height, down, high), (left, width, across, wide) = rows, columns
        return self.beside(top, left, height, width), self.beside(down, across, high, wide)


def behind(size: Pair, step: Step) -> Pair:
    """The sides of the map behind a layer with a kernel."""
    down, across = (
        (side + 2 * border - dilation * (kernel - 1) - 1) // stride + 1
        for side, kernel, stride, border, dilation in zip(size, *step)
    )
    return down, across


def _span(first: np.ndarray, one: int, second: np.ndarray, two: int, side: int) -> tuple[np.ndarray, int]:
    start, end = np.minimum(first, second), np.maximum(first + one, second + two)
    extent = int((end - start).max())
    return np.minimum(start, side - extent), extent


def _reached(
    start: np.ndarray, extent: int, side: int, kernel: int, stride: int, border: int, dilation: int
) -> tuple[np.ndarray, int, np.ndarray, int]:
    """Along one axis: where the places lie that see a box, how many they are, and what they read."""
    reach = dilation * (kernel - 1)
    count = (side + 2 * border - reach - 1) // stride + 1
    first = np.clip(-(-(start + border - reach) // stride), 0, count - 1)
    last = np.clip((start + extent - 1 + border) // stride, first, count - 1)
    size = int((last - first).max()) + 1
    first = np.minimum(first, count - size)
    return first, size, first * stride, (size - 1) * stride + reach + 1 + 2 * (stride - 1)


def cut(maps: Tensor, which: Tensor, boxes: Boxes) -> Tensor:
    down, across = boxes.places
    return maps.unfold(2, boxes.height, 1).unfold(3, boxes.width, 1)[which, :, down, across]


def paste(into: Tensor, crop: Tensor, down: Tensor, across: Tensor) -> Tensor:
    each = _each(len(crop), crop.device)
    into.unfold(2, crop.shape[2], 1).unfold(3, crop.shape[3], 1)[each, :, down, across] = crop
    return into


@lru_cache(maxsize=4)
def _each(count: int, device: torch.device) -> Tensor:
    return torch.arange(count, device=device)
