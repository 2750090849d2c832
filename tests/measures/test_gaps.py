"""Gaps of natural variation: by hand, and what must be so whatever the numbers (Ibrahim et al. 2022)."""

from inspect import unwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.measures import (
    by_similarity,
    cosine_similarity,
    gap,
    gap_interval,
    improvement,
    nearest_seen,
    object_accuracy,
    path_similarity,
    slope,
)
from unseen.vocabulary.class_maps import class_map
from unseen.vocabulary.errors import UnseenError

shares = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def test_a_gap_by_hand():
    """Three held-out objects, one canonical picture and four varying ones each."""
    right = np.array([1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0], bool)
    objects = np.repeat(np.arange(3), 4)
    varying, pictures = object_accuracy(right, objects, 3)
    assert varying.tolist() == [0.5, 1.0, 0.0]
    assert pictures.tolist() == [4, 4, 4]
    canonical, _ = object_accuracy(np.array([True, True, False]), np.arange(3), 3)
    assert gap(canonical, varying) == pytest.approx((0.5 - 1 + 1 - 1 + 0 - 0) / 3)


@given(shares, st.integers(0, 99))
def test_a_gap_is_between_minus_one_and_one_turns_with_its_sides_and_forgets_the_order(varying, seed):
    canonical = np.random.default_rng(seed).random(len(varying)).round(1)
    found, order = gap(canonical, varying), np.random.default_rng(seed).permutation(len(varying))
    assert -1 <= found <= 1
    assert gap(varying, canonical) == pytest.approx(-found)
    assert gap(canonical[order], varying[order]) == pytest.approx(found)


def test_objects_without_one_of_the_two_are_left_out_and_none_at_all_is_undefined():
    assert gap(np.array([1.0, np.nan]), np.array([0.5, 0.0])) == -0.5
    assert np.isnan(gap(np.array([np.nan]), np.array([1.0])))
    none = gap_interval(np.array([np.nan]), np.ones(1), np.zeros(1, int), rng=np.random.default_rng(0))
    assert (none.n, none.dropped, np.isnan(none.low)) == (0, 1, True)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(1, 6), st.integers(0, 99))
def test_an_interval_holds_its_value_and_repeats_itself(classes, each, seed):
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(classes), each)
    canonical, varying = rng.integers(0, 2, len(of)).astype(float), rng.random(len(of)).round(1)
    one, again = (gap_interval(canonical, varying, of, rng=np.random.default_rng(7), draws=400) for _ in range(2))
    assert one == again
    assert one.low - 0.05 <= one.value <= one.high + 0.05
    assert one.n == len(of)


def test_the_interval_is_as_wide_as_the_formula_for_a_mean_over_classes_says():
    """A stratified mean has the variance Σ (m/n)² s²/m, with s² of each class over m - 1."""
    rng, each = np.random.default_rng(0), 3
    of, varying = np.repeat(np.arange(60), each), rng.random(60 * each)
    found = gap_interval(np.ones(len(of)), varying, of, rng=np.random.default_rng(0), draws=8000)
    variance = sum((each / len(of)) ** 2 * varying[of == c].var(ddof=1) / each for c in range(60))
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * np.sqrt(variance), rel=0.05)


def test_objects_that_are_all_alike_leave_no_doubt():
    found = gap_interval(np.ones(20), np.full(20, 0.5), np.zeros(20, int), rng=np.random.default_rng(0))
    assert (found.low, found.value, found.high) == (-0.5, -0.5, -0.5)


def test_classes_keep_their_number_of_objects_so_that_easy_ones_never_fill_a_draw():
    of, varying = np.repeat([0, 1], 10), np.repeat([0.0, 1.0], 10)
    found = gap_interval(np.ones(20), varying, of, rng=np.random.default_rng(0))
    assert (found.low, found.high) == (-0.5, -0.5)


def test_the_interval_covers_what_it_should():
    """Objects of 12 classes, five of each and 20 pictures: 95 % of intervals hold the truth."""
    rng, of, inside = np.random.default_rng(3), np.repeat(np.arange(12), 5), 0
    means = np.linspace(0.3, 0.7, 12)
    for _ in range(300):
        p = rng.beta(4 * means[of], 4 * (1 - means[of]))  # of each object, with its class's mean
        canonical = (rng.random(60) < 0.9).astype(float)
        found = gap_interval(canonical, rng.binomial(20, p) / 20, of, rng=rng, draws=300)
        inside += found.low <= means.mean() - 0.9 <= found.high
    assert 0.91 < inside / 300 < 0.98


@given(st.lists(st.floats(0, 1), min_size=2, max_size=11, unique=True), st.floats(-1, 1), st.floats(-1, 1))
def test_the_slope_of_a_line_is_its_own(points, intercept, rise):
    x = np.array(points)
    if np.ptp(x) < 1e-3:
        return
    assert float(slope(x, intercept + rise * x)) == pytest.approx(rise, abs=1e-6)


def test_slopes_are_those_of_numpy_leave_unknown_points_out_and_one_point_has_none():
    rng = np.random.default_rng(0)
    x, y = np.linspace(0.05, 0.95, 7), rng.normal(size=(5, 5, 7))
    assert np.allclose(slope(x, y), np.polyfit(x, y.reshape(25, 7).T, 1)[0].reshape(5, 5))
    y[0, 0, 3] = np.nan
    kept = np.arange(7) != 3
    assert slope(x, y)[0, 0] == pytest.approx(np.polyfit(x[kept], y[0, 0, kept], 1)[0])
    assert np.isnan(slope(np.array([0.5]), np.array([-0.1])))
    with pytest.raises(UnseenError, match="a gap for each share"):
        unwrap(slope)(np.array([0.5]), np.array([0.1, 0.2]))


def test_an_improvement_is_positive_where_a_gap_closes():
    assert improvement(np.array([-0.42, -0.02]), np.array([-0.1, -0.05])).round(2).tolist() == [0.32, -0.03]


def test_the_nearest_class_seen_varying_is_never_the_class_itself():
    similarity = np.array([[1.0, 0.3, 0.6], [0.3, 1.0, np.nan], [0.6, np.nan, 1.0]])
    assert nearest_seen(similarity, np.array([False, True, True]))[0] == 0.6
    assert np.isnan(nearest_seen(similarity, np.array([False, True, True]))[1:]).all()
    assert np.isnan(nearest_seen(similarity, np.zeros(3, bool))).all()
    assert np.isnan(nearest_seen(similarity, np.array([True, False, False]))[0])


@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 50))
def test_bins_of_similarity_hold_every_class_once_from_the_least_to_the_most_similar(n, bins, seed):
    rng = np.random.default_rng(seed)
    gaps, nearest = rng.normal(size=n), rng.integers(0, 6, n) / 6
    found = by_similarity(gaps, nearest, bins)
    assert found.n.sum() == n
    assert len(found.n) <= bins
    assert (np.diff(found.middle) > 0).all()
    assert (found.mean * found.n).sum() == pytest.approx(gaps.sum())


def test_no_class_makes_no_bin():
    assert by_similarity(np.array([np.nan]), np.array([0.5])).n.tolist() == []


def test_cosines_are_one_with_oneself_and_undefined_of_nothing():
    found = cosine_similarity(np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    assert found[0].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(found[2]).all()


def test_categories_are_nearer_to_their_kind_and_those_without_a_counterpart_to_nothing():
    names = ["cat", "dog", "car", "bus", "giraffe"]
    found = path_similarity(names)
    assert np.allclose(np.diag(found)[:4], 1)
    assert np.allclose(found[:4, :4], found[:4, :4].T)
    assert found[0, 1] > found[0, 2]
    assert found[2, 3] > found[0, 3]
    assert np.isnan(found[4]).all()
    every = path_similarity(list(class_map().classes))
    assert ((every > 0) & (every <= 1) | np.isnan(every)).all()
