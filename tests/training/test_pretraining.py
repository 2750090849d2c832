"""Networks in pretraining: packed is alone, to the bit; and the features of what learned tell pictures apart."""

import numpy as np
import pytest
import torch
from small_learners import CPU, fetching, same, toy

from unseen.models import Preprocessed, build
from unseen.training import labelled_data, train
from unseen.training.pretexts import PRETEXTS
from unseen.training.pretraining import PretrainingLearner
from unseen.vocabulary.captions import phrases_of
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.sections import PretrainingSection

SPACE = FactorSpace([Factor("category", ("a", "b", "c"), kind="category"), Factor("size", (1, 2, 3), kind="ordinal")])
BACKBONES = {"mae": "vit-nano-p8", "dino": "mixer-nano-p8", "clip": "vit-nano-p8"}


def pretrained(name, seed=0, n=24, hold=True, **settings):
    """A learner on toy pictures of 16 pixels."""
    network = build(BACKBONES.get(name, "resnet18-w8"), {"encoder": 1}, input_size=(16, 16), seed=seed)
    given = {"supervised": {"classes": 3, "factor": 0}, "clip": {"phrases": phrases_of(SPACE)}}.get(name, {})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        pretext = PRETEXTS[name].make(network, network.description["features"], {}, **given)
    images, labels = toy(n + 8, 16)
    brought = [
        labelled_data(rows, labels[rows], fetching(images), CPU, hold) for rows in np.split(np.arange(n + 8), [n])
    ]
    section = PretrainingSection(**{"epochs": 2, "batch": 8, **settings}).settings()
    seeing = Preprocessed(network, normalise="half")
    where = {"seed": seed, "device": CPU, "precision": "float32"}
    return PretrainingLearner(pretext, seeing.prepare, *brought, section, **where)


@pytest.mark.parametrize("name", PRETEXTS)
def test_encoders_that_learn_side_by_side_are_what_they_are_alone(name):
    pack = [pretrained(name, seed) for seed in (0, 1)]
    together = train(pack)
    for seed, one in enumerate(together):
        alone = pretrained(name, seed)
        (done,) = train([alone])
        assert same(done.network, one.network)
        assert done.curve == one.curve
    assert not same(pack[0].pretext.delivered, pack[1].pretext.delivered)


@pytest.mark.parametrize("name", ["simclr", "dino"])
def test_pictures_that_are_fetched_as_they_are_needed_teach_what_held_ones_do(name):
    held, streamed = train([pretrained(name)]), train([pretrained(name, hold=False)])
    assert same(held[0].network, streamed[0].network)


@pytest.mark.parametrize("name", PRETEXTS)
def test_the_last_weights_are_kept_and_every_one_that_should_has_moved(name):
    learner = pretrained(name)
    before = {key: one.clone() for key, one in learner.pretext.delivered.trunk.state_dict().items()}
    (done,) = train([learner])
    assert done.best_epoch == 1
    assert done.flags == {}
    after = learner.pretext.delivered.trunk.state_dict()
    still = [key for key, one in before.items() if torch.equal(one, after[key])]
    assert [key for key in still if not key.endswith(("num_batches_tracked", "conv1.bias"))] in (
        [],
        ["network.cls_token"],
    )


def test_views_differ_from_epoch_to_epoch_and_the_watched_loss_sees_the_same():
    learner = pretrained("simclr", lr=1e-30, weight_decay=0.0)
    (done,) = train([learner])
    first, second = done.curve
    assert first["train loss objective"] != second["train loss objective"]
    learner = pretrained("mae", lr=1e-30, weight_decay=0.0)
    (done,) = train([learner])
    assert done.curve[0]["validation loss objective"] == pytest.approx(done.curve[1]["validation loss objective"])


@pytest.mark.parametrize("name", ["simclr", "mae", "clip", "supervised"])
def test_the_loss_falls(name):
    (done,) = train([pretrained(name, epochs=12, n=48, lr=3e-3)])
    losses = [point["train loss objective"] for point in done.curve]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])
