"""What colour a surface has where it is seen: Lambert, a Blinn–Phong highlight, the light of the sky as spherical
harmonics.

Light is linear, and linear is the square of the stored value (see :mod:`~unseen.worlds.rendering.textures`). Colours
are squared, and multiplied by their tint, at the vertices. Only sums, products, quotients and square roots: unlike a
power or a sine they give the same bits however samples fall into vectors of the processor. (Between devices square
roots may differ in the last bit: MKL's is not correctly rounded.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.worlds.rendering.shadows import ShadowMap, occluded, receivers
from unseen.worlds.rendering.textures import Atlas, atlas, sampled

if TYPE_CHECKING:
    from torch import Tensor

    from unseen.worlds.rendering.bank import Shelf
    from unseen.worlds.rendering.projection import Camera, Geometry
    from unseen.worlds.rendering.scene import Scenes, Things
    from unseen.worlds.rendering.visibility import Triangles


@dataclass(frozen=True, eq=False)
class Surface:
    """Samples of triangles: the first corner's values and the two differences from it are rows of a ``table`` [·, t],
    fetched by ``triangle``; ``second`` and ``third`` are the weights of the other corners."""

    image: Tensor
    triangle: Tensor
    x: Tensor  # samples from the middle of the frame
    y: Tensor
    inverse: Tensor  # 1 / distance along the viewing axis
    second: Tensor
    third: Tensor

    def fetched(self, row: Tensor) -> Tensor:
        return row.index_select(0, self.triangle)

    def between(self, rows: Tensor) -> Tensor:
        """A quantity given by its three rows: at the first corner, and the differences of the others from it."""
        return self.fetched(rows[0]) + self.fetched(rows[1]) * self.second + self.fetched(rows[2]) * self.third


def surface(found: Triangles, image: Tensor, triangle: Tensor, x: Tensor, y: Tensor) -> Surface:
    """Perspective-correct weights of the corners of ``triangle`` at samples."""
    import torch

    def value(k: int) -> Tensor:
        a, b, c = (found.plane[3 * k + j].index_select(0, triangle) for j in range(3))
        return a.mul_(x).add_(b.mul_(y)).add_(c)

    inverse = torch.minimum(value(0), found.limit.index_select(0, triangle)).clamp_min_(1e-30)
    second, third = (value(k).div_(inverse).clamp_(0.0, 1.0) for k in (1, 2))
    total = (second + third).clamp_min_(1.0)  # a sample on an edge may miss the triangle by a rounding
    return Surface(image, triangle, x, y, inverse, second.div_(total), third.div_(total))


def rows_of(found: Triangles, geometry: Geometry, values: Tensor) -> Tensor:
    """Values at vertices ``[n, v]`` as the rows that :meth:`Surface.between` takes, ``[n, 3, t]``."""
    import torch

    corner = geometry.corner.index_select(1, found.face)
    first, third, second = (values.index_select(1, corner[k]) for k in range(3))
    return torch.stack([first, second - first, third - first], 1)


def normal_at(on: Surface, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    nx, ny, nz = (on.between(rows[k]) for k in range(3))
    length = (nx * nx + ny * ny + nz * nz).sqrt_().clamp_min_(1e-20)
    return nx.div_(length), ny.div_(length), nz.div_(length)


def harmonics(x: Tensor, y: Tensor, z: Tensor, k: int) -> list[Tensor]:
    """The polynomials whose coefficients are ``Scenes.ambient``, after the constant one."""
    first = [y, z, x]
    return first if k == 4 else [*first, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]


def ambient_at(coefficients: Tensor, normal: tuple[Tensor, Tensor, Tensor], image: Tensor) -> list[Tensor]:
    """Light of the sky that falls on a surface, for the coefficients ``[b, k, 3]`` of each image."""
    k = coefficients.shape[1]
    table = coefficients.reshape(-1, 3 * k).t().contiguous()
    terms = harmonics(*normal, k) if k > 1 else []
    light = []
    for channel in range(3):
        total = table[channel].index_select(0, image)
        for place, term in enumerate(terms, 1):
            total += table[3 * place + channel].index_select(0, image).mul_(term)
        light.append(total.clamp_min_(0.0))
    return light


def shaded(
    scenes: Scenes, shelf: Shelf, camera: Camera, geometry: Geometry, found: Triangles, on: Surface,
    shadow: ShadowMap | None, size: int,
) -> list[Tensor]:  # fmt: skip
    """Linear red, green and blue at samples."""
    import torch

    values = [geometry.normal, geometry.look[:4]]
    if shadow is not None:
        values.append(receivers(shadow, geometry))
    rows = rows_of(found, geometry, torch.cat(values))
    normal = normal_at(on, rows[:3])
    gloss = on.between(rows[6])
    light = ambient_at(scenes.ambient, normal, on.image)
    shine = [torch.zeros_like(gloss) for _ in range(3)]
    view = _towards_eye(camera, on, size)
    for number in range(scenes.light.shape[1]):
        table = torch.cat([scenes.light[:, number], scenes.light_colour[:, number]], 1).t().contiguous()
        lx, ly, lz, *colour = (table[k].index_select(0, on.image) for k in range(6))
        facing = (normal[0] * lx).add_(normal[1] * ly).add_(normal[2] * lz).clamp_min_(0.0)
        mirror = _highlight(normal, (lx.add_(view[0]), ly.add_(view[1]), lz.add_(view[2])))
        if number == 0 and shadow is not None:
            at = [on.between(rows[7 + k]) for k in range(3)]
            dark = scenes.shadow.index_select(0, on.image)
            lit = 1.0 - dark * occluded(shadow, on.image, at[0], at[1], at[2])
            facing, mirror = facing * lit, mirror * lit
        for channel in range(3):
            light[channel] += colour[channel] * facing
            shine[channel] += colour[channel].mul_(mirror)
    base = [on.between(rows[3 + k]) for k in range(3)]
    base = textured(base, scenes.things, shelf, geometry, found, on, 2.0 / (camera.focal * size))
    return [b.mul_(e).add_(s.mul_(gloss)).clamp_(0.0, 1.0) for b, e, s in zip(base, light, shine)]


def _towards_eye(camera: Camera, on: Surface, size: int) -> list[Tensor]:
    """Unit vectors from samples towards the eye."""
    import torch

    step = 2.0 / (camera.focal * size)
    axes = torch.cat([camera.right * -step[:, None], camera.up * step[:, None], -camera.forward], 1).t().contiguous()
    away = []
    for k in range(3):
        r, u, f = (axes[3 * j + k].index_select(0, on.image) for j in range(3))
        away.append(r.mul_(on.x).add_(u.mul_(on.y)).add_(f))
    length = (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]).sqrt_()
    return [a.div_(length) for a in away]


def _highlight(normal: tuple[Tensor, Tensor, Tensor], half: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """(n · h)³² for a half vector that still has to be brought to unit length."""
    hx, hy, hz = half
    along = (normal[0] * hx).add_(normal[1] * hy).add_(normal[2] * hz).clamp_min_(0.0)
    length = (hx * hx).add_(hy * hy).add_(hz * hz).clamp_min_(1e-12)
    power = along.mul_(along).div_(length)  # the square of the cosine
    for _ in range(4):
        power = power.mul_(power)
    return power


def textured(
    base: list[Tensor], things: Things, shelf: Shelf, geometry: Geometry, found: Triangles, on: Surface, pixel: Tensor
) -> list[Tensor]:
    """Colours multiplied by the meshes' own textures and by those laid over things. ``pixel`` [b] is the width of a
    sample at distance 1."""
    import torch

    if not len(shelf.textures):
        return base
    side = shelf.textures.shape[1]
    owner = geometry.owner.index_select(0, found.face)
    draped = things.texture.index_select(0, owner)
    own = shelf.own_texture.index_select(0, things.mesh).index_select(0, owner)
    own = torch.where(draped >= 0, -1, own)
    book = atlas(shelf.texture_pyramid, side, side)
    for number, look_up in ((own, _by_uv), (draped, _from_three_sides)):
        places = (number >= 0).index_select(0, on.triangle).nonzero().squeeze(1)
        if not len(places):
            continue
        part = Surface(*(getattr(on, name).index_select(0, places) for name in Surface.__dataclass_fields__))
        texel = look_up(part, number.index_select(0, part.triangle), things, geometry, found, book, pixel)
        for channel in range(3):
            base[channel].index_copy_(0, places, base[channel].index_select(0, places) * texel[channel])
    return base


def _by_uv(
    part: Surface, number: Tensor, things: Things, geometry: Geometry, found: Triangles, book: Atlas, pixel: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    rows = rows_of(found, geometry, geometry.look[4:6])
    uv, steps = [], []
    for k in range(2):
        a, b, c = (part.fetched(rows[k, j]) for j in range(3))
        at = a + b * part.second + c * part.third
        uv.append(at)
        for axis in (0, 1):  # how far it moves from one sample to the next: the quotient rule on two planes
            q, second, third = (part.fetched(found.plane[3 * j + axis]) for j in range(3))
            steps.append((a * q + b * second + c * third - at * q) / part.inverse)
    spans = [(steps[axis] * steps[axis] + steps[2 + axis] * steps[2 + axis]).sqrt() for axis in (0, 1)]
    texels = spans[0].maximum(spans[1]) * float(book.width[0])
    u, v = uv[0] - uv[0].floor(), 1.0 - uv[1]
    return sampled(book, number, u, v - v.floor(), texels)


def _from_three_sides(
    part: Surface, number: Tensor, things: Things, geometry: Geometry, found: Triangles, book: Atlas, pixel: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Along the mesh's x, y and z, mixed by the fourth power of the normal; one tile per unit of the mesh (ours)."""
    rows = rows_of(found, geometry, geometry.local)
    x, y, z = (part.between(rows[k]) for k in range(3))
    normal = normal_at(part, rows[3:6])
    weights = [n * n * n * n for n in normal]
    total = (weights[0] + weights[1] + weights[2]).clamp_min(1e-12)
    size = things.size.index_select(0, geometry.owner.index_select(0, found.face).index_select(0, part.triangle))
    texels = pixel.index_select(0, part.image) / (part.inverse * size.abs().clamp_min(1e-12)) * float(book.width[0])
    colour: list[Tensor] = []
    for weight, across, up in ((weights[0], y, z), (weights[1], x, z), (weights[2], x, y)):
        u, v = across + 0.5, 1.0 - up
        texel = sampled(book, number, u - u.floor(), v - v.floor(), texels)
        parts = [c * (weight / total) for c in texel]
        colour = [a + b for a, b in zip(colour, parts)] if colour else parts
    return colour[0], colour[1], colour[2]
