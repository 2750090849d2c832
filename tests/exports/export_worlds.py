"""Worlds made of arithmetic: any row's picture is known without the code under test."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples

SHAPE = Factor("shape", ("mug", "jar", 'a "box", old'), kind="category", canonical=1)
AZIMUTH = Factor("azimuth", (0, 90, 180, 270), kind="circular", period=360, canonical=2)
SIZE = Factor("size", (1, 0.5, 1e-7), kind="ordinal", coordinates=((0.0,), (1.0,), (5.0,)))
CODE = Factor("code", ("01", "1"), texts=("one", "uno"))  # texts that look like numbers, and like the same one


def samples(instances: int = 6, pool: bool = True) -> Samples:
    space = FactorSpace([SHAPE, AZIMUTH, SIZE, CODE])
    numbers = np.arange(instances)
    block = Block(
        instances,
        {"shape": numbers % 3, "code": numbers // 3 % 2},
        grid=("azimuth", "size"),
        pool=np.array(["train", "test", ""])[numbers % 3] if pool else None,
        names=[f"thing {n}" for n in numbers],
    )
    return Samples(space, (block,))


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Pixel ``p`` of row ``r`` is a mix of both; ``seconds`` to draw a batch, for those who want to interrupt."""

    name: str = "arithmetic"
    samples: Samples = field(default_factory=samples)
    channels: int = 3
    size: tuple[int, int] = (9, 7)
    dtype: Any = "uint8"
    fingerprint: str = "f0"
    seconds: float = 0.0
    provenance: Any = field(default_factory=lambda: {"source": "tests", "licence": "none"})

    def pixels(self, rows: np.ndarray) -> np.ndarray:
        count = self.channels * self.size[0] * self.size[1]
        mixed = (np.asarray(rows)[:, None] * 7919 + np.arange(count) * 31 + (np.arange(count) ** 2) % 17) % 256
        shaped = mixed.reshape(-1, self.channels, *self.size)
        return (shaped / 3).astype(np.float32) if self.dtype == "float32" else shaped.astype(np.uint8)

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Any:
        import torch

        time.sleep(self.seconds)
        return torch.from_numpy(self.pixels(rows)).to(device)


class Framed(Arithmetic):
    def out_of_frame(self, rows: np.ndarray, device: str) -> np.ndarray:
        return np.asarray(rows) % 5 == 0
