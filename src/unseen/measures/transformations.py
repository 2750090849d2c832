r"""Does a unit keep its activity when the image is transformed (Zaidi et al. 2020, section 2.2)?

Every function takes the *raw* activity of each unit on each image and on the same image transformed, and normalises it
as the paper says: :math:`f_k = \hat f_k / \max_{x} \max(\hat f_k(x), \hat f_k(T(x)))`, so that a unit's order of
magnitude does not matter. The maximum is over all images given. Where seen- and unseen-transformed categories are
scored apart, hand the maxima of all test images to both (``maxima``): the paper's maximum is of the whole test set.

**Negative activity.** The paper's units are rectified: activity is at least 0, and the coefficient lies in [0, 1].
Without a rectifier (GELU, a layer before its ReLU) an active pair of opposite signs scores below 0, without bound, and
one that sums to zero has no score. So negative activity is refused unless ``negative`` names what to do: "rectify" sets
it to 0, "keep" follows Eq. 1 to wherever it leads, and the summary counts the units it concerns.

**What cannot be scored.** A *dead* unit (its maximum is not positive) and one without any active image have no
coefficient: NaN, as has one with a value that is not finite. :func:`invariance_summary` counts each kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from unseen.measures.statistics import NAN, Interval, mean_interval
from unseen.measures.thresholds import active_shares, check_threshold
from unseen.vocabulary.errors import UnseenError, unknown

NEGATIVE = ("error", "rectify", "keep")

Activity = Float[np.ndarray, "images units"]
PerUnit = Float[np.ndarray, " units"]


def _pair(plain: np.ndarray, transformed: np.ndarray, negative: str) -> tuple[np.ndarray, np.ndarray]:
    """Both activities in double precision, rectified where asked."""
    if negative not in NEGATIVE:
        raise unknown("treatment of negative activity", negative, NEGATIVE)
    plain, transformed = np.asarray(plain, np.float64), np.asarray(transformed, np.float64)
    if plain.shape != transformed.shape or plain.ndim != 2:
        raise UnseenError(
            f"activity must be [images, units], the same images plain and transformed; given {plain.shape} and "
            f"{transformed.shape}. One unit? Use activity[:, None]."
        )
    if negative == "error" and ((plain < 0).any() or (transformed < 0).any()):
        many = int(((plain < 0) | (transformed < 0)).any(axis=0).sum())
        raise UnseenError(
            f"{many} of {plain.shape[1]} units have negative activity, for which the invariance coefficient leaves "
            f'[0, 1]. Record this layer after its rectifier, or give negative="rectify" (negative activity counts as '
            f'0) or negative="keep" (the formula as it is).'
        )
    return (np.maximum(plain, 0), np.maximum(transformed, 0)) if negative == "rectify" else (plain, transformed)


def _maxima(plain: Activity, transformed: Activity) -> PerUnit:
    """The largest activity of each unit; NaN where one is not finite, −∞ where there is no image."""
    return np.maximum(np.max(plain, axis=0, initial=-np.inf), np.max(transformed, axis=0, initial=-np.inf))


def _normalised(activity: Activity, maxima: PerUnit) -> Activity:
    """Activity as a share of the unit's maximum; NaN throughout a unit that has no positive, finite one."""
    usable = np.broadcast_to((maxima > 0) & np.isfinite(maxima), activity.shape)
    return np.divide(activity, maxima, where=usable, out=np.full(activity.shape, np.nan))


def active(
    plain: Activity,
    transformed: Activity,
    threshold: float,
    *,
    negative: str = "error",
    maxima: PerUnit | None = None,
) -> Bool[np.ndarray, "images units"]:
    r"""Which images make a unit active: :math:`\mathcal A_k = \{x : f_k(x) > \tau \lor f_k(T(x)) > \tau\}`.

    A dead unit is active nowhere.

    >>> active(np.array([[4.0, 0.0], [0.2, 0.0]]), np.array([[0.0, 0.0], [0.4, 0.0]]), 0.1).tolist()
    [[True, False], [False, False]]
    """
    check_threshold(threshold)
    plain, transformed = _pair(plain, transformed, negative)
    maxima = _maxima(plain, transformed) if maxima is None else np.asarray(maxima, np.float64)
    return (_normalised(plain, maxima) > threshold) | (_normalised(transformed, maxima) > threshold)


def _kept(f: Activity, g: Activity) -> Activity:
    r"""Eq. 1, :math:`h_k(x) = 1 - |f_k(T(x)) - f_k(x)| / |f_k(T(x)) + f_k(x)|`; NaN where the sum is zero."""
    total = np.abs(f + g)
    return 1 - np.divide(np.abs(g - f), total, where=total > 0, out=np.full(f.shape, np.nan))


def invariance_coefficient(
    plain: Activity,
    transformed: Activity,
    threshold: float,
    *,
    negative: str = "error",
    maxima: PerUnit | None = None,
) -> PerUnit:
    r"""How little a unit changes with the transformation, on the images that make it active (Zaidi et al. 2020).

    :math:`I_k = \frac{1}{\#\mathcal A_k} \sum_{x \in \mathcal A_k} h_k(x)` with Eq. 1. 1: the same activity on every
    such image; 0: silent on one of the two. NaN for a dead unit and for one without an active image.

    >>> plain, blurred = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0]]), np.array([[2.0, 0.5, 0.0], [0.1, 0.0, 0.0]])
    >>> invariance_coefficient(plain, blurred, 0.1).round(3).tolist()
    [1.0, 0.333, nan]
    """
    check_threshold(threshold)
    plain, transformed = _pair(plain, transformed, negative)
    maxima = _maxima(plain, transformed) if maxima is None else np.asarray(maxima, np.float64)
    f, g = _normalised(plain, maxima), _normalised(transformed, maxima)
    h, on = _kept(f, g), (f > threshold) | (g > threshold)
    on &= ~np.isnan(h)  # opposite activities, only where negative ones are kept
    count = on.sum(axis=0)
    spoilt = np.isnan(maxima) | ~np.isfinite(plain).all(axis=0) | ~np.isfinite(transformed).all(axis=0)
    mean = np.divide(np.sum(h, axis=0, where=on), count, where=count > 0, out=np.full(count.shape, np.nan))
    return np.where(spoilt, np.nan, mean)


@dataclass(frozen=True)
class InvarianceSummary:
    """The units of one layer: ``scored + dead + empty + non_finite == units``.

    ``dead``: no positive activity on any image; ``empty``: alive, yet no image makes it active; ``negative``: units
    with negative activity somewhere, before any rectifying (their scores are not bound to [0, 1] under "keep").
    ``mean`` is the paper's "amount of invariance" with a t interval over units, which describes the layer: units of one
    network are no repeats of an experiment. ``median``, ``low`` and ``high`` are the quartiles.
    """

    units: int
    scored: int
    dead: int
    empty: int
    non_finite: int
    negative: int
    images: int
    mean: Interval
    median: float
    low: float
    high: float
    threshold: float


def _summary(
    coefficient: PerUnit, maxima: PerUnit, finite: np.ndarray, below: np.ndarray, images: int, threshold: float
) -> InvarianceSummary:
    scored = np.isfinite(coefficient)
    dead = finite & ~(maxima > 0)
    low, median, high = np.quantile(coefficient[scored], (0.25, 0.5, 0.75)) if scored.any() else (NAN, NAN, NAN)
    return InvarianceSummary(
        units=len(coefficient),
        scored=int(scored.sum()),
        dead=int(dead.sum()),
        empty=int((finite & ~dead & ~scored).sum()),
        non_finite=int((~finite).sum()),
        negative=int(below.sum()),
        images=images,
        mean=mean_interval(coefficient),
        median=float(median),
        low=float(low),
        high=float(high),
        threshold=float(threshold),
    )


def invariance_summary(
    plain: Activity,
    transformed: Activity,
    threshold: float,
    *,
    negative: str = "error",
    maxima: PerUnit | None = None,
) -> InvarianceSummary:
    """:func:`invariance_coefficient` of a layer in numbers, with every unit that has none, and why.

    >>> s = invariance_summary(np.array([[2.0, 0.0]]), np.array([[2.0, 0.0]]), 0.1)
    >>> s.units, s.scored, s.dead, s.median
    (2, 1, 1, 1.0)
    """
    coefficient = invariance_coefficient(plain, transformed, threshold, negative=negative, maxima=maxima)
    f, g = _pair(plain, transformed, negative)
    own = _maxima(f, g) if maxima is None else np.asarray(maxima, np.float64)
    finite = np.isfinite(f).all(axis=0) & np.isfinite(g).all(axis=0) & ~np.isnan(own)
    below = np.any((np.asarray(plain) < 0) | (np.asarray(transformed) < 0), axis=0)
    return _summary(coefficient, own, finite, below, len(f), threshold)


class StreamedInvariance:
    """The coefficient of many images in bounded memory: :meth:`see` all of them once, for the maxima; then :meth:`add`
    all of them again, for the sums. It keeps a few numbers per unit and group, and gives what the functions above give.

    ``groups`` are scored apart under the same maxima (seen- and unseen-transformed categories, say, as 0 and 1).
    """

    def __init__(self, units: int, threshold: float, *, groups: int = 1, negative: str = "error") -> None:
        check_threshold(threshold)
        self.threshold, self.negative = threshold, negative
        self.maxima = np.full(units, -np.inf)
        self.images = np.zeros(groups, np.int64)
        self._finite, self._below = np.ones(units, bool), np.zeros(units, bool)
        self._sums, self._scored = np.zeros((groups, units)), np.zeros((groups, units), np.int64)
        self._active = np.zeros((groups, units), np.int64)
        self._seen = 0

    def see(self, plain: Activity, transformed: Activity) -> None:
        """First pass."""
        if self.images.any():
            raise UnseenError("all images must be seen (for the maxima) before the first is added.")
        f, g = _pair(plain, transformed, self.negative)
        self._finite &= np.isfinite(f).all(axis=0) & np.isfinite(g).all(axis=0)
        self._below |= np.any((np.asarray(plain) < 0) | (np.asarray(transformed) < 0), axis=0)
        self.maxima = np.maximum(self.maxima, _maxima(f, g))
        self._seen += len(f)

    def add(
        self, plain: Activity, transformed: Activity, group: Int[np.ndarray, " images"] | None = None
    ) -> Float[np.ndarray, " images"]:
        """Second pass; gives the share of units that each image makes active."""
        f, g = (_normalised(a, self.maxima) for a in _pair(plain, transformed, self.negative))
        group = np.zeros(len(f), np.int64) if group is None else np.asarray(group)
        if len(group) != len(f) or (len(group) and not 0 <= group.min() <= group.max() < len(self.images)):
            raise UnseenError(f"each of the {len(f)} images needs a group from 0 to {len(self.images) - 1}.")
        if self.images.sum() + len(f) > self._seen:
            raise UnseenError(f"more images are added than were seen ({self._seen}): the maxima would not be theirs.")
        h, on = _kept(f, g), (f > self.threshold) | (g > self.threshold)
        scored = on & ~np.isnan(h)
        h = np.where(scored, h, 0)
        for number in np.unique(group):
            here = group == number
            self.images[number] += here.sum()
            self._sums[number] += h[here].sum(axis=0)
            self._scored[number] += scored[here].sum(axis=0)
            self._active[number] += on[here].sum(axis=0)
        return active_shares(on).units_per_image

    def coefficient(self, group: int | None = None) -> PerUnit:
        """Of one group, or (None) of all images."""
        sums, count = _of(self._sums, group), _of(self._scored, group)
        mean = np.divide(sums, count, where=count > 0, out=np.full(count.shape, np.nan))
        return np.where(self._finite, mean, np.nan)

    def images_per_unit(self, group: int | None = None) -> PerUnit:
        """Share of images that make each unit active."""
        images = self._images(group)
        return _of(self._active, group) / images if images else np.full(len(self.maxima), np.nan)

    def summary(self, group: int | None = None) -> InvarianceSummary:
        """Of one group, or (None) of all images."""
        coefficient = self.coefficient(group)
        return _summary(coefficient, self.maxima, self._finite, self._below, self._images(group), self.threshold)

    def _images(self, group: int | None) -> int:
        return int(self.images.sum() if group is None else self.images[group])


def _of(table: Shaped[np.ndarray, "groups units"], group: int | None) -> Shaped[np.ndarray, " units"]:
    return table.sum(axis=0) if group is None else table[group]
