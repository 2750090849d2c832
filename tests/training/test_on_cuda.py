"""What only a CUDA device can show: captured steps, packed trials, memory that runs out. Skipped elsewhere."""

import numpy as np
import pytest
import torch
from small_learners import TARGETS, Noisy, fetching, learner, normalised, of, same, toy, trained, weights
from torch import nn

from unseen.models import Preprocessed, build
from unseen.models.inputs import standardised
from unseen.recordings import activity_per_cell, respond
from unseen.training import LabelledData, Learner, labelled_data, train
from unseen.training.augment import uniform
from unseen.vocabulary.sections import TrainingSection
from unseen.worlds import make
from unseen.worlds.transforms.transformed import transformed

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
CUDA = torch.device("cuda")
PLAN = {"shift": 1.0, "flip": 0.5, "brightness": 0.2}


def resnet(seed=0):
    return Preprocessed(build("resnet18-w8", dict.fromkeys(TARGETS, 3), stem="small", seed=seed), normalise="mnist")


def on_cuda(network, **settings):
    options = {"device": CUDA, "precision": "bf16", "lr": 0.003, "batch": 16, "epochs": 3, **settings}
    return learner(network, toy(100, 16), toy(37, 16, seed=1), **options)


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("augment", [{}, PLAN])
def test_packed_learners_are_each_what_it_is_alone_to_the_bit(augment, hold):
    variants = [{"seed": k, "lr": 0.001 * (k + 1), "augment": augment, "hold": hold} for k in range(3)]
    alone = [train([on_cuda(resnet(k), **variant)])[0] for k, variant in enumerate(variants)]
    together = train([on_cuda(resnet(k), **variant) for k, variant in enumerate(variants)])
    for a, b in zip(alone, together):
        assert same(a.network, b.network)
        assert a.curve == b.curve


def test_a_seed_gives_the_same_bits_again_and_capturing_leaves_no_trace_in_the_weights():
    first, again = (train([on_cuda(resnet())])[0] for _ in range(2))
    assert same(first.network, again.network)
    assert first.curve == again.curve
    network = resnet()
    start = weights(network)
    one = on_cuda(network)
    assert all(torch.equal(start[name], tensor.cpu()) for name, tensor in one.network.state_dict().items())
    assert int(one.step_number) == int(one.cursor) == 0
    assert all(not tensor.any() for state in one.optimiser.state.values() for tensor in state.values())


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_a_captured_step_is_the_eager_step(schedule):
    settings = {"schedule": schedule, "warmup": 1, "select": "last", "augment": PLAN}
    eager, captured = (train([on_cuda(resnet(), capture=c, **settings)])[0] for c in (False, True))
    for name, tensor in captured.network.state_dict().items():
        torch.testing.assert_close(tensor, eager.network.state_dict()[name], rtol=0.05, atol=0.02, msg=name)
    for a, b in zip(captured.curve, eager.curve):
        assert a["validation loss total"] == pytest.approx(b["validation loss total"], rel=0.02)


def test_streamed_training_is_resident_training_to_the_bit():
    a, b = (train([on_cuda(resnet(), hold=hold, augment=PLAN)])[0] for hold in (True, False))
    assert same(a.network, b.network)
    assert a.curve == b.curve


def under_noise(hold=True, k=0, world=None, **settings):
    """A learner on pictures of which some are noise, drawn anew in every epoch; some rows are listed twice."""
    rows = np.sort(np.concatenate([np.arange(80), np.arange(0, 80, 3)]))
    world = Noisy(80, 16) if world is None else world
    data = world if isinstance(world, LabelledData) else world.pictures(rows, hold, device=CUDA)
    section = TrainingSection(**{"epochs": 3, "batch": 16, "lr": 0.003, **settings})
    ask = of(*toy(37, 16, seed=1), device=CUDA)
    return Learner(resnet(k), TARGETS, data, ask, section, seed=k, device=CUDA, precision="bf16")


def test_noise_drawn_anew_is_the_same_held_and_streamed_and_packed_and_alone():
    held, streamed = (train([under_noise(hold, augment=PLAN)])[0] for hold in (True, False))
    assert same(held.network, streamed.network)
    assert held.curve == streamed.curve
    alone = [train([under_noise(k=k, epochs=2 + k)])[0] for k in range(3)]
    data = under_noise().train
    address = data.held.data_ptr()
    packed = train([under_noise(k=k, world=data, epochs=2 + k) for k in range(3)])
    assert data.held.data_ptr() == address
    for a, b in zip(alone, packed):
        assert same(a.network, b.network)
        assert a.curve == b.curve
    fixed = train([under_noise(world=Noisy(80, 16).pictures(data.rows, fresh=False, device=CUDA))])[0]
    assert fixed.curve != train([under_noise()])[0].curve


@pytest.mark.parametrize("hold", [True, False])
def test_a_transformed_world_trains_the_same_held_streamed_and_packed(hold):
    world = transformed(make("digits", viewpoint="none"), ["white-noise", "salt-and-pepper", "blur"])
    rows = np.sort(np.concatenate([np.arange(400), np.arange(0, 400, 4)]))
    labels = np.stack([world.samples.levels("category", rows)] * 2, axis=1)

    def fetch(rows, device, draw=0):
        return world.again(rows, device, draw)

    def data(hold):
        return labelled_data(rows, labels, fetch, CUDA, hold=hold, fresh=world.fresh(rows))

    def one(data, k):
        network = Preprocessed(
            build("resnet18-w8", dict.fromkeys(TARGETS, 10), stem="small", seed=k), normalise="per-image"
        )
        section = TrainingSection(epochs=2, batch=50, normalise="per-image")
        return Learner(network, TARGETS, data, data, section, seed=k, device=CUDA, precision="bf16")

    alone = [train([one(data(True), k)])[0] for k in range(2)]
    shared = data(hold)
    for a, b in zip(alone, train([one(shared, k) for k in range(2)])):
        assert same(a.network, b.network)


def test_repeated_rows_are_gathered_from_one_slot_by_a_captured_step():
    images, labels = toy(60, 16)
    rows = np.repeat(np.arange(60), 2)
    once = labelled_data(rows, labels[rows], fetching(images), CUDA, hold=True)
    assert len(once.held) == 60
    each = LabelledData(rows, once.labels, once.fetch, images[torch.from_numpy(rows)].to(CUDA))
    a, b = (train([under_noise(world=data)])[0] for data in (once, each))
    assert same(a.network, b.network)


def test_the_papers_alexnet_trains_in_a_captured_step_and_gives_the_same_bits_without_dropout():
    arguments = {"widths": [16, 32, 32, 32, 16], "hidden": 64, "dropout": 0.0}

    def one():
        name, outputs = "alexnet-no-early-pools", dict.fromkeys(TARGETS, 3)
        network = build(name, outputs, channels=1, input_size=(32, 32), seed=0, arguments=arguments)
        whole = Preprocessed(network, normalise="per-image", channels=1)
        options = {"device": CUDA, "precision": "bf16", "lr": 0.01, "optimiser": "sgd", "batch": 16, "epochs": 3}
        return learner(whole, toy(100, 32), toy(37, 32, seed=1), **options)

    first, again = (train([one()])[0] for _ in range(2))
    assert same(first.network, again.network)
    assert all(np.isfinite(list(figures.values())).all() for figures in first.curve)


def test_patience_stops_a_learner_at_its_best_epoch_while_its_pack_mates_go_on():
    settings = {"epochs": 30, "lr": 0.03}
    whole = train([on_cuda(resnet(), **settings)])[0]
    done, beside = train([on_cuda(resnet(), **settings, patience=2), on_cuda(resnet(), **settings)])
    assert len(done.curve) - 1 - done.best_epoch == 2
    assert len(done.curve) < 30
    assert done.curve == whole.curve[: len(done.curve)]
    assert same(beside.network, whole.network)


def test_per_image_standardisation_is_that_of_the_cpu():
    images = toy(60, 16)[0].float() - 30
    here, there = (standardised(images.to(d)).cpu() for d in ("cpu", "cuda"))
    torch.testing.assert_close(there, here, rtol=1e-5, atol=1e-5)
    assert not standardised(torch.full((3, 1, 84, 84), 200.0, device=CUDA)).any()


def test_training_agrees_with_the_cpu():
    here, there = (
        trained(normalised(), toy(40), device=device, precision="float32", lr=0.01, epochs=2)
        for device in (torch.device("cpu"), CUDA)
    )
    for a, b in zip(here.curve, there.curve):
        assert b["validation loss total"] == pytest.approx(a["validation loss total"], rel=0.01)


def test_draws_are_the_same_on_every_device():
    rows = torch.arange(10_000)
    here, there = (uniform(rows.to(d), torch.tensor(3, device=d), 7, 2).cpu() for d in ("cpu", "cuda"))
    assert torch.equal(here, there)


def test_a_diverging_pack_mate_is_flagged_and_the_others_go_on():
    images, labels = toy(100, 16)
    alone = train([on_cuda(resnet())])[0]
    nan = learner(resnet(1), (images.float() * float("nan"), labels), toy(37, 16), device=CUDA, precision="bf16")
    broken, beside = train([nan, on_cuda(resnet())])
    assert "diverged" in broken.flags
    assert all(torch.isfinite(tensor).all() for tensor in broken.network.state_dict().values())
    assert same(alone.network, beside.network)


def test_running_out_of_memory_is_an_error_the_engine_knows_and_the_memory_comes_back():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()

    class Greedy(nn.Module):
        targets = TARGETS

        def __init__(self):
            super().__init__()
            self.inner = normalised()

        def forward(self, images):
            torch.empty(2**45, dtype=torch.uint8, device=images.device)
            return self.inner(images)

    with pytest.raises(torch.OutOfMemoryError):
        on_cuda(Greedy())
    import gc

    gc.collect()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() - before < 50e6
    assert train([on_cuda(resnet())])[0].flags.keys() <= {"unconverged"}


def test_answers_and_activity_on_the_device_are_those_of_the_cpu():
    network, images = resnet().eval(), toy(60, 16)[0]
    rows, cells = np.arange(60), np.arange(60) % 5

    def fetch(asked, device):
        return images[torch.from_numpy(asked)].to(device)

    here = respond(network, TARGETS, fetch, rows, device=torch.device("cpu"))
    means, _ = activity_per_cell(network, network.layers, fetch, rows, cells, 5, device=torch.device("cpu"))
    network.to(CUDA)
    there = respond(network, TARGETS, fetch, rows, device=CUDA)
    on_device, _ = activity_per_cell(network, network.layers, fetch, rows, cells, 5, device=CUDA)
    for target in TARGETS:
        np.testing.assert_allclose(there[target][1], here[target][1], atol=1e-3)
    for layer in network.layers:
        np.testing.assert_allclose(on_device[layer], means[layer], rtol=1e-2, atol=1e-3)
