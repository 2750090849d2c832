r"""What draws answers towards the mean: a pull, the edge of what was trained, or chance?

Seed 001 (Schott et al. 2022) counts answers with :math:`|f-\bar y| \le |y-\bar y|` and takes more than half of them for
a pull to the mean. One half is what unbiased answers give (a). Two others give nearly 1 without any pull: answers drawn
from the trained levels whatever the picture (b), and answers that stop at the trained level nearest to the truth (c,
"the edge"). Two numbers tell them apart (ours):

- *distance*, the median of :math:`|f-\bar y| / |e-\bar y|`, e being the edge. It is 1 for (c), and at least 1 for (c)
  with noise: if :math:`f-\bar y` has the median :math:`e-\bar y`, then
  :math:`P(|f-\bar y| < |e-\bar y|) \le 1/2`. The same holds for (a) where the truth lies beyond the edge. A median,
  because a few wild answers would decide a mean.
- *spread*, the variance of answers against that of the trained levels. Its expectation is 1 for (b), whose distance is
  about one half.

So answers are pulled if their distance is below 1, which neither (a) nor (c) gives, *and* their spread is below 1,
which (b) does not give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unseen.measures.statistics import NAN
from unseen.vocabulary.errors import UnseenError

SAME = 1e-9  # two levels at one distance from the truth, but for rounding


@dataclass(frozen=True)
class Pull:
    """``distance`` and ``spread`` of answers, and what the truth and the trained levels alone give: the distance of
    draws from these levels and of the truth, and the share towards the mean of draws and of answers at the edge.

    NaN where a denominator is zero (one trained level has no spread) or an answer is no number.
    """

    distance: float
    spread: float
    distance_of_draws: float
    distance_of_truth: float
    share_of_draws: float
    share_of_edge: float
    n: int


def pull(
    predicted: Float[np.ndarray, " n"], true: Float[np.ndarray, " n"], trained: Float[np.ndarray, " levels"]
) -> Pull:
    """How answers about a factor lie between the mean of its ``trained`` levels and their edge, on the scale of 0 to 1.

    Draws are uniform over the trained levels, as training shows them; of two levels as near to the truth the edge is
    each in half of the cases. All nulls are exact, over all rows and levels. The spread is of answers kept to the
    factor's range (``kept_to_range``), where all trained levels lie; divided by n − 1, so that draws have 1 on average
    whatever their number.

    >>> levels = np.array([0.0, 0.2, 0.4, 0.6])
    >>> found = pull(np.array([0.5, 0.4, 0.5, 0.4]), np.array([0.8, 1.0, 0.8, 1.0]), levels)
    >>> round(found.distance, 2), round(found.distance_of_draws, 2), round(found.distance_of_truth, 2)
    (0.5, 0.67, 2.0)
    >>> round(found.spread, 2), found.share_of_draws, found.share_of_edge
    (0.07, 1.0, 1.0)
    """
    f, y, t = (np.asarray(part, np.float64) for part in (predicted, true, trained))
    if f.shape != y.shape or y.ndim != 1:
        raise UnseenError(f"predicted and true must be two lists of one length; given {f.shape} and {y.shape}.")
    if not len(t):
        raise UnseenError("answers can be pulled to the mean of the trained levels only if there are some; given none.")
    if not len(y):
        return Pull(NAN, NAN, NAN, NAN, NAN, NAN, 0)
    mean, finite = float(t.mean()), bool(np.isfinite(f).all())
    apart = np.abs(y[:, None] - t)
    near = apart <= apart.min(axis=1, keepdims=True) + SAME
    chance = near / near.sum(axis=1, keepdims=True)  # of each level to be the edge
    far, out = np.abs(t - mean), np.abs(y - mean)
    edge, within = chance @ far, far <= out[:, None] + SAME
    return Pull(
        distance=_median(np.abs(f - mean), edge) if finite else NAN,
        spread=_spread(np.clip(f, 0, 1), t) if finite else NAN,
        distance_of_draws=_median(np.broadcast_to(far, apart.shape), edge[:, None]),
        distance_of_truth=_median(out, edge),
        share_of_draws=float(within.mean()),
        share_of_edge=float((chance * within).sum(axis=1).mean()),
        n=len(y),
    )


def _median(part: np.ndarray, whole: np.ndarray) -> float:
    """Of ratios; rows whose edge is the mean have none."""
    part, whole = np.broadcast_arrays(part, whole)
    known = whole > SAME
    return float(np.median(part[known] / whole[known])) if known.any() else NAN


def _spread(answers: np.ndarray, levels: np.ndarray) -> float:
    if len(answers) < 2:
        return NAN
    whole = levels.var()
    return float(answers.var(ddof=1) / whole) if whole > SAME**2 else NAN
