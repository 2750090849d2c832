"""Faces as a soup of corners: which side is out, which sides are seen, and normals that keep sharp edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from unseen.worlds.meshes.parts import Part
from unseen.worlds.meshes.seen import seen

CREASE = 40.0  # degrees between faces from which an edge is sharp, where a file has no normals
GRAINS = 100_000  # along the longest edge: corners closer than one are one
MOST_AROUND = 200  # faces around one point beyond which all of them count as smooth


@dataclass(frozen=True, eq=False)
class Soup:
    """``f`` faces with their three corners each, counter-clockwise seen from outside once :func:`oriented`."""

    corners: np.ndarray  # [f, 3, 3] float64
    normals: np.ndarray  # [f, 3, 3]; zero where the file gives none
    uv: np.ndarray  # [f, 3, 2]
    colours: np.ndarray  # [f, 3, 3]
    gloss: np.ndarray  # [f]
    image: np.ndarray  # [f] which picture, -1 none
    part: np.ndarray  # [f] which part of the file
    one_sided: np.ndarray  # [f] bool: only the front is drawn

    def __len__(self) -> int:
        return len(self.corners)

    def chosen(self, which: np.ndarray) -> Soup:
        return Soup(**{f.name: getattr(self, f.name)[which] for f in fields(self)})

    def reversed(self) -> Soup:
        """The same faces seen from behind."""
        flip = {name: getattr(self, name)[:, ::-1] for name in ("corners", "uv", "colours")}
        return replace(self, normals=-self.normals[:, ::-1], **flip)


def soup(parts: Sequence[Part], images: Sequence[int]) -> Soup:
    """All faces of all parts; ``images`` numbers each part's picture."""

    def column(part: Part, values: np.ndarray | None, width: int) -> np.ndarray:
        return np.zeros((len(part.faces), 3, width)) if values is None else np.asarray(values, np.float64)[part.faces]

    def each(values: Sequence[float]) -> np.ndarray:
        return np.concatenate([np.full(len(p.faces), value) for p, value in zip(parts, values)])

    return Soup(
        corners=np.concatenate([p.vertices[p.faces] for p in parts]),
        normals=np.concatenate([column(p, p.normals, 3) for p in parts]),
        uv=np.concatenate([column(p, p.uv, 2) for p in parts]),
        colours=np.concatenate([column(p, p.colours, 3) for p in parts]),
        gloss=each([p.gloss for p in parts]),
        image=each(images).astype(np.int64),
        part=each(range(len(parts))).astype(np.int64),
        one_sided=each([p.one_sided for p in parts]).astype(bool),
    )


def ids_of(corners: np.ndarray) -> np.ndarray:
    """One number per place, ``[f, 3]``: corners closer than a hundred-thousandth of the whole are one."""
    flat = corners.reshape(-1, 3)
    low = flat.min(0)
    size = float((flat.max(0) - low).max()) or 1.0
    key = np.rint((flat - low) * (GRAINS / size)).astype(np.int64)
    return np.unique(packed(key, GRAINS + 1), return_inverse=True)[1].reshape(-1, 3)


def packed(rows: np.ndarray, beyond: int) -> np.ndarray:
    """Rows of whole numbers from 0 below ``beyond`` as one number each, in the same order: sorting them is several
    times as fast. They must fit: ``beyond`` to the power of the columns, below 2**63."""
    assert beyond ** rows.shape[1] < 2**63
    one = rows[:, 0].copy()
    for column in rows.T[1:]:
        one = one * beyond + column
    return one


def without_degenerate(given: Soup) -> tuple[Soup, int]:
    """Faces that have an area, and how many had none."""
    ids = ids_of(given.corners)
    good = (ids[:, 0] != ids[:, 1]) & (ids[:, 1] != ids[:, 2]) & (ids[:, 2] != ids[:, 0])
    size = float(np.ptp(given.corners.reshape(-1, 3), axis=0).max()) if len(given) else 0.0
    good &= np.linalg.norm(across(given.corners), axis=1) > 1e-12 * size**2
    return given.chosen(good), int((~good).sum())


def across(corners: np.ndarray) -> np.ndarray:
    """Face normals times twice the area."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def oriented(given: Soup) -> Soup:
    """Faces that look outwards; ``one_sided`` where that is certain.

    A file's own normals say which way a face looks. A shell that is closed and wound consistently is turned outwards by
    its signed volume. glTF says itself which materials are one-sided. Everything else has two sides, so that nothing
    vanishes.
    """
    against = (given.normals * across(given.corners)[:, None]).sum(-1)
    wrong = ~given.one_sided & (against < 0).all(1)
    given = _flipped(given, wrong, keep_normals=True)
    ids = ids_of(given.corners)
    shell = components(ids)
    closed = _closed(ids, shell)
    middle = given.corners.reshape(-1, 3).mean(0)
    volume = np.bincount(shell, (across(given.corners) * (given.corners[:, 0] - middle)).sum(1))
    given = _flipped(given, closed[shell] & (volume[shell] < 0) & ~given.one_sided, keep_normals=False)
    return _single(replace(given, one_sided=given.one_sided | closed[shell]))


def outside(given: Soup) -> Soup:
    """What can be seen from outside: faces that nobody sees are dropped, and of two sides the one that nobody sees."""
    two = np.flatnonzero(~given.one_sided)
    both = joined(given, given.chosen(two).reversed())
    visible = seen(both.corners, ids_of(both.corners))
    front, back = visible[: len(given)], np.zeros(len(given), bool)
    back[two] = visible[len(given) :]
    if not (front | back).any():  # a mesh smaller than its pixels: keep it all
        return given
    turned = _flipped(given, back & ~front, keep_normals=False)
    return replace(turned, one_sided=~(front & back)).chosen(front | back)


def two_sided(given: Soup) -> Soup:
    """The backs of faces that have two sides, as faces of their own."""
    return joined(given, given.chosen(~given.one_sided).reversed())


def joined(*soups: Soup) -> Soup:
    return Soup(**{f.name: np.concatenate([getattr(one, f.name) for one in soups]) for f in fields(Soup)})


def smooth(given: Soup, crease: float = CREASE) -> Soup:
    """Normals where the file gives none: around a point, faces within ``crease`` degrees are one surface."""
    lacking = (np.abs(given.normals).sum(-1) == 0).any(1)
    if not lacking.any():
        return given
    weighted = across(given.corners)
    unit = weighted / np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), 1e-300)
    ids = ids_of(given.corners).reshape(-1)
    order = np.argsort(ids, kind="stable")
    start = np.searchsorted(ids[order], np.arange(ids.max() + 2))
    count = np.diff(start)[ids]  # corners at this corner's place
    face = np.arange(len(ids)) // 3
    limit = np.cos(np.radians(crease))
    found = np.zeros((len(ids), 3))
    crowded = count > MOST_AROUND
    sums = np.stack([np.bincount(ids, weighted[face, axis]) for axis in range(3)], 1)
    found[crowded] = sums[ids[crowded]]
    rest = np.flatnonzero(~crowded)
    mine = np.repeat(rest, count[rest])
    step = np.arange(len(mine)) - np.repeat(np.cumsum(count[rest]) - count[rest], count[rest])
    other = order[start[ids[mine]] + step]
    near = (unit[face[mine]] * unit[face[other]]).sum(1) >= limit - 1e-9
    for axis in range(3):
        found[:, axis] += np.bincount(mine[near], weighted[face[other[near]], axis], minlength=len(ids))
    length = np.linalg.norm(found, axis=1, keepdims=True)
    normals = np.where(length > 1e-300, found / np.maximum(length, 1e-300), unit[face]).reshape(-1, 3, 3)
    return replace(given, normals=np.where(lacking[:, None, None], normals, given.normals))


def _flipped(given: Soup, which: np.ndarray, *, keep_normals: bool) -> Soup:
    if not which.any():
        return given
    back = given.reversed()
    normals = given.normals[:, ::-1] if keep_normals else back.normals
    new = {
        name: np.where(which[:, None, None], getattr(back, name), getattr(given, name))
        for name in ("corners", "uv", "colours")
    }
    return replace(given, normals=np.where(which[:, None, None], normals, given.normals), **new)


def components(ids: np.ndarray) -> np.ndarray:
    """A number per face: the connected shell it belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = int(ids.max()) + 1
    rows, cols = np.concatenate([ids[:, 0], ids[:, 1]]), np.concatenate([ids[:, 1], ids[:, 2]])
    return connected_components(coo_array((np.ones(len(rows), np.int8), (rows, cols)), shape=(n, n)), directed=False)[
        1
    ][ids[:, 0]]


def _closed(ids: np.ndarray, shell: np.ndarray) -> np.ndarray:
    """Per shell: whether every edge is walked exactly once in each direction."""
    a, b = ids.reshape(-1), np.roll(ids, -1, axis=1).reshape(-1)
    n = int(ids.max()) + 1
    edges, place, walked = np.unique(a * n + b, return_inverse=True, return_counts=True)
    partner = np.searchsorted(edges, b * n + a)
    there = edges[np.minimum(partner, len(edges) - 1)] == b * n + a
    good = there & (walked[place] == 1)
    return np.bincount(np.repeat(shell, 3), ~good, minlength=int(shell.max()) + 1) == 0


def _single(given: Soup) -> Soup:
    """Of faces at the same place, the first; where both ways are drawn as faces of their own, it has two sides."""
    ids = ids_of(given.corners)
    turned = np.take_along_axis(ids, (ids.argmin(1)[:, None] + np.arange(3)) % 3, 1)
    once = np.sort(np.unique(turned, axis=0, return_index=True)[1])
    given, turned = given.chosen(once), turned[once]
    _, first, place, count = np.unique(
        np.sort(turned, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    opposed = (count > 1)[place.reshape(-1)]
    return replace(given, one_sided=given.one_sided & ~opposed).chosen(np.sort(first))
