"""Which sides of faces can be seen from outside: a car's seats behind opaque panes cannot, nor the back of its doors.

Every side is looked for from many directions, also from below: things may tumble. Sides that no view shows, nor shows
of a neighbour that looks the same way, are dropped, so that the faces a mesh may have are spent on what is looked at.
The method is ours.
"""

from __future__ import annotations

import numpy as np

from unseen.worlds.rendering.mesh import mesh, upright
from unseen.worlds.rendering.renderer import shown_faces

VIEWS = 60
SIDES = ((500, 96), (4000, 192))  # up to so many sides of faces: pixels
SIDE = 256  # for more
TOGETHER = 6  # views drawn at a time, a divisor of their number
RINGS = 2  # of neighbours that count as seen: one may hide between the pixels
FOV = 24.0  # degrees


def seen(corners: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Whether the front of each face ``[f, 3, 3]`` is seen; ``ids`` [f, 3] number the places of its corners."""
    import torch

    from unseen.worlds.rendering.bank import Bank
    from unseen.worlds.rendering.staging import staged
    from unseen.worlds.rendering.threads import side_by_side

    n = len(corners)
    shape = upright(
        mesh(corners.reshape(-1, 3), np.arange(3 * n), normals=np.tile([0.0, 0.0, 1.0], (3 * n, 1)), gloss=0.0)
    )
    shelf = Bank((shape,)).on("cpu")
    radius = float(np.linalg.norm(shape.extents)) / 2
    azimuth, elevation = _directions(VIEWS)
    found = np.zeros(n, bool)
    pixels = next((pixels for most, pixels in SIDES if n <= most), SIDE)

    def look(start: int, stop: int) -> None:
        some = slice(start, stop)
        scenes = staged(
            torch.zeros(stop - start), azimuth=torch.from_numpy(azimuth[some]),
            elevation=torch.from_numpy(elevation[some]), fov=FOV, shadow=0.0,
            distance=1.02 * radius / np.sin(np.radians(FOV / 2)), target=(0.0, 0.0, float(shape.extents[2]) / 2),
        )  # fmt: skip
        found[shown_faces(scenes, shelf, pixels).numpy() % n] = True  # every view has the faces once more

    ranges = [(start, start + TOGETHER) for start in range(0, VIEWS, TOGETHER)]
    side_by_side(look, ranges, torch.get_num_threads())
    for _ in range(RINGS):
        found = _with_neighbours(found, corners, ids)
    return found


def _directions(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Azimuths and elevations in degrees, evenly over the sphere (a Fibonacci spiral)."""
    k = np.arange(n) + 0.5
    height = 1 - 2 * k / n
    return ((k * 360 * 0.6180339887498949) % 360).astype(np.float32), np.degrees(np.arcsin(height)).astype(np.float32)


def _with_neighbours(found: np.ndarray, corners: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Sides seen, and those around them that look the same way within 75 degrees: one may hide between the pixels."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    total = np.zeros((int(ids.max()) + 1, 3))
    for axis in range(3):
        total[:, axis] = np.bincount(ids[found].T.reshape(-1), np.tile(unit[found, axis], 3), minlength=len(total))
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return found | (np.einsum("fkc,fc->fk", total[ids], unit) > 0.26).any(1)
