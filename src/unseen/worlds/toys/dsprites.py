"""dSprites (Matthey et al. 2017): a square, an ellipse or a heart, scaled, turned and moved, white on black.

What the release says: images of 64×64, 0 or 1 in uint8, one latent varied at a time with position y fastest, generated
with the LÖVE framework, without noise; latents as below, so that the first and the last orientation (0 and 2π) are the
same angle. It does not say how large the sprites are, how they are drawn or turned, or where positions 0 and 1 lie.

Ours, for the re-render: sprites move by 1/64 of the frame per level (the README wants "the smallest step changes while
ensuring that all pixel outputs were different"), to 15.5 steps on either side of the middle; they turn clockwise about
their centroid; y runs downwards; the heart is (x² + y² − 1)³ = x²y³, the ellipse 1.6 times as long as wide. A pixel is
white where its centre lies inside. Areas follow two published statistics of the official file: the mean pixel is
0.042494, and the mean over images of their own standard deviation is 0.195166 (constants in the public code of Michlo's
disent). The first gives the mean area, the second the spread between shapes, ±24 %; which shape has which area is ours.
Centres lie 0.175 pixels off those of pixels: on them, a small square would look the same at many angles; so, all 39
angles of every shape and scale give different pictures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float64

from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.world import World
from unseen.worlds.on_devices import GreyPictures
from unseen.worlds.toys.grid import check_side, fingerprint, levels_on, whole
from unseen.worlds.toys.official import official

if TYPE_CHECKING:
    import torch

VERSION = 1  # raise it when any image of the re-render changes

POSITIONS = tuple(round(k / 31, 4) for k in range(32))
SPACE = FactorSpace(
    (
        Factor("shape", ("square", "ellipse", "heart"), kind="category"),
        Factor("scale", (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), kind="ordinal", canonical=5),
        Factor(
            "orientation",
            tuple(round(2 * math.pi * k / 39, 4) for k in range(40)),
            kind="circular",
            coordinates=tuple((2 * math.pi * k / 39,) for k in range(40)),
            period=2 * math.pi,
            canonical=0,
        ),
        Factor("position_x", POSITIONS, kind="ordinal"),
        Factor("position_y", POSITIONS, kind="ordinal"),
    )
)
FILE = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz"
CITATION = "Matthey, Higgins, Hassabis & Lerchner 2017, dSprites: Disentanglement testing Sprites dataset"

MEAN_AREA = 0.042494423521889584 * 64**2 / (3.55 / 6)  # at scale 1, in pixels of 64; 3.55/6 is the mean squared scale
AREAS = {"square": 1.01 * MEAN_AREA, "ellipse": 0.758 * MEAN_AREA, "heart": 1.242 * MEAN_AREA}
HEART_AREA, HEART_MIDDLE = 3.66198, 0.29348  # of the curve above: its area, and its centroid's height
OFF = 0.175  # how far a sprite's centre lies up and left of a pixel's, in pixels of 64
REACH = 13.5  # no sprite reaches further from its centre, in pixels of 64


def dsprites(root: str | Path | None = None, *, side: int = 64) -> World:
    """shape × scale × orientation × position x × position y: 737,280 pictures, 0 or 255, one channel.

    Factors in the official order (color, which has one level, is left out), the last fastest: row ``i`` is image ``i``
    of the official array. Without ``root`` the pictures are drawn anew, ``side`` pixels wide (a multiple of 16);
    ``root`` is the official ``.npz``, or the folder it lies in.

    >>> world = dsprites()
    >>> world.samples.space.shape, len(world.samples), world.images(np.array([0, 737279])).shape
    ((3, 6, 40, 32, 32), 737280, torch.Size([2, 1, 64, 64]))
    """
    check_side(side, root, step=16)
    if root is not None:
        where = ("dsprites", root, (FILE,), "imgs", SPACE, (64, 64))
        return official(*where, citation=CITATION, licence="zlib/libpng", binary=True)
    return Sprites(
        samples=whole(SPACE),
        side=side,
        fingerprint=fingerprint(world="dsprites", version=VERSION, side=side),
        provenance={
            "source": "dSprites' grid of factors; the pictures are a re-render, ours; named so",
            "citation": CITATION,
            "ours": "sizes, the curve of the heart, centre and sense of rotation, range of positions: see "
            "unseen.worlds.toys.dsprites",
        },
    )


@dataclass(frozen=True, eq=False, repr=False)
class Sprites(GreyPictures):
    """Re-rendered sprites. The 720 of them are drawn once, each on a canvas larger than the frame by the way they move;
    an image is a window of that canvas. So images are copied, never computed: the same bits in any batch and on any
    device."""

    samples: Samples
    side: int
    fingerprint: str
    provenance: Mapping[str, str]
    name: str = "dsprites"

    @property
    def size(self) -> tuple[int, int]:
        return self.side, self.side

    def images(self, rows: np.ndarray, device: str = "cpu", draw: int = 0) -> torch.Tensor:
        """Pictures of rows ``[n, 1, side, side]`` uint8; they hold no chance, so every ``draw`` shows the same."""
        at = levels_on(self.samples, rows, device)
        canvases = self._on(device)
        sprite = (at["shape"] * 6 + at["scale"]) * 40 + at["orientation"]
        step = Fraction(self.side, 64)
        (x, right), (y, down) = (
            (at[name] * step.numerator // step.denominator, at[name] * step.numerator % step.denominator)
            for name in ("position_x", "position_y")
        )
        windows = canvases.unfold(3, self.side, 1).unfold(4, self.side, 1)
        most = windows.shape[3] - 1
        return windows[sprite, down, right, most - y, most - x][:, None]

    def _on(self, device: str) -> torch.Tensor:
        import torch

        return self._held.get(device, lambda: torch.from_numpy(canvases(self.side)).to(device))


def canvases(side: int) -> np.ndarray:
    """All sprites, each in the middle of black: ``[sprites, phases, phases, edge, edge]`` uint8.

    Where a step is not a whole number of pixels (``side`` not a multiple of 64), a sprite is drawn once per fraction of
    a pixel at which a position can lie: the phases, down and across.
    """
    step = Fraction(side, 64)
    phases, travel = step.denominator, math.floor(31 * step)
    edge = side + travel
    middle = (16.5 - OFF) * float(step) + travel  # of the first phase; the frame's is 15.5 steps further
    first = max(math.floor(middle - REACH * float(step)), 0)
    last = min(math.ceil(middle + 1 + REACH * float(step)), edge)
    shift = np.arange(phases) / phases
    along = (np.arange(first, last) + 0.5 - middle - shift[:, None]) / float(step)  # [phases, pixels], in pixels of 64
    drawn = np.zeros((len(AREAS) * 240, phases, phases, edge, edge), np.uint8)
    for number, (shape, scale, turn) in enumerate(
        (shape, scale, turn)
        for shape in AREAS
        for scale in SPACE["scale"].levels
        for (turn,) in SPACE["orientation"].coordinates
    ):
        x, y = along[None, :, None, :] / float(scale), along[:, None, :, None] / float(scale)
        c, s = math.cos(turn), math.sin(turn)
        drawn[number, :, :, first:last, first:last] = inside(shape, c * x + s * y, c * y - s * x) * np.uint8(255)
    return drawn


def inside(shape: str, x: Float64[np.ndarray, "..."], y: Float64[np.ndarray, "..."]) -> Bool[np.ndarray, "..."]:
    """Whether points lie in the sprite of scale 1 around the origin, x rightwards and y downwards."""
    area = AREAS[shape]
    if shape == "square":
        return np.maximum(np.abs(x), np.abs(y)) <= math.sqrt(area) / 2
    if shape == "ellipse":
        return (x / 1.6) ** 2 + y**2 <= area / (1.6 * math.pi)
    unit = math.sqrt(area / HEART_AREA)
    across, up = x / unit, HEART_MIDDLE - y / unit
    return (across**2 + up**2 - 1) ** 3 <= across**2 * up**3
