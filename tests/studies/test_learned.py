"""What carries over is judged only where something was learned."""

import numpy as np
import polars as pl
import pytest

from unseen.kinds.in_domain.learned_levels import OF_THE_SET, learned_levels
from unseen.kinds.judged import judged, told
from unseen.kinds.learned import learned, learned_conditions, unless_learned
from unseen.measures import judge

SURE, UNSURE = (judge(np.array(values), 1) for values in ([0.5, 0.6, 0.7], [-0.5, 0.1, 0.3]))
CLAIMS = [judged("claim", "It holds", SURE), told("number", "It is told", SURE), judged("open", "It is open", UNSURE)]


@pytest.mark.parametrize("known", [True, None])
def test_claims_stay_where_something_was_learned_or_was_not_asked(known):
    assert unless_learned(CLAIMS, known, "what was in range") == CLAIMS


def test_claims_are_left_open_where_nothing_surely_was_and_stay_comparisons():
    first, second, third = unless_learned(CLAIMS, False, "what was in range")
    assert (first.holds, first.p) == (None, CLAIMS[0].p)
    assert first.why == "what was in range is not surely known, so nothing can carry over"
    assert [second, third] == CLAIMS[1:]


def test_conditions_are_learned_if_those_trained_on_are_above_chance():
    trained = np.eye(2, dtype=bool)
    known = np.array([[[0.9, 0.1], [0.1, 0.8]], [[0.8, 0.1], [0.1, np.nan]], [[0.7, 0.2], [0.1, 0.9]]])
    assert learned_conditions(known, trained, 0.1)
    assert not learned_conditions(known[:, ::-1], trained, 0.1)
    assert not learned_conditions(np.full((3, 2, 2), np.nan), trained, 0.1)


def test_networks_that_know_all_of_it_or_differ_much_have_learned():
    trained = np.eye(2, dtype=bool)
    assert learned_conditions(np.where(trained, 1.0, 0.1)[None].repeat(3, 0), trained, 0.1), "no interval, and perfect"
    assert learned(np.array([0.3, 0.95, 0.97])), "a weak model is no doubt about the others"
    assert not learned(np.array([-0.02, 0.03, 0.15, 0.01])), "one network by chance"


def test_levels_are_judged_by_validation_images_or_by_splits_that_stay_in_range():
    rows = [
        {
            "measure": OF_THE_SET,
            "target": "mean over factors",
            "series": "cnn",
            "repeat": 0,
            "x": x,
            "set": s,
            "value": v,
        }
        for x, s, v in [("random", "test", 0.9), ("extrapolation", "test", -3.0), ("random", "validation", 0.5)]
    ]
    assert learned_levels(pl.DataFrame(rows), "test", "extrapolation") == {("cnn", 0): 0.5}
    assert learned_levels(pl.DataFrame(rows[:2]), "test", "extrapolation") == {("cnn", 0): 0.9}
    assert learned_levels(pl.DataFrame(rows[1:2]), "test", "extrapolation") == {}
