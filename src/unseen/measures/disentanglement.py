r"""Does each latent hold one factor, and each factor one latent? DCI and MIG, to set beside generalisation.

Codes are ``[images, latents]``, levels ``[images, factors]``. A *dead* latent does not vary, a *one-level* factor has
nothing to tell: neither is an error, both are listed, by their number. Rows in which a code is not finite are left out
and counted. Repeats (encoders, seeds) are summed up by ``mean_interval``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.regression import asked_variance, r2
from unseen.vocabulary.errors import UnseenError, unknown

BINS = 20  # Locatello et al. 2019
REGRESSORS = ("random_forest", "gradient_boosting", "lasso")


@dataclass(frozen=True, eq=False)
class DCI:
    """Three scores, what they are averaged from, and what could not be scored.

    ``importance`` is [latents, factors], zero where there is none. ``latents`` and ``factors`` hold the disentanglement
    of each latent and the completeness of each factor; ``explained`` the informativeness of each factor. ``unread``
    latents are alive and no factor needs them; ``unexplained`` factors vary and no latent helps to tell them.
    """

    disentanglement: float
    completeness: float
    informativeness: float
    importance: Float[np.ndarray, "latents factors"]
    latents: Float[np.ndarray, " latents"]
    factors: Float[np.ndarray, " factors"]
    explained: Float[np.ndarray, " factors"]
    dead: tuple[int, ...]
    unread: tuple[int, ...]
    one_level: tuple[int, ...]
    unexplained: tuple[int, ...]
    n_fitted: int
    n_asked: int
    dropped: int
    regressor: str


@dataclass(frozen=True, eq=False)
class MIG:
    """The gap averaged over factors, the gap of each, and the information (in nats) it comes from."""

    value: float
    factors: Float[np.ndarray, " factors"]
    information: Float[np.ndarray, "latents factors"]
    entropy: Float[np.ndarray, " factors"]
    dead: tuple[int, ...]
    one_level: tuple[int, ...]
    n: int
    dropped: int
    bins: int


def _rows(
    codes: Float[np.ndarray, "n latents"], levels: Int[np.ndarray, "n factors"]
) -> tuple[Float[np.ndarray, "kept latents"], Int[np.ndarray, "kept factors"], int]:
    codes, levels = np.asarray(codes, np.float64), np.asarray(levels)
    if codes.ndim != 2 or levels.ndim != 2 or len(codes) != len(levels):
        raise UnseenError(
            f"codes must be [images, latents] and levels [images, factors]; given {codes.shape} and {levels.shape}."
        )
    whole = np.isfinite(codes).all(axis=1)
    return codes[whole], levels[whole], int((~whole).sum())


def _constant(columns: np.ndarray) -> Bool[np.ndarray, " columns"]:
    if not len(columns):
        return np.ones(columns.shape[1], bool)
    low, high = columns.min(axis=0), columns.max(axis=0)
    if columns.dtype.kind != "f":
        return low == high
    return high - low <= 1e-9 * np.maximum(abs(low), abs(high))  # rounding is not life


def _numbers(chosen: Bool[np.ndarray, " columns"]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.flatnonzero(chosen))


def _concentration(share: Float[np.ndarray, "lines places"]) -> Float[np.ndarray, " lines"]:
    """1 − entropy of each line, in units of the greatest possible; NaN where a line is zero or has one place."""
    lines, places = share.shape
    total = share.sum(axis=1, keepdims=True)
    if places < 2:
        return np.full(lines, np.nan)
    p = np.divide(share, total, where=total > 0, out=np.zeros_like(share))
    entropy = -np.sum(p * np.log(p, where=p > 0, out=np.zeros_like(p)), axis=1) / np.log(places)
    return np.where(total[:, 0] > 0, np.clip(1 - entropy, 0, 1), np.nan)


def _fit(regressor: str, codes: np.ndarray, target: np.ndarray, seed: int):
    """A fitted regressor and its importances. Settings are ours where noted."""
    if regressor == "lasso":
        from sklearn.linear_model import Lasso

        model = Lasso(alpha=0.01).fit(codes, target)  # on standardised codes and targets; the strength is ours
        return model, np.abs(model.coef_)
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

    if regressor == "random_forest":  # ten trees in Eastwood and Williams, depth tuned; a fixed depth is ours
        model = RandomForestRegressor(n_estimators=10, max_depth=12, random_state=seed)
    else:  # Locatello et al. classify the levels, which takes a set of trees per level; ours regresses them
        model = GradientBoostingRegressor(random_state=seed)
    return (fitted := model.fit(codes, target)), np.asarray(fitted.feature_importances_)


def dci(
    codes: Float[np.ndarray, "n latents"],
    levels: Int[np.ndarray, "n factors"],
    *,
    seed: int,
    regressor: str = "random_forest",
    asked: float = 0.3,
) -> DCI:
    r"""Disentanglement, completeness, informativeness (Eastwood and Williams 2018).

    A regressor tells each factor from all latents; :math:`R_{ij}` is the importance of latent i for factor j. With
    :math:`P_{ij} = R_{ij}/\sum_k R_{ik}` and :math:`\tilde P_{ij} = R_{ij}/\sum_k R_{kj}`, K factors and D latents,

    .. math:: D_i = 1 + \sum_j P_{ij} \log_K P_{ij}, \quad C_j = 1 + \sum_i \tilde P_{ij} \log_D \tilde P_{ij}.

    Disentanglement is :math:`\sum_i \rho_i D_i` with :math:`\rho_i = \sum_j R_{ij}/\sum_{ij} R_{ij}`; completeness is
    the mean of :math:`C_j` (as in their code). K counts the factors that vary, D all latents, dead ones too: leaving a
    latent idle is no lack of order. Informativeness is :math:`R^2` on the held-out share of rows (``asked``), one minus
    the square of their normalised error, so that 1 is best here too; ours, to be read beside seed 001's.

    Levels are regressed as numbers, nominal factors too (as seed 001 does with shape).
    Trees share out importances that add up to one even for a factor they cannot tell: read completeness and
    disentanglement together with ``explained``. Undefined scores (one factor, one latent, no importance at all): NaN.

    >>> levels = np.stack(np.meshgrid(np.arange(8), np.arange(8)), -1).reshape(-1, 2).repeat(4, 0)
    >>> scores = dci(levels * [1.0, -2.0], levels, seed=0)
    >>> scores.disentanglement > 0.95, scores.completeness > 0.95, scores.informativeness > 0.95
    (True, True, True)
    """
    if regressor not in REGRESSORS:
        raise unknown("regressor", regressor, REGRESSORS)
    if not 0 < asked < 1:
        raise UnseenError(f"the share of rows that is asked lies between 0 and 1; given {asked}.")
    codes, levels, dropped = _rows(codes, levels)
    n_asked = round(asked * len(codes))
    if n_asked < 2 or len(codes) - n_asked < 2:
        raise UnseenError(f"two rows to fit and two to ask are needed; there are {len(codes)} with finite codes.")
    order = np.random.default_rng(seed).permutation(len(codes))
    fitted, held = order[n_asked:], order[:n_asked]
    dead, one_level = _constant(codes[fitted]), _constant(levels[fitted])
    codes = _standardised(codes, fitted, dead)
    targets = _standardised(levels.astype(np.float64), fitted, one_level)

    importance = np.zeros((codes.shape[1], levels.shape[1]))
    answers = np.zeros((n_asked, levels.shape[1]))
    for j in np.flatnonzero(~one_level) if not dead.all() else ():
        model, weights = _fit(regressor, codes[fitted][:, ~dead], targets[fitted, j], seed)
        importance[~dead, j] = weights
        answers[:, j] = model.predict(codes[held][:, ~dead])
    explained = r2(answers, targets[held], np.where(one_level, 0.0, asked_variance(targets[held])))
    latents, factors = _concentration(importance[:, ~one_level]), np.full(levels.shape[1], np.nan)
    factors[~one_level] = _concentration(importance.T[~one_level])
    weight = importance.sum(axis=1)
    return DCI(
        disentanglement=_weighted(latents, weight),
        completeness=_weighted(factors, np.ones(len(factors))),
        informativeness=_weighted(explained, np.ones(len(factors))),
        importance=importance,
        latents=latents,
        factors=factors,
        explained=explained,
        dead=_numbers(dead),
        unread=_numbers(~dead & (weight == 0)),
        one_level=_numbers(one_level),
        unexplained=_numbers(~one_level & (importance.sum(axis=0) == 0)),
        n_fitted=len(fitted),
        n_asked=n_asked,
        dropped=dropped,
        regressor=regressor,
    )


def _standardised(columns: np.ndarray, fitted: np.ndarray, constant: np.ndarray) -> np.ndarray:
    mean, spread = columns[fitted].mean(axis=0), columns[fitted].std(axis=0)
    return (columns - mean) / np.where(constant, 1.0, spread)


def _weighted(values: np.ndarray, weight: np.ndarray) -> float:
    """Mean over what is defined; NaN if nothing is."""
    known = ~np.isnan(values) & (weight > 0)
    return float(np.average(values[known], weights=weight[known])) if known.any() else float("nan")


def discretised(codes: Float[np.ndarray, "n latents"], bins: int = BINS) -> Int[np.ndarray, "n latents"]:
    """Each latent in equal bins between its lowest and highest value (Locatello et al. 2019); a dead one in bin 0.

    >>> discretised(np.array([[0.0, 7.0], [0.5, 7.0], [1.0, 7.0]]), bins=4).tolist()
    [[0, 0], [2, 0], [3, 0]]
    """
    if bins < 2:
        raise UnseenError(f"mutual information needs at least two bins; given {bins}.")
    dead = _constant(codes)
    if dead.all():
        return np.zeros(codes.shape, np.int64)
    low, high = codes.min(axis=0), codes.max(axis=0)
    place = np.floor(bins * ((codes - low) / np.where(dead, 1.0, high - low))).astype(np.int64)
    return np.where(dead, 0, np.minimum(place, bins - 1))


def _information(x: Int[np.ndarray, " n"], y: Int[np.ndarray, " n"]) -> float:
    """Mutual information of two lists of whole numbers, in nats; of a list with itself, its entropy."""
    (x_names, x), (y_names, y) = (np.unique(values, return_inverse=True) for values in (x, y))
    joint = np.bincount(x * len(y_names) + y, minlength=len(x_names) * len(y_names)).reshape(len(x_names), -1) / len(x)
    alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return max(0.0, float(np.sum(joint[there] * np.log(joint[there] / alone[there]))))


def mig(codes: Float[np.ndarray, "n latents"], levels: Int[np.ndarray, "n factors"], *, bins: int = BINS) -> MIG:
    r"""Mutual information gap (Chen et al. 2018), with latents in 20 equal bins as in Locatello et al. (2019).

    .. math:: \mathrm{MIG} = \frac1K \sum_k \frac{1}{H(v_k)} \Big( I(z_{j_k}; v_k) - \max_{j \ne j_k} I(z_j; v_k) \Big),
        \quad j_k = \arg\max_j I(z_j; v_k).

    A one-level factor has no entropy: NaN, listed, not in the mean. Dead latents inform about nothing; if all are dead
    the gap is 0. With one latent there is no second one, and the gap is to 0 (ours). With n images and B bins the
    estimate of each I is too high by about (B−1)(levels−1)/2n, which the gap mostly cancels.

    >>> levels = np.stack(np.meshgrid(np.arange(4), np.arange(4)), -1).reshape(-1, 2)
    >>> round(mig(levels * [1.0, -2.0], levels).value, 6)
    1.0
    """
    codes, levels, dropped = _rows(codes, levels)
    if not codes.size or not levels.size:
        raise UnseenError("no row with finite codes, no latent or no factor: there is no information to measure.")
    places, one_level = discretised(codes, bins), _constant(levels)
    information = np.array([[_information(place, level) for level in levels.T] for place in places.T])
    entropy = np.array([_information(level, level) for level in levels.T])
    ranked = np.sort(np.vstack([information, np.zeros(levels.shape[1])]), axis=0)  # the zeros: if there is one latent
    gap = np.divide(ranked[-1] - ranked[-2], entropy, where=~one_level, out=np.full(entropy.shape, np.nan))
    return MIG(
        value=_weighted(gap, np.ones(len(gap))),
        factors=gap,
        information=information,
        entropy=entropy,
        dead=_numbers(_constant(codes)),
        one_level=_numbers(one_level),
        n=len(codes),
        dropped=dropped,
        bins=bins,
    )
