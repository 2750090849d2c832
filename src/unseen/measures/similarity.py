"""How alike two maps are: rank correlation with and without sign, SSIM, and histograms of oriented gradients.

Adebayo et al. 2018 compare a map of a trained network with that of a randomised one by these four. Each sees something
else: ranks with sign where evidence is for and against, ranks without sign where anything is, SSIM the texture nearby,
HOG the edges. Maps are ``[n, h, w]``; each measure gives ``[n]``, NaN where a map is constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
from jaxtyping import Float

from unseen.measures.ranks import spearman, summed
from unseen.measures.statistics import NAN, Interval, mean_interval
from unseen.measures.verdicts import FEWEST
from unseen.vocabulary.cores import cores
from unseen.vocabulary.errors import UnseenError

LARGE = 100_000  # pixels of all maps, from which threads pay (ours)
ALIKE = 0.5  # ours: the rank correlation without sign above which two maps say the same

DOES_NOT = "does not depend on the weights"
DOES = "depends on the weights"
OPEN = "open: too few images, or too near the line"


@dataclass(frozen=True, eq=False)
class MapSimilarity:
    """Of n pairs of maps, ``[n]`` each."""

    spearman: Float[np.ndarray, " n"]
    spearman_absolute: Float[np.ndarray, " n"]
    ssim: Float[np.ndarray, " n"]
    hog: Float[np.ndarray, " n"]


def map_similarity(maps: Float[np.ndarray, "n h w"], others: Float[np.ndarray, "..."]) -> MapSimilarity:
    """All four. SSIM and HOG compare absolute maps, each scaled to [0, 1]. Many large maps go over all cores."""
    _check(maps, others)
    if maps.size < LARGE or len(maps) < 2:
        return _similar(maps, others)
    with ThreadPoolExecutor(min(len(maps), cores())) as pool:
        parts = list(pool.map(_similar, np.split(maps, len(maps)), np.split(others, len(maps))))
    return MapSimilarity(
        *(np.concatenate([getattr(one, each.name) for one in parts]) for each in fields(MapSimilarity))
    )


def _similar(maps: Float[np.ndarray, "n h w"], others: Float[np.ndarray, "..."]) -> MapSimilarity:
    a, b = scaled_to_one(abs(maps)), scaled_to_one(abs(others))
    return MapSimilarity(
        map_spearman(maps, others), map_spearman(maps, others, absolute=True), ssim(a, b), hog_similarity(a, b)
    )


def map_spearman(
    maps: Float[np.ndarray, "n h w"], others: Float[np.ndarray, "..."], *, absolute: bool = False
) -> Float[np.ndarray, " n"]:
    """Spearman's correlation between the pixels of two maps, with their signs or of absolute values."""
    _check(maps, others)
    if absolute:
        maps, others = abs(maps), abs(others)
    return np.array([_pixels(a, b) for a, b in zip(maps, others)], dtype=np.float64)


def _pixels(a: Float[np.ndarray, "h w"], b: Float[np.ndarray, "h w"]) -> float:
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return NAN
    return spearman(a.reshape(-1).astype(np.float64), b.reshape(-1).astype(np.float64))


def scaled_to_one(maps: Float[np.ndarray, "n h w"]) -> Float[np.ndarray, "n h w"]:
    """Each map from 0 to 1; a constant one is zero."""
    low, high = maps.min((1, 2), keepdims=True), maps.max((1, 2), keepdims=True)
    return np.where(high > low, (maps - low) / np.where(high > low, high - low, 1), 0).astype(np.float64)


def ssim(
    maps: Float[np.ndarray, "n h w"], others: Float[np.ndarray, "..."], *, window: int = 7
) -> Float[np.ndarray, " n"]:
    """Structural similarity of maps between 0 and 1 (Wang et al. 2004), its mean over places where the whole ``window``
    fits; scikit-image's default (a uniform window of 7, sample covariance). Two constant maps are NaN."""
    from scipy.ndimage import uniform_filter

    _check(maps, others)
    if window % 2 == 0 or window < 3 or window > min(maps.shape[1:]):
        raise UnseenError(
            f"SSIM needs an odd window from 3 to the map's side; given {window} for maps of "
            f"{maps.shape[1]}×{maps.shape[2]}."
        )
    a, b = maps.astype(np.float64), others.astype(np.float64)
    count, edge = window**2, window // 2

    def mean(values: np.ndarray) -> np.ndarray:
        found = uniform_filter(values, size=window, axes=(1, 2))
        return found[:, edge:-edge, edge:-edge]

    sample = count / (count - 1)
    mean_a, mean_b = mean(a), mean(b)
    var_a, var_b = sample * (mean(a * a) - mean_a**2), sample * (mean(b * b) - mean_b**2)
    both = sample * (mean(a * b) - mean_a * mean_b)
    c1, c2 = 0.01**2, 0.03**2
    found = (2 * mean_a * mean_b + c1) * (2 * both + c2)
    found /= (mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2)
    empty = (np.ptp(a, axis=(1, 2)) == 0) & (np.ptp(b, axis=(1, 2)) == 0)
    return np.where(empty, NAN, found.mean((1, 2)))


def hog(
    image: Float[np.ndarray, "h w"], *, cell: int = 16, orientations: int = 9, block: int = 3
) -> Float[np.ndarray, " features"]:
    """Histograms of oriented gradients (Dalal & Triggs 2005), as scikit-image computes them: no interpolation between
    bins, blocks of ``block``×``block`` cells, L2-Hys."""
    rows, columns = image.shape[0] // cell, image.shape[1] // cell
    if min(rows, columns) < block:
        raise UnseenError(
            f"a map of {image.shape[0]}×{image.shape[1]} has too few cells of {cell} for {block}×{block}."
        )
    image = image.astype(np.float64)
    down, right = np.zeros_like(image), np.zeros_like(image)
    down[1:-1], right[:, 1:-1] = image[2:] - image[:-2], image[:, 2:] - image[:, :-2]
    size, angle = np.hypot(right, down), np.rad2deg(np.arctan2(down, right)) % 180
    bins = np.minimum((angle / (180 / orientations)).astype(int), orientations - 1)
    shape = (rows, cell, columns, cell)
    cut = (slice(rows * cell), slice(columns * cell))
    cells = np.stack(
        [np.where(bins == k, size, 0)[cut].reshape(shape).sum((1, 3)) / cell**2 for k in range(orientations)], axis=-1
    )
    blocks = np.lib.stride_tricks.sliding_window_view(cells, (block, block), axis=(0, 1)).transpose(0, 1, 3, 4, 2)
    for _ in range(2):
        length = np.sqrt((blocks**2).sum((2, 3, 4), keepdims=True) + 1e-10)
        blocks = np.minimum(blocks / length, 0.2) if _ == 0 else blocks / length
    return blocks.reshape(-1)


def hog_similarity(
    maps: Float[np.ndarray, "n h w"], others: Float[np.ndarray, "..."], *, cell: int | None = None
) -> Float[np.ndarray, " n"]:
    """Pearson's correlation of two maps' histograms of gradients. Cells of 16 pixels, smaller where three would not fit
    (ours)."""
    _check(maps, others)
    cell = max(1, min(16, min(maps.shape[1:]) // 3)) if cell is None else cell

    def pearson(a: np.ndarray, b: np.ndarray) -> float:
        x, y = (one - one.mean() for one in (hog(a, cell=cell), hog(b, cell=cell)))
        size = float(np.sqrt(summed(x, x) * summed(y, y)))
        return summed(x, y) / size if size > 1e-12 else NAN

    return np.array([pearson(a, b) for a, b in zip(maps, others)], dtype=np.float64)


def agreement(
    maps: Mapping[str, Float[np.ndarray, "n h w"]], *, absolute: bool = True
) -> Mapping[str, dict[str, float]]:
    """How alike methods are on the same images: the mean over images of the rank correlation of their maps."""
    table: dict[str, dict[str, float]] = {name: {name: 1.0} for name in maps}
    for a, b in combinations(maps, 2):
        found = map_spearman(maps[a], maps[b], absolute=absolute)
        left = found[np.isfinite(found)]
        table[a][b] = table[b][a] = float(left.mean()) if len(left) else NAN
    return table


@dataclass(frozen=True)
class Dependence:
    """Whether maps depend on a network's weights, in words, with the number that says so."""

    words: str
    alike: Interval
    rule: str


def judge_dependence(alike: Float[np.ndarray, "steps images"], level: float = 0.95) -> Dependence:
    """The verdict under a map, from its rank correlation without sign to the maps of the network under each step of a
    cascading randomisation (from the scores down).

    For each image the mean over the upper half of the steps; over images its mean and interval (ours). Above 0.5 in all
    of the interval the map "does not depend on the weights": one that stays while the layers that tell classes apart
    are drawn anew is a picture of the image, not of what was learned. Below it in all of the interval it does. Between,
    or with fewer than two images, it is open. The lower half is left out because random first layers change every map
    that has anything to do with a network. Adebayo et al. 2018 show curves and state no line.

    >>> judge_dependence(np.full((3, 4), 0.9) + np.arange(4) / 100).words
    'does not depend on the weights'
    """
    upper = alike[: (len(alike) + 1) // 2]
    each = np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else NAN for row in upper.T])
    found = mean_interval(each, level)
    rule = (
        f"rank correlation without sign, mean over the upper half of a cascading randomisation, {level:.0%} interval "
        f"over images, all above or all below {ALIKE}"
    )
    words = OPEN
    if found.n >= FEWEST and found.low > ALIKE:
        words = DOES_NOT
    elif found.n >= FEWEST and found.high < ALIKE:
        words = DOES
    return Dependence(words, found.cut(-1, 1), rule)


def _check(maps: np.ndarray, others: np.ndarray) -> None:
    if maps.shape != others.shape:
        raise UnseenError(f"maps are compared pair by pair; given {list(maps.shape)} and {list(others.shape)}.")
