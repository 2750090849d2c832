"""Units under a transformation: active images, invariance (Zaidi et al. 2020), firing (Goodfellow et al. 2009)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from jaxtyping import TypeCheckError

from unseen.measures import (
    StreamedInvariance,
    active,
    active_shares,
    firing_invariance,
    invariance_coefficient,
    invariance_summary,
    tau_from_curve,
)
from unseen.vocabulary.errors import UnseenError

NAN = np.nan


@st.composite
def pairs(draw, units=3):
    """Rectified activity, plain and transformed. Quarters make ties and silence common, and are exact."""
    shape = (draw(st.integers(1, 12)), units)
    quarters = st.integers(0, 8).map(lambda n: n / 4)
    some = arrays(np.float64, shape, elements=quarters | st.floats(0, 100).map(lambda x: round(x, 1)))
    return draw(some), draw(some)


taus = st.integers(0, 9).map(lambda n: n / 10)


def by_hand(plain, transformed, tau):
    """The definition, one unit and one image at a time."""
    found = []
    for f, g in zip(plain.T, transformed.T):
        top = max(*f, *g)
        scores = [
            1 - abs(b / top - a / top) / abs(b / top + a / top)
            for a, b in zip(f, g)
            if top > 0 and (a / top > tau or b / top > tau)
        ]
        found.append(np.mean(scores) if scores else NAN)
    return np.array(found)


@given(pairs(), taus)
def test_the_coefficient_is_the_one_defined(pair, tau):
    np.testing.assert_allclose(invariance_coefficient(*pair, tau), by_hand(*pair, tau), rtol=1e-12)


@given(pairs(), taus)
def test_it_lies_between_zero_and_one_where_units_are_rectified(pair, tau):
    coefficient = invariance_coefficient(*pair, tau)
    known = coefficient[~np.isnan(coefficient)]
    assert ((known >= 0) & (known <= 1)).all()


@given(pairs(), taus, st.integers(-20, 20))
def test_scaling_a_unit_changes_nothing(pair, tau, power):
    plain, transformed = pair
    scale = np.array([2.0**power, 1.0, 2.0**-power])  # powers of two, or rounding decides what lies at τ
    assert active(plain * scale, transformed * scale, tau).tolist() == active(plain, transformed, tau).tolist()
    np.testing.assert_array_equal(
        invariance_coefficient(plain * scale, transformed * scale, tau), invariance_coefficient(plain, transformed, tau)
    )


@given(pairs(), taus, st.data())
def test_relabelling_images_and_units_or_swapping_the_two_sides_changes_nothing(pair, tau, data):
    images = data.draw(st.permutations(range(len(pair[0]))))
    units = data.draw(st.permutations(range(3)))
    moved = [a[images][:, units] for a in pair]
    np.testing.assert_allclose(
        invariance_coefficient(*moved, tau), invariance_coefficient(*pair, tau)[units], rtol=1e-12
    )
    np.testing.assert_allclose(invariance_coefficient(*pair[::-1], tau), invariance_coefficient(*pair, tau), rtol=1e-12)


@given(pairs(), taus)
def test_a_perfectly_invariant_unit_scores_one_and_an_anti_invariant_one_zero(pair, tau):
    plain = pair[0] + 1
    np.testing.assert_array_equal(invariance_coefficient(plain, plain, tau), 1)
    silent = np.where(np.arange(len(plain))[:, None] % 2, plain, 0)
    np.testing.assert_array_equal(invariance_coefficient(silent, plain - silent, tau), 0)


def test_hand_made_units_score_as_computed_by_hand():
    plain = np.array([[10, 4, 0, 1], [10, 4, 0, 1], [1, 0, 0, 1]], float)
    transformed = np.array([[10, 0, 0, 3], [5, 4, 0, 1], [0, 0, 0, 0]], float)
    # Unit 0 at τ = .1: images 0 and 1 (the third is exactly at τ, which is not above it): (1 + 2/3) / 2.
    # Unit 1: (0 + 1) / 2. Unit 2 is dead. Unit 3: (1/2 + 1 + 0) / 3.
    np.testing.assert_allclose(invariance_coefficient(plain, transformed, 0.1), [5 / 6, 0.5, NAN, 0.5])
    assert active(plain, transformed, 0.1).sum(axis=0).tolist() == [2, 2, 0, 3]
    # At τ = .5 unit 3 is active on the first image alone, where it goes from 1 to 3.
    np.testing.assert_allclose(invariance_coefficient(plain, transformed, 0.5)[3], 0.5)


def test_every_unit_without_a_score_is_counted_with_its_reason():
    plain = np.array([[1.0, 0.0, 0.01, NAN, 2.0], [0.5, 0.0, 0.02, 1.0, 2.0]])
    transformed = np.array([[1.0, 0.0, 0.01, 1.0, 2.0], [0.5, 0.0, 0.01, 1.0, 1.0]])
    whole = invariance_summary(plain, transformed, 0.1)
    assert (whole.units, whole.scored, whole.dead, whole.empty, whole.non_finite) == (5, 3, 1, 0, 1)
    # Under the maxima of a larger set the third unit is never active here.
    maxima = np.array([1.0, 0.0, 5.0, 1.0, 2.0])
    part = invariance_summary(plain, transformed, 0.1, maxima=maxima)
    assert (part.scored, part.dead, part.empty, part.non_finite) == (2, 1, 1, 1)
    assert part.mean.n == 2
    assert part.mean.value == pytest.approx((1 + (1 + 2 / 3) / 2) / 2)
    nothing = invariance_summary(plain[:0], transformed[:0], 0.1)
    assert (nothing.scored, nothing.dead, nothing.images) == (0, 5, 0)
    assert np.isnan(nothing.median)


@given(pairs())
def test_at_the_highest_threshold_no_unit_is_active(pair):
    assert not active(*pair, 1.0).any()
    summary = invariance_summary(*pair, 1.0)
    assert summary.scored == 0
    assert summary.dead + summary.empty == 3


class TestNegativeActivity:
    plain, transformed = np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([[-1.0, 1.0], [1.0, 1.0]])

    def test_it_is_refused_with_the_ways_out(self):
        with pytest.raises(UnseenError, match=r'1 of 2 units have negative activity.*negative="rectify"'):
            invariance_coefficient(self.plain, self.transformed, 0.1)

    def test_rectifying_counts_it_as_silence(self):
        assert invariance_coefficient(self.plain, self.transformed, 0.1, negative="rectify").tolist() == [0.5, 1.0]

    def test_kept_it_leaves_the_unit_interval(self):
        # |−1 − 2| / |−1 + 2| = 3, so the first image scores −2.
        assert invariance_coefficient(self.plain, self.transformed, 0.1, negative="keep").tolist() == [-0.5, 1.0]
        assert invariance_summary(self.plain, self.transformed, 0.1, negative="keep").negative == 1
        assert invariance_summary(self.plain, self.transformed, 0.1, negative="rectify").negative == 1

    def test_opposite_activity_has_no_score(self):
        kept = invariance_coefficient(np.array([[1.0], [1.0]]), np.array([[-1.0], [1.0]]), 0.1, negative="keep")
        assert kept.tolist() == [1.0]
        alone = invariance_summary(np.array([[1.0]]), np.array([[-1.0]]), 0.1, negative="keep")
        assert (alone.scored, alone.empty) == (0, 1)


class TestStreaming:
    @given(pairs(), taus, st.integers(1, 5), st.data())
    def test_it_equals_the_batch(self, pair, tau, size, data):
        plain, transformed = pair
        group = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(plain), max_size=len(plain))))
        stream = StreamedInvariance(3, tau, groups=2)
        pieces = [slice(start, start + size) for start in range(0, len(plain), size)]
        for piece in pieces:
            stream.see(plain[piece], transformed[piece])
        shares = np.concatenate([stream.add(plain[piece], transformed[piece], group[piece]) for piece in pieces])
        np.testing.assert_allclose(stream.coefficient(), invariance_coefficient(plain, transformed, tau), rtol=1e-12)
        on = active_shares(active(plain, transformed, tau))
        np.testing.assert_allclose(shares, on.units_per_image)
        np.testing.assert_allclose(stream.images_per_unit(), on.images_per_unit)
        batch, streamed = invariance_summary(plain, transformed, tau), stream.summary()
        assert [getattr(batch, key) for key in ("units", "scored", "dead", "empty", "images")] == [
            getattr(streamed, key) for key in ("units", "scored", "dead", "empty", "images")
        ]
        for number in (0, 1):
            here = group == number
            of_group = invariance_coefficient(plain[here], transformed[here], tau, maxima=stream.maxima)
            np.testing.assert_allclose(stream.coefficient(number), of_group, rtol=1e-12)
            assert stream.summary(number).images == here.sum()

    def test_passes_out_of_order_are_refused(self):
        one = np.ones((2, 1))
        stream = StreamedInvariance(1, 0.1)
        with pytest.raises(UnseenError, match=r"more images are added than were seen \(0\)"):
            stream.add(one, one)
        stream.see(one, one)
        stream.add(one, one)
        with pytest.raises(UnseenError, match="before the first is added"):
            stream.see(one, one)
        with pytest.raises(UnseenError, match="needs a group from 0 to 0"):
            StreamedInvariance(1, 0.1).add(one, one, np.array([0, 1]))

    def test_a_value_that_is_not_finite_spoils_its_unit_only(self):
        plain = np.array([[1.0, np.inf], [1.0, 1.0]])
        stream = StreamedInvariance(2, 0.1)
        stream.see(plain, np.ones((2, 2)))
        stream.add(plain, np.ones((2, 2)))
        np.testing.assert_array_equal(stream.coefficient(), [1, NAN])
        np.testing.assert_array_equal(invariance_coefficient(plain, np.ones((2, 2)), 0.1), [1, NAN])
        assert stream.summary().non_finite == 1


class TestThresholdFromAnAblation:
    steps = np.arange(21) / 20

    def test_the_highest_that_costs_at_most_one_percent(self):
        accuracy = np.where(self.steps <= 0.1, 0.9, 0.85)
        accuracy[2] = 0.89
        found = tau_from_curve(self.steps, accuracy, 0.9, without_active=1 - self.steps)
        assert (found.tau, found.accuracy, found.reason) == (0.1, 0.89, "")
        assert found.drop == pytest.approx(0.01)
        assert found.without_active == pytest.approx(0.9)
        order = np.random.default_rng(0).permutation(21)
        assert tau_from_curve(self.steps[order], accuracy[order], 0.9).tau == 0.1

    def test_on_a_network_built_so_that_the_answer_is_known(self):
        """One strong unit of four decides the class; the others whisper at most .3 of their maximum for it."""
        rng = np.random.default_rng(0)
        label = rng.integers(0, 4, 400)
        activity = rng.uniform(0, 0.3, (400, 4))
        activity[np.arange(400), label] = rng.uniform(0.62, 1, 400)
        activity /= activity.max(axis=0)
        curve = [np.mean(np.argmax(np.where(activity > t, activity, 0), axis=1) == label) for t in self.steps]
        other = [np.mean(np.argmax(np.where(activity > t, 0, activity), axis=1) == label) for t in self.steps]
        found = tau_from_curve(self.steps, np.array(curve), 1.0, without_active=np.array(other))
        assert found.tau == 0.6
        assert found.without_active < 0.35

    def test_a_curve_that_never_falls_says_nothing(self):
        found = tau_from_curve(self.steps, np.full(21, 0.9), 0.9)
        assert found.tau == 1
        assert "never falls" in found.reason

    def test_a_curve_that_is_low_from_the_start_has_no_threshold(self):
        found = tau_from_curve(self.steps, np.full(21, 0.5), 0.9)
        assert np.isnan(found.tau)
        assert "every τ costs more than 0.01 (the least: 0.4)" in found.reason
        assert np.isnan(tau_from_curve(np.array([0.5]), np.array([NAN]), 0.9).tau)

    def test_a_curve_that_rises_again_is_told(self):
        found = tau_from_curve(np.array([0, 0.1, 0.2, 0.3]), np.array([0.9, 0.8, 0.9, NAN]), 0.9)
        assert (found.tau, found.dropped) == (0.2, 1)
        found = tau_from_curve(np.array([0, 0.1, 0.2, 0.3]), np.array([0.9, 0.8, 0.9, 0.2]), 0.9)
        assert found.reason == "1 lower τ cost more than 0.01: the curve is not monotone"

    @pytest.mark.parametrize(
        ("thresholds", "accuracy", "sentence"),
        [([], [], "at least one τ"), ([0, 0], [1, 1], "each τ once"),
         ([0, 1.5], [1, 1], "from 0 to 1; given 1.5")],
    )  # fmt: skip
    def test_what_is_no_curve_is_refused(self, thresholds, accuracy, sentence):
        with pytest.raises(UnseenError, match=sentence):
            tau_from_curve(np.array(thresholds, float), np.array(accuracy, float), 0.9)


class TestFiring:
    """Goodfellow et al. 2009."""

    @given(st.integers(0, 99), st.integers(1, 4))
    def test_an_invariant_unit_scores_the_inverse_of_its_rate_and_an_anti_invariant_one_zero(self, seed, steps):
        plain = np.random.default_rng(seed).permutation(300.0 + np.arange(300))[:, None]
        same = firing_invariance(plain, np.repeat(plain[None], steps, axis=0))
        assert (same.local.tolist(), same.overall.tolist(), same.score.tolist()) == ([1], [0.01], [100])
        assert firing_invariance(plain, np.repeat(-plain[None], steps, axis=0)).score.tolist() == [0]

    def test_a_trajectory_is_averaged(self):
        plain = np.arange(200.0)[:, None]
        half = plain.copy()
        half[-1] = 0  # one of the two images that fire goes silent
        found = firing_invariance(plain, np.stack([plain, half, 0 * plain]))
        assert found.local.tolist() == [0.5]
        assert found.score == pytest.approx(50)

    def test_a_transformation_that_shuffles_images_scores_about_one(self):
        rng = np.random.default_rng(0)
        plain = rng.random((2000, 50))
        assert firing_invariance(plain, rng.random((5, 2000, 50))).score.mean() == pytest.approx(1, abs=0.3)

    @given(st.integers(0, 99), st.floats(0.01, 100))
    def test_scaling_a_unit_changes_nothing(self, seed, scale):
        rng = np.random.default_rng(seed)
        plain, moved = rng.random((200, 2)), rng.random((2, 200, 2))
        np.testing.assert_array_equal(
            firing_invariance(scale * plain, scale * moved).score, firing_invariance(plain, moved).score
        )

    def test_units_that_cannot_fire_for_so_few_images_are_counted(self):
        plain = np.stack([np.zeros(100), np.r_[np.ones(50), np.zeros(50)], np.arange(100.0)], axis=1)
        found = firing_invariance(plain, plain[None])
        np.testing.assert_array_equal(found.score, [NAN, NAN, 100])
        assert found.undefined == 2
        assert firing_invariance(plain, plain[None], both=True).undefined == 2

    def test_low_activity_may_mean_something_too(self):
        plain = np.arange(200.0)[:, None]
        moved = np.minimum(plain, 100)[None]  # the highest are lost, the lowest are kept
        assert firing_invariance(plain, moved).score.tolist() == [0]
        assert firing_invariance(plain, moved, both=True).score.tolist() == [100]

    def test_too_few_images_are_refused(self):
        with pytest.raises(UnseenError, match="top 1 % of 99 images is no image"):
            firing_invariance(np.zeros((99, 1)), np.zeros((1, 99, 1)))


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2,)])
def test_activity_of_other_images_or_units_is_refused(shape):
    with pytest.raises((UnseenError, TypeCheckError)):
        invariance_coefficient(np.ones((2, 2)), np.ones(shape), 0.1)


@pytest.mark.parametrize("tau", [-0.1, 1.1, NAN])
def test_a_threshold_that_is_no_share_is_refused(tau):
    with pytest.raises(UnseenError, match="from 0 to 1"):
        active(np.ones((1, 1)), np.ones((1, 1)), tau)


def test_unknown_treatments_are_refused():
    with pytest.raises(UnseenError, match="'rectify'"):
        active(np.ones((1, 1)), np.ones((1, 1)), 0.1, negative="rectfy")
