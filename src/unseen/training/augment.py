"""Augmentation on the device, with draws keyed by (seed, row, visit): packing trials never changes a picture.

Each takes pictures, one strength and a table of uniform draws ``[n, 2]`` in [0, 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from unseen.vocabulary.errors import UnseenError, unknown

_GOLDEN = -7046029254386353131  # 0x9E3779B97F4A7C15 as a signed 64-bit number
_MIX = -4658895280553007687  # 0xBF58476D1CE4E5B9


def uniform(rows: Tensor, visit: Tensor, seed: int, draws: int) -> Tensor:
    """Uniform numbers ``[n, draws]`` in [0, 1) from integer hashing (splitmix64), the same on every device.
    ``visit`` is one for all rows, or each row's own ``[n]``."""
    z = rows[:, None] * draws + torch.arange(draws, device=rows.device)
    z = z * _GOLDEN + visit[..., None] * _MIX + (seed % (2**62))
    for shift, factor in ((30, _MIX), (27, -7723592293110705685), (31, 1)):
        z = (z ^ ((z >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return ((z >> 11) & ((1 << 53) - 1)).float().mul(2.0**-53).clamp(max=1 - 2.0**-24)  # rounding must not reach 1


def shift(images: Tensor, strength: float, draws: Tensor) -> Tensor:
    """Move by up to ``strength`` pixels each way, black beyond the edge."""
    reach = int(strength)
    height, width = images.shape[-2:]
    offsets = (draws * (2 * reach + 1)).long() - reach
    y = torch.arange(height, device=images.device)[None] + offsets[:, :1]
    x = torch.arange(width, device=images.device)[None] + offsets[:, 1:2]
    n = torch.arange(len(images), device=images.device)[:, None, None]
    inside = ((y >= 0) & (y < height))[:, :, None] & ((x >= 0) & (x < width))[:, None, :]
    moved = images.permute(0, 2, 3, 1)[n, y.clamp(0, height - 1)[:, :, None], x.clamp(0, width - 1)[:, None, :]]
    return (moved * inside[..., None]).permute(0, 3, 1, 2)


def flip(images: Tensor, strength: float, draws: Tensor) -> Tensor:
    """Mirror left and right with probability ``strength``."""
    return torch.where((draws[:, 0] < strength)[:, None, None, None], images.flip(-1), images)


def brightness(images: Tensor, strength: float, draws: Tensor) -> Tensor:
    """Multiply by a factor in [1 − strength, 1 + strength]. Bytes stay between black and white; pictures that are no
    bytes (transformed ones have signs) keep their range."""
    factor = 1 + strength * (2 * draws[:, :1, None, None] - 1)
    changed = images.float() * factor
    return changed if images.is_floating_point() else changed.clamp(0, 255)


AUGMENT: Mapping[str, Callable[[Tensor, float, Tensor], Tensor]] = {  # applied in this order; add at the end
    "shift": shift,
    "flip": flip,
    "brightness": brightness,
}


def check_plan(plan: Mapping[str, float], size: tuple[int, int]) -> None:
    """Refuse what is no augmentation, and strengths that would do something else than they say to pictures of this
    ``size``."""
    for name, strength in plan.items():
        if name not in AUGMENT:
            raise unknown("augmentation", name, AUGMENT, where="training.augment")
        most, kind = (min(size) - 1, "a whole number of pixels") if name == "shift" else (1, "a number")
        whole = name != "shift" or float(strength).is_integer()
        if not (0 <= strength <= most and whole):
            about = f" (pictures are {size[0]}×{size[1]})" if name == "shift" else ""
            raise UnseenError(f"training.augment.{name} = {strength:g} must be {kind} from 0 to {most}{about}.")


def augment(images: Tensor, plan: Mapping[str, float], rows: Tensor, visit: Tensor, seed: int) -> Tensor:
    """All named augmentations in the order of the table, each with draws of its own place there: the order in which a
    recipe names them means nothing, nor does what else it names."""
    for place, (name, change) in enumerate(AUGMENT.items()):
        if name in plan:
            images = change(images, plan[name], uniform(rows, visit, seed + 7919 * place, 2))
    return images
