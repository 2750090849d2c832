"""The units of a layer, counted; nothing that cannot be scored disappears."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unseen.measures import specialization, unit_summary, unit_types

CATEGORY = [[1.0, 1, 1], [0, 0, 0], [0, 0, 0]]  # Γ = 1
WEAK_CATEGORY = [[1.0, 1, 1], [0.5, 0.5, 0.5], [0, 0, 0]]  # S = (1 − .25)/(1 + .25) = .6, I = 1
VIEWPOINT = [[1.0, 0, 0], [1, 0, 0], [1, 0, 0]]
ONE_CELL = [[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]  # S_c = S_v: a tie, Γ = 0
SILENT = [[0.0] * 3] * 3
CONSTANT = [[2.5] * 3] * 3
INFINITE = [[np.inf, 0.0, 0.0], [0, 0, 0], [0, 0, 0]]
NEGATIVE_IF_RELEASED = [[1.0, 0, 0], [0.9, 0.9, 0.9], [0, 0, 0]]


def test_a_layer_is_summed_up_by_type_and_every_degenerate_unit_is_counted():
    layer = np.array([CATEGORY, WEAK_CATEGORY, VIEWPOINT, ONE_CELL, SILENT, CONSTANT, INFINITE, SILENT])
    summary = unit_summary(layer)
    assert summary.units == 8
    assert (summary.rows.n, summary.columns.n, summary.untyped) == (2, 2, 4)
    assert (summary.rows.share, summary.columns.share) == (0.25, 0.25)
    assert (summary.constant, summary.silent, summary.non_finite) == (3, 2, 1)
    assert (summary.ties, summary.unscored, summary.negative, summary.missing_cells) == (1, 0, 0, 0)
    # Category units: Γ = 1 and √.6; viewpoint units: 1 and 0.
    assert summary.rows.specialization == pytest.approx((1 + np.sqrt(0.6)) / 2)
    assert (summary.rows.selectivity, summary.rows.invariance) == (pytest.approx(0.8), pytest.approx(1))
    assert summary.columns.specialization == pytest.approx(0.5)
    assert (summary.columns.low, summary.columns.high) == (pytest.approx(0.25), pytest.approx(0.75))


def test_negative_selectivity_of_the_release_is_counted_and_left_out_of_the_median():
    summary = unit_summary(np.array([CATEGORY, NEGATIVE_IF_RELEASED]), variant="as_released")
    assert (summary.rows.n, summary.rows.scored) == (2, 1)
    assert (summary.unscored, summary.negative) == (1, 1)
    assert summary.rows.specialization == pytest.approx(1)
    assert summary.variant == "as_released"
    assert unit_summary(np.array([CATEGORY, NEGATIVE_IF_RELEASED])).unscored == 0


def test_empty_cells_are_counted():
    layer = np.array([WEAK_CATEGORY, VIEWPOINT])
    layer[:, 2, 1] = np.nan
    assert unit_summary(layer).missing_cells == 1


def test_a_layer_without_units_has_no_shares():
    summary = unit_summary(np.zeros((0, 3, 3)))
    assert summary.units == summary.rows.n == summary.untyped == 0
    assert np.isnan([summary.rows.share, summary.rows.specialization, summary.rows.low]).all()


ELEMENTS = st.sampled_from([0.0, 0.0, 1.0, 2.0, -1.0, np.nan, np.inf])


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 3), st.integers(1, 3)), elements=ELEMENTS),
    st.sampled_from(["min-max", "max", "none"]),
    st.sampled_from(["paper", "as_released"]),
)
def test_every_unit_is_counted_once_whatever_comes_in(layer, scaling, variant):
    summary = unit_summary(layer, scaling=scaling, variant=variant)
    assert summary.rows.n + summary.columns.n + summary.untyped == len(layer)
    score = specialization(layer, scaling=scaling, variant=variant)
    assert np.isnan(score).sum() == summary.untyped + summary.unscored
    assert summary.rows.scored + summary.columns.scored == len(layer) - np.isnan(score).sum()
    assert unit_types(layer, scaling=scaling, variant=variant).sum() == summary.rows.n
    assert summary.silent <= summary.constant
