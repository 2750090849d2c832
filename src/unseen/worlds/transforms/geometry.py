"""Geometry: thinning, turns by right angles, patches in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def thinning(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Half the width, zeros on both sides (Zaidi et al., supplement B).

    How the columns are resampled is not said. Ours: bilinear about pixel centres, which for an even width is the mean
    of two neighbours. An odd width is halved downwards (a single column stays), and the larger margin is on the right.
    """
    import torch
    from torch.nn.functional import pad

    width = images.shape[-1]
    half = max(1, width // 2)
    if width == 2 * half:
        thin = images[..., 0::2] * 0.5
        thin.add_(images[..., 1::2], alpha=0.5)  # a half is exact, so it matters not when it is taken
    else:  # centre of column i lies at (i + ½)·width/half − ½ = place / (2·half): whole numbers until the end
        place = (2 * torch.arange(half, device=images.device) + 1) * width - half
        first = place.div(2 * half, rounding_mode="floor")
        share = ((place - first * (2 * half)).double() / (2 * half)).float()
        second = (first + 1).clamp(max=width - 1)
        thin = images[..., first] * (1 - share) + images[..., second] * share
    left = (width - half) // 2
    return pad(thin, (left, width - half - left))


def turned(images: Tensor, quarters: int, outside: float = 0.0) -> Tensor:
    """Quarter turns anti-clockwise, as one sees the picture.

    A picture that is not square keeps its frame: it is turned about its centre, cut where it is too long and filled
    with ``outside`` where it is too short (ours; the papers' pictures are square).
    """
    import torch
    from torch.nn.functional import pad

    height, width = images.shape[-2:]
    found = torch.rot90(images, quarters, (-2, -1))
    tall, wide = height - found.shape[-2], width - found.shape[-1]
    if tall or wide:
        found = pad(found, (wide // 2, wide - wide // 2, tall // 2, tall - tall // 2), value=outside)
    return found.contiguous().float()


def rotation_90(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """90° anti-clockwise."""
    return turned(images, 1)


def rotation_180(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """180°."""
    return turned(images, 2)


def patches_scrambled(images: Tensor, strength: float, keys: Tensor) -> Tensor:
    """Square patches of ``strength`` pixels a side, put into an order of their own in each picture.

    What lies in patches stays, where they lie goes (Brendel & Bethge 2019 scramble textures so that local features
    keep their statistics; square patches are ours). Patches are counted from the upper left; what is left over at the
    right and lower edge stays where it is. A picture smaller than two patches stays as it is.
    """
    from unseen.worlds.rendering import chance

    side, (height, width) = int(strength), images.shape[-2:]
    rows, columns = height // side, width // side
    if rows * columns < 2:
        return images.float()
    order = chance.counted(keys, rows * columns, 0, "patches").argsort(dim=1, stable=True)
    found = images.float().clone()
    inner = found[..., : rows * side, : columns * side]
    patches = (
        inner.reshape(len(images), inner.shape[1], rows, side, columns, side).permute(0, 2, 4, 1, 3, 5).flatten(1, 2)
    )
    mixed = patches.gather(1, order[:, :, None, None, None].expand_as(patches))
    mixed = mixed.view(len(images), rows, columns, inner.shape[1], side, side).permute(0, 3, 1, 4, 2, 5)
    found[..., : rows * side, : columns * side] = mixed.reshape(inner.shape)
    return found
