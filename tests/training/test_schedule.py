"""The learning rate at every step, against torch's own schedulers."""

from itertools import pairwise

import pytest
import torch
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LinearLR, SequentialLR

from unseen.training.learner import rate
from unseen.vocabulary.sections import TrainingSection


def theirs(kind, warm, total, lr):
    """Rates of a torch scheduler: a line up during the warm-up, then the schedule."""
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    after = {
        "constant": lambda: ConstantLR(optimiser, factor=1.0, total_iters=1),
        "cosine": lambda: CosineAnnealingLR(optimiser, T_max=total - warm),
        "linear": lambda: LinearLR(optimiser, start_factor=1.0, end_factor=0.0, total_iters=total - warm),
    }[kind]()
    scheduler = after
    if warm:
        up = LinearLR(optimiser, start_factor=1 / (warm + 1), end_factor=1.0, total_iters=warm)
        scheduler = SequentialLR(optimiser, [up, after], milestones=[warm])
    rates = []
    for _ in range(total):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        scheduler.step()
    return rates


@pytest.mark.filterwarnings("ignore:The epoch parameter in `scheduler.step")  # torch's own SequentialLR gives it
@pytest.mark.parametrize("warmup", [0, 1, 2])
@pytest.mark.parametrize("kind", ["constant", "cosine", "linear"])
def test_rates_are_those_of_torchs_schedulers(kind, warmup):
    per_epoch, epochs = 5, 6
    settings = TrainingSection(lr=0.3, schedule=kind, warmup=warmup, epochs=epochs)
    ours = [rate(settings, step, epochs * per_epoch, per_epoch) for step in range(epochs * per_epoch)]
    assert ours == pytest.approx(theirs(kind, warmup * per_epoch, epochs * per_epoch, 0.3), abs=1e-12)


@pytest.mark.parametrize("kind", ["cosine", "linear"])
def test_a_schedule_begins_at_the_full_rate_and_falls_to_nothing(kind):
    settings = TrainingSection(lr=0.3, schedule=kind, epochs=4)
    rates = [rate(settings, step, 40, 10) for step in range(41)]
    assert rates[0] == pytest.approx(0.3)
    assert rates[40] == pytest.approx(0, abs=1e-12)
    assert all(a > b for a, b in pairwise(rates))


def test_a_warm_up_may_be_a_part_of_an_epoch_or_longer_than_training():
    half = TrainingSection(lr=1.0, warmup=0.5, epochs=2)
    assert [rate(half, step, 8, 4) for step in range(4)] == pytest.approx([1 / 3, 2 / 3, 1, 1])
    endless = TrainingSection(lr=1.0, warmup=9, epochs=1, schedule="cosine")
    rates = [rate(endless, step, 4, 4) for step in range(4)]
    assert all(0 < a < b < 1 for a, b in pairwise(rates))
