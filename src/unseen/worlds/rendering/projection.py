"""From meshes to points in front of a camera and of a light, elementwise: no product of matrices, whose order of sums
would depend on the size of the batch.

Points in front of a camera are ``(X, Y, W)``: the sample seen is ``(X / W, Y / W)`` from the middle of the frame, in
samples, y down, and W is the distance along the viewing axis. These axes are right-handed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.scene import Scenes, Things


@dataclass(frozen=True, eq=False)
class Camera:
    """Axes of ``b`` cameras and their focal lengths, 1 / tan(fov / 2)."""

    right: Tensor  # [b, 3]
    up: Tensor
    forward: Tensor
    focal: Tensor  # [b]


@dataclass(frozen=True, eq=False)
class Geometry:
    """The things of a batch as one list of vertices and one of faces, in the order of the things."""

    point: Tensor  # [3, v] in the world
    normal: Tensor  # [3, v] in the world, of unit length
    look: Tensor  # [6, v]: linear colour with its tint, gloss, uv
    local: Tensor  # [6, v]: point and normal in the mesh's own axes
    image: Tensor  # [v]
    corner: Tensor  # [3, f]: numbers of vertices
    owner: Tensor  # [f]: the thing that a face belongs to
    face_image: Tensor  # [f]


def dot(a: Tensor, b: Tensor) -> Tensor:
    """Over the last axis of length 3, in a fixed order."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def cross(a: Tensor, b: Tensor) -> Tensor:
    import torch

    ax, ay, az = a.unbind(-1)
    bx, by, bz = b.unbind(-1)
    return torch.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def unit(a: Tensor) -> Tensor:
    return a / dot(a, a).sqrt().clamp_min(1e-20)[..., None]


def axes(forward: Tensor) -> tuple[Tensor, Tensor]:
    """Right and up of who looks along ``forward`` [b, 3] with z upwards. Looking straight down or up, right is +y, as
    seen from azimuth 0."""
    import torch

    x, y = forward[:, 0], forward[:, 1]
    length = (x * x + y * y).sqrt()
    steep = length < 1e-6
    length = length.clamp_min(1e-6)
    zero = torch.zeros_like(x)
    right = torch.stack([torch.where(steep, zero, y / length), torch.where(steep, zero + 1, -x / length), zero], -1)
    return right, cross(right, forward)


def focal_of(fov: Tensor) -> Tensor:
    """1 / tan(fov / 2) of degrees, in float64 and rounded once, so that devices agree."""
    return (1.0 / (fov.double() * 0.008726646259971648).tan()).float()


def camera_of(scenes: Scenes) -> Camera:
    forward = unit(scenes.target - scenes.eye)
    right, up = axes(forward)
    return Camera(right, up, forward, focal_of(scenes.fov))


def runs(counts: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """For runs of ``counts`` members: which run each member is of, and its number counted from the run's ``starts``."""
    import torch

    ends = counts.cumsum(0)
    of = torch.repeat_interleave(counts, output_size=int(ends[-1]) if len(ends) else 0)
    shift = (starts - (ends - counts)).int()
    return of, torch.arange(len(of), device=counts.device, dtype=torch.int32) + shift.index_select(0, of)


def assembled(things: Things, shelf: Shelf) -> Geometry:
    """All vertices and faces of the things, in the world."""
    import torch

    def counted(first: Tensor) -> tuple[Tensor, Tensor]:
        start = first.index_select(0, things.mesh)
        return first.index_select(0, things.mesh + 1) - start, start

    vertices, vertex_start = counted(shelf.first_vertex)
    thing, vertex = runs(vertices, vertex_start)
    columns = shelf.columns.index_select(1, vertex)
    px, py, pz, nx, ny, nz, red, green, blue, paint, gloss, u, v = columns.unbind(0)

    turn = things.rotation.reshape(-1, 9).t().contiguous()
    place = things.position.t().contiguous()
    tint = (things.tint - 1.0).t().contiguous()

    def of(table: Tensor) -> Tensor:
        return table.index_select(0, thing)

    size = of(things.size)
    px, py, pz = px * size, py * size, pz * size
    point, normal = (
        torch.empty((3, len(vertex)), device=vertex.device),
        torch.empty((3, len(vertex)), device=vertex.device),
    )
    for axis in range(3):
        a, b, c = (of(turn[3 * axis + k]) for k in range(3))
        point[axis] = a * px + b * py + c * pz + of(place[axis])
        normal[axis] = a * nx + b * ny + c * nz
    draped = of((things.texture >= 0).float())  # another's texture takes the place of the mesh's own colours
    colours = []
    for k, own in enumerate((red, green, blue)):
        colour = (own + (1.0 - own) * draped) * (1.0 + paint * of(tint[k]))
        colours.append(colour * colour)
    look = torch.stack([*colours, gloss, u, v])

    faces, face_start = counted(shelf.first_face)
    owner, face = runs(faces, face_start)
    shift = (vertices.cumsum(0) - vertices) - vertex_start
    corner = shelf.corners.index_select(1, face) + shift.index_select(0, owner)
    return Geometry(
        point=point,
        normal=normal,
        look=look,
        local=columns[:6],
        image=of(things.image),
        corner=corner,
        owner=owner,
        face_image=things.image.index_select(0, owner),
    )


def seen(geometry: Geometry, camera: Camera, eye: Tensor, size: int) -> Tensor:
    """Vertices in front of the cameras, ``[3, v]`` (X, Y, W), for frames of ``size`` samples."""
    import torch

    scale = camera.focal * (size * 0.5)
    frame = torch.stack([camera.right * scale[:, None], camera.up * -scale[:, None], camera.forward], 1)
    return carried(geometry.point, geometry.image, frame, eye)


def carried(point: Tensor, image: Tensor, frame: Tensor, origin: Tensor) -> Tensor:
    """Points ``[3, v]`` seen from each image's origin along the three rows of its ``frame`` [b, 3, 3]."""
    import torch

    table = torch.cat([frame.reshape(-1, 9), origin], 1).t().contiguous().index_select(1, image)
    x, y, z = point[0] - table[9], point[1] - table[10], point[2] - table[11]
    return torch.stack([table[3 * k] * x + table[3 * k + 1] * y + table[3 * k + 2] * z for k in range(3)])
