"""The stage of a world whose meshes are made or read when the first picture is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.samples import Samples
from unseen.worlds.rendering.environment import Environment
from unseen.worlds.stage import Stage
from unseen.worlds.variation import FIRST, Variation

if TYPE_CHECKING:
    import torch

    from unseen.worlds.rendering.bank import Bank
    from unseen.worlds.rendering.scene import Scenes


@dataclass(frozen=True, eq=False)
class LazyStage:
    """A stage whose meshes are made when the first scene is asked for."""

    furnish: Callable[[], Bank]
    samples: Samples
    drawn: tuple[str, ...]
    seed: int
    grounds: tuple[bool, ...] = ()  # whether things can stand in each background
    variation: Variation = FIRST
    environment: Environment | None = None

    @cached_property
    def bank(self) -> Bank:
        return self.furnish()

    def __call__(self, rows: np.ndarray, device: torch.device, draw: int = 0) -> Scenes:
        stage = Stage(
            self.samples,
            self.bank.on(device),
            pictures=range(len(self.bank.pictures)),
            grounds=self.grounds,
            textures=range(len(self.bank.textures)),
            drawn=self.drawn,
            seed=self.seed,
            variation=self.variation,
            environment=self.environment,
        )
        return stage(rows, device, draw)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "bank"}
