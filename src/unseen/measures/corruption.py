"""How much corruptions cost a classifier, beside what they cost AlexNet (Hendrycks & Dietterich 2019, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

CORRUPTIONS: tuple[str, ...] = (
    "gaussian-noise", "shot-noise", "impulse-noise", "defocus-blur", "glass-blur", "motion-blur", "zoom-blur", "snow",
    "frost", "fog", "brightness", "contrast", "elastic-transform", "pixelate", "jpeg-compression",
)  # fmt: skip
SEVERITIES = (1, 2, 3, 4, 5)
# Top-1 error of AlexNet on ImageNet-C, the mean over severities: the numbers by which published mCE are normalised
# (widely kept with that benchmark's code, as in Rusak et al. 2020); table 1 of the paper has them in whole per cent.
ALEXNET: dict[str, float] = dict(zip(CORRUPTIONS, (
    0.886428, 0.894468, 0.922640, 0.819880, 0.826268, 0.785948, 0.798360, 0.866816, 0.826572, 0.819324, 0.564592,
    0.853204, 0.646056, 0.717840, 0.606500,
)))  # fmt: skip
ALEXNET_CLEAN = 0.435  # top-1 error on ImageNet (table 1)


def corruption_error(
    errors: Float[np.ndarray, "corruptions severities"], reference: Float[np.ndarray, "corruptions severities"]
) -> Float[np.ndarray, " corruptions"]:
    r"""CE of each corruption: the sum of errors over severities by that of the reference (section 4.1).

    .. math:: CE_c^f = \sum_s E_{s,c}^f \Big/ \sum_s E_{s,c}^{ref}

    A corruption on which the reference makes no error has none: NaN.
    """
    return _ratio(errors.sum(axis=1), reference.sum(axis=1))


def relative_corruption_error(
    errors: Float[np.ndarray, "corruptions severities"],
    clean: float,
    reference: Float[np.ndarray, "corruptions severities"],
    reference_clean: float,
) -> Float[np.ndarray, " corruptions"]:
    r"""How much more errors than on clean images, by how much more the reference makes (section 4.1).

    .. math:: \sum_s (E_{s,c}^f - E_{clean}^f) \Big/ \sum_s (E_{s,c}^{ref} - E_{clean}^{ref})
    """
    return _ratio((errors - clean).sum(axis=1), (reference - reference_clean).sum(axis=1))


def mean_corruption_error(ratios: Float[np.ndarray, " corruptions"]) -> float:
    """mCE, or relative mCE: the mean over corruptions. One that is undefined makes it undefined, since a mean over the
    others would be of another set."""
    return float(np.mean(ratios)) if len(ratios) else float("nan")


def alexnet_errors(names: Sequence[str] = CORRUPTIONS, table: Mapping[str, float] = ALEXNET) -> np.ndarray:
    """AlexNet's errors ``[corruptions, 5]``: its mean at every severity, whose sum is all that CE uses.

    >>> alexnet_errors(("fog",)).sum(axis=1)
    array([4.09662])
    """
    return np.array([[table[name]] * len(SEVERITIES) for name in names])


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, where=below > 0, out=np.full(len(above), np.nan))
