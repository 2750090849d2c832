"""A mesh's colours, paint, tint and textures multiplied into one picture, face by face, for engines that cannot.

Every face gets a square cell of its own with an edge of a power of two, about as fine as it will be seen; cells lie
along a Z-order curve, so they never overlap. Meshes without a texture keep vertex colours and need no picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unseen.worlds.rendering.mesh import Mesh

LARGEST = 4096  # texels along the picture's edge


@dataclass(frozen=True, eq=False)
class Surface:
    """``colours`` are sRGB per vertex; ``texture`` [s, s, 3] uint8 replaces them where there is one (v upwards)."""

    vertices: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    colours: np.ndarray
    gloss: np.ndarray
    uv: np.ndarray
    texture: np.ndarray | None


def linear(srgb: np.ndarray) -> np.ndarray:
    """sRGB as linear light (IEC 61966-2-1)."""
    x = np.clip(np.asarray(srgb, np.float64), 0, 1)
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def baked(one: Mesh, tint: np.ndarray, laid: np.ndarray | None, texels: float) -> Surface:
    """A mesh as it is shown: tinted where it takes paint, with its own texture, or ``laid`` over it from three sides.
    ``texels`` is how many of them a length of 1 deserves."""
    own = one.colours if laid is None else np.ones_like(one.colours)
    colours = own * (1 + one.paint[:, None] * (np.asarray(tint, np.float64) - 1))
    if laid is None and one.texture is None:
        return Surface(one.vertices, one.faces, one.normals, colours, one.gloss, one.uv, None)
    corners = one.vertices[one.faces].astype(np.float64)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(1)
    edges = _edges(longest * texels)
    places, size = _placed(edges)
    sheet = np.zeros((size, size, 3), np.uint8)
    uv = np.zeros((len(corners), 3, 2))
    for edge in np.unique(edges):
        here = np.flatnonzero(edges == edge)
        weights = _weights(int(edge))
        span = np.array([[1.5, 1.5], [edge - 1.5, 1.5], [1.5, edge - 1.5]])
        spots = places[here][:, None] + span  # x right, y down
        uv[here] = np.stack([spots[..., 0] / size, 1 - spots[..., 1] / size], -1)
        for start in range(0, len(here), 256):
            some = here[start : start + 256]
            cells = _cells(one, some, weights, colours, laid)
            for face, cell in zip(some, cells):
                x, y = places[face]
                sheet[y : y + edge, x : x + edge] = cell
    order = one.faces.reshape(-1)
    faces = np.arange(len(order)).reshape(-1, 3)
    return Surface(
        one.vertices[order], faces, one.normals[order], colours[order], one.gloss[order], uv.reshape(-1, 2), sheet
    )


def _cells(
    one: Mesh, faces: np.ndarray, weights: np.ndarray, colours: np.ndarray, laid: np.ndarray | None
) -> np.ndarray:
    """Texels ``[f, edge, edge, 3]`` of some faces."""

    def across(column: np.ndarray) -> np.ndarray:
        return np.einsum("yxk,fkc->fyxc", weights, column[one.faces[faces]].astype(np.float64))

    if laid is None:
        assert one.texture is not None
        texel = bilinear(one.texture, across(one.uv))
    else:
        texel = from_three_sides(laid, across(one.vertices), across(one.normals))
    shown = np.clip(across(colours), 0, 1) * texel
    return np.rint(np.clip(shown, 0, 1) * 255).astype(np.uint8)


def bilinear(image: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """Texels between texels, 0–1; u right, v up, wrapping."""
    height, width = image.shape[:2]
    x, y = uv[..., 0] * width - 0.5, (1 - uv[..., 1]) * height - 0.5
    left, top = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    fx, fy = (x - left)[..., None], (y - top)[..., None]
    rows, columns = (top % height, (top + 1) % height), (left % width, (left + 1) % width)
    upper = image[rows[0], columns[0]] * (1 - fx) + image[rows[0], columns[1]] * fx
    lower = image[rows[1], columns[0]] * (1 - fx) + image[rows[1], columns[1]] * fx
    return (upper * (1 - fy) + lower * fy) / 255.0


def from_three_sides(image: np.ndarray, places: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """A texture laid over a surface along x, y and z, mixed by the fourth power of the normal; one tile per unit of the
    mesh, as in :mod:`unseen.worlds.rendering.shading`."""
    weight = np.abs(normals) ** 4
    weight /= np.maximum(weight.sum(-1, keepdims=True), 1e-12)
    found = np.zeros((*places.shape[:-1], 3))
    for axis, (u, v) in enumerate(((1, 2), (0, 2), (0, 1))):
        uv = np.stack([places[..., u] + 0.5, places[..., v]], -1)
        found += weight[..., axis : axis + 1] * bilinear(image, uv)
    return found


def _weights(edge: int) -> np.ndarray:
    """Barycentric weights of a cell's texels ``[edge, edge, 3]``: corners lie one texel and a half inside."""
    along = (np.arange(edge) + 0.5 - 1.5) / max(edge - 3, 1)
    x, y = np.meshgrid(along, along)
    return np.stack([1 - x - y, x, y], -1)


def _edges(wanted: np.ndarray) -> np.ndarray:
    """Edges of the cells: powers of two from 4, coarser for all where they would not fit the largest picture."""
    while True:
        edges = (2 ** np.ceil(np.log2(np.clip(wanted + 3, 4, 512)))).astype(np.int64)
        if (edges.astype(np.float64) ** 2).sum() <= LARGEST**2 or edges.max() == 4:
            return edges
        wanted = wanted / 2


def _placed(edges: np.ndarray) -> tuple[np.ndarray, int]:
    """Upper left corners (x, y) of the cells, and the edge of the picture that holds them."""
    size = 2 ** int(np.ceil(np.log2(np.sqrt((edges.astype(np.float64) ** 2).sum()))))
    order = np.argsort(-edges, kind="stable")
    walked = np.concatenate([[0], np.cumsum(edges[order] ** 2)[:-1]])
    x = sum(((walked >> (2 * bit)) & 1) << bit for bit in range(16))
    y = sum(((walked >> (2 * bit + 1)) & 1) << bit for bit in range(16))
    places = np.empty((len(edges), 2), np.int64)
    places[order] = np.stack([x, y], -1)
    return places, size
