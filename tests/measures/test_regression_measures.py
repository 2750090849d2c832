"""R² of factors, modularity, towards the mean: Schott et al. 2022 (seed 001)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from jaxtyping import TypeCheckError
from scipy.stats import binomtest, t
from sklearn.metrics import r2_score

from unseen.measures import (
    asked_variance,
    by_kind,
    factor_kinds,
    factor_scores,
    grid_variance,
    kept_to_range,
    modularity,
    r2,
    seed_summary,
    share_far_outside,
    share_towards_mean,
    towards_mean,
    undefined_factors,
)
from unseen.vocabulary.errors import UnseenError

NAN = np.nan
SHAPES = st.lists(st.integers(2, 6), min_size=1, max_size=4)


def grid(levels):
    """Every cell of the grid, as targets level/(n−1)."""
    cells = np.array(list(product(*(range(n) for n in levels))), float)
    return cells / (np.array(levels) - 1.0)


@st.composite
def answers(draw, least=2):
    """Some images of a grid, with what a network could answer."""
    levels = draw(SHAPES)
    every = grid(levels)
    rows = draw(st.lists(st.integers(0, len(every) - 1), min_size=least, max_size=30))
    noise = draw(arrays(np.float64, (len(rows), len(levels)), elements=st.floats(-2, 2)))
    return levels, every[rows] + noise, every[rows]


# The variance


@given(SHAPES)
def test_the_grid_variance_is_that_of_the_enumerated_grid(levels):
    np.testing.assert_allclose(grid_variance(levels), np.var(grid(levels), axis=0), rtol=1e-12)


def test_the_grid_variances_of_dsprites():
    np.testing.assert_allclose(grid_variance([3, 6, 40, 32, 32]), [4 / 24, 7 / 60, 41 / 468, 33 / 372, 33 / 372])


def test_a_factor_of_one_level_has_no_grid_variance_and_none_at_all_is_an_error():
    assert np.isnan(grid_variance([1, 4])).tolist() == [True, False]
    with pytest.raises(UnseenError, match="at least 1"):
        grid_variance([4, 0])


def test_what_does_not_vary_has_a_variance_of_exactly_zero():
    assert asked_variance(np.full((3, 1), 0.1)).tolist() == [0.0]
    assert np.var([0.1, 0.1, 0.1]) > 0  # rounding alone would make it a denominator
    assert np.isnan(asked_variance(np.zeros((0, 2)))).all()


# R²


@given(answers())
def test_r2_is_that_of_scikit_learn_where_the_variance_is_the_test_sets_own(given_answers):
    _, predicted, true = given_answers
    varies = np.ptp(true, axis=0) > 0
    assume(varies.any())
    ours = r2(predicted, true, asked_variance(true))
    theirs = r2_score(true[:, varies], predicted[:, varies], multioutput="raw_values")
    np.testing.assert_allclose(ours[varies], theirs, rtol=1e-9, atol=1e-9)
    assert np.isnan(ours[~varies]).all()  # scikit-learn says 1 or 0 there


@given(SHAPES)
def test_a_perfect_network_scores_one_and_the_mean_scores_zero_on_the_whole_grid(levels):
    true, names = grid(levels), [f"factor {j}" for j in range(len(levels))]
    for variance in ("grid", "test"):
        perfect = factor_scores(true, true, names=names, levels=levels, variance=variance)
        np.testing.assert_allclose(perfect.r2, 1)
        assert perfect.mean == 1
        mean = factor_scores(np.full_like(true, 0.5), true, names=names, levels=levels, variance=variance)
        np.testing.assert_allclose(mean.r2, 0, atol=1e-12)


@given(answers(), st.floats(0.1, 10), st.floats(-5, 5), st.booleans())
def test_a_change_of_units_changes_nothing(given_answers, factor, shift, mirrored):
    levels, predicted, true = given_answers
    scale = -factor if mirrored else factor
    moved = r2(scale * predicted + shift, scale * true + shift, factor**2 * grid_variance(levels))
    np.testing.assert_allclose(moved, r2(predicted, true, grid_variance(levels)), rtol=1e-6, atol=1e-6)


@given(answers(), st.randoms(use_true_random=False))
def test_the_order_of_factors_and_of_images_does_not_matter(given_answers, random):
    levels, predicted, true = given_answers
    names = [f"f{j}" for j in range(len(levels))]
    factors, images = random.sample(range(len(levels)), len(levels)), random.sample(range(len(true)), len(true))
    before = factor_scores(predicted, true, names=names, levels=levels)
    after = factor_scores(
        predicted[images][:, factors],
        true[images][:, factors],
        names=[names[j] for j in factors],
        levels=[levels[j] for j in factors],
    )
    np.testing.assert_allclose(after.r2, before.r2[factors], rtol=1e-9, atol=1e-9)
    assert after.mean == pytest.approx(before.mean)


@given(answers(), st.floats(0, 1))
def test_shrinking_the_errors_never_lowers_r2(given_answers, share):
    levels, predicted, true = given_answers
    variance = grid_variance(levels)
    assert np.all(r2(true + share * (predicted - true), true, variance) >= r2(predicted, true, variance) - 1e-12)


def test_no_variance_is_named_and_left_out_of_the_mean():
    true = np.array([[0.0, 0.0], [1.0, 0.0]])
    scores = factor_scores(true, true, names=["hue", "size"], levels=[2, 1])
    assert np.isnan(scores.r2).tolist() == [False, True]
    assert (scores.mean, scores.n, scores.variance) == (1.0, 2, "grid")
    assert scores.undefined == {"size": "it has no variance: one level"}


def test_a_network_that_diverged_has_no_mean_rather_than_the_mean_of_its_other_factors():
    true = np.array([[0.0, 0.0], [1.0, 1.0]])
    broken = np.array([[0.0, NAN], [1.0, 1.0]])
    scores = factor_scores(broken, true, names=["hue", "size"], levels=[2, 2])
    assert scores.r2[0] == 1
    assert np.isnan([scores.r2[1], scores.mean]).all()
    assert scores.undefined == {"size": "1 of 2 predictions is not finite"}
    assert r2(np.array([[np.inf]]), np.array([[0.0]]), np.array([0.25])).tolist() == [pytest.approx(NAN, nan_ok=True)]
    assert r2(np.array([[1e200]]), np.array([[0.0]]), np.array([0.25])).tolist() == [-np.inf]


def test_nothing_asked_has_no_score():
    empty = np.zeros((0, 2))
    scores = factor_scores(empty, empty, names=["hue", "size"], levels=[2, 2])
    assert scores.n == 0
    assert np.isnan([*scores.r2, scores.mean]).all()
    assert set(scores.undefined.values()) == {"nothing was asked"}
    assert undefined_factors(empty, empty, np.ones(2), ["a", "b"]) == dict.fromkeys("ab", "nothing was asked")


def test_single_precision_is_good_enough():
    true = grid([4, 5]).astype(np.float32)
    np.testing.assert_allclose(r2(true, true, grid_variance([4, 5])), 1)


def test_bad_input_is_explained():
    two = np.zeros((3, 2))
    with pytest.raises((UnseenError, TypeCheckError)):
        r2(two, np.zeros((4, 2)), np.ones(2))
    with pytest.raises(UnseenError, match="negative"):
        r2(two, two, np.array([1.0, -1.0]))
    with pytest.raises(UnseenError, match="every asked image"):
        r2(two, np.full((3, 2), NAN), np.ones(2))
    with pytest.raises(UnseenError, match="no variance 'gird'; possible: grid, test"):
        factor_scores(two, two, names=["a", "b"], levels=[2, 2], variance="gird")
    with pytest.raises(UnseenError, match="2 factor names"):
        factor_scores(two, two, names=["a", "b"], levels=[2])
    with pytest.raises(UnseenError, match="3 factors"):
        factor_scores(two, two, names=["a", "b", "c"], levels=[2, 2, 2])


# Modularity

NAMES, LEVELS = ["scale", "x", "shape"], [5, 6, 3]


def test_the_factor_that_is_out_and_the_others_are_told_apart():
    true = grid(LEVELS)
    table = {}
    for place, name in enumerate(NAMES):
        out = true[true[:, place] >= 0.79]
        guess = out.copy()
        guess[:, place] = 0.5  # the mean instead of what was never seen
        table[name] = (guess, out)
    rows = {row.factor: row for row in modularity(table, names=NAMES, levels=LEVELS)}
    assert {name: row.others for name, row in rows.items()} == dict.fromkeys(NAMES, pytest.approx(1))
    assert rows["shape"].out == pytest.approx(1 - 0.25 / (4 / 24))
    assert rows["scale"].out == pytest.approx(1 - 0.25 / (6 / 48))
    assert rows["x"].out == pytest.approx(1 - (0.09 + 0.25) / 2 / (7 / 60))
    assert [row.n for row in rows.values()] == [18, 30, 30]
    assert all(row.others_n == 2 and not row.undefined for row in rows.values())


def test_sets_may_have_names_of_their_own_and_constant_factors_are_named():
    true = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    rows = modularity(
        {"only scale": (true, true)}, out={"only scale": "scale"}, names=NAMES, levels=[2, 2, 1], variance="grid"
    )
    assert (rows[0].name, rows[0].out, rows[0].others, rows[0].others_n) == ("only scale", 1.0, 1.0, 1)
    assert list(rows[0].undefined) == ["shape"]
    by_test = modularity({"scale": (true, true)}, names=NAMES, levels=[2, 2, 1], variance="test")
    assert np.isnan(by_test[0].out)  # within the set, the factor that is out does not vary
    assert list(by_test[0].undefined) == ["scale", "shape"]


def test_a_set_whose_factor_is_not_known_is_an_error():
    true = grid(LEVELS)
    with pytest.raises(UnseenError, match="Did you mean 'scale'"):
        modularity({"scal": (true, true)}, names=NAMES, levels=LEVELS)


# Towards the mean

RATIO_INPUT = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.floats(-1, 2)), arrays(np.float64, n, elements=st.integers(0, 8).map(float))
    )
)


@given(RATIO_INPUT, st.floats(0.1, 10), st.floats(-5, 5))
def test_the_ratio_does_not_depend_on_units_and_is_one_for_the_truth(pair, factor, shift):
    predicted, true = pair[0], pair[1] / 8
    ratio = towards_mean(predicted, true, 0.5)
    assert np.isnan(ratio).tolist() == (true == 0.5).tolist()
    moved = towards_mean(factor * predicted + shift, factor * true + shift, factor * 0.5 + shift)
    np.testing.assert_allclose(moved, ratio, rtol=1e-6, atol=1e-6)
    here = ~np.isnan(ratio)
    np.testing.assert_allclose(towards_mean(true, true, 0.5)[here], 1)
    np.testing.assert_allclose(towards_mean(np.full_like(true, 0.5), true, 0.5)[here], 0)


@given(RATIO_INPUT)
def test_every_prediction_is_in_a_bin_beyond_the_last_or_counted_as_undefined(pair):
    predicted, true = pair[0].copy(), pair[1] / 8
    predicted[::7] = NAN
    found = share_towards_mean(predicted, true, 0.5)
    assert found.counts.sum() + found.overflow == found.share.n
    assert found.share.n + found.undefined + found.non_finite == len(true)
    assert found.undefined == ((true == 0.5) & ~np.isnan(predicted)).sum()
    ratio = towards_mean(predicted, true, 0.5)
    assert found.counts[:10].sum() == np.sum(ratio <= 1)  # the bins up to 1 are the share
    if found.share.n:
        assert found.share.value == pytest.approx(np.mean(ratio[~np.isnan(ratio)] <= 1))
        theirs = binomtest(int(found.counts[:10].sum()), found.share.n).proportion_ci(method="exact")
        assert (found.share.low, found.share.high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
    assert 0 <= found.opposite <= found.counts[:10].sum()


def test_bins_hold_their_upper_edge_and_the_other_side_of_the_mean_is_counted():
    true = np.ones(7)
    predicted = np.array([0.0, 0.1, 0.15, 1.0, -0.5, 2.0, 2.5])  # mean 0: the ratio is |predicted|
    found = share_towards_mean(predicted, true, 0.0)
    assert np.flatnonzero(found.counts).tolist() == [0, 1, 4, 9, 19]
    assert found.counts[0] == 2
    assert (found.overflow, found.opposite, found.share.n) == (1, 1, 7)
    assert found.edges[0] == 0
    assert found.edges[-1] == 2
    assert len(found.edges) == len(found.counts) + 1


def test_a_truth_at_the_mean_is_undefined_in_single_precision_too():
    true = (np.arange(32) / 31).astype(np.float32)
    mean = float(np.mean(np.arange(25) / 31))  # levels 0–24 of 32 are seen: level 12 is the mean
    ratio = towards_mean(np.zeros(32, np.float32), true, mean)
    assert np.flatnonzero(np.isnan(ratio)).tolist() == [12]


def test_nothing_asked_or_all_at_the_mean_has_no_share():
    for n in (0, 3):
        found = share_towards_mean(np.full(n, 0.2), np.full(n, 0.5), 0.5)
        assert np.isnan(found.share.value)
        assert (found.share.n, found.undefined, found.counts.sum()) == (0, n, 0)


# Kinds and seeds


def test_kinds_of_the_three_worlds_factors_are_guessed_from_their_names():
    dsprites = factor_kinds(["shape", "scale", "orientation", "position_x", "position_y"])
    assert dsprites == ("shape", "size", "orientation", "position", "position")
    shapes3d = factor_kinds(["floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"])
    assert shapes3d == ("colour", "colour", "colour", "size", "shape", "orientation")
    mpi3d = factor_kinds(["object_color", "object_shape", "object_size", "camera_height", "background_color"])
    assert mpi3d == ("colour", "shape", "size", "viewpoint", "colour")
    assert factor_kinds(["vertical_axis", "x", "boxy"]) == ("orientation", "position", "other")
    with pytest.raises(UnseenError, match="Did you mean 'scale'"):
        factor_kinds(["scale"], {"scales": "size"})


@given(st.lists(st.sampled_from(["colour", "size", "shape"]), min_size=1, max_size=6), st.data())
def test_the_mean_by_kind_is_the_mean_over_its_factors(kinds, data):
    values = np.array(data.draw(st.lists(st.floats(-1, 1) | st.just(NAN), min_size=len(kinds), max_size=len(kinds))))
    found = by_kind(values, kinds)
    assert list(found) == list(dict.fromkeys(kinds))
    assert sum(mean.n + mean.undefined for mean in found.values()) == len(kinds)
    for kind, mean in found.items():
        mine = [v for v, k in zip(values, kinds) if k == kind and not np.isnan(v)]
        assert mean.value == pytest.approx(sum(mine) / len(mine) if mine else NAN, nan_ok=True)


def test_intervals_are_over_seeds_and_a_diverged_seed_is_dropped_and_counted():
    values = np.array([[0.9, 0.5, NAN], [0.8, 0.7, NAN], [0.7, 0.3, NAN], [NAN, 0.9, NAN]])
    summary = seed_summary(values, names=["hue", "scale", "size"])
    means = [0.7, 0.75, 0.5]
    low, high = t.interval(0.95, 2, np.mean(means), np.std(means, ddof=1) / np.sqrt(3))
    assert (summary.mean.value, summary.mean.low, summary.mean.high) == pytest.approx((np.mean(means), low, high))
    assert (summary.mean.n, summary.mean.dropped) == (3, 1)
    assert summary.undefined == ("size",)
    assert (summary.factors["scale"].n, summary.factors["size"].n) == (4, 0)
    assert summary.kinds["size"].value == pytest.approx(0.6)  # scale and size; the latter has no value at all
    assert summary.kinds["colour"].value == pytest.approx(0.8)
    one = seed_summary(values[:1], names=["hue", "scale", "size"])
    assert one.mean.value == pytest.approx(0.7)
    assert np.isnan(one.mean.low)
    with pytest.raises(UnseenError, match="2 factors"):
        seed_summary(values, names=["hue", "scale"])


# Answers outside the range


@given(answers())
def test_keeping_answers_to_the_range_never_lowers_r2(case):
    levels, predicted, true = case
    variance = grid_variance(levels)
    kept = kept_to_range(predicted)
    assert ((kept >= 0) & (kept <= 1)).all()
    assert (r2(kept, true, variance) >= r2(predicted, true, variance) - 1e-9).all()
    inside = np.clip(predicted, 0, 1)
    np.testing.assert_array_equal(kept_to_range(inside), inside)


def test_what_is_no_number_is_far_outside_and_is_not_mended():
    predicted = np.array([[0.5, NAN], [1.5, 0.5], [-0.5, np.inf], [1.51, -0.51]])
    np.testing.assert_allclose(share_far_outside(predicted), [1 / 4, 3 / 4])
    np.testing.assert_array_equal(np.isfinite(kept_to_range(predicted)), np.isfinite(predicted))
    assert np.isnan(share_far_outside(np.empty((0, 2)))).all()
