"""What features tell without any training: the classes of the nearest neighbours, and how alike images are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from unseen.vocabulary.errors import UnseenError

NEIGHBOURS = 20  # Caron et al. 2021 (DINO): best for all their models
TEMPERATURE = 0.07  # Wu et al. 2018 (instance discrimination), and of DINO
CHUNK = 1024  # rows asked at a time


def nearest_classes(
    known: Float[np.ndarray, "n features"],
    labels: Int[np.ndarray, " n"],
    asked: Float[np.ndarray, "m features"],
    *,
    neighbours: int = NEIGHBOURS,
    temperature: float = TEMPERATURE,
    classes: int | None = None,
) -> Float[np.ndarray, "m classes"]:
    r"""The votes of the ``neighbours`` nearest known images by cosine, each weighing :math:`\exp(s / \tau)` with its
    similarity :math:`s` (Wu et al. 2018, §3.4), as shares.

    >>> known = np.array([[1.0, 0.0], [0.0, 1.0], [0.1, 1.0]])
    >>> nearest_classes(known, np.array([0, 1, 1]), np.array([[0.9, 0.1]]), neighbours=1).tolist()
    [[1.0, 0.0]]
    """
    if not len(known):
        raise UnseenError("there is no image to search for neighbours; give features of at least one.")
    count = int(labels.max()) + 1 if classes is None else classes
    known, near = _unit(known), min(neighbours, len(known))
    votes = np.zeros((len(asked), count))
    for start in range(0, len(asked), CHUNK):
        similar = _unit(asked[start : start + CHUNK]) @ known.T
        at = np.argpartition(-similar, near - 1, axis=1)[:, :near]
        own = np.take_along_axis(similar, at, 1)
        weight = np.exp((own - own.max(1, keepdims=True)) / temperature)  # of the nearest: 1
        rows = np.arange(len(at))[:, None] + start
        np.add.at(votes, (np.broadcast_to(rows, at.shape), labels[at]), weight)
    return votes / votes.sum(1, keepdims=True)


def neighbour_accuracy(
    features: Float[np.ndarray, "n features"],
    labels: Int[np.ndarray, " n"],
    instances: Int[np.ndarray, " n"],
    *,
    neighbours: int = NEIGHBOURS,
    folds: int = 5,
) -> tuple[float, int]:
    """How many images are of the class that their nearest neighbours vote for, and how many were asked. Neighbours are
    images of other instances: instances are asked in ``folds`` parts, each by all others (ours)."""
    names, which = np.unique(instances, return_inverse=True)
    fold = which.reshape(-1) % min(folds, len(names))
    right, asked = 0, 0
    for one in range(min(folds, len(names))):
        out = fold == one
        if out.all():
            continue
        votes = nearest_classes(
            features[~out], labels[~out], features[out], neighbours=neighbours, classes=int(labels.max()) + 1
        )
        right, asked = right + int((votes.argmax(1) == labels[out]).sum()), asked + int(out.sum())
    return (right / asked if asked else float("nan")), asked


@dataclass(frozen=True)
class MeanSimilarity:
    """Mean cosine of two images: of one instance, of two instances of one class, of two classes. NaN: no such pair."""

    instance: float
    category: float
    other: float


def alike(
    features: Float[np.ndarray, "n features"], labels: Int[np.ndarray, " n"], instances: Int[np.ndarray, " n"]
) -> MeanSimilarity:
    r"""How alike images are within instances, within classes and between, over all pairs.

    The mean over pairs of a group is :math:`(|\sum_i u_i|^2 - n) / n(n-1)` of its unit vectors, so that no pair is
    looked at.
    """
    unit = _unit(np.asarray(features, dtype=np.float64))
    _, own = np.unique(np.stack([labels, instances]), axis=1, return_inverse=True)
    every = _pairs(unit, np.zeros(len(unit), dtype=np.int64))
    within_class, within_instance = _pairs(unit, labels), _pairs(unit, own.reshape(-1))

    def mean(total: tuple[float, float], less: tuple[float, float] = (0.0, 0.0)) -> float:
        pairs = total[1] - less[1]
        return (total[0] - less[0]) / pairs if pairs else float("nan")

    return MeanSimilarity(mean(within_instance), mean(within_class, within_instance), mean(every, within_class))


def _pairs(unit: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """The sum of cosines over ordered pairs of one group, and how many there are."""
    _, which, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), unit.shape[1]))
    np.add.at(sums, which.reshape(-1), unit)
    itself = np.square(unit).sum()
    return float(np.square(sums).sum() - itself), float((sizes * (sizes - 1.0)).sum())


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
