"""Encoders learn by an objective in the same loop: alone or packed, the same to the bit."""

import numpy as np
import pytest
import torch
from small_learners import same

from unseen.models import Preprocessed, build_encoder
from unseen.training import labelled_data, train
from unseen.training.encoding import LOSS, EncodingLearner
from unseen.training.loop import reproducible
from unseen.training.objectives import OBJECTIVES
from unseen.training.pairs import PAIRS, pair_grid
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import seed_of
from unseen.worlds import make

CPU = torch.device("cpu")
ON_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
WORLD = make("dsprites")
SHAPE = WORLD.samples.space.shape


def learner(name, seed=0, hold=True, grid=True, apart=9001, asked=None, device=CPU, **settings):
    rows = np.arange(0, 737_280, apart)[:64]
    numbers = np.zeros((64, 1), dtype=np.float32)
    data = labelled_data(rows, numbers, WORLD.images, device, hold=hold)
    few = data if asked == "training" else labelled_data(rows[:16], numbers[:16], WORLD.images, device)
    objective = OBJECTIVES[name]
    encoder = build_encoder(objective.encoder, channels=1, seed=seed)
    prepare = Preprocessed(encoder, normalise="none", channels=1).to(device).prepare
    section = TrainingSection(**{"epochs": 2, "batch": 16, "lr": 3e-4, **settings})
    pairs = pair_grid(SHAPE, rows, device=device, categories=(0,)) if grid and objective.pairs else None
    return EncodingLearner(
        encoder, name, prepare, data, few, section, grid=pairs, seed=seed, device=device, precision="float32"
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


def test_partners_are_found_also_where_rows_are_listed_twice_and_in_any_order():
    rows = np.array([9001, 0, 9001, 36004, 0, 18002])
    labels = np.zeros((6, 1), dtype=np.float32)
    data = labelled_data(rows, labels, WORLD.images, CPU, hold=True)
    assert len(data.held) == 4
    encoder = build_encoder(OBJECTIVES["slow-vae"].encoder, channels=1, seed=0)
    prepare = Preprocessed(encoder, normalise="none", channels=1).prepare
    grid = pair_grid(SHAPE, rows, device=CPU, categories=(0,))
    settings = TrainingSection(epochs=1, batch=3)
    one = EncodingLearner(
        encoder, "slow-vae", prepare, data, data, settings, grid=grid, seed=0, device=CPU, precision="float32"
    )
    assert torch.equal(data.held[one.partner_slots], WORLD.images(np.unique(rows)))
    assert np.isfinite(train([one])[0].curve[0][f"train loss {LOSS}"])


@pytest.mark.parametrize("name", ["ada-gvae", "slow-vae"])
def test_partners_drawn_for_an_epoch_are_those_of_each_step(name):
    one = learner(name, 3, apart=1)
    one.begin_epoch(1)
    draw, seed = PAIRS[OBJECTIVES[name].pairs], seed_of(3, "training", "pairs", True)
    slots = one.partners[id(one.train)]
    for step in range(one.steps_per_epoch):
        picks = one.order[step * one.batch : (step + 1) * one.batch]
        rows = torch.as_tensor(one.train.rows)[picks]
        found = draw(one.grid, rows, torch.tensor(one.steps_per_epoch + step), seed=seed)
        assert torch.equal(one.train.held[slots[picks]], WORLD.images(found.rows.numpy()))
        assert (found.rows != rows).any()


PAIRED = [name for name, objective in OBJECTIVES.items() if objective.pairs]


def looked_at(one, act):
    """Partners and images that the encoder is shown first when a learner acts, before they are scaled."""
    shown, plain = [], one.prepare
    one.prepare = lambda images: (shown.append(images.float().clone()), plain(images))[1]
    one.begin_epoch(0)
    act()
    return shown[0], shown[1]


def brightest(images):
    """White is 255 in every sprite, so that this tells the factor that a picture was darkened by."""
    return images.flatten(1).amax(1)


@pytest.mark.parametrize("name", PAIRED)
def test_both_images_of_a_pair_are_augmented(name):
    one = learner(name, augment={"brightness": 0.9})
    for images in looked_at(one, one.step):
        assert 0.2 < (brightest(images) < 255).float().mean() < 0.8, "half of the factors are below one"


@pytest.mark.parametrize("name", ["ada-gvae", "slow-vae"])
def test_where_all_but_a_few_factors_are_to_stay_a_pair_has_one_draw(name):
    one = learner(name, augment={"brightness": 0.9})
    partners, images = looked_at(one, one.step)
    assert torch.equal(brightest(partners), brightest(images))
    assert len(brightest(images).unique()) > 4


def test_where_pairs_are_to_be_told_from_shuffled_ones_each_image_has_its_own_draw():
    one = learner("pcl", augment={"brightness": 0.9})
    partners, images = looked_at(one, one.step)
    dark = (brightest(partners) < 255) | (brightest(images) < 255)
    assert dark.any()
    assert (brightest(partners) != brightest(images))[dark].all()


@pytest.mark.parametrize("name", PAIRED)
def test_nothing_is_augmented_when_a_learner_is_asked_even_its_training_rows(name):
    one = learner(name, asked="training", augment={"brightness": 0.9, "shift": 5})
    for images in looked_at(one, one.ask):
        assert torch.equal(brightest(images), torch.full((len(images),), 255.0))


@pytest.mark.parametrize("device", [CPU, pytest.param(torch.device("cuda"), marks=ON_CUDA)], ids=str)
@pytest.mark.parametrize("name", PAIRED)
def test_augmented_pairs_are_the_same_to_the_bit_alone_and_packed(name, device):
    settings = {"augment": {"shift": 2.0, "flip": 0.5, "brightness": 0.3}, "epochs": 1, "device": device}
    with reproducible(1):
        alone = train([learner(name, 1, **settings)])[0]
        _, packed = train([learner(name, 0, **settings), learner(name, 1, **settings)])
    assert same(alone.network, packed.network)
