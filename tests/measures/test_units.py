"""Selectivity, invariance, types and specialization: Madan et al. 2022, Eqs. 1–3."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from jaxtyping import TypeCheckError

from unseen.measures import invariance, scaled, selectivity, specialization, unit_scores, unit_types
from unseen.vocabulary.errors import UnseenError

NAN = np.nan


@st.composite
def grids(draw, units=3, smallest=2, largest=5):
    """Activity whose units all vary. Small integers make ties common, which is where relabelling goes wrong."""
    shape = (units, draw(st.integers(smallest, largest)), draw(st.integers(smallest, largest)))
    whole = arrays(np.float64, shape, elements=st.integers(-4, 4).map(float))
    real = arrays(np.float64, shape, elements=st.floats(-100, 100).map(lambda x: round(x, 1)))
    activity = draw(whole | real)
    activity[np.ptp(activity, axis=(1, 2)) == 0, 0, 0] += 1
    return activity


def scores(activity, **options):
    s = unit_scores(activity, **options)
    return np.stack([s.prefers_rows, s.selectivity, s.invariance, s.specialization])


@given(st.integers(2, 9), st.integers(2, 9), st.data(), st.floats(0.001, 1e3), st.floats(-10, 10))
def test_a_perfectly_selective_and_invariant_unit_scores_one(rows, columns, data, height, base):
    best = data.draw(st.integers(0, rows - 1))
    activity = np.full((1, rows, columns), base)
    activity[0, best] += height
    assert selectivity(activity) == pytest.approx(1)
    assert invariance(activity) == pytest.approx(1)
    assert specialization(activity) == pytest.approx(1)
    assert unit_types(activity).tolist() == [True]
    turned = activity.swapaxes(1, 2)
    assert specialization(turned) == pytest.approx(1)
    assert unit_types(turned).tolist() == [False]


@given(grids(), st.data())
def test_relabelling_categories_or_viewpoints_changes_nothing(activity, data):
    rows = data.draw(st.permutations(range(activity.shape[1])))
    columns = data.draw(st.permutations(range(activity.shape[2])))
    relabelled = activity[:, rows][:, :, columns]
    np.testing.assert_allclose(scores(relabelled), scores(activity), atol=1e-7)
    np.testing.assert_allclose(selectivity(relabelled), selectivity(activity), atol=1e-7)
    np.testing.assert_allclose(invariance(relabelled), invariance(activity), atol=1e-7)


@given(grids(), st.floats(0.01, 100), st.floats(-100, 100))
def test_scaling_and_shifting_a_unit_changes_nothing(activity, factor, shift):
    np.testing.assert_allclose(scores(factor * activity + shift), scores(activity), atol=1e-6)


@given(grids(), st.floats(0.01, 100))
def test_dividing_by_the_maximum_makes_scale_irrelevant_but_not_shift(activity, factor):
    activity = abs(activity) + 1
    np.testing.assert_allclose(scores(factor * activity, scaling="max"), scores(activity, scaling="max"), atol=1e-6)
    shifted, before = (selectivity(a, scaling="max") for a in (activity + 1, activity))
    assert np.all(shifted <= before)  # a pedestal under every cell dilutes the preference


@given(grids())
def test_swapping_rows_and_columns_swaps_the_types_apart_from_ties(activity):
    here, turned = unit_scores(activity), unit_scores(activity.swapaxes(1, 2))
    np.testing.assert_array_equal(here.tied, turned.tied)
    np.testing.assert_array_equal(here.prefers_rows[~here.tied], ~turned.prefers_rows[~here.tied])
    np.testing.assert_allclose(here.specialization[~here.tied], turned.specialization[~here.tied], atol=1e-7)
    assert not here.prefers_rows[here.tied].any()
    assert not turned.prefers_rows[here.tied].any()


@given(grids())
def test_every_score_of_a_unit_that_varies_lies_between_zero_and_one(activity):
    for score in (selectivity(activity), invariance(activity), specialization(activity)):
        assert np.all((score >= 0) & (score <= 1))


@given(grids(units=4))
def test_a_unit_scores_the_same_alone_and_among_others(activity):
    alone = np.concatenate([scores(unit[None]) for unit in activity], axis=1)
    np.testing.assert_array_equal(scores(activity), alone)


@given(grids())
def test_the_formulas_written_as_loops_give_the_same(activity):
    for unit, s, i in zip(activity, selectivity(activity), invariance(activity)):
        a = (unit - unit.min()) / (unit.max() - unit.min())
        sums = a.sum(axis=1)
        best = int(np.argmax(sums))
        if np.sum(sums > sums[best] - 1e-6) > 1:
            continue
        n_rows, n_columns = a.shape
        mine = sum(a[best]) / n_columns
        others = sum(a[r, c] for r in range(n_rows) for c in range(n_columns) if r != best) / (n_columns * (n_rows - 1))
        assert s == pytest.approx((mine - others) / (mine + others), abs=1e-9)
        assert i == pytest.approx(1 - (a[best].max() - a[best].min()), abs=1e-9)


def test_a_square_grid_by_hand():
    # Raw 2…12, so scaled = (raw − 2)/10:   1.0 0.8 0.6   row mean 0.8
    #                                       0.2 0.0 0.1            0.1
    #                                       0.4 0.2 0.3            0.3
    activity = np.array([[[12.0, 10, 8], [4, 2, 3], [6, 4, 5]]])
    np.testing.assert_allclose(scaled(activity)[0], [[1, 0.8, 0.6], [0.2, 0, 0.1], [0.4, 0.2, 0.3]])
    # Category: â = 0.8, ā = (0.3 + 0.9)/6 = 0.2, S_c = 0.6/1.0; I_v = 1 − (1.0 − 0.6).
    assert selectivity(activity) == pytest.approx(0.6)
    assert invariance(activity) == pytest.approx(0.6)
    # Viewpoint: column means 1.6/3, 1/3, 1/3; S_v = (1.6/3 − 1/3)/(1.6/3 + 1/3) = 0.6/2.6; I_c = 1 − (1.0 − 0.2).
    assert selectivity(activity.swapaxes(1, 2)) == pytest.approx(0.6 / 2.6)
    assert invariance(activity.swapaxes(1, 2)) == pytest.approx(0.2)
    # S_c > S_v: a category unit with Γ = √(0.6 · 0.6).
    assert unit_types(activity).tolist() == [True]
    assert specialization(activity) == pytest.approx(0.6)


def test_a_grid_that_is_not_square_averages_over_the_right_number_of_cells():
    # Two categories, four viewpoints:  1.0 0.5 0.5 0.0   â = 2/4 = 0.5
    #                                   0.2 0.2 0.2 0.2   ā = 0.8/(4·1) = 0.2; S_c = 0.3/0.7; I_v = 1 − 1 = 0
    activity = np.array([[[1.0, 0.5, 0.5, 0.0], [0.2, 0.2, 0.2, 0.2]]])
    assert selectivity(activity) == pytest.approx(3 / 7)
    assert invariance(activity) == pytest.approx(0)
    # Columns: 0.6, 0.35, 0.35, 0.1. â = 1.2/2 = 0.6, ā = (0.7 + 0.7 + 0.2)/(2·3) = 1.6/6; I_c = 1 − (1.0 − 0.2) = 0.2.
    s_v = (0.6 - 1.6 / 6) / (0.6 + 1.6 / 6)
    assert selectivity(activity.swapaxes(1, 2)) == pytest.approx(s_v)
    # 0.4286 > 0.3846: a category unit, which is not invariant at all.
    assert unit_types(activity).tolist() == [True]
    assert specialization(activity) == pytest.approx(0)


def test_a_tie_makes_a_viewpoint_unit():
    one_cell = np.array([[[1.0, 0.0], [0.0, 0.0]]])  # S_c = S_v = 1 with I = 0 both ways
    assert unit_scores(one_cell).tied.tolist() == [True]
    assert unit_types(one_cell).tolist() == [False]


def test_of_equally_preferred_rows_the_most_invariant_counts():
    activity = np.array([[[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]])  # both upper rows average 0.5
    assert invariance(activity) == pytest.approx(1)
    assert invariance(activity[:, ::-1]) == pytest.approx(1)


def test_equal_rows_score_zero_and_not_the_root_of_a_rounding_error():
    activity = np.tile(np.array([0.1, 0.7, 0.3]), (1, 7, 1))
    assert selectivity(activity).tolist() == [0.0]


@pytest.mark.parametrize("variant", ["paper", "as_released"])
def test_units_without_a_scale_have_no_score_and_no_warning(variant):
    activity = np.zeros((5, 3, 3))
    activity[1] = 7.5
    activity[2, 0, 0] = np.inf
    activity[3] = NAN
    activity[4] = 1e308
    activity[4, 0] = -1e308
    for measure in (selectivity, invariance, specialization):
        assert np.isnan(measure(activity, variant=variant)).all()
    assert not unit_types(activity, variant=variant).any()


def test_rounding_noise_on_a_constant_is_not_a_preference():
    single = np.full((1, 3, 3), 0.1, np.float32)
    single[0, 1, 1] = np.nextafter(np.float32(0.1), np.float32(1))
    assert np.isnan(specialization(single)).all()
    assert not np.isnan(specialization(np.eye(3)[None] * 1e-30)).any()  # small is not noisy


def test_empty_cells_are_left_out():
    # Present: category 0 at 1.0 and 0.8, category 1 at 0.0 and 0.4, category 2 nowhere.
    activity = np.array([[[1.0, 0.8, NAN], [NAN, 0.0, 0.4], [NAN, NAN, NAN]]])
    assert selectivity(activity) == pytest.approx((0.9 - 0.2) / (0.9 + 0.2))
    assert invariance(activity) == pytest.approx(0.8)
    lonely = np.array([[[1.0, NAN], [0.2, 0.0]]])  # one cell cannot show invariance
    assert selectivity(lonely) == pytest.approx((1 - 0.1) / (1 + 0.1))
    assert np.isnan(invariance(lonely)).all()


def test_with_nothing_to_compare_there_is_no_selectivity():
    assert np.isnan(selectivity(np.array([[[1.0, 2.0, 3.0]]]))).all()
    assert np.isnan(specialization(np.array([[[1.0, 2.0, 3.0]]]))).all()
    assert selectivity(np.zeros((0, 3, 3))).shape == (0,)


def test_the_release_prefers_the_row_of_the_largest_cell():
    # Row maxima 1.0, 0.6, 0.0 → row 0; â = 1/3, ā = (1.8 + 0)/6 = 0.3; S = (1/3 − 0.3)/(1/3 + 0.3); I = min = 0.
    activity = np.array([[[1.0, 0.0, 0.0], [0.6, 0.6, 0.6], [0.0, 0.0, 0.0]]])
    assert selectivity(activity, variant="as_released") == pytest.approx((1 / 3 - 0.3) / (1 / 3 + 0.3))
    assert invariance(activity, variant="as_released") == pytest.approx(0)
    # The paper: row sums 1.0, 1.8, 0.0 → row 1; â = 0.6, ā = 1/6; invariance = 1 − 0.
    assert selectivity(activity) == pytest.approx((0.6 - 1 / 6) / (0.6 + 1 / 6))
    assert invariance(activity) == pytest.approx(1)
    # Marginals: row means 1/3, 0.6, 0; column means 1.6/3, 0.2, 0.2. The larger, 0.6, is a row: a category unit.
    assert unit_types(activity, variant="as_released").tolist() == [True]


def test_in_the_release_selectivity_can_be_negative_and_specialization_undefined():
    # Row 0 holds the largest cell but is weak: â = 1/3, ā = 0.9, S = (1/3 − 0.9)/(1/3 + 0.9) < 0.
    # Row means 1/3, 0.9; column means 0.95, 0.45, 0.45: the larger is a column, so rows must be made to win.
    activity = np.array([[[1.0, 0.0, 0.0], [0.9, 0.9, 0.9]]])
    assert selectivity(activity, variant="as_released") == pytest.approx((1 / 3 - 0.9) / (1 / 3 + 0.9))
    # A third row lowers the columns: row means 1/3, 0.9, 0; column means 1.9/3, 0.3, 0.3. Now rows win and Γ is NaN.
    activity = np.array([[[1.0, 0.0, 0.0], [0.9, 0.9, 0.9], [0.0, 0.0, 0.0]]])
    assert unit_types(activity, variant="as_released").tolist() == [True]
    assert selectivity(activity, variant="as_released") == pytest.approx((1 / 3 - 0.45) / (1 / 3 + 0.45))
    assert np.isnan(specialization(activity, variant="as_released")).all()
    assert specialization(activity)[0] > 0  # the paper's own formula has no trouble


def test_in_the_release_a_tie_is_a_category_unit():
    assert unit_types(np.array([[[1.0, 0.0], [0.0, 0.0]]]), variant="as_released").tolist() == [True]


def test_a_fixed_scale_can_be_chosen_by_name():
    activity = np.array([[[2.0, 2.0], [1.0, 1.0]]])
    # min–max: 1 against 0. max: 1 against 0.5, S = 0.5/1.5. none: the same ratio.
    assert selectivity(activity) == pytest.approx(1)
    assert selectivity(activity, scaling="max") == pytest.approx(1 / 3)
    assert selectivity(activity, scaling="none") == pytest.approx(1 / 3)
    assert np.isnan(selectivity(-activity, scaling="max")).all()
    assert np.isnan(selectivity(-activity, scaling="none")).all()


def test_wrong_names_and_shapes_are_explained():
    with pytest.raises(UnseenError, match="min-max"):
        selectivity(np.zeros((1, 2, 2)), scaling="minmax")
    with pytest.raises(UnseenError, match="as_released"):
        specialization(np.ones((1, 2, 2)), variant="released")
    with pytest.raises((UnseenError, TypeCheckError)):
        invariance(np.ones((2, 2)))
