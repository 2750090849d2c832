"""What every world offers: rows with factors, and the images of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from unseen.vocabulary.samples import Samples, factor_words

if TYPE_CHECKING:
    from torch import Tensor


@runtime_checkable
class World(Protocol):
    """Samples and their pictures.

    ``images`` gives ``[n, channels, height, width]``, uint8 for pictures, float32 on the 0–255 scale for worlds whose
    transformations leave it (``dtype`` says which). An image depends on the world's seed, the row's own id and the
    draw, never on batch position, batch size or worker. A world whose images are made on the device that asks says so
    with an attribute ``drawn = True``; training then draws ahead there instead of copying. ``fingerprint`` changes when
    any image could; it never depends on where the files lie.
    """

    @property
    def name(self) -> str: ...
    @property
    def samples(self) -> Samples: ...
    @property
    def channels(self) -> int: ...
    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> Literal["uint8", "float32"]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def provenance(self) -> Mapping[str, str]:
        """Source, licence, citation, choices that are ours: printed in the report."""
        ...

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> Tensor: ...


def world_words(world: Any) -> str:
    """A world in a line, for a notebook: its ``__repr__``, since its fields hold pictures."""
    height, width = world.size
    space = factor_words(world.samples.space)
    return f"<world '{world.name}': {len(world.samples):,} images, {width}×{height}×{world.channels}; {space}>"
