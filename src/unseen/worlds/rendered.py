"""A world that is drawn when asked: rows → scenes → pictures, on the device, never stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from unseen.vocabulary.samples import Samples
from unseen.worlds.rendering.bank import Bank
from unseen.worlds.rendering.scene import Scenes

if TYPE_CHECKING:
    import torch
    from torch import Tensor

# (rows, device, draw) -> the scenes of those rows, on that device. A plain function or a frozen callable that pickles.
Compose = Callable[[np.ndarray, "torch.device", int], Scenes]


@dataclass(frozen=True, eq=False)
class RenderedWorld:
    """``compose`` says what each row shows; ``bank`` holds what can be shown. ``side`` is the picture's edge in pixels,
    ``samples`` the supersampling per axis."""

    name: str
    samples: Samples
    bank: Bank
    compose: Compose
    side: int
    fingerprint: str
    provenance: Mapping[str, str]
    supersampling: int = 2
    channels: int = 3
    dtype: Literal["uint8", "float32"] = "uint8"

    @property
    def size(self) -> tuple[int, int]:
        return self.side, self.side

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor:
        """Pictures of rows, ``[n, 3, side, side]`` uint8."""
        from unseen.worlds.rendering.renderer import render

        return render(self.scenes(rows, device, draw), self.bank, self.side, supersampling=self.supersampling)

    def scenes(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Scenes:
        import torch

        return self.compose(np.asarray(rows, dtype=np.int64), torch.device(device), draw)
