"""A world that is drawn when asked: rows → scenes → pictures, on the device, never stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import world_words
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.scene import Scenes

if TYPE_CHECKING:
    import torch
    from torch import Tensor

VERSION = 1  # raise it when the renderer shows any scene otherwise
# (rows, device, draw) -> the scenes of those rows, on that device. A plain function or a frozen callable.
Compose = Callable[[np.ndarray, "torch.device", int], Scenes]


@dataclass(frozen=True)
class Problems:
    """What was left out or is missing, told before anything is drawn; as of the worlds of folders."""

    said: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.said)

    def lines(self) -> tuple[str, ...]:
        return self.said


@dataclass(frozen=True, eq=False)
class RenderedWorld:
    """``compose`` says what each row shows; ``bank`` holds what can be shown, or makes it when the first picture is
    asked for (a plan needs none). ``side`` is the picture's edge in pixels. Functions must pickle."""

    name: str
    samples: Samples
    bank: Bank | Callable[[], Bank]
    compose: Compose
    side: int
    fingerprint: str
    provenance: Mapping[str, str]
    supersampling: int = 2
    channels: int = 3
    dtype: Literal["uint8", "float32"] = "uint8"
    drawn: bool = True  # on the device that asks
    problems: Problems = Problems()

    def __repr__(self) -> str:
        return world_words(self)

    @property
    def size(self) -> tuple[int, int]:
        return self.side, self.side

    @cached_property
    def furnished(self) -> Bank:
        return self.bank if isinstance(self.bank, Bank) else self.bank()

    def scenes(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Scenes:
        import torch

        return self.compose(np.asarray(rows, dtype=np.int64), torch.device(device), draw)

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures of rows, ``[n, 3, side, side]`` uint8."""
        from unseen.worlds.rendering.renderer import render

        return render(self.scenes(rows, device, draw), self.furnished, self.side, supersampling=self.supersampling)

    def out_of_frame(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> np.ndarray:
        """Which rows show nothing of what they are about, so that no blank picture goes unnoticed."""
        from unseen.worlds.rendering.renderer import out_of_frame

        return out_of_frame(self.scenes(rows, device, draw), self.furnished, self.side).cpu().numpy()

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "furnished"}


def fingerprint_of(**said: object) -> str:
    """A hash of all that decides the images, said in plain values, and of the renderer's version."""
    text = json.dumps({"renderer": VERSION, **said}, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
