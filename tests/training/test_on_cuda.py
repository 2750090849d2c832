"""What only a CUDA device can show: captured steps, packed trials, memory that runs out. Skipped elsewhere."""

import numpy as np
import pytest
import torch
from small_learners import TARGETS, learner, normalised, same, toy, trained, weights
from torch import nn

from unseen.models import Seeing, build
from unseen.recordings import activity_per_cell, respond
from unseen.training import train
from unseen.training.augment import uniform

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
CUDA = torch.device("cuda")
PLAN = {"shift": 1.0, "flip": 0.5, "brightness": 0.2}


def resnet(seed=0):
    return Seeing(build("resnet18-w8", dict.fromkeys(TARGETS, 3), stem="small", seed=seed), normalise="mnist")


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
