"""Corruption errors against the paper's equations and its published numbers."""

import numpy as np
import pytest

from unseen.measures import corruption_error, mean_corruption_error, relative_corruption_error
from unseen.measures.corruption import ALEXNET, ALEXNET_CLEAN, CORRUPTIONS, alexnet_errors


def test_alexnet_itself_has_an_error_of_one_hundred_per_cent():
    own = alexnet_errors()
    assert mean_corruption_error(corruption_error(own, own)) == pytest.approx(1)
    assert mean_corruption_error(relative_corruption_error(own, ALEXNET_CLEAN, own, ALEXNET_CLEAN)) == pytest.approx(1)


def test_alexnets_errors_are_those_of_the_papers_table_in_whole_per_cent():
    printed = (88.6, 89.4, 92.3, 82.0, 82.6, 78.6, 79.8, 86.7, 82.7, 81.9, 56.5, 85.3, 64.6, 71.8, 60.7)
    assert [round(100 * ALEXNET[name], 1) for name in CORRUPTIONS] == pytest.approx(printed, abs=0.1)


def test_errors_are_summed_over_severities_before_they_are_divided():
    errors, reference = np.array([[0.1, 0.3], [0.5, 0.5]]), np.array([[0.2, 0.2], [1.0, 0.5]])
    assert corruption_error(errors, reference) == pytest.approx([1.0, 2 / 3])
    assert relative_corruption_error(errors, 0.1, reference, 0.1) == pytest.approx([1.0, 0.8 / 1.3])
    assert mean_corruption_error(corruption_error(errors, reference)) == pytest.approx(5 / 6)


def test_what_a_reference_never_gets_wrong_is_undefined_and_not_left_out():
    found = corruption_error(np.ones((2, 5)), np.array([[0.0] * 5, [0.5] * 5]))
    assert np.isnan(found[0])
    assert found[1] == 2
    assert np.isnan(mean_corruption_error(found))
    assert np.isnan(mean_corruption_error(np.array([])))
