"""One thing per image on a plain floor: the scene that most worlds start from and change by ``dataclasses.replace``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

from unseen.worlds.rendering.camera import orbit, towards, turned
from unseen.worlds.rendering.lighting import hemisphere
from unseen.worlds.rendering.scene import GRADIENT, Scenes, Things

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Number = Union[float, "Tensor"]  # one for all images, or [b]
Triple = Union[Sequence[float], "Tensor"]  # one for all images, or [b, 3]


def staged(
    meshes: Tensor,
    device: str | torch.device = "cpu",
    *,
    azimuth: Number = 35.0,
    elevation: Number = 20.0,
    distance: Number = 3.2,
    fov: Number = 30.0,
    target: Triple = (0.0, 0.0, 0.4),
    yaw: Number = 0.0,
    pitch: Number = 0.0,
    roll: Number = 0.0,
    size: Number = 1.0,
    position: Triple = (0.0, 0.0, 0.0),
    tint: Triple = (1.0, 1.0, 1.0),
    texture: Number = -1,
    light_azimuth: Number = 80.0,
    light_elevation: Number = 50.0,
    light_colour: Triple = (0.75, 0.73, 0.68),
    sky: Triple = (0.42, 0.45, 0.5),
    ground: Triple = (0.2, 0.18, 0.16),
    shadow: Number = 0.9,
    floor: Number = -1,
    floor_colour: Triple = (0.72, 0.7, 0.67),
    floor_scale: Number = 1.0,
    behind: Number = GRADIENT,
    bottom: Triple = (0.82, 0.84, 0.86),
    top: Triple = (0.55, 0.66, 0.8),
    picture: Number = 0,
) -> Scenes:
    """Scenes that each show one mesh of a bank, seen from ``azimuth`` (0: its front) and ``elevation`` in degrees.
    ``sky`` and ``ground`` are the ambient light from above and below and ``light_colour`` the lamp's, all linear; other
    colours are sRGB; ``bottom`` and ``top`` lie behind. Every argument is one value or one per image."""
    import torch

    meshes = torch.as_tensor(meshes).to(device=device, dtype=torch.int64).reshape(-1)
    b = len(meshes)

    def each(value: Number) -> Tensor:
        return torch.as_tensor(value, dtype=torch.float32).to(device).expand(b).contiguous()

    def whole(value: Number) -> Tensor:
        return torch.as_tensor(value).to(device=device, dtype=torch.int64).expand(b).contiguous()

    def triple(value: Triple) -> Tensor:
        return torch.as_tensor(value, dtype=torch.float32).to(device).expand(b, 3).contiguous()

    things = Things(
        image=torch.arange(b, device=device),
        mesh=meshes,
        rotation=turned(each(yaw), each(pitch), each(roll)),
        position=triple(position),
        size=each(size),
        tint=triple(tint),
        texture=whole(texture),
        label=torch.zeros(b, dtype=torch.int64, device=device),
    )
    return Scenes(
        things=things,
        eye=orbit(each(azimuth), each(elevation), each(distance), triple(target)),
        target=triple(target),
        fov=each(fov),
        light=towards(each(light_azimuth), each(light_elevation))[:, None],
        light_colour=triple(light_colour)[:, None],
        ambient=hemisphere(triple(sky), triple(ground)),
        shadow=each(shadow),
        floor=whole(floor),
        floor_colour=triple(floor_colour),
        floor_scale=each(floor_scale),
        behind=whole(behind),
        behind_colour=torch.stack([triple(bottom), triple(top)], 1),
        behind_picture=whole(picture),
    )
