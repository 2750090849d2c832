"""Views of a picture: cropped, mirrored, recoloured, blurred at random, many at once on the device.

The augmentations are those of SimCLR (Chen et al. 2020, appendix A), and of DINO (Caron et al. 2021), which took them
over. A view's draws are keyed by (seed, row, visit) and its own number, so it does not depend on its batch. Where this
is not torchvision to the letter: crops that would not fit are cut to the picture rather than drawn again; brightness,
contrast, saturation and hue come in this order rather than a random one; and hue turns colours about the grey axis (a
linear map) rather than through HSV (all three ours, so that a batch is a handful of kernels without a loop).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from unseen.training.augment import uniform
from unseen.training.pretexts.task import in_full
from unseen.vocabulary.seeds import seed_of

DRAWS = 16  # of one view
GREY = (0.299, 0.587, 0.114)  # ITU-R 601, as PIL
SOLARIZE = 128.0


@dataclass(frozen=True)
class Crops:
    """``crop``: the least share of the picture's area that is kept; ``flip``: with which probability it is mirrored.
    As ImageNet networks are trained (He et al. 2016 after Szegedy et al. 2015)."""

    crop: float = 0.08
    flip: float = 0.5


@dataclass(frozen=True)
class Looks(Crops):
    """What a recipe may say of views that are also recoloured; without a word, they are not.

    ``colour``: strength s of colour jitter (brightness, contrast and saturation up to 0.8 s each way, hue 0.2 s), with
    probability 0.8. ``grey``: with which probability all colour goes. ``blur``: with which probability, by a Gaussian
    of σ from 0.1 to 2 pixels at a side of 224, less on smaller pictures in proportion (the scaling is ours)."""

    colour: float = 0.0
    grey: float = 0.0
    blur: float = 0.0

    def recipe(self, **other: float) -> ViewRecipe:
        """A view as it is told here, but for what is given."""
        told: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(Looks)}
        return ViewRecipe(**told | other)


@dataclass(frozen=True)
class ViewRecipe(Looks):
    """How one view is made. ``most``: the largest share of the area that is kept (``crop`` and ``most`` of 1: no crop).
    ``solarize``: with which probability bright values are inverted (DINO's second view)."""

    most: float = 1.0
    solarize: float = 0.0


def view(images: Tensor, recipe: ViewRecipe, rows: Tensor, visit: Tensor, seed: int, number: int) -> Tensor:
    """View ``number`` of each picture, on the 0–255 scale in single precision."""
    u = uniform(rows, visit, seed_of(seed, "view", number), DRAWS)
    with in_full(images), torch.no_grad():
        seen = images.float()
        if recipe.crop < 1 or recipe.flip > 0:
            seen = cropped(seen, recipe, u[:, 0:5])
        if recipe.colour > 0:
            seen = jittered(seen, recipe.colour, u[:, 5:10])
        if recipe.grey > 0 and seen.shape[1] == 3:
            seen = torch.where(_chosen(u[:, 10], recipe.grey), _grey(seen).expand_as(seen), seen)
        if recipe.blur > 0:
            seen = torch.where(_chosen(u[:, 11], recipe.blur), blurred(seen, u[:, 12]), seen)
        if recipe.solarize > 0:
            inverted = torch.where(seen >= SOLARIZE, 255 - seen, seen)
            seen = torch.where(_chosen(u[:, 13], recipe.solarize), inverted, seen)
        return seen


def cropped(images: Tensor, recipe: ViewRecipe, u: Tensor) -> Tensor:
    """A part of each picture, of a share of its area drawn evenly and an aspect of 3/4 to 4/3 (its logarithm drawn
    evenly), at a place drawn evenly, enlarged to the picture's size (bilinear) and perhaps mirrored."""
    n, _, height, width = images.shape
    area = recipe.crop + (recipe.most - recipe.crop) * u[:, 0]
    aspect = torch.exp(math.log(4 / 3) * (2 * u[:, 1] - 1)) if recipe.crop < 1 else torch.ones_like(area)
    across, down = (area * aspect).sqrt().clamp(max=1), (area / aspect).sqrt().clamp(max=1)  # shares of the sides
    x, y = (1 - across) * (2 * u[:, 2] - 1), (1 - down) * (2 * u[:, 3] - 1)  # centres, from −1 to 1
    mirrored = torch.where(u[:, 4] < recipe.flip, -across, across)
    xs = (torch.arange(width, device=images.device) + 0.5) * (2 / width) - 1
    ys = (torch.arange(height, device=images.device) + 0.5) * (2 / height) - 1
    gx = (x[:, None] + mirrored[:, None] * xs)[:, None, :].expand(n, height, width)
    gy = (y[:, None] + down[:, None] * ys)[:, :, None].expand(n, height, width)
    grid = torch.stack([gx, gy], dim=-1)
    return torch.nn.functional.grid_sample(images, grid, mode="bilinear", padding_mode="border", align_corners=False)


def jittered(images: Tensor, strength: float, u: Tensor) -> Tensor:
    """Brightness, contrast, saturation and hue, as PIL blends them, with probability 0.8; values stay in the range.
    Grey pictures have no saturation and no hue."""
    reach = 0.8 * strength
    least = max(0.0, 1 - reach)
    factors = least + (1 + reach - least) * u[:, :3]
    light, contrast, colours = (factors[:, k][:, None, None, None] for k in range(3))
    turned = (0.2 * strength * (2 * u[:, 3] - 1)) * 2 * math.pi
    changed = (images * light).clamp(0, 255)
    middle = _grey(changed).mean((2, 3), keepdim=True)
    changed = (middle + (changed - middle) * contrast).clamp(0, 255)
    if images.shape[1] == 3:
        grey = _grey(changed)
        changed = (grey + (changed - grey) * colours).clamp(0, 255)
        changed = hue_turned(changed, turned).clamp(0, 255)
    return torch.where(_chosen(u[:, 4], 0.8), changed, images)


def hue_turned(images: Tensor, angles: Tensor) -> Tensor:
    """Colours turned about the grey axis by an angle each (Rodrigues): grey stays, a third of a turn makes red green.

    >>> red = torch.tensor([255.0, 0, 0]).reshape(1, 3, 1, 1)
    >>> hue_turned(red, torch.tensor([2 * math.pi / 3])).flatten().round().abs().tolist()
    [0.0, 255.0, 0.0]
    """
    cos, sin = angles.cos()[:, None, None], angles.sin()[:, None, None]
    red, green, blue = images.unbind(1)
    mean = (red + green + blue) / 3 * (1 - cos)
    root = 1 / math.sqrt(3)
    return torch.stack(
        [
            red * cos + mean + root * sin * (blue - green),
            green * cos + mean + root * sin * (red - blue),
            blue * cos + mean + root * sin * (green - red),
        ],
        dim=1,
    )


def blurred(images: Tensor, u: Tensor) -> Tensor:
    """A Gaussian over a tenth of the side, its σ drawn evenly; sums of moved pictures, edges repeated by reflection."""
    side = min(images.shape[-2:])
    reach = max(1, round(0.1 * side) // 2)
    sigma = (0.1 + 1.9 * u) * side / 224
    steps = torch.arange(-reach, reach + 1, device=images.device)
    weights = torch.exp(-0.5 * (steps[None] / sigma[:, None]).square())
    weights = weights / weights.sum(1, keepdim=True)
    for axis in (2, 3):
        pad = (reach, reach, 0, 0) if axis == 3 else (0, 0, reach, reach)
        wide = torch.nn.functional.pad(images, pad, mode="reflect")
        moved = [wide.narrow(axis, k, images.shape[axis]) * weights[:, k, None, None, None] for k in range(len(steps))]
        images = torch.stack(moved).sum(0)
    return images


def _grey(images: Tensor) -> Tensor:
    if images.shape[1] != 3:
        return images.mean(1, keepdim=True)
    red, green, blue = images.unbind(1)
    return (GREY[0] * red + GREY[1] * green + GREY[2] * blue)[:, None]


def _chosen(u: Tensor, share: float) -> Tensor:
    return (u < share)[:, None, None, None]
