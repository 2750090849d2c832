import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from scipy import stats

from unseen.measures import mean_interval, paired_test, rank_correlation
from unseen.vocabulary.errors import UnseenError


@pytest.mark.parametrize("n", [3, 8, 20, 60])
def test_the_paired_tests_agree_with_scipy(n):
    rng = np.random.default_rng(n)
    a = rng.normal(0.6, 0.1, n)
    b = a + rng.normal(0.03, 0.05, n)
    found = paired_test(a, b)
    assert found.t_p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert found.wilcoxon_p == pytest.approx(stats.wilcoxon(a, b).pvalue)
    low, high = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.difference.low, found.difference.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.n, found.dropped, found.reason) == (n, 0, "")


def test_three_pairs_by_hand():
    # Differences .17, .13, .17: mean .47/3, s² = (2·(.04/3)² + (.08/3)²)/2, t = mean/(s/√3) with 2 degrees of freedom.
    found = paired_test(np.array([0.62, 0.60, 0.66]), np.array([0.45, 0.47, 0.49]))
    s = np.sqrt((2 * (0.04 / 3) ** 2 + (0.08 / 3) ** 2) / 2)
    t = (0.47 / 3) / (s / np.sqrt(3))
    assert found.difference.value == pytest.approx(0.47 / 3)
    assert found.t_p == pytest.approx(2 * stats.t.sf(t, 2))
    assert found.wilcoxon_p == pytest.approx(0.25)  # 2 of the 2³ sign patterns are as extreme


@settings(max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9))
def test_tied_and_zero_differences_give_a_probability_and_no_warning(steps):
    a = 0.5 + np.array(steps) / 10
    found = paired_test(a, np.full(len(a), 0.5))
    assert 0 < found.wilcoxon_p <= 1
    assert np.isnan(found.t_p) == (len(set(steps)) == 1 and steps[0] != 0)
    swapped = paired_test(np.full(len(a), 0.5), a)
    assert swapped.wilcoxon_p == pytest.approx(found.wilcoxon_p)
    assert swapped.difference.value == pytest.approx(-found.difference.value)


def test_identical_pairs_show_no_difference():
    found = paired_test(np.array([0.4, 0.6]), np.array([0.4, 0.6]))
    assert (found.t_p, found.wilcoxon_p, found.difference.value) == (1, 1, 0)
    assert "identical" in found.reason


def test_equal_differences_have_no_t_test_even_when_rounding_makes_them_unequal():
    found = paired_test(np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.7, 0.6]))
    assert np.isnan(found.t_p)
    assert found.wilcoxon_p == pytest.approx(0.25)
    assert "no variance" in found.reason


def test_incomplete_pairs_are_dropped_and_counted():
    a, b = np.array([0.5, np.nan, 0.7, 0.9]), np.array([0.4, 0.5, np.nan, 0.6])
    found = paired_test(a, b)
    assert (found.n, found.dropped, found.difference.dropped) == (2, 2, 2)
    assert found.difference.low == pytest.approx(mean_interval(np.array([0.1, 0.3])).low)
    alone = paired_test(a[:1], b[:1])
    assert np.isnan([alone.t_p, alone.wilcoxon_p, alone.difference.low]).all()
    assert (alone.n, alone.difference.value) == (1, pytest.approx(0.1))
    assert "two pairs" in alone.reason
    assert paired_test(np.array([]), np.array([])).n == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=9, max_size=40))
def test_the_rank_correlation_agrees_with_scipy_ties_included(pairs):
    x, y = np.array(pairs, float).T
    found = rank_correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found.correlation.value)
        assert "constant" in found.reason
        return
    oracle = stats.spearmanr(x, y)
    assert found.correlation.value == pytest.approx(oracle.statistic)
    assert found.p == pytest.approx(oracle.pvalue, abs=1e-5)
    if not found.reason:
        assert -1 <= found.correlation.low <= found.correlation.value <= found.correlation.high <= 1


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_the_p_value_of_few_pairs_counts_every_order(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=n), rng.integers(0, 3, n) + np.arange(n) / 2
    found = rank_correlation(x, y)
    oracle = stats.permutation_test(
        (x,), lambda x: stats.spearmanr(x, y).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    assert found.p == pytest.approx(oracle.pvalue)


def test_the_interval_of_a_correlation_by_hand():
    # Ranks 1 3 2 4 6 5 against 1…6: Σd² = 4, r = 1 − 6·4/(6·35) = 31/35.
    found = rank_correlation(np.arange(6.0), np.array([1.0, 3, 2, 4, 6, 5])).correlation
    r = 31 / 35
    half = 1.959964 * np.sqrt((1 + r**2 / 2) / 3)
    assert found.value == pytest.approx(r)
    assert found.low == pytest.approx(np.tanh(np.arctanh(r) - half), abs=1e-6)
    assert found.high == pytest.approx(np.tanh(np.arctanh(r) + half), abs=1e-6)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's ρ of a normal pair with correlation 0.6
    draws = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=(400, 24))
    found = [rank_correlation(*draw.T).correlation for draw in draws]
    assert 0.92 <= np.mean([i.low <= truth <= i.high for i in found]) <= 0.98


@given(st.integers(4, 30), st.sampled_from([1, -1]))
def test_a_perfect_order_has_no_interval_and_says_so(n, sign):
    found = rank_correlation(np.arange(n) ** 3.0, sign * np.arange(n, dtype=float))
    assert found.correlation.value == sign
    assert np.isnan([found.correlation.low, found.correlation.high]).all()
    assert 0 < found.p <= 2 / 24
    assert "perfect" in found.reason


def test_missing_pairs_are_dropped_and_too_few_are_explained():
    x, y = np.array([1.0, 2, np.nan, 4, 5, 3]), np.array([2.0, 1, 3, 4, np.inf, 5])
    found = rank_correlation(x, y)
    assert (found.n, found.dropped, found.correlation.n) == (4, 2, 4)
    assert found.correlation.value == pytest.approx(stats.spearmanr([1, 2, 4, 3], [2, 1, 4, 5]).statistic)
    assert "two pairs" in rank_correlation(x[:1], y[:1]).reason
    assert "four pairs" in rank_correlation(x[[0, 1, 3]], y[[0, 1, 3]]).reason
    with pytest.raises((UnseenError, TypeCheckError)):
        paired_test(x, y[:5])
