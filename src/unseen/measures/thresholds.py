"""When does a unit count as active: by a threshold that an ablation gives, or as rarely as once in a hundred images?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from unseen.measures.statistics import NAN
from unseen.vocabulary.errors import UnseenError

Activity = Float[np.ndarray, "images units"]
PerUnit = Float[np.ndarray, " units"]


def check_threshold(threshold: float) -> None:
    if not 0 <= threshold <= 1:
        raise UnseenError(
            f"τ (recordings.threshold) is a share of a unit's maximal activity, from 0 to 1; given {threshold:g}."
        )


@dataclass(frozen=True)
class ActiveShares:
    """Of each image the share of units that it makes active, of each unit the share of images that make it so."""

    units_per_image: Float[np.ndarray, " images"]
    images_per_unit: Float[np.ndarray, " units"]


def active_shares(on: Bool[np.ndarray, "images units"]) -> ActiveShares:
    """Both distributions of Zaidi et al. 2020, Fig. 3a, from :func:`unseen.measures.active`. Dead units count as units.

    >>> shares = active_shares(np.array([[True, False], [True, True]]))
    >>> shares.units_per_image.tolist(), shares.images_per_unit.tolist()
    ([0.5, 1.0], [1.0, 0.5])
    """
    images, units = on.shape
    return ActiveShares(
        on.sum(axis=1) / units if units else np.full(images, np.nan),
        on.sum(axis=0) / images if images else np.full(units, np.nan),
    )


@dataclass(frozen=True)
class Tau:
    """The threshold an ablation curve gives. ``reason`` says what is odd about it, or why there is none (NaN)."""

    tau: float
    accuracy: float  # with the units that are inactive at τ ablated
    drop: float  # what this costs
    without_active: float  # accuracy with the active ones ablated instead; should be near chance
    dropped: int  # points of the curve that are not finite
    reason: str = ""


def tau_from_curve(
    thresholds: Float[np.ndarray, " steps"],
    accuracy: Float[np.ndarray, " steps"],
    plain_accuracy: float,
    tolerance: float = 0.01,
    *,
    without_active: Float[np.ndarray, " steps"] | None = None,
) -> Tau:
    """The highest τ at which ablating the units inactive on an image costs at most ``tolerance`` (Zaidi et al. 2020,
    section 3.2: a grid of 0 to 1 in steps of .05, 1 % accuracy).

    ``accuracy`` is that of the network with each image's inactive units ablated, ``without_active`` with its active
    ones ablated instead. "1 %" is read as percentage points (ours). Rectified units that are inactive at τ = 0 are
    silent anyway, so the curve starts at ``plain_accuracy``: if nothing qualifies, something else is wrong. If the
    highest step qualifies, the curve never fell and says nothing about this layer. If lower steps cost more than
    higher ones the highest still counts, as the paper says; ``reason`` tells.

    >>> tau_from_curve(np.array([0, 0.05, 0.1, 0.15]), np.array([0.9, 0.9, 0.895, 0.8]), 0.9).tau
    0.1
    """
    thresholds, accuracy = np.asarray(thresholds, np.float64), np.asarray(accuracy, np.float64)
    other = np.full(len(thresholds), np.nan) if without_active is None else np.asarray(without_active, np.float64)
    if not thresholds.shape == accuracy.shape == other.shape or thresholds.ndim != 1:
        raise UnseenError(f"a curve has one accuracy per τ; given {len(thresholds)} τ and {len(accuracy)} accuracies.")
    if not len(thresholds) or len(np.unique(thresholds)) < len(thresholds):
        raise UnseenError("a curve needs at least one τ, and each τ once.")
    check_threshold(float(thresholds.min()))
    check_threshold(float(thresholds.max()))
    order = np.argsort(thresholds)
    thresholds, accuracy, other = thresholds[order], accuracy[order], other[order]
    known = np.isfinite(accuracy)
    drop = plain_accuracy - accuracy
    fine = known & (drop <= tolerance + 1e-9)  # .90 − .89 is a little more than .01
    lost = int((~known).sum())
    if not fine.any():
        least = f"{np.nanmin(drop):.3g}" if known.any() else "unknown"
        reason = f"every τ costs more than {tolerance:g} (the least: {least}); τ = 0 should cost nothing"
        return Tau(NAN, NAN, NAN, NAN, lost, reason)
    place = int(np.flatnonzero(fine)[-1])
    costly = int((known & ~fine)[:place].sum())
    reason = f"{costly} lower τ cost more than {tolerance:g}: the curve is not monotone" if costly else ""
    if place == np.flatnonzero(known)[-1]:
        reason = "the highest τ tried costs no more: the curve never falls, and this layer may not matter"
    return Tau(float(thresholds[place]), float(accuracy[place]), float(drop[place]), float(other[place]), lost, reason)


@dataclass(frozen=True)
class FiringInvariance:
    """Goodfellow's score of each unit, and the two rates it is the ratio of; ``undefined`` units fire for no image."""

    score: PerUnit
    local: PerUnit
    overall: PerUnit
    undefined: int


def firing_invariance(
    plain: Activity, trajectory: Float[np.ndarray, "steps images units"], *, rate: float = 0.01, both: bool = False
) -> FiringInvariance:
    r"""Does a unit go on firing when the images that make it fire are transformed (Goodfellow et al. 2009)?

    A unit fires above a threshold of its own, chosen so that the share ``rate`` of the plain images make it fire: its
    global rate G. The local rate L is the share of transformed images that make it fire, over the *trajectory* (each
    image transformed with several strengths; one is enough) of the images that do so untransformed; the score is
    :math:`L/G`, at most :math:`1/G` (100), and 1 by chance. Thresholds pass over ties: a unit with equal activity on
    more than that share of images fires for fewer of them, and for none if these are its maximum (NaN, counted).

    ``both`` lets a unit mean something by low activity, and takes the better of the two scores, as the authors do for
    units without a rectifier. The authors report the mean of the best fifth of a layer's units.

    >>> plain = np.arange(200.0)[:, None]
    >>> firing_invariance(plain, plain[None]).score.tolist(), firing_invariance(plain, plain[None, ::-1]).score.tolist()
    ([100.0], [0.0])
    """
    plain, trajectory = np.asarray(plain, np.float64), np.asarray(trajectory, np.float64)
    if trajectory.ndim != 3 or trajectory.shape[1:] != plain.shape or not len(trajectory):
        raise UnseenError(
            f"a trajectory is [steps, images, units] for {plain.shape} activity; given {trajectory.shape}."
        )
    images = len(plain)
    wanted = int(np.floor(rate * images + 1e-9))
    if not 0 < rate < 1 or not wanted:
        raise UnseenError(
            f"the top {100 * rate:g} % of {images} images is no image, or all; give more images (100 for the top 1 %), "
            f"or a rate between 0 and 1 that is at least one of them."
        )
    if both:
        high, low = (firing_invariance(s * plain, s * trajectory, rate=rate) for s in (1, -1))
        better = np.where(np.isnan(high.score), True, low.score > high.score)
        score, local, overall = (
            np.where(better, getattr(low, name), getattr(high, name)) for name in ("score", "local", "overall")
        )
        return FiringInvariance(score, local, overall, int(np.isnan(score).sum()))
    finite = np.isfinite(plain).all(axis=0) & np.isfinite(trajectory).all(axis=(0, 1))
    threshold = np.sort(plain, axis=0)[images - wanted - 1]
    fires = (plain > threshold) & finite
    count = fires.sum(axis=0)
    kept = np.sum((trajectory > threshold) & fires, axis=(0, 1))
    local = np.divide(kept, count * len(trajectory), where=count > 0, out=np.full(count.shape, np.nan))
    overall = np.where(count > 0, count / images, np.nan)
    return FiringInvariance(local / overall, local, overall, int((count == 0).sum()))
