"""The door: scenes → pictures, and the layers beneath them.

A batch is drawn in chunks. Image n is the same to the bit whatever its chunk: every number of it is computed by
elementwise arithmetic from its own scene, and the scatters are of integers or take the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from unseen.worlds.rendering.backdrop import backdrop, rays
from unseen.worlds.rendering.planning import allowed, planned
from unseen.worlds.rendering.projection import Camera, Geometry, assembled, camera_of, seen
from unseen.worlds.rendering.scene import NO_FLOOR
from unseen.worlds.rendering.shading import Surface, normal_at, rows_of, shaded, surface
from unseen.worlds.rendering.shadows import contact_map, shadow_map
from unseen.worlds.rendering.threads import side_by_side
from unseen.worlds.rendering.visibility import EMPTY, Triangles, nearest, triangles

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Bank, Shelf
    from unseen.worlds.rendering.scene import Scenes


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Layers:
    """What a picture shows, at the middle of each pixel. ``depth`` is the distance along the viewing axis, infinite
    where there is nothing; ``normal`` is in world axes and zero there; ``label`` is −1 behind everything, −2 on the
    floor, else the thing's."""

    depth: Tensor  # [b, side, side] float32
    mask: Tensor  # [b, side, side] bool: label 0
    normal: Tensor  # [b, 3, side, side] float32
    label: Tensor  # [b, side, side] int64


@dataclass(frozen=True, eq=False)
class View:
    """A chunk's geometry and what its cameras see of it, before any colour."""

    camera: Camera
    geometry: Geometry
    found: Triangles
    keys: Tensor  # [b, supersampling², side²]


def render(scenes: Scenes, bank: Bank, side: int, *, supersampling: int = 2, memory: int | None = None) -> Tensor:
    """Pictures ``[b, 3, side, side]`` uint8 with ``supersampling``² samples per pixel, averaged in linear light.
    Working memory stays under ``memory`` bytes, as far as a single image allows."""
    import torch

    device = scenes.eye.device
    if device.type == "cuda":
        from unseen.worlds.rendering import kernels

        if kernels.available(device):  # the same pictures, without waiting for the host; this code is their oracle
            allowed(side, supersampling)
            return kernels.render(scenes, bank.on(device), side, supersampling, memory)
    threads = torch.get_num_threads() if device.type == "cpu" else 1
    shelf = bank.on(device)
    plan = planned(scenes, shelf, side, supersampling, memory, threads)
    with torch.inference_mode(False):  # threads of this process write it, and are in no such mode
        out = torch.empty((len(scenes), 3, side, side), dtype=torch.uint8, device=device)

    def draw(start: int, stop: int) -> None:
        with torch.no_grad():
            out[start:stop] = drawn(scenes.part(start, stop), shelf, side, supersampling, plan.fragments)

    side_by_side(draw, plan.ranges, threads)
    return out


def viewed(scenes: Scenes, shelf: Shelf, side: int, supersampling: int, most: int) -> View:
    size = side * supersampling
    camera = camera_of(scenes)
    geometry = assembled(scenes.things, shelf)
    points = seen(geometry, camera, scenes.eye, size)
    found = triangles(points, geometry.corner, geometry.face_image, size)
    return View(camera, geometry, found, nearest(found, len(scenes), size, supersampling, most))


def drawn(scenes: Scenes, shelf: Shelf, side: int, supersampling: int, most: int) -> Tensor:
    """One chunk."""
    import torch

    view = viewed(scenes, shelf, side, supersampling, most)
    shadow = maps = None
    if len(view.geometry.owner) and bool((scenes.shadow > 0).any()):
        shadow = shadow_map(scenes, view.geometry, shelf, max(side, 48), most)
        maps = shadow, contact_map(scenes, view.geometry, shelf, max(side // 2, 48), most)
    canvas = backdrop(scenes, shelf, view.camera, maps, side)
    touched = _touched(view.keys)
    if len(touched):
        on, covers = uncovered(scenes, view, touched, side, supersampling)
        colours = shaded(scenes, shelf, view.camera, view.geometry, view.found, on, shadow, side * supersampling)
        resolved(canvas, colours, covers, touched, supersampling)
    canvas = canvas.sqrt_().mul_(255.0).add_(0.5)
    return canvas.to(torch.uint8).transpose(0, 1)


def _touched(keys: Tensor) -> Tensor:
    """Pixels of which a sample shows a thing, as numbers in ``[b · side²]``."""
    import torch

    least = keys[:, 0]
    for k in range(1, keys.shape[1]):
        least = torch.minimum(least, keys[:, k])
    return (least != EMPTY).reshape(-1).nonzero().squeeze(1)


def uncovered(scenes: Scenes, view: View, touched: Tensor, side: int, supersampling: int) -> tuple[Surface, Tensor]:
    """The surfaces at all samples of pixels that a thing touches, plane by plane of samples, and 1 where a thing is
    seen, 0 where there is none or it lies under the floor."""
    import torch

    planes = supersampling * supersampling
    pixels = side * side
    image = touched // pixels
    pixel = (touched - image * pixels).int()
    row = pixel // side
    column = pixel - row * side
    start = touched + image * ((planes - 1) * pixels)
    key = torch.cat([view.keys.view(-1).index_select(0, start + k * pixels) for k in range(planes)])
    triangle = (key & 0xFFFFFFFF).clamp_(max=len(view.found.face) - 1).int()
    middle = side * supersampling * 0.5 - 0.5
    column, row = column.float() * supersampling - middle, row.float() * supersampling - middle
    x = torch.cat([column + k % supersampling for k in range(planes)])
    y = torch.cat([row + k // supersampling for k in range(planes)])
    image = image.int().repeat(planes)
    on = surface(view.found, image, triangle, x, y)
    return on, (key != EMPTY).float() * _above(scenes, view.camera, on, side * supersampling)


def _above(scenes: Scenes, camera: Camera, on: Surface, size: int) -> Tensor:
    """1 where a sample is not hidden by the floor."""
    height = scenes.eye[:, 2]
    stands = (scenes.floor != NO_FLOOR) & (height > 0)
    # the sample's height is eye + (forward + y · up) / inverse; without a floor it counts as high
    lift = (height + (~stands) * 1e9).index_select(0, on.image)
    slope = (camera.up[:, 2] * (-2.0 / (camera.focal * size))).index_select(0, on.image)
    rise = slope.mul_(on.y).add_(camera.forward[:, 2].contiguous().index_select(0, on.image))
    return (rise.div_(on.inverse).add_(lift) > -1e-4).float()


def resolved(canvas: Tensor, colours: list[Tensor], covers: Tensor, touched: Tensor, supersampling: int) -> None:
    """Average the samples of each touched pixel into the canvas ``[3, b, side, side]``."""
    planes = supersampling * supersampling
    n = len(touched)
    covers = covers.view(planes, n)
    open_share = covers[0].clone()
    for k in range(1, planes):
        open_share += covers[k]
    open_share = open_share.neg_().add_(float(planes))
    for channel in range(3):
        flat = canvas[channel].view(-1)
        samples = colours[channel].view(planes, n).mul_(covers)
        total = flat.index_select(0, touched).mul_(open_share)
        for k in range(planes):
            total += samples[k]
        flat.scatter_(0, touched, total.mul_(1.0 / planes))


def layers(scenes: Scenes, bank: Bank, side: int) -> Layers:
    """Depth, mask, normals and labels, without supersampling."""
    import torch

    parts = _by_chunk(scenes, bank, side, lambda part: part)
    names = ("depth", "mask", "normal", "label")
    return Layers(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def out_of_frame(scenes: Scenes, bank: Bank, side: int) -> Tensor:
    """Whether the thing with label 0 covers no pixel, ``[b]`` bool. No layers but a chunk's are held."""
    import torch

    if not len(scenes):
        return torch.zeros(0, dtype=torch.bool, device=scenes.eye.device)
    return torch.cat(_by_chunk(scenes, bank, side, lambda part: ~part.mask.flatten(1).any(1)))


def shown_faces(scenes: Scenes, shelf: Shelf, side: int) -> Tensor:
    """Which faces are seen at the middle of any pixel: numbers in the list of all faces of the things, one thing after
    the other, each once. Nothing is shaded."""
    import torch

    with torch.no_grad():
        view = viewed(scenes, shelf, side, 1, 1 << 24)
        touched = _touched(view.keys)
        if not len(touched):
            return touched
        on, covers = uncovered(scenes, view, touched, side, 1)
        marked = torch.zeros(len(view.geometry.owner), dtype=torch.bool)
        marked[view.found.face.index_select(0, on.triangle.index_select(0, covers.nonzero().squeeze(1)))] = True
        return marked.nonzero().squeeze(1)


def _by_chunk(scenes: Scenes, bank: Bank, side: int, keep: Callable[[Layers], T]) -> list[T]:
    """What is to be kept of the layers of each chunk, in order."""
    import torch

    device = scenes.eye.device
    threads = torch.get_num_threads() if device.type == "cpu" else 1
    shelf = bank.on(device)
    plan = planned(scenes, shelf, side, 1, None, threads)
    kept: dict[int, T] = {}

    def look(start: int, stop: int) -> None:
        with torch.no_grad():
            kept[start] = keep(_layered(scenes.part(start, stop), shelf, side, plan.fragments))

    side_by_side(look, plan.ranges, threads)
    return [kept[start] for start, _ in plan.ranges]


def _layered(scenes: Scenes, shelf: Shelf, side: int, most: int) -> Layers:
    import torch

    b = len(scenes)
    view = viewed(scenes, shelf, side, 1, most)
    along = rays(scenes, view.camera, side)
    floor = ((along.share > 0) & (along.rise < 0)).expand(b, side, side)
    depth = torch.where(floor, along.distance.expand(b, side, side), float("inf")).reshape(-1)
    label = torch.where(floor, -2, -1).reshape(-1)
    normal = torch.zeros((3, b * side * side), device=depth.device)
    normal[2] = floor.reshape(-1).float()
    touched = (view.keys.view(-1) != EMPTY).nonzero().squeeze(1)
    if len(touched):
        on, covers = uncovered(scenes, view, touched, side, 1)
        kept = covers.nonzero().squeeze(1)
        touched = touched.index_select(0, kept)
        on = Surface(*(getattr(on, name).index_select(0, kept) for name in Surface.__dataclass_fields__))
        depth[touched] = 1.0 / on.inverse
        owner = view.geometry.owner.index_select(0, view.found.face).index_select(0, on.triangle)
        label[touched] = scenes.things.label.index_select(0, owner)
        rows = rows_of(view.found, view.geometry, view.geometry.normal)
        for axis, values in enumerate(normal_at(on, rows)):
            normal[axis].index_copy_(0, touched, values)
    shape = (b, side, side)
    return Layers(
        depth=depth.view(shape),
        mask=(label == 0).view(shape),
        normal=normal.view(3, *shape).transpose(0, 1).contiguous(),
        label=label.view(shape),
    )
