"""DCI and MIG on codes whose order is known because it was made by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score, r2_score

from unseen.measures import dci, mig
from unseen.measures.disentanglement import REGRESSORS, discretised
from unseen.vocabulary.errors import UnseenError

N, LEVELS = 1200, (6, 8, 5)


def made(seed=0, n=N, levels=LEVELS):
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, m, n) for m in levels], axis=1)


def ordered(factors, seed=1):
    """One latent per factor, in other units, with a little noise."""
    noise = np.random.default_rng(seed).normal(size=factors.shape)
    return factors * np.array([1.0, -3.0, 0.5])[: factors.shape[1]] + 0.01 * noise + 4


def rotated(factors, seed=2):
    codes = (factors - factors.mean(0)) / factors.std(0)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(factors.shape[1],) * 2))
    return codes @ turn


# DCI


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_an_ordered_code_scores_one_and_a_rotated_one_less(regressor):
    factors = made()
    whole, turned = (dci(codes, factors, seed=0, regressor=regressor) for codes in (ordered(factors), rotated(factors)))
    assert min(whole.disentanglement, whole.completeness, whole.informativeness) > 0.95
    assert max(turned.disentanglement, turned.completeness) < 0.7
    assert (whole.n_fitted, whole.n_asked, whole.dropped, whole.regressor) == (840, 360, 0, regressor)
    assert np.argmax(whole.importance, axis=0).tolist() == [0, 1, 2]
    assert whole.dead == whole.one_level == whole.unexplained == ()
    if regressor == "lasso":  # a line can undo a rotation: informative, and yet in disorder
        assert turned.informativeness > 0.95


def test_a_latent_that_holds_two_factors_is_entangled_but_complete():
    factors = made(levels=(4, 4, 6))
    both = np.stack([factors[:, 0] * 4.0 + factors[:, 1], factors[:, 2]], axis=1)
    scores = dci(both, factors, seed=0)
    assert scores.completeness > 0.9
    assert scores.latents[0] < 0.5 < 0.9 < scores.latents[1]


def test_a_factor_in_two_latents_is_disentangled_but_incomplete():
    factors = made(levels=(16, 6))
    spread = np.stack([factors[:, 0] // 4, factors[:, 0] % 4, factors[:, 1]], axis=1).astype(float)
    scores = dci(spread, factors, seed=0)
    assert scores.disentanglement > 0.9
    assert scores.factors[0] < 0.8 < 0.9 < scores.factors[1]  # a quarter is worth more than a sixteenth


def test_scores_are_one_minus_the_entropy_of_the_importances():
    factors = made(n=400)
    scores = dci(rotated(factors), factors, seed=0)
    share = scores.importance
    latents = 1 - entropy(share, axis=1, base=share.shape[1])
    np.testing.assert_allclose(scores.latents, latents, atol=1e-9)
    np.testing.assert_allclose(scores.factors, 1 - entropy(share, axis=0, base=share.shape[0]), atol=1e-9)
    assert scores.disentanglement == pytest.approx(np.sum(latents * share.sum(1)) / share.sum())
    assert scores.completeness == pytest.approx(np.mean(scores.factors))


def test_informativeness_is_r2_on_rows_that_were_not_fitted():
    factors, rng = made(n=500, levels=(5,)), np.random.default_rng(0)
    codes = np.stack([factors[:, 0] + rng.normal(size=500), rng.normal(size=500)], axis=1)
    scores = dci(codes, factors, seed=3, regressor="lasso")
    from sklearn.linear_model import Lasso

    order = np.random.default_rng(3).permutation(500)
    held, fitted = order[:150], order[150:]
    z = (codes - codes[fitted].mean(0)) / codes[fitted].std(0)
    y = (factors[:, 0] - factors[fitted, 0].mean()) / factors[fitted, 0].std()
    theirs = r2_score(y[held], Lasso(alpha=0.01).fit(z[fitted], y[fitted]).predict(z[held]))
    assert scores.informativeness == pytest.approx(theirs)
    assert 0.2 < scores.informativeness < 0.9
    assert np.isnan(scores.disentanglement)  # one factor: no other that a latent could be entangled with


def test_dead_latents_and_one_level_factors_are_counted_and_change_no_other_score():
    factors = made()
    plain = dci(ordered(factors), factors, seed=0)
    padded_codes = np.insert(ordered(factors), 1, 0.1, axis=1)
    padded_factors = np.insert(factors, 3, 2, axis=1)
    padded = dci(padded_codes, padded_factors, seed=0)
    assert (padded.dead, padded.one_level) == ((1,), (3,))
    assert np.isnan([padded.latents[1], padded.factors[3], padded.explained[3]]).all()
    assert padded.informativeness == pytest.approx(plain.informativeness)
    assert padded.disentanglement == pytest.approx(plain.disentanglement)
    assert padded.importance.shape == (4, 4)


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_a_constant_code_has_no_order_and_tells_nothing(regressor):
    factors = made(n=300)
    scores = dci(np.full((300, 4), 1.5), factors, seed=0, regressor=regressor)
    assert np.isnan([scores.disentanglement, scores.completeness]).all()
    assert scores.informativeness == pytest.approx(0, abs=0.05)
    assert scores.dead == (0, 1, 2, 3)
    assert scores.unexplained == (0, 1, 2)


def test_order_says_nothing_where_a_code_is_not_informative():
    factors, noise = made(), np.random.default_rng(5).normal(size=(N, 3))
    scores = dci(noise, factors, seed=0, regressor="lasso")
    assert scores.informativeness < 0.05
    assert scores.completeness > 0.5  # whichever chance correlation is largest looks like order
    many = dci(np.random.default_rng(5).normal(size=(60_000, 3)), made(n=60_000), seed=0, regressor="lasso")
    assert many.unexplained  # with enough images chance correlations vanish, and so do the weights
    assert all(np.isnan(many.factors[j]) for j in many.unexplained)
    assert all(np.isnan(many.latents[i]) for i in many.unread)


def test_the_same_seed_gives_the_same_scores_and_rows_that_are_not_finite_are_counted():
    factors = made(n=300)
    codes = rotated(factors)
    codes[[3, 9], [0, 2]] = np.nan, np.inf
    first, second = dci(codes, factors, seed=7), dci(codes, factors, seed=7)
    np.testing.assert_array_equal(first.importance, second.importance)
    assert (first.dropped, first.n_fitted + first.n_asked) == (2, 298)


def test_bad_input_of_dci_is_explained():
    factors = made(n=10)
    codes = ordered(factors)
    with pytest.raises(UnseenError, match="Did you mean 'random_forest'"):
        dci(codes, factors, seed=0, regressor="random-forest")
    with pytest.raises(UnseenError, match="between 0 and 1"):
        dci(codes, factors, seed=0, asked=1.0)
    with pytest.raises(UnseenError, match="there are 0 with finite codes"):
        dci(codes * np.nan, factors, seed=0)


# MIG


@given(st.integers(0, 99), st.integers(2, 4), st.integers(1, 3))
def test_information_is_that_of_scikit_learn_and_bins_are_those_of_numpy(seed, latents, factors):
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 5, (80, factors))
    codes = rng.normal(size=(80, latents)) + levels[:, :1]
    scores = mig(codes, levels)
    places = discretised(codes)
    for i in range(latents):
        edges = np.histogram(codes[:, i], 20)[1][:-1]
        assert (np.digitize(codes[:, i], edges) - 1).tolist() == places[:, i].tolist()
    theirs = np.array([[mutual_info_score(levels[:, j], places[:, i]) for j in range(factors)] for i in range(latents)])
    np.testing.assert_allclose(scores.information, theirs, atol=1e-12)
    own = [mutual_info_score(column, column) for column in levels.T]
    np.testing.assert_allclose(scores.entropy, own)
    best = np.sort(theirs, axis=0)
    np.testing.assert_allclose(scores.factors, (best[-1] - best[-2]) / own, atol=1e-12)
    assert scores.value == pytest.approx(scores.factors.mean())


def test_mig_is_one_for_an_ordered_code_less_for_a_rotated_one_and_zero_for_a_constant_or_doubled_one():
    factors = made()
    assert mig(ordered(factors), factors).value > 0.95
    assert mig(rotated(factors), factors).value < 0.5
    pair = made(levels=(6, 6))
    halfway = np.stack([pair[:, 0] + pair[:, 1], pair[:, 0] - pair[:, 1]], axis=1).astype(float)
    assert mig(halfway, pair).value < 0.05  # turned by 45°, both latents know as much of each factor
    assert mig(np.hstack([ordered(factors)] * 2), factors).value == pytest.approx(0, abs=1e-12)
    constant = mig(np.ones((N, 3)), factors)
    assert constant.value == 0
    assert constant.dead == (0, 1, 2)


@settings(max_examples=10)
@given(st.permutations(range(3)), st.permutations(range(3)), st.integers(0, 9))
def test_the_order_of_latents_and_factors_does_not_matter(latents, factors, seed):
    levels = made(seed, n=200)
    codes = rotated(levels, seed)
    before, after = mig(codes, levels), mig(codes[:, latents], levels[:, factors])
    np.testing.assert_allclose(after.factors, before.factors[list(factors)], atol=1e-12)
    lasso = [
        dci(c, v, seed=0, regressor="lasso") for c, v in ((codes, levels), (codes[:, latents], levels[:, factors]))
    ]
    np.testing.assert_allclose(lasso[1].factors, lasso[0].factors[list(factors)], atol=1e-2)
    np.testing.assert_allclose(lasso[1].latents, lasso[0].latents[list(latents)], atol=1e-2)


def test_mig_does_not_depend_on_the_units_of_a_latent():
    factors = made(n=300)
    codes = rotated(factors)
    assert mig(codes * [2.0, -4.0, 0.5] + 8, factors).value == pytest.approx(mig(codes, factors).value, abs=0.02)


def test_one_level_factors_and_lost_rows_of_mig_are_counted():
    factors = np.insert(made(n=300), 1, 0, axis=1)
    codes = ordered(factors[:, [0, 2, 3]])
    codes[5, 0] = np.nan
    scores = mig(codes, factors)
    assert (scores.one_level, scores.dropped, scores.n, scores.bins) == ((1,), 1, 299, 20)
    assert np.isnan(scores.factors).tolist() == [False, True, False, False]
    assert scores.value > 0.9
    alone = mig(codes[:, :1], factors[:, :1])
    assert alone.value > 0.95  # no second latent: the gap is to nothing
    nothing = mig(codes, np.zeros((300, 2), int))
    assert np.isnan(nothing.value)
    assert nothing.one_level == (0, 1)


def test_bad_input_of_mig_is_explained():
    factors = made(n=10)
    with pytest.raises(UnseenError, match="two bins"):
        mig(ordered(factors), factors, bins=1)
    with pytest.raises(UnseenError, match="no row with finite codes"):
        mig(ordered(factors) * np.nan, factors)
