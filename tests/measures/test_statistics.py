import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unseen.measures import Interval, mean_interval, median_interval, proportion_interval
from unseen.vocabulary.errors import UnseenError

values = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20)


@given(values, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_mean_of_repeats_has_students_interval(repeats, level):
    found = mean_interval(np.array(repeats), level)
    assert found.value == pytest.approx(np.mean(repeats))
    assert (found.n, found.method, found.level) == (len(repeats), "t", level)
    error = np.std(repeats, ddof=1) / np.sqrt(len(repeats))
    if error > 1e-9:
        low, high = stats.t.interval(level, len(repeats) - 1, loc=np.mean(repeats), scale=error)
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_three_repeats_by_hand():
    # Mean 0.72, s = 0.02, t(2, .975) = 4.302653: half width 4.302653 · 0.02/√3 = 0.049683.
    found = mean_interval(np.array([0.70, 0.72, 0.74]))
    assert (found.low, found.high) == (pytest.approx(0.72 - 0.049683, abs=1e-6), pytest.approx(0.769683, abs=1e-6))


def test_one_repeat_has_no_interval_and_none_has_no_value():
    one, none = mean_interval(np.array([0.5, np.nan])), mean_interval(np.array([np.nan, np.inf]))
    assert (one.value, one.n, one.dropped) == (0.5, 1, 1)
    assert np.isnan([one.low, one.high]).all()
    assert (none.n, none.dropped) == (0, 2)
    assert np.isnan([none.value, none.low, none.high]).all()


def test_equal_repeats_have_an_interval_without_width():
    found = mean_interval(np.full(3, 0.25))
    assert found.low == found.value == found.high == 0.25


@given(st.integers(1, 200), st.data(), st.sampled_from([0.9, 0.95]))
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(n, data, level):
    successes = data.draw(st.integers(0, n))
    found = proportion_interval(successes, n, level)
    oracle = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    assert (found.low, found.high) == (pytest.approx(oracle.low, abs=1e-9), pytest.approx(oracle.high, abs=1e-9))
    assert found.low <= found.value <= found.high


def test_nothing_tried_is_nan():
    found = proportion_interval(0, 0)
    assert found.n == 0
    assert np.isnan([found.value, found.low, found.high]).all()


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=60))
def test_the_interval_of_a_median_covers_it_often_enough_and_is_no_wider_than_needed(sample):
    n = len(sample)
    found = median_interval(np.array(sample))
    assert found.value == pytest.approx(np.median(sample))
    if n < 6:
        assert np.isnan([found.low, found.high]).all()
        return
    oracle = int(stats.binom.ppf(0.025, n, 0.5))  # the largest k with P(X < k) ≤ 0.025
    ordered = sorted(sample)
    assert (found.low, found.high) == (ordered[oracle - 1], ordered[n - oracle])
    assert 2 * stats.binom.cdf(oracle - 1, n, 0.5) <= 0.05


def test_a_level_or_a_count_that_cannot_be_is_explained():
    with pytest.raises(UnseenError, match=r"write 0\.95"):
        mean_interval(np.ones(3), 95.0)
    with pytest.raises(UnseenError, match="5 of 3"):
        proportion_interval(5, 3)


def test_an_interval_is_cut_at_the_range_of_its_quantity_and_only_there():
    wide = Interval(0.9, 0.7, 1.2, 3, "t")
    assert (wide.cut(0, 1).low, wide.cut(0, 1).high, wide.cut(0, 1).value) == (0.7, 1, 0.9)
    assert np.isnan(mean_interval(np.array([0.5])).cut(0, 1).low), "no interval stays none"


def test_repeats_that_coincide_but_for_rounding_have_an_interval_without_width():
    same = mean_interval(np.array([0.1 + 0.2, 0.3, 0.3]))
    assert same.has_no_width
    assert np.isnan(same.without_ends().low)
    assert same.without_ends().value == pytest.approx(0.3)
    assert not mean_interval(np.array([0.3, 0.31, 0.3])).has_no_width
    assert not mean_interval(np.array([0.3])).has_no_width, "one repeat has no interval at all"
