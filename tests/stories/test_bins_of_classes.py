"""Classes by how similar they are to those seen varying: folds of one class are not other classes."""

import numpy as np
import pytest

from unseen.kinds.variability.contents import _bins
from unseen.kinds.variability.read import CLASSES, Gaps, Point
from unseen.measures import by_similarity


def test_folds_of_the_same_classes_do_not_make_the_error_of_a_bin_smaller():
    gaps, near = {"a": -0.1, "b": -0.3, "c": -0.5, "d": -0.2}, {"a": 0.1, "b": 0.2, "c": 0.5, "d": float("nan")}

    def points(fold):
        told = (CLASSES, ("pose",), 0.5, ("pose",), "others", False, fold, "gap of a class")
        return [Point("m", "linear", *told, value, 5, level) for level, value in gaps.items()]

    def bins(folds):
        every = tuple(one for fold in range(folds) for one in points(fold))
        return _bins(Gaps(every, tuple(range(folds)), "folds", ("pose",)), lambda _, level: near[level])

    once, often = bins(1), bins(10)
    assert [one.n for one in often[0]] == [one.n for one in once[0]]
    assert sum(one.n for one in often[0]) == 3
    assert [one.error for one in often[0]] == pytest.approx([one.error for one in once[0]], nan_ok=True)
    assert often[1] == once[1] == 1
    known = by_similarity(np.array([-0.1, -0.3, -0.5]), np.array([0.1, 0.2, 0.5]))
    assert [one.gap for one in often[0]] == pytest.approx(known.mean.tolist())
