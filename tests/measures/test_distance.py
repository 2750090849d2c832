import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from jaxtyping import TypeCheckError

from unseen.measures import level_distances, nearest_seen_distance
from unseen.vocabulary.errors import UnseenError

LINE = np.arange(5.0)[:, None]
POSITIONS = np.array([[r, c] for r in range(3) for c in range(3)], float)


def cells(*true, shape=(1, 5)):
    grid = np.zeros(shape, bool)
    grid[tuple(np.array(true).T)] = True
    return grid


def test_an_ordinal_factor_counts_the_steps_and_a_circular_one_wraps():
    seen, asked = cells((0, 0)), cells((0, 4), (0, 2))
    np.testing.assert_array_equal(nearest_seen_distance(seen, asked, LINE), [[np.nan, np.nan, 2, np.nan, 4]])
    around = nearest_seen_distance(seen, asked, LINE, period=5.0)
    np.testing.assert_array_equal(around, [[np.nan, np.nan, 2, np.nan, 1]])


def test_values_may_stand_in_for_indices():
    angles = np.array([0.0, 10.0, 350.0])[:, None]
    found = nearest_seen_distance(
        np.array([[True, False, False]]), np.array([[False, True, True]]), angles, period=360.0
    )
    np.testing.assert_array_equal(found, [[np.nan, 10, 10]])


def test_positions_on_a_grid_have_a_metric_of_their_own():
    seen, asked = np.zeros((1, 9), bool), np.zeros((1, 9), bool)
    seen[0, 0] = asked[0, 8] = True  # opposite corners of 3×3
    assert nearest_seen_distance(seen, asked, POSITIONS)[0, 8] == pytest.approx(np.sqrt(8))
    assert nearest_seen_distance(seen, asked, POSITIONS, metric="chebyshev")[0, 8] == 2


def test_levels_without_order_are_the_same_or_not():
    found = nearest_seen_distance(cells((0, 0)), cells((0, 0), (0, 3)), LINE, metric="nominal")
    np.testing.assert_array_equal(found, [[0, np.nan, np.nan, 1, np.nan]])


def test_only_the_same_category_brings_a_viewpoint_near():
    seen = cells((0, 0), (1, 4), shape=(2, 5))
    asked = cells((0, 4), (1, 3), shape=(2, 5))
    found = nearest_seen_distance(seen, asked, LINE)
    assert found[0, 4] == 4  # category 1 was seen at viewpoint 4, category 0 was not
    assert found[1, 3] == 1


def test_a_category_that_was_never_seen_is_infinitely_far():
    assert nearest_seen_distance(cells((0, 0), shape=(2, 5)), cells((1, 0), shape=(2, 5)), LINE)[1, 0] == np.inf


masks = arrays(bool, (3, 5))


@given(masks, masks, st.none() | st.just(5.0), st.sampled_from(["euclidean", "chebyshev", "nominal"]))
def test_it_is_the_smallest_distance_found_by_looking_at_every_seen_cell(seen, asked, period, metric):
    found = nearest_seen_distance(seen, asked, LINE, period, metric=metric)
    between = level_distances(LINE, period, metric=metric)
    np.testing.assert_array_equal(np.isnan(found), ~asked)
    for row, column in np.argwhere(asked):
        assert found[row, column] == min((between[column, c] for c in np.flatnonzero(seen[row])), default=np.inf)


@given(masks, masks, masks)
def test_seeing_more_never_takes_a_cell_further_away(seen, more, asked):
    before, after = (nearest_seen_distance(s, asked, LINE)[asked] for s in (seen, seen | more))
    assert np.all(after <= before)


@given(arrays(float, (5, 2), elements=st.integers(-20, 20).map(float)), st.sampled_from(["euclidean", "chebyshev"]))
def test_distances_between_levels_are_a_metric_also_around_a_circle(coordinates, metric):
    distance = level_distances(coordinates, 7.0, metric=metric)
    np.testing.assert_allclose(distance, distance.T)
    assert np.all(np.diag(distance) == 0)
    assert np.all(distance[:, :, None] <= distance[:, None, :] + distance.T[None] + 1e-9)
    np.testing.assert_allclose(level_distances(coordinates + 7.0, 7.0, metric=metric), distance)


def test_grids_that_do_not_fit_are_explained():
    with pytest.raises((UnseenError, TypeCheckError)):
        nearest_seen_distance(cells((0, 0)), cells((0, 0)), LINE[:3])
    with pytest.raises(UnseenError, match="positive"):
        level_distances(LINE, 0.0)
    with pytest.raises(UnseenError, match="Did you mean 'chebyshev'"):
        level_distances(LINE, metric="chebychev")
