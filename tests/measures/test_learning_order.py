import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.measures import epochs_to_reach, learning_lead
from unseen.vocabulary.errors import UnseenError

curves = st.lists(st.floats(0.01, 1), min_size=1, max_size=20).map(np.array)


def test_the_first_epoch_that_reaches_the_fraction_counts_from_one():
    curve = np.array([0.1, 0.5, 0.76, 0.8])  # nine tenths of 0.8 is 0.72
    assert epochs_to_reach(curve, 0.9) == 3
    assert epochs_to_reach(curve, 0.1) == 1
    assert epochs_to_reach(curve, 1.0) == 4


def test_best_and_final_differ_when_a_curve_falls():
    curve = np.array([0.4, 0.9, 0.5])
    assert epochs_to_reach(curve, 1.0) == 2
    assert epochs_to_reach(curve, 0.8, reference="final") == 1  # 0.8 · 0.5 = 0.4
    assert epochs_to_reach(curve, 2.0) != epochs_to_reach(curve, 2.0)  # never: NaN


def test_progress_is_counted_from_chance():
    # Halfway from 0.5 to 0.9 is 0.7; without chance, half of 0.9 is passed at once.
    curve = np.array([0.5, 0.6, 0.7, 0.9])
    assert epochs_to_reach(curve, 0.5) == 1
    assert epochs_to_reach(curve, 0.5, chance=0.5) == 3


@pytest.mark.parametrize("curve", [[], [np.nan, np.nan], [0.0, 0.0]])
def test_a_task_that_is_never_learned_has_no_epoch(curve):
    assert np.isnan(epochs_to_reach(np.array(curve, float), 0.9))


def test_missing_epochs_are_passed_over():
    assert epochs_to_reach(np.array([np.nan, 0.3, np.nan, 0.8]), 1.0) == 4


@given(curves, st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_larger_fraction_is_never_reached_earlier_and_the_best_always_is(curve, one, other):
    low, high = sorted((one, other))
    assert 1 <= epochs_to_reach(curve, low) <= epochs_to_reach(curve, high) <= np.argmax(curve) + 1


@given(curves, curves, st.floats(0.01, 1))
def test_the_lead_of_one_task_is_the_lag_of_the_other(a, b, fraction):
    assert learning_lead(a, b, fraction) == -learning_lead(b, a, fraction)
    assert learning_lead(a, a, fraction) == 0


def test_the_task_that_is_learned_first_leads():
    early, late = np.array([0.8, 0.8, 0.8]), np.array([0.1, 0.2, 0.8])
    assert learning_lead(early, late, 0.9) == 2
    assert np.isnan(learning_lead(early, np.zeros(3), 0.9))
    assert learning_lead(early, late, 0.9, chance=(0.1, 0.1)) == 2


def test_a_fraction_of_nothing_is_explained():
    with pytest.raises(UnseenError, match="above 0"):
        epochs_to_reach(np.ones(3), 0.0)
