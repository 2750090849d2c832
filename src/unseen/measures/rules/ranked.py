"""How well a risk ranks answers: the area under its curve over objects, and what the factors could tell at best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.bootstrap import percentile_ends
from unseen.measures.rules.conditions import NOMINAL, Column
from unseen.measures.statistics import Interval
from unseen.vocabulary.seeds import stream

DRAWS = 500
STEPS = 64  # steps of a risk that is continuous (ours: the area changes in the third digit)
MOST_LEVELS = 255  # of a nominal factor, that boosted trees of scikit-learn take


def ranking(risk: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"]) -> Interval:
    """How often, of a wrong and a right answer, the wrong one has the higher risk (ties count half; Hanley & McNeil
    1982), with a bootstrap interval over objects.

    >>> print(ranking(np.array([0.1, 0.1, 0.9, 0.9] * 10), np.array([False, False, True, True] * 10), np.arange(40)))
    1.000 [1.000, 1.000], n = 40
    """
    values = np.unique(risk)
    if len(values) > STEPS:
        values = np.unique(np.quantile(risk, np.arange(1, STEPS) / STEPS))
        step = np.searchsorted(values, risk, side="right")
    else:
        step = np.searchsorted(values, risk)
    every, places = np.unique(objects, return_inverse=True)
    bad, good = np.zeros((len(every), step.max() + 1)), np.zeros((len(every), step.max() + 1))
    np.add.at(bad, (places, step), wrong)
    np.add.at(good, (places, step), ~wrong)
    n = len(every)
    drawn = stream(0, "measures", "ranking", n).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    value = float(_area(bad.sum(0), good.sum(0)))
    areas = _area(drawn @ bad, drawn @ good)
    areas = areas[np.isfinite(areas)]
    low, high = percentile_ends(areas) if len(areas) else (np.nan, np.nan)
    return Interval(value, float(low), float(high), n, "bootstrap over objects")


def _area(bad: np.ndarray, good: np.ndarray) -> np.ndarray:
    below = np.cumsum(good, axis=-1) - good / 2
    pairs = bad.sum(-1) * good.sum(-1)
    return np.where(pairs > 0, (bad * below).sum(-1) / np.maximum(pairs, 1), np.nan)


def best_possible(
    wrong: Bool[np.ndarray, " n"],
    columns: Sequence[Column],
    wrong_there: Bool[np.ndarray, " m"],
    columns_there: Sequence[Column],
    objects_there: Int[np.ndarray, " m"],
) -> Interval:
    """What boosted trees that nobody can read tell of the same factors (scikit-learn's, a hundred of at most
    fifteen leaves; these sizes are ours)."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    named = [len(one.levels) <= MOST_LEVELS and one.kind == NOMINAL for one in columns]
    settings: dict[str, Any] = {"early_stopping": False, "categorical_features": named if any(named) else None}
    model = HistGradientBoostingClassifier(max_leaf_nodes=15, min_samples_leaf=20, random_state=0, **settings)
    model.fit(np.stack([one.places for one in columns], 1).astype(np.float64), wrong)
    risk = model.predict_proba(np.stack([one.places for one in columns_there], 1).astype(np.float64))[:, 1]
    return ranking(risk, wrong_there, objects_there)
