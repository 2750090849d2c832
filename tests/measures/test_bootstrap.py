"""Drawing the same things again, with replacement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.measures import percentile_ends, resamples
from unseen.vocabulary.errors import UnseenError


@given(st.integers(1, 4))
def test_few_things_are_drawn_in_every_way_once(n):
    found = resamples(n, 1000, np.random.default_rng(0))
    assert len(np.unique(found, axis=0)) == len(found) == n**n


@given(st.integers(5, 12), st.integers(1, 300))
def test_many_things_are_drawn_as_often_as_asked(n, draws):
    found = resamples(n, draws, np.random.default_rng(1))
    assert found.shape == (draws, n)
    assert set(found.ravel().tolist()) <= set(range(n))


def test_the_interval_of_a_mean_is_near_that_of_normal_theory():
    values = np.random.default_rng(2).normal(3, 2, 200)
    means = values[resamples(200, 4000, np.random.default_rng(3))].mean(axis=1)
    low, high = percentile_ends(means).tolist()
    half = 1.96 * values.std(ddof=1) / np.sqrt(200)
    assert (low, high) == (pytest.approx(values.mean() - half, abs=0.03), pytest.approx(values.mean() + half, abs=0.03))


def test_ends_are_values_that_occurred_also_where_some_are_infinite():
    values = np.array([-np.inf, -1.0, 0.0, 2.0] * 10)
    assert percentile_ends(values).tolist() == [-np.inf, 2.0]
    assert percentile_ends(np.stack([values, values + 1], axis=1), 0.4).tolist() == [[-1.0, 0.0], [0.0, 1.0]]


def test_a_level_beyond_one_is_refused():
    with pytest.raises(UnseenError, match="For 95 % write"):
        percentile_ends(np.arange(3.0), 95)
