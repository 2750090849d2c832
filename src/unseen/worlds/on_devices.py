"""Tensors that a world keeps on the devices that asked for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from unseen.vocabulary.world import world_words

if TYPE_CHECKING:
    import torch

Held = TypeVar("Held")


class OnDevices(Generic[Held]):
    """What was put on each device, once. It stays in its process: a world that is sent to another is sent without."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}

    def get(self, device: torch.device | str, put: Callable[[], Held]) -> Held:
        """What is on a device, which ``put`` puts there the first time."""
        if str(device) not in self._held:
            self._held[str(device)] = put()
        return self._held[str(device)]

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return OnDevices, ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GreyPictures:
    """What worlds share whose pictures are grey bytes, copied from tensors that stay on the devices that asked."""

    channels: int = 1
    dtype: Literal["uint8", "float32"] = "uint8"
    _held: OnDevices[torch.Tensor] = field(default_factory=OnDevices, repr=False)

    def __repr__(self) -> str:
        return world_words(self)
