"""How alike classes are to a network: what a record keeps where only some classes were seen varying (Fig. 7 of Ibrahim
et al. 2022), since features are at hand when probes are fitted, and not when a report is written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.measures import cosine_similarity, nearest_seen
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Varied

LIKENESS = "likeness"  # of a record: {class: its similarity to the nearest class seen varying}
LEAST = 3  # classes; the directions of two from their middle are opposite whatever they look like


def nearest_by_features(
    study: Study, trial: Trial, rows: np.ndarray, read: Callable[[np.ndarray], np.ndarray]
) -> dict[str, float]:
    """For each class never seen varying the cosine to the nearest that was, of their mean features from the mean of
    all classes. Canonical pictures among ``rows`` alone: how classes look where nothing varies. Empty where all classes
    are treated alike. The paper compares words; this is ours."""
    varied = study.split(trial).facts
    if not isinstance(varied, Varied):
        return {}
    samples = study.world(trial).samples
    place = samples.space.names.index(study.targets(trial)[0].factor)
    names = [str(level) for level in samples.space.factors[place].levels]
    if not varied.exposed or len(names) < LEAST:
        return {}
    rows = np.unique(rows)
    cells = samples.cells(rows)
    canonical = np.ones(len(rows), bool)
    for at, factor in enumerate(samples.space.factors):
        if factor.name in varied.factors:
            canonical &= cells[:, at] == (factor.canonical or 0)
    rows, classes = rows[canonical], cells[canonical, place]
    features = read(rows).astype(np.float64)
    means = np.full((len(names), features.shape[1]), np.nan)
    for number in np.unique(classes):
        means[number] = features[classes == number].mean(0)
    exposed = {str(level) for level in varied.exposed}
    seen = np.array([name in exposed for name in names])
    near = nearest_seen(cosine_similarity(means - np.nanmean(means, axis=0)), seen)
    return {name: round(float(value), 6) for name, value in zip(names, near) if np.isfinite(value)}
