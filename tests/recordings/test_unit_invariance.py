"""Invariance of units on the device, in two passes: hand-made units, and the array functions as oracles."""

import weakref

import numpy as np
import pytest
import torch
from small_networks import CPU, Layered, fetching, noise
from torch import nn

from unseen.measures import StreamedInvariance, firing_invariance, invariance_coefficient
from unseen.models import Preprocessed, build
from unseen.recordings import Pairs, unit_invariance
from unseen.recordings.invariance import STATES
from unseen.recordings.pairs import Passing, paired_activity
from unseen.vocabulary.errors import UnseenError


class Units(nn.Module):
    """A layer whose activity is the image itself, so that units can be made by hand."""

    targets, layers = ("category",), ("units",)

    def __init__(self):
        super().__init__()
        self.units = nn.Identity()

    def layer(self, name):
        return getattr(self, name)

    def channel_axis(self, layer):
        return 1

    def forward(self, images):
        return {"category": self.units(images)}


def paired(plain, *transformed, group=None, names=("all images",)):
    """Rows of ``plain`` [images, units] and of each transformed version, and what fetches them."""
    n = len(plain)
    table = torch.as_tensor(np.concatenate([plain, *transformed]), dtype=torch.float32)
    rows = {f"t{k}": np.arange((k + 1) * n, (k + 2) * n) for k in range(len(transformed))}
    group = np.zeros(n, np.int64) if group is None else np.asarray(group)
    return Pairs(np.arange(n), rows, group, names), fetching(table)


def scored(plain, *transformed, threshold=0.1, group=None, names=("all images",), keep=1000, **options):
    pairs, fetch = paired(plain, *transformed, group=group, names=names)
    return unit_invariance(Units(), ["units"], fetch, pairs, threshold, device=CPU, keep=keep, **options)["units"]


def states(scores, level=0, group=-1):
    return [STATES[number] for number in scores.state[level, group]]


def test_hand_made_units_score_as_they_should():
    plain = np.array([[2.0, 4, 1, 0, 8, 3], [1.0, 0, 1, 0, 0, 1]])
    blur = np.array([[2.0, 0, 3, 0, 0, 1], [1.0, 4, 3, 0, 0.1, 3]])
    found = scored(plain, blur)
    # unchanged; changes over wholly; a third of the sum each time; dead; the second image is below τ; halved and back
    np.testing.assert_allclose(found.coefficient[0, -1], [1, 0, 0.5, np.nan, 0, 0.5])
    assert states(found) == ["scored"] * 3 + ["dead"] + ["scored"] * 2
    np.testing.assert_allclose(found.images_active[0, -1], [1, 1, 1, 0, 0.5, 1])
    np.testing.assert_allclose(found.units_per_image[0], [5 / 6, 4 / 6])
    assert found.counts("t0") == {"scored": 5, "dead": 1, "silent": 0, "not finite": 0}


def test_groups_are_scored_apart_under_the_maxima_of_all():
    plain = np.array([[10.0, 1], [1.5, 1], [0.9, 0]])
    blur = np.array([[10.0, 0], [0.5, 1], [0.9, 0]])
    found = scored(plain, blur, group=[0, 1, 1], names=("seen", "unseen"))
    assert found.groups == ("seen", "unseen", "all")
    np.testing.assert_allclose(found.coefficient[0], [[1, 0], [0.5, 1], [0.75, 0.5]])
    np.testing.assert_allclose(found.images_active[0], [[1, 1], [0.5, 0.5], [2 / 3, 2 / 3]])
    high = scored(plain, blur, group=[0, 1, 1], names=("seen", "unseen"), threshold=0.2)
    assert [states(high, group=g)[0] for g in range(3)] == ["scored", "silent", "scored"]
    assert np.isnan(high.coefficient[0, 1, 0])


def test_a_group_without_images_has_no_rows():
    found = scored(np.ones((3, 2)), np.ones((3, 2)), group=[1, 1, 1], names=("seen", "unseen"))
    assert found.groups == ("unseen", "all")
    assert found.coefficient.shape == (1, 2, 2)


@pytest.mark.parametrize("negative", ["rectify", "keep"])
@pytest.mark.parametrize("threshold", [0, 0.3, 1])
def test_streamed_scores_are_those_of_the_array_functions(negative, threshold):
    rng = np.random.default_rng(3)
    plain, *others = rng.standard_normal((4, 250, 9)).astype(np.float32).clip(-0.5)
    plain[:, 2] = others[0][:, 2] = others[1][:, 2] = 0  # dead
    others[1][:, 3] = -plain[:, 3]  # opposite throughout
    others[0][7, 4] = np.nan
    plain[8, 5] = np.inf
    others[2][9, 6] = -np.inf
    plain[:, 7] = np.round(plain[:, 7])  # ties
    group = rng.integers(0, 2, 250)
    found = scored(plain, *others, threshold=threshold, negative=negative, group=group, names=("a", "b"), size=61)
    for place, other in enumerate(others):
        oracle = StreamedInvariance(9, threshold, groups=2, negative=negative)
        with np.errstate(invalid="ignore"):
            oracle.see(plain, other)
            shares = oracle.add(plain, other, group)
        for number, which in enumerate((0, 1, None)):
            np.testing.assert_allclose(found.coefficient[place, number], oracle.coefficient(which), rtol=1e-9)
            told, own = oracle.summary(which), np.bincount(found.state[place, number], minlength=4)
            assert own[0] == told.scored
            assert own[1] == told.dead
            assert own[2] + own[3] == told.empty + told.non_finite
            finite = oracle._finite
            active = found.images_active[place, number]
            np.testing.assert_allclose(active[finite], oracle.images_per_unit(which)[finite], rtol=1e-12)
            assert np.isnan(active[~finite]).all()
        np.testing.assert_allclose(found.units_per_image[place], shares, rtol=1e-6)
        rectified = [np.maximum(a, 0) if negative == "rectify" else a for a in (plain, other)]
        expected = firing_invariance(rectified[0], rectified[1][None]).score
        np.testing.assert_allclose(found.firing[place], expected, rtol=1e-9)


def test_goodfellows_score_needs_a_hundred_images():
    rng = np.random.default_rng(0)
    plain = rng.random((99, 3))
    assert np.isnan(scored(plain, plain).firing).all()
    plain = rng.random((100, 3))
    assert scored(plain, plain).firing.tolist() == [[100.0] * 3]


def test_negative_activity_is_refused_unless_named():
    plain = np.array([[1.0, -1.0, 2.0], [1.0, 1.0, -2.0]])
    with pytest.raises(UnseenError, match=r"negative in units \(2 of 3 units\).*recordings.negative = \"rectify\""):
        scored(plain, np.abs(plain))
    rectified = scored(plain, np.abs(plain), negative="rectify")
    np.testing.assert_allclose(rectified.coefficient[0, -1], [1, 0.5, 0.5])
    kept = scored(plain, np.abs(plain), negative="keep")
    np.testing.assert_allclose(kept.coefficient[0, -1], [1, 1, 1])  # the opposite pair has no score and is left out
    alone = scored(np.array([[-1.0]]), np.array([[1.0]]), negative="keep")
    assert states(alone) == ["not finite"]
    with pytest.raises(UnseenError, match=r"no treatment of negative activity 'clip'.*error, rectify, keep"):
        scored(plain, plain, negative="clip")


def network(name="resnet18-w8", side=12, **options):
    return Preprocessed(build(name, {"category": 3}, input_size=(side, side), seed=0, **options), normalise="half")


def both_versions(n, side):
    """Images, and the same inverted and turned; rows are those of all three."""
    images = noise(n, side)
    turned, other = images.flip(3), 255 - images
    pairs = Pairs(
        np.arange(n), {"turned": np.arange(n, 2 * n), "inverted": np.arange(2 * n, 3 * n)},
        np.arange(n) % 2, ("seen", "unseen"),
    )  # fmt: skip
    return pairs, fetching(torch.cat([images, turned, other]))


NETWORKS = {
    "maps, tokens and features": (Layered, 8),
    "resnet18-w8": (lambda: network(stem="small"), 12),
    "mlp": (lambda: network("mlp", 8), 8),
    "a transformer": (lambda: network("vit_tiny_patch16_224", 32, arguments={"depth": 1, "embed_dim": 24}), 32),
}


@pytest.mark.parametrize("activity", ["mean", "max"])
@pytest.mark.parametrize("name", NETWORKS)
def test_all_layers_of_any_network_are_scored_as_from_collected_activity(name, activity):
    make, side = NETWORKS[name]
    net, (pairs, fetch) = make(), both_versions(20, side)
    found = unit_invariance(
        net, net.layers, fetch, pairs, 0.2, negative="rectify", activity=activity, device=CPU, size=16
    )
    assert list(found) == list(net.layers)
    for layer in net.layers:
        seen = []
        axis = net.channel_axis(layer)

        def collect(module, inputs, output, seen=seen, axis=axis):
            flat = output.movedim(axis, -1).reshape(len(output), -1, output.shape[axis])
            seen.append((flat.mean(1) if activity == "mean" else flat.amax(1)).numpy())

        hook = net.layer(layer).register_forward_hook(collect)
        with torch.inference_mode():
            for rows in pairs.rows:
                net.eval()(fetch(rows, "cpu"))
        hook.remove()
        for place in range(2):
            expected = invariance_coefficient(seen[0], seen[place + 1], 0.2, negative="rectify")
            np.testing.assert_allclose(found[layer].coefficient[place, -1], expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_batch_size_changes_nothing_but_rounding(size):
    net, (pairs, fetch) = network(stem="small"), both_versions(30, 12)
    one, other = (unit_invariance(net, net.layers, fetch, pairs, 0.1, device=CPU, size=n) for n in (24, size))
    for layer in net.layers:
        np.testing.assert_allclose(one[layer].coefficient, other[layer].coefficient, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(one[layer].units_per_image, other[layer].units_per_image, atol=0.05)


def test_hand_made_scores_do_not_depend_on_the_batch_size_at_all():
    rng = np.random.default_rng(5)
    plain, other = rng.random((2, 230, 4)).astype(np.float32)
    found = [scored(plain, other, size=size) for size in (2, 30, 1000)]
    for one in found[1:]:
        np.testing.assert_allclose(one.coefficient, found[0].coefficient, rtol=1e-12)
        np.testing.assert_array_equal(one.firing, found[0].firing)
        np.testing.assert_array_equal(one.images_active, found[0].images_active)


def test_two_passes_fetch_each_image_with_all_its_versions_and_never_more_than_a_batch():
    asked = []
    pairs, fetch = paired(np.ones((50, 3)), np.ones((50, 3)), np.ones((50, 3)))

    def counting(rows, device):
        asked.append(rows)
        return fetch(rows, device)

    unit_invariance(Units(), ["units"], counting, pairs, 0.1, device=CPU, size=12, keep=0)
    assert {len(rows) for rows in asked} == {12, 6}
    assert sum(len(rows) for rows in asked) == 2 * 3 * 50
    for rows in asked:
        assert sorted(set(rows % 50)) == sorted(rows[: len(rows) // 3])


@pytest.mark.parametrize("n", [40, 400])
def test_batches_are_let_go_however_many_images_there_are(n):
    batches = weakref.WeakSet()
    pairs, fetch = paired(np.ones((n, 3)), np.ones((n, 3)))

    def counting(rows, device):
        assert len(batches) <= 1
        images = fetch(rows, device)
        batches.add(images)
        return images

    unit_invariance(Units(), ["units"], counting, pairs, 0.1, device=CPU, size=20, keep=500)
    assert len(batches) <= 1


def test_what_is_kept_of_the_first_pass_is_not_run_again_and_changes_no_number():
    rng = np.random.default_rng(1)
    plain, other = rng.random((2, 200, 3)).astype(np.float32)
    pairs, fetch = paired(plain, other)
    found, asked = [], []
    for keep in (0, 1000, 10**6):
        fetched = []

        def counting(rows, device, fetched=fetched):
            fetched.append(len(rows))
            return fetch(rows, device)

        found.append(unit_invariance(Units(), ["units"], counting, pairs, 0.1, device=CPU, size=20, keep=keep)["units"])
        asked.append(sum(fetched))
    assert asked == [800, 800 - 4 * 20, 400]  # a batch holds 20 × 3 × 4 = 240 bytes
    for one in found[1:]:
        np.testing.assert_array_equal(one.coefficient, found[0].coefficient)
        np.testing.assert_array_equal(one.firing, found[0].firing)
        np.testing.assert_array_equal(one.units_per_image, found[0].units_per_image)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_scores_are_the_same_on_a_gpu():
    rng = np.random.default_rng(5)
    plain, *others = rng.random((4, 230, 6)).astype(np.float32)
    others[0][3, 2] = np.nan
    pairs, fetch = paired(plain, *others, group=np.arange(230) % 2, names=("a", "b"))
    here, there = (
        unit_invariance(Units(), ["units"], fetch, pairs, 0.3, device=torch.device(name), size=100)["units"]
        for name in ("cpu", "cuda")
    )
    np.testing.assert_allclose(here.coefficient, there.coefficient, rtol=1e-9)
    np.testing.assert_array_equal(here.firing, there.firing)
    np.testing.assert_array_equal(here.state, there.state)


def test_hooks_are_removed_after_an_error():
    net = Units()
    pairs, fetch = paired(np.ones((4, 2)), np.ones((4, 2)))
    with pytest.raises(UnseenError, match=r"no layer 'other'.*possible: units"):
        unit_invariance(net, ["other"], fetch, pairs, 0.1, device=CPU)
    with pytest.raises(UnseenError, match=r"from 0 to 1; given 1\.5"):
        unit_invariance(net, ["units"], fetch, pairs, 1.5, device=CPU)
    with pytest.raises(UnseenError, match=r"no activity 'median'"):
        unit_invariance(net, ["units"], fetch, pairs, 0.1, device=CPU, activity="median")
    passing = paired_activity(net, ["units"], fetch, pairs, Passing(device=CPU, size=2))
    next(passing)
    passing.close()
    assert not net.units._forward_hooks


def test_pairs_that_are_none_are_refused():
    rows = np.arange(3)
    with pytest.raises(UnseenError, match=r"3 plain images.*given blur: 2"):
        Pairs(rows, {"blur": rows[:2]}, np.zeros(3, int), ("all",))
    with pytest.raises(UnseenError, match=r"group from 0 to 0"):
        Pairs(rows, {"blur": rows}, np.array([0, 1, 0]), ("all",))
    with pytest.raises(UnseenError, match=r"0 plain images"):
        Pairs(rows[:0], {"blur": rows[:0]}, np.zeros(0, int), ("all",))
