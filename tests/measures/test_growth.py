"""Within and across categories, where mistakes go, and how accuracy grows with what is seen (Zaidi et al. 2020)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from unseen.measures import (
    category_accuracy,
    category_growth,
    confusion_quadrants,
    cross_matrix,
    mean_matrix,
    quadrant_counts,
)
from unseen.vocabulary.errors import UnseenError

SIZES = np.array([1.0, 4, 8, 16, 32])


def trials(shape, seeds=3, noise=0.005, seed=0):
    """One accuracy per number of categories and seed."""
    rng = np.random.default_rng(seed)
    n = np.tile(SIZES, seeds)
    return n, shape(n) + rng.normal(0, noise, len(n)), np.repeat(np.arange(seeds), len(SIZES))


answers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30).map(
    lambda rows: np.array(rows, dtype=np.int64).reshape(-1, 2)
)
subsets = st.sets(st.integers(0, 4))


class TestQuadrants:
    def test_a_hand_made_table(self):
        truth = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3])
        response = np.array([0, 1, 2, 1, 0, 2, 0, 1, 1, 3])
        # Seen: 0 and 1. Of their four images three stay within; of the six others four are taken for seen ones.
        assert quadrant_counts(truth, response, {0, 1}).tolist() == [[3, 1], [4, 2]]
        np.testing.assert_allclose(confusion_quadrants(truth, response, [0, 1]), [[0.75, 0.25], [4 / 6, 2 / 6]])

    @given(answers, subsets)
    def test_each_row_adds_up_to_one_or_has_no_image(self, rows, seen):
        found = confusion_quadrants(rows[:, 0], rows[:, 1], seen)
        counts = quadrant_counts(rows[:, 0], rows[:, 1], seen)
        assert counts.sum() == len(rows)
        for share, n in zip(found, counts.sum(axis=1)):
            assert np.isnan(share).all() if not n else share.sum() == pytest.approx(1)

    @given(answers, subsets, st.permutations(range(5)))
    def test_relabelling_categories_changes_nothing(self, rows, seen, order):
        moved = np.array(order)[rows]
        np.testing.assert_array_equal(
            confusion_quadrants(moved[:, 0], moved[:, 1], {order[c] for c in seen}),
            confusion_quadrants(rows[:, 0], rows[:, 1], seen),
        )

    @given(answers, subsets)
    def test_naming_the_other_set_turns_the_table_around(self, rows, seen):
        np.testing.assert_array_equal(
            confusion_quadrants(rows[:, 0], rows[:, 1], set(range(5)) - seen)[::-1, ::-1],
            confusion_quadrants(rows[:, 0], rows[:, 1], seen),
        )


def test_within_and_across_are_computed_on_transformed_images_alone():
    category = np.array([0, 0, 0, 1, 1, 1, 1])
    transformed = np.array([True, True, False, True, True, True, False])
    response = np.array([0, 0, 1, 1, 0, 0, 1])
    found = category_accuracy(category, response, category, transformed, {0})
    assert (found.within.value, found.within.n) == (1, 2)
    assert (found.across.value, found.across.n) == (pytest.approx(1 / 3), 3)
    assert (found.plain.value, found.plain.n) == (0.5, 2)
    assert found.across.method == "Clopper–Pearson"
    assert found.within.low == pytest.approx(0.025**0.5)  # exact for 2 of 2
    every = category_accuracy(category, response, category, transformed, {0, 1})
    assert every.across.n == 0
    assert np.isnan(every.across.value)


def test_a_cross_matrix_counts_what_was_asked():
    truth, response = np.array([0, 1, 0, 1, 1]), np.array([0, 1, 1, 0, 1])
    found = cross_matrix(truth, response, np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]), shape=(2, 2))
    np.testing.assert_array_equal(found.accuracy, [[1, 0], [np.nan, 0.5]])
    assert found.n.tolist() == [[2, 1], [0, 2]]
    assert (found.low[0, 1], found.high[0, 0]) == (0, 1)


def test_a_matrix_over_seeds_has_t_intervals():
    found = mean_matrix(np.array([[[0.70, 0.1]], [[0.72, np.nan]], [[0.74, 0.3]]]))
    np.testing.assert_allclose(found.accuracy, [[0.72, 0.2]])
    assert found.n.tolist() == [[3, 2]]
    assert found.low[0, 0] == pytest.approx(0.670, abs=1e-3)


class TestGrowth:
    def test_both_shapes_are_told_apart(self):
        straight = category_growth(*trials(lambda n: 0.1 + 0.02 * n))
        bent = category_growth(*trials(lambda n: 0.1 + 0.2 * np.log(n)))
        assert (straight.verdict, bent.verdict) == ("linear", "logarithmic")
        assert straight.advantage.high < 0 < bent.advantage.low
        assert straight.linear.slope.value == pytest.approx(0.02, abs=1e-3)
        assert straight.linear.slope.low <= straight.linear.slope.value <= straight.linear.slope.high
        assert bent.logarithmic.slope.value == pytest.approx(0.2, abs=5e-3)
        assert (bent.n, bent.seeds) == (15, 3)

    def test_least_squares_and_aic_agree_with_numpy(self):
        n, y, seeds = trials(lambda n: 0.1 + 0.02 * n, noise=0.05)
        found = category_growth(n, y, seeds)
        for fit, g in ((found.linear, n), (found.logarithmic, np.log(n))):
            (slope, intercept), rest, *_ = np.polyfit(g, y, 1, full=True)
            assert fit.slope.value == pytest.approx(slope)
            assert fit.intercept == pytest.approx(intercept)
            assert fit.residual == pytest.approx(rest[0])
            assert fit.r2 == pytest.approx(np.corrcoef(g, y)[0, 1] ** 2)
            assert fit.aic == pytest.approx(len(n) * np.log(rest[0] / len(n)) + 6)
        assert found.advantage.value == pytest.approx(found.linear.aic - found.logarithmic.aic)

    @given(st.integers(0, 50))
    def test_the_order_of_trials_and_names_of_seeds_do_not_matter(self, seed):
        n, y, seeds = trials(lambda n: 0.1 + 0.1 * np.log(n), noise=0.05, seed=seed)
        order = np.random.default_rng(seed).permutation(len(n))
        one, two = category_growth(n, y, seeds), category_growth(n[order], y[order], 7 - seeds[order])
        assert one.verdict == two.verdict
        assert one.advantage.low == pytest.approx(two.advantage.low)
        assert one.advantage.value == pytest.approx(two.advantage.value)

    def test_noise_that_hides_the_shape_leaves_it_undecided(self):
        verdicts = [category_growth(*trials(lambda n: 0.3 + 0.001 * n, noise=0.1, seed=s)).verdict for s in range(12)]
        assert verdicts.count("undecided") >= 8

    def test_a_flat_or_falling_curve_does_not_grow(self):
        assert "does not surely grow" in category_growth(*trials(lambda n: 0.9 - 0.01 * n)).reason
        flat = category_growth(SIZES, np.full(5, 0.5), np.zeros(5, int))
        assert (flat.verdict, flat.reason) == ("undecided", "accuracy never changes")

    def test_one_seed_has_no_interval_and_two_sizes_no_shape(self):
        one = category_growth(SIZES, 0.1 + 0.02 * SIZES + np.array([0.01, 0, 0.01, 0, 0.01]), np.zeros(5, int))
        assert (one.verdict, one.reason) == ("undecided", "fewer than 3 repeats decide nothing")
        assert np.isnan(one.advantage.low)
        assert one.advantage.value < 0
        two = category_growth(np.array([1.0, 2, 1, 2]), np.array([0.1, 0.2, 0.1, 0.3]), np.array([0, 0, 1, 1]))
        assert (two.verdict, two.reason) == ("undecided", "needs three different numbers of categories")

    def test_exact_fits_are_decided_without_warnings_unless_all_seeds_coincide(self):
        n, seeds = np.tile(SIZES, 3), np.repeat([0, 1, 2], 5)
        assert category_growth(n, 1.0 + 2.0 * n, seeds).verdict == "undecided"
        exact = category_growth(n, (1.0 + 0.1 * seeds) * (1.0 + 2.0 * n) - 0.1 * seeds, seeds)
        assert category_growth(n, (1.0 + 0.1 * seeds) * (1.0 + 2.0 * n), seeds).verdict == "linear"
        exact = category_growth(n[:5], 1.0 + 2.0 * n[:5], seeds[:5])
        assert exact.advantage.value == -np.inf

    def test_none_seen_and_missing_accuracies_are_left_out_and_counted(self):
        n, y, seeds = trials(lambda n: 0.1 + 0.02 * n)
        more = category_growth(np.r_[n, 0.0, 4.0], np.r_[y, 0.1, np.nan], np.r_[seeds, 0, 1])
        assert more.dropped == 2
        assert more.advantage.value == pytest.approx(category_growth(n, y, seeds).advantage.value)

    def test_many_seeds_are_drawn_and_not_listed(self):
        found = category_growth(*trials(lambda n: 0.1 + 0.1 * np.log(n), seeds=8), draws=200)
        assert found.verdict == "logarithmic"
        assert found.advantage.n == 8

    def test_lists_of_different_length_are_refused(self):
        with pytest.raises((UnseenError, TypeCheckError), match="seeds"):
            category_growth(SIZES, SIZES, np.zeros(2, int))
