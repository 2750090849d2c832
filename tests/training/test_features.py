"""Features computed once: each picture goes through the network once, in bounded chunks, as a test shows it."""

import numpy as np
import pytest
import torch
from small_learners import CPU, TARGETS, fetching, toy
from torch import nn

from unseen.models import Heads, build
from unseen.training import labelled_data, train
from unseen.training.features import HeadsLearner, encoded
from unseen.vocabulary.sections import TrainingSection


def flat(images):
    return images.float().flatten(1)


@pytest.mark.parametrize("hold", [True, False])
def test_every_picture_is_encoded_once_however_often_it_is_visited(hold):
    images, labels = toy(6)
    rows, seen = np.array([5, 1, 5, 3, 1, 1]), []

    def encode(some):
        seen.append(len(some))
        return flat(some)

    source = labelled_data(rows, labels[rows], fetching(images), CPU, hold)
    made = encoded(source, encode, CPU, chunk=2)
    assert seen == [2, 1]
    assert torch.equal(made.gathered(torch.arange(6)), flat(images[torch.from_numpy(rows)]))
    assert torch.equal(made.labels, source.labels)
    assert made.held.dtype == torch.float32


def test_what_is_fresh_is_encoded_as_a_test_shows_it():
    images, labels = toy(4)

    def fetch(rows, device, draw=0):
        return images[torch.from_numpy(rows)] + draw

    rows = np.array([0, 1, 1, 2])
    source = labelled_data(rows, labels[rows], fetch, CPU, True, fresh=np.array([True, False, False, True]))
    source.redraw(3)
    made = encoded(source, flat, CPU)
    assert made.fresh is None
    assert torch.equal(made.gathered(torch.arange(4)), flat(images[torch.from_numpy(rows)]))


@pytest.mark.parametrize("sharing", ["shared", "separate", "split-2"])
def test_heads_answer_features_as_the_whole_network_answers_pictures(sharing):
    network = build("resnet18-w8", {"a": 3, "b": 5}, sharing=sharing, stem="small", seed=0).eval()
    images = torch.randn(4, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        features, answers = network.features(images), network(images)
        assert features.shape == ((4, 64) if sharing == "shared" else (4, 2, 64))
        assert all(torch.equal(one, answers[name]) for name, one in Heads(network)(features).items())


def test_a_learner_of_heads_gives_the_whole_network_with_the_heads_it_chose():
    whole = nn.ModuleDict({"trunk": nn.Linear(64, 8), "head": nn.Linear(8, 3)}).requires_grad_(True)
    start = {key: value.clone() for key, value in whole.state_dict().items()}
    heads = OneHead(whole["head"])
    images, labels = toy(40)
    source = labelled_data(np.arange(40), labels, fetching(images), CPU, True)
    made = encoded(source, lambda some: whole["trunk"](flat(some) / 255), CPU)
    learner = HeadsLearner(
        heads, whole, TARGETS, made, made, TrainingSection(epochs=3, batch=20), seed=0, device=CPU,
        precision="float32", spent=5.0,
    )  # fmt: skip
    (done,) = train([learner])
    assert done.network is whole
    assert not whole.training
    assert done.seconds > 5
    moved = {key for key, value in whole.state_dict().items() if not torch.equal(value, start[key])}
    assert moved == {"head.weight", "head.bias"}


class OneHead(nn.Module):
    """The same answer to both questions."""

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, features):
        return dict.fromkeys(TARGETS, self.head(features))
