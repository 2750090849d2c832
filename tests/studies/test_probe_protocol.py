"""A probe trains heads on features that are computed once, and finds what training through pictures would find."""

import numpy as np
import pytest
import torch

from small_study import CALIBRATED, ran, tiny
from unseen.engines import open_study
from unseen.engines.timing import _looks
from unseen.kinds.checks import check
from unseen.studies.learners import finished, learner_of
from unseen.studies.protocols import probe
from unseen.training import features as training_features
from unseen.training import train
from unseen.training.features import HeadsLearner

pytest_plugins = ("studies_fixtures",)

CPU = torch.device("cpu")
ONE = {"grid": {"design.seen_per_level": [8]}}
FROZEN = {"backbone": "resnet18-w8", "stem": "small", "frozen": True}
NOISY = {
    "title": "Noise", "seeds": [0], "targets": ["category"], "protocol": "probe",
    "world": {"name": "transformed", "levels": ["white-noise"], "of": {"name": "digits", "viewpoint": "none"}},
    "design": {"name": "expose", "level": "white-noise", "seen": 3, "images_per_category": 20, "probe_per_category": 2},
    "network": {**FROZEN, "channels": 1}, "training": {"epochs": 2, "batch": 32, "normalise": "half"},
    "recordings": {"sets": ["plain", "across"], "layers": "none"},
}  # fmt: skip


def probed(path, **changes):
    """A study of one probe."""
    network = {**FROZEN, **changes.pop("network", {})}
    return open_study(tiny(**{"network": network, "training__epochs": 3, **ONE, **changes}), out=path)


def learned(opened, monkeypatch=None, *, cached=True, device=CPU):
    """Its first trial, trained on features or, if they do not fit, through pictures."""
    trial = opened.trials[0]
    if not cached:
        monkeypatch.setattr(probe, "_fit", lambda network, brought: False)
    learner = learner_of(opened, trial, "float32", device, {})
    assert isinstance(learner, HeadsLearner) is cached
    (trained,) = train([learner])
    return finished(opened, trial, learner, trained)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"network": {"sharing": "separate"}},
        {"network": {"sharing": "split-2"}},
        {"training__optimiser": "sgd", "training__lr": 0.1, "training__weight_decay": 0.01},
        {"training__precision": "bf16"},
        {"task": "regression", "targets": ["position"]},
        {"training__patience": 1, "training__lr": 0.5},
    ],
    ids=["shared", "separate", "split", "sgd", "bf16", "numbers", "patience"],
)
def test_a_probe_on_features_is_the_frozen_network_trained_through_pictures(changes, tmp_path, monkeypatch):
    opened = probed(tmp_path / "study", **changes)
    on_features = learned(opened)
    through_pictures = learned(opened, monkeypatch, cached=False)
    assert on_features.best_epoch == through_pictures.best_epoch
    for one, other in zip(on_features.curve, through_pictures.curve, strict=True):
        assert one == pytest.approx(other, rel=1e-4, abs=1e-6)
    mine, theirs = on_features.network.state_dict(), through_pictures.network.state_dict()
    assert set(mine) == set(theirs)
    for key, value in mine.items():
        torch.testing.assert_close(value, theirs[key], rtol=1e-4, atol=1e-5)


def test_a_probe_finds_what_scikit_learns_logistic_regression_finds(tmp_path):
    """At the end of a long training with weight decay, which is its penalty; heads are penalised with their bias, so
    that theirs has a feature that is always one in its place."""
    from sklearn.linear_model import LogisticRegression

    decay, changes = 0.01, {"training__epochs": 600, "training__batch": 90, "training__lr": 0.05}
    opened = probed(
        tmp_path / "study", targets=["category"], training__weight_decay=decay, training__schedule="cosine",
        training__select="last", **changes,
    )  # fmt: skip
    whole = learned(opened).network
    trial = opened.trials[0]
    samples = opened.world(trial).samples
    x, y, asked = ([], [], [])
    for name in ("train", "seen"):
        rows = opened.split(trial).rows(samples, name)
        with torch.no_grad():
            images = opened.world(trial).images(rows)
            x.append(whole.network.features(whole.prepare(images)).double().numpy())
            asked.append(whole(images)["category"].softmax(1).double().numpy())
        y.append(opened.targets(trial)[0].truth(samples, rows))
    x = [np.column_stack([one, np.ones(len(one))]) for one in x]
    n = len(x[0])
    assert n == 90
    theirs = LogisticRegression(C=1 / (n * decay), fit_intercept=False, max_iter=5000, tol=1e-8).fit(x[0], y[0])
    for place in (0, 1):
        np.testing.assert_allclose(asked[place], theirs.predict_proba(x[place]), atol=2e-3)
    assert np.ptp(asked[1], axis=0).max() > 0.05, "an answer that depends on the image"


def test_pictures_are_not_seen_again_after_their_features_are_computed(tmp_path, monkeypatch):
    opened, calls = probed(tmp_path / "study", training__epochs=5), []
    world = opened.world(opened.trials[0])
    whole = world.images
    monkeypatch.setattr(
        type(world), "images", lambda self, rows, *more: (calls.append(len(rows)), whole(rows, *more))[1]
    )
    learned(opened)
    assert sum(calls) == 1 + 90 + 1 + 72, "one each to learn their form, then all, once"


def test_trials_that_share_weights_and_rows_share_their_features_and_others_do_not(tmp_path, monkeypatch):
    torch.save(learned(probed(tmp_path / "first")).network.network.state_dict(), tmp_path / "start.pt")
    computed, plain = [], training_features.encoded
    monkeypatch.setattr(training_features, "encoded", lambda *told, **how: (computed.append(1), plain(*told, **how))[1])
    for network, times in (({"checkpoint": str(tmp_path / "start.pt")}, 2), ({}, 4)):
        opened, held = probed(tmp_path / "more", seeds=[0, 1], network=network), {}
        computed.clear()
        for trial in opened.trials:
            learner_of(opened, trial, "float32", CPU, held)
        assert len(computed) == times, "train and validation, once; random weights are each seed's own"


def test_a_search_computes_features_once_for_all_that_it_tries(tmp_path, monkeypatch):
    computed, plain = [], training_features.encoded
    monkeypatch.setattr(training_features, "encoded", lambda *told, **how: (computed.append(1), plain(*told, **how))[1])
    opened = probed(tmp_path / "study", search={"lr": [0.1, 0.01, 0.001]})
    learner = learner_of(opened, opened.trials[0], "float32", CPU, {})
    assert len(learner.search["tries"]) == 3
    assert len(computed) == 4, "of what is tried on and asked, then of training and validation"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_captured_probe_on_a_gpu_is_the_frozen_network_trained_through_pictures(tmp_path, monkeypatch):
    opened, cuda = probed(tmp_path / "study"), torch.device("cuda")
    on_features = learned(opened, device=cuda)
    through_pictures = learned(opened, monkeypatch, cached=False, device=cuda)
    theirs = through_pictures.network.state_dict()
    for key, value in on_features.network.state_dict().items():
        torch.testing.assert_close(value, theirs[key], rtol=1e-3, atol=1e-4)


# What cannot be computed once


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        (tiny(network=FROZEN, training__augment={"shift": 2}, **ONE), "training.augment"),
        (NOISY, "noise"),
    ],
    ids=["augmented", "noise"],
)
def test_pictures_that_change_at_every_visit_go_through_the_network_and_the_plan_says_so(tables, why, tmp_path):
    opened = open_study(tables, out=tmp_path / "study")
    check(opened)
    words = f"probe on features of random weights, computed in every epoch, since {why} changes images at every visit"
    assert list(opened.networks) == [f"resnet18-w8, {words}"]
    trial = opened.trials[0]
    assert not isinstance(learner_of(opened, trial, "float32", CPU, {}), HeadsLearner)
    assert ran(opened).finished == 1


def test_noise_in_none_of_the_training_rows_lets_features_be_computed_once(tmp_path):
    plain = {**NOISY, "design": {**NOISY["design"], "seen": 0}}
    opened = open_study(plain, out=tmp_path / "study")
    assert isinstance(learner_of(opened, opened.trials[0], "float32", CPU, {}), HeadsLearner)


def test_features_that_do_not_fit_are_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 4 * 64 * (90 + 72) * 2 - 1)
    opened = probed(tmp_path / "study")
    assert not isinstance(learner_of(opened, opened.trials[0], "float32", CPU, {}), HeadsLearner)
    monkeypatch.setattr("unseen.training.feed.free_memory", lambda device: 4 * 64 * (90 + 72) * 2)
    assert isinstance(learner_of(opened, opened.trials[0], "float32", CPU, {}), HeadsLearner)


# Around it


def test_an_estimate_counts_the_pictures_of_a_probe_once(tmp_path):
    once = probed(tmp_path / "once", training__epochs=50)
    again = probed(tmp_path / "again", training__epochs=50, training__augment={"shift": 1})
    searched = probed(tmp_path / "searched", training__epochs=50, search={"lr": [0.1, 0.01]})
    assert [_looks(one, one.trials[0]) for one in (once, again, searched)] == [
        (90, 72),
        (50 * 90, 50 * 72),
        (180, 72),
    ]


def test_a_probe_learns_from_one_image_at_a_time(tmp_path):
    """Its normalisation does not learn, and need not see more than one."""
    network = {"backbone": "resnet18-w8", "stem": "standard", "frozen": True}
    opened = open_study(tiny(network=network, training__batch=1, **ONE), out=tmp_path / "study")
    check(opened)
    assert ran(opened).finished == 1


def test_the_strength_of_a_transformation_is_calibrated_with_a_probe(tmp_path):
    from unseen.studies.calibration import calibrate

    tables = {**CALIBRATED, "network": {**FROZEN, "channels": 1}, "training": {**CALIBRATED["training"], "epochs": 60}}
    opened = open_study({**tables, "protocol": "probe"}, out=tmp_path / "study")
    (record,) = calibrate(opened).values()
    assert record["plain"] > 0.4
    assert len(record["curve"]) == 60
