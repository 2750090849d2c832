"""Several pictures as one square texture.

Patches have edges of powers of two and lie on their own grid (a quadtree), so that coarser levels of the texture do not
mix them early; each has a margin of repeated texels. Texture coordinates that run over several tiles get that many
tiles drawn into their patch. Faces without a picture look at a white patch. A picture that is flat over every face (a
palette, as low-poly packs use) becomes vertex colours and needs no texture.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.worlds.meshes.surface import Soup, across

MARGIN = 2  # texels around a patch
MOST_TILES = 8  # a picture repeated more often across one face is drawn this often: ours
FLAT = 6 / 255  # how far a face's texture may leave its corners' colours and still count as flat
FLAT_SHARE = 0.995  # of the area a picture covers
_INSIDE = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
_BETWEEN = np.array(
    [[1 / 3] * 3, [0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
)


def textured(given: Soup, images: list[np.ndarray], size: int) -> tuple[Soup, np.ndarray | None]:
    """The faces with coordinates in one texture of ``size`` × ``size``, and that texture (None: none is needed)."""
    given = _flattened(given, images)
    used = [int(n) for n in np.unique(given.image[given.image >= 0])]
    if not used:
        return replace(given, uv=np.zeros_like(given.uv)), None
    plain = given.image < 0
    given = replace(given, uv=given.uv - np.floor(given.uv.min(1, keepdims=True) + 1e-6))
    if len(used) == 1 and not plain.any():
        return given, _resized(images[used[0]], size, size)
    tiles = {n: _tiles(given.uv[given.image == n]) for n in used}
    area = np.linalg.norm(across(given.corners), axis=1)
    weight = {n: float(area[given.image == n].sum()) for n in used}
    edges = _edges({n: max(images[n].shape[:2]) * max(tiles[n]) for n in used}, weight, size, bool(plain.any()))
    sheet = np.full((size, size, 3), 255, np.uint8)
    uv = given.uv.copy()
    for n, (top, left), edge in _placed(edges, size):
        if n < 0:
            uv[plain] = ((left + edge / 2) / size, 1 - (top + edge / 2) / size)
            continue
        here, inner = given.image == n, edge - 2 * MARGIN
        across_, up = tiles[n]
        patch = _resized(np.tile(images[n], (up, across_, 1)), inner, inner)
        sheet[top : top + edge, left : left + edge] = np.pad(patch, ((MARGIN,) * 2, (MARGIN,) * 2, (0, 0)), "edge")
        share = np.clip(given.uv[here] / (across_, up), 0, 1)
        x = left + MARGIN + 0.5 + share[..., 0] * (inner - 1)
        y = top + MARGIN + 0.5 + (1 - share[..., 1]) * (inner - 1)
        uv[here] = np.stack([x / size, 1 - y / size], -1)
    return replace(given, uv=uv), sheet


def sampled(image: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """The nearest texels, 0–1; u to the right, v up, wrapping."""
    height, width = image.shape[:2]
    x = np.floor((uv[..., 0] % 1) * width).astype(np.int64) % width
    y = np.floor(((1 - uv[..., 1]) % 1) * height).astype(np.int64) % height
    return image[y, x] / 255.0


def _flattened(given: Soup, images: list[np.ndarray]) -> Soup:
    colours, image = given.colours.copy(), given.image.copy()
    area = np.linalg.norm(across(given.corners), axis=1)
    for n in np.unique(image[image >= 0]):
        here = np.flatnonzero(given.image == n)
        inside = np.einsum("pk,fkc->fpc", _INSIDE, given.uv[here])
        between = np.einsum("pk,fkc->fpc", _BETWEEN, given.uv[here])
        corner = sampled(images[n], inside)
        gap = np.abs(np.einsum("pk,fkc->fpc", _BETWEEN, corner) - sampled(images[n], between)).max((1, 2))
        if area[here][gap <= FLAT].sum() >= FLAT_SHARE * area[here].sum():
            colours[here] *= corner
            image[here] = -1
    return replace(given, colours=colours, image=image)


def _tiles(uv: np.ndarray) -> tuple[int, int]:
    most = np.ceil(uv.reshape(-1, 2).max(0) - 1e-3).astype(int)
    return int(np.clip(most[0], 1, MOST_TILES)), int(np.clip(most[1], 1, MOST_TILES))


def _edges(own: dict[int, int], weight: dict[int, float], size: int, white: bool) -> dict[int, int]:
    """Edges of the patches, powers of two that fit together: large where much surface is covered."""
    small = max(size // 16, 4 * MARGIN)
    half = size // 2 if white or len(own) > 1 else size
    edges = {n: min(half, 2 ** int(np.ceil(np.log2(max(texels, small))))) for n, texels in own.items()}
    room = size * size - (small * small if white else 0)
    while sum(edge * edge for edge in edges.values()) > room:
        densest = max(
            (n for n in edges if edges[n] > small), key=lambda n: edges[n] ** 2 / max(weight[n], 1e-12), default=None
        )
        if densest is None:
            small //= 2
            if small < 2 * MARGIN + 2:
                break
            room = size * size - (small * small if white else 0)
            continue
        edges[densest] //= 2
    return {**edges, **({-1: small} if white else {})}


def _placed(edges: dict[int, int], size: int) -> list[tuple[int, tuple[int, int], int]]:
    """Squares along a Z-order curve, large ones first: they never overlap and each lies on its own grid."""
    placed, walked = [], 0
    for n, edge in sorted(edges.items(), key=lambda item: (-item[1], item[0])):
        if walked + edge * edge > size * size:  # hundreds of pictures: the last ones share the last patch
            walked = size * size - edge * edge
        top = sum(((walked >> (2 * bit + 1)) & 1) << bit for bit in range(16))
        left = sum(((walked >> (2 * bit)) & 1) << bit for bit in range(16))
        placed.append((n, (top, left), edge))
        walked += edge * edge
    return placed


def _resized(image: np.ndarray, height: int, width: int) -> np.ndarray:
    from PIL import Image

    if image.shape[:2] == (height, width):
        return np.ascontiguousarray(image)
    return np.asarray(
        Image.fromarray(image).resize(
            (width, height), Image.Resampling.BOX if min(image.shape[:2]) >= height else Image.Resampling.BILINEAR
        )
    )
