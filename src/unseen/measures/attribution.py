"""Is a map right? Its evidence on the object, where the truth is known, and how the answer follows it.

Maps are ``[n, h, w]`` with more where there is more evidence; masks are true on what should be looked at, labels say
for each pixel what it shows (of a rendered world: the object, what lies around it, its shadow, the background).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.statistics import NAN
from unseen.vocabulary.errors import UnseenError, unknown

EVIDENCE = ("positive", "absolute")


def energy_on(
    maps: Float[np.ndarray, "n h w"], mask: Bool[np.ndarray, "..."], *, evidence: str = "positive"
) -> Float[np.ndarray, " n"]:
    """The share of a map's evidence that lies on the mask (the energy-based pointing game of Wang et al. 2020,
    Score-CAM): of ``positive`` values, or of ``absolute`` ones. NaN for a map without evidence.

    >>> maps = np.array([[[3.0, 1.0], [-5.0, 0.0]]])
    >>> float(energy_on(maps, np.array([[[True, False], [False, False]]]))[0])
    0.75
    """
    if evidence not in EVIDENCE:
        raise unknown("evidence", evidence, EVIDENCE)
    _check(maps, mask)
    energy = abs(maps.astype(np.float64)) if evidence == "absolute" else maps.clip(min=0).astype(np.float64)
    total, inside = energy.sum((1, 2)), np.where(mask, energy, 0).sum((1, 2))
    return np.divide(inside, total, out=np.full(len(maps), NAN), where=total > 0)


def energy_gain(
    maps: Float[np.ndarray, "n h w"], mask: Bool[np.ndarray, "..."], *, evidence: str = "positive"
) -> Float[np.ndarray, " n"]:
    """The share of evidence on the mask over the share of the image that it covers: 1 is what a map that knows nothing
    has on average. NaN where the mask is empty."""
    area = mask.mean((1, 2))
    share = energy_on(maps, mask, evidence=evidence)
    return np.divide(share, area, out=np.full(len(maps), NAN), where=area > 0)


def pointing_game(
    maps: Float[np.ndarray, "n h w"], mask: Bool[np.ndarray, "..."], *, tolerance: float = 0
) -> Float[np.ndarray, " n"]:
    """Whether a map's largest value lies on the mask (1) or not (0), as Zhang et al. 2018, within ``tolerance`` pixels
    of it (15 there, on photos). Of several largest values each counts for its share; a constant map is NaN."""
    _check(maps, mask)
    if tolerance > 0:
        from scipy.ndimage import distance_transform_edt

        away = [np.asarray(distance_transform_edt(~one)) if one.any() else np.full(one.shape, np.inf) for one in mask]
        mask = np.stack(away) <= tolerance
    flat, inside = maps.reshape(len(maps), -1), mask.reshape(len(maps), -1)
    best = flat == flat.max(1, keepdims=True)
    hits = (best & inside).sum(1) / best.sum(1).clip(min=1)
    usable = (flat.min(1) < flat.max(1)) & np.isfinite(flat).all(1)
    return np.where(usable, hits, NAN)


def rank_by_region(
    maps: Float[np.ndarray, "n h w"], labels: Int[np.ndarray, "..."], regions: Mapping[str, int]
) -> Mapping[str, Float[np.ndarray, " n"]]:
    """The mean rank of a region's pixels in each map, from 0 (least evidence) to 1 (most); ties share their mean rank,
    a map that knows nothing has ½ everywhere. NaN where a region is not in the picture or a map is not finite.

    ``labels`` number what each pixel shows, ``regions`` name the numbers: ``{"object": 0, "floor": -2}``.
    """
    from scipy.stats import rankdata

    _check(maps, labels)
    pixels = maps.shape[1] * maps.shape[2]
    flat = maps.reshape(len(maps), -1)
    finite = np.array([bool(np.isfinite(one).all()) for one in flat])
    ranks = (rankdata(np.where(finite[:, None], flat, 0), axis=1) - 0.5) / pixels
    ranks[~finite] = NAN
    found = {}
    for name, number in regions.items():
        here = (labels == number).reshape(len(maps), -1)
        count = here.sum(1)
        total = np.where(here, ranks, 0).sum(1)
        found[name] = np.divide(total, count, out=np.full(len(maps), NAN), where=count > 0)
        found[name][~finite] = NAN
    return found


def area_under(curve: Float[np.ndarray, "n steps"]) -> Float[np.ndarray, " n"]:
    """The area under a deletion or insertion curve over equal steps from none to all of the image (Petsiuk et al.
    2018): deletion should fall early (small), insertion rise early (large).

    >>> float(area_under(np.array([[1.0, 0.5, 0.0]]))[0])
    0.5
    """
    if curve.shape[1] < 2:
        raise UnseenError("a curve needs two steps at least: the image as it is and without everything.")
    inner = curve[:, 1:-1].sum(1) + (curve[:, 0] + curve[:, -1]) / 2
    return (inner / (curve.shape[1] - 1)).astype(np.float64)


def _check(maps: np.ndarray, marked: np.ndarray) -> None:
    if maps.shape != marked.shape:
        raise UnseenError(
            f"maps {list(maps.shape)} and what is marked on the images {list(marked.shape)} differ in size; enlarge or "
            "render one in the size of the other."
        )
