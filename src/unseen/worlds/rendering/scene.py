"""A batch of scenes as frozen tensors on one device: what stands where, who looks, what shines, what lies behind.

World axes: z up, the floor is z = 0. Colours are sRGB in 0–1. Every column derives from factor levels and the row's
own id; nothing here depends on the batch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

GRADIENT, PICTURE, SKY = 0, 1, 2  # what lies behind: two colours, a picture filling the frame, a sky map
PLAIN_FLOOR, NO_FLOOR, SHADOWS = -1, -2, -3  # SHADOWS: a floor that shows what lies behind, and shadows on it


@dataclass(frozen=True, eq=False)
class Things:
    """Meshes standing in images; ``m`` rows, sorted by image. Row by row: which image, which mesh of the bank, turned
    by ``rotation`` (columns are the images of the mesh's axes), enlarged by ``size``, put at ``position``.

    ``tint`` multiplies colours where the mesh takes paint. ``texture`` names a texture of the bank laid over the mesh
    from three sides instead of its own colours (−1: its own). ``label`` is 0 for what the image is about, 1 and more
    for clutter and occluders.
    """

    image: Tensor  # [m] int64
    mesh: Tensor  # [m] int64
    rotation: Tensor  # [m, 3, 3]
    position: Tensor  # [m, 3]
    size: Tensor  # [m]
    tint: Tensor  # [m, 3]
    texture: Tensor  # [m] int64, -1 for none
    label: Tensor  # [m] int64


@dataclass(frozen=True, eq=False)
class Scenes:
    """``b`` images: their things, one camera each, ``l`` directional lights (the first casts shadows), ambient light as
    ``k`` ∈ {1, 4, 9} spherical harmonics of irradiance, a floor or none, and what lies behind."""

    things: Things
    eye: Tensor  # [b, 3]
    target: Tensor  # [b, 3]: the point in the middle of the image
    fov: Tensor  # [b] vertical field of view in degrees
    light: Tensor  # [b, l, 3] unit vectors towards the lights
    light_colour: Tensor  # [b, l, 3] colour times strength, linear
    ambient: Tensor  # [b, k, 3] linear
    shadow: Tensor  # [b] darkness of shadows, 0 none, 1 full
    floor: Tensor  # [b] int64: PLAIN_FLOOR, NO_FLOOR, SHADOWS, else a texture of the bank
    floor_colour: Tensor  # [b, 3] multiplies the floor's texture
    floor_scale: Tensor  # [b] edge of one texture tile in world units
    behind: Tensor  # [b] int64: GRADIENT, PICTURE or SKY
    behind_colour: Tensor  # [b, 2, 3] at the bottom and top of the frame; multiplies pictures and skies by its first
    behind_picture: Tensor  # [b] int64: a picture or a sky of the bank

    def __len__(self) -> int:
        return len(self.eye)

    def to(self, device: object) -> Scenes:
        things = Things(**{f.name: getattr(self.things, f.name).to(device) for f in fields(Things)})
        own = {f.name: getattr(self, f.name).to(device) for f in fields(self) if f.name != "things"}
        return Scenes(things=things, **own)

    def part(self, start: int, stop: int) -> Scenes:
        """Images ``start`` to ``stop`` alone."""
        import torch

        image = self.things.image
        low, high = torch.searchsorted(image, torch.tensor([start, stop], device=image.device)).tolist()
        things = Things(**{f.name: getattr(self.things, f.name)[low:high] for f in fields(Things)})
        things = replace(things, image=things.image - start)
        own = {f.name: getattr(self, f.name)[start:stop] for f in fields(self) if f.name != "things"}
        return Scenes(things=things, **own)
