"""Tensors that a world keeps on the devices that asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

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
