"""A network's answers: those of a plain forward pass, in order, whatever the batch."""

import numpy as np
import pytest
import torch
from small_networks import CPU, Layered, fetching, noise

from unseen.models import Preprocessed, build
from unseen.recordings import respond


def test_answers_are_those_of_a_plain_forward_pass():
    network, images = Layered().eval(), noise(50)
    with torch.no_grad():
        outputs = network(images)
    answers = respond(network, network.targets, fetching(images), np.arange(50), device=CPU)
    assert list(answers) == ["category", "view"]
    for target, (response, confidence) in answers.items():
        probability = outputs[target].softmax(1)
        assert response.dtype == np.int64
        assert np.array_equal(response, outputs[target].argmax(1).numpy())
        np.testing.assert_allclose(confidence, probability.amax(1).numpy(), rtol=1e-5)


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_answers_are_in_the_order_of_the_rows_whatever_the_batch_size(size):
    network, images = Layered(), noise(50)
    rows = np.random.default_rng(0).permutation(50)[:33]
    every = respond(network, network.targets, fetching(images), np.arange(50), device=CPU)
    some = respond(network, network.targets, fetching(images), rows, device=CPU, size=size)
    for target in network.targets:
        assert np.array_equal(some[target][0], every[target][0][rows])
        np.testing.assert_allclose(some[target][1], every[target][1][rows], rtol=1e-5)


def test_only_the_asked_targets_answer():
    network, images = Layered(), noise(5)
    assert list(respond(network, ["view"], fetching(images), np.arange(5), device=CPU)) == ["view"]


def test_no_rows_give_empty_answers_and_fetch_nothing():
    def fetch(rows, device):
        raise AssertionError("nothing was to be fetched")

    for response, confidence in respond(Layered(), ["view"], fetch, np.zeros(0, dtype=int), device=CPU).values():
        assert len(response) == len(confidence) == 0
        assert response.dtype == np.int64


def test_the_network_is_asked_and_left_in_evaluation_mode():
    network = Preprocessed(build("resnet18-w8", {"category": 3}, stem="small", seed=0), normalise="mnist").train()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    images = noise(6)
    first = respond(network, ["category"], fetching(images), np.arange(6), device=CPU)
    assert not any(module.training for module in network.modules())
    assert all(torch.equal(before[name], tensor) for name, tensor in network.state_dict().items())
    again = respond(network, ["category"], fetching(images), np.arange(6), device=CPU)
    assert np.array_equal(first["category"][1], again["category"][1])


def test_answers_can_be_asked_in_bf16():
    network, images = Layered(), noise(20)
    full, half = (
        respond(network, ["view"], fetching(images), np.arange(20), device=CPU, precision=precision)["view"][1]
        for precision in ("float32", "bf16")
    )
    np.testing.assert_allclose(half, full, atol=0.02)
    assert not np.array_equal(half, full)
    assert half.dtype == np.float32
