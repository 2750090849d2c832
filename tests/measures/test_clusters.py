"""Accuracy over objects, and confidence against accuracy."""

import numpy as np
import pytest

from unseen.measures import by_object, calibration_error, over_objects, paired, proportion_interval, reliability
from unseen.vocabulary.errors import UnseenError


def test_an_object_with_many_images_counts_no_more_than_another():
    right = np.array([True] * 9 + [False])
    found = over_objects(right, np.array([0] * 9 + [1]))
    assert found.value == 0.5
    assert found.n == 2


def test_with_one_image_of_each_object_it_is_the_exact_binomial_interval():
    right = np.arange(40) < 30
    assert over_objects(right, np.arange(40)) == proportion_interval(30, 40)


def test_all_right_is_not_sure_and_one_object_has_no_interval():
    found = over_objects(np.ones(60, dtype=bool), np.repeat(np.arange(20), 3))
    assert found.low == proportion_interval(20, 20).low
    alone = over_objects(np.ones(6, dtype=bool), np.zeros(6, dtype=int))
    assert alone.value == 1
    assert np.isnan(alone.low)


@pytest.mark.parametrize("objects", [8, 60])
def test_intervals_hold_the_truth_as_often_as_they_say(objects):
    """Objects differ (their shares are beta distributed), and have four images each."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        share = rng.beta(2, 1, objects)
        right = rng.random((objects, 4)) < share[:, None]
        found = over_objects(right.ravel(), np.repeat(np.arange(objects), 4))
        hits += found.low <= 2 / 3 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


def test_images_of_one_object_go_together():
    """As if four copies of each image were asked: no more is known."""
    right = np.random.default_rng(1).random(50) < 0.7
    once = over_objects(right, np.arange(50))
    often = over_objects(np.repeat(right, 4), np.repeat(np.arange(50), 4))
    assert often.high - often.low > 0.8 * (once.high - once.low)


def test_a_change_is_compared_within_objects_that_were_asked_both_ways():
    right = np.array([True, True, False, True, True])
    objects = np.array([0, 0, 0, 1, 2])
    there = np.array([True, False, False, True, False])
    both, differences = paired(right, objects, ~there, there)
    assert both.tolist() == [0]
    assert differences.tolist() == [-0.5]
    assert [one.tolist() for one in by_object(right, objects)] == [[0, 1, 2], [pytest.approx(2 / 3), 1, 1], [3, 1, 1]]


def test_calibration_error_is_the_mean_distance_from_the_diagonal():
    confidence = np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55])
    right = np.array([True, True, True, False, False, False])
    # bins of a tenth: .95 against 3/4, four answers; .55 against 0, two answers
    assert calibration_error(confidence, right, bins=10) == pytest.approx((4 * 0.2 + 2 * 0.55) / 6)
    assert [(one.n, one.accuracy) for one in reliability(confidence, right, bins=10)] == [(2, 0.0), (4, 0.75)]
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, dtype=bool)))
    with pytest.raises(UnseenError, match="0 to 1"):
        calibration_error(np.array([1.5]), np.array([True]))


def test_an_answer_without_confidence_is_in_no_bin():
    found = reliability(np.array([np.nan, 0.5]), np.array([True, True]))
    assert sum(one.n for one in found) == 1
