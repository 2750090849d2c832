"""Drawing on CUDA by fused kernels (``kernels_raster``, ``kernels_resolve``): the eager code's pictures, in few passes.

Eager torch writes every fragment's column to memory before it reads the next; here a triangle goes straight to the
z-buffer and a sample straight to its pixel. Nothing waits for the host, so pictures can be drawn ahead on a second
stream. ``UNSEEN_KERNELS=0`` turns this off.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes

LANES = 32  # faces of one program: one warp, so that a reduction over its lanes needs no shared memory
BLOCKS = 64  # programs of one thing at most: meshes differ in size, and a program without faces is wasted (ours)
SMALL = 64  # samples of a bounding box that one lane walks alone (ours)
TILES = 8  # tiles of 8 × 4 pixels that one program resolves (ours)
MEMORY = 2 << 30  # bytes of buffers, unless told otherwise
CAMERA, SHADOW, CONTACT = 38, 14, 26  # where a frame starts in a row of kernels_framing
EMPTY = (1 << 63) - 1  # a key where no thing is
LOWEST = int(np.int32(np.float32(-1e6).view(np.int32)) ^ 0x7FFFFFFF)  # shadows.EMPTY as a whole number that sorts alike


def available(device: str | torch.device) -> bool:
    """Whether the fused kernels draw on this device: on CUDA, with Triton and the C compiler that it calls."""
    import torch

    if os.environ.get("UNSEEN_KERNELS", "1") == "0" or torch.device(device).type != "cuda":
        return False
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    return compiler is not None and importlib.util.find_spec("triton") is not None


@dataclass(frozen=True, eq=False)
class Packed:
    """A shelf as kernels read it: a vertex is one row of 64 bytes, a face three 32-bit numbers."""

    rows: Tensor  # [V, 13], 16 apart: the columns of the shelf, and three of padding
    faces: Tensor  # [F, 3] int32
    most: int  # faces of the largest mesh
    levels: dict[str, Tensor]  # of textures, pictures and skies: where each level of a pyramid starts, int32


_packed: WeakKeyDictionary[Shelf, Packed] = WeakKeyDictionary()


def starts(height: int, width: int) -> list[int]:
    """Where the levels of a pyramid start."""
    from unseen.worlds.rendering.textures import sizes

    texels = [h * w for h, w in sizes(height, width)]
    return [sum(texels[:k]) for k in range(len(texels))]


def packed(shelf: Shelf) -> Packed:
    """Packed once per shelf; the only time that the host waits."""
    import torch

    if shelf not in _packed:
        rows = shelf.columns.t()
        if rows.stride() != (16, 1):  # laid out for a processor
            rows = torch.nn.functional.pad(rows, (0, 3))
        most = int((shelf.first_face[1:] - shelf.first_face[:-1]).max())
        levels = {
            "texture": starts(*shelf.textures.shape[1:3]),
            "picture": starts(*shelf.pictures.shape[1:3]),
            "sky": starts(*shelf.skies.shape[1:3]),
        }
        levels = {name: torch.tensor(column, dtype=torch.int32, device=rows.device) for name, column in levels.items()}
        _packed[shelf] = Packed(rows, shelf.corners.t().to(torch.int32).contiguous(), most, levels)
    return _packed[shelf]


def render(scenes: Scenes, shelf: Shelf, side: int, supersampling: int, memory: int | None = None) -> Tensor:
    """Pictures ``[b, 3, side, side]`` uint8 within ``memory`` bytes of buffers, as far as one image allows. A batch
    that fits is drawn without asking the device anything."""
    import torch

    n = len(scenes)
    together = max(1, (memory or MEMORY) // bytes_of(side, supersampling))
    if n <= together:
        return render_chunk(scenes, shelf, side, supersampling)
    out = torch.empty((n, 3, side, side), dtype=torch.uint8, device=scenes.eye.device)
    for start in range(0, n, together):
        stop = min(start + together, n)
        out[start:stop] = render_chunk(scenes.part(start, stop), shelf, side, supersampling)
    return out


def bytes_of(side: int, supersampling: int) -> int:
    """Of the buffers of one image: z-buffer, shadow map, contact map, picture."""
    return 8 * (side * supersampling) ** 2 + 4 * max(side, 48) ** 2 + 4 * max(side // 2, 48) ** 2 + 3 * side**2


def render_chunk(scenes: Scenes, shelf: Shelf, side: int, supersampling: int) -> Tensor:
    """One chunk of pictures ``[b, 3, side, side]`` uint8, as ``renderer.drawn`` draws it."""
    import torch

    b, device = len(scenes), scenes.eye.device
    if len(scenes.things.image) << bits_of(packed(shelf).most) > 1 << 31 and b > 1:  # a key numbers faces by 31 bits
        halves = (scenes.part(0, b // 2), scenes.part(b // 2, b))
        return torch.cat([render_chunk(half, shelf, side, supersampling) for half in halves])
    out = torch.empty((b, 3, side, side), dtype=torch.uint8, device=device)
    if b:
        with torch.cuda.device_of(out):  # Triton launches on the current device
            _draw(scenes, shelf, out, side, supersampling)
    return out


def _draw(scenes: Scenes, shelf: Shelf, out: Tensor, side: int, supersampling: int) -> None:
    import torch

    b, device = len(scenes), out.device
    laid = layout(scenes, shelf, side, supersampling)
    size, wide, close = side * supersampling, laid.map_size, laid.contact_size
    keys = torch.full((b * size * size,), EMPTY, dtype=torch.int64, device=device)
    heights = torch.full((b * wide * wide,), LOWEST, dtype=torch.int32, device=device)
    contacts = torch.full((b * close * close,), LOWEST, dtype=torch.int32, device=device)
    raster(laid, shelf, keys, side, supersampling, CAMERA)
    raster(laid, shelf, heights, wide, 1, SHADOW)
    raster(laid, shelf, contacts, close, 1, CONTACT)
    resolve(laid, scenes, shelf, (keys, heights, contacts), out, side, supersampling)


@dataclass(frozen=True, eq=False)
class Layout:
    """Scenes as kernels read them: one row per image and one per thing, freshly laid out so that every batch has the
    same alignment, and with it the same kernel."""

    images: Tensor  # [b, 64]: camera and maps, see kernels_framing
    looks: Tensor  # [b, 11 + 6 l + 3 k]: darkness of shadows, floor, background, lights, ambient light
    kinds: Tensor  # [b, 3] int32: floor, behind, behind_picture
    things: Tensor  # [m, 16]: rotation, size, position, tint
    ints: Tensor  # [m, 7] int32: image, first face, faces, draped texture, own texture, mesh, label
    map_size: int
    contact_size: int


def layout(scenes: Scenes, shelf: Shelf, side: int, supersampling: int) -> Layout:
    import torch

    from unseen.worlds.rendering import kernels_framing
    from unseen.worlds.rendering.projection import focal_of
    from unseen.worlds.rendering.shadows import CUT_FADE, FADE, FARTHEST, MARGIN

    b, things = len(scenes), scenes.things
    lights = torch.cat([scenes.light, scenes.light_colour], 2).reshape(b, -1)
    looks = [
        scenes.shadow[:, None], scenes.floor_colour, scenes.floor_scale[:, None], scenes.behind_colour.reshape(b, 6),
        lights, scenes.ambient.reshape(b, -1),
    ]  # fmt: skip
    start = shelf.first_face.index_select(0, things.mesh)
    count = shelf.first_face.index_select(0, things.mesh + 1) - start
    own = shelf.own_texture.index_select(0, things.mesh)
    ints = [things.image, start, count, things.texture, own, things.mesh, things.label]
    laid = Layout(
        images=torch.empty((b, kernels_framing.ROW), device=scenes.eye.device),
        looks=torch.cat(looks, 1),
        kinds=torch.stack([scenes.floor, scenes.behind, scenes.behind_picture], 1).int(),
        things=torch.cat([things.rotation.reshape(-1, 9), things.size[:, None], things.position, things.tint], 1),
        ints=torch.stack(ints, 1).int(),
        map_size=max(side, 48),
        contact_size=max(side // 2, 48),
    )
    views = torch.cat([scenes.eye, scenes.target, scenes.light[:, 0], focal_of(scenes.fov)[:, None]], 1)
    firsts = torch.searchsorted(things.image, torch.arange(b + 1, device=views.device))
    launched(kernels_framing.frame, b)(
        views, firsts, laid.things, laid.ints, shelf.low, shelf.high, laid.images, SIZE=side * supersampling,
        MAP=laid.map_size, CONTACT_MAP=laid.contact_size, MARGIN=MARGIN, FARTHEST=FARTHEST, FADE=FADE,
        CUT_FADE=CUT_FADE, num_warps=1, enable_fp_fusion=False,
    )  # fmt: skip
    return laid


def raster(laid: Layout, shelf: Shelf, out: Tensor, side: int, supersampling: int, at: int) -> None:
    """Draw all faces of all things into ``out``, seen along the frame that starts ``at`` this place of a row."""
    from unseen.worlds.rendering import kernels_raster
    from unseen.worlds.rendering.shadows import HOVER
    from unseen.worlds.rendering.visibility import NEAR

    held = packed(shelf)
    blocks = min(-(-held.most // LANES), BLOCKS)
    if not len(laid.ints):
        return
    launched(kernels_raster.raster, len(laid.ints) * blocks)(
        laid.things, laid.ints, laid.images, laid.looks, laid.kinds, held.faces, held.rows, out, blocks,
        bits_of(held.most), laid.looks.shape[1], SIDE=side, SS=supersampling, AT=at, HEIGHT=at != CAMERA,
        CONTACT=at == CONTACT, HOVER=HOVER, NEAR=NEAR, SMALL=SMALL, BLOCK=LANES, num_warps=1, enable_fp_fusion=False,
    )  # fmt: skip


def resolve(
    laid: Layout, scenes: Scenes, shelf: Shelf, buffers: tuple[Tensor, ...], out: Tensor, side: int, supersampling: int
) -> None:
    """Shade every sample and average every pixel."""
    from unseen.worlds.rendering import backdrop, kernels_resolve
    from unseen.worlds.rendering.shadows import BIAS, HOVER, OFFSET
    from unseen.worlds.rendering.visibility import NEAR

    held = packed(shelf)
    tiles = -(-side // 8) * -(-side // 4)
    keys, heights, contacts = buffers
    pyramids = {"texture": shelf.texture_pyramid, "picture": shelf.picture_pyramid, "sky": shelf.sky_pyramid}
    edges = {"texture": shelf.textures.shape[1], "picture": shelf.pictures.shape[1], "sky": shelf.skies.shape[1]}
    edges = {name: edge if len(pyramids[name]) else 0 for name, edge in edges.items()}
    levels = {name: len(held.levels[name]) for name in edges}
    books = [part for name in edges for part in (pyramids[name], held.levels[name], pyramids[name].shape[1])]
    launched(kernels_resolve.resolve, len(scenes) * -(-tiles // TILES))(
        keys, laid.images, laid.looks, laid.kinds, laid.things, laid.ints, held.faces, held.rows, heights, contacts,
        *books, out, bits_of(held.most), SIDE=side, SS=supersampling, MAP=laid.map_size, CONTACT_MAP=laid.contact_size,
        L=scenes.light.shape[1], K=scenes.ambient.shape[1], NEAR=NEAR, HOVER=HOVER, CONTACT=backdrop.CONTACT,
        SLANT=backdrop.SLANT, TEXTURE=edges["texture"], LEVELS=levels["texture"], PICTURE=edges["picture"],
        PICTURE_LEVELS=levels["picture"], SKY=edges["sky"], SKY_LEVELS=levels["sky"], OFFSET=OFFSET, BIAS=BIAS,
        TILES=TILES, num_warps=1,
    )  # fmt: skip


def launched(kernel: Any, programs: int) -> Any:
    """A kernel as a function that starts so many programs."""
    return kernel[(programs,)]


def bits_of(most: int) -> int:
    """How many bits number the faces of a mesh; the others of 31 number the things of a chunk."""
    return max(most - 1, 1).bit_length()
