"""Changed copies are found, other pictures are not, and what resembles by nature is no alarm."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from unseen.measures.near_copies import ALIKE, Resemblance, counted_as, joined, most_alike, prints


def pictures(n=200, side=96, seed=0):
    """Smooth random pictures: every one is another."""
    coarse = np.random.default_rng(seed).integers(0, 256, (n, 3, 6, 6)).astype(np.float32)
    from torch import from_numpy
    from torch.nn.functional import interpolate

    return interpolate(from_numpy(coarse), size=side, mode="bicubic").clamp(0, 255).byte().numpy()


CHANGES = {
    "smaller": lambda x: x.reshape(*x.shape[:2], 48, 2, 48, 2).mean(axis=(3, 5)).astype(np.uint8),
    "brighter": lambda x: np.clip(x * 1.1 + 5, 0, 255).astype(np.uint8),
    "noisy": lambda x: np.clip(x + np.random.default_rng(0).normal(0, 4, x.shape), 0, 255).astype(np.uint8),
    "cropped": lambda x: x[:, :, 1:-1, 1:-1],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_copy_is_most_alike_to_its_original(name):
    plain = pictures()
    alike, place = most_alike(prints(CHANGES[name](plain)), prints(plain))
    found = alike >= ALIKE
    assert found.mean() > 0.9
    assert (place[found] == np.flatnonzero(found)).all()


def test_other_pictures_are_no_copies_and_own_ones_can_be_left_out():
    own = prints(pictures())
    assert (most_alike(prints(pictures(seed=1)), own)[0] < ALIKE).all()
    number = np.arange(len(own))
    assert (most_alike(own, own)[0] > 0.999).all()
    assert (most_alike(own, own, number, number)[0] < ALIKE).all()


def test_flat_pictures_are_alike_to_none_and_an_empty_set_has_no_copies():
    flat = prints(np.full((3, 1, 28, 28), 255, np.uint8))
    assert flat.flat.all()
    assert most_alike(flat, flat)[1].tolist() == [-1, -1, -1]
    assert most_alike(flat, flat[np.zeros(0, int)])[0].tolist() == [-1, -1, -1]


def test_blocks_and_dense_products_change_nothing(monkeypatch):
    from unseen.measures import near_copies

    plain, own = pictures(40), prints(pictures(60))
    asked = joined([prints(CHANGES["noisy"](plain)), own])
    first = most_alike(asked, own)
    monkeypatch.setattr(near_copies, "BLOCK", 128)
    monkeypatch.setattr(near_copies, "DENSE", -1.0)
    second = most_alike(asked, own)
    assert (first[1] == second[1]).all()
    assert np.allclose(first[0], second[0], atol=1e-3)


def test_a_rate_as_among_training_images_is_natural_and_any_beyond_it_is_not():
    assert Resemblance(near=30, asked=100, within=600, looked_at=2000).natural
    assert not Resemblance(near=60, asked=100, within=600, looked_at=2000).natural
    assert not Resemblance(near=1, asked=100, within=0, looked_at=2000).natural
    assert Resemblance(near=0, asked=100, within=0, looked_at=0).natural


def test_pictures_of_one_thing_and_pairs_of_sets_are_not_counted_as_evidence_of_their_own():
    found = Resemblance(near=8, asked=400, within=2, looked_at=1000)
    assert not found.natural
    assert replace(found, clumped=8.0).natural, "one thing in eight pictures"
    assert replace(found, clumped=8.0).p > found.p
    few = Resemblance(near=2, asked=100, within=0, looked_at=400)
    assert (few.natural, replace(few, judged=3).natural) == (False, True)


def test_what_hangs_together_counts_as_one_but_a_wide_leak_does_not():
    eight = np.repeat(np.arange(5), 8)
    assert counted_as(eight, np.arange(40) + 100) == 8, "pictures of one thing"
    assert counted_as(np.arange(40) + 100, eight) == 8, "things that are like the same one"
    rng = np.random.default_rng(0)
    assert counted_as(rng.integers(0, 12, 50), rng.integers(100, 144, 50)) < 8, "no chains through all of them"
    assert counted_as(np.zeros(0, int), np.zeros(0, int)) == 1


def test_one_picture_that_is_as_good_as_the_same_is_enough_unless_training_has_such_by_nature():
    one = Resemblance(near=1, asked=400, within=0, looked_at=1000, twins=1, judged=3)
    assert (one.natural, one.odd_twins) == (True, True)
    assert not replace(one, twins_within=3).odd_twins
    assert not replace(one, twins=0).odd_twins


REPEATS = 150


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [0.0, 0.001, 0.01, 0.05, 0.4])
@pytest.mark.parametrize("kind", ["pairs", "clusters of 10", "pairs, 8 images each", "clusters of 10, 8 each"])
def test_audits_alarm_rarely_without_a_leak_and_find_one(baseline, kind, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    bench = importlib.import_module("bench.near_copy_alarms")
    most = binom.ppf(0.999, REPEATS, 0.05) / REPEATS
    for asked in (100, 1000, 4000):
        assert bench.rates(asked, baseline, bench.KINDS[kind], 0, REPEATS)["now"] <= most, asked
    if baseline <= 0.001:
        assert bench.rates(1000, baseline, bench.KINDS[kind], 10, REPEATS)["now"] > 0.8
        assert bench.rates(1000, baseline, bench.KINDS[kind], 50, REPEATS)["now"] > 0.99


def test_the_rule_alarms_rarely_where_the_one_before_alarmed_in_a_third_of_audits(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    bench = importlib.import_module("bench.near_copy_alarms")
    found = bench.rates(1000, 0.01, bench.KINDS["pairs, 8 images each"], 0, 200)
    assert found["before"] > 0.3
    assert found["now"] <= binom.ppf(0.999, 200, 0.05) / 200
