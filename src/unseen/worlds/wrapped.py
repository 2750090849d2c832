"""A world around another: what it does not change is the inner world's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from unseen.vocabulary.world import World, world_words


@dataclass(frozen=True, eq=False, repr=False)
class WrappedWorld:
    """Pictures are as large as those of ``inner``, with as many channels; so is what it tells of itself."""

    done: ClassVar[str]  # to the inner world: "shuffled"
    inner: World

    @property
    def name(self) -> str:
        return f"{self.inner.name}-{self.done}"

    def __repr__(self) -> str:
        return world_words(self)

    @property
    def channels(self) -> int:
        return self.inner.channels

    @property
    def size(self) -> tuple[int, int]:
        return self.inner.size

    @property
    def drawn(self) -> bool:
        """Whether images are made on the device that asks."""
        return bool(getattr(self.inner, "drawn", False))

    @property
    def problems(self) -> Any:
        """What was left out or is missing, where the inner world tells."""
        return getattr(self.inner, "problems", None)


@dataclass(frozen=True, eq=False, repr=False)
class SamePictures(WrappedWorld):
    """Every picture is one of ``inner``'s, byte by byte: at another row, or under more levels."""

    @property
    def dtype(self) -> Literal["uint8", "float32"]:
        return self.inner.dtype

    @property
    def colourless(self) -> Callable[[], bool] | None:
        return getattr(self.inner, "colourless", None)


def hash_of(said: object) -> str:
    """The fingerprint of a world by all that decides its pictures."""
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()
