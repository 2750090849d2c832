"""How often responses are right: overall, per cell, per pair of levels, by guessing. Nothing asked: NaN, n = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped

from unseen.vocabulary.errors import UnseenError


def _same_length(**arrays: np.ndarray) -> None:
    if len({len(a) for a in arrays.values()}) > 1:
        sizes = ", ".join(f"{name} has {len(a)}" for name, a in arrays.items())
        raise UnseenError(f"one entry per asked image is needed in each: {sizes}.")


def _levels_in_range(name: str, levels: np.ndarray, n: int) -> None:
    strange = levels[(levels < 0) | (levels >= n)]
    if len(strange):
        raise UnseenError(f"{name} holds level {int(strange[0])}, outside 0…{n - 1} ({len(strange)} such entries).")


def accuracy(truth: Shaped[np.ndarray, " n"], response: Shaped[np.ndarray, " n"]) -> float:
    """Share of responses that equal the truth; NaN if nothing was asked.

    >>> accuracy(np.array([0, 1, 2, 2]), np.array([0, 1, 2, 0]))
    0.75
    """
    _same_length(truth=truth, response=response)
    return float(np.mean(truth == response)) if len(truth) else float("nan")


def geometric_mean(accuracy: Float[np.ndarray, "... tasks"]) -> Float[np.ndarray, "..."]:
    r"""Geometric mean over tasks: :math:`\sqrt{acc_{category}\,acc_{viewpoint}}` for two (Madan et al. 2022, Fig. 3).

    NaN where an accuracy is missing or negative, or where there is no task.

    >>> geometric_mean(np.array([[1.0, 0.25], [1.0, 0.0]])).tolist()
    [0.5, 0.0]
    """
    accuracy = np.asarray(accuracy, np.float64)
    tasks = accuracy.shape[-1]
    if tasks == 0:
        return np.full(accuracy.shape[:-1], np.nan)
    product = np.prod(np.where(accuracy >= 0, accuracy, np.nan), axis=-1)
    return np.asarray(np.sqrt(product) if tasks == 2 else product ** (1 / tasks))


def chance(*levels: int) -> float:
    r"""Accuracy of guessing uniformly among the levels; for several tasks the geometric mean of their chances.

    :math:`(\prod_t n_t)^{-1/T}`. It is the level of one who guesses, not a floor: a network that takes an unseen
    combination for a seen one is below it.

    >>> chance(4), chance(4, 9)
    (0.25, 0.16666666666666666)
    """
    if not levels or min(levels) < 1:
        raise UnseenError(f"chance needs the number of levels of each task, each at least 1; given {levels}.")
    return float(geometric_mean(np.array([1 / n for n in levels])))


@dataclass(frozen=True)
class CellAccuracy:
    """Accuracy in each cell of a grid, NaN where nothing was asked, and the number of images asked there."""

    accuracy: Float[np.ndarray, "rows columns"]
    n: Int[np.ndarray, "rows columns"]


def cell_accuracy(
    truth: Shaped[np.ndarray, " n"],
    response: Shaped[np.ndarray, " n"],
    row: Int[np.ndarray, " n"],
    column: Int[np.ndarray, " n"],
    *,
    shape: tuple[int, int],
) -> CellAccuracy:
    """Accuracy per (category, viewpoint) cell: ``row`` and ``column`` say in which cell each asked image lies.

    >>> cell_accuracy(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 0, 1]), shape=(2, 2))
    CellAccuracy(accuracy=array([[0.5, nan],
           [nan, 1. ]]), n=array([[2, 0],
           [0, 1]]))
    """
    _same_length(truth=truth, response=response, row=row, column=column)
    _levels_in_range("row", row, shape[0])
    _levels_in_range("column", column, shape[1])
    n, right = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    np.add.at(n, (row, column), 1)
    np.add.at(right, (row, column), truth == response)
    return CellAccuracy(np.divide(right, n, where=n > 0, out=np.full(shape, np.nan)), n)


def confusion_matrix(
    truth: Int[np.ndarray, " n"], response: Int[np.ndarray, " n"], *, levels: int
) -> Int[np.ndarray, "levels levels"]:
    """Number of images of each true level (rows) that got each response (columns).

    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), levels=2).tolist()
    [[1, 1], [0, 1]]
    """
    _same_length(truth=truth, response=response)
    _levels_in_range("truth", truth, levels)
    _levels_in_range("response", response, levels)
    counts = np.zeros((levels, levels), np.int64)
    np.add.at(counts, (truth, response), 1)
    return counts
