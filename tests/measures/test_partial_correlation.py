"""Correlation with a third quantity held fixed."""

import numpy as np
import pytest
from scipy import stats

from unseen.measures import partial_rank_correlation, rank_correlation

RNG = np.random.default_rng(0)


def residuals(values, given):
    """What a straight line in the ranks of ``given`` leaves of the ranks of ``values``."""
    ranks, by = stats.rankdata(values), stats.rankdata(given)
    line = stats.linregress(by, ranks)
    return ranks - line.intercept - line.slope * by


def test_it_is_the_correlation_of_what_the_third_leaves_unexplained():
    z = RNG.normal(size=60)
    x, y = z + RNG.normal(size=60), z + RNG.normal(size=60)
    result = partial_rank_correlation(x, y, z)
    assert result.correlation.value == pytest.approx(stats.pearsonr(residuals(x, z), residuals(y, z))[0])
    assert result.correlation.low < result.correlation.value < result.correlation.high


def test_two_quantities_that_only_share_a_cause_correlate_plainly_and_not_partially():
    z = np.repeat(np.arange(8.0), 40)
    x, y = z + 0.3 * RNG.normal(size=320), z + 0.3 * RNG.normal(size=320)
    assert rank_correlation(x, y).correlation.value > 0.9
    partial = partial_rank_correlation(x, y, z).correlation
    assert partial.low < 0 < partial.high


def test_an_unrelated_third_changes_little():
    x = RNG.normal(size=400)
    y, z = x + RNG.normal(size=400), RNG.normal(size=400)
    plain, partial = rank_correlation(x, y), partial_rank_correlation(x, y, z)
    assert partial.correlation.value == pytest.approx(plain.correlation.value, abs=0.02)
    assert partial.p < 1e-6


def test_missing_values_are_dropped_and_counted():
    x, y, z = RNG.normal(size=(3, 20))
    x[3], z[7] = np.nan, np.inf
    result = partial_rank_correlation(x, y, z)
    assert (result.n, result.dropped) == (18, 2)


@pytest.mark.parametrize("fixed", [np.ones(10), np.arange(10.0)])
def test_where_nothing_is_left_to_correlate_the_reason_is_told(fixed):
    result = partial_rank_correlation(np.arange(10.0), RNG.normal(size=10), fixed)
    assert np.isnan(result.correlation.value)
    assert result.reason
