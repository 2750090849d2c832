"""Viewpoints made from one picture: put in a cell, resized, turned.

Everything is integer arithmetic: an output pixel is a fixed sum of few input pixels with fixed-point weights, gathered
elementwise. Sums of integers are exact in any order, so an image is the same to the bit in every batch and on every
device. (``interpolate`` and ``grid_sample`` in floating point promise neither.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.plain_numbers import is_whole

if TYPE_CHECKING:
    import torch

GRID = 3  # MNIST-Position: 3×3 cells (Madan et al. 2022)
SCALES = 9
ANGLES = tuple(range(0, 360, 36))
RESIZE_BITS = 11  # two passes: 8 + 11 + 11 bits stay inside int32
ROTATE_BITS = 16
LARGEST = 4096  # pixels of a canvas: a batch of such images takes gigabytes


@dataclass(frozen=True)
class Placing:
    """What one level does: a picture resized to ``size`` (None: as it is), turned by ``angle``, put at ``corner``."""

    corner: tuple[int, int] = (0, 0)
    size: int | None = None
    angle: int | float | None = None


@dataclass(frozen=True)
class Viewpoint:
    """A factor whose levels are computed from a picture, on a square canvas; ``factor`` None: the picture itself."""

    factor: Factor | None
    cell: int  # the edge of the picture itself
    canvas: int
    placings: tuple[Placing, ...]
    ours: str = ""  # the choices that no source states


def none(cell: int, canvas: int | None = None) -> Viewpoint:
    """No viewpoint: the picture, in the middle of the canvas (by default of its own size)."""
    edge = _at_least(cell, canvas, cell)
    return Viewpoint(None, cell, edge, (Placing(_centred(cell, edge)),))


def position(cell: int, canvas: int | None = None) -> Viewpoint:
    """3×3 cells, each as large as the picture; zero elsewhere (Madan et al. 2022: digits of 28 on a canvas of 84).

    >>> position(28).canvas, position(28).placings[5].corner
    (84, (28, 56))
    """
    edge = _at_least(GRID * cell, canvas, GRID * cell)
    margin = (edge - GRID * cell) // 2
    grid = [(row, column) for row in range(GRID) for column in range(GRID)]
    words = [f"{high} {side}" for high in ("top", "middle", "bottom") for side in ("left", "centre", "right")]
    factor = Factor("position", tuple(range(len(grid))), canonical=4, texts=tuple(words), coordinates=tuple(grid))
    corners = [(margin + row * cell, margin + column * cell) for row, column in grid]
    return Viewpoint(factor, cell, edge, tuple(Placing(corner) for corner in corners))


def scale(cell: int, canvas: int | None = None, sizes: Sequence[int] | None = None) -> Viewpoint:
    """Nine sizes, zero padding around (Madan et al. 2022). The paper does not give the sizes; these are ours.

    They grow by a constant ratio, from a seventh of the canvas (at least 6 pixels, where a digit can still be read) to
    the whole of it. Distance between two levels is the logarithm to base 2 of their ratio.

    >>> scale(28).factor.levels
    (12, 15, 20, 25, 32, 40, 52, 66, 84)
    """
    edge = _at_least(1, canvas, GRID * cell)
    chosen = sizes
    if chosen is None:
        smallest = max(6.0, edge / 7)
        chosen = [round(smallest * (edge / smallest) ** (step / (SCALES - 1))) for step in range(SCALES)]
    chosen = tuple(_whole("sizes", size) for size in chosen)
    if not chosen or any(not 1 <= size <= edge for size in chosen) or list(chosen) != sorted(set(chosen)):
        raise UnseenError(
            f"sizes {listed(chosen)} must grow and lie between 1 and the canvas of {edge} pixels; "
            "give other `sizes`, or a larger `canvas`."
        )
    factor = Factor(
        "scale",
        chosen,
        kind="ordinal",
        canonical=min(range(len(chosen)), key=lambda level: abs(chosen[level] - cell)),
        texts=tuple(f"{size} pixels wide" for size in chosen),
        coordinates=tuple((math.log2(size),) for size in chosen),
    )
    placings = tuple(Placing(_centred(size, edge), size=size) for size in chosen)
    return Viewpoint(factor, cell, edge, placings, f"sizes {listed(chosen)} pixels on a canvas of {edge}")


def rotation(cell: int, canvas: int | None = None, angles: Sequence[int | float] | None = None) -> Viewpoint:
    """Ten angles, anti-clockwise, zero padding (MNIST-Rotation is a 10×10 grid in the released lists).

    Angles and canvas are ours: a full turn in equal steps, on the smallest canvas that cuts nothing off at any angle
    (28 → 40), since what is cut off would tell the angle. ``canvas=28`` gives the tight frame. A 0 looks the same
    upside down and a 6 becomes a 9: neither task can be answered perfectly in this world.
    """
    edge = _at_least(1, canvas, math.ceil(cell * math.sqrt(2)) + (math.ceil(cell * math.sqrt(2)) - cell) % 2)
    chosen = tuple(_number("angles", angle) for angle in (ANGLES if angles is None else angles))
    if len({angle % 360 for angle in chosen}) != len(chosen):
        raise UnseenError(f"angles {listed(chosen)} name one orientation twice; 0 and 360 degrees are the same.")
    factor = Factor(
        "rotation",
        chosen,
        kind="circular",
        canonical=chosen.index(0) if 0 in chosen else None,
        texts=tuple(f"{angle:g} degrees" for angle in chosen),
        period=360,
    )
    placings = tuple(Placing(angle=angle) for angle in chosen)
    return Viewpoint(factor, cell, edge, placings, f"angles {listed(chosen)} degrees on a canvas of {edge}")


VIEWPOINTS = {"position": position, "scale": scale, "rotation": rotation, "none": none}


def draw(pictures: torch.Tensor, placing: Placing, canvas: int) -> torch.Tensor:
    """Pictures ``[n, h, w]`` uint8 as one level shows them, to be put at ``placing.corner`` of the canvas."""
    if placing.angle is not None:
        return rotated(pictures, placing.angle, canvas)
    return pictures if placing.size is None else resized(pictures, placing.size)


def resized(pictures: torch.Tensor, size: int) -> torch.Tensor:
    """Pictures ``[n, h, w]`` uint8 at ``[n, size, size]``: bilinear, with antialiasing where they shrink.

    The triangle filter of PIL and of ``interpolate(antialias=True)``, rounded once at the end.
    """
    if pictures.shape[1:] == (size, size):
        return pictures
    values = _pixels_first(pictures)
    for axis in (0, 1):
        values = _weighed(values, *resize_taps(values.shape[axis], size), axis=axis)
    return _rounded(values, 2 * RESIZE_BITS).permute(2, 0, 1)


def rotated(pictures: torch.Tensor, angle: int | float, canvas: int) -> torch.Tensor:
    """Pictures ``[n, h, w]`` uint8 turned anti-clockwise about their centre, ``[n, canvas, canvas]``; bilinear."""
    values = _weighed(_pixels_first(pictures).flatten(0, 1), *rotate_taps(pictures.shape[1], angle, canvas))
    return _rounded(values, ROTATE_BITS).view(canvas, canvas, -1).permute(2, 0, 1)


def _pixels_first(pictures: torch.Tensor) -> torch.Tensor:
    """``[n, h, w]`` as int32 ``[h, w, n]``: a gather then copies whole lines (thirty times faster on a CPU)."""
    import torch

    return pictures.permute(1, 2, 0).to(torch.int32, memory_format=torch.contiguous_format)


def _weighed(values: torch.Tensor, places: np.ndarray, weights: np.ndarray, *, axis: int = 0) -> torch.Tensor:
    """Sum over taps of ``weights[tap, out] * values[places[tap, out]]``, along one axis."""
    import torch

    at = torch.from_numpy(places).to(values.device)
    by = torch.from_numpy(weights).to(values.device).view(*weights.shape, *(1,) * (values.ndim - 1 - axis))
    total = values.index_select(axis, at[0]).mul_(by[0])
    for tap in range(1, len(at)):
        total.add_(values.index_select(axis, at[tap]).mul_(by[tap]))
    return total


def _rounded(values: torch.Tensor, bits: int) -> torch.Tensor:
    """Fixed-point numbers with so many binary places as the nearest grey level, a half upwards."""
    import torch

    return values.add_(1 << (bits - 1)).bitwise_right_shift_(bits).clamp_(0, 255).to(torch.uint8)


@lru_cache(maxsize=64)
def resize_taps(source: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which input pixels make each output pixel along one axis, and their integer weights: two ``[taps, size]``."""
    ratio = source / size
    reach = max(ratio, 1.0)
    centres = (np.arange(size) + 0.5) * ratio
    first = np.maximum((centres - reach + 0.5).astype(np.int64), 0)
    places = first + np.arange(math.ceil(2 * reach) + 1)[:, None]
    weights = np.maximum(1 - np.abs((places + 0.5 - centres) / reach), 0) * (places < source)
    weights /= weights.sum(axis=0)
    fixed = np.rint(weights * (1 << RESIZE_BITS)).astype(np.int32)
    largest = fixed.argmax(axis=0)
    fixed[largest, np.arange(size)] += (1 << RESIZE_BITS) - fixed.sum(axis=0, dtype=np.int32)  # white stays white
    used = fixed.any(axis=1)
    return np.minimum(places, source - 1)[used], fixed[used]


@lru_cache(maxsize=64)
def rotate_taps(source: int, angle: int | float, canvas: int) -> tuple[np.ndarray, np.ndarray]:
    """The four input pixels around each output pixel's origin, and their integer weights: two ``[4, canvas²]``."""
    turn = math.radians(angle % 360)
    away = np.arange(canvas) - (canvas - 1) / 2
    down, right = np.meshgrid(away, away, indexing="ij")
    # Image rows grow downwards: an anti-clockwise turn on the screen reads the source at the clockwise place.
    y = (math.cos(turn) * down + math.sin(turn) * right + (source - 1) / 2).ravel()
    x = (math.cos(turn) * right - math.sin(turn) * down + (source - 1) / 2).ravel()
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    places, weights = [], []
    for row, share_y in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, share_x in ((left, 1 - (x - left)), (left + 1, x - left)):
            inside = (row >= 0) & (row < source) & (column >= 0) & (column < source)
            places.append(np.where(inside, row * source + column, 0))
            weights.append(np.where(inside, np.rint(share_y * share_x * (1 << ROTATE_BITS)), 0).astype(np.int32))
    return np.stack(places), np.stack(weights)


def _centred(size: int, edge: int) -> tuple[int, int]:
    return (edge - size) // 2, (edge - size) // 2


def _at_least(smallest: int, canvas: int | None, default: int) -> int:
    edge = default if canvas is None else _whole("canvas", canvas)
    if edge < smallest:
        raise UnseenError(f"a canvas of {edge} pixels is too small; this viewpoint needs at least {smallest}.")
    if edge > LARGEST:
        raise UnseenError(
            f"a canvas of {edge:,} pixels is too large: a batch of such images fits in no memory; {LARGEST:,} at most, "
            "and a few hundred are usual."
        )
    return edge


def _whole(what: str, given: object) -> int:
    if not is_whole(given):
        raise UnseenError(f"`{what}` takes whole numbers of pixels; {given!r} was given.")
    return int(given)


def _number(what: str, given: object) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise UnseenError(f"`{what}` takes numbers of degrees; {given!r} was given.")
    return int(given) if given == int(given) else given
