"""A pull to the mean is told from answers at the edge, from draws of trained levels, and from unbiased answers."""

from inspect import unwrap

import numpy as np
import pytest

from unseen.measures import lowest, pull, share_towards_mean
from unseen.vocabulary.errors import UnseenError

LEVELS = {"scale": (6, (4, 5)), "orientation": (40, tuple(range(32, 40))), "x": (32, tuple(range(25, 32)))}  # dSprites


def trained(n, withheld):
    return np.array([level for level in range(n) if level not in withheld]) / (n - 1)


def asked(rng, n, withheld, images=150):
    return rng.choice(np.array(withheld), images) / (n - 1)


def pulled(rng, true, seen, bias):
    """Half of the way from the mean to the edge, a little nearer or farther in each network, with some noise."""
    return seen.mean() + (0.6 + bias) * (seen.max() - seen.mean()) + 0.1 * rng.standard_normal(true.shape)


def mean(rng, true, seen, bias):
    return seen.mean() + bias + 0.1 * rng.standard_normal(true.shape)


def clamped(rng, true, seen, bias):
    return np.minimum(true, seen.max()) + bias


def clamped_with_noise(rng, true, seen, bias):
    return np.minimum(true, seen.max()) + 0.15 * rng.standard_normal(true.shape)


def random_level(rng, true, seen, bias):
    return rng.choice(seen, true.shape)


def unbiased(rng, true, seen, bias):
    return true + 0.2 * rng.standard_normal(true.shape)


def network(rng, answer):
    """Share, distance and spread of one network, means over factors."""
    bias, found = 0.03 * rng.standard_normal(), []
    for n, withheld in LEVELS.values():
        seen, true = trained(n, withheld), asked(rng, n, withheld)
        said = answer(rng, true, seen, bias)
        one = pull(said, true, seen)
        found.append((share_towards_mean(said, true, float(seen.mean())).share.value, one.distance, one.spread))
    return np.mean(found, axis=0)


def study(rng, answer, networks=5):
    return np.array([network(rng, answer) for _ in range(networks)]).T


def verdict(distance, spread):
    return lowest({"none": np.zeros(len(distance)), "edge": 1 - distance, "draws": 1 - spread}, "none")[0].holds


@pytest.mark.parametrize("answer", [pulled, mean])
def test_a_pull_to_the_mean_is_found(answer):
    rng = np.random.default_rng(0)
    found = [study(rng, answer) for _ in range(60)]
    assert np.mean([verdict(distance, spread) is True for _, distance, spread in found]) > 0.9
    assert np.mean([share for share, _, _ in found]) > 0.95


@pytest.mark.parametrize("answer", [clamped, clamped_with_noise, random_level, unbiased])
def test_what_is_no_pull_is_hardly_ever_taken_for_one(answer):
    """The share of the paper is near 1 for three of them, against a null of one half."""
    rng = np.random.default_rng(1)
    found = [study(rng, answer) for _ in range(200)]
    assert np.mean([verdict(distance, spread) is True for _, distance, spread in found]) <= 0.06
    share = np.mean([share for share, _, _ in found])
    assert {clamped: share > 0.95, clamped_with_noise: share > 0.6, random_level: share > 0.99,
            unbiased: abs(share - 0.5) < 0.05}[answer]  # fmt: skip


def test_the_numbers_of_each_kind_of_answer():
    rng = np.random.default_rng(2)
    _, distance, spread = (rows.mean() for rows in study(rng, random_level, 40))
    assert spread == pytest.approx(1, abs=0.02)
    assert distance == pytest.approx(0.5, abs=0.1)
    _, distance, spread = (rows.mean() for rows in study(rng, clamped, 40))
    assert distance == pytest.approx(1, abs=0.05)
    assert spread < 1e-9
    _, distance, _ = (rows.mean() for rows in study(rng, clamped_with_noise, 40))
    assert distance == pytest.approx(1, abs=0.05)
    _, distance, _ = (rows.mean() for rows in study(rng, unbiased, 40))
    assert distance > 1.2


@pytest.mark.parametrize(("n", "withheld"), [*LEVELS.values(), (32, (2, 7, 11, 15, 20, 24, 29))], ids=str)
def test_nulls_are_what_answers_of_that_kind_give(n, withheld):
    """Exact sums against many answers, also where levels in between are withheld."""
    rng = np.random.default_rng(3)
    seen, true = trained(n, withheld), asked(rng, n, withheld, 40_000)
    centre = float(seen.mean())
    found = pull(true, true, seen)
    draws = rng.choice(seen, true.shape)
    assert found.share_of_draws == pytest.approx(share_towards_mean(draws, true, centre).share.value, abs=0.01)
    low, high = np.quantile(np.abs(draws - centre) / (seen.max() - centre), (0.45, 0.55))
    if max(withheld) == n - 1:  # beyond the range there is one edge
        assert low <= found.distance_of_draws <= high  # a median of few levels is either of two, or between them
    assert found.distance == pytest.approx(found.distance_of_truth)
    apart = np.abs(true[:, None] - seen) + 1e-6 * rng.random((len(true), len(seen)))  # of two as near, either
    edge = seen[apart.argmin(axis=1)]
    assert found.share_of_edge == pytest.approx(share_towards_mean(edge, true, centre).share.value, abs=0.01)
    assert pull(edge, true, seen).distance == pytest.approx(1, abs=0.1)
    assert pull(draws, true, seen).spread == pytest.approx(1, abs=0.02)


def test_what_has_no_number_is_not_a_number():
    seen = np.array([0.0, 0.25, 0.5])
    broken = pull(np.array([0.2, np.nan]), np.array([0.75, 1.0]), seen)
    assert np.isnan(broken.distance)
    assert np.isnan(broken.spread)
    assert broken.share_of_draws == 1
    assert np.isnan(pull(np.array([0.2]), np.array([1.0]), seen).spread)
    lone = pull(np.array([0.2, 0.3]), np.array([0.5, 1.0]), np.array([0.0]))
    assert np.isnan(lone.distance)
    assert np.isnan(lone.spread)
    assert pull(np.zeros(0), np.zeros(0), seen).n == 0


def test_few_wild_answers_do_not_decide():
    rng = np.random.default_rng(4)
    seen, true = trained(32, tuple(range(25, 32))), asked(rng, 32, tuple(range(25, 32)))
    said = mean(rng, true, seen, 0.0)
    wild = np.where(np.arange(len(true)) < 5, 1e6, said)
    assert pull(wild, true, seen).distance == pytest.approx(pull(said, true, seen).distance, abs=0.05)
    assert pull(wild, true, seen).spread < 1


def test_wrong_shapes_are_explained():
    with pytest.raises(UnseenError, match="two lists of one length"):
        unwrap(pull)(np.zeros(2), np.zeros(3), np.zeros(2))  # types are checked in tests alone
    with pytest.raises(UnseenError, match="trained levels only if there are some"):
        pull(np.zeros(2), np.zeros(2), np.zeros(0))
