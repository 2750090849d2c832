"""What the rows of a batch show, as numbers: between the levels of factors and the scene that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.scene import Scenes

FRONT = 30.0  # degrees by which the canonical pose shows the left of an object


@dataclass(frozen=True, eq=False)
class Shown:
    """What the rows of a batch show: the mesh of each, its circumstances as numbers, and the picture behind it (None: a
    floor under a plain sky), with whether that has a ground."""

    mesh: Tensor  # [n]
    pose: Tensor
    position: Tensor
    size: Tensor
    elevation: Tensor
    lamp: tuple[Tensor, Tensor, Tensor]  # colour of the lamp, of the light from above and from below
    picture: Tensor | None
    ground: Tensor  # [n] bool


def before(scenes: Scenes, picture: Tensor | None, ground: Tensor) -> Scenes:
    """The same scenes before pictures of the bank, with shadows on those that have a ground."""
    import torch

    from unseen.worlds.rendering.scene import NO_FLOOR, PICTURE, SHADOWS

    if picture is None:
        return scenes
    return replace(
        scenes,
        floor=torch.where(ground, SHADOWS, NO_FLOOR),
        behind=torch.full_like(picture, PICTURE),
        behind_colour=torch.ones_like(scenes.behind_colour),
        behind_picture=picture,
    )
