import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from scipy import stats

from unseen.measures import rank_correlation, spearman
from unseen.vocabulary.errors import UnseenError


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=9, max_size=40))
def test_the_rank_correlation_agrees_with_scipy_ties_included(pairs):
    x, y = np.array(pairs, float).T
    found = rank_correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found.correlation.value)
        assert "constant" in found.reason
        return
    oracle = stats.spearmanr(x, y)
    assert found.correlation.value == spearman(x, y) == pytest.approx(oracle.statistic)
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
        rank_correlation(x, y[:5])
