"""Pictures one after the other on a CPU, where all at once would not fit its cache. Measured by bench.corruptions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    Function = Callable[[Tensor, float, Tensor], Tensor]


def one_by_one(function: Function) -> Function:
    """The same function, which gives each picture what it gives it in company."""

    @wraps(function)
    def each(images: Tensor, strength: float, keys: Tensor) -> Tensor:
        if images.device.type != "cpu" or len(images) < 2:
            return function(images, strength, keys)
        import torch

        found = torch.empty(images.shape, dtype=torch.float32)
        for place in range(len(images)):
            here = slice(place, place + 1)
            found[here] = function(images[here], strength, keys[here])
        return found

    return each
