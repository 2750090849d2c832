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
        return assembled(images, lambda here: function(images[here], strength, keys[here]))

    return each


def assembled(images: Tensor, make: Callable[[slice], Tensor]) -> Tensor:
    """Float32 pictures of the shape of ``images``: what is made of each alone on a CPU, of all together elsewhere."""
    import torch

    if images.device.type != "cpu":
        return make(slice(None))
    found = torch.empty(images.shape, dtype=torch.float32)
    for place in range(len(images)):
        here = slice(place, place + 1)
        found[here] = make(here)
    return found
