"""Test images chosen by how many reference models know them (after the selection frequencies of Recht et al. 2019)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int

from unseen.vocabulary.errors import UnseenError


def two_halves(accuracy: np.ndarray) -> Int[np.ndarray, " models"]:
    """Models in two halves that are alike: sorted by accuracy, in the order 0 1 1 0 0 1 1 0.

    >>> two_halves(np.array([0.9, 0.1, 0.5, 0.7])).tolist()
    [0, 0, 1, 1]
    """
    order = np.argsort(np.asarray(accuracy), kind="stable")
    halves = np.empty(len(order), np.int64)
    halves[order] = np.array([0, 1, 1, 0])[np.arange(len(order)) % 4]
    return halves


def chosen(
    known: Bool[np.ndarray, "references images"], category: Int[np.ndarray, " images"], *, harder: bool,
    share: float = 0.5,
) -> Bool[np.ndarray, " images"]:  # fmt: skip
    """The ``share`` of each category's images that the fewest references know (``harder``), or the most. Of equal
    ones the first are taken as the harder: the order of the images is to have no meaning. With a share of one half the
    two parts are the whole.

    >>> known = np.array([[True, True, False, False], [True, False, False, True]])
    >>> chosen(known, np.zeros(4, int), harder=True).tolist()
    [False, True, True, False]
    """
    if not len(known):
        raise UnseenError("images are chosen by reference models, and there is none.")
    if not 0 < share < 1:
        raise UnseenError(f"share = {share!r} of the images is a number between 0 and 1.")
    frequency = known.mean(axis=0)
    kept = np.zeros(known.shape[1], bool)
    for one in np.unique(category):
        here = np.flatnonzero(category == one)
        order, many = here[np.argsort(frequency[here], kind="stable")], max(1, round(share * len(here)))
        kept[order[:many] if harder else order[-many:]] = True
    return kept
