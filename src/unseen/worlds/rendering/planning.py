"""How a batch is cut: into chunks that fit in memory and, on the CPU, in caches; side by side on its threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.rendering.scene import PICTURE, SKY

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes

# Measured peaks, rounded up: bytes per sample of a frame full of textured things, per face, per fragment.
PER_SAMPLE, PER_FACE, PER_FRAGMENT = 400, 1600, 80
ON_CPU = 1 << 30  # at least; with many threads each has a quarter of it
MOST_SAMPLES = 1 << 30  # per chunk: places are counted in 32 bits here and there


@dataclass(frozen=True)
class Plan:
    """Images ``start`` to ``stop`` of each range are drawn together, ``fragments`` samples of triangles at a time."""

    ranges: tuple[tuple[int, int], ...]
    fragments: int


def allowed(side: int, supersampling: int) -> None:
    if side < 1 or not 1 <= supersampling <= 8:
        raise UnseenError(
            f"a picture of {side} pixels with {supersampling}×{supersampling} samples per pixel cannot be drawn; "
            "side is at least 1, supersampling 1 to 8."
        )


def planned(scenes: Scenes, shelf: Shelf, side: int, supersampling: int, memory: int | None, threads: int) -> Plan:
    import torch

    allowed(side, supersampling)
    things = scenes.things
    checked(scenes, shelf)
    count = shelf.first_face.index_select(0, things.mesh + 1) - shelf.first_face.index_select(0, things.mesh)
    faces = torch.zeros(len(scenes), dtype=torch.int64, device=count.device).scatter_add_(0, things.image, count)
    samples = (side * supersampling) ** 2
    cost = faces.cpu().numpy() * PER_FACE + samples * PER_SAMPLE
    share = (_memory(scenes.eye.device, threads) if memory is None else memory) // threads
    fragments = min(max(share // 4 // PER_FRAGMENT, 1 << 14), 1 << 24)
    return Plan(tuple(_cut(cost, share - share // 4, MOST_SAMPLES // samples, threads)), fragments)


def _memory(device: torch.device, threads: int) -> int:
    import torch

    if device.type != "cuda":
        return max(ON_CPU, threads * ON_CPU // 4)
    free = torch.cuda.mem_get_info(device)[0]
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return min(free // 4, 16 << 30)


def _cut(cost: np.ndarray, most: int, longest: int, threads: int) -> list[tuple[int, int]]:
    """Ranges that cost at most ``most`` each, no longer than needed to keep every thread busy."""
    total = np.concatenate([[0], np.cumsum(cost)])
    n, start, ranges = len(cost), 0, []
    longest = max(1, min(longest, -(-n // threads)))
    while start < n:
        stop = int(np.searchsorted(total, total[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), start + longest, n)
        ranges.append((start, stop))
        start = stop
    return ranges


def checked(scenes: Scenes, shelf: Shelf) -> None:
    """Numbers that a scene uses exist in its bank. One question to the device for all of them."""
    import torch

    def last(numbers: Tensor, used: Tensor | None = None) -> Tensor:
        if not len(numbers):
            return torch.tensor(-1, device=numbers.device)
        return (numbers if used is None else torch.where(used, numbers, -1)).max()

    asked = {
        "mesh": (last(scenes.things.mesh), len(shelf.own_texture)),
        "texture": (torch.maximum(last(scenes.things.texture), last(scenes.floor)), len(shelf.textures)),
        "picture": (last(scenes.behind_picture, scenes.behind == PICTURE), len(shelf.pictures)),
        "sky": (last(scenes.behind_picture, scenes.behind == SKY), len(shelf.skies)),
    }
    found = torch.stack([number for number, _ in asked.values()]).tolist()
    for (kind, (_, there)), number in zip(asked.items(), found):
        if number >= there:
            raise UnseenError(
                f"a scene uses {kind} number {number}, but the bank has {there}, counted from 0. "
                "Was the scene composed for another bank?"
            )
