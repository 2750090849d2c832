import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from unseen.measures import (
    difference_p,
    error_consistency,
    holm,
    kappa_bounds,
    mcnemar,
    pair_counts,
    paired_difference,
    resampled_counts,
    tie_groups,
)

ANSWERS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60)


def _two(answers):
    first, second = np.array(answers, bool).T
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


@given(ANSWERS)
def test_error_consistency_is_cohens_kappa_of_being_right(answers):
    first, second = _two(answers)
    found = error_consistency(first, second)
    if found.expected == 1:
        assert np.isnan(found.kappa.value)
        assert found.why
    else:
        assert found.kappa.value == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(ANSWERS)
def test_kappa_lies_within_what_its_accuracies_allow(answers):
    first, second = _two(answers)
    found = error_consistency(first, second)
    if np.isfinite(found.kappa.value):
        assert found.least - 1e-9 <= found.kappa.value <= found.most + 1e-9


def test_bounds_are_reached_by_errors_that_overlap_most_and_least():
    least, most = kappa_bounds(0.7, 0.5)
    place = np.arange(1000)
    assert error_consistency(place < 700, place < 500).kappa.value == pytest.approx(most)
    assert error_consistency(place < 700, place >= 500).kappa.value == pytest.approx(least)


def test_bounds_by_expected_consistency_alone_enclose_those_by_both_accuracies():
    """Geirhos et al. 2020 bound observed consistency by the expected one: to 1 − √(1 − 2e) below .5, from √(2e − 1)."""
    for p in np.linspace(0.05, 0.95, 19):
        for q in np.linspace(0.05, 0.95, 19):
            e = p * q + (1 - p) * (1 - q)
            low, high = (0, 1 - np.sqrt(max(0, 1 - 2 * e))) if e < 0.5 else (np.sqrt(max(0, 2 * e - 1)), 1)
            least, most = kappa_bounds(p, q)
            assert (low - e) / (1 - e) <= least + 1e-6
            assert most <= (high - e) / (1 - e) + 1e-6


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_exact_binomial_test_of_the_images_that_one_had_right(a, b):
    expected = stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-9)


def test_the_interval_of_a_difference_agrees_with_scipys_bootstrap():
    rng = np.random.default_rng(0)
    first = rng.random(400) < 0.8
    second = np.where(rng.random(400) < 0.7, first, rng.random(400) < 0.6)
    found = paired_difference(first, second)
    values = first.astype(float) - second
    other = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.006)


def test_objects_then_images_is_what_a_plain_loop_draws():
    rng = np.random.default_rng(3)
    objects = np.repeat(np.arange(30), rng.integers(2, 9, 30))
    skill = rng.random(30)[objects]
    first, second = rng.random(len(objects)) < skill, rng.random(len(objects)) < skill * 0.8
    drawn = resampled_counts(first, second, objects, draws=20_000)
    ours = (drawn[:, 1] - drawn[:, 2]) / drawn.sum(1)
    members, loop = [np.flatnonzero(objects == one) for one in range(30)], []
    for _ in range(2000):
        places = np.concatenate([rng.choice(members[one], len(members[one])) for one in rng.integers(0, 30, 30)])
        loop.append(first[places].mean() - second[places].mean())
    assert ours.std() == pytest.approx(np.std(loop), rel=0.08)
    assert ours.mean() == pytest.approx(np.mean(loop), abs=0.003)


def test_images_of_one_object_make_an_interval_wider_than_as_many_objects():
    rng = np.random.default_rng(5)
    objects = np.repeat(np.arange(40), 10)
    first, second = (rng.random(40) < 0.7)[objects], (rng.random(40) < 0.7)[objects]
    alone, together = paired_difference(first, second), paired_difference(first, second, objects)
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert difference_p(first, second, objects) > difference_p(first, second)


def test_p_over_objects_has_few_false_alarms_where_images_of_an_object_go_together():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        objects = np.repeat(np.arange(25), 8)
        first, second = (rng.random(25) < 0.6)[objects], (rng.random(25) < 0.6)[objects]
        alarms += difference_p(first, second, objects) < 0.05
    assert alarms / 200 < 0.09


def test_signs_of_few_objects_are_all_tried_as_scipys_permutation_test_does():
    first = np.array([1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1], bool)
    second = np.array([0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1], bool)
    objects = np.arange(12) // 2
    sums = np.bincount(objects, weights=first.astype(float) - second)
    other = stats.permutation_test((sums, np.zeros(6)), lambda a, b: np.sum(a - b), permutation_type="samples")
    assert difference_p(first, second, objects) == pytest.approx(other.pvalue)


def test_two_who_are_always_right_have_no_kappa_and_it_is_said():
    right = np.ones(20, bool)
    found = error_consistency(right, right)
    assert np.isnan(found.kappa.value)
    assert "right on all" in found.why
    assert error_consistency(right, right, released=True).kappa.value == 1
    assert "wrong on all" in error_consistency(~right, ~right).why


def test_draws_without_a_kappa_are_counted():
    first, second = np.ones(6, bool), np.ones(6, bool)
    first[0] = False
    assert error_consistency(first, second).kappa.dropped > 0


@given(st.integers(2, 7), st.data())
def test_two_subjects_share_a_group_if_and_only_if_nothing_parts_them(k, data):
    upper = np.array(data.draw(st.lists(st.booleans(), min_size=k * k, max_size=k * k))).reshape(k, k)
    apart = np.triu(upper, 1) | np.triu(upper, 1).T
    names = [str(n) for n in range(k)]
    groups = tie_groups(names, apart)
    for one in range(k):
        for other in range(k):
            together = any(names[one] in group and names[other] in group for group in groups)
            assert together == (one == other or not apart[one, other])


def test_many_comparisons_of_equal_subjects_rarely_part_any_after_holm():
    wrong = 0
    for seed in range(60):
        right = np.random.default_rng(seed).random((6, 200)) < 0.7
        ps = [mcnemar(*(pair_counts(right[i], right[j]).only_first, pair_counts(right[i], right[j]).only_second))
              for i in range(6) for j in range(i)]  # fmt: skip
        wrong += min(holm(ps)) < 0.05
    assert wrong / 60 < 0.1


def test_no_image_in_common_is_told_and_not_a_number():
    none = np.zeros(0, bool)
    assert error_consistency(none, none).why == "no image in common"
    assert paired_difference(none, none).n == 0
