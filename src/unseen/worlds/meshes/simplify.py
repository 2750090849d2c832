"""Fewer faces: parts of millions are snapped to a grid as they are read; later, edges are collapsed by quadric error.

Quadric collapse (Garland & Heckbert 1997, as in fast-simplification) knows positions only. Colours and texture
coordinates are brought back from the nearest vertex of the same *chart* of the original, a piece without seams, so that
a seam does not smear its texture. Each piece of each material is simplified alone, so that its outline stays and no
thin piece vanishes beside a large one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unseen.vocabulary.extras import needs_extra
from unseen.worlds.meshes.parts import Part
from unseen.worlds.meshes.surface import Soup, across, components, ids_of, joined

SNAP_ABOVE = 300_000  # faces; more are snapped first, which takes one pass
SNAP_CELLS = 128  # along the longest edge of all parts: some 60,000 faces are left of a closed surface
FEWEST = 8  # faces that a piece keeps in any case


def snapped(one: Part, low: np.ndarray, size: float) -> Part:
    """All vertices of a grid cell become one, at their mean place; those of different texture stay apart."""
    if len(one.faces) <= SNAP_ABOVE:
        return one
    along = SNAP_CELLS + 2
    cell = np.clip(np.floor((one.vertices - low) * (SNAP_CELLS / size)).astype(np.int64), 0, along - 1)
    place, count = _ranked((cell[:, 0] * along + cell[:, 1]) * along + cell[:, 2], along**3)
    mean = np.stack([np.bincount(place, one.vertices[:, axis]) for axis in range(3)], 1) / count[:, None]
    group, first = place, np.empty(len(count), np.int64)
    if one.uv is not None:
        patch = np.floor(one.uv * 16).astype(np.int64)
        patch -= patch.min(0)
        wide = int(patch[:, 1].max()) + 1
        key = place * (wide * (int(patch[:, 0].max()) + 1)) + patch[:, 0] * wide + patch[:, 1]
        first, group = np.unique(key, return_index=True, return_inverse=True)[1:]
    else:
        first[place[::-1]] = np.arange(len(place))[::-1]
    faces = group[one.faces]
    at = place[first][faces]
    faces = faces[(at[:, 0] != at[:, 1]) & (at[:, 1] != at[:, 2]) & (at[:, 2] != at[:, 0])]
    turned = np.take_along_axis(faces, (faces.argmin(1)[:, None] + np.arange(3)) % 3, 1)
    faces = np.unique(turned, axis=0)
    return replace(
        one, vertices=mean[place[first]], faces=faces, colours=one.colours[first], normals=None,
        uv=None if one.uv is None else one.uv[first],
    )  # fmt: skip


def _ranked(keys: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys below ``most`` as numbers without gaps, and how often each occurs: no sorting of millions."""
    counts = np.bincount(keys, minlength=most)
    return (np.cumsum(counts > 0) - 1)[keys], counts[counts > 0]


def simplified(given: Soup, most: int) -> Soup:
    """About ``most`` faces, both sides of two-sided ones counted. Every piece that hangs together keeps a few: a spoke
    is small beside its bicycle, and without it there is a hole."""
    drawn = len(given) + int((~given.one_sided).sum())
    if drawn <= most:
        return given
    wanted = int(most * len(given) / drawn)
    pieces = _pieces(given)
    numbers = np.bincount(pieces)
    area = np.bincount(pieces, np.linalg.norm(across(given.corners), axis=1))
    targets = _targets(numbers, area / max(area.sum(), 1e-300), wanted)
    order = np.argsort(pieces, kind="stable")
    ends = np.cumsum(numbers)
    made = [_fewer(given.chosen(order[end - n : end]), int(target)) for end, n, target in zip(ends, numbers, targets)]
    return joined(*made)


def _pieces(given: Soup) -> np.ndarray:
    """A number per face: faces of one part that hang together."""
    ids = ids_of(given.corners)
    apart = ids + given.part[:, None] * (int(ids.max()) + 1)
    apart = np.unique(apart, return_inverse=True)[1].reshape(-1, 3)
    return np.unique(components(apart), return_inverse=True)[1]


def _targets(numbers: np.ndarray, share: np.ndarray, wanted: int) -> np.ndarray:
    """Faces per piece, by its faces and its area alike (their geometric mean), at least :data:`FEWEST`."""
    desire = np.sqrt(numbers * (share * numbers.sum()))
    low, high = 0.0, float(max(numbers.max() / max(desire.min(), 1e-9), 1.0))

    def given(factor: float) -> np.ndarray:
        return np.minimum(numbers, np.maximum(desire * factor, FEWEST)).astype(np.int64)

    for _ in range(60):
        factor = (low + high) / 2
        low, high = (factor, high) if given(factor).sum() <= wanted else (low, factor)
    return given(low)


def _fewer(piece: Soup, target: int) -> Soup:
    """A piece with about ``target`` faces; the file's normals are dropped, since the surface is another one."""
    if len(piece) <= max(target, 4):
        return piece
    try:
        import fast_simplification
    except ImportError:
        raise needs_extra("simplifying a mesh", "fast-simplification", "meshes") from None
    ids = ids_of(piece.corners)
    flat = piece.corners.reshape(-1, 3)
    places = np.empty((int(ids.max()) + 1, 3))
    places[ids.reshape(-1)] = flat
    low = places.min(0)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    given = ((places - low) / size).astype(np.float32), ids.astype(np.int32)
    points, faces = given
    for eagerness in (3, 7, 9):  # gently, where that is enough
        points, faces = fast_simplification.simplify(*given, target_count=target, agg=eagerness)[:2]
        if len(faces) <= 1.2 * target + 4:
            break
    if len(faces) < 2:
        return piece
    points, faces = np.asarray(points, np.float64) * size + low, np.asarray(faces, np.int64)
    face, corner = _sources(piece, points, faces, size)
    new = piece.chosen(face)
    return replace(
        new,
        corners=points[faces],
        normals=np.zeros((len(faces), 3, 3)),
        uv=piece.uv.reshape(-1, 2)[corner].reshape(-1, 3, 2),
        colours=piece.colours.reshape(-1, 3)[corner].reshape(-1, 3, 3),
    )


def _sources(piece: Soup, points: np.ndarray, faces: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """For every new face the old one nearest to it; for every new corner the old corner it takes its look from."""
    from scipy.spatial import KDTree

    charts = _charts(piece, size)
    face = KDTree(piece.corners.mean(1)).query(points[faces].mean(1))[1]
    apart = 10 * size  # the chart is a fourth coordinate: what lies in another one is far
    here = np.column_stack([piece.corners.reshape(-1, 3), np.repeat(charts, 3) * apart])
    asked = np.column_stack([points[faces.reshape(-1)], np.repeat(charts[face], 3) * apart])
    return np.asarray(face), np.asarray(KDTree(here).query(asked)[1])


def _charts(piece: Soup, size: float) -> np.ndarray:
    """A number per face; faces share it where they hang together by corners of equal place, texture and colour."""
    columns = [piece.corners / size * 1e5, piece.colours * 255, piece.uv * 1e4]
    keys = np.rint(np.concatenate(columns, axis=2).reshape(-1, 8)).astype(np.int64)
    return components(np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1, 3))
