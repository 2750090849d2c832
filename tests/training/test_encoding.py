"""Encoders learn by an objective in the same loop: alone or packed, the same to the bit."""

import numpy as np
import pytest
import torch
from small_learners import same

from unseen.models import Seeing, build_encoder
from unseen.training import pictures, train
from unseen.training.encoding import LOSS, EncodingLearner
from unseen.training.objectives import OBJECTIVES
from unseen.training.pairs import pair_grid
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import TrainingSection
from unseen.worlds import make

CPU = torch.device("cpu")
WORLD = make("dsprites")
SHAPE = WORLD.samples.space.shape


def learner(name, seed=0, hold=True, grid=True, **settings):
    rows = np.arange(0, 737_280, 9001)[:64]
    numbers = np.zeros((64, 1), dtype=np.float32)
    data = pictures(rows, numbers, WORLD.images, CPU, hold=hold)
    few = pictures(rows[:16], numbers[:16], WORLD.images, CPU)
    objective = OBJECTIVES[name]
    encoder = build_encoder(objective.encoder, channels=1, seed=seed)
    prepare = Seeing(encoder, normalise="none", channels=1).prepare
    section = TrainingSection(**{"epochs": 2, "batch": 16, "lr": 3e-4, **settings})
    pairs = pair_grid(SHAPE, rows, device=CPU, categories=(0,)) if grid and objective.pairs else None
    return EncodingLearner(
        encoder, name, prepare, data, few, section, grid=pairs, seed=seed, device=CPU, precision="float32"
    )


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_learns_and_a_seed_gives_the_same_bits_alone_and_packed(name):
    alone = train([learner(name, 1)])[0]
    _, packed = train([learner(name, 0), learner(name, 1)])
    assert same(alone.network, packed.network)
    assert alone.curve == packed.curve
    first, last = (alone.curve[place][f"train loss {LOSS}"] for place in (0, -1))
    assert last < first
    assert np.isfinite(last)


def test_an_objective_of_pairs_says_what_it_needs():
    with pytest.raises(UnseenError, match=r"'slow-vae' learns from pairs, which need .*\(64 images here"):
        learner("slow-vae", hold=False)
    with pytest.raises(UnseenError, match="one whole grid"):
        learner("ada-gvae", grid=False)
    assert learner("beta-vae", hold=False).train.held is None
