import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.measures import shape_bias


def test_agreeing_images_are_dropped_and_counted():
    shape, texture = np.array([0, 0, 1, 2]), np.array([0, 1, 0, 2])
    found = shape_bias(shape, texture, np.array([0, 0, 0, 2]))
    assert (found.shape, found.texture, found.agreeing, found.conflicting) == (1, 1, 2, 2)
    assert found.bias.value == 0.5


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-1, 3)), min_size=1, max_size=80))
def test_it_is_the_released_codes_ratio(trials):
    """modelvshuman/plotting/analyses.py: fractions of all trials, whose denominator cancels."""
    shape, texture, response = np.array(trials).T
    found = shape_bias(shape, texture, response)
    kept = [(s, t, r) for s, t, r in trials if s != t]
    by_shape = sum(r == s for s, _, r in kept) / len(trials)
    by_texture = sum(r == t for _, t, r in kept) / len(trials)
    if by_shape + by_texture == 0:
        assert np.isnan(found.bias.value)
    else:
        assert found.bias.value == pytest.approx(by_shape / (by_shape + by_texture))


def test_people_are_pooled_and_the_interval_is_over_them():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(8), 100)
    shape, texture = np.zeros(800, int), np.ones(800, int)
    response = (rng.random(800) > (0.6 + 0.05 * person)).astype(int)
    found = shape_bias(shape, texture, response, person)
    assert found.bias.n == 8
    assert found.bias.value == pytest.approx((response == 0).mean())
    assert found.bias.high - found.bias.low > 2 * (found.bias.value * (1 - found.bias.value) / 800) ** 0.5


def test_nothing_decided_is_not_a_number():
    found = shape_bias(np.zeros(3, int), np.ones(3, int), np.full(3, -1))
    assert np.isnan(found.bias.value)
    assert found.neither == 3


def test_people_who_follow_neither_cue_are_counted_as_dropped():
    shape, texture = np.array([0, 0, 0, 0, 0, 0]), np.array([1, 1, 1, 1, 1, 1])
    found = shape_bias(shape, texture, np.array([0, 1, 0, 0, 2, 2]), np.array([0, 0, 1, 1, 2, 2]))
    assert (found.bias.n, found.bias.dropped) == (2, 1)
