"""A world that is one whole grid: every combination of levels once, in the order of the official arrays."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

if TYPE_CHECKING:
    import torch


def whole(space: FactorSpace) -> Samples:
    """One instance times all factors, the last one fastest: a row's number is its cell's."""
    return Samples(space, (Block(1, {}, grid=space.names),))


def levels_on(samples: Samples, rows: np.ndarray, device: torch.device | str) -> dict[str, torch.Tensor]:
    """The level number of each factor at each row, on the device; only the row numbers travel."""
    import torch

    _, _, cells = samples.locate(rows)
    left = torch.from_numpy(cells).to(device)
    found = {}
    for factor in reversed(samples.space.factors):
        found[factor.name] = left % len(factor)
        left = left // len(factor)
    return found


def fingerprint(**said: object) -> str:
    """A hash of all that decides the images, said in plain values."""
    return hashlib.blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=16).hexdigest()


def check_side(side: object, root: object, *, step: int = 1, least: int = 16) -> None:
    """``side`` is free where pictures are drawn anew; official ones have the size they have."""
    if isinstance(side, bool) or not isinstance(side, int) or side < least or side % step:
        kind = "a whole number" if step == 1 else f"a multiple of {step}"
        raise UnseenError(f"`side` is the edge of the pictures in pixels, {kind} from {least}; {side!r} was given.")
    if root is not None and side != 64:
        raise UnseenError(f"the official pictures have 64 pixels a side and `side = {side}` was given; leave it out.")
