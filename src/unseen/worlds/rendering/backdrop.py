"""What is seen where no thing is: a floor without end, and behind it two colours, a picture or a sky.

All of it is known at every pixel without a triangle, and is smooth there or averaged by its pyramid, so it is drawn
once per pixel and not once per sample; the horizon is mixed over one row. The floor has one side: from below it is not
there. A floor of kind SHADOWS is seen by its shadows alone: what lies behind is darkened as a matt floor would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.rendering.scene import NO_FLOOR, PICTURE, SHADOWS, SKY
from unseen.worlds.rendering.shadows import HOVER, ShadowMap, occluded
from unseen.worlds.rendering.textures import AROUND, CLAMP, WRAP, atlas, sampled

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.projection import Camera
    from unseen.worlds.rendering.scene import Scenes


SLANT = 0.7  # of a pixel's length along the floor that its texture is averaged over, if longer than its width (ours)
CONTACT = 0.7  # of the sky's light that the floor loses where a thing rests on it (ours)


@dataclass(frozen=True, eq=False)
class Rays:
    """Through the middle of pixels: the direction ``forward + x · right + y · up``, so that a distance along it is one
    along the viewing axis. Its height changes from row to row only, since ``right`` is level."""

    x: Tensor  # [b, 1, side]
    y: Tensor  # [b, side, 1]
    rise: Tensor  # [b, side, 1] the direction's z
    step: Tensor  # [b, 1, 1] width of a pixel at distance 1
    distance: Tensor  # [b, side, 1] to the floor; some large number where it is not met
    share: Tensor  # [b, side, 1] of a pixel that shows the floor


def rays(scenes: Scenes, camera: Camera, side: int) -> Rays:
    import torch

    step = (2.0 / (camera.focal * side))[:, None, None]
    middle = torch.arange(side, device=step.device) - (side * 0.5 - 0.5)
    x, y = middle[None, None, :] * step, middle[None, :, None] * -step
    rise = camera.forward[:, 2, None, None] + y * camera.up[:, 2, None, None]
    apart = (camera.up[:, 2, None, None] * step).abs().clamp_min(1e-6)  # how much it rises from row to row
    stands = ((scenes.floor != NO_FLOOR) & (scenes.eye[:, 2] > 0))[:, None, None]
    share = (0.5 - rise / apart).clamp(0.0, 1.0) * stands
    distance = scenes.eye[:, 2, None, None] / torch.maximum(-rise, apart * 0.25)
    return Rays(x, y, rise, step, distance, share)


def floor_point(scenes: Scenes, camera: Camera, along: Rays) -> tuple[Tensor, Tensor]:
    """Where pixels see the floor, ``[b, side, side]`` twice."""
    points = []
    for k in range(2):
        right, up, forward = (a[:, k, None, None] for a in (camera.right, camera.up, camera.forward))
        row = scenes.eye[:, k, None, None] + (forward + along.y * up) * along.distance
        points.append(row + along.x * (right * along.distance))
    return points[0], points[1]


def backdrop(
    scenes: Scenes, shelf: Shelf, camera: Camera, maps: tuple[ShadowMap, ShadowMap] | None, side: int
) -> Tensor:
    """Linear colours ``[3, b, side, side]`` within 0–1."""
    import torch

    along = rays(scenes, camera, side)
    behind = _behind(scenes, shelf, camera, along, side)
    if not bool((scenes.floor != NO_FLOOR).any()):
        return behind.expand(3, len(scenes), side, side).contiguous().clamp_(0.0, 1.0)
    floor = _floor(scenes, shelf, camera, along, maps, behind, side)
    canvas = torch.empty((3, len(scenes), side, side), device=floor.device)
    torch.mul(floor, along.share, out=canvas)
    return canvas.add_(behind * (1.0 - along.share)).clamp_(0.0, 1.0)


def _floor(
    scenes: Scenes, shelf: Shelf, camera: Camera, along: Rays, maps: tuple[ShadowMap, ShadowMap] | None, behind: Tensor,
    side: int,
) -> Tensor:  # fmt: skip
    import torch

    ambient = scenes.ambient[:, 0]  # light on a surface that looks up
    if scenes.ambient.shape[1] > 1:
        ambient = ambient + scenes.ambient[:, 2]
    if scenes.ambient.shape[1] > 4:
        ambient = ambient + 2.0 * scenes.ambient[:, 6]
    ambient = ambient.clamp_min(0.0)
    light = ambient
    for number in range(scenes.light.shape[1]):
        light = light + scenes.light_colour[:, number] * scenes.light[:, number, 2:].clamp_min(0.0)
    base = (scenes.floor_colour * scenes.floor_colour).t()[:, :, None, None]
    is_textured = bool((scenes.floor >= 0).any())
    point = floor_point(scenes, camera, along) if is_textured or maps is not None else None
    if is_textured:
        assert point is not None
        base = base * _floor_texture(scenes, shelf, camera, along, point, side)
    canvas = (base * light.t()[:, :, None, None]).expand(3, len(scenes), side, side).contiguous()
    if bool((scenes.floor == SHADOWS).any()):
        canvas = torch.where((scenes.floor == SHADOWS)[None, :, None, None], behind, canvas)
    if maps is not None:
        assert point is not None
        dark = scenes.shadow[:, None] / light.clamp_min(1e-12)
        key = scenes.light_colour[:, 0] * scenes.light[:, 0, 2:].clamp_min(0.0)
        _darken(canvas, key * dark, ambient * dark * CONTACT, maps, point, along)
    return canvas


def _darken(
    canvas: Tensor, key: Tensor, ambient: Tensor, maps: tuple[ShadowMap, ShadowMap], point: tuple[Tensor, Tensor],
    along: Rays,
) -> None:  # fmt: skip
    """Take the shares ``key`` and ``ambient`` [b, 3] of the light from the pixels that the light's map frames."""
    shadow, contact = maps
    column, row = (_carried(shadow, k, point) for k in range(2))
    size = float(shadow.size)
    # inside where the product of the distances to both edges is positive: cheaper than four comparisons
    inside = (column * (size - column)).clamp_min_(0.0).mul_((row * (size - row)).clamp_min_(0.0)).mul_(along.share)
    places = inside.reshape(-1).nonzero().squeeze(1)
    if not len(places):
        return
    image = places // (canvas.shape[2] * canvas.shape[3])

    def at(a: Tensor) -> Tensor:
        return a.reshape(-1).index_select(0, places)

    dark = occluded(shadow, image, at(column), at(row), at(_carried(shadow, 2, point)))
    closed = occluded(contact, image, at(_carried(contact, 0, point)), at(_carried(contact, 1, point)), -HOVER)
    closed = closed.mul_(closed)
    keys, ambients = key.t().contiguous(), ambient.t().contiguous()
    for channel in range(3):
        flat = canvas[channel].view(-1)
        lost = keys[channel].index_select(0, image).mul_(dark)
        lost += ambients[channel].index_select(0, image).mul_(closed)
        flat.scatter_(0, places, flat.index_select(0, places).mul_(1.0 - lost))


def _carried(shadow: ShadowMap, k: int, point: tuple[Tensor, Tensor]) -> Tensor:
    """Column, row or height of points of the floor in a map."""
    a, b, c = (shadow.frame[:, k, j, None, None] for j in range(3))
    x, y, z = (shadow.origin[:, j, None, None] for j in range(3))
    return a * point[0] + b * point[1] - (a * x + b * y + c * z)


def _floor_texture(
    scenes: Scenes, shelf: Shelf, camera: Camera, along: Rays, point: tuple[Tensor, Tensor], side: int
) -> Tensor:
    """The floor's texture ``[3, b, side, side]``, 1 where an image's floor is plain."""
    import torch

    edge = shelf.textures.shape[1]
    book = atlas(shelf.texture_pyramid, edge, edge, WRAP)
    plain = (scenes.floor < 0)[:, None, None]
    scale = (1.0 / scenes.floor_scale.clamp_min(1e-9))[:, None, None]
    width = along.distance * along.step * scale * float(edge)  # of a pixel across, in texels
    length = width / torch.maximum(-along.rise, along.step * 0.25)  # along the view
    texels = torch.maximum(width, length * SLANT).expand(point[0].shape).reshape(-1)
    u, v = point[0] * scale, 1.0 - point[1] * scale
    number = scenes.floor.clamp_min(0)[:, None, None].expand(u.shape).reshape(-1)
    colours = sampled(book, number, (u - u.floor()).reshape(-1), (v - v.floor()).reshape(-1), texels)
    return torch.stack([torch.where(plain, 1.0, c.view(u.shape)) for c in colours])


def _behind(scenes: Scenes, shelf: Shelf, camera: Camera, along: Rays, side: int) -> Tensor:
    """Linear ``[3, b, side, 1 or side]``."""
    import torch

    low, high = scenes.behind_colour.permute(1, 2, 0)[..., None, None]
    up = 1.0 - (torch.arange(side, device=low.device) + 0.5) / side
    gradient = low + (high - low) * up[:, None]
    gradient = gradient * gradient
    for kind, look_up in ((PICTURE, _picture), (SKY, _sky)):
        images = (scenes.behind == kind).nonzero().squeeze(1)
        if len(images):
            gradient = gradient.expand(3, len(scenes), side, side).contiguous()
            number = scenes.behind_picture.index_select(0, images)
            colours = look_up(shelf, camera, along, images, number, side)
            tint = low.index_select(1, images)
            gradient.index_copy_(1, images, torch.stack(colours).view(3, len(images), side, side) * (tint * tint))
    return gradient


def _picture(shelf: Shelf, camera: Camera, along: Rays, images: Tensor, number: Tensor, side: int) -> list[Tensor]:
    import torch

    height, width = shelf.pictures.shape[1:3]
    book = atlas(shelf.picture_pyramid, height, width, CLAMP)
    at = (torch.arange(side, device=number.device) + 0.5) / side
    shape = (len(number), side, side)
    u, v = at[None, None, :].expand(shape).reshape(-1), at[None, :, None].expand(shape).reshape(-1)
    texels = torch.full_like(u, max(height, width) / side)
    return list(sampled(book, number[:, None, None].expand(shape).reshape(-1), u, v, texels))


def _sky(shelf: Shelf, camera: Camera, along: Rays, images: Tensor, number: Tensor, side: int) -> list[Tensor]:
    """By direction: the middle of the map is +x, its left half +y, its upper half the sky."""
    height, width = shelf.skies.shape[1:3]
    book = atlas(shelf.sky_pyramid, height, width, AROUND)

    def of(a: Tensor) -> Tensor:
        return a.index_select(0, images)

    x, y = of(along.x), of(along.y)
    shape = (len(images), side, side)
    dx, dy, dz = (
        (of(camera.forward)[:, k, None, None] + y * of(camera.up)[:, k, None, None])
        + x * of(camera.right)[:, k, None, None]
        for k in range(3)
    )
    level = (dx * dx + dy * dy).sqrt()
    u = 0.5 - arctangent(dy, dx) * 0.15915494309189535
    v = 0.5 - arctangent(dz, level) * 0.3183098861837907
    texels = (of(along.step) * (height * 0.3183098861837907)).expand(shape).reshape(-1)
    number = number[:, None, None].expand(shape).reshape(-1)
    return list(sampled(book, number, (u - u.floor()).reshape(-1), v.clamp(0.0, 1.0).reshape(-1), texels))


def arctangent(y: Tensor, x: Tensor) -> Tensor:
    """atan2 within 1e-5 by a polynomial (Abramowitz & Stegun 1964, 4.4.49) rather than by the library: its vectorised
    and its scalar version differ in the last bit, and a picture would depend on the batch."""
    import torch

    ax, ay = x.abs(), y.abs()
    ratio = torch.minimum(ax, ay) / torch.maximum(ax, ay).clamp_min(1e-20)
    square = ratio * ratio
    angle = torch.full_like(ratio, 0.0028662257)
    for term in (-0.0161657367, 0.0429096138, -0.0752896400, 0.1065626393, -0.1420889944, 0.1999355085, -0.3333314528):
        angle = angle * square + term
    angle = (angle * square + 1.0) * ratio
    angle = torch.where(ay > ax, 1.5707963267948966 - angle, angle)
    angle = torch.where(x < 0, 3.141592653589793 - angle, angle)
    return torch.where(y < 0, -angle, angle)
