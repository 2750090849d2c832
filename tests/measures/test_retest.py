import numpy as np
import pytest
from scipy import stats

from unseen.measures import fit_line, from_scale, mean_drop, to_scale
from unseen.vocabulary.errors import UnseenError

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0.55, 0.9, 60))


@pytest.mark.parametrize("scale", ["linear", "probit", "logit"])
def test_the_line_is_scipys_and_its_interval_near_the_normal_one(scale):
    y = from_scale(1.2 * to_scale(X, scale) - 0.3 + RNG.normal(0, 0.02, 60), scale)
    line, other = fit_line(X, y, scale), stats.linregress(to_scale(X, scale), to_scale(y, scale))
    assert (line.slope.value, line.intercept.value) == pytest.approx((other.slope, other.intercept), rel=1e-9)
    assert line.r2 == pytest.approx(other.rvalue**2)
    half = stats.t.ppf(0.975, 58) * other.stderr
    assert (line.slope.low, line.slope.high) == pytest.approx((other.slope - half, other.slope + half), abs=0.3 * half)


def test_models_that_have_no_place_on_a_scale_are_counted():
    line = fit_line(np.array([0.0, 0.5, 0.6, 0.7, np.nan]), np.array([0.1, 0.4, 0.5, 0.6, 0.5]), "probit")
    assert (line.n, line.dropped) == (3, 2)


def test_two_models_are_no_line():
    line = fit_line(np.array([0.5, 0.6]), np.array([0.4, 0.5]))
    assert np.isnan(line.slope.value)
    assert np.isnan(fit_line(np.array([0.5, 0.5, 0.5]), np.array([0.4, 0.5, 0.3])).slope.value)


def test_percent_are_refused_and_unknown_scales_named():
    with pytest.raises(UnseenError, match="Divide percent by 100"):
        fit_line(np.array([50.0, 60, 70]), np.array([40.0, 50, 60]))
    with pytest.raises(UnseenError, match="probit"):
        fit_line(X, X, "probits")


def test_the_mean_drop_has_the_interval_of_scipys_bootstrap():
    y = X - 0.1 + RNG.normal(0, 0.02, 60)
    found = mean_drop(X, y)
    other = stats.bootstrap((X - y,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.001)


def test_models_that_are_equal_but_for_rounding_have_no_line():
    x = np.array([0.3, 0.1 + 0.2, 0.3])
    line = fit_line(x, np.array([0.2, 0.25, 0.3]))
    assert np.isnan(line.slope.value)
    assert np.isnan(line.above_one)


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_a_slope_is_given_where_no_resample_has_two_points(draws):
    """Of three models, some so few resamples take one of them thrice."""
    for n in range(3, 6):
        x = np.linspace(0.5, 0.9, n)
        line = fit_line(x, 0.8 * x, draws=draws)
        assert np.isclose(line.slope.value, 0.8)
    x = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.9])  # the one that differs is left out of both draws
    for other in range(6):
        assert np.isfinite(fit_line(np.roll(x, other), np.roll(0.8 * x, other), draws=draws).slope.value)
